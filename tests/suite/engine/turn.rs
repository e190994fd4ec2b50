//! The turn: nineteen steps, whole or not at all, in two calls.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use elenchus::engine::Engine;
use elenchus::engine::memory::{SCHEMA_VERSION, WorkingMemory};
use elenchus::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, PersistError, Ports, ResponseReply, ResponseRequest, SummaryReply,
    SummaryRequest, TurnEvent, TurnToKeep,
};
use elenchus::engine::step::Step;
use elenchus::engine::turn::{TurnError, TurnInput, run_turn};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, outcome, shipped, small, small_with};
use crate::support::scripted::{ScriptedPorts, ScriptedSession, SeenRequest, Shared};

#[test]
fn the_trace_has_the_nineteen_steps_in_order_and_watchers_are_told_of_each() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.chat("Hello.");
    let steps: Vec<_> = turn.report.trace.iter().map(|entry| (entry.step.number(), entry.step.name())).collect();
    assert_eq!(
        steps,
        [
            (1, "pre-processing"),
            (2, "extraction"),
            (3, "saturation"),
            (4, "socio-emotional"),
            (5, "completeness"),
            (6, "phase transition evaluation"),
            (7, "phase transition execution"),
            (8, "background tasks"),
            (9, "technique selection"),
            (10, "context assembly"),
            (11, "compression check"),
            (12, "response generation"),
            (13, "QA check"),
            (14, "mode classification"),
            (15, "telemetry"),
            (16, "sidebar"),
            (17, "exit transitions"),
            (18, "persist state"),
            (19, "return"),
        ]
    );
    assert_eq!(Step::ALL.len(), 19);
    let told: Vec<String> = steps.iter().map(|(number, name)| format!("{number} {name}")).collect();
    assert_eq!(session.ports.events, told);
    assert!(turn.report.trace.iter().all(|entry| entry.ms > 0.0 && !entry.outcome.is_empty()));
}

#[test]
fn a_turn_costs_two_calls_and_they_are_counted() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.chat("Hello.");
    assert_eq!((turn.report.usage.calls, session.memory.usage.calls), (2, 2));
    session.chat("Hello again.");
    assert_eq!(session.memory.usage.calls, 4);
    let kinds: Vec<_> = session.ports.requests.iter().map(|r| matches!(r, SeenRequest::Analysis { .. })).collect();
    assert_eq!(kinds, [true, false, true, false]);
}

#[test]
fn a_completed_turn_is_kept_once_with_everything_it_leaves() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell("  Queues.  ", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    let [kept] = session.ports.kept.as_slice() else { panic!("it is kept once") };
    assert_eq!((&kept.message, &kept.answer, &kept.memory), (&turn.message, &turn.answer, &turn.memory));
    assert_eq!((&*kept.message.text, kept.message.turn, kept.answer.turn), ("Queues.", 1, 1));
    assert_eq!(kept.log.len(), 1);
    assert_eq!(kept.memory.schema_version, SCHEMA_VERSION);
}

#[test]
fn an_empty_or_endless_message_is_refused_before_anything_is_asked() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for message in ["", " \n\t ", &"x".repeat(1_048_577)] {
        let error = pollster::block_on(session.say(message)).expect_err("there is nothing to answer");
        assert!(matches!(error, TurnError::Input(_)), "{error}");
    }
    assert_eq!((session.memory.turn, session.ports.requests.len()), (0, 0));
}

/// An outside that stops answering, or fails, at one of the calls that reach it.
struct Faulty {
    inner: Shared,
    calls: AtomicUsize,
    at: usize,
    fails: bool,
}

impl Faulty {
    /// Whether the call that comes now is the one.
    fn is_it(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1 == self.at
    }

    async fn strike(fails: bool) -> CallError {
        if !fails {
            std::future::pending::<()>().await;
        }
        CallError::failed("the line is dead")
    }
}

