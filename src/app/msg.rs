//! What can happen to the app, by area.

use std::time::Duration;

use crossterm::event::{KeyEvent, MouseEvent};

use super::direct::Direct;
use crate::host::protocol::News;

/// One thing that happened.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and every piece of an answer is one")]
pub enum Msg {
    /// The first frame is on the screen.
    Begun,
    Key(KeyEvent),
    Mouse(MouseEvent),
    Paste(String),
    Resize(u16, u16),
    /// The window got or lost the focus.
    Focus(bool),
    /// Time went on; since the start of the program.
    Clock(Duration),
    Host(News),
    /// What a front end without keys does.
    Direct(Direct),
    /// News of the chat pane's geometry.
    Chat(ChatMsg),
    /// News of the brief's geometry.
    Brief(BriefMsg),
    /// What of a card is on the screen.
    Card(CardMsg),
    /// Fields of the review that can be read in full on the screen.
    Reviewed(Vec<String>),
    /// The last row that the window on top can begin with.
    Ends(usize),
    /// The clipboard was asked to take a text, and it is not known whether it has.
    NotSureCopied,
    /// The clipboard did not take it, and why.
    NotCopied(String),
    /// The text of what was selected with the mouse.
    Selected(String),
    /// Whether the terminal's ground is light.
    Ground {
        light: bool,
    },
    /// The terminal can tell all keys apart.
    KeysAreTold,
    /// There is no terminal that an editor could have.
    NoEditor,
    /// The editor was closed, with this text; `None` where it failed or was left without saving.
    Edited(Option<String>),
}

impl Msg {
    /// Something that the host tells.
    pub fn host(news: impl Into<News>) -> Self {
        Self::Host(news.into())
    }
}

/// What of a card is on the screen, from the side that lays out its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardMsg {
    /// The columns that it was laid out for, and the rows that it takes.
    pub columns: u16,
    pub rows: usize,
    /// The first row on the screen, and how many can be read in full.
    pub top: usize,
    pub visible: usize,
}

/// News of the chat pane's geometry, from the side that lays out its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatMsg {
    /// The rows of some entries; the others are as they were.
    Measured {
        /// The columns they were laid out for.
        width: u16,
        len: usize,
        /// Entries and their rows, the empty row after each included.
        heights: Vec<(usize, usize)>,
    },
    /// Where the words to be shown stand.
    Located { entry: usize, row: usize },
    /// Colours of code were found: nothing is different but how it looks.
    Coloured,
}

/// News of the brief's geometry, from the side that lays out its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BriefMsg {
    pub rows: usize,
    /// The row of what is new, where that was to be found.
    pub new_at: Option<usize>,
}
