//! The outside of one turn: who answers, where the turn is kept, who watches.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::backend::Backend;
use super::protocol::TurnNews;
use super::session::{Keeping, Kept};
use super::{records, title};
use crate::engine::Engine;
use crate::engine::memory::WorkingMemory;
use crate::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, PersistError, Ports, ResponseReply, ResponseRequest, SummaryReply,
    SummaryRequest, TurnCommit, TurnEvent,
};
use crate::llm::ChatEvent;
use crate::store::{Committed, SessionRecord, Store, StoreError, TaskRow};
use crate::tasks;

/// Is told how a turn is coming along.
pub type OnNews<'a> = &'a mut (dyn FnMut(TurnNews) + Send);

/// The outside of one turn.
pub(super) struct TurnPorts<'a> {
    pub engine: &'a Engine,
    /// The memory before the turn.
    pub memory: &'a WorkingMemory,
    pub backend: &'a Backend,
    pub keeping: &'a Keeping,
    pub record: &'a SessionRecord,
    /// Whether the turns after the one of the record go when this one is kept.
    pub replaces: bool,
    pub started: Instant,
    pub on_news: OnNews<'a>,
    /// What the store said once the turn was kept, and the title it got.
    pub committed: Option<(Committed, Option<String>)>,
    /// Tasks that were kept with the turn, and the memory they start from.
    pub ordered: Option<(Vec<TaskRow>, Arc<WorkingMemory>)>,
}

/// Passes on what happens while a model is asked. Of analyses and summaries the words are not shown.
fn relay(on_news: &mut (dyn FnMut(TurnNews) + Send), event: ChatEvent, shown: bool) {
    match event {
        ChatEvent::Delta(text) if shown => on_news(TurnNews::Delta(text)),
        ChatEvent::Reasoning(text) if shown => on_news(TurnNews::Reasoning(text)),
        ChatEvent::Retrying { attempt, wait, error } => {
            on_news(TurnNews::Retrying { attempt, wait_ms: millis(wait), reason: error.to_string() });
        }
        ChatEvent::Queued { .. } => on_news(TurnNews::Queued),
        ChatEvent::Started | ChatEvent::Delta(_) | ChatEvent::Reasoning(_) => {}
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Why the store does not take a turn.
pub(super) fn not_kept(error: StoreError) -> PersistError {
    match error {
        StoreError::Conflict { .. } => PersistError::Elsewhere(
            "this session was changed by another window or process and is loaded again as it stands now; say it again \
             if it still fits"
                .to_owned(),
        ),
        StoreError::TurnUnderWay { .. } => PersistError::Elsewhere(
            "another window or process has a turn of this session under way; say it again when it is done".to_owned(),
        ),
        other => PersistError::Failed(other.to_string()),
    }
}

impl TurnPorts<'_> {
    /// The turn as the store keeps it, with its tasks and its title.
    fn prepared(
        &self,
        kept: &Kept,
        commit: &TurnCommit<'_>,
    ) -> (Result<crate::store::TurnCommit, serde_json::Error>, Vec<TaskRow>, Option<String>) {
        let title = title::from_content(self.engine, commit.memory, &commit.message.text);
        let tasks: Vec<_> = commit.orders.iter().map(|order| kept.scheduler.row(order.clone())).collect();
        let turn = records::turn(self.record, self.memory, commit, title.clone(), tasks.clone(), Timestamp::now());
        (turn, tasks, title)
    }
}

impl Ports for TurnPorts<'_> {
    fn now_micros(&self) -> u64 {
        match self.keeping {
            Keeping::Store(_) => u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            Keeping::Nowhere(rehearsal) => rehearsal.tick(),
        }
    }

    fn analyse(
        &mut self,
        request: &AnalysisRequest<'_>,
    ) -> impl Future<Output = Result<AnalysisReply, CallError>> + Send {
        (self.on_news)(TurnNews::Reading);
        let on_news = &mut *self.on_news;
        let backend = self.backend;
        async move { backend.analyse(request, &mut |event| relay(on_news, event, false)).await }
    }

    fn respond(
        &mut self,
        request: &ResponseRequest<'_>,
    ) -> impl Future<Output = Result<ResponseReply, CallError>> + Send {
        (self.on_news)(TurnNews::Writing);
        let on_news = &mut *self.on_news;
        let backend = self.backend;
        async move { backend.respond(request, &mut |event| relay(on_news, event, true)).await }
    }

    fn summarise(
        &mut self,
        request: &SummaryRequest<'_>,
    ) -> impl Future<Output = Result<SummaryReply, CallError>> + Send {
        (self.on_news)(TurnNews::Summarising);
        let on_news = &mut *self.on_news;
        let (backend, memory) = (self.backend, self.memory);
        async move { backend.summarise(request, memory, &mut |event| relay(on_news, event, false)).await }
    }

    fn persist(&mut self, commit: &TurnCommit<'_>) -> impl Future<Output = Result<(), PersistError>> + Send {
        let prepared = match self.keeping {
            Keeping::Store(kept) => {
                let (turn, tasks, title) = self.prepared(kept, commit);
                self.ordered = Some((tasks, Arc::new(commit.memory.clone())));
                Some((turn, title, kept.clone()))
            }
            Keeping::Nowhere(rehearsal) => {
                rehearsal.order(commit.orders);
                None
            }
        };
        let committed = &mut self.committed;
        let (replaces, before) = (self.replaces, self.record.turn);
        async move {
            let Some((turn, title, kept)) = prepared else { return Ok(()) };
            let turn = turn.map_err(|error| PersistError::Failed(error.to_string()))?;
            let budget = Arc::clone(&kept.budget);
            let keep = move |store: &mut Store| {
                tasks::keep_with(&budget, turn.session_id, |budget, settled| {
                    let turn = crate::store::TurnCommit { budget, settled, ..turn };
                    if replaces { store.replace(turn) } else { store.commit(turn) }
                })
            };
            let done = kept.store.call_async(keep).await;
            *committed = Some((done.map_err(not_kept)?, title));
            if replaces {
                kept.scheduler.rewound_to(before);
            }
            Ok(())
        }
    }

    fn dispatch(&mut self) -> impl Future<Output = ()> + Send {
        if let (Keeping::Store(kept), Some((tasks, memory))) = (self.keeping, self.ordered.take()) {
            kept.scheduler.start(tasks, &memory);
        }
        std::future::ready(())
    }

    fn emit(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::StepDone(entry) => (self.on_news)(TurnNews::Step(Box::new(entry.clone()))),
            TurnEvent::Compressed(strategy) => (self.on_news)(TurnNews::Compressed(strategy.to_owned())),
            TurnEvent::Revising(findings) => {
                let reasons = findings.iter().map(|finding| finding.message.clone()).collect();
                (self.on_news)(TurnNews::Revising(reasons));
            }
        }
    }
}
