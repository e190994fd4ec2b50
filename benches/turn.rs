//! One whole turn without model time, at 10, 100 and 1,000 turns of history. It may take a millisecond at 1,000, and less
//! than twice as long there as at 100: what was said before must not slow down what is said now.
#![allow(missing_docs, reason = "criterion's macros write functions without any")]
#![allow(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot be set up has failed")]

use std::fmt::Write as _;
use std::future::{Future, ready};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use elenchus::catalogue::Catalogue;
use elenchus::engine::Engine;
use elenchus::engine::config::Kind;
use elenchus::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, PersistError, Ports, ResponseReply, ResponseRequest, SummaryReply,
    SummaryRequest, TurnEvent, TurnToKeep,
};
use elenchus::engine::turn::{TurnInput, run_turn};
use serde_json::{Value, json};

#[allow(dead_code, reason = "the tests need more of it")]
#[path = "../tests/suite/support/scripted.rs"]
mod scripted;

use scripted::ScriptedSession;

/// An outside that answers at once and remembers nothing.
struct Instantly {
    analysis: String,
    answer: String,
    started: Instant,
}

impl Ports for Instantly {
    fn now_micros(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }
    fn analyse(&self, _: &AnalysisRequest<'_>) -> impl Future<Output = Result<AnalysisReply, CallError>> + Send {
        ready(Ok(AnalysisReply { text: self.analysis.clone(), ..AnalysisReply::default() }))
    }
    fn respond(&self, _: &ResponseRequest<'_>) -> impl Future<Output = Result<ResponseReply, CallError>> + Send {
        ready(Ok(ResponseReply { text: self.answer.clone(), ..ResponseReply::default() }))
    }
    fn summarise(&self, _: &SummaryRequest<'_>) -> impl Future<Output = Result<SummaryReply, CallError>> + Send {
        ready(Ok(SummaryReply { text: "They talked.".to_owned(), ..SummaryReply::default() }))
    }
    fn persist(&self, _: &TurnToKeep<'_>) -> impl Future<Output = Result<(), PersistError>> + Send {
        ready(Ok(()))
    }
    fn dispatch(&self) -> impl Future<Output = ()> + Send {
        ready(())
    }
    fn emit(&self, _: TurnEvent<'_>) {}
}

const WORDS: &[&str] = &[
    "reception",
    "morning",
    "phone",
    "patients",
    "queue",
    "form",
    "desk",
    "calendar",
    "doctor",
    "letter",
    "waiting",
    "room",
    "insurance",
    "card",
    "reminder",
    "message",
    "colleague",
    "software",
    "printer",
    "fax",
    "signature",
    "appointment",
    "cancelled",
    "double",
    "booked",
    "Tuesday",
    "holiday",
    "budget",
    "manager",
    "nobody",
    "usually",
    "sometimes",
    "because",
    "therefore",
    "often",
    "rarely",
    "complain",
    "wait",
    "call",
    "write",
    "forget",
    "search",
];

/// What a user says in turn `number`: some forty words, a figure and a word of its own.
fn message(number: usize) -> String {
    let mut out = format!("In week {number} the item{number} came up again:");
    for at in 0..36 {
        let _ = write!(out, " {}", WORDS[(number * 31 + at * 17 + at * at) % WORDS.len()]);
    }
    out.push('.');
    out
}

/// What the analysis finds of the fields that were asked for.
fn found(engine: &Engine, asked: &[String], quote: &str) -> Vec<Value> {
    let paths = asked.iter().flat_map(|id| engine.fields_of(id));
    let readings = paths.filter_map(|path| {
        let field = engine.field(path)?;
        let value = match field.shape.r#type {
            Kind::String => json!("the desk and the phone in the morning"),
            Kind::Boolean => json!(true),
            Kind::Enum => json!(field.shape.options.first()?),
            Kind::Array => json!(["the desk", "the phone"]),
            Kind::Number | Kind::Object => return None,
        };
        Some(json!({ "path": path, "value": value, "confidence": 0.9, "quote": quote, "reasoning": "They say so." }))
    });
    readings.collect()
}

/// A session after so many turns, obliging at first and talkative later.
fn session(engine: &Arc<Engine>, turns: usize) -> ScriptedSession<'_> {
    let mut session = ScriptedSession::new(engine);
    for number in 1..=turns {
        let asked: Vec<String> = session.memory.asked.iter().map(|asked| asked.obligation.clone()).collect();
        let analysis = json!({ "fields": found(engine, &asked, "came up again"), "signals": { "trust": 0.6 } });
        session.ports.analyses.push_back(Ok(analysis.to_string()));
        session.ports.summaries.push_back(Ok("They spoke about the desk and the phone. ".repeat(12)));
        pollster::block_on(session.say(&message(number))).expect("the turn is completed");
        session.ports.requests.clear();
        session.ports.kept.clear();
    }
    session
}

fn turn(criterion: &mut Criterion) {
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    let engine = catalogue.load("project-discovery").expect("it is in the binary").0.engine.expect("it is sound");
    let mut group = criterion.benchmark_group("turn");
    for turns in [10, 100, 1_000] {
        let session = session(&engine, turns);
        let early = "the item3 came up again";
        let fields = json!([
            { "path": "purpose_and_problem.core_problem", "value": format!("The phone, variant {turns}"), "confidence": 0.9,
              "quote": format!("In week {}", turns + 1), "reasoning": "They say so." },
            { "path": "constraints.rules", "value": ["two signatures"], "confidence": 0.8, "quote": early, "reasoning": "Earlier." },
            { "path": "constraints.team", "value": "a team nobody mentioned", "confidence": 0.8, "quote": "we are five", "reasoning": "" },
        ]);
        let ports = Instantly {
            analysis: json!({ "fields": fields, "signals": { "trust": 0.6, "rapport": 0.5, "friction": 0.1 } })
                .to_string(),
            answer: "That makes the phone the first thing to look at. Who answers it when reception is busy?"
                .to_owned(),
            started: Instant::now(),
        };
        let input = TurnInput::saying(message(turns + 1));
        group.bench_function(BenchmarkId::from_parameter(turns), |bencher| {
            bencher.iter(|| {
                let turn = run_turn(&engine, &session.memory, &session.transcript, &input, &ports);
                black_box(pollster::block_on(turn).expect("the turn is completed"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, turn);
criterion_main!(benches);
