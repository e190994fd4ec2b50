//! The chat pane: what was said, what part of it is in view, and what is marked in it.

pub(crate) mod find;
mod rows;

pub use find::{Find, Match};
pub use rows::Rows;

use std::ops::Range;
use std::sync::Arc;

use super::effect::{Effect, TerminalEffect};
use super::keymap::Motion;
use super::layout;
use super::model::Model;
use super::msg::ChatMsg;
use super::toasts::Level;

/// Who or what an entry of the chat comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    User,
    /// The engine.
    Assistant,
    /// The program: a phase that was entered, a warning.
    Note,
    /// The program: how the session stands, for somebody who comes back to it.
    Recap,
    /// The user, beside the conversation.
    Aside,
    /// What was answered to that.
    AsideAnswer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    pub turn: u32,
    /// Shared, so that a layout can keep it without a copy.
    pub text: Arc<str>,
}

impl Entry {
    pub fn new(kind: EntryKind, turn: u32, text: impl Into<Arc<str>>) -> Self {
        Self { kind, turn, text: text.into() }
    }
}

/// Which part of the conversation is in view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scroll {
    /// The newest, whatever comes.
    #[default]
    Bottom,
    /// A row of an entry is the first in view. Rows count within the entry, so that another width or what comes
    /// below does not move what is being read.
    At { entry: usize, row: usize },
}

/// Words that are marked: those an extracted value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    pub entry: usize,
    /// The bytes of its text.
    pub bytes: Range<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Chat {
    pub entries: Vec<Entry>,
    /// Counts replacements of the whole list, so that kept layouts can be dropped when it changes.
    pub generation: u64,
    /// The rows of the entries, as last measured.
    pub rows: Rows,
    pub scroll: Scroll,
    /// The entry that copy and edit are about.
    pub selected: Option<usize>,
    pub highlight: Option<Highlight>,
    /// Words that are to be brought into view once it is known where they stand.
    pub reveal: Option<Highlight>,
    pub find: Option<Find>,
}

impl Chat {
    /// Puts other entries in place; `keep` keeps the place where the reader is.
    pub fn replace(&mut self, entries: Vec<Entry>, keep: bool) {
        self.generation += 1;
        let (scroll, rows) = (self.scroll, std::mem::take(&mut self.rows));
        *self = Self { entries, generation: self.generation, rows, ..Self::default() };
        self.rows.truncate(0);
        if keep && matches!(scroll, Scroll::At { entry, .. } if entry < self.entries.len()) {
            self.scroll = scroll;
        }
    }

    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    pub(crate) fn user_entry(&self, turn: u32) -> Option<usize> {
        self.entries.iter().position(|entry| entry.kind == EntryKind::User && entry.turn == turn)
    }

    pub fn last(&self, kind: EntryKind) -> Option<(usize, &Entry)> {
        self.entries.iter().enumerate().rev().find(|(_, entry)| entry.kind == kind)
    }

    /// The first row in view of a pane of that height.
    pub fn top(&self, height: usize) -> usize {
        let last = self.rows.total().saturating_sub(height);
        match self.scroll {
            Scroll::Bottom => last,
            Scroll::At { entry, row } => self.rows.start(entry).saturating_add(row).min(last),
        }
    }

    /// The entry that is looked at: the one that is selected, else the first in view, else the last there is.
    pub(crate) fn in_view(&self) -> usize {
        self.selected.unwrap_or(match self.scroll {
            Scroll::Bottom => self.entries.len().saturating_sub(1),
            Scroll::At { entry, .. } => entry,
        })
    }

    /// Rows below what is in view.
    pub fn below(&self, height: usize) -> usize {
        self.rows.total().saturating_sub(self.top(height) + height)
    }

    /// Moves the view by rows; at the end it stays with what comes.
    pub(crate) fn scroll_by(&mut self, delta: isize, height: usize) {
        let last = self.rows.total().saturating_sub(height);
        let top = self.top(height).saturating_add_signed(delta).min(last);
        self.show_row(top, last);
    }

    fn show_row(&mut self, top: usize, last: usize) {
        self.scroll = if top >= last {
            Scroll::Bottom
        } else {
            let (entry, row) = self.rows.locate(top);
            Scroll::At { entry, row }
        };
    }

    /// Brings a row of an entry into view, a few rows from the top.
    pub fn show(&mut self, entry: usize, row: usize, height: usize) {
        let at = self.rows.start(entry) + row;
        let top = self.top(height);
        if at < top || at >= top + height.max(1) {
            let last = self.rows.total().saturating_sub(height);
            self.show_row(at.saturating_sub(height / 3).min(last), last);
        }
    }

