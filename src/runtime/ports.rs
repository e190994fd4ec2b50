//! The ports of a real session: a backend that answers, a store that keeps, a listener that watches.

use std::future::Future;
use std::time::Instant;

use jiff::Timestamp;

use super::backend::Backend;
use super::session::SessionEvent;
use super::{records, title};
use crate::engine::Engine;
use crate::engine::config::FailureStrategy;
use crate::engine::memory::{TaskRecord, TaskStatus, WorkingMemory};
use crate::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, PersistError, Ports, ResponseReply, ResponseRequest, SummaryReply,
    SummaryRequest, TaskOrder, TaskUpdate, TurnCommit, TurnEvent,
};
use crate::llm::ChatEvent;
use crate::store::{self, Committed, StoreHandle};

/// Who watches a turn.
pub(super) type OnEvent<'a> = &'a mut (dyn FnMut(SessionEvent) + Send);

/// The outside of one turn of a real session.
pub(super) struct SessionPorts<'a> {
    pub engine: &'a Engine,
    pub memory: &'a WorkingMemory,
    pub backend: &'a Backend,
    pub store: &'a StoreHandle,
    pub record: &'a store::Session,
    pub started: Instant,
    pub on_event: OnEvent<'a>,
    /// What the store said once the turn was kept.
    pub committed: Option<(Committed, Option<String>)>,
    /// News of tasks for the next turn.
    pub updates: Vec<TaskUpdate>,
}

/// Passes on what a model writes.
fn relay(on_event: &mut (dyn FnMut(SessionEvent) + Send), event: ChatEvent, shown: bool) {
    match event {
        ChatEvent::Delta(text) if shown => on_event(SessionEvent::Delta(text)),
        ChatEvent::Reasoning(text) if shown => on_event(SessionEvent::Reasoning(text)),
        ChatEvent::Retrying { attempt, wait, error } => {
            on_event(SessionEvent::Retrying { attempt, wait, reason: error.to_string() });
        }
        ChatEvent::Queued { .. } => on_event(SessionEvent::Queued),
        ChatEvent::Started | ChatEvent::Delta(_) | ChatEvent::Reasoning(_) => {}
    }
}

impl Ports for SessionPorts<'_> {
    fn now_micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn analyse(
        &mut self,
        request: &AnalysisRequest<'_>,
    ) -> impl Future<Output = Result<AnalysisReply, CallError>> + Send {
        (self.on_event)(SessionEvent::Reading);
        let on_event = &mut *self.on_event;
        let backend = self.backend;
        async move { backend.analyse(request, &mut |event| relay(on_event, event, false)).await }
    }

    fn respond(
        &mut self,
        request: &ResponseRequest<'_>,
    ) -> impl Future<Output = Result<ResponseReply, CallError>> + Send {
        (self.on_event)(SessionEvent::Writing);
        let on_event = &mut *self.on_event;
        let backend = self.backend;
        async move { backend.respond(request, &mut |event| relay(on_event, event, true)).await }
    }

    fn summarise(
        &mut self,
        request: &SummaryRequest<'_>,
    ) -> impl Future<Output = Result<SummaryReply, CallError>> + Send {
        (self.on_event)(SessionEvent::Summarising);
        let on_event = &mut *self.on_event;
        let (backend, memory) = (self.backend, self.memory);
        async move { backend.summarise(request, memory, &mut |event| relay(on_event, event, false)).await }
    }

    fn persist(&mut self, commit: &TurnCommit<'_>) -> impl Future<Output = Result<(), PersistError>> + Send {
        let title = title::from_content(self.engine, commit.memory, &commit.message.text);
        let prepared = records::turn(self.record, commit, title.clone(), Timestamp::now());
        let store = self.store.clone();
        let committed = &mut self.committed;
        async move {
            let turn = prepared.map_err(|error| PersistError(error.to_string()))?;
            let done = store.call_async(move |store| store.commit(turn)).await;
            *committed = Some((done.map_err(|error| PersistError(error.to_string()))?, title));
            Ok(())
        }
    }

    /// Nothing runs in the background yet: each task is told as what its engine does without it.
    fn dispatch(&mut self, orders: &[TaskOrder]) -> impl Future<Output = ()> + Send {
        let tasks = &self.engine.definition().background_tasks;
        for order in orders {
            let Some(task) = tasks.iter().find(|task| *task.id == *order.task) else { continue };
            let note = match &task.failure_strategy.value {
                FailureStrategy::Degrade(degrade) => degrade.degraded_behavior.clone(),
                _ => "not run; the conversation goes on without it".to_owned(),
            };
            let record = TaskRecord {
                status: TaskStatus::Failed,
                since_turn: order.turn,
                attempts: 0,
                result: None,
                note: Some(note),
            };
            self.updates.push(TaskUpdate { task: order.task.clone(), record });
        }
        std::future::ready(())
    }

    fn emit(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::StepDone(entry) => (self.on_event)(SessionEvent::StepDone(entry.clone())),
            TurnEvent::Compressed(strategy) => (self.on_event)(SessionEvent::Compressed(strategy.to_owned())),
            TurnEvent::Revising(findings) => {
                let reasons = findings.iter().map(|finding| finding.message.clone()).collect();
                (self.on_event)(SessionEvent::Revising(reasons));
            }
        }
    }
}
