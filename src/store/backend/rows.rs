//! Rows as they go in and come out: what a record does not say of itself, a row says beside it.

use uuid::Uuid;

use crate::store::{
    Artifact, ArtifactId, BudgetEntry, Digest, Draft, Event, ExtractionEntry, Handoff, HandoffId, MessageRecord,
    PinnedEngine, Project, ProjectId, SessionFilter, SessionId, SessionRecord, TaskId, TaskRow, Trust,
};

/// A session with its place in the log.
pub(crate) struct SessionRow {
    /// The engine's id and version stand in another table: writing the row leaves them alone.
    pub(crate) record: SessionRecord,
    /// The commit whose state is the current one.
    pub(crate) tip: u64,
    /// Bytes of deltas between the last whole state and the tip. Read only: it stands in the row of the tip.
    pub(crate) chain: usize,
    /// The last event of the log, to notice a cut end.
    pub(crate) head_seq: u64,
    pub(crate) head_hash: Digest,
    /// The same, sealed with the log key.
    pub(crate) head_mac: Option<Digest>,
    /// The first event that the log key has sealed.
    pub(crate) keyed_since: Option<u64>,
    /// The process that has a turn under way.
    pub(crate) claimed_by: Option<Uuid>,
}

/// How the body of a commit stands to the state after it.
#[derive(Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Encoding {
    /// It is the state.
    Snapshot,
    /// It turns the state of the parent into it.
    Delta,
}

/// What the row of a commit says of its state.
#[derive(Clone)]
pub(crate) struct Body {
    pub(crate) encoding: Encoding,
    pub(crate) text: String,
}

/// A change of the state.
#[derive(Clone)]
pub(crate) struct CommitRow {
    pub(crate) seq: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) turn: u32,
    pub(crate) engine_hash: Digest,
    pub(crate) phase: String,
    pub(crate) completeness: f64,
    /// The event that took it out of view.
    pub(crate) rewound_by: Option<u64>,
    /// Bytes of deltas since the last whole state.
    pub(crate) chain: usize,
    pub(crate) body: Body,
    /// As text: most readers of a commit do not want it.
    pub(crate) figures: Option<String>,
    pub(crate) checkpoint: Option<CheckpointRow>,
}

/// A state kept on purpose, as what turns the state of its commit into it.
#[derive(Clone)]
pub(crate) struct CheckpointRow {
    pub(crate) turn: u32,
    pub(crate) delta: String,
    pub(crate) context_tokens: u32,
    pub(crate) reason: String,
}

/// Something that belongs to a commit, and its place in it.
#[derive(Clone, Copy)]
pub(crate) struct Part<T> {
    pub(crate) seq: u64,
    pub(crate) ordinal: u32,
    pub(crate) in_view: bool,
    pub(crate) value: T,
}

impl<T> Part<T> {
    /// Puts things into a commit, in view, in the order given.
    pub(crate) fn of(seq: u64, values: impl IntoIterator<Item = T>) -> impl Iterator<Item = Self> {
        (0..).zip(values).map(move |(ordinal, value)| Self { seq, ordinal, in_view: true, value })
    }

    pub(crate) fn as_ref(&self) -> Part<&T> {
        Part { seq: self.seq, ordinal: self.ordinal, in_view: self.in_view, value: &self.value }
    }
}

/// An entry of the extractions log with the engine that made it.
pub(crate) struct ExtractionRow {
    pub(crate) engine_id: String,
    pub(crate) entry: ExtractionEntry,
}

/// A task with the process in which it runs.
pub(crate) struct OwnedTask {
    pub(crate) task: TaskRow,
    pub(crate) owner: Option<Uuid>,
}

