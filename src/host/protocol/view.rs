//! Sessions, engines and lists as front ends see them: plain data, without anything that only the host can use.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::engine::config::Kind;
use crate::engine::memory::WorkingMemory;
use crate::engine::sidebar::SidebarState;
use crate::engine::step::TraceEntry;
use crate::engine::transcript::Message;

/// A session as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Its id.
    pub id: String,
    /// Its title; empty while it has none of its own.
    pub title: String,
    /// Its project, if it belongs to a named one.
    pub project: Option<String>,
    /// Its engine.
    pub engine: Arc<EngineView>,
    /// Its memory.
    pub memory: Arc<WorkingMemory>,
    /// What stands beside the conversation.
    pub sidebar: SidebarState,
    /// What was said, the opening first.
    pub messages: Vec<Message>,
    /// What was written but not sent.
    pub draft: String,
    /// What its engine would do and waits for the user's word on.
    pub trust: Option<TrustQuestion>,
    /// How its engine differs from the one of that name now, if it does.
    pub engine_change: Option<EngineChange>,
    /// The turn under way, for a front end that joins in the middle of one.
    pub under_way: Option<TurnUnderWay>,
}

/// A turn under way, as far as it has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnUnderWay {
    /// What the user said.
    pub message: String,
    /// The turn that it takes the place of.
    pub replaces: Option<u32>,
    /// The answer so far.
    pub answer: String,
    /// What the steps so far did.
    pub trace: Vec<TraceEntry>,
}

/// How the engine of a session differs from the one of that name now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineChange {
    /// The version the session is pinned to.
    pub pinned_version: String,
    /// The version there is now.
    pub current_version: String,
    /// What is different, in words.
    pub differences: Vec<String>,
}

/// An engine, as far as people see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineView {
    /// Its id.
    pub id: String,
    /// What people read.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its phases, as the file has them.
    pub phases: Vec<PhaseView>,
    /// Its obligations.
    pub obligations: Vec<ObligationView>,
    /// Its fields.
    pub fields: Vec<FieldView>,
    /// Its background tasks.
    pub tasks: Vec<TaskView>,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseView {
    /// Its id.
    pub id: String,
    /// What people read.
    pub name: String,
}

/// An obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObligationView {
    /// Its id.
    pub id: String,
    /// A few words for it.
    pub label: String,
    /// How it is asked for.
    pub question: String,
    /// The fields it is about.
    pub fields: Vec<String>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldView {
    /// Its path.
    pub path: String,
    /// What people read.
    pub name: String,
    /// What kind of value it holds.
    pub kind: Kind,
}

/// A background task as the engine declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskView {
    /// Its id.
    pub id: String,
    /// What people read.
    pub name: String,
}

impl EngineView {
    /// What people see of an engine.
    pub fn of(engine: &Engine) -> Self {
        let definition = engine.definition();
        let phases = definition.phases.iter();
        let obligations = definition.obligations.iter().map(|obligation| ObligationView {
            id: obligation.id.to_string(),
            label: obligation.label.clone(),
            question: obligation.question.clone(),
            fields: engine.fields_of(&obligation.id).to_vec(),
        });
        let fields = definition.fields.iter().map(|field| FieldView {
            path: field.path.to_string(),
            name: field.name.clone(),
            kind: field.shape.r#type,
        });
        let tasks = definition.background_tasks.iter();
        Self {
            id: definition.id.to_string(),
            name: definition.name.clone(),
            version: definition.version.value.clone(),
            phases: phases.map(|phase| PhaseView { id: phase.id.to_string(), name: phase.name.clone() }).collect(),
            obligations: obligations.collect(),
            fields: fields.collect(),
            tasks: tasks.map(|task| TaskView { id: task.id.to_string(), name: task.name.clone() }).collect(),
        }
    }

    /// The phase of that id.
    pub fn phase(&self, id: &str) -> Option<&PhaseView> {
        self.phases.iter().find(|phase| phase.id == id)
    }

    /// The obligation of that id.
    pub fn obligation(&self, id: &str) -> Option<&ObligationView> {
        self.obligations.iter().find(|obligation| obligation.id == id)
    }

    /// The field of that path.
    pub fn field(&self, path: &str) -> Option<&FieldView> {
        self.fields.iter().find(|field| field.path == path)
    }
}

/// What an engine from outside the binary would do, and waits for the user's word on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustQuestion {
    /// What a decision is remembered by.
    pub digest: String,
    /// Where the engine comes from.
    pub origin: String,
    /// Every program and address, exactly.
    pub acts: Vec<TrustedAct>,
}

/// Something that an engine would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedAct {
    /// What exactly, on one line.
    pub words: String,
    /// The tasks it is done for, by name.
    pub tasks: Vec<String>,
}

/// An engine to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// A place where something was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice {
    /// How it is named in [`Command::UseModel`](super::Command::UseModel).
    pub id: String,
    /// What people read.
    pub label: String,
    /// Where it runs, what it costs.
    pub detail: String,
}
