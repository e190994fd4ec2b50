//! Everything the app knows.

use std::collections::BTreeMap;
use std::time::Duration;

use ratatui::layout::Rect;

use super::about::Places;
use super::answer_card::CardState;
use super::brief::Brief;
use super::chat::{Chat, EntryKind};
use super::composer::{Composer, Vim};
use super::draft::Keeping;
use super::hints::Hints;
use super::keymap::{Context, Keymap};
use super::overlay::{Overlay, asked_about};
use super::picker::{Arrival, Picker};
use super::pointer::Pointer;
use super::session::ShownSession;
use super::setup::SetupState;
use super::sidebar::Sidebar;
use super::toasts::Toasts;
use super::turn::RunningTurn;
use crate::engine::figures::TurnFigures;
use crate::host::protocol::{CourseChoice, Endpoint, RequestId};
use crate::words::{self, Words, english};

/// From this width on the sidebar stands beside the chat.
pub const WIDE: u16 = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// The engines and recent sessions.
    #[default]
    Picker,
    Chat,
}

/// Whether the user was asked if they want to leave: the next Ctrl-C is a yes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Leaving {
    #[default]
    NotAsked,
    Asked,
}

/// Which keys reach the program: the help promises no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// The terminal tells Shift-Enter from Enter.
    #[default]
    All,
    /// It may take some for others.
    Usual,
}

/// For whom the sidebar is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// What a designer of engines wants to know is there while the inspector is open.
    #[default]
    Interviewee,
    /// It is always there.
    Designer,
}

/// Which pane of a session the keys go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    #[default]
    Composer,
    Chat,
    Sidebar,
}

/// Everything the app knows.
#[derive(Clone, Debug)]
// Each is about something else; together they are no state that an enum could name.
#[allow(clippy::struct_excessive_bools)]
pub struct Model {
    pub screen: Screen,
    pub focus: Focus,
    /// Columns and rows of the window.
    pub size: (u16, u16),
    /// Since the start of the program.
    pub now: Duration,
    /// Whether the user looks at the window.
    pub focused: bool,
    pub picker: Picker,
    /// What is being opened, for people, and since when.
    pub opening: Option<(String, Duration)>,
    /// What is to happen when the session that is being opened is there.
    pub(crate) arrival: Option<Arrival>,
    pub(crate) leaving: Leaving,
    pub session: Option<ShownSession>,
    pub chat: Chat,
    pub composer: Composer,
    pub keeping: Keeping,
    pub sidebar: Sidebar,
    /// The brief, while it is shown in the place of the sidebar.
    pub brief: Option<Brief>,
    /// The request whose brief is to be copied when it comes.
    pub(crate) copied_brief: Option<RequestId>,
    /// How many requests were numbered.
    pub requests: u64,
    pub turn: Option<RunningTurn>,
    /// How the card of answers to the last question stands.
    pub card: CardState,
    /// Figures of the turns, by number, as far as they are known here; `None` where nothing was kept of a turn.
    pub turns: BTreeMap<u32, Option<TurnFigures>>,
    /// Earlier courses of the session, as they were last listed.
    pub courses: Vec<CourseChoice>,
    /// What lies over the panes, the topmost last.
    pub overlays: Vec<Overlay>,
    pub toasts: Toasts,
    pub endpoint: Endpoint,
    pub setup: SetupState,
    pub hints: Hints,
    pub theme: String,
    pub themes: Vec<String>,
    pub keymap: Keymap,
    pub ascii: bool,
    /// Whether nothing on the screen moves by itself.
    pub still: bool,
    /// Whether the terminal's ground is light; for the theme that follows it.
    pub light: bool,
    pub pointer: Pointer,
    pub keys: Keys,
    /// What the frame says: in the language of the open session, else in the program's.
    pub words: &'static Words,
    /// The language of the program.
    pub language: &'static Words,
    pub view: View,
    pub places: Places,
    /// Whether somebody else is interviewed than who started the program.
    pub guest: bool,
    /// Whether nobody has used the program here before, and that is still to be seen to.
    pub(crate) is_new: bool,
    /// Whether the program is ending.
    pub quitting: bool,
}

/// An entry of the chat pane as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown<'a> {
    pub kind: EntryKind,
    pub text: &'a str,
    /// Whether more of it is on its way.
    pub growing: bool,
}

/// What the app is started with.
#[derive(Clone, Debug)]
// Each is a choice of its own.
#[allow(clippy::struct_excessive_bools)]
pub struct Options {
    /// Columns and rows of the window.
    pub size: (u16, u16),
    pub keymap: Keymap,
    pub theme: String,
    pub themes: Vec<String>,
    pub endpoint: Endpoint,
    pub ascii: bool,
    /// Whether nothing is to move by itself.
    pub still: bool,
    /// Whether the program has the mouse.
    pub mouse: bool,
    /// Whether answers are offered to be chosen.
    pub cards: bool,
    pub keys: Keys,
    /// Whether the composer has modal keys.
    pub vim: bool,
    /// Whether the sidebar is a designer's.
    pub designer: bool,
    pub hints: Hints,
    /// Where things are kept.
    pub places: Places,
    /// Whether somebody else is interviewed than who started the program.
    pub guest: bool,
    /// Whether nobody has used the program here before.
    pub is_new: bool,
    /// The language of the program.
    pub language: &'static Words,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: (80, 24),
            keymap: Keymap::defaults(),
            theme: "dark".to_owned(),
            themes: vec!["dark".to_owned(), "light".to_owned()],
            endpoint: Endpoint { label: "offline interviewer".to_owned(), offline: true, host: String::new() },
            ascii: false,
            still: false,
            mouse: true,
            cards: true,
            keys: Keys::All,
            vim: false,
            designer: false,
            hints: Hints::default(),
            places: Places::default(),
            guest: false,
            is_new: false,
            language: english(),
        }
    }
}

