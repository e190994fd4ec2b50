//! The composer: the draft, what was written before, big pastes, and what is sent.

mod history;
mod paste;
mod vim;

pub use history::History;
pub use paste::Pastes;
pub(crate) use paste::harmless;
pub use vim::{Vim, VimMode};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;
use ratatui_textarea::{CursorMove, TextArea, WrapMode};
use unicode_width::UnicodeWidthStr;

use super::answer_card;
use super::commands;
use super::effect::Effect;
use super::keymap::Motion;
use super::model::Model;
use super::overlay::{Confirm, Confirmed, Overlay};
use super::text_area;
use super::toasts::Level;
use super::turn;
use crate::engine::turn::MAX_MESSAGE;
use crate::words::{Composer as Says, english};

/// The composer never takes more rows than this.
pub(crate) const MAX_ROWS: u16 = 8;

#[derive(Clone, Debug)]
pub struct Composer {
    /// The draft as it is edited; big pastes stand in it as markers.
    pub area: TextArea<'static>,
    /// What was sent or put aside before.
    pub history: History,
    /// The texts behind the markers.
    pub pastes: Pastes,
    /// The turn whose message is being changed.
    pub editing: Option<u32>,
    /// What was being written when that message was taken up, and the message as it was.
    pub(crate) aside: Option<(String, String)>,
    /// The message of a turn that was taken back, for as long as it stands here untouched: a command is written over it and
    /// not behind it.
    pub(crate) given_back: Option<String>,
    /// Whether the user has agreed to what the changed message takes back.
    pub agreed: bool,
    /// The line of the menu of commands that was gone to with the arrows.
    pub menu: Option<usize>,
    /// Whether the menu was put away; the next letter brings it back.
    pub(crate) without_menu: bool,
    /// Modal keys, where the user wants them.
    pub vim: Option<Vim>,
    /// What markers are called.
    pub(crate) says: &'static Says,
}

impl Default for Composer {
    fn default() -> Self {
        Self {
            area: area_of(""),
            history: History::default(),
            pastes: Pastes::default(),
            editing: None,
            aside: None,
            given_back: None,
            agreed: false,
            menu: None,
            without_menu: false,
            vim: None,
            says: &english().composer,
        }
    }
}

pub(crate) fn area_of(text: &str) -> TextArea<'static> {
    let lines = if text.is_empty() { Vec::new() } else { text.split('\n').map(ToOwned::to_owned).collect() };
    let mut area = TextArea::new(lines);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_cursor_line_style(Style::default());
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}

impl Composer {
    /// Starts over with a draft.
    pub(crate) fn reset(&mut self, draft: &str) {
        self.area = area_of("");
        self.pastes = Pastes::default();
        (self.editing, self.aside, self.given_back, self.agreed) = (None, None, None, false);
        (self.menu, self.without_menu) = (None, false);
        self.history.leave();
        self.insert(draft);
    }

    /// Puts a text in place of the draft, big pastes in it as they are.
    pub fn set(&mut self, text: &str) {
        self.area = area_of(text);
    }

    /// The draft as it is seen, markers and all.
    pub fn visible(&self) -> String {
        self.area.lines().join("\n")
    }

