//! The trait, method by method: each is one transaction.

use jiff::civil::Date;
use serde_json::Value;

use super::{
    SqliteStore, artifacts, budget, commits, engines, erase, events, fork, handoffs, history, rewind, search, sessions,
    tasks, verify,
};
use crate::engine::figures::TurnFigures;
use crate::store::{
    Artifact, ArtifactHit, ArtifactId, BudgetEntry, BudgetSum, Checkpoint, Committed, Digest, Erasure, Event,
    ExtractionEntry, Handoff, HandoffId, Message, NewSession, PinnedEngine, Project, ProjectId, Report, Resumed,
    RewoundTurn, SearchHit, SearchQuery, Session, SessionFilter, SessionId, Store, StoreError, TaskId, TaskRow, Trust,
    TurnCommit,
};

impl Store for SqliteStore {
    fn ensure_project(&mut self, name: &str) -> Result<Project, StoreError> {
        self.write(|tx, now| sessions::ensure_project(tx, name, now))
    }

    fn projects(&mut self) -> Result<Vec<Project>, StoreError> {
        self.read(sessions::projects)
    }

    fn delete_project(&mut self, id: ProjectId) -> Result<Erasure, StoreError> {
        self.erase(|tx, _| erase::delete_project(tx, id))
    }

    fn create_session(&mut self, new: NewSession) -> Result<Session, StoreError> {
        self.write(|tx, now| sessions::create(tx, &new, now))
    }

    fn session(&mut self, id: SessionId) -> Result<Session, StoreError> {
        self.read(|conn| sessions::get(conn, id))
    }

    fn find_session(&mut self, prefix: &str) -> Result<Session, StoreError> {
        self.read(|conn| sessions::find(conn, prefix))
    }

    fn resume(&mut self, id: SessionId, last_messages: u32) -> Result<Resumed, StoreError> {
        self.read(|conn| sessions::resume(conn, id, last_messages))
    }

    fn list_sessions(&mut self, filter: &SessionFilter) -> Result<Vec<Session>, StoreError> {
        self.read(|conn| sessions::list(conn, filter))
    }

    fn rename_session(&mut self, id: SessionId, title: &str) -> Result<Session, StoreError> {
        self.write(|tx, now| sessions::rename(tx, id, title, now))
    }

    fn save_draft(&mut self, id: SessionId, draft: &str) -> Result<(), StoreError> {
        self.write(|tx, _| sessions::save_draft(tx, id, draft))
    }

    fn set_ended(&mut self, id: SessionId, ended: bool) -> Result<Session, StoreError> {
        self.write(|tx, now| sessions::set_ended(tx, id, ended, now))
    }

    fn delete_sessions(&mut self, ids: &[SessionId]) -> Result<Erasure, StoreError> {
        self.erase(|tx, _| erase::delete_sessions(tx, ids))
    }

    fn pinned_engine(&mut self, hash: Digest) -> Result<PinnedEngine, StoreError> {
        self.read(|conn| engines::get(conn, hash))
    }

    fn migrate_session(
        &mut self,
        id: SessionId,
        expected_revision: u64,
        engine: PinnedEngine,
        state: Value,
    ) -> Result<Session, StoreError> {
        self.write(|tx, now| engines::migrate(tx, id, expected_revision, &engine, &state, now))
    }

    fn trust(&mut self, engine_hash: Digest) -> Result<Option<Trust>, StoreError> {
        self.read(|conn| engines::trust(conn, engine_hash))
    }

    fn set_trust(&mut self, trust: &Trust) -> Result<(), StoreError> {
        self.write(|tx, _| engines::set_trust(tx, trust))
    }

    fn commit(&mut self, commit: TurnCommit) -> Result<Committed, StoreError> {
        let owner = self.instance.id;
        self.write(|tx, now| commits::commit(tx, &commit, owner, now))
    }

    fn messages(&mut self, id: SessionId, from_turn: u32, to_turn: u32) -> Result<Vec<Message>, StoreError> {
        self.read(|conn| history::messages(conn, id, from_turn, to_turn))
    }

    fn extractions(&mut self, id: SessionId) -> Result<Vec<ExtractionEntry>, StoreError> {
        self.read(|conn| history::extractions(conn, id))
    }

    fn extractions_between(
        &mut self,
        id: SessionId,
        from_turn: u32,
        to_turn: u32,
    ) -> Result<Vec<ExtractionEntry>, StoreError> {
        self.read(|conn| history::extractions_between(conn, id, from_turn, to_turn))
    }

    fn state_at(&mut self, id: SessionId, turn: u32) -> Result<Value, StoreError> {
        self.read(|conn| history::state_after(conn, id, history::last_of_turn(conn, id, turn)?))
    }

    fn checkpoints(&mut self, id: SessionId) -> Result<Vec<Checkpoint>, StoreError> {
        self.read(|conn| history::checkpoints(conn, id))
    }

