//! A model to feed: keys as they are written, and a session of a real engine held against a script.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use elenchus::app::keymap::Chord;
use elenchus::app::msg::ChatMsg;
use elenchus::app::{Effect, Model, Msg, Options, update};
use elenchus::catalogue::Catalogue;
use elenchus::engine::figures::TurnFigures;
use elenchus::engine::memory::WorkingMemory;
use elenchus::engine::outline::EngineOutline;
use elenchus::engine::transcript::{Message, Role};
use elenchus::engine::turn::TurnInput;
use elenchus::engine::{Engine, opening, sidebar};
use elenchus::host::protocol::{
    Answer, Draft, EngineChoice, Event, News, RequestId, SessionChoice, Shelves, Snapshot, TurnDone, TurnNews,
};
use elenchus::words::{self, ENGLISH, Language, Words};
use serde_json::Value;

use crate::support::scripted::{ScriptedSession, ScriptedTurn};

thread_local! {
    static SPOKEN: Cell<&'static str> = const { Cell::new(ENGLISH) };
}

/// The language that the apps of this test are started in.
pub fn language() -> &'static Words {
    words::find(SPOKEN.get()).unwrap()
}

/// Does something with apps and sessions in German.
pub fn in_german<T>(work: impl FnOnce() -> T) -> T {
    SPOKEN.set("de");
    let done = work();
    SPOKEN.set(ENGLISH);
    done
}

/// What the sessions of these tests may cost.
const CAP_USD: f64 = 1.0;

/// The app with what was asked of the outside so far.
pub struct App {
    pub model: Model,
}

impl App {
    /// The app on its first screen.
    pub fn at(columns: u16, rows: u16) -> Self {
        Self { model: Model::new(Options { size: (columns, rows), language: language(), ..Options::default() }) }
    }

    /// The app with an open session of project discovery.
    pub fn in_session(columns: u16, rows: u16) -> Self {
        let mut app = Self::at(columns, rows);
        app.send(Msg::host(Event::Opened(Arc::new(opened(&engine("project-discovery"))))));
        app
    }

    /// Sends a message.
    pub fn send(&mut self, msg: Msg) -> Vec<Effect> {
        update(&mut self.model, msg)
    }

    /// Presses keys, written as in a keymap and separated by spaces.
    pub fn press(&mut self, keys: &str) -> Vec<Effect> {
        let events = keys.split_whitespace().map(key);
        events.flat_map(|event| update(&mut self.model, Msg::Key(event))).collect()
    }

