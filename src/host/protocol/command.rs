//! What a front end can ask of the host.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::setup::SetupCommand;
use crate::engine::budget::Cap;
use crate::engine::handoff::Handoff;
use crate::store::{Draft, Refiling, Shelf};

/// One thing that a front end wants, by area. All but [`Open`], [`UseModel`](Self::UseModel) and some queries are about
/// the session that this front end has open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Opens a session in place of the one that is open.
    Open(Open),
    /// Talks.
    Turn(TurnCommand),
    /// Changes by hand what is known.
    Edit(Edit),
    /// Reviews the next step on offer.
    Handoff(HandoffCommand),
    /// Helps a background task along.
    Task(TaskCommand),
    /// Changes the session as a whole.
    Session(SessionCommand),
    /// Asks for something to be read; nothing changes, and nothing waits behind a turn.
    Ask(Query),
    /// Has another model answer from now on.
    UseModel(UseModel),
    /// Erases sessions that are not open, at once.
    Delete(Delete),
    /// Sets something up.
    Setup(SetupCommand),
    /// Keeps a session in another way: in the archive, in the trash, under tags.
    File(File),
}

/// The sessions to erase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delete(pub Vec<String>);

/// The session to keep in another way, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub session: String,
    pub change: Refiling,
}

/// Which sessions the first screen lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    pub shelf: Shelf,
    /// Only under this tag.
    pub tag: Option<String>,
    /// Only of the project of this name.
    pub project: Option<String>,
}

/// A command of one area is a command.
macro_rules! areas {
    ($($area:ident($kind:ty)),*) => {
        $(impl From<$kind> for Command {
            fn from(command: $kind) -> Self {
                Self::$area(command)
            }
        })*
    };
}
areas!(
    Open(Open),
    Turn(TurnCommand),
    Edit(Edit),
    Handoff(HandoffCommand),
    Task(TaskCommand),
    Session(SessionCommand),
    Ask(Query),
    UseModel(UseModel),
    Delete(Delete),
    Setup(SetupCommand),
    File(File)
);

/// Which session to open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Open {
    /// A new one of this engine, by name or path.
    Engine(String),
    /// A new one that begins with words of the user, in their language.
    Saying {
        /// The engine, by name or path.
        engine: String,
        /// What will be said first.
        words: String,
    },
    /// An earlier one. The beginning of its id will do.
    Session(String),
    /// A copy of the open one as it stands.
    Fork,
    /// A copy of an earlier course of the open one.
    ForkCourse(u64),
}

/// What can be done with turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnCommand {
    /// Says something.
    Say {
        /// The user's words.
        message: String,
    },
    /// Says something in place of what was said in a turn. That turn and all after it go when the new one is kept.
    SayInstead {
        /// The turn that is replaced.
        turn: u32,
        /// The user's words.
        message: String,
    },
    /// Says something beside the conversation: it is answered, and nothing follows from it.
    Aside {
        /// The user's words.
        message: String,
    },
    /// Has the last message answered again.
    Retry,
    /// Stops the turn under way. The session stays as it was.
    Cancel,
    /// Takes back the last turn.
    Undo,
    /// Takes back so many turns.
    UndoTurns(u32),
    /// Takes back the last change that was made by hand since the last turn.
    UndoChange,
    /// Goes back to the course that was left last: what undo, a changed message or a second try took back.
    Redo,
    /// Goes back to an earlier course; what stands in its place is a course from then on.
    Restore(u64),
}

/// A change of what is known, by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Sets a field.
    Correct {
        /// The field.
        path: String,
        /// Its value.
        value: Value,
    },
    /// Says yes to everything that is noted, as it was shown. Refused where something else is noted by now.
    Confirm {
        /// The fields and their values.
        shown: Vec<(String, Value)>,
    },
    /// Forgets a field.
    Clear {
        /// The field.
        path: String,
    },
    /// Sets an obligation aside.
    Defer {
        /// The obligation.
        obligation: String,
    },
    /// Leaves all questions open but the most valuable ones.
    WrapUp,
    /// Moves to a phase.
    Phase {
        /// The phase.
        phase: String,
    },
}