    /// Selects the nearest message before or after the one selected, or the one in view.
    pub(crate) fn step_message(&mut self, forward: bool, height: usize) {
        let spoken = |at: &usize| self.entries.get(*at).is_some_and(|entry| entry.kind != EntryKind::Note);
        let next = match self.selected {
            Some(at) if forward => (at + 1..self.entries.len()).find(spoken).or(Some(at)),
            Some(at) => (0..at).rev().find(spoken).or(Some(at)),
            None => {
                let bottom = (self.top(height) + height.saturating_sub(1)).min(self.rows.total().saturating_sub(1));
                (0..=self.rows.locate(bottom).0).rev().find(spoken)
            }
        };
        self.selected = next;
        if let Some(at) = next {
            self.show(at, 0, height);
        }
    }
}

/// Takes in the pane's geometry.
pub fn update(model: &mut Model, msg: &ChatMsg) -> Vec<Effect> {
    match msg {
        ChatMsg::Measured { width, len, heights } => model.chat.rows.measured(*width, *len, heights),
        ChatMsg::Located { entry, row } => {
            model.chat.reveal = None;
            let height = layout::compute(model.area(), model).chat.height as usize;
            model.chat.show(*entry, *row, height);
        }
        ChatMsg::Coloured => {}
    }
    Vec::new()
}

/// Moves about in the pane; `None` where the motion is not one of the chat's.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let height = layout::compute(model.area(), model).chat.height as usize;
    let page = isize::try_from(height.saturating_sub(2).max(1)).unwrap_or(1);
    let chat = &mut model.chat;
    match motion {
        Motion::Up => chat.scroll_by(-1, height),
        Motion::Down => chat.scroll_by(1, height),
        Motion::PageUp => chat.scroll_by(-page, height),
        Motion::PageDown => chat.scroll_by(page, height),
        Motion::Top => {
            chat.scroll = if chat.entries.is_empty() { Scroll::Bottom } else { Scroll::At { entry: 0, row: 0 } }
        }
        Motion::Bottom => (chat.scroll, chat.selected) = (Scroll::Bottom, None),
        Motion::PreviousMessage => chat.step_message(false, height),
        Motion::NextMessage => chat.step_message(true, height),
        Motion::FindNext => find::step(chat, true),
        Motion::FindPrevious => find::step(chat, false),
        Motion::CopyMessage => return Some(copy_message(model)),
        Motion::CopyCode => return Some(copy_code(model)),
        Motion::EditMessage => return Some(super::turn::edit_message(model, model.chat.selected)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Looks for words, and shows the place that is nearest to what is in view.
pub fn find(model: &mut Model, words: &str) {
    find::start(&mut model.chat, words);
    if model.chat.find.as_ref().is_some_and(|find| find.matches.is_empty()) {
        model.toasts.tell(Level::Info, model.words.chat.not_said(words), model.now);
    }
}

/// Copies the selected message, or the last answer.
pub(crate) fn copy_message(model: &mut Model) -> Vec<Effect> {
    let chosen = model.chat.selected.and_then(|at| model.chat.entries.get(at));
    let entry = chosen.or_else(|| model.chat.last(EntryKind::Assistant).map(|(_, entry)| entry));
    let text = entry.map(|entry| entry.text.to_string());
    copied(model, text, model.words.chat.message_copied())
}

/// Copies the last code block of the selected message, or of the last message that has one.
pub(crate) fn copy_code(model: &mut Model) -> Vec<Effect> {
    let chosen = model.chat.selected.and_then(|at| model.chat.entries.get(at));
    let code = match chosen {
        Some(entry) => last_code_block(&entry.text),
        None => model.chat.entries.iter().rev().find_map(|entry| last_code_block(&entry.text)),
    };
    copied(model, code, model.words.chat.code_copied())
}

fn copied(model: &mut Model, text: Option<String>, done: &str) -> Vec<Effect> {
    let Some(text) = text else {
        model.toasts.tell(Level::Info, model.words.chat.nothing_to_copy(), model.now);
        return Vec::new();
    };
    model.toasts.tell(Level::Info, done, model.now);
    vec![TerminalEffect::Copy(text).into()]
}

/// The last fenced block of a text.
fn last_code_block(text: &str) -> Option<String> {
    let mut last = None;
    let mut open: Option<(String, Vec<&str>)> = None;
    for line in text.lines() {
        let mark: String = line.trim_start().chars().take_while(|c| matches!(c, '`' | '~')).collect();
        open = match open.take() {
            None if mark.len() >= 3 => Some((mark, Vec::new())),
            Some((fence, lines)) if mark.starts_with(&fence) && line.trim() == mark => {
                last = Some(lines.join("\n"));
                None
            }
            Some((fence, mut lines)) => {
                lines.push(line);
                Some((fence, lines))
            }
            None => None,
        };
    }
    last
}