/// A row to be written. One that is there already (by its id, or its place) is changed, as far as it may change.
pub(crate) enum Row<'a> {
    Project(&'a Project),
    /// Never changes: it is found by the digest of its files.
    Engine(&'a PinnedEngine),
    NewSession(&'a SessionRow),
    Session(&'a SessionRow),
    /// The current state, whole.
    State(SessionId, &'a str),
    Unsent(SessionId, Unsent, &'a Draft),
    Event(&'a Event),
    Commit(SessionId, &'a CommitRow),
    Message(SessionId, Part<&'a MessageRecord>),
    /// Of an entry that is there, only what took its place may change.
    Extraction(SessionId, Part<&'a ExtractionRow>),
    Handoff(&'a Handoff),
    Task(&'a TaskRow, Option<Uuid>),
    Artifact(&'a Artifact),
    /// A cost, with the commit it belongs to if it belongs to one.
    Cost(Option<u64>, &'a BudgetEntry),
    /// The most that a call may cost, in the name of this process, until it is settled.
    Reserved(Uuid, &'a BudgetEntry),
    Trust(&'a Trust),
    Seal(&'a SealRow),
}

/// Which words that are no part of the conversation yet.
#[derive(Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unsent {
    /// What stands in the composer.
    Draft,
    /// The message whose answer is under way.
    Sent,
}

/// What vouches for a row that no log covers.
pub(crate) struct SealRow {
    pub(crate) kind: Sealed,
    pub(crate) id: Vec<u8>,
    /// The session it goes with when that is deleted.
    pub(crate) session_id: Option<SessionId>,
    pub(crate) hash: Digest,
    pub(crate) mac: Option<Digest>,
}

/// What can be vouched for outside the logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sealed {
    Draft,
    Sent,
    Task,
    Artifact,
    Handoff,
    Trust,
    /// The list of what the log key has sealed.
    Roll,
}

/// What is to be deleted, with all that hangs on it.
pub(crate) enum Gone<'a> {
    Sessions(&'a [SessionId]),
    /// The commits and tasks of a session that this rewind took out of view.
    Rewound(SessionId, u64),
    Unsent(SessionId, Unsent),
    /// What was reserved for a call.
    Reserved(Uuid),
    Seal(Sealed, &'a [u8]),
    /// All decisions about engines, with their seals.
    Decisions,
    /// Engines that neither a session nor a commit is pinned to.
    UnusedEngines,
}

/// Which rows of a session's turns are wanted.
#[derive(Clone, Copy)]
pub(crate) enum Span {
    All,
    /// From one turn to another, both included, without what was rewound.
    InView(u32, u32),
    /// What was rewound.
    OutOfView,
}

impl Span {
    pub(crate) const WHOLE_VIEW: Self = Self::InView(0, u32::MAX);
}

pub(crate) enum Sessions<'a> {
    /// The latest change first.
    Listed(&'a SessionFilter),
    /// Those with ids from one to another, a hundred at most.
    Between(SessionId, SessionId),
}

/// Which tasks are wanted, oldest first.
#[derive(Clone, Copy)]
pub(crate) enum Tasks {
    /// This one, rewound or not: its process may still report to it.
    One(TaskId),
    /// Those of a session that are in view.
    Of(SessionId),
    /// All that are marked as running.
    Running,
    /// All there are, rewound or not.
    All,
}

/// Which artifacts are wanted, oldest first.
#[derive(Clone, Copy)]
pub(crate) enum Artifacts {
    /// This one, taken back or not.
    One(ArtifactId),
    /// Those of a project that are in view.
    Of(ProjectId),
    /// All there are, taken back or not.
    All,
}

/// Which handoffs are wanted, oldest first.
#[derive(Clone, Copy)]
pub(crate) enum Handoffs {
    One(HandoffId),
    Of(ProjectId),
    All,
}

/// Whose costs are added up.
#[derive(Clone, Copy)]
pub(crate) enum Spent {
    By(SessionId),
    On(jiff::civil::Date),
}

/// A cost that no call can have had, as it is written.
pub(crate) struct WildCost {
    pub(crate) key: i64,
    pub(crate) session_id: Option<SessionId>,
    pub(crate) seq: Option<u64>,
    pub(crate) input: i64,
    pub(crate) cached: i64,
    pub(crate) output: i64,
    pub(crate) usd: f64,
}
