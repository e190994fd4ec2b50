//! The linear front end as a pure machine: lines and events in, effects and lines out.

use std::collections::BTreeSet;

use super::card::{self, Card};
use super::conversation::Conversation;
use super::standing::Standing;
use super::told::Told;
use super::window::{Meaning, Window};
use super::windows::{self, Own};
use super::{plain, window};
use crate::app::chat::EntryKind;
use crate::app::commands::{self, Command, Slash};
use crate::app::direct::Direct;
use crate::app::keymap::Motion;
use crate::app::model::{Model, Options, Screen};
use crate::app::msg::CardMsg;
use crate::app::overlay::Overlay;
use crate::app::toasts::Level;
use crate::app::{Effect, Msg, review, update};
use crate::host::protocol::{News, Query, RequestId};

/// The columns and rows that the model is told of: nothing is ever out of sight.
const SIZE: (u16, u16) = (200, 10_000);

/// How many windows lie over each other at most when all are to be closed.
const DEEPEST: usize = 12;

/// What goes back where a text names the key.
const ESC: &str = "esc";

/// The front end without its pipes.
#[derive(Debug)]
pub struct Linear {
    pub model: Model,
    /// The columns of what an engine says of itself, which must not fill a row by its own.
    columns: usize,
    own: Option<Own>,
    conversation: Conversation,
    standing: Standing,
    /// The window that was told last.
    window: Option<Window>,
    /// The draft that was told last.
    draft: String,
    opening: Option<String>,
    /// The answers that were offered last.
    card: Card,
    told: Told,
    /// Requests that are still to be answered; the answer says that all that was asked before is done.
    asked: BTreeSet<RequestId>,
}

impl Linear {
    pub fn new(options: Options, columns: usize) -> Self {
        let model = Model::new(Options { size: SIZE, ascii: true, vim: false, ..options });
        let mut linear = Self {
            columns: columns.max(40),
            own: None,
            conversation: Conversation::default(),
            standing: Standing::default(),
            window: None,
            draft: String::new(),
            opening: None,
            card: Card::default(),
            told: Told::default(),
            asked: BTreeSet::new(),
            model,
        };
        linear.told.line(linear.model.words.linear.welcome());
        linear
    }

    /// Takes in what happened and tells of it.
    pub fn hear(&mut self, msg: Msg) -> Vec<Effect> {
        if let Msg::Host(News { answers: Some(id), .. }) = &msg {
            self.asked.remove(id);
        }
        let mut effects = update(&mut self.model, msg);
        effects.extend(self.tell());
        effects
    }

    /// The lines that are to be told.
    pub fn take_lines(&mut self) -> Vec<String> {
        self.told.take()
    }

    /// Whether a line can be answered: nothing is on its way that it would be for.
    pub fn is_ready(&self) -> bool {
        self.model.turn.is_none() && self.model.opening.is_none()
    }

    /// Whether everything that was asked for has come: what is read from a file goes on then.
    pub fn is_settled(&self) -> bool {
        let waits = self.model.brief.is_some()
            || !self.asked.is_empty()
            || self.window.as_ref().is_some_and(|window| window.waits);
        self.is_ready() && !waits
    }

    /// Whether what is typed now is said: no window is open that it would answer.
    pub fn talks(&self) -> bool {
        windows::top(&self.model, self.own, self.columns).is_none()
    }

    /// Asks to be told when the host has done all that it was asked until now.
    pub fn ask_when_done(&mut self) -> Option<Effect> {
        let open = self.model.session.is_some() && self.model.screen == Screen::Chat;
        if !open || !self.is_ready() {
            return None;
        }
        let id = self.model.next_request();
        self.asked.insert(id);
        Some(Effect::numbered(id, Query::Reached))
    }

    /// What stands before what is typed.
    pub fn prompt(&self) -> String {
        format!("{}: ", self.model.words.courses.you())
    }

    /// Takes in a line that was typed.
    pub fn line(&mut self, line: &str) -> Vec<Effect> {
        let line = line.trim_end_matches(['\r', '\n']);
        let mut effects = match commands::slash(line) {
            Some(Slash::Run(command, argument)) => self.command(command, argument),
            Some(unknown) => crate::app::update::slash(&mut self.model, unknown),
            None => self.words(line),
        };
        effects.extend(self.tell());
        effects
    }

