//! What the host tells its front ends.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::request::Conclusion;
use super::setup::SetupNews;
use super::view::{
    CourseChoice, EngineChoice, ImportedAnswers, JourneyStop, ModelsFound, ProvenBrief, SearchHit, SessionChoice,
    Shelves, Snapshot, Standing, TrustQuestion,
};
use crate::engine::answer_card::AnswerCard;
use crate::engine::brief_changes::BriefChanges;
use crate::engine::budget::OverBudget;
use crate::engine::figures::TurnFigures;
use crate::engine::memory::{Aside, WorkingMemory};
use crate::engine::outline::EngineOutline;
use crate::engine::reading::Mistyped;
use crate::engine::sidebar::SidebarState;
use crate::engine::step::TraceEntry;
use crate::engine::this_machine::is_this_machine;
use crate::engine::transcript::Message;
use crate::tasks::TaskEvent;
use crate::words::Words;

/// One thing that happened, by area. What is large is shared, so that telling several listeners costs no copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A session is open, or stands differently as a whole: after an undo, or because another process went on with it.
    Opened(Arc<Snapshot>),
    /// A session could not be opened.
    NotOpened(NotOpened),
    /// News of the turn under way.
    Turn(TurnNews),
    /// News of the session.
    Session(SessionNews),
    /// News of a background task.
    Task(TaskEvent),
    /// What was asked for.
    Answer(Answer),
    /// A command that was given under a number has ended so; only the one who gave it is told.
    Concluded(Conclusion),
    /// Another model answers from now on.
    Endpoint(Endpoint),
    /// What came of setting something up.
    Setup(SetupNews),
    /// Something to tell the user.
    Notice(Notice),
}

/// Why a session could not be opened, by what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotOpened {
    /// There is no such engine, or it has errors: choose another, or mend it.
    Engine(String),
    /// The store failed, or has no such session.
    Store(String),
    /// Anything else.
    Other(String),
}

impl NotOpened {
    /// What happened and what to do, for the user.
    pub fn message(&self) -> &str {
        match self {
            Self::Engine(text) | Self::Store(text) | Self::Other(text) => text,
        }
    }
}

/// News of the turn under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnNews {
    /// It has begun.
    Begun {
        /// What the user said.
        message: String,
        /// The turn that it takes the place of, with all after it.
        replaces: Option<u32>,
        /// Whether it is no turn but an aside.
        #[serde(default)]
        aside: bool,
    },
    /// The message is being analysed.
    Reading,
    /// The answer is being written.
    Writing,
    /// Old turns are being summarised.
    Summarising,
    /// The model has called a tool, which does this now.
    Tool(String),
    /// This is what it brought; the answer is written on.
    ToolDone(String),
    /// More of the answer.
    Delta(String),
    /// More of what the model thinks before it answers.
    Reasoning(String),
    /// The call waits for its turn.
    Queued,
    /// A call failed and is tried again.
    Retrying {
        /// Which attempt comes next.
        attempt: u32,
        /// After how long.
        wait_ms: u64,
        /// Why.
        reason: String,
        /// Whether what was shown of the answer no longer counts.
        voids: bool,
    },
    /// The answer was sent back, for these reasons; what was shown of it no longer counts.
    Revising(Vec<String>),
    /// The history was compressed, by this strategy.
    Compressed(String),
    /// A step is done.
    Step(Box<TraceEntry>),
    /// The turn is done and kept.
    Done(Arc<TurnDone>),
    /// An aside was answered and is kept.
    AsideDone(Arc<AsideDone>),
    /// It failed; the session is as it was.
    Failed(TurnFailure),
    /// It was cancelled; the session is as it was.
    Cancelled,
}

/// A turn that was kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnDone {
    /// What the user said, as it was kept.
    pub message: Message,
    /// The answer.
    pub answer: Message,
    /// The memory after it, with what background tasks have done meanwhile.
    pub memory: Arc<WorkingMemory>,
    /// What stands beside the conversation.
    pub sidebar: SidebarState,
    /// What was learned, and why it went as it did.
    pub figures: TurnFigures,
    /// The title of the session now; empty while it has none of its own.
    pub title: String,
    /// What can be chosen in answer to what was asked; none where any words may be the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<AnswerCard>,
}

/// An aside that was answered: beside that nothing is different but what it has cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AsideDone {
    pub aside: Aside,
    /// The memory, with it in it.
    pub memory: Arc<WorkingMemory>,
    /// What stands beside the conversation.
    pub sidebar: SidebarState,
}

/// Why a turn did not happen, by what can be done about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnFailure {
    /// The message cannot be answered: say something else.
    Input(String),
    /// A model could not be reached, or brought nothing: try again, or choose another.
    Endpoint(String),
    /// It could have cost more than is allowed: raise the cap, go on offline, or stop.
    OverBudget(OverBudget),
    /// The model gave no answer: try again.
    EmptyAnswer(String),
    /// Another process is in the middle of a turn of this session, or went on with it: look again, then say it again.
    Elsewhere(String),
    /// What the session holds could not be read, or the turn could not be saved.
    Store(String),
}

