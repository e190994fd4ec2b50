//! What a key can do: run a command of the table, or move about in what has the focus.

use crate::app::commands::{COMMANDS, Command};
use crate::words::{Keys, Words};

/// Where a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    Global,
    Composer,
    Chat,
    Sidebar,
    /// In a list that is narrowed by typing, and in fields for one line of text.
    Palette,
    /// In any other overlay.
    Overlay,
    /// On the first screen.
    Picker,
}

impl Context {
    pub const ALL: [Self; 7] =
        [Self::Global, Self::Composer, Self::Chat, Self::Sidebar, Self::Palette, Self::Overlay, Self::Picker];

    /// Its name in keymaps.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Composer => "composer",
            Self::Chat => "chat",
            Self::Sidebar => "sidebar",
            Self::Palette => "palette",
            Self::Overlay => "overlay",
            Self::Picker => "picker",
        }
    }

    /// Where that is, in a few words.
    pub fn about(self, says: &Keys) -> &str {
        match self {
            Self::Global => says.everywhere(),
            Self::Composer => says.in_composer(),
            Self::Chat => says.in_conversation(),
            Self::Sidebar => says.in_sidebar(),
            Self::Palette => says.in_lists(),
            Self::Overlay => says.in_windows(),
            Self::Picker => says.on_first_screen(),
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Runs a command of the table.
    Run(Command),
    Do(Motion),
}

/// Declares the motions once: their variants, their names in keymaps and what the help says of them.
macro_rules! motions {
    ($($variant:ident = $name:literal, $about:ident;)*) => {
        /// What a key does that is not a command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Motion {
            $($variant,)*
        }

        impl Motion {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in keymaps.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// What it does, in a few words.
            pub fn about(self, says: &Keys) -> &str {
                match self { $(Self::$variant => says.$about()),* }
            }
        }
    };
}

motions! {
    Palette = "palette", palette;
    FocusNext = "focus_next", focus_next;
    FocusPrevious = "focus_previous", focus_previous;
    Back = "close", close;
    Interrupt = "interrupt", interrupt;
    Suspend = "suspend", suspend;
    Redraw = "redraw", redraw;
    Send = "send", send;
    Newline = "newline", newline;
    HistoryPrevious = "history_previous", history_previous;
    HistoryNext = "history_next", history_next;
    Complete = "complete", complete;
    NextChoice = "next_choice", next_choice;
    PreviousChoice = "previous_choice", previous_choice;
    Undo = "undo_edit", undo_edit;
    Redo = "redo_edit", redo_edit;
    Up = "up", up;
    Down = "down", down;
    Left = "left", left;
    Right = "right", right;
    PageUp = "page_up", page_up;
    PageDown = "page_down", page_down;
    Top = "top", top;
    Bottom = "bottom", bottom;
    PreviousMessage = "previous_message", previous_message;
    NextMessage = "next_message", next_message;
    FindNext = "find_next", find_next;
    FindPrevious = "find_previous", find_previous;
    CopyMessage = "copy_message", copy_message;
    CopyCode = "copy_code", copy_code;
    EditMessage = "edit_message", edit_message;
    Open = "open", open;
    Toggle = "toggle", toggle;
    Accept = "accept", accept;
    Decline = "decline", decline;
    Change = "change", change;
    Clear = "clear", clear;
    Erase = "erase", erase;
    Later = "later", later;
}

impl Action {
    /// Its name in keymaps.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run(command) => command.entry().name,
            Self::Do(motion) => motion.name(),
        }
    }

    /// What it does, in a few words.
    pub fn about(self, words: &Words) -> &str {
        match self {
            Self::Run(command) => command.entry().about(&words.commands),
            Self::Do(motion) => motion.about(&words.keys),
        }
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        COMMANDS.iter().map(|entry| entry.name).chain(Motion::ALL.iter().map(|motion| motion.name()))
    }

    pub fn named(name: &str) -> Option<Self> {
        let motion = || Motion::ALL.iter().find(|motion| motion.name() == name).map(|motion| Self::Do(*motion));
        COMMANDS.iter().find(|entry| entry.name == name).map(|entry| Self::Run(entry.command)).or_else(motion)
    }
}
