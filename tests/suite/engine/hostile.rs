//! Whatever a model answers and whatever a user writes: no panic, a valid memory, and nothing believed without proof.

use std::sync::{Arc, LazyLock};

use elenchus::engine::Engine;
use elenchus::engine::config::Kind;
use elenchus::engine::memory::{Evidence, FieldSource, FieldState, MAX_SUPERSEDED, WorkingMemory};
use elenchus::engine::step::Step;
use elenchus::engine::transcript::{Role, Transcript};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{Talk, shipped, small};
use crate::support::scripted::ScriptedSession;

static SMALL: LazyLock<Arc<Engine>> = LazyLock::new(small);
static DISCOVERY: LazyLock<Arc<Engine>> = LazyLock::new(|| shipped("project-discovery"));

/// The longest text a memory may hold in any one place.
const LONG: usize = 5_000;
/// The longest list a memory may hold in any one field.
const MANY: usize = 100;

/// How many cases to try: few in every run, as many as one likes with `PROPTEST_CASES`.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

fn paths() -> impl Strategy<Value = String> {
    let known: Vec<String> = SMALL
        .definition()
        .fields
        .iter()
        .chain(DISCOVERY.definition().fields.iter().take(12))
        .map(|field| field.path.to_string())
        .collect();
    prop_oneof![
        12 => prop::sample::select(known),
        1 => Just("purpose".to_owned()),
        1 => Just("__proto__.x".to_owned()),
        1 => "\\PC{0,20}",
    ]
}

fn messages() -> impl Strategy<Value = String> {
    let plain = [
        "Yes",
        "No, it is the 12 nurses in Kraków",
        "I don't know",
        "I'd rather not say",
        "We lose 3 hours a day because nobody's phone works; ask ann@example.org",
        "It is paper, Excel and 40k of goodwill — İstanbul’da ofis",
        "Thirty-two clerks, two doctors. The deadline is March 2027!",
        "ΟΔΟΣ 日本語のメモ ﷺ \u{202e}desrever\u{202c} e\u{301}",
    ];
    prop_oneof![
        4 => prop::sample::select(plain.to_vec()).prop_map(str::to_owned),
        2 => "[ -~]{1,80}",
        2 => "\\PC{1,60}",
        1 => "[a-z ]{200,400}",
    ]
    .prop_filter("a message says something", |message| !message.trim().is_empty())
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "nurse", "yes", "NaN", "inf", "-0", "12", "3 hours", "1e400", "40k", "unknown", "Excel"
        ])
        .prop_map(Value::from),
        "\\PC{0,30}".prop_map(Value::from),
        Just(json!("x".repeat(6_000))),
        Just(json!((0..150).collect::<Vec<_>>())),
        "[a-z]{3}".prop_map(|word| json!(
            (b'a'..=b'y')
                .flat_map(|a| (b'a'..b'e').map(move |b| (a, b)))
                .map(|(a, b)| format!("{word}{}{}", a as char, b as char))
                .collect::<Vec<_>>()
        )),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((prop::sample::select(vec!["name", "duty", "extension", "x", ""]), inner), 0..5)
                .prop_map(|parts| Value::Object(
                    parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
                )),
        ]
    })
}

fn confidences() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0.0..=1.0f64).prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => prop::sample::select(vec![json!("80%"), json!("NaN"), json!("inf"), json!(null), json!(-3), json!(95), json!([1])]),
    ]
}

/// A quote: a true part of the message, or something else.
fn quote(message: &str, pick: (f64, f64, u8)) -> String {
    let (from, length, kind) = pick;
    let characters: Vec<char> = message.trim().chars().collect();
    let start = (from * characters.len() as f64) as usize;
    let end = (start + 1 + (length * characters.len() as f64) as usize).min(characters.len());
    match kind % 6 {
        0 => "words that were never said".to_owned(),
        1 => String::new(),
        2 => message.to_owned(),
        3 => "x ".repeat(3_000),
        _ => characters.get(start..end).unwrap_or_default().iter().collect(),
    }
}

type Pick = (f64, f64, u8);
type Reading = (String, Value, Value, Pick);

fn readings() -> impl Strategy<Value = Vec<Reading>> {
    prop::collection::vec((paths(), values(), confidences(), (0.0..1.0f64, 0.0..1.0f64, any::<u8>())), 0..6)
}

fn signals() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec!["does_not_know", "declines_to_say", "wants_more", "mirroring", ""]);
    let lists = prop::collection::vec(words, 0..4);
    (values(), values(), confidences(), lists).prop_map(|(trust, modes, friction, words)| {
        json!({ "trust": trust, "rapport": "0.7", "friction": friction, "techniques_used": words, "intents": words,
                "modes": { "extract": modes, "inform": 40 } })
    })
}

