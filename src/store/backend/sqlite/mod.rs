//! The embedded database: SQLite, one connection, one file.

mod columns;
mod copies;
mod costs;
mod erase;
mod faults;
mod files;
mod fts;
mod head;
mod instance;
mod integrity;
mod open;
mod put;
mod seals;
mod search;
mod sessions;
mod turns;
mod unsent;
mod view;
mod work;

pub use copies::{Restored, restore_sqlite};
pub use files::set_aside;
pub use open::SqliteOptions;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::Connection;
use uuid::Uuid;

use super::{
    Access, Artifacts, Backend, Body, CommitRow, ExtractionRow, Gone, Handoffs, OwnedTask, Part, Row, SealRow, Sealed,
    SessionRow, Sessions, Span, Spent, Tasks, Unsent, WildCost,
};
use crate::store::query::Wanted;
use crate::store::{
    Artifact, ArtifactHit, BudgetEntry, BudgetSum, Digest, Draft, Erasure, Event, ExtractionId, Filed, Handoff, LogKey,
    MessageRecord, PinnedEngine, Project, ProjectId, SearchHit, SearchQuery, SessionId, SessionRecord, StoreError,
    Trust,
};

/// The version of SQLite that is part of the program.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

pub(crate) struct SqliteBackend {
    conn: Connection,
    path: PathBuf,
    /// None where nothing can be written: then nothing is under way either.
    instance: Option<instance::Instance>,
    head: head::Head,
    log_key: Option<LogKey>,
    /// What the open transaction is for.
    access: Access,
}

impl SqliteBackend {
    /// Says what SQLite reports with the path of the database.
    fn sql<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(&self.conn).map_err(|error| faults::of_sqlite(&error, &self.path))
    }
}

