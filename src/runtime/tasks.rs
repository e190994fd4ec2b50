//! The background tasks of a session, as whoever shows them needs them.

use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::task::AbortHandle;

use super::HostError;
use super::session::Session;
use crate::engine::memory::WorkingMemory;
use crate::llm::Models;
use crate::tasks::{TaskEvent, TrustRequest};

/// Somebody who is told of background tasks, for as long as this lives.
#[derive(Debug)]
pub struct Following(AbortHandle);

impl Drop for Following {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Session {
    pub(super) fn shared_memory(&self) -> Arc<WorkingMemory> {
        Arc::new(self.memory.clone())
    }

    /// Takes up what an earlier process left undone. A turn does so by itself; whoever shows a session that was resumed
    /// calls it at once.
    pub async fn resume_tasks(&self) -> Result<(), HostError> {
        Ok(self.scheduler.take_up(&self.shared_memory()).await?)
    }

    /// Has these models do the research from now on, whoever answers.
    pub fn research_with(&self, models: Option<Arc<Models>>) {
        self.scheduler.set_models(models);
    }

    /// Everything that happens to background tasks from now on, as it happens.
    pub fn task_events(&self) -> broadcast::Receiver<TaskEvent> {
        self.scheduler.events()
    }

    /// Tells of everything that happens to background tasks from now on, with what the user has to look at before those
    /// that wait for it can run. Goes on until the handle is dropped.
    pub fn follow_tasks(&self, mut tell: impl FnMut(TaskEvent, Option<TrustRequest>) + Send + 'static) -> Following {
        let scheduler = Arc::clone(&self.scheduler);
        let mut events = scheduler.events();
        let task = tokio::spawn(async move {
            loop {
                match events.recv().await {
                    Ok(event) => tell(event, scheduler.trust_request()),
                    // Whoever falls behind has missed steps on the way; the last state of each task is still to come.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return,
                }
            }
        });
        Following(task.abort_handle())
    }

    /// Returns when no background task is pending, running or waiting. It borrows nothing of the session.
    pub fn tasks_settled(&self) -> impl Future<Output = ()> + Send + 'static {
        let scheduler = Arc::clone(&self.scheduler);
        async move { scheduler.settled().await }
    }

    /// Tries a task again that failed or needs the user.
    pub async fn retry_task(&self, task: &str) -> Result<(), HostError> {
        self.scheduler.retry(task, &self.shared_memory()).await.map_err(HostError::Edit)
    }

    /// Goes on without a task.
    pub async fn skip_task(&self, task: &str) -> Result<(), HostError> {
        self.scheduler.skip(task).await.map_err(HostError::Edit)
    }

    /// Tasks whose gap was passed over; each can be tried again.
    pub fn gaps(&self) -> Vec<String> {
        self.scheduler.gaps()
    }

    /// What the user has to look at before tasks that wait for it can run: every program and address, exactly.
    pub fn trust_request(&self) -> Option<TrustRequest> {
        self.scheduler.trust_request()
    }

    /// Keeps the user's decision about exactly what was shown, and goes on with the tasks that waited for it.
    pub async fn decide_trust(&self, shown: &TrustRequest, trusted: bool) -> Result<(), HostError> {
        Ok(self.scheduler.decide(shown, trusted, &self.shared_memory()).await?)
    }
}