/// How an answer is spoilt on its way.
#[derive(Clone, Debug)]
enum Spoil {
    Not,
    Cut(f64),
    Fenced,
    Prose(String),
    Deep(usize),
    Map,
    Bare,
    Doubled,
}

fn spoils() -> impl Strategy<Value = Spoil> {
    prop_oneof![
        5 => Just(Spoil::Not),
        2 => (0.0..1.0f64).prop_map(Spoil::Cut),
        1 => Just(Spoil::Fenced),
        1 => "\\PC{0,80}".prop_map(Spoil::Prose),
        1 => (1usize..3_000).prop_map(Spoil::Deep),
        1 => Just(Spoil::Map),
        1 => Just(Spoil::Bare),
        1 => Just(Spoil::Doubled),
    ]
}

fn analysis(message: &str, readings: &[Reading], signals: &Value, spoil: &Spoil) -> String {
    let entry = |(path, value, confidence, pick): &Reading| json!({ "path": path, "value": value, "confidence": confidence, "quote": quote(message, *pick), "reasoning": "r" });
    let entries: Vec<Value> = readings.iter().map(entry).collect();
    let map = || Value::Object(readings.iter().map(|r| (r.0.clone(), entry(r))).collect());
    let whole = json!({ "fields": entries, "signals": signals }).to_string();
    match spoil {
        Spoil::Not => whole,
        Spoil::Cut(at) => whole.chars().take((at * whole.chars().count() as f64) as usize).collect(),
        Spoil::Fenced => format!("<think>{{hm}}</think>Sure:\n```json\n{whole}\n```\nThat is it {{}}"),
        Spoil::Prose(prose) => prose.clone(),
        Spoil::Deep(depth) => format!("{{\"fields\":{}", "[".repeat(*depth)),
        Spoil::Map => json!({ "fields": map(), "signals": signals }).to_string(),
        Spoil::Bare => map().to_string(),
        Spoil::Doubled => format!("{whole}{whole}"),
    }
}

fn is_true(evidence: &Evidence, transcript: &Transcript) -> bool {
    let said = transcript.messages().iter().find(|m| m.role == Role::User && m.turn == evidence.turn);
    said.and_then(|message| message.text.get(evidence.start..evidence.end)) == Some(evidence.quote.as_str())
        && !evidence.quote.is_empty()
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= LONG,
        Value::Array(items) => items.len() <= MANY && items.iter().all(is_small),
        Value::Object(parts) => parts.len() <= MANY && parts.values().all(is_small),
        _ => true,
    }
}

fn within(score: f64) -> bool {
    (0.0..=1.0).contains(&score)
}

fn check(engine: &Engine, memory: &WorkingMemory, transcript: &Transcript) {
    let stored = serde_json::to_string(memory).expect("a memory can be written");
    let read: WorkingMemory = serde_json::from_str(&stored).expect("what was written can be read");
    assert_eq!(&read, memory, "a memory is read as it was written");
    for (path, field) in memory.extraction.iter() {
        let definition = engine.field(path).unwrap_or_else(|| panic!("{path} is a field of the engine"));
        assert!(within(field.confidence) && within(field.best_confidence()), "{path}: {field:?}");
        assert!(field.candidate.as_ref().is_none_or(|c| within(c.confidence) && is_small(&c.value)), "{path}");
        assert!(field.superseded.len() <= MAX_SUPERSEDED, "{path}: {} superseded", field.superseded.len());
        assert!(field.value.as_ref().is_none_or(is_small), "{path} holds too much");
        assert!(field.superseded.iter().all(|old| old.from_turn <= old.at_turn && old.reason.len() <= LONG), "{path}");
        assert!(field.last_updated_at_turn <= memory.turn, "{path}");
        assert!(field.evidence.as_ref().is_none_or(|e| e.quote.len() <= LONG), "{path} quotes too much");
        if field.state == FieldState::Known {
            assert!(field.value.is_some(), "{path} is known and has a value");
            assert!(field.confidence >= definition.confidence_threshold.0, "{path} is above its threshold");
        }
        if let Some(evidence) = &field.evidence {
            assert!(is_true(evidence, transcript), "{path}: {evidence:?} is what the user said");
        }
        let needs_words = definition.shape.r#type == Kind::String && !definition.inferable;
        if needs_words && field.state == FieldState::Known && field.source == FieldSource::Model {
            assert!(field.evidence.is_some(), "{path}: {field:?} was said");
        }
    }
    let mut entered = 0;
    for visit in &memory.phase.history {
        assert_eq!(visit.entered_at_turn, entered, "the phases follow each other: {:?}", memory.phase);
        assert!(engine.phase(&visit.phase_id).is_some() && within(visit.completeness));
        entered = visit.exited_at_turn;
    }
    assert_eq!(memory.phase.entered_at_turn, entered);
    assert_eq!(memory.phase.turns_in_phase, memory.turn - entered);
    assert!(
        within(memory.completeness.overall) && memory.completeness.by_category.values().all(|score| within(*score))
    );
    assert!(within(memory.saturation.level));
    let mood = &memory.socio_emotional;
    assert!(within(mood.rapport) && within(mood.trust) && within(mood.friction));
    assert!(memory.obligations.iter().all(|(_, state)| within(state.confidence)));
    if let Some(observed) = memory.modes.observed {
        let sum: f64 = observed.iter().sum();
        assert!((sum - 100.0).abs() < 1e-6, "the observed blend sums to 100, not {sum}");
    }
}