impl Backend for SqliteBackend {
    /// A writer takes the lock at the start: a transaction that began by reading could fail halfway because another
    /// process wrote meanwhile.
    fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        if access != Access::Read && self.instance.is_none() {
            return Err(StoreError::ReadOnly { path: self.path.clone() });
        }
        let light = access == Access::WriteLightly;
        if light != (self.access == Access::WriteLightly) {
            self.sql(|conn| conn.pragma_update(None, "synchronous", if light { "NORMAL" } else { "FULL" }))?;
        }
        self.access = access;
        let begin = if access == Access::Read { "BEGIN" } else { "BEGIN IMMEDIATE" };
        self.sql(|conn| conn.prepare_cached(begin)?.execute([]).map(drop))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let count = if self.access == Access::Write { Some(self.sql(head::count_up)?) } else { None };
        self.sql(|conn| conn.prepare_cached("COMMIT")?.execute([]).map(drop))?;
        if let Some(count) = count {
            self.head.write(count);
        }
        Ok(())
    }

    fn rollback(&mut self) {
        // Some failures end the transaction by themselves.
        if !self.conn.is_autocommit() {
            let _ = self.conn.execute_batch("ROLLBACK");
        }
    }

    fn put(&mut self, row: Row<'_>) -> Result<(), StoreError> {
        let owner = self.owner();
        self.sql(|conn| put::put(conn, &row, owner))
    }

    fn delete(&mut self, gone: Gone<'_>) -> Result<(), StoreError> {
        self.sql(|conn| erase::delete(conn, &gone))
    }

    fn take_back(&mut self, id: SessionId, turn: u32, by: u64) -> Result<(), StoreError> {
        self.sql(|conn| view::take_back(conn, id, turn, by))
    }

    fn put_back(&mut self, id: SessionId, by: u64) -> Result<(), StoreError> {
        self.sql(|conn| view::put_back(conn, id, by))
    }

    fn supersede(&mut self, id: SessionId, field: &str, by: ExtractionId) -> Result<(), StoreError> {
        self.sql(|conn| view::supersede(conn, id, field, by))
    }

    fn projects(&mut self) -> Result<Vec<Project>, StoreError> {
        self.sql(work::projects)
    }

    fn engine(&mut self, hash: Digest) -> Result<Option<PinnedEngine>, StoreError> {
        self.sql(|conn| work::engine(conn, hash))
    }

    fn trust(&mut self, engine_hash: Digest) -> Result<Option<Trust>, StoreError> {
        self.sql(|conn| work::trust(conn, engine_hash))
    }

    fn session(&mut self, id: SessionId) -> Result<Option<SessionRow>, StoreError> {
        self.sql(|conn| sessions::one(conn, id))
    }

    fn session_ids(&mut self) -> Result<Vec<SessionId>, StoreError> {
        self.sql(sessions::ids)
    }

    fn sessions_with_rewound(&mut self) -> Result<Vec<SessionId>, StoreError> {
        self.sql(sessions::with_rewound)
    }

    fn sessions(&mut self, which: Sessions<'_>) -> Result<Vec<SessionRecord>, StoreError> {
        self.sql(|conn| sessions::some(conn, &which))
    }

    fn filed(&mut self) -> Result<Filed, StoreError> {
        self.sql(sessions::filed)
    }

    fn trashed(&mut self, before: Option<Timestamp>) -> Result<Vec<SessionId>, StoreError> {
        self.sql(|conn| sessions::trashed(conn, before))
    }

    fn state(&mut self, id: SessionId) -> Result<Option<String>, StoreError> {
        self.sql(|conn| sessions::state(conn, id))
    }

    fn events(&mut self, id: SessionId) -> Result<Vec<Event>, StoreError> {
        self.sql(|conn| turns::events(conn, id))
    }

    fn commits(&mut self, id: SessionId, span: Span) -> Result<Vec<CommitRow>, StoreError> {
        self.sql(|conn| turns::commits(conn, id, span))
    }

    fn line(&mut self, id: SessionId, seq: u64) -> Result<Vec<Body>, StoreError> {
        self.sql(|conn| turns::line(conn, id, seq))
    }

    fn messages(&mut self, id: SessionId, span: Span, last: u32) -> Result<Vec<Part<MessageRecord>>, StoreError> {
        self.sql(|conn| turns::messages(conn, id, span, last))
    }

    fn extractions(&mut self, id: SessionId, span: Span) -> Result<Vec<Part<ExtractionRow>>, StoreError> {
        self.sql(|conn| turns::extractions(conn, id, span))
    }

    fn costs(&mut self, id: SessionId) -> Result<Vec<(u64, BudgetEntry)>, StoreError> {
        self.sql(|conn| costs::of_commits(conn, id))
    }

    fn spent(&mut self, spent: Spent) -> Result<BudgetSum, StoreError> {
        let owner = self.owner();
        self.sql(|conn| costs::spent(conn, spent, owner))
    }

    fn wild_costs(&mut self, id: Option<SessionId>) -> Result<Vec<WildCost>, StoreError> {
        self.sql(|conn| costs::wild(conn, id))
    }

    fn bound_costs(&mut self, id: Option<SessionId>) -> Result<(), StoreError> {
        self.sql(|conn| costs::bound(conn, id))
    }

    fn handoffs(&mut self, which: Handoffs) -> Result<Vec<Handoff>, StoreError> {
        self.sql(|conn| work::handoffs(conn, which))
    }

    fn tasks(&mut self, which: Tasks) -> Result<Vec<OwnedTask>, StoreError> {
        self.sql(|conn| work::tasks(conn, which))
    }

    fn artifacts(&mut self, which: Artifacts) -> Result<Vec<Artifact>, StoreError> {
        self.sql(|conn| work::artifacts(conn, which))
    }

    fn all_trust(&mut self) -> Result<Vec<Trust>, StoreError> {
        self.sql(work::all_trust)
    }

    fn unsent(&mut self, id: SessionId, which: Unsent) -> Result<Option<Draft>, StoreError> {
        self.sql(|conn| unsent::one(conn, id, which))
    }

    fn all_unsent(&mut self) -> Result<Vec<(SessionId, Unsent, Draft)>, StoreError> {
        self.sql(unsent::all)
    }

    fn seals(&mut self) -> Result<Vec<SealRow>, StoreError> {
        self.sql(seals::all)
    }

    fn seal(&mut self, kind: Sealed, id: &[u8]) -> Result<Option<SealRow>, StoreError> {
        self.sql(|conn| seals::one(conn, kind, id))
    }

    fn keyed_sessions(&mut self) -> Result<Vec<(SessionId, u64, u64)>, StoreError> {
        self.sql(sessions::keyed)
    }

    fn search(&mut self, wanted: &Wanted, within: &SearchQuery, limit: u32) -> Result<Vec<SearchHit>, StoreError> {
        let text = if within.any { fts::any(wanted) } else { fts::all(wanted) };
        self.sql(|conn| search::said(conn, &text, within, limit))
    }

    fn search_artifacts(
        &mut self,
        wanted: &Wanted,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<ArtifactHit>, StoreError> {
        self.sql(|conn| search::artifacts(conn, &fts::any(wanted), project, limit))
    }

    fn owner(&self) -> Uuid {
        self.instance.as_ref().map_or(Uuid::nil(), |instance| instance.id)
    }

    fn is_alive(&self, owner: Uuid) -> bool {
        instance::is_alive(&self.path, owner)
    }

    fn log_key(&self) -> Option<&LogKey> {
        self.log_key.as_ref()
    }

    fn is_read_only(&self) -> bool {
        self.instance.is_none()
    }

    fn wipe(&mut self) -> Erasure {
        erase::wipe(&self.conn)
    }

    fn wipe_drafts(&mut self) {
        // Another process may be reading; then the words go when the log is emptied next.
        let _ = erase::empty_log(&self.conn);
    }

    fn check(&mut self) -> Result<Vec<String>, StoreError> {
        integrity::check(&self.conn, &self.path, !self.is_read_only())
    }

    fn lost_changes(&mut self) -> Result<u64, StoreError> {
        let lost = head::lost(&self.conn, &mut self.head);
        lost.map_err(|error| faults::of_sqlite(&error, &self.path))
    }

    fn forget_lost_changes(&mut self) -> Result<(), StoreError> {
        self.sql(head::forget)
    }

    fn mend_count(&mut self) -> Result<bool, StoreError> {
        self.sql(head::mend)
    }

    fn check_copy(&self, file: &Path) -> Result<(), StoreError> {
        copies::check_target(&self.path, file)
    }

    fn copy_to(&mut self, file: &Path) -> Result<Box<dyn Backend>, StoreError> {
        copies::copy(&self.conn, file)?;
        let options = SqliteOptions { log_key: self.log_key.clone(), ..SqliteOptions::default() };
        Ok(Box::new(Self::open_to_read(file, &options)?))
    }

    fn damaged(&self, reason: String) -> StoreError {
        StoreError::Corrupt { path: self.path.clone(), reason }
    }
}
