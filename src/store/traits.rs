//! What a database must be able to do to keep sessions.

use jiff::civil::Date;
use serde_json::Value;

use super::{
    Artifact, ArtifactHit, ArtifactId, BudgetEntry, BudgetSum, Checkpoint, Committed, Digest, Erasure, Event,
    ExtractionEntry, Handoff, HandoffId, Message, NewSession, PinnedEngine, Project, ProjectId, Report, Resumed,
    RewoundTurn, SearchHit, SearchQuery, Session, SessionFilter, SessionId, StoreError, TaskId, TaskRow, Trust,
    TurnCommit,
};
use crate::engine::figures::TurnFigures;

/// Keeps sessions. Synchronous on purpose: one thread owns it, and [`StoreHandle`](super::StoreHandle) makes it
/// asynchronous for everybody else. Every method that writes does so whole or not at all.
pub trait Store: Send {
    // ---- projects

    /// Returns the project of that name and makes it if there is none.
    fn ensure_project(&mut self, name: &str) -> Result<Project, StoreError>;
    /// Returns all projects by name.
    fn projects(&mut self) -> Result<Vec<Project>, StoreError>;
    /// Erases a project with all its sessions and artifacts.
    fn delete_project(&mut self, id: ProjectId) -> Result<Erasure, StoreError>;

    // ---- sessions

    /// Begins a session at turn 0, keeps its engine, and links its inbound handoff both ways.
    fn create_session(&mut self, new: NewSession) -> Result<Session, StoreError>;
    /// Returns a session.
    fn session(&mut self, id: SessionId) -> Result<Session, StoreError>;
    /// Finds the one session whose id begins with these hexadecimal digits (dashes are ignored).
    fn find_session(&mut self, prefix: &str) -> Result<Session, StoreError>;
    /// Returns what it takes to go on: the session with its draft, the state, the last messages, the tasks.
    fn resume(&mut self, id: SessionId, last_messages: u32) -> Result<Resumed, StoreError>;
    /// Lists sessions, the latest change first.
    fn list_sessions(&mut self, filter: &SessionFilter) -> Result<Vec<Session>, StoreError>;
    /// Gives a session the user's own title.
    fn rename_session(&mut self, id: SessionId, title: &str) -> Result<Session, StoreError>;
    /// Keeps what stands in the composer.
    fn save_draft(&mut self, id: SessionId, draft: &str) -> Result<(), StoreError>;
    /// Ends a session, or takes it up again.
    fn set_ended(&mut self, id: SessionId, ended: bool) -> Result<Session, StoreError>;
    /// Erases sessions: messages, states, checkpoints, handoffs they produced, artifacts made in them, the index and
    /// the log. What forks copied from them, and what they cost, stays.
    fn delete_sessions(&mut self, ids: &[SessionId]) -> Result<Erasure, StoreError>;

    // ---- engines

    /// Returns the engine with that digest, files and all.
    fn pinned_engine(&mut self, hash: Digest) -> Result<PinnedEngine, StoreError>;
    /// Moves a session to another engine version, with the state as that version wants it. Rewinding to a turn before
    /// brings the old version back.
    fn migrate_session(
        &mut self,
        id: SessionId,
        expected_revision: u64,
        engine: PinnedEngine,
        state: Value,
    ) -> Result<Session, StoreError>;
    /// Returns what the user decided about an engine folder.
    fn trust(&mut self, engine_hash: Digest) -> Result<Option<Trust>, StoreError>;
    /// Keeps such a decision.
    fn set_trust(&mut self, trust: &Trust) -> Result<(), StoreError>;

    // ---- turns

    /// Stores a turn, or an amendment, in one transaction.
    fn commit(&mut self, commit: TurnCommit) -> Result<Committed, StoreError>;
    /// Returns what was said from one turn to another, both included.
    fn messages(&mut self, id: SessionId, from_turn: u32, to_turn: u32) -> Result<Vec<Message>, StoreError>;
    /// Returns the extractions log.
    fn extractions(&mut self, id: SessionId) -> Result<Vec<ExtractionEntry>, StoreError>;
    /// Returns the entries of that log from one turn to another, both included, without what took their place.
    fn extractions_between(
        &mut self,
        id: SessionId,
        from_turn: u32,
        to_turn: u32,
    ) -> Result<Vec<ExtractionEntry>, StoreError>;
    /// Returns the state as it was after a turn and its amendments.
    fn state_at(&mut self, id: SessionId, turn: u32) -> Result<Value, StoreError>;
    /// Returns the states kept on purpose.
    fn checkpoints(&mut self, id: SessionId) -> Result<Vec<Checkpoint>, StoreError>;
    /// Returns the figures of turns from one to another, both included.
    fn figures(&mut self, id: SessionId, from_turn: u32, to_turn: u32) -> Result<Vec<TurnFigures>, StoreError>;