/// What can be done with the next step on offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffCommand {
    /// Opens the session of the next step, with what is handed over.
    Accept,
    /// Puts an edited handoff in place of the one on offer.
    Edit(Box<Handoff>),
    /// Passes over the step. It is not offered again by itself.
    Decline,
    /// Lets steps that were declined be offered again.
    Reconsider,
}

/// What can be done about background tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskCommand {
    /// Tries a task again.
    Retry(String),
    /// Goes on without a task.
    Skip(String),
    /// Keeps the user's word on what an engine would do.
    DecideTrust {
        /// The digest of what was shown; if something has changed since, the decision is not taken.
        digest: String,
        /// Whether it is allowed.
        trusted: bool,
    },
}

/// What can be changed about a session as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionCommand {
    /// Gives it a title.
    Rename(String),
    /// Keeps what was written but not sent. Never waits behind a turn.
    SaveDraft(Draft),
    /// Takes what the project knows into the context, or leaves it out.
    UseProject(bool),
    /// Lets more be spent.
    RaiseCap {
        /// On what.
        cap: Cap,
        /// How much at most.
        limit: f64,
    },
    /// Takes over the engine's files as they are now, if they are in order.
    ReloadEngine,
    /// Takes over the engine's files whenever they are saved, between two turns.
    WatchEngine,
    /// Writes something to a file.
    Export(Export),
    /// Takes in the answers that somebody else has given on a form.
    ImportAnswers {
        /// The form.
        file: String,
        /// Whose answers they are.
        speaker: String,
    },
}

/// What can be written to a file. Without a name, a sensible one is found; no file is ever overwritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Export {
    /// The brief; the ending of the name says as what.
    Brief(Option<String>),
    /// What was said.
    Transcript(Option<String>),
    /// The open questions as a form for somebody else; the ending of the name says as what.
    Questions(Option<String>),
    /// A scenario that says the session again; without a name it goes beside the engine.
    Scenario(Option<String>),
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    /// Engines and recent sessions.
    Sessions(Listing),
    /// Where these words were said, in all sessions.
    Search(String),
    /// The sessions that the open one came from and led to.
    Journey,
    /// The models that can be used.
    Models,
    /// The figures of turns of the open session, both ends included.
    Figures {
        /// The first.
        from: u32,
        /// The last.
        to: u32,
    },
    /// The earlier courses of the open session.
    Courses,
    /// The brief of the open session as it stands.
    Brief,
    /// The same with what every statement of it rests on.
    ProvenBrief,
    /// What has changed in the brief of the open session.
    BriefChanges(Since),
    /// What is open in the open session, and how it stands in three lines.
    Standing,
    /// What was said in it, to be taken away.
    Transcript,
    /// The open session as it was after a turn.
    AsOf(u32),
    /// An answer as soon as the open session has done all that it was asked before.
    Reached,
    /// An answer as soon as no background task is pending, running or waiting.
    Settled,
}

impl Query {
    /// Whether it is about the open session, so that the answer is of no use once another one is open.
    pub(in crate::host) fn is_of_session(&self) -> bool {
        match self {
            Self::Journey
            | Self::Figures { .. }
            | Self::Courses
            | Self::Brief
            | Self::ProvenBrief
            | Self::BriefChanges(_)
            | Self::Standing
            | Self::Transcript
            | Self::AsOf(_)
            | Self::Settled => true,
            // What was asked before may have led to another session.
            Self::Reached | Self::Sessions(_) | Self::Search(_) | Self::Models => false,
        }
    }
}

/// What a brief is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// Itself, as it was after a turn.
    Turn(u32),
    /// Itself, as it was when a day or a moment began: `2026-11-18`, `2026-11-18T09:30:00Z`.
    Date(String),
    /// The brief of another session. The beginning of its id will do.
    Session(String),
}

/// A model: its name, with the address of its server and a space before it where that is not the configured one; empty
/// for the offline interviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UseModel(pub String);

/// The name by which people call the interviewer without a model; no model may answer to it.
pub const OFFLINE: &str = "offline";