    /// The draft as it will be sent.
    pub fn text(&self) -> String {
        self.pastes.expand(&self.visible())
    }

    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// The draft that was replaced when an earlier message was fetched, for editing or from the history. It is not sent with
    /// that message, and it comes back afterwards.
    pub(crate) fn put_aside(&self) -> String {
        let of_edit = self.aside.as_ref().map(|(draft, _)| &**draft);
        let of_history = self.history.aside().map(|(draft, _)| draft);
        // A message that was taken up and not changed is in the conversation.
        let is_taken = |draft: &&str| self.aside.as_ref().is_some_and(|(_, taken)| taken == draft);
        let written_over = self.given_back.as_deref().filter(|_| self.is_command());
        let parts = of_edit.into_iter().chain(of_history.filter(|draft| !is_taken(draft))).chain(written_over);
        parts.filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Everything that is written here and nowhere else.
    pub(crate) fn unsaid(&self) -> String {
        let (mut unsaid, text) = (self.put_aside(), self.text());
        let shown = self.history.aside().map(|(_, shown)| shown);
        let taken = self.aside.as_ref().map(|(_, taken)| &**taken);
        if [shown, taken].contains(&Some(&*text)) {
            return unsaid;
        }
        if !unsaid.is_empty() && !text.is_empty() {
            unsaid.push('\n');
        }
        unsaid + &text
    }

    /// Gives the message of a turn back that was taken back.
    pub(crate) fn give_back(&mut self, said: &str) {
        self.reset(said);
        self.given_back = Some(self.text());
    }

    /// Whether a command is being written.
    fn is_command(&self) -> bool {
        self.area.lines().first().is_some_and(|line| line.starts_with('/'))
    }

    /// Whether nothing was written here since a message was given back.
    pub(crate) fn is_untouched(&self) -> bool {
        self.is_empty() || self.given_back.as_ref().is_some_and(|said| *said == self.text())
    }

    /// A slash begins a command over a message that was given back; whatever else is typed makes the message a draft.
    fn make_room(&mut self, key: KeyEvent) {
        if self.given_back.as_ref().is_some_and(|said| *said == self.text()) {
            if key.code == KeyCode::Char('/') && key.modifiers.is_empty() {
                self.area = area_of("");
            } else {
                self.given_back = None;
            }
        }
    }

    /// A command that was not written after all leaves the message where it was.
    fn settle(&mut self) {
        if self.is_empty()
            && let Some(said) = self.given_back.take()
        {
            self.give_back(&said);
        }
    }

    /// Inserts a text at the cursor; a big one as a marker.
    pub fn insert(&mut self, text: &str) {
        self.without_menu = false;
        let shown = self.pastes.take(paste::harmless(text), self.says);
        self.area.insert_str(shown);
        self.pastes.tidy(&self.visible());
    }

    /// The beginning of a text that still fits into the message, cut after a line or a word where there is one near.
    pub(crate) fn fitting<'t>(&self, text: &'t str) -> &'t str {
        let room = MAX_MESSAGE.saturating_sub(self.text().len());
        if text.len() <= room {
            return text;
        }
        let start = &text[..text.floor_char_boundary(room)];
        let near = &start[start.floor_char_boundary(start.len().saturating_sub(200))..];
        let cut = near.rfind('\n').or_else(|| near.rfind(char::is_whitespace)).map_or(0, |at| near.len() - at);
        &start[..start.len() - cut]
    }

    pub fn rows(&self, width: u16) -> u16 {
        let width = usize::from(width.max(1));
        let rows = self.area.lines().iter().map(|line| line.width() / width + 1).sum::<usize>();
        u16::try_from(rows).unwrap_or(u16::MAX).clamp(1, MAX_ROWS)
    }

    /// The commands that the draft is the beginning of.
    pub fn completions(&self) -> Vec<&'static commands::Entry> {
        let [line] = self.area.lines() else { return Vec::new() };
        match line.strip_prefix('/') {
            Some(start) if !self.without_menu && !start.contains(char::is_whitespace) => {
                commands::completions(start).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Puts the menu of commands away; says whether there was one.
    pub(crate) fn put_menu_away(&mut self) -> bool {
        let open = !self.completions().is_empty();
        if open {
            (self.menu, self.without_menu) = (None, true);
        }
        open
    }

    /// Puts a text back that could not be sent, before what has been written since.
    pub fn restore(&mut self, text: &str) {
        if self.is_empty() {
            self.reset(text);
        } else if self.text() != text {
            let since = self.text();
            self.reset(&format!("{text}\n{since}"));
        }
    }
}

/// Takes a text in at the cursor. Of one that does not fit into a message the user decides whether its beginning is
/// wanted: nothing is left out without a word.
pub(crate) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    model.composer.given_back = None;
    let fitting = model.composer.fitting(text);
    if fitting.len() == text.len() {
        model.composer.insert(text);
        return Vec::new();
    }
    let says = &model.words.composer;
    let most = size(MAX_MESSAGE, says);
    if fitting.is_empty() {
        model.toasts.tell(Level::Warning, says.no_room(most), model.now);
        return Vec::new();
    }
    model.overlays.push(Overlay::Confirm(Confirm {
        question: says.keep_beginning(size(text.len(), says), most),
        detail: says.keep_detail(size(fitting.len(), says)),
        yes: Confirmed::Insert(fitting.to_owned()),
        no: Confirmed::Nothing,
    }));
    Vec::new()
}

/// A number of bytes for people.
pub(crate) fn size(bytes: usize, says: &Says) -> String {
    match bytes {
        0..1_000 => says.bytes(bytes),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_024)),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}

