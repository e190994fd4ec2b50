//! The background tasks of a session, as its front ends need them.

use std::sync::Arc;

use tokio::sync::broadcast;

use super::session::{Keeping, Session, unreadable};
use super::{HostError, artifacts};
use crate::engine::memory::{TaskRecord, WorkingMemory};
use crate::engine::ports::PersistError;
use crate::engine::turn::Artifact;
use crate::llm::Models;
use crate::tasks::{TaskEvent, TrustRequest};

impl Session {
    /// Takes up what an earlier process left undone. A turn does so by itself; a front end that shows a session does so
    /// when it opens it.
    pub async fn resume_tasks(&self) -> Result<(), HostError> {
        self.tasks_resumed().await
    }

    /// The same, borrowing nothing of the session.
    pub(super) fn tasks_resumed(&self) -> impl Future<Output = Result<(), HostError>> + Send + use<> {
        let scheduler = self.kept().ok().map(|kept| kept.scheduler.clone());
        let memory = Arc::clone(&self.memory);
        async move {
            match scheduler {
                Some(scheduler) => Ok(scheduler.take_up(&memory).await?),
                None => Ok(()),
            }
        }
    }

    /// Has these models do the research from now on, whatever answers.
    pub fn research_with(&self, models: Option<&Models>) {
        if let Ok(kept) = self.kept() {
            kept.scheduler.set_models(models.map(|models| Arc::new(models.under(&kept.budget))));
        }
    }

    /// News of background tasks since a memory was made.
    pub(super) fn task_updates(&self, memory: &WorkingMemory) -> Vec<TaskRecord> {
        match &self.keeping {
            Keeping::Store(kept) => kept.scheduler.updates(&memory.background_tasks),
            Keeping::Nowhere(rehearsal) => rehearsal.take_news(),
        }
    }

    /// What a turn needs before it begins: tasks that an earlier process left are taken up, and the project is asked.
    pub(super) async fn prepare(&self, message: &str) -> Result<Vec<Artifact>, PersistError> {
        let Keeping::Store(kept) = &self.keeping else { return Ok(Vec::new()) };
        kept.scheduler.take_up(&self.memory).await.map_err(unreadable)?;
        if self.memory.without_project {
            return Ok(Vec::new());
        }
        artifacts::gather(&kept.store, &self.record, &self.engine, message).await.map_err(unreadable)
    }

    /// Everything that happens to background tasks from now on, as it happens; `None` in a rehearsal.
    pub fn task_events(&self) -> Option<broadcast::Receiver<TaskEvent>> {
        self.kept().ok().map(|kept| kept.scheduler.events())
    }

    /// Returns when no background task is pending, running or waiting. It borrows nothing of the session.
    pub fn tasks_settled(&self) -> impl Future<Output = ()> + Send + use<> {
        let scheduler = self.kept().ok().map(|kept| kept.scheduler.clone());
        async move {
            if let Some(scheduler) = scheduler {
                scheduler.settled().await;
            }
        }
    }

    /// Tries a task again that failed or needs the user.
    pub async fn retry_task(&self, task: &str) -> Result<(), HostError> {
        Ok(self.kept()?.scheduler.retry(task, &self.memory).await?)
    }

    /// Goes on without a task.
    pub async fn skip_task(&self, task: &str) -> Result<(), HostError> {
        Ok(self.kept()?.scheduler.skip(task).await?)
    }

    /// Tasks whose gap was passed over; each can be tried again.
    pub fn gaps(&self) -> Vec<String> {
        self.kept().map(|kept| kept.scheduler.gaps()).unwrap_or_default()
    }

    /// What the user has to look at before tasks that wait for it can run: every program and address, exactly.
    pub fn trust_request(&self) -> Option<TrustRequest> {
        self.kept().ok()?.scheduler.trust_request()
    }

    /// What its engine would do and may not, because nobody has agreed to it. The answer does not borrow the session.
    pub(super) fn withheld(&self) -> impl Future<Output = Result<Option<TrustRequest>, HostError>> + Send + use<> {
        let scheduler = self.kept().map(|kept| Arc::clone(&kept.scheduler)).ok();
        async move {
            match scheduler {
                Some(scheduler) => Ok(scheduler.withheld().await?),
                None => Ok(None),
            }
        }
    }

    /// Keeps the user's decision about exactly what was shown, and goes on with the tasks that waited for it.
    pub async fn decide_trust(&self, shown: &TrustRequest, trusted: bool) -> Result<(), HostError> {
        Ok(self.kept()?.scheduler.decide(shown, trusted, &self.memory).await?)
    }
}