impl Ports for Faulty {
    fn now_micros(&self) -> u64 {
        self.inner.now_micros()
    }
    async fn analyse(&self, request: &AnalysisRequest<'_>) -> Result<AnalysisReply, CallError> {
        if self.is_it() {
            return Err(Self::strike(self.fails).await);
        }
        self.inner.analyse(request).await
    }
    async fn respond(&self, request: &ResponseRequest<'_>) -> Result<ResponseReply, CallError> {
        if self.is_it() {
            return Err(Self::strike(self.fails).await);
        }
        self.inner.respond(request).await
    }
    async fn summarise(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, CallError> {
        if self.is_it() {
            return Err(Self::strike(self.fails).await);
        }
        self.inner.summarise(request).await
    }
    async fn persist(&self, commit: &TurnToKeep<'_>) -> Result<(), PersistError> {
        if self.is_it() {
            return Err(PersistError::Failed(Self::strike(self.fails).await.to_string()));
        }
        self.inner.persist(commit).await
    }
    async fn dispatch(&self) {
        if self.is_it() {
            Self::strike(self.fails).await;
        }
        self.inner.dispatch().await;
    }
    fn emit(&self, event: TurnEvent<'_>) {
        self.inner.emit(event);
    }
}

/// A session that is about to need every call there is: it compresses, and its first answer is sent back.
fn demanding(engine: &Engine) -> (ScriptedSession<'_>, TurnInput) {
    let mut session = ScriptedSession::new(engine);
    for words in [800, 800, 800, 800, 800, 4_000] {
        session.chat(&"word ".repeat(words));
    }
    session.ports = ScriptedPorts::default();
    (session, TurnInput::saying("It is the queues."))
}

fn script(at: usize, fails: bool) -> Faulty {
    let mut inner = ScriptedPorts::default();
    inner.finds(&[("purpose.problem", json!("queues"), 0.9, "the queues")]);
    inner.summaries.push_back(Ok("They talked.".to_owned()));
    inner.answers("{\"fields\": []}");
    inner.answers("Which event makes you start now?");
    Faulty { inner: Shared::new(inner), calls: AtomicUsize::new(0), at, fails }
}

#[test]
fn a_turn_dropped_at_any_call_before_it_is_kept_leaves_all_as_it_was() {
    let engine = small_with(&[("max_tokens = 12000", "max_tokens = 8000")]);
    let (session, input) = demanding(&engine);
    let before = (session.memory.clone(), session.transcript.messages().to_vec());
    // Analysis, summary, answer, revision, keeping.
    for at in 1..=5 {
        let ports = script(at, false);
        {
            let mut turn = pin!(run_turn(&engine, &session.memory, &session.transcript, &input, &ports));
            let polled = turn.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(matches!(polled, Poll::Pending), "call {at} never comes back");
        }
        assert_eq!((ports.calls.load(Ordering::Relaxed), ports.inner.kept(), ports.inner.dispatched()), (at, 0, 0));
        assert_eq!((session.memory.clone(), session.transcript.messages().to_vec()), before);
    }
    let ports = script(0, false);
    let turn = pollster::block_on(run_turn(&engine, &session.memory, &session.transcript, &input, &ports));
    assert_eq!(turn.expect("it is completed").memory.turn, before.0.turn + 1);
    assert_eq!((ports.calls.load(Ordering::Relaxed), ports.inner.kept()), (6, 1), "the sixth call sets tasks off");
}

#[test]
fn a_turn_that_fails_at_a_call_it_cannot_do_without_leaves_all_as_it_was() {
    let engine = small_with(&[("max_tokens = 12000", "max_tokens = 8000")]);
    let (session, input) = demanding(&engine);
    let before = session.memory.clone();
    for (at, expected) in [
        // Without an analysis there is an answer still.
        (1, None),
        (2, None),
        (3, Some("the line is dead")),
        (4, None),
        (5, Some("the turn could not be saved: the line is dead")),
    ] {
        let ports = script(at, true);
        let turn = pollster::block_on(run_turn(&engine, &session.memory, &session.transcript, &input, &ports));
        let failure = turn.as_ref().err().map(ToString::to_string);
        assert_eq!(failure.as_deref(), expected, "call {at}");
        assert_eq!(ports.inner.kept(), usize::from(expected.is_none()), "call {at}");
        assert_eq!(session.memory, before);
    }
}

#[test]
fn a_turn_that_cannot_be_kept_is_reported_and_can_be_tried_again() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.persist_error = Some("the disk is full".to_owned());
    let error = pollster::block_on(session.say("Hello.")).expect_err("it cannot be kept");
    assert_eq!(error.to_string(), "the turn could not be saved: the disk is full");
    assert!(matches!(error, TurnError::Persist(_)));
    assert_eq!(
        (session.memory.clone(), session.transcript.messages().len()),
        (WorkingMemory::new(engine.definition()), 0)
    );
    assert_eq!(session.ports.dispatched, []);
    session.ports.persist_error = None;
    assert_eq!(session.chat("Hello.").report.turn, 1);
}