impl TurnFailure {
    /// The word that scripts and logs know it by.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Endpoint(_) => "endpoint",
            Self::OverBudget(_) => "over_budget",
            Self::EmptyAnswer(_) => "empty_answer",
            Self::Elsewhere(_) => "elsewhere",
            Self::Store(_) => "store",
        }
    }

    /// What happened and what to do, for the user.
    pub fn message(&self) -> String {
        match self {
            Self::Input(text)
            | Self::Endpoint(text)
            | Self::EmptyAnswer(text)
            | Self::Elsewhere(text)
            | Self::Store(text) => text.clone(),
            Self::OverBudget(reached) => reached.to_string(),
        }
    }
}

/// News of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionNews {
    /// What is known was changed outside a turn.
    Changed {
        /// The memory now.
        memory: Arc<WorkingMemory>,
        /// The sidebar now.
        sidebar: SidebarState,
        /// What can be chosen in answer to the last question, as it stands now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<Box<AnswerCard>>,
        /// What was done, for the user; empty where there is nothing to say.
        note: String,
    },
    /// Its engine was swapped for another version.
    EngineChanged {
        /// The engine now.
        engine: Arc<EngineOutline>,
        /// The memory, brought over to it.
        memory: Arc<WorkingMemory>,
        /// The sidebar now.
        sidebar: SidebarState,
        /// What can be chosen in answer to the last question, as it stands now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<Box<AnswerCard>>,
        /// What is different, for the user.
        note: String,
    },
    /// Its engine was changed, but has errors; the version before goes on.
    EngineFaulty(String),
    /// There is no change by hand that could be taken back alone.
    NoChange,
    /// Something that is to stay in the conversation, though nobody has said it.
    Remark(String),
    /// It has another title.
    Renamed(String),
    /// What its engine would do and waits for the user's word on, or that nothing waits any more.
    Trust(Option<TrustQuestion>),
    /// Its project knows these briefs already.
    Briefs(Vec<String>),
    /// What this front end had typed into a field is no value of it.
    NotCorrected {
        /// The field.
        path: String,
        /// What was typed.
        value: Value,
        /// Why it is none.
        why: Mistyped,
    },
    /// Answers of a form were taken in, as far as they could be.
    Imported(ImportedAnswers),
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The session has done what it was asked before.
    Reached,
    /// Engines and recent sessions.
    Sessions {
        /// The engines.
        engines: Vec<EngineChoice>,
        /// The sessions, newest first.
        sessions: Vec<SessionChoice>,
        /// What else there is to list.
        shelves: Shelves,
    },
    /// Where words were said.
    Search {
        /// The words.
        query: String,
        /// The places.
        hits: Vec<SearchHit>,
    },
    /// The sessions of a journey, in the order in which one led to another.
    Journey(Vec<JourneyStop>),
    /// The models that can be used; told again when more of them are known.
    Models(ModelsFound),
    /// The figures of turns, by number; none for a turn of which nothing was kept.
    Figures(Vec<(u32, Option<TurnFigures>)>),
    /// Earlier courses of the session, the one that was left last first.
    Courses(Vec<CourseChoice>),
    /// The brief, in Markdown.
    Brief(String),
    /// The same with what every statement of it rests on.
    ProvenBrief(Box<ProvenBrief>),
    /// What has changed in it.
    BriefChanges(Box<BriefChanges>),
    /// What is open, and how the session stands in three lines.
    Standing(Box<Standing>),
    /// What was said, in Markdown.
    Transcript(String),
    /// The session as it was.
    AsOf(Arc<Snapshot>),
    /// No background task is pending, running or waiting.
    Settled,
}

/// What answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The model, or the name of the offline interviewer.
    pub label: String,
    /// Whether no model is asked.
    pub offline: bool,
    /// The hosts that words go to, with commas between them; empty where they go nowhere.
    pub host: String,
}

impl Endpoint {
    /// Whether what is said stays on this machine.
    pub fn is_here(&self) -> bool {
        let here = |host: &str| {
            let port = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
            is_this_machine(port.map_or(host, |(name, _)| name))
        };
        self.host.split(", ").all(|host| host.is_empty() || here(host))
    }

    /// What somebody is told who is interviewed at the bidding of another: who reads along, and in which file what they
    /// say is kept.
    pub(crate) fn told_to_guests(&self, file: impl std::fmt::Display, words: &Words) -> String {
        let says = &words.about;
        if self.host.is_empty() { says.guest(file) } else { says.guest_of_model(&self.label, &self.host, file) }
    }
}

/// Something to tell the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// How bad it is.
    pub level: Level,
    /// What to tell.
    pub text: String,
}

impl Notice {
    /// Good to know.
    pub fn info(text: impl Into<String>) -> Event {
        Event::Notice(Self { level: Level::Info, text: text.into() })
    }

    /// Something did not go as it should.
    pub fn warning(text: impl Into<String>) -> Event {
        Event::Notice(Self { level: Level::Warning, text: text.into() })
    }

    /// Something failed.
    pub fn error(error: impl std::fmt::Display) -> Event {
        Event::Notice(Self { level: Level::Error, text: error.to_string() })
    }
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Good to know.
    Info,
    /// Something did not go as it should.
    Warning,
    /// Something failed.
    Error,
}
