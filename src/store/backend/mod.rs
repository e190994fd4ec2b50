//! What a database must be able to do for the ledger: transactions, rows in and out, search, sums.
//!
//! A backend knows how rows stand in its tables. What they mean (which rows make a turn, what is sealed, what a rewind
//! takes back) is said once, in the ledger, and so is every check.

mod rows;
pub(crate) mod sqlite;

pub(crate) use rows::{
    Artifacts, Body, CheckpointRow, CommitRow, Encoding, ExtractionRow, Gone, Handoffs, OwnedTask, Part, Row, SealRow,
    Sealed, SessionRow, Sessions, Span, Spent, Tasks, Unsent, WildCost,
};

use std::path::Path;

use jiff::Timestamp;
use uuid::Uuid;

use super::query::Wanted;
use super::{
    Artifact, ArtifactHit, BudgetEntry, BudgetSum, Digest, Draft, Erasure, Event, ExtractionId, Filed, LogKey,
    MessageRecord, PinnedEngine, Project, ProjectId, SearchHit, SearchQuery, SessionId, SessionRecord, StoreError,
    Trust,
};

/// What a transaction is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Sees one moment of the database throughout, and waits for no writer.
    Read,
    /// Has the database to itself as far as writing goes, from its very beginning.
    Write,
    /// The same for what is written often and need not outlive a power cut: the disk is not waited for. A killed process
    /// loses nothing of it.
    WriteLightly,
}

/// A database. Rows are read and written inside a transaction; a reading method returns them in the order in which they
/// were made unless it says otherwise.
pub(crate) trait Backend: Send {
    // ---- transactions

    fn begin(&mut self, access: Access) -> Result<(), StoreError>;
    fn commit(&mut self) -> Result<(), StoreError>;
    /// Undoes what an open transaction did; without one there is nothing to do. It cannot fail in a way that matters: a
    /// transaction that was not committed is never kept.
    fn rollback(&mut self);

    // ---- writing