    // ---- changing one's mind

    /// Takes back every turn after this one: state, engine, phase and all. The turns go out of view and out of the
    /// search, but are kept until [`undo_rewind`](Self::undo_rewind), [`erase_rewound`](Self::erase_rewound) or
    /// deletion; the log records the rewind. What they cost stays spent.
    fn rewind(&mut self, id: SessionId, expected_revision: u64, turn: u32) -> Result<Session, StoreError>;
    /// Puts back what the last rewind took, as long as nothing was committed since.
    fn undo_rewind(&mut self, id: SessionId, expected_revision: u64) -> Result<Session, StoreError>;
    /// Stores a turn in place of every turn after the one that the caller started from: [`rewind`](Self::rewind) and
    /// [`commit`](Self::commit) in one transaction.
    fn replace(&mut self, commit: TurnCommit) -> Result<Committed, StoreError>;
    /// Returns what rewinds took out of view.
    fn rewound(&mut self, id: SessionId) -> Result<Vec<RewoundTurn>, StoreError>;
    /// Erases what rewinds took out of view. The log keeps digests and numbers of it only.
    fn erase_rewound(&mut self, id: SessionId) -> Result<Erasure, StoreError>;
    /// Makes a new session that is this one up to a turn, and can be rewound like it.
    fn fork(&mut self, id: SessionId, turn: u32, new_id: SessionId) -> Result<Session, StoreError>;

    // ---- search

    /// Searches everything said, best match first. Any text is a valid query; one without words finds nothing.
    fn search(&mut self, query: &SearchQuery) -> Result<Vec<SearchHit>, StoreError>;

    // ---- handoffs

    /// Keeps a handoff that a session produced, and names it in that session.
    fn save_handoff(&mut self, handoff: &Handoff) -> Result<(), StoreError>;
    /// Returns a handoff.
    fn handoff(&mut self, id: HandoffId) -> Result<Handoff, StoreError>;
    /// Returns the handoffs of a project, oldest first.
    fn handoffs(&mut self, project: ProjectId) -> Result<Vec<Handoff>, StoreError>;
    /// Keeps how well the receiver understood a handoff.
    fn verify_handoff(&mut self, id: HandoffId, verified: bool, verification: &Value) -> Result<(), StoreError>;

    // ---- background tasks

    /// Keeps a task, new or changed, between turns. A running task belongs to this process from then on.
    fn save_task(&mut self, task: &TaskRow) -> Result<(), StoreError>;
    /// Returns the task.
    fn task(&mut self, id: TaskId) -> Result<TaskRow, StoreError>;
    /// Returns the tasks of a session, oldest first.
    fn tasks(&mut self, session: SessionId) -> Result<Vec<TaskRow>, StoreError>;
    /// Returns the tasks whose process died while they ran, of all sessions.
    fn interrupted_tasks(&mut self) -> Result<Vec<TaskRow>, StoreError>;

    // ---- artifacts

    /// Keeps an artifact, new or changed.
    fn save_artifact(&mut self, artifact: &Artifact) -> Result<(), StoreError>;
    /// Returns the artifacts of a project, oldest first.
    fn artifacts(&mut self, project: ProjectId) -> Result<Vec<Artifact>, StoreError>;
    /// Erases an artifact.
    fn delete_artifact(&mut self, id: ArtifactId) -> Result<Erasure, StoreError>;
    /// Returns the artifacts that fit the words best and together fit the budget, best first. Any word may match.
    fn search_artifacts(
        &mut self,
        project: ProjectId,
        words: &str,
        token_budget: u32,
    ) -> Result<Vec<ArtifactHit>, StoreError>;

    // ---- budget

    /// Keeps what was spent outside a committed turn, for example by one that was cancelled.
    fn spend(&mut self, entries: &[BudgetEntry]) -> Result<(), StoreError>;
    /// Adds up what a session has cost, rewound turns included.
    fn spent_by_session(&mut self, id: SessionId) -> Result<BudgetSum, StoreError>;
    /// Adds up what a day has cost, deleted sessions included.
    fn spent_on_day(&mut self, day: Date) -> Result<BudgetSum, StoreError>;

    // ---- the log

    /// Returns the event log of a session.
    fn events(&mut self, id: SessionId) -> Result<Vec<Event>, StoreError>;
    /// Checks one session, or everything: the chain, the references, and every state and word against the log. Returns
    /// all that does not fit. It shows changes made after the fact, short of rewriting the whole log with all that
    /// hangs on it: against that, keep [`Committed::head`] elsewhere.
    fn verify(&mut self, id: Option<SessionId>) -> Result<Report, StoreError>;
}
