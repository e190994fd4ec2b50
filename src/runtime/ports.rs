//! The ports of a real session: a backend that answers, a store that keeps, a listener that watches.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

use super::backend::Backend;
use super::session::SessionEvent;
use super::{records, title};
use crate::engine::Engine;
use crate::engine::memory::WorkingMemory;
use crate::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, PersistError, Ports, ResponseReply, ResponseRequest, SummaryReply,
    SummaryRequest, TaskOrder, TurnCommit, TurnEvent,
};
use crate::llm::ChatEvent;
use crate::store::{BackgroundTask, Committed, SessionRecord, Store, StoreHandle};
use crate::tasks::Scheduler;

/// Who watches a turn.
pub(super) type OnEvent<'a> = &'a mut (dyn FnMut(SessionEvent) + Send);

/// The outside of one turn of a real session.
pub(super) struct SessionPorts<'a> {
    pub engine: &'a Engine,
    pub memory: &'a WorkingMemory,
    pub backend: &'a Backend,
    pub store: &'a StoreHandle,
    pub record: &'a SessionRecord,
    /// Whether the turns after the one of the record go when this one is kept.
    pub replaces: bool,
    pub started: Instant,
    pub on_event: OnEvent<'a>,
    /// What the store said once the turn was kept.
    pub committed: Option<(Committed, Option<String>)>,
    pub scheduler: &'a Scheduler,
    /// Tasks that were kept with the turn, and the memory they start from.
    pub ordered: Option<(Vec<BackgroundTask>, Arc<WorkingMemory>)>,
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
        let tasks: Vec<_> = commit.orders.iter().map(|order| self.scheduler.row(order)).collect();
        self.ordered = Some((tasks.clone(), Arc::new(commit.memory.clone())));
        let prepared = records::turn(self.record, self.memory, commit, title.clone(), tasks, Timestamp::now());
        let store = self.store.clone();
        let committed = &mut self.committed;
        let (replaces, scheduler, before) = (self.replaces, self.scheduler, self.record.turn);
        async move {
            let turn = prepared.map_err(|error| PersistError(error.to_string()))?;
            let keep = move |store: &mut Store| if replaces { store.replace(turn) } else { store.commit(turn) };
            let done = store.call_async(keep).await;
            *committed = Some((done.map_err(|error| PersistError(error.to_string()))?, title));
            if replaces {
                scheduler.rewound_to(before);
            }
            Ok(())
        }
    }

    fn dispatch(&mut self, _: &[TaskOrder]) -> impl Future<Output = ()> + Send {
        // The orders were kept as tasks together with the turn; those are what is started.
        if let Some((tasks, memory)) = self.ordered.take() {
            self.scheduler.start(tasks, &memory);
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