    /// Ctrl-C: cancels, goes back, or leaves when pressed twice.
    pub fn interrupt(&mut self) -> Vec<Effect> {
        self.own = None;
        self.hear(Msg::Direct(Direct::Do(Motion::Interrupt)))
    }

    /// The input has ended: what was written is kept.
    pub fn end(&mut self) -> Vec<Effect> {
        crate::app::leaving::quit_now(&mut self.model)
    }

    /// Runs a command, whatever window was open.
    fn command(&mut self, command: Command, argument: String) -> Vec<Effect> {
        let mut effects = Vec::new();
        let of_course = matches!(self.model.overlays.last(), Some(Overlay::Course(_))) && command == Command::Fork;
        for _ in 0..DEEPEST {
            if self.model.overlays.is_empty() || of_course {
                break;
            }
            effects.extend(self.done([Direct::Do(Motion::Back)]));
        }
        self.own = None;
        if command == Command::Sidebar && self.model.session.is_some() && self.model.screen == Screen::Chat {
            self.own = Some(Own::Standing);
            return effects;
        }
        effects.extend(self.done([Direct::Run(command, argument)]));
        effects
    }

    fn words(&mut self, line: &str) -> Vec<Effect> {
        let back = line.trim().eq_ignore_ascii_case(ESC);
        let Some(window) = windows::top(&self.model, self.own, self.columns) else {
            return if back { self.done([Direct::Do(Motion::Back)]) } else { self.said(line) };
        };
        if self.own.is_some() && (line.trim().is_empty() || back) {
            self.own = None;
            return Vec::new();
        }
        match window.meaning(if back { "" } else { line }) {
            Meaning::Deeds(deeds) => {
                // Answered, it is told anew should it still be there.
                self.window = None;
                self.done(deeds)
            }
            Meaning::Nothing => self.refuse(&window, self.model.words.linear.not_understood()),
            Meaning::NoSuchNumber => self.refuse(&window, self.model.words.linear.no_such_number()),
        }
    }

    fn refuse(&mut self, window: &window::Window, why: &str) -> Vec<Effect> {
        let says = &self.model.words.linear;
        self.told.say(says.note(), why);
        self.told.line(window.hint(says));
        Vec::new()
    }

    /// Says something. An empty line sends the draft.
    fn said(&mut self, line: &str) -> Vec<Effect> {
        let text = if line.trim().is_empty() { self.model.composer.text() } else { line.to_owned() };
        if let Some(words) = card::chosen(&self.model, &text) {
            // A number says nothing to somebody who reads this later.
            self.told.say(self.model.words.courses.you(), &words);
            return self.says(words);
        }
        if text.trim().is_empty() {
            let says = &self.model.words.linear;
            self.told.say(says.note(), says.nothing_written());
            return Vec::new();
        }
        self.says(text)
    }

    fn says(&mut self, text: String) -> Vec<Effect> {
        // It stands there as it was typed: not worth telling again should a question come first.
        self.draft.clone_from(&text);
        self.done([Direct::Write(text), Direct::Do(Motion::Send)])
    }

    fn done(&mut self, deeds: impl IntoIterator<Item = Direct>) -> Vec<Effect> {
        deeds.into_iter().flat_map(|deed| update(&mut self.model, Msg::Direct(deed))).collect()
    }

    /// Tells everything that is new: what happened first, what can be answered last.
    fn tell(&mut self) -> Vec<Effect> {
        self.opening();
        self.conversation.tell(&self.model, &mut self.told);
        self.standing.tell(&self.model, &mut self.told);
        self.notes();
        self.places();
        self.brief();
        let effects = self.top();
        self.draft();
        let can_be_answered = self.is_ready() && self.window.is_none();
        self.card.tell(&self.model, can_be_answered, &mut self.told);
        effects
    }

    fn notes(&mut self) {
        for toast in self.model.toasts.take_all() {
            let says = &self.model.words.linear;
            let label = match toast.level {
                Level::Info => says.note(),
                Level::Warning => says.warning(),
                Level::Error => says.error(),
            };
            self.told.say(label, &toast.text);
        }
    }