impl Model {
    /// The app before anything has happened.
    pub fn new(options: Options) -> Self {
        let Options {
            size,
            keymap,
            theme,
            themes,
            endpoint,
            ascii,
            still,
            mouse,
            cards,
            keys,
            vim,
            designer,
            hints,
            places,
            guest,
            is_new,
            language,
        } = options;
        let composer = Composer { vim: vim.then(Vim::default), says: &language.composer, ..Composer::default() };
        Self {
            screen: Screen::default(),
            focus: Focus::default(),
            size,
            now: Duration::ZERO,
            focused: true,
            picker: Picker::default(),
            opening: None,
            arrival: None,
            leaving: Leaving::NotAsked,
            session: None,
            chat: Chat::default(),
            composer,
            keeping: Keeping::default(),
            sidebar: Sidebar { design: designer, ..Sidebar::default() },
            brief: None,
            copied_brief: None,
            requests: 0,
            turn: None,
            card: CardState { on: cards, ..CardState::default() },
            turns: BTreeMap::new(),
            courses: Vec::new(),
            overlays: Vec::new(),
            toasts: Toasts::default(),
            endpoint,
            setup: SetupState::default(),
            hints,
            theme,
            themes,
            keymap,
            ascii,
            still,
            light: false,
            pointer: Pointer::new(mouse),
            keys,
            words: language,
            language,
            view: if designer { View::Designer } else { View::Interviewee },
            places,
            guest,
            is_new,
            quitting: false,
        }
    }

    pub fn area(&self) -> Rect {
        Rect::new(0, 0, self.size.0, self.size.1)
    }

    /// The number of the next request.
    pub(crate) fn next_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId(self.requests)
    }

    /// Speaks the language of the session that is shown, where the program has it; else its own.
    pub(crate) fn follow_language(&mut self) {
        let session = self.session.as_ref().filter(|_| self.screen == Screen::Chat);
        let spoken = session.and_then(|session| session.memory.language.current.as_deref());
        if spoken != Some(self.words.code.as_str()) {
            self.words = spoken.and_then(words::find).unwrap_or(self.language);
            self.composer.says = &self.words.composer;
        }
    }

    /// Whether the sidebar stands beside the chat.
    pub(crate) fn is_wide(&self) -> bool {
        self.size.0 >= WIDE
    }

    /// Where a key goes first.
    pub fn context(&self) -> Context {
        match (self.overlays.last(), self.screen, self.focus) {
            (Some(overlay), ..) if overlay.takes_text() => Context::Palette,
            (Some(_), ..) => Context::Overlay,
            (None, Screen::Picker, _) => Context::Picker,
            (None, Screen::Chat, Focus::Composer) => Context::Composer,
            (None, Screen::Chat, Focus::Chat) => Context::Chat,
            (None, Screen::Chat, Focus::Sidebar) => Context::Sidebar,
        }
    }

    /// Whether something on the screen changes with time alone.
    pub fn wants_clock(&self) -> bool {
        let tests = self.overlays.iter().any(Overlay::is_testing);
        tests || self.turn.is_some() || self.opening.is_some() || self.toasts.wants_clock() || self.has_running_task()
    }

    /// When the draft has to be kept, though nothing on the screen changes.
    pub fn draft_due(&self) -> Option<Duration> {
        self.keeping.due()
    }

    /// How many entries the chat pane shows: those that stay, and the turn under way.
    pub fn shown_len(&self) -> usize {
        let under_way = self.turn.as_ref().map_or(0, |turn| 1 + usize::from(!turn.answer.is_empty()));
        self.staying() + under_way
    }

    /// An entry of the chat pane, those of the turn under way last.
    pub fn shown(&self, at: usize) -> Option<Shown<'_>> {
        let staying = self.staying();
        if at < staying {
            let entry = self.chat.entries.get(at)?;
            return Some(Shown { kind: entry.kind, text: &entry.text, growing: false });
        }
        let turn = self.turn.as_ref()?;
        match at - staying {
            0 => Some(match &turn.aside {
                Some(aside) => Shown { kind: EntryKind::Aside, text: aside, growing: false },
                None => Shown { kind: EntryKind::User, text: &turn.message, growing: false },
            }),
            1 if !turn.answer.is_empty() => {
                let kind = if turn.aside.is_some() { EntryKind::AsideAnswer } else { EntryKind::Assistant };
                Some(Shown { kind, text: &turn.answer, growing: true })
            }
            _ => None,
        }
    }

    /// Entries that the turn under way does not take the place of.
    fn staying(&self) -> usize {
        let replaced = self.turn.as_ref().and_then(|turn| turn.replaces);
        let first = replaced.and_then(|turn| self.chat.entries.iter().position(|entry| entry.turn >= turn));
        first.unwrap_or(self.chat.entries.len())
    }

    /// Whether the user is looking at what an engine wants leave for.
    pub(crate) fn is_asked_for_leave(&self) -> bool {
        let session = self.session.as_ref();
        match self.overlays.last() {
            Some(Overlay::Task(card)) => session.is_some_and(|session| asked_about(session, &card.task).is_some()),
            _ => false,
        }
    }

    pub fn has_running_task(&self) -> bool {
        let tasks = self.session.as_ref().map_or(&[][..], |session| &session.sidebar.tasks);
        tasks.iter().any(|task| task.status.is_under_way())
    }
}