#[test]
fn a_model_that_cannot_take_the_context_gets_a_smaller_one() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for _ in 0..6 {
        session.chat(&"word ".repeat(900));
    }
    session.ports.requests.clear();
    session.ports.summaries.push_back(Ok("They talked.".to_owned()));
    for _ in 0..3 {
        session.ports.answers.push_back(Err(CallError::ContextOverflow("too much".to_owned())));
    }
    let turn = session.chat("Go on.");
    let sizes: Vec<usize> = session
        .ports
        .requests
        .iter()
        .filter_map(|request| match request {
            SeenRequest::Answer { messages, .. } => Some(messages.iter().map(|(_, text)| text.len()).sum()),
            _ => None,
        })
        .collect();
    assert_eq!(sizes.len(), 4);
    assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]) && sizes[3] < sizes[0], "{sizes:?}");
    assert_eq!(turn.report.warnings, ["The model could not take the whole context; older turns were left out of it."]);
}

#[test]
fn a_context_that_is_too_much_without_any_history_shrinks_too() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for _ in 0..3 {
        session.ports.answers.push_back(Err(CallError::ContextOverflow("too much".to_owned())));
    }
    session.chat(&"word ".repeat(900));
    let sizes: Vec<(usize, usize)> = session
        .ports
        .requests
        .iter()
        .filter_map(|request| match request {
            SeenRequest::Answer { system, messages, .. } => {
                Some((system.concat().len(), messages.iter().map(|(_, text)| text.len()).sum()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(sizes.len(), 4);
    assert!(sizes.windows(2).all(|pair| pair[1].1 < pair[0].1), "the message gives way: {sizes:?}");
    let beginnings = [engine.preamble().text.len(), engine.short_preamble().text.len()];
    assert!(beginnings.contains(&sizes[3].0), "what every request begins with is whole: {sizes:?}");
    assert!(session.memory.context.tokens > 0);
}

#[test]
fn a_model_that_turns_out_to_have_no_room_for_the_long_instructions_gets_the_short_ones() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers.push_back(Err(CallError::ContextOverflow("This model takes 2048 tokens.".to_owned())));
    let turn = session.chat("We want a booking app for our clinic.");
    assert_eq!(session.last_system()[0], engine.short_preamble().text);
    assert!(turn.report.response.contains('?'), "{}", turn.report.response);
}

#[test]
fn a_model_that_can_take_nothing_fails_the_turn_after_three_tries_with_less() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for _ in 0..9 {
        session.ports.answers.push_back(Err(CallError::ContextOverflow("too much".to_owned())));
    }
    let error = pollster::block_on(session.say("Hello.")).expect_err("nothing can be taken");
    assert!(matches!(error, TurnError::Call(CallError::ContextOverflow(_))), "{error}");
    assert_eq!(session.ports.answers.len(), 5);
}

#[test]
fn a_conversation_goes_on_from_a_memory_that_was_stored() {
    let engine = small();
    let mut one = ScriptedSession::new(&engine);
    let mut other = ScriptedSession::new(&engine);
    for message in ["Queues.", "Yes.", "I don't know.", "12 nurses."] {
        let found = [("purpose.problem", json!("queues"), 0.9, "queues"), ("people.count", json!(12), 0.9, "12")];
        let first = one.tell(message, &found);
        let stored = serde_json::to_string(&other.memory).expect("it can be written");
        other.memory = serde_json::from_str(&stored).expect("it can be read");
        let second = other.tell(message, &found);
        assert_eq!(first.report.response, second.report.response);
        assert_eq!(one.memory, other.memory);
    }
}

#[test]
fn a_failed_expression_is_shown_in_words_and_only_once_a_turn() {
    let engine = small_with(&[(
        "when = \"known('purpose.problem') and intent('wants_more')\"",
        "when = \"known('purpose.problem') and (not known('people.team') or extraction.people.team[0].duty or extraction.people.team[7].duty)\"",
    )]);
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell(
        "Queues, Ann.",
        &[("purpose.problem", json!("queues"), 0.9, "queues"), ("people.team", json!([{ "name": "Ann" }]), 0.9, "Ann")],
    );
    assert_eq!(turn.report.warnings.len(), 1, "{:?}", turn.report.warnings);
    assert!(turn.report.warnings[0].starts_with("An expression of the engine failed: exit `onwards`: "));
    assert_eq!(outcome(&turn, "exit transitions"), "none open");
}

#[test]
fn a_failed_reason_to_leave_a_point_out_is_shown_in_words() {
    let question = "question = \"How many colleagues share that role?\"";
    let unless =
        "unless = \"known('people.team') and (extraction.people.team[0].duty or extraction.people.team[7].duty)\"";
    let engine = small_with(&[(question, &format!("{question}\n{unless}"))]);
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell("Ann.", &[("people.team", json!([{ "name": "Ann" }]), 0.9, "Ann")]);
    let warnings = &turn.report.warnings;
    assert!(warnings.iter().any(|warning| warning.contains("extraction.people.team[7].duty")), "{warnings:?}");
}