    fn put(&mut self, row: Row<'_>) -> Result<(), StoreError>;
    fn delete(&mut self, gone: Gone<'_>) -> Result<(), StoreError>;
    /// Takes the commits of a session after a turn out of view, with their parts and tasks, in the name of an event.
    fn take_back(&mut self, id: SessionId, turn: u32, by: u64) -> Result<(), StoreError>;
    /// Puts back into view what was taken back in the name of that event.
    fn put_back(&mut self, id: SessionId, by: u64) -> Result<(), StoreError>;
    /// Names an entry as what took the place of all entries of a field in view that nothing has replaced yet.
    fn supersede(&mut self, id: SessionId, field: &str, by: ExtractionId) -> Result<(), StoreError>;

    /// Writes costs that are out of bounds as they are counted, those of a session or all.
    fn bound_costs(&mut self, id: Option<SessionId>) -> Result<(), StoreError>;

    // ---- reading

    fn projects(&mut self) -> Result<Vec<Project>, StoreError>;
    fn engine(&mut self, hash: Digest) -> Result<Option<PinnedEngine>, StoreError>;
    fn trust(&mut self, engine_hash: Digest) -> Result<Option<Trust>, StoreError>;
    fn session(&mut self, id: SessionId) -> Result<Option<SessionRow>, StoreError>;
    fn session_ids(&mut self) -> Result<Vec<SessionId>, StoreError>;
    /// Those of which a rewind has taken something out of view.
    fn sessions_with_rewound(&mut self) -> Result<Vec<SessionId>, StoreError>;
    fn sessions(&mut self, which: Sessions<'_>) -> Result<Vec<SessionRecord>, StoreError>;
    /// What the archive and the trash hold, and the tags in use.
    fn filed(&mut self) -> Result<Filed, StoreError>;
    /// Sessions that were thrown away before a moment, or at any.
    fn trashed(&mut self, before: Option<Timestamp>) -> Result<Vec<SessionId>, StoreError>;
    /// The current state of a session, as it was written.
    fn state(&mut self, id: SessionId) -> Result<Option<String>, StoreError>;
    fn events(&mut self, id: SessionId) -> Result<Vec<Event>, StoreError>;
    fn commits(&mut self, id: SessionId, span: Span) -> Result<Vec<CommitRow>, StoreError>;
    /// The bodies that lead to the state after a commit: the nearest whole state before it, and every delta since.
    fn line(&mut self, id: SessionId, seq: u64) -> Result<Vec<Body>, StoreError>;
    /// At most the last so many messages.
    fn messages(&mut self, id: SessionId, span: Span, last: u32) -> Result<Vec<Part<MessageRecord>>, StoreError>;
    fn extractions(&mut self, id: SessionId, span: Span) -> Result<Vec<Part<ExtractionRow>>, StoreError>;
    /// What the commits of a session cost, each with its commit.
    fn costs(&mut self, id: SessionId) -> Result<Vec<(u64, BudgetEntry)>, StoreError>;
    /// Adds up costs, each within bounds whatever is written there, so that no sum fails.
    fn spent(&mut self, spent: Spent) -> Result<BudgetSum, StoreError>;
    /// Costs that are out of bounds, those of a session or all.
    fn wild_costs(&mut self, id: Option<SessionId>) -> Result<Vec<WildCost>, StoreError>;
    fn handoffs(&mut self, which: Handoffs) -> Result<Vec<super::Handoff>, StoreError>;
    fn tasks(&mut self, which: Tasks) -> Result<Vec<OwnedTask>, StoreError>;
    fn artifacts(&mut self, which: Artifacts) -> Result<Vec<Artifact>, StoreError>;
    fn all_trust(&mut self) -> Result<Vec<Trust>, StoreError>;
    fn unsent(&mut self, id: SessionId, which: Unsent) -> Result<Option<Draft>, StoreError>;
    fn all_unsent(&mut self) -> Result<Vec<(SessionId, Unsent, Draft)>, StoreError>;
    fn seals(&mut self) -> Result<Vec<SealRow>, StoreError>;
    fn seal(&mut self, kind: Sealed, id: &[u8]) -> Result<Option<SealRow>, StoreError>;
    /// The sessions that the log key has sealed, by id, each with the first event it sealed and the last there is.
    fn keyed_sessions(&mut self) -> Result<Vec<(SessionId, u64, u64)>, StoreError>;

    // ---- search, best match first

    fn search(&mut self, wanted: &Wanted, within: &SearchQuery, limit: u32) -> Result<Vec<SearchHit>, StoreError>;
    /// Any of the words will do, and in a title they count four times.
    fn search_artifacts(
        &mut self,
        wanted: &Wanted,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<ArtifactHit>, StoreError>;

    // ---- the database itself

    /// This process, as the owner of what it has under way.
    fn owner(&self) -> Uuid;
    /// Whether the process with that id lives. In doubt it does.
    fn is_alive(&self, owner: Uuid) -> bool;
    /// The key that events are sealed with, as it was handed over at opening.
    fn log_key(&self) -> Option<&LogKey>;
    /// Whether nothing can be written.
    fn is_read_only(&self) -> bool;
    /// Removes the last traces of what was deleted. Outside of a transaction.
    fn wipe(&mut self) -> Erasure;
    /// Removes the traces of drafts that were deleted, as far as that is done quickly. Outside of a transaction.
    fn wipe_drafts(&mut self);
    /// What is damaged in ways that only the database itself can tell, in words. Inside a transaction that may write, if
    /// anything can be written.
    fn check(&mut self) -> Result<Vec<String>, StoreError>;
    /// How many acknowledged changes are known to be lost.
    fn lost_changes(&mut self) -> Result<u64, StoreError>;
    /// Takes the loss as known, so that it is not told again.
    fn forget_lost_changes(&mut self) -> Result<(), StoreError>;
    /// Starts to count changes anew where the count is none that counting can have led to. Says whether it did.
    fn mend_count(&mut self) -> Result<bool, StoreError>;
    /// Refuses a place for a copy that is the database's own, or holds something that is no copy.
    fn check_copy(&self, file: &Path) -> Result<(), StoreError>;
    /// Copies the whole database as it is at one moment into a new file, while others go on writing, and opens the copy
    /// to be read.
    fn copy_to(&mut self, file: &Path) -> Result<Box<dyn Backend>, StoreError>;
    /// Makes the error of a row that holds what no version of this program writes there.
    fn damaged(&self, reason: String) -> StoreError;
}

/// Folds case, for titles and for what is looked for in them. Every backend folds alike.
pub(crate) fn fold(text: &str) -> String {
    text.to_lowercase()
}
