//! What grows around a conversation: background tasks, artifacts, costs; and search in all that was said.

use jiff::civil::Date;
use uuid::Uuid;

use super::checks::check_depth;
use super::{Store, beside, sessions};
use crate::engine::budget::{MOST_TOKENS, MOST_USD};
use crate::engine::memory::TaskStatus;
use crate::store::backend::{Artifacts, Backend, Gone, Row, Spent, Tasks};
use crate::store::query::Wanted;
use crate::store::{
    Artifact, ArtifactHit, BudgetEntry, BudgetSum, ProjectId, SearchHit, SearchQuery, SessionId, StoreError, TaskId,
    TaskRow,
};

const DEFAULT_LIMIT: u32 = 50;
/// How many of the best artifacts are looked at to fill a budget.
const CANDIDATES: u32 = 200;

impl Store {
    /// Keeps a task, new or changed, between turns. A running task belongs to this process from then on.
    pub fn save_task(&mut self, task: &TaskRow) -> Result<(), StoreError> {
        self.write(|db, _| {
            sessions::get(db, task.session_id)?;
            save_task(db, task)
        })
    }

    /// Returns the task, rewound or not.
    pub fn task(&mut self, id: TaskId) -> Result<TaskRow, StoreError> {
        self.read(|db| {
            let found = db.tasks(Tasks::One(id))?.pop();
            found.map(|row| row.task).ok_or_else(|| StoreError::not_found("task", id))
        })
    }

    /// Returns the tasks of a session that no rewind has taken out of view, oldest first.
    pub fn tasks(&mut self, session: SessionId) -> Result<Vec<TaskRow>, StoreError> {
        self.read(|db| {
            sessions::get(db, session)?;
            Ok(db.tasks(Tasks::Of(session))?.into_iter().map(|row| row.task).collect())
        })
    }

    /// Keeps an artifact, new or changed.
    pub fn save_artifact(&mut self, artifact: &Artifact) -> Result<(), StoreError> {
        self.write(|db, _| save_artifact(db, artifact))
    }

    /// Returns the artifacts of a project, oldest first.
    pub fn artifacts(&mut self, project: ProjectId) -> Result<Vec<Artifact>, StoreError> {
        self.read(|db| db.artifacts(Artifacts::Of(project)))
    }

    /// Returns the artifacts that fit the words best and together fit the budget, best first. Any word may match. One
    /// that does not fit is passed over for a smaller one.
    pub fn search_artifacts(
        &mut self,
        project: ProjectId,
        words: &str,
        token_budget: u32,
    ) -> Result<Vec<ArtifactHit>, StoreError> {
        let Some(wanted) = Wanted::read(words) else { return Ok(Vec::new()) };
        let mut hits = self.read(|db| db.search_artifacts(&wanted, project, CANDIDATES))?;
        let mut room = token_budget;
        hits.retain(|hit| {
            let rest = room.checked_sub(hit.artifact.tokens);
            room = rest.unwrap_or(room);
            rest.is_some()
        });
        Ok(hits)
    }

    /// Searches everything said, best match first. Any text is a valid query; one without words finds nothing.
    pub fn search(&mut self, query: &SearchQuery) -> Result<Vec<SearchHit>, StoreError> {
        let Some(wanted) = Wanted::read(&query.text) else { return Ok(Vec::new()) };
        self.read(|db| db.search(&wanted, query, query.limit.unwrap_or(DEFAULT_LIMIT)))
    }

    /// Writes down the most that a call may cost, before it is sent. It counts as spent should this process be killed;
    /// otherwise what the call has really cost takes its place ([`spend`](Self::spend), [`commit`](Self::commit)).
    /// Nothing is written where it does not fit: `fits` is told what its day has cost, without what this process has
    /// reserved, and no other process writes in between.
    pub fn reserve(
        &mut self,
        call: Uuid,
        most: &BudgetEntry,
        fits: impl FnOnce(&BudgetSum) -> bool,
    ) -> Result<(), StoreError> {
        self.write_lightly(|db, _| {
            let today = db.spent(Spent::On(most.day))?;
            if fits(&today) { db.put(Row::Reserved(call, most)) } else { Ok(()) }
        })
    }

    /// Keeps what was spent outside a committed turn, for example by one that was cancelled, in place of what was
    /// reserved for these calls.
    pub fn spend(&mut self, entries: &[BudgetEntry], settled: &[Uuid]) -> Result<(), StoreError> {
        self.write(|db, _| {
            settle(db, settled)?;
            spend(db, None, entries.iter().cloned())
        })
    }

    /// Adds up what a session has cost, rewound turns included.
    pub fn spent_by_session(&mut self, id: SessionId) -> Result<BudgetSum, StoreError> {
        self.read(|db| db.spent(Spent::By(id)))
    }

    /// Adds up what a day has cost, deleted sessions included.
    pub fn spent_on_day(&mut self, day: Date) -> Result<BudgetSum, StoreError> {
        self.read(|db| db.spent(Spent::On(day)))
    }
}

/// Keeps a task of a session that is there. While it runs it belongs to this process.
pub(super) fn save_task(db: &mut dyn Backend, task: &TaskRow) -> Result<(), StoreError> {
    task.record.result.iter().try_for_each(check_depth)?;
    if db.tasks(Tasks::One(task.id))?.iter().any(|known| known.task.session_id != task.session_id) {
        return Err(StoreError::refused(format!("Task {} belongs to another session", task.id)));
    }
    let owner = (task.record.status == TaskStatus::Running).then(|| db.owner());
    db.put(Row::Task(task, owner))?;
    beside::vouch_for_task(db, task.id)
}

/// Keeps an artifact of a project, and of a session if it names one.
pub(super) fn save_artifact(db: &mut dyn Backend, artifact: &Artifact) -> Result<(), StoreError> {
    sessions::check_project(db, artifact.project_id)?;
    if let Some(session) = artifact.session_id {
        sessions::get(db, session)?;
    }
    check_depth(&artifact.meta)?;
    db.put(Row::Artifact(artifact))?;
    beside::vouch_for_artifact(db, artifact.id)
}

/// Forgets what was reserved for calls.
pub(super) fn settle(db: &mut dyn Backend, calls: &[Uuid]) -> Result<(), StoreError> {
    calls.iter().try_for_each(|call| db.delete(Gone::Reserved(*call)))
}

/// Keeps costs, of a commit or of none.
pub(super) fn spend(
    db: &mut dyn Backend,
    seq: Option<u64>,
    entries: impl Iterator<Item = BudgetEntry>,
) -> Result<(), StoreError> {
    for entry in entries {
        if !entry.cost_usd.is_finite() {
            return Err(StoreError::refused("A cost is not a number"));
        }
        let tokens = [entry.input_tokens, entry.cached_tokens, entry.output_tokens];
        if !(0.0..=MOST_USD).contains(&entry.cost_usd) || tokens.iter().any(|count| *count > MOST_TOKENS) {
            return Err(StoreError::refused("A cost is more than any call can have"));
        }
        db.put(Row::Cost(seq, &entry))?;
    }
    Ok(())
}
