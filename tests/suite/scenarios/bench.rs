//! The bench itself: what a failing expectation says, what a faulty file says, and that chance repeats.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use elenchus::catalogue::{CaseFiles, Catalogue};
use elenchus::decode::Diagnostic;
use elenchus::engine::Engine;
use elenchus::scenario::{self, Case, Played, Voice};
use serde_json::{Value, json};

use crate::engine::support::small;
use crate::support::block_on;

const PERSON: &str = r#"
name = "Somebody"
habits = { wanders = 0.5 }
wanders = ["What a day."]
facts = [{ path = "purpose.problem", says = "Reception loses hours." }]
"#;

fn load(text: &str, engine: &Arc<Engine>) -> (Vec<Case>, Vec<Diagnostic>) {
    let files = CaseFiles {
        origin: "scenarios".to_owned(),
        engine: Some("small".to_owned()),
        files: BTreeMap::from([
            ("one.toml".to_owned(), text.as_bytes().to_vec()),
            ("people/somebody.toml".to_owned(), PERSON.as_bytes().to_vec()),
        ]),
        ..CaseFiles::default()
    };
    scenario::load(&files, &mut |_| Ok(engine.clone()))
}

fn play(text: &str) -> Played {
    let engine = small();
    let (cases, problems) = load(text, &engine);
    assert!(problems.is_empty(), "{}", elenchus::decode::render_all(&problems, false));
    block_on(scenario::play(&cases[0], &engine, &Voice::AsWritten, false, &mut |_, _| {}))
}

#[test]
fn a_failing_expectation_says_what_was_expected_what_came_and_what_decided_it() {
    let engine = small();
    let phase = engine.definition().phases.last().expect("it has phases").id.to_string();
    let played = play(&format!(
        "name = \"x\"\nmodel = {{ type = \"scripted\" }}\n\n[[turns]]\nsays = \"Hello there.\"\nexpect = {{ phase = \"{phase}\" }}\n"
    ));
    let [failure] = played.failures.as_slice() else { panic!("{played:?}") };
    assert_eq!((failure.file.as_str(), failure.line, failure.turn), ("scenarios/one.toml", 6, 1));
    assert_eq!(failure.expected, phase);
    assert_eq!(failure.got, engine.definition().initial_phase.as_str());
    assert!(failure.trace.starts_with("6 phase transition evaluation: stay"), "{}", failure.trace);
}

#[test]
fn a_scenario_has_an_end_in_sight() {
    let engine = small();
    let told = |text: &str| {
        let (_, problems) = load(text, &engine);
        problems.iter().map(|problem| format!("{}: {}", problem.code, problem.message)).collect::<Vec<_>>()
    };
    let repeated = "name = \"x\"\n[[turns]]\nsays = \"Hi\"\ntimes = 4294967295\n";
    assert_eq!(told(repeated), ["too-large: this scenario takes 4294967295 turns"]);
    let simulated = "name = \"x\"\nperson = \"people/somebody.toml\"\n\
                     simulated = { turns = 4000000000, sessions = 4000000000, seed = 4294967295 }\n";
    assert_eq!(told(simulated), ["too-large: this scenario takes 16000000000000000000 turns"]);
    let large = format!("name = \"x\"\n{}", "# comment\n".repeat(60_000));
    assert_eq!(told(&large), ["too-large: one.toml is larger than 512 KiB"]);
}

#[test]
fn names_that_the_engine_does_not_have_are_errors_with_their_place() {
    let text = "name = \"x\"\nmodell = 1\n\n[[turns]]\nsays = \"Hi\"\nexpect = { phase = \"NOWHERE\" }\n";
    let (_, problems) = load(text, &small());
    let found: Vec<(&str, Option<usize>)> =
        problems.iter().map(|problem| (problem.code, problem.position().map(|(line, _)| line))).collect();
    assert_eq!(found, [("unknown-key", Some(2)), ("unknown-name", Some(6))]);
}

#[test]
fn the_schema_of_scenarios_accepts_those_of_the_engines_in_the_binary() {
    let schema = jsonschema::validator_for(&scenario::json_schema()).expect("it is a schema");
    let minimal = json!({ "name": "x", "turns": [{ "says": "Hi" }], "model": { "type": "offline" } });
    assert!(schema.is_valid(&minimal));
    assert!(!schema.is_valid(&json!({ "name": "x", "turn": [] })));
}

#[test]
fn reports_are_json_and_junit() {
    let engine = small();
    let (cases, _) = load(
        "name = \"a < b\"\nmodel = { type = \"scripted\" }\n\n[[turns]]\nsays = \"Hi\"\nexpect = { stays = false }\n",
        &engine,
    );
    let voice = &mut |_: &_| Ok(Voice::AsWritten);
    let runs = [block_on(scenario::run_all(&cases, &engine, 2, voice, None))];
    let report: Value = scenario::to_json(&runs);
    assert_eq!(report["passed"], json!(false));
    assert_eq!(report["reliability"]["pass_1"], json!(0.0));
    assert_eq!(report["engines"][0]["scenarios"][0]["runs"][0]["failures"][0]["line"], json!(6));
    let junit = scenario::junit(&runs);
    well_formed(&junit);
    assert!(junit.contains("<testsuites tests=\"1\" failures=\"1\" skipped=\"0\">"), "{junit}");
    assert!(junit.contains("name=\"a &lt; b\""), "{junit}");
    assert!(junit.contains("<failure message=\"transition: expected moves on, got stays\""), "{junit}");
}

