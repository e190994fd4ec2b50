//! The outside of a turn on the bench: a script, the offline interviewer or models; nothing is kept and the clock is a
//! counter.

use std::cell::Cell;
use std::future::Future;

use crate::engine::memory::{TaskRecord, WorkingMemory};
use crate::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, CallRecord, PersistError, Ports, ResponseReply, ResponseRequest,
    SummaryReply, SummaryRequest, TurnCommit, TurnEvent,
};
use crate::engine::qa::asks_something;
use crate::engine::tokens;
use crate::llm::offline;
use crate::runtime::Backend;

/// What the scripted model says in one turn.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Its analysis, as it would come over the wire.
    pub analysis: String,
    /// Its answer; the first question of the agenda, when not given.
    pub answer: Option<String>,
}

/// The outside of one turn.
#[derive(Debug)]
pub struct BenchPorts<'a> {
    /// Who answers where there is no script.
    pub backend: &'a Backend,
    /// The memory before the turn.
    pub memory: &'a WorkingMemory,
    /// What the scripted model says.
    pub script: Option<Script>,
    /// Background tasks that the turn set off; the bench decides what becomes of them.
    pub orders: Vec<TaskRecord>,
    clock: Cell<u64>,
}

impl<'a> BenchPorts<'a> {
    /// The outside of a turn on this memory.
    pub fn new(backend: &'a Backend, memory: &'a WorkingMemory, script: Option<Script>) -> Self {
        Self { backend, memory, script, orders: Vec::new(), clock: Cell::new(0) }
    }
}

fn record(role: &str, text: &str) -> CallRecord {
    CallRecord {
        role: role.to_owned(),
        model: "scripted".to_owned(),
        output_tokens: u64::from(tokens::estimate(text)),
        estimated: true,
        ..CallRecord::default()
    }
}

fn scripted_answer(answer: Option<&String>, request: &ResponseRequest<'_>) -> ResponseReply {
    if let Some(text) = answer {
        // A scenario says what is answered to the word: where that asks nothing, nothing is asked.
        let asked = (!asks_something(text)).then(Vec::new);
        return ResponseReply { text: text.clone(), asked, call: record("respond", text) };
    }
    let first = request.agenda.first();
    let question = first.map_or("That is all I need.", |item| item.question.as_str());
    let text = format!("Noted. {question}");
    let asked = Some(first.map(|item| item.obligation.clone()).into_iter().collect());
    ResponseReply { asked, call: record("respond", &text), text }
}

impl Ports for BenchPorts<'_> {
    fn now_micros(&self) -> u64 {
        self.clock.set(self.clock.get() + 100);
        self.clock.get()
    }

    fn analyse(
        &mut self,
        request: &AnalysisRequest<'_>,
    ) -> impl Future<Output = Result<AnalysisReply, CallError>> + Send {
        let scripted = self.script.as_ref().map(|script| script.analysis.clone());
        let backend = self.backend;
        async move {
            match scripted {
                Some(text) => Ok(AnalysisReply { call: record("analyse", &text), text }),
                None => backend.analyse(request, &mut |_| {}).await,
            }
        }
    }

    fn respond(
        &mut self,
        request: &ResponseRequest<'_>,
    ) -> impl Future<Output = Result<ResponseReply, CallError>> + Send {
        let scripted = self.script.as_ref().map(|script| scripted_answer(script.answer.as_ref(), request));
        let backend = self.backend;
        async move {
            match scripted {
                Some(reply) => Ok(reply),
                None => backend.respond(request, &mut |_| {}).await,
            }
        }
    }

    fn summarise(
        &mut self,
        request: &SummaryRequest<'_>,
    ) -> impl Future<Output = Result<SummaryReply, CallError>> + Send {
        let scripted = self.script.is_some().then(|| offline::summarise(request, self.memory));
        let (backend, memory) = (self.backend, self.memory);
        async move {
            match scripted {
                Some(reply) => Ok(reply),
                None => backend.summarise(request, memory, &mut |_| {}).await,
            }
        }
    }

    fn persist(&mut self, commit: &TurnCommit<'_>) -> impl Future<Output = Result<(), PersistError>> + Send {
        self.orders = commit.orders.to_vec();
        std::future::ready(Ok(()))
    }

    fn dispatch(&mut self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    fn emit(&mut self, _: TurnEvent<'_>) {}
}