    fn opening(&mut self) {
        let opening = self.model.opening.as_ref().map(|(what, _)| what.clone());
        if opening != self.opening
            && let Some(what) = &opening
        {
            let says = &self.model.words.linear;
            self.told.say(says.status(), &says.opening(what));
        }
        self.opening = opening;
    }

    /// Words that were looked for, or lie behind a value.
    fn places(&mut self) {
        let chat = &mut self.model.chat;
        let (find, shown) = (chat.find.take(), chat.highlight.take());
        let found = find.into_iter().flat_map(|find| find.matches).map(|place| place.entry);
        let mut entries: Vec<usize> = found.chain(shown.map(|shown| shown.entry)).collect();
        entries.dedup();
        chat.reveal = None;
        for entry in entries.into_iter().filter_map(|at| self.model.chat.entries.get(at)) {
            let who = match entry.kind {
                EntryKind::User | EntryKind::Aside => self.model.words.courses.you(),
                EntryKind::Assistant | EntryKind::AsideAnswer => {
                    self.model.session.as_ref().map_or("", |session| &session.engine.name)
                }
                EntryKind::Note | EntryKind::Recap => self.model.words.linear.note(),
            };
            let label = format!("{}, {who}", self.model.words.lists.turn(entry.turn));
            self.told.say(&label, &plain::lines(&entry.text).join(" "));
        }
    }

    /// The brief is told once it has come, and is not kept open.
    fn brief(&mut self) {
        let Some(brief) = self.model.brief.take_if(|brief| brief.text.is_some()) else { return };
        self.told.gap();
        self.told.line(format!("{}:", brief.title(self.model.words)));
        self.told.lines(brief.text.iter().flat_map(|text| plain::lines(text)));
    }

    /// Tells the window on top, or what is new of it; marks as seen what was told.
    fn top(&mut self) -> Vec<Effect> {
        let window = windows::top(&self.model, self.own, self.columns);
        let before = std::mem::replace(&mut self.window, window.clone());
        let Some(window) = window else { return Vec::new() };
        if before.as_ref() == Some(&window) {
            return Vec::new();
        }
        let (lines, known) = (window.lines(), before.map(|before| before.lines()).unwrap_or_default());
        let new: Vec<String> = if known.is_empty() {
            self.told.gap();
            lines
        } else if lines.starts_with(&known) {
            lines[known.len()..].to_vec()
        } else if lines.len() == known.len() && lines.first() == known.first() {
            // Of a long list only the lines that have changed.
            lines.into_iter().zip(&known).filter(|(now, before)| now != *before).map(|(now, _)| now).collect()
        } else {
            lines
        };
        self.told.lines(new);
        if window.only_says {
            self.window = None;
            let mut effects = self.done([Direct::Do(Motion::Back)]);
            // What lies below is told at once, so that a line from a pipe waits for all of it.
            effects.extend(self.top());
            return effects;
        }
        if !window.waits {
            self.told.line(window.hint(&self.model.words.linear));
        }
        self.seen()
    }

    /// All that a window says was told: what has to be read before it can be agreed to has been.
    fn seen(&mut self) -> Vec<Effect> {
        let msg = match (self.model.overlays.last(), &self.model.session) {
            (Some(Overlay::Task(_)), _) => Msg::Card(CardMsg { columns: 1, rows: 1, top: 0, visible: 1 }),
            (Some(Overlay::Review(_)), Some(session)) => {
                let lines = review::lines(session, self.model.words);
                Msg::Reviewed(lines.iter().map(|line| line.field.path.clone()).collect())
            }
            _ => return Vec::new(),
        };
        update(&mut self.model, msg)
    }

    /// A draft that was not typed just now: left over, given back, or taken up to be changed.
    fn draft(&mut self) {
        let draft = if self.model.screen == Screen::Chat { self.model.composer.text() } else { String::new() };
        if draft != self.draft && !draft.trim().is_empty() && self.is_ready() {
            let says = &self.model.words.linear;
            self.told.say(says.draft(), &draft);
            self.told.line(says.draft_sends());
        }
        self.draft = draft;
    }
}