    /// Types a text.
    pub fn write(&mut self, text: &str) -> Vec<Effect> {
        let letters = text.chars().map(|c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        letters.flat_map(|event| update(&mut self.model, Msg::Key(event))).collect()
    }

    /// Lets time pass.
    pub fn wait_until(&mut self, seconds: u64) {
        self.send(Msg::Clock(Duration::from_secs(seconds)));
    }

    /// Says something and has it answered.
    pub fn turn(&mut self, message: &str, answer: &str, readings: &[(&str, Value, f64, &str)]) {
        self.write(message);
        self.press("enter");
        self.answer(message, answer, readings);
    }

    /// Has the turn under way answered.
    pub fn answer(&mut self, message: &str, answer: &str, readings: &[(&str, Value, f64, &str)]) {
        let done = self.outcome(message, answer, readings);
        self.send(Msg::host(Event::Turn(TurnNews::Done(Arc::new(done)))));
    }

    /// What a turn would bring, run against a script.
    pub fn outcome(&self, message: &str, answer: &str, readings: &[(&str, Value, f64, &str)]) -> TurnDone {
        let session = self.model.session.as_ref().unwrap();
        let engine = engine(&session.engine.id);
        let mut scripted = ScriptedSession::new(&engine);
        scripted.memory = (*session.memory).clone();
        for entry in &self.model.chat.entries {
            let role = match entry.kind {
                elenchus::app::chat::EntryKind::User => Role::User,
                elenchus::app::chat::EntryKind::Assistant => Role::Assistant,
                elenchus::app::chat::EntryKind::Note
                | elenchus::app::chat::EntryKind::Recap
                | elenchus::app::chat::EntryKind::Aside
                | elenchus::app::chat::EntryKind::AsideAnswer => continue,
            };
            scripted.transcript.push(Message::new(entry.turn, role, &*entry.text));
        }
        scripted.ports.finds(readings);
        scripted.ports.answers(answer);
        let input = TurnInput { cap_usd: Some(CAP_USD), ..TurnInput::saying(message) };
        // The answer is taken to the word: it says itself that it asks nothing.
        scripted.ports.asked = Some(Vec::new());
        let turn = pollster::block_on(scripted.take(input)).unwrap();
        let ScriptedTurn { memory, message, answer, sidebar, figures, .. } = turn;
        TurnDone {
            memory: Arc::new(memory),
            message,
            answer,
            sidebar,
            figures: TurnFigures { calls: Vec::new(), ..figures },
            title: session.title.clone(),
            card: None,
        }
    }

    /// Measures the chat as if every entry took ten rows.
    pub fn measure(&mut self) {
        let len = self.model.shown_len();
        let heights = (0..len).map(|entry| (entry, 10)).collect();
        self.send(Msg::Chat(ChatMsg::Measured { width: 60, len, heights }));
    }

    /// Fills the first screen.
    pub fn list(&mut self) {
        self.send(Msg::host(Event::Answer(listed(sessions(), Shelves::default()))));
    }

    /// The toast that is shown.
    pub fn toast(&self) -> Option<&str> {
        self.model.toasts.shown().map(|toast| toast.text.as_str())
    }
}

/// A key as it is written in a keymap.
pub fn key(text: &str) -> KeyEvent {
    let chord = Chord::parse(text).unwrap_or_else(|| panic!("no key {text}"));
    KeyEvent::new(chord.code, chord.modifiers)
}

/// An engine that comes with the program, read once.
pub fn engine(name: &str) -> Arc<Engine> {
    static READ: LazyLock<Mutex<HashMap<String, Arc<Engine>>>> = LazyLock::new(Mutex::default);
    let mut read = READ.lock().unwrap();
    let load = || Catalogue::open(Path::new("does-not-exist")).unwrap().load(name).unwrap().0.engine.unwrap();
    Arc::clone(read.entry(name.to_owned()).or_insert_with(load))
}

/// A session that has just begun.
pub fn opened(engine: &Arc<Engine>) -> Snapshot {
    let mut memory = WorkingMemory::new(engine.definition());
    let spoken =
        Some(language().code.clone()).filter(|code| code != ENGLISH).map(|code| Language { code, chosen: true });
    let begun = opening::begin(engine, None, spoken.as_ref()).unwrap();
    memory.language = begun.memory.language;
    let first = begun.first;
    Snapshot {
        id: "01".to_owned(),
        title: "Clinic intake app".to_owned(),
        project: None,
        tags: vec!["clinic".to_owned()],
        engine: Arc::new(EngineOutline::of(engine)),
        sidebar: sidebar::build(engine, &memory, Some(CAP_USD)).state,
        card: None,
        memory: Arc::new(memory),
        messages: vec![first],
        draft: Draft::default(),
        trust: None,
        engine_change: None,
        under_way: None,
        may_search: None,
        recap: None,
    }
}

/// Engines for the first screen.
pub fn engines() -> Vec<EngineChoice> {
    let ids = ["project-discovery", "ideation", "exploration"];
    ids.iter()
        .map(|id| {
            let engine = engine(id);
            let definition = engine.definition();
            EngineChoice {
                id: (*id).to_owned(),
                name: definition.name.clone(),
                outcome: definition.outcome.clone(),
                minutes: definition.duration_minutes,
                usual: definition.usual,
            }
        })
        .collect()
}

/// What the host answers for the first screen.
pub fn listed(sessions: Vec<SessionChoice>, shelves: Shelves) -> Answer {
    Answer::Sessions { engines: engines(), sessions, shelves }
}

/// Sessions for the first screen.
pub fn sessions() -> Vec<SessionChoice> {
    let session = |id: &str, title: &str, when: &str, turns, completeness| SessionChoice {
        id: id.to_owned(),
        title: title.to_owned(),
        engine: "Project discovery".to_owned(),
        when: when.to_owned(),
        turns,
        completeness,
        project: None,
        copy: None,
        tags: Vec::new(),
        archived: false,
        days_left: None,
    };
    vec![session("01", "Clinic intake app", "today 09:12", 7, 58), session("02", "Warehouse rota", "yesterday", 12, 91)]
}

/// The answer to what the app has asked for last under a number.
pub fn answering(model: &Model, answer: Answer) -> Msg {
    Msg::Host(News { answers: Some(RequestId(model.requests)), ..Event::Answer(answer).into() })
}