    fn figures(&mut self, id: SessionId, from_turn: u32, to_turn: u32) -> Result<Vec<TurnFigures>, StoreError> {
        self.read(|conn| history::figures(conn, id, from_turn, to_turn))
    }

    fn rewind(&mut self, id: SessionId, expected_revision: u64, turn: u32) -> Result<Session, StoreError> {
        self.write(|tx, now| rewind::rewind(tx, id, expected_revision, turn, now))
    }

    fn replace(&mut self, commit: TurnCommit) -> Result<Committed, StoreError> {
        let owner = self.instance.id;
        self.write(|tx, now| rewind::replace(tx, commit, owner, now))
    }

    fn undo_rewind(&mut self, id: SessionId, expected_revision: u64) -> Result<Session, StoreError> {
        self.write(|tx, now| rewind::undo(tx, id, expected_revision, now))
    }

    fn rewound(&mut self, id: SessionId) -> Result<Vec<RewoundTurn>, StoreError> {
        self.read(|conn| rewind::rewound(conn, id))
    }

    fn erase_rewound(&mut self, id: SessionId) -> Result<Erasure, StoreError> {
        self.erase(|tx, now| erase::delete_rewound(tx, id, now))
    }

    fn fork(&mut self, id: SessionId, turn: u32, new_id: SessionId) -> Result<Session, StoreError> {
        self.write(|tx, now| fork::fork(tx, id, turn, new_id, now))
    }

    fn search(&mut self, query: &SearchQuery) -> Result<Vec<SearchHit>, StoreError> {
        self.read(|conn| search::search(conn, query))
    }

    fn save_handoff(&mut self, handoff: &Handoff) -> Result<(), StoreError> {
        self.write(|tx, now| handoffs::save(tx, handoff, now))
    }

    fn handoff(&mut self, id: HandoffId) -> Result<Handoff, StoreError> {
        self.read(|conn| handoffs::get(conn, id))
    }

    fn handoffs(&mut self, project: ProjectId) -> Result<Vec<Handoff>, StoreError> {
        self.read(|conn| handoffs::of_project(conn, project))
    }

    fn verify_handoff(&mut self, id: HandoffId, verified: bool, verification: &Value) -> Result<(), StoreError> {
        self.write(|tx, _| handoffs::verify(tx, id, verified, verification))
    }

    fn save_task(&mut self, task: &TaskRow) -> Result<(), StoreError> {
        let owner = self.instance.id;
        self.write(|tx, _| tasks::save(tx, task, owner))
    }

    fn task(&mut self, id: TaskId) -> Result<TaskRow, StoreError> {
        self.read(|conn| tasks::get(conn, id))
    }

    fn tasks(&mut self, session: SessionId) -> Result<Vec<TaskRow>, StoreError> {
        self.read(|conn| {
            sessions::get(conn, session)?;
            tasks::of_session(conn, session)
        })
    }

    fn interrupted_tasks(&mut self) -> Result<Vec<TaskRow>, StoreError> {
        self.read(tasks::interrupted)
    }

    fn save_artifact(&mut self, artifact: &Artifact) -> Result<(), StoreError> {
        self.write(|tx, _| artifacts::save(tx, artifact))
    }

    fn artifacts(&mut self, project: ProjectId) -> Result<Vec<Artifact>, StoreError> {
        self.read(|conn| artifacts::of_project(conn, project))
    }

    fn delete_artifact(&mut self, id: ArtifactId) -> Result<Erasure, StoreError> {
        self.erase(|tx, _| erase::delete_artifact(tx, id))
    }

    fn search_artifacts(
        &mut self,
        project: ProjectId,
        words: &str,
        token_budget: u32,
    ) -> Result<Vec<ArtifactHit>, StoreError> {
        self.read(|conn| artifacts::search(conn, project, words, token_budget))
    }

    fn spend(&mut self, entries: &[BudgetEntry]) -> Result<(), StoreError> {
        self.write(|tx, _| budget::add(tx, None, None, entries))
    }

    fn spent_by_session(&mut self, id: SessionId) -> Result<BudgetSum, StoreError> {
        self.read(|conn| budget::of_session(conn, id))
    }

    fn spent_on_day(&mut self, day: Date) -> Result<BudgetSum, StoreError> {
        self.read(|conn| budget::of_day(conn, day))
    }

    fn events(&mut self, id: SessionId) -> Result<Vec<Event>, StoreError> {
        self.read(|conn| {
            sessions::get(conn, id)?;
            events::all(conn, id)
        })
    }

    fn verify(&mut self, id: Option<SessionId>) -> Result<Report, StoreError> {
        let path = self.path.clone();
        let mut report = self.read(|conn| verify::verify(conn, &path, id))?;
        if id.is_none() {
            report.findings.extend(self.write(|tx, _| verify::check_indexes(tx, &path))?);
        }
        Ok(report)
    }
}