#[test]
fn scenarios_are_no_part_of_an_engine() {
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    for id in catalogue.ids() {
        let (files, _) = catalogue.files(&id).expect("it is in the binary");
        assert!(files.files.keys().all(|name| !name.contains("scenario")), "{id}");
    }
}

#[test]
fn a_simulated_person_says_the_same_for_the_same_seed() {
    let engine = small();
    let scenario = |seed: u32| {
        format!(
            "name = \"x\"\nmodel = {{ type = \"scripted\" }}\nperson = \"people/somebody.toml\"\nsimulated = {{ turns = 8, seed = {seed} }}\n"
        )
    };
    let said = |seed: u32| {
        let (cases, problems) = load(&scenario(seed), &engine);
        assert!(problems.is_empty(), "{}", elenchus::decode::render_all(&problems, false));
        let mut lines = Vec::new();
        let mut watch = |_: &str, turn: &elenchus::host::protocol::TurnDone| lines.push(turn.message.text.clone());
        block_on(scenario::play(&cases[0], &engine, &Voice::AsWritten, false, &mut watch));
        lines
    };
    assert_eq!(said(3), said(3));
    assert!((1..20).any(|seed| said(seed) != said(3)));
}

#[test]
fn the_sections_of_the_context_are_expected_by_name() {
    let scenario = |context: &str| {
        format!(
            "name = \"x\"\nmodel = {{ type = \"scripted\" }}\n\n[[turns]]\nsays = \"Hello there.\"\nexpect = {{ context = {context} }}\n"
        )
    };
    let met =
        play(&scenario("{ sections = [\"history\", \"user_message\"], empty = [\"handoff\"], max_tokens = 100000 }"));
    assert_eq!(met.failures, []);
    let missed = play(&scenario("{ sections = [\"handoff\"], empty = [\"user_message\"], max_tokens = 1 }"));
    let [failure] = missed.failures.as_slice() else { panic!("{missed:?}") };
    assert_eq!(failure.expected, "at most 1 tokens, something in handoff, nothing in user_message");
    assert!(failure.got.contains("handoff 0") && failure.got.contains("user_message "), "{}", failure.got);
    assert!(failure.trace.starts_with("10 context assembly"), "{}", failure.trace);
    let (_, problems) = load(&scenario("{ empty = [\"handof\"] }"), &small());
    assert_eq!(problems[0].message, "the engine has no section of the context `handof`");
}

#[test]
fn how_well_a_handoff_was_taken_up_is_expected() {
    let scenario = |answer: &str, receipt: &str| {
        format!(
            r#"
name = "x"
model = {{ type = "scripted" }}

[handoff.metadata]
source_engine_id = "other"
target_engine_id = "small"

[handoff.action_list]
decisions_reached = [{{ decision = "Custom Web App", confidence = 0.85, reasoning = "Control" }}]
constraints_identified = [{{ constraint = "Budget 50k", implication = "" }}]

[[turns]]
says = "Let us go on."
answer = "{answer}"
expect = {{ receipt = {receipt}, context = {{ sections = ["handoff"] }} }}
"#
        )
    };
    let whole = "A custom web app within the budget of 50k. Who will use it?";
    assert_eq!(play(&scenario(whole, "{ verified = true, missing = 0 }")).failures, []);
    let missed = play(&scenario("I see. Who will use it?", "{ verified = true, missing = 0 }"));
    let [failure] = missed.failures.as_slice() else { panic!("{missed:?}") };
    assert_eq!((failure.what.as_str(), failure.expected.as_str()), ("receipt", "verified true, 0 missing"));
    assert!(failure.got.starts_with("verified false, 2 missing (Custom Web App; "), "{}", failure.got);
    assert!(failure.trace.starts_with("13 QA check"), "{}", failure.trace);

    let nothing = "name = \"x\"\nmodel = { type = \"scripted\" }\n\n[[turns]]\nsays = \"Hello there.\"\nexpect = { receipt = { verified = true } }\n";
    let nothing = play(nothing);
    assert_eq!(nothing.failures[0].got, "nothing was handed over");
}

/// Whether a text is XML as far as build servers care: one root, elements closed in order, nothing loose inside them.
fn well_formed(xml: &str) {
    let (head, mut rest) = xml.split_once("?>").expect("a declaration");
    assert!(head.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\""), "{head}");
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>') && (!open.is_empty() || text.trim().is_empty()), "{text}");
        for entity in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|name| entity.starts_with(name)), "{entity}");
        }
        let (tag, after) = after.split_once('>').expect("a tag ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.trim_matches('/').split_whitespace().next().expect("a name");
        roots += usize::from(open.is_empty());
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), Some(name)),
            (false, false) => open.push(name),
            (false, true) => {}
        }
        rest = after;
    }
    assert_eq!((open.len(), roots, rest.trim()), (0, 1, ""));
}
