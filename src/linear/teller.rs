//! The linear front end as a pure machine: lines and events in, effects and lines out.

use std::collections::BTreeSet;

use super::card::{self, Card};
use super::changes::changed;
use super::conversation::Conversation;
use super::standing::Standing;
use super::told::Told;
use super::window::{Meaning, Window};
use super::windows::{self, Own};
use super::{plain, window};
use crate::app::chat::EntryKind;
use crate::app::commands::{self, Command, Slash};
use crate::app::direct::Direct;
use crate::app::effect::{Outside, TerminalEffect};
use crate::app::keymap::Motion;
use crate::app::model::{Model, Options, Screen};
use crate::app::msg::CardMsg;
use crate::app::overlay::Overlay;
use crate::app::toasts::Level;
use crate::app::{Effect, Msg, review, update};
use crate::host::protocol::{Answer, Command as Wanted, Event, News, Query, Request, RequestId};

/// The columns and rows that the model is told of: nothing is ever out of sight.
const SIZE: (u16, u16) = (200, 10_000);

/// How many windows lie over each other at most when all are to be closed.
const DEEPEST: usize = 12;

/// What goes back where a text names the key.
const ESC: &str = "esc";

/// The front end without its pipes.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each waits for something else")]
pub struct Linear {
    pub model: Model,
    /// The columns of what an engine says of itself, which must not fill a row by its own.
    columns: usize,
    own: Option<Own>,
    conversation: Conversation,
    standing: Standing,
    /// The window that was told last.
    window: Option<Window>,
    /// The windows that were told since one talked, by their titles: of one that is gone back to only what is new is told.
    lists: Vec<(String, Vec<String>)>,
    /// Whether a line was answered by the window on top, which is told anew should it still be there.
    answered: bool,
    /// Whether the host was asked for something: what a window says meanwhile is what it said before.
    awaits: bool,
    /// Whether the sessions are on their way: until they are there, numbers would be those of an older list.
    awaits_sessions: bool,
    /// Whether a text is on its way to the clipboard: what became of it is told, and not before.
    copies: bool,
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
            lists: Vec::new(),
            answered: false,
            awaits: false,
            awaits_sessions: false,
            copies: false,
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
        if let Msg::Host(News { answers, event, .. }) = &msg {
            if let Some(id) = answers {
                self.asked.remove(id);
            }
            // The sessions are there, or the error that was told says why they are not.
            let told = match event {
                Event::Answer(Answer::Sessions { .. }) => true,
                Event::Notice(notice) => notice.level == Level::Error,
                _ => false,
            };
            self.awaits_sessions &= !told;
        }
        let mut effects = update(&mut self.model, msg);
        self.look_at(&effects, false);
        effects.extend(self.tell());
        effects
    }

    /// Keeps in mind what is on its way because of what was just done.
    fn look_at(&mut self, effects: &[Effect], by_line: bool) {
        self.copies |= effects.iter().any(|effect| matches!(effect, Effect::Terminal(TerminalEffect::Copy(_))));
        let asks = |effect: &Effect| match effect {
            Effect::Outside(Outside::Host(Request { command, .. })) => {
                matches!(command, Wanted::Ask(Query::Sessions(_)))
            }
            _ => false,
        };
        self.awaits_sessions |= effects.iter().any(asks);
        self.awaits = by_line && effects.iter().any(|effect| matches!(effect, Effect::Outside(Outside::Host(_))));
    }

    /// A text was handed to the clipboard: what became of it, if it is not what was said before.
    pub fn copied(&mut self, outcome: Option<Msg>) -> Vec<Effect> {
        let mut effects: Vec<Effect> = outcome.into_iter().flat_map(|msg| update(&mut self.model, msg)).collect();
        self.copies = false;
        effects.extend(self.tell());
        effects
    }

    /// The lines that are to be told.
    pub fn take_lines(&mut self) -> Vec<String> {
        self.told.take()
    }

    /// Whether a line can be answered: nothing is on its way that it would be for.
    pub fn is_ready(&self) -> bool {
        self.model.turn.is_none() && self.model.opening.is_none() && !self.waits_for_list()
    }

    /// Whether the first screen is about to change.
    fn waits_for_list(&self) -> bool {
        self.awaits_sessions && self.model.screen == Screen::Picker && self.model.overlays.is_empty()
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
        let before = (self.told.count(), self.window.is_some() || self.own.is_some());
        let mut effects = match commands::slash(line) {
            Some(Slash::Run(command, argument)) => self.command(command, argument),
            Some(unknown) => crate::app::update::slash(&mut self.model, unknown),
            None => self.words(line),
        };
        self.look_at(&effects, true);
        effects.extend(self.tell());
        self.never_silent(before, effects.is_empty() || is_back(line));
        effects
    }

    /// Ctrl-C: cancels, goes back, or leaves when pressed twice.
    pub fn interrupt(&mut self) -> Vec<Effect> {
        let before = (self.told.count(), self.window.is_some() || self.own.is_some());
        self.own = None;
        let effects = self.hear(Msg::Direct(Direct::Do(Motion::Interrupt)));
        self.never_silent(before, effects.is_empty());
        effects
    }

    /// Every line is answered by a line: where nothing else is told, it says that one talks again.
    fn never_silent(&mut self, (told, in_window): (usize, bool), asks_nothing: bool) {
        let will_tell = self.copies
            || self.awaits && self.window.is_some()
            || self.model.turn.is_some()
            || self.model.opening.is_some()
            || self.model.quitting;
        if self.told.count() > told || will_tell || !self.talks() {
            return;
        }
        let says = &self.model.words.linear;
        if in_window {
            self.told.say(says.note(), says.back_to_talking());
        } else if asks_nothing {
            self.told.say(says.note(), says.nothing_to_close());
        }
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
        let back = is_back(line);
        let Some(window) = windows::top(&self.model, self.own, self.columns) else {
            return if back { self.done([Direct::Do(Motion::Back)]) } else { self.said(line) };
        };
        if self.own.is_some() && (line.trim().is_empty() || back) {
            self.own = None;
            return Vec::new();
        }
        match window.meaning(if back { "" } else { line }) {
            Meaning::Deeds(deeds) => {
                self.answered = true;
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
        if card::is_other(&self.model, &text) {
            self.told.say(self.model.words.linear.note(), self.model.words.card.own_words());
            return Vec::new();
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
        if self.copies {
            return;
        }
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
        if self.waits_for_list() {
            self.window = None;
            return Vec::new();
        }
        let window = windows::top(&self.model, self.own, self.columns);
        let before = std::mem::replace(&mut self.window, window.clone());
        let answered = std::mem::take(&mut self.answered);
        let Some(window) = window else {
            self.lists.clear();
            return Vec::new();
        };
        let lines = window.lines();
        let at = self.lists.iter().position(|(title, _)| *title == window.title && !title.is_empty());
        let known = at.map(|at| self.lists.remove(at).1);
        let is_same = before.as_ref() == Some(&window);
        self.lists.push((window.title.clone(), lines.clone()));
        // What was asked for is told when it has come.
        if is_same && (!answered || self.awaits) {
            return Vec::new();
        }
        let is_on_top = before.as_ref().is_some_and(|before| before.title == window.title);
        let known = known.or_else(|| before.filter(|_| is_on_top && !answered).map(|before| before.lines()));
        if let Some(known) = known {
            self.told.lines(changed(&known, lines, is_on_top));
        } else {
            self.told.gap();
            self.told.lines(lines);
        }
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

/// Whether a line is the word for the key that goes back.
fn is_back(line: &str) -> bool {
    line.trim().eq_ignore_ascii_case(ESC)
}