fn converse(engine: &Engine, turns: &[(String, Vec<Reading>, Value, Spoil)]) {
    let mut session = ScriptedSession::new(engine);
    for (message, readings, signals, spoil) in turns {
        let turn = session.tell_raw(message, &analysis(message, readings, signals, spoil));
        assert_eq!(turn.report.trace.len(), Step::ALL.len());
        check(engine, &session.memory, &session.transcript);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(64), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_of_a_model_spoils_a_small_memory(
        turns in prop::collection::vec((messages(), readings(), signals(), spoils()), 1..6),
    ) {
        converse(&SMALL, &turns);
    }

    #[test]
    fn any_text_at_all_is_repaired_or_refused(message in messages(), answer in prop_oneof!["\\PC{0,200}", "[{}\\[\\]\",:a0 \\\\/u*-]{0,120}"]) {
        let mut session = ScriptedSession::new(&SMALL);
        session.tell_raw(&message, &answer);
        check(&SMALL, &session.memory, &session.transcript);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(12), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_of_a_model_spoils_a_shipped_memory(
        turns in prop::collection::vec((messages(), readings(), signals(), spoils()), 1..6),
    ) {
        converse(&DISCOVERY, &turns);
    }
}

/// Values with tens of thousands of figures, each of which has to stand in a message with as many: they are looked up,
/// and the message is not read again for each.
#[test]
fn figures_by_the_ten_thousand_are_proven_in_one_look_at_the_message() {
    let engine = Arc::clone(&DISCOVERY);
    let field = engine.definition().fields.iter().find(|field| {
        field.shape.r#type == Kind::Array
            && field.shape.items.as_ref().is_some_and(|items| items.r#type == Kind::String)
    });
    let path = field.expect("an engine has lists of texts").path.as_str();
    let said: Vec<String> = (0..130_000).map(|number| number.to_string()).collect();
    let message = said.join(" ");
    let items: Vec<String> = said.chunks(500).take(90).map(|figures| figures.join(" ")).collect();
    let quote = said[..20].join(" ");
    let mut session = ScriptedSession::new(&engine);
    session.ports.finds(&[(path, json!(items), 0.9, &quote)]);
    let turn = crate::support::block_on(session.say(&message)).expect("a turn");
    let change = turn.figures.steps.iter().find(|entry| entry.step == Step::Extraction).map(|entry| &entry.outcome);
    assert_eq!(change.map(String::as_str), Some("1 accepted, 0 noted, 0 refused"));
    session.ports.finds(&[(path, json!(["999999 of them"]), 0.9, "of them")]);
    let turn = crate::support::block_on(session.say("There are many of them.")).expect("a turn");
    let change = turn.figures.steps.iter().find(|entry| entry.step == Step::Extraction).map(|entry| &entry.outcome);
    assert_eq!(change.map(String::as_str), Some("0 accepted, 0 noted, 1 refused"), "what was never said is no proof");
}

/// An endpoint may send eight megabytes of questions for an answer.
#[test]
fn an_answer_of_a_million_questions_is_checked_like_any_other() {
    let engine = Arc::clone(&DISCOVERY);
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers(&"What is the budget? ".repeat(100_000));
    session.ports.answers(&"Why? ".repeat(100_000));
    let turn = crate::support::block_on(session.say("We need a booking app.")).expect("a turn");
    assert!(turn.answer.text.len() <= 300 * 1024, "{}", turn.answer.text.len());
    let told =
        turn.report.warnings.iter().any(|warning| warning.contains("for one answer; the first 256 KiB of it are kept"));
    assert!(told, "{:?}", turn.report.warnings);
}