/// Moves about in the draft or sends it; `None` where the motion is not one of the composer's.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let composer = &mut model.composer;
    if !matches!(motion, Motion::Send | Motion::Complete | Motion::NextChoice | Motion::PreviousChoice) {
        composer.given_back = None;
    }
    match motion {
        Motion::Send => return Some(answer_card::choose_marked(model).unwrap_or_else(|| send(model))),
        Motion::NextChoice => return answer_card::step(model, true),
        Motion::PreviousChoice => return answer_card::step(model, false),
        Motion::Newline => composer.area.insert_newline(),
        Motion::HistoryPrevious => recall(composer, true),
        Motion::HistoryNext => recall(composer, false),
        Motion::Complete => match composer.completions().get(composer.menu.take().unwrap_or(0)) {
            Some(entry) => composer.set(&format!("/{} ", entry.name)),
            None => return None,
        },
        Motion::Undo => {
            composer.area.undo();
        }
        Motion::Redo => {
            composer.area.redo();
        }
        _ => return None,
    }
    Some(Vec::new())
}

/// Types a key into the draft.
pub fn key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    model.composer.make_room(key);
    write(&mut model.composer, key);
    model.composer.settle();
    Vec::new()
}

fn write(composer: &mut Composer, key: KeyEvent) {
    if let Some(vim) = &mut composer.vim
        && vim.key(&mut composer.area, key)
    {
        return;
    }
    let plain = key.modifiers.is_empty();
    let offered = composer.completions().len();
    if plain && offered > 0 && matches!(key.code, KeyCode::Up | KeyCode::Down) {
        let last = offered - 1;
        composer.menu = Some(match (composer.menu, key.code) {
            (Some(at), KeyCode::Down) if at < last => at + 1,
            (_, KeyCode::Down) => 0,
            (None | Some(0), _) => last,
            (Some(at), _) => at - 1,
        });
        return;
    }
    (composer.menu, composer.without_menu) = (None, false);
    let (row, column) = {
        let cursor = composer.area.cursor();
        (cursor.0, cursor.1)
    };
    match key.code {
        KeyCode::Up if plain && row == 0 => recall(composer, true),
        KeyCode::Down if plain && row + 1 == composer.area.lines().len() && composer.history.is_recalling() => {
            recall(composer, false);
        }
        KeyCode::Backspace if plain => {
            let marker = composer.pastes.marker_before(&composer.area.lines()[row], column);
            match marker {
                Some(length) => {
                    (0..length).for_each(|_| {
                        composer.area.delete_char();
                    });
                }
                None => text_area::input(&mut composer.area, key),
            }
        }
        // A terminal without bracketed paste sends tabs and returns as keys; a tab that got here is text.
        KeyCode::Tab => composer.area.insert_char('\t'),
        KeyCode::Char(c) if c.is_control() => {}
        KeyCode::Char(c) if plain || key.modifiers == KeyModifiers::SHIFT => composer.area.insert_char(c),
        _ => text_area::input(&mut composer.area, key),
    }
}

fn recall(composer: &mut Composer, earlier: bool) {
    let draft = composer.text();
    if let Some(text) = composer.history.recall(&draft, earlier) {
        composer.area = area_of("");
        composer.insert(&text);
    }
}

/// Sends the draft, or runs the command it is.
fn send(model: &mut Model) -> Vec<Effect> {
    let composer = &mut model.composer;
    let chosen = composer.menu.take().and_then(|at| composer.completions().get(at).copied());
    if let Some(entry) = chosen {
        // What wants an argument waits for it.
        composer.set(&format!("/{}{}", entry.name, if entry.takes_argument() { " " } else { "" }));
        if entry.takes_argument() {
            return Vec::new();
        }
    }
    let text = model.composer.text();
    // A bare slash has nothing to say yet: the menu is there to choose from.
    if text.trim() == "/" {
        (model.composer.menu, model.composer.without_menu) = (Some(0), false);
        return Vec::new();
    }
    if text.trim().is_empty() {
        return Vec::new();
    }
    match commands::slash(&text) {
        Some(slash) => {
            let (aside, given_back) = (model.composer.put_aside(), model.composer.given_back.take());
            model.composer.history.add(&text);
            match given_back {
                Some(said) if said == aside => model.composer.give_back(&said),
                _ => model.composer.reset(&aside),
            }
            super::update::slash(model, slash)
        }
        None => turn::submit(model, text),
    }
}
