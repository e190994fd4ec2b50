//! What can happen to the app, by area.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyEvent, MouseEvent};
use serde_json::Value;

use super::overlay::TrustQuestion;
use super::session::{OpenedSession, TurnDone};
use crate::engine::Engine;
use crate::engine::budget::OverBudget;
use crate::engine::memory::WorkingMemory;
use crate::engine::step::TraceEntry;
use crate::tasks::TaskEvent;

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse was used.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The window has another size.
    Resize(u16, u16),
    /// The window got or lost the focus.
    Focus(bool),
    /// Time went on; since the start of the program.
    Clock(Duration),
    /// News for the first screen.
    Picker(PickerMsg),
    /// News of the session.
    Session(SessionMsg),
    /// News of the turn under way.
    Turn(TurnMsg),
    /// News of a background task.
    Task(TaskEvent),
    /// News of the chat pane's geometry.
    Chat(ChatMsg),
    /// Something to tell the user.
    Toast(ToastMsg),
    /// Answers for overlays.
    Overlay(OverlayMsg),
    /// The editor was closed, with this text; `None` where it failed or was left without saving.
    Edited(Option<String>),
}

/// News for the first screen.
#[derive(Clone, Debug)]
pub enum PickerMsg {
    /// Engines and recent sessions.
    Listed {
        /// The engines.
        engines: Vec<EngineChoice>,
        /// The sessions, newest first.
        sessions: Vec<SessionChoice>,
    },
    /// What answers from now on.
    Endpoint(Endpoint),
}

/// An engine to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// Name or path.
    pub id: String,
    /// What people read.
    pub name: String,
    /// What the user leaves with.
    pub outcome: String,
    /// About how long it takes.
    pub minutes: u32,
}

/// A session to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionChoice {
    /// The session.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The name of its engine.
    pub engine: String,
    /// When it was last used, for people.
    pub when: String,
    /// Its turns.
    pub turns: u32,
    /// Its completeness in per cent.
    pub completeness: u32,
}

/// What answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The model, or the name of the offline interviewer.
    pub label: String,
    /// Whether no model is asked.
    pub offline: bool,
}

/// News of the session.
#[derive(Clone, Debug)]
pub enum SessionMsg {
    /// A session was opened, or is another after an undo.
    Opened(Box<OpenedSession>),
    /// Its memory was changed by hand.
    Edited {
        /// The memory now.
        memory: Box<WorkingMemory>,
        /// What was done, for the user.
        note: String,
    },
    /// Its engine was swapped for another version.
    EngineChanged {
        /// The engine now.
        engine: Arc<Engine>,
        /// The memory, brought over to it.
        memory: Box<WorkingMemory>,
        /// What is different, for the user.
        note: String,
    },
    /// Its engine was changed, but has errors; the version before goes on.
    EngineFaulty(String),
    /// It has another title.
    Renamed(String),
    /// It may cost so much from now on.
    Cap(Option<f64>),
    /// What its engine would do and waits for the user's word on, or that nothing waits any more.
    Trust(Option<TrustQuestion>),
    /// Opening failed.
    Failed(String),
}

/// News of the turn under way.
#[derive(Clone, Debug)]
pub enum TurnMsg {
    /// A step is done.
    Step(Box<TraceEntry>),
    /// More of the answer.
    Delta(String),
    /// The history was compressed, by this strategy.
    Compressed(String),
    /// The answer was sent back; what was shown of it no longer counts.
    Revising,
    /// It is done.
    Done(Box<TurnDone>),
    /// It failed; the session is as it was.
    Failed(String),
    /// It would have cost more than is allowed; the session is as it was.
    OverBudget(OverBudget),
    /// It was cancelled; the session is as it was.
    Cancelled,
}

/// News of the chat pane's geometry, from whoever lays out its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatMsg {
    /// The rows of some entries; the others are as they were.
    Measured {
        /// The columns they were laid out for.
        width: u16,
        /// How many entries there are.
        len: usize,
        /// Entries and their rows, the empty row after each included.
        heights: Vec<(usize, usize)>,
    },
    /// Where the words to be shown stand.
    Located {
        /// The entry.
        entry: usize,
        /// The row in it.
        row: usize,
    },
    /// Colours of code were found: nothing is different but how it looks.
    Coloured,
}

/// Something to tell the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToastMsg {
    /// Good to know; goes away by itself.
    Info(String),
    /// Something did not go as it should; stays until read.
    Warning(String),
    /// Something failed; stays until read.
    Error(String),
}

/// Answers for overlays.
#[derive(Clone, Debug)]
pub enum OverlayMsg {
    /// What a search found.
    Found {
        /// The words it was for.
        query: String,
        /// The places.
        hits: Vec<SearchHit>,
    },
    /// Briefs that the project of a new session has already.
    Briefs(Vec<String>),
    /// The models there are.
    Models(Vec<ModelChoice>),
    /// The sessions of a journey, in the order in which one led to another.
    Journey(Vec<JourneyStop>),
    /// The figures of turns, by number.
    Telemetry(Vec<(u32, Value)>),
}

/// A place where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The session.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The turn.
    pub turn: u32,
    /// The words around it.
    pub excerpt: String,
}

/// A session on a journey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JourneyStop {
    /// The session.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Its engine, how complete it is, what was handed over.
    pub detail: String,
    /// How many handoffs led to it.
    pub depth: usize,
}

/// A model to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// How it is named to the edge.
    pub id: String,
    /// What people read.
    pub label: String,
    /// Where it runs, what it costs.
    pub detail: String,
}
