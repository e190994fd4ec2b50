//! Fields, and how a value gets in: proof, types, thresholds, merging, superseding, doubt.

use std::sync::Arc;

use elenchus::decode::render_all;
use elenchus::engine::brief;
use elenchus::engine::config::{EngineFiles, load};
use elenchus::engine::edit::{self, EditError};
use elenchus::engine::extraction::{Change, ChangeKind, LogEntry, MAX_SLICE, dependents};
use elenchus::engine::memory::{
    Asked, Candidate, Evidence, ExtractedField, FieldSource, FieldState, MAX_SUPERSEDED, MAX_TURNS, Superseded,
    WorkingMemory,
};
use elenchus::engine::ports::CallError;
use elenchus::engine::values::shaped_text;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::support::{SMALL, Talk, catalogue, details, outcome, shipped, small, small_with};
use crate::support::scripted::{ScriptedSession, ScriptedTurn, SeenRequest};

const PROBLEM: &str = "Reception loses 3 hours a day on the phone";

fn evidence(turn: u32, message: &str, quote: &str) -> Evidence {
    let start = message.find(quote).expect("the quote stands in the message");
    Evidence { turn, start, end: start + quote.len(), quote: quote.to_owned() }
}

fn refused(turn: &ScriptedTurn) -> Value {
    details(turn, "extraction")["refused"].take()
}

#[test]
fn a_text_with_a_real_quote_is_accepted_with_its_place_in_the_message() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let message = format!("Well, {PROBLEM}!");
    let turn =
        session.tell(&message, &[("purpose.problem", json!("Reception loses time"), 0.9, "reception LOSES 3 hours")]);
    let proof = evidence(1, &message, "Reception loses 3 hours");
    let expected = ExtractedField {
        state: FieldState::Known,
        value: Some(json!("Reception loses time")),
        confidence: 0.9,
        extracted_from_turns: vec![1],
        last_updated_at_turn: 1,
        evidence: Some(proof.clone()),
        further: vec![],
        confirmed_by: None,
        source: FieldSource::Model,
        superseded: vec![],
        candidate: None,
    };
    assert_eq!(session.field("purpose.problem"), &expected);
    let change = Change {
        path: "purpose.problem".to_owned(),
        kind: ChangeKind::New,
        value: json!("Reception loses time"),
        confidence: 0.9,
        evidence: Some(proof),
        previous: None,
        reason: "scripted".to_owned(),
    };
    assert_eq!(session.ports.kept[0].log, [LogEntry::of(&change, 1)]);
    assert_eq!(turn.report.extraction_changes, [change]);
}

#[test]
fn a_text_of_the_message_whose_quote_is_nowhere_stays_a_candidate_worth_half_at_most() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let found = [("purpose.problem", json!("Long queues"), 0.95, "the queues are long")];
    let turn = session.tell("We want an app against our queues.", &found);
    let candidate = Candidate {
        value: json!("Long queues"),
        confidence: 0.5,
        turn: 1,
        reason: "its quote is nowhere in your words".to_owned(),
        evidence: None,
    };
    assert_eq!(session.field("purpose.problem").candidate, Some(candidate));
    assert_eq!(session.state("purpose.problem"), FieldState::Candidate);
    assert_eq!(turn.report.extraction_changes, []);
    assert!(turn.report.changed("purpose.problem", ChangeKind::Candidate));
}

#[test]
fn what_stands_nowhere_in_the_message_with_its_quote_is_refused_and_no_note_tells_of_it() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let found = [
        ("purpose.problem", json!("Long queues"), 0.95, "the queues are long"),
        ("purpose.trigger", json!("90000 euros for an app"), 0.95, "90000 euros"),
    ];
    let turn = session.tell("We want an app.", &found);
    assert_eq!(session.memory.extraction.get("purpose.problem"), None);
    assert_eq!(session.memory.extraction.get("purpose.trigger"), None, "its figure was never given");
    assert!(outcome(&turn, "extraction").contains("2 refused"), "{}", outcome(&turn, "extraction"));
    assert!(!session.last_system().concat().contains("90000"), "{:?}", session.last_system());
}

#[test]
fn a_text_that_the_user_wrote_word_for_word_is_its_own_quote() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Mostly long queues, I think", &[("purpose.problem", json!("long queues"), 0.9, "bogus")]);
    assert_eq!(session.field("purpose.problem").evidence.as_ref().map(|e| e.quote.as_str()), Some("long queues"));
}

#[test]
fn a_quote_from_an_earlier_message_counts_and_points_there() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let said = "Nobody’s at the desk, so we don't answer";
    session.chat(said);
    session.tell("That is why.", &[("purpose.problem", json!("No answer at the desk"), 0.9, "we don't answer")]);
    assert_eq!(session.field("purpose.problem").evidence, Some(evidence(1, said, "we don't answer")));
}

#[test]
fn what_the_engine_said_itself_is_no_proof() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Perhaps the printers jam?");
    session.chat("Hello there");
    session.tell("Well.", &[("purpose.problem", json!("Printers jam"), 0.9, "the printers jam")]);
    assert_eq!(session.memory.extraction.get("purpose.problem"), None);
}

#[test]
fn figures_that_the_user_never_gave_are_not_accepted_in_a_text() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell(PROBLEM, &[("purpose.problem", json!("15 hours a week are lost"), 0.9, "loses 3 hours a day")]);
    assert_eq!(
        session.field("purpose.problem").candidate.as_ref().map(|c| (c.confidence, c.reason.as_str())),
        Some((0.5, "it has figures that you never gave"))
    );
}

#[test]
fn figures_may_be_written_in_another_way_than_they_were_said() {
    for (said, value) in [
        ("It costs 40k a year", "40,000 a year"),
        ("It costs 40,000 a year", "40000 a year"),
        ("It costs forty thousand a year", "40 thousand a year"),
        ("Three hours a day", "3 hours a day"),
        ("Since 2024-03", "since 2024"),
    ] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        session.tell(said, &[("purpose.problem", json!(value), 0.9, said)]);
        assert_eq!(session.state("purpose.problem"), FieldState::Known, "{said} as {value}");
    }
}

#[test]
fn a_number_has_to_be_the_one_that_was_said() {
    for (said, number, accepted) in [
        ("There are 12 of us", json!(12), true),
        ("There are twelve of us", json!(12), true),
        ("There are twenty-five of us", json!(25), true),
        ("A couple of dozen", json!(24), true),
        ("Two hundred and fifty people", json!(250), true),
        ("A hundred people", json!(100), true),
        ("About 1,200 people", json!(1200), true),
        ("About 1.5 million", json!(1_500_000), true),
        ("About 40k", json!("40k"), true),
        ("Some 30% of 90", json!(0.3), true),
        ("There is nobody", json!(0), true),
        ("Two and a half thousand", json!(2500), true),
        ("Half a million", json!(500_000), true),
        ("3k", json!(3000), true),
        ("Between ten and twenty", json!(20), true),
        ("Between ten and twenty", json!(30), false),
        ("There are 12 of us", json!(120), false),
        ("There are 12 of us", json!(13), false),
        ("A lot of people", json!(500), false),
        ("A lot of people", json!(1), false),
        ("Many people", json!(0), false),
    ] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        session.tell(said, &[("people.count", number.clone(), 0.9, said)]);
        assert_eq!(session.memory.extraction.is_known("people.count"), accepted, "{said} as {number}");
    }
}

#[test]
fn a_quote_of_words_that_stand_in_every_message_proves_no_text() {
    for (said, quote) in
        [("The queue, and it is long.", "it is"), ("Yes and no.", "Yes and"), ("It is the queue.", "the")]
    {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        session.tell(said, &[("purpose.problem", json!("Reception loses patients"), 0.9, quote)]);
        assert!(!session.memory.extraction.is_known("purpose.problem"), "{quote}");
    }
}

/// Has the last answer ask for an obligation.
fn ask_for(session: &mut ScriptedSession<'_>, obligation: &str) {
    session.memory.asked.push(Asked { obligation: obligation.to_owned(), ..Asked::default() });
}

#[test]
fn few_words_prove_what_needs_no_more() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let found = [
        ("people.private", json!(true), 0.9, "Yes"),
        ("people.count", json!(1), 0.9, "one"),
        ("people.tools", json!(["none"]), 0.9, "no"),
    ];
    ask_for(&mut session, "private_known");
    session.tell("Yes, one of us, with no tools.", &found);
    assert_eq!(session.field("people.private").value, Some(json!(true)));
    assert_eq!(session.field("people.count").value, Some(json!(1)));
    assert_eq!(session.field("people.tools").value, Some(json!(["none"])));
    session.tell("No.", &[("purpose.problem", json!("no"), 0.9, "No")]);
    assert_eq!(session.field("purpose.problem").value, Some(json!("no")), "it is all they said");
}

#[test]
fn a_number_inside_an_object_has_to_be_the_one_that_was_said_too() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Call Ann on 42", &[("people.contact", json!({ "name": "Ann", "extension": 24 }), 0.9, "Ann on 42")]);
    assert_eq!(session.state("people.contact"), FieldState::Candidate);
    session.tell("As I said", &[("people.contact", json!({ "name": "Ann", "extension": "42" }), 0.9, "Ann on 42")]);
    assert_eq!(session.field("people.contact").value, Some(json!({ "name": "Ann", "extension": 42 })));
}

#[test]
fn enums_and_booleans_need_a_quote_and_not_their_literal_value() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let literal = [("people.role", json!("nurse"), 0.9, "nurse"), ("people.private", json!(true), 0.9, "true")];
    session.tell("The staff on the ward keep charts.", &literal);
    assert_eq!(session.memory.extraction.get("people.role"), None);
    assert_eq!(session.memory.extraction.get("people.private"), None);
    let quoted =
        [("people.role", json!("Nurse"), 0.9, "on the ward"), ("people.private", json!("yes"), 0.9, "keep charts")];
    ask_for(&mut session, "size_known");
    ask_for(&mut session, "private_known");
    session.tell("Those on the ward, they keep charts.", &quoted);
    assert_eq!(session.field("people.role").value, Some(json!("nurse")));
    assert_eq!(session.field("people.private").value, Some(json!(true)));
}

#[test]
fn an_inferable_field_needs_no_quote_and_says_that_it_was_concluded() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("They throw pens.", &[("purpose.mood", json!("angry"), 0.8, "they are angry")]);
    let field = session.field("purpose.mood");
    assert_eq!((field.state, field.source, &field.evidence), (FieldState::Known, FieldSource::Inferred, &None));
}

#[test]
fn below_its_threshold_a_value_stays_a_candidate_that_keeps_its_confidence() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let found =
        [("purpose.problem", json!("calls"), 0.69, "the calls"), ("people.role", json!("clerk"), 0.79, "clerks")];
    session.tell("It is the calls that clerks take.", &found);
    let reason = |path: &str| session.field(path).candidate.clone().map(|c| (c.confidence, c.reason));
    assert_eq!(reason("purpose.problem"), Some((0.69, "confidence 0.69 is below 0.70".to_owned())));
    assert_eq!(reason("people.role"), Some((0.79, "confidence 0.79 is below 0.80".to_owned())));
}

#[test]
fn a_null_with_the_users_words_takes_a_value_back() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell(PROBLEM, &[("purpose.problem", json!("Phone calls"), 0.9, "on the phone")]);
    let turn = session.tell("Forget what I said.", &[("purpose.problem", Value::Null, 0.9, "forget what i said")]);
    let field = session.field("purpose.problem");
    assert_eq!((field.state, &field.value, &field.evidence), (FieldState::Candidate, &None, &None));
    assert_eq!(
        field.superseded,
        [Superseded { value: json!("Phone calls"), from_turn: 1, at_turn: 2, reason: "scripted".to_owned() }]
    );
    assert!(turn.report.changed("purpose.problem", ChangeKind::Cleared));
}

#[test]
fn a_null_without_the_users_words_takes_nothing_back() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell(PROBLEM, &[("purpose.problem", json!("Phone calls"), 0.9, "on the phone")]);
    let turn = session.tell("Anyway.", &[("purpose.problem", Value::Null, 0.9, "forget it")]);
    assert_eq!(session.field("purpose.problem").value, Some(json!("Phone calls")));
    assert_eq!(
        refused(&turn),
        json!([{ "path": "purpose.problem", "reason": "a value is taken back only in your own words" }])
    );
}

#[test]
fn words_said_before_a_value_was_taken_back_do_not_bring_it_back() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell(PROBLEM, &[("purpose.problem", json!("Phone calls"), 0.9, "on the phone")]);
    session.tell("Forget that.", &[("purpose.problem", Value::Null, 0.9, "forget that")]);
    let turn = session.tell("So?", &[("purpose.problem", json!("Phone calls"), 0.9, "on the phone")]);
    assert_eq!(session.field("purpose.problem").value, None);
    assert_eq!(refused(&turn), json!([{ "path": "purpose.problem", "reason": "you took it back later" }]));
}

#[test]
fn a_map_from_path_to_reading_is_understood_with_and_without_its_envelope() {
    let reading = json!({ "purpose.problem": { "value": "Phone calls", "confidence": 0.9, "quote": "on the phone" } });
    for answer in [json!({ "fields": reading, "signals": {} }), reading.clone()] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        session.tell_raw(PROBLEM, &answer.to_string());
        assert_eq!(session.field("purpose.problem").value, Some(json!("Phone calls")), "{answer}");
    }
}

#[test]
fn sloppy_output_is_repaired_and_the_trace_says_so() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let answer = "Sure!\n```json\n{'fields': [{'path': 'purpose.problem', 'value': 'Phone calls', 'confidence': '90%', \
                  'quote': 'on the phone',},], 'signals': {}}\n```\nHope that helps.";
    let turn = session.tell_raw(PROBLEM, answer);
    assert_eq!(session.field("purpose.problem").confidence, 0.9);
    assert_eq!(details(&turn, "extraction")["repaired"], json!(true));
}

#[test]
fn output_that_cannot_be_repaired_is_refused_in_words_and_the_turn_goes_on() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell_raw(PROBLEM, "I am sorry, I cannot do that.");
    assert_eq!(
        turn.report.warnings,
        [
            "The model's notes on this message cannot be read: what rules hear in it is kept, and it is looked at again with your next one."
        ]
    );
    assert_eq!(session.memory.extraction.iter().count(), 0);
    assert_eq!(session.memory.turn, 1);
}

#[test]
fn what_no_model_has_read_is_heard_by_rules_and_read_again_without_a_change_of_mind() {
    for missed in [Ok("I am sorry, I cannot do that.".to_owned()), Err(CallError::failed("It is in trouble."))] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        session.chat("Hello.");
        assert_eq!(session.asked(), ["problem_known"]);
        session.ports.analyses.push_back(missed);
        session.chat("The queues are too long.");
        assert_eq!(session.field("purpose.problem").value, Some(json!("The queues are too long")));
        assert_ne!(session.asked(), ["problem_known"], "it is not asked for again");
        let found = [("purpose.problem", json!("Queues that are too long"), 0.9, "The queues are too long")];
        session.tell("Since Ann left.", &found);
        let field = session.field("purpose.problem");
        assert_eq!(field.value, Some(json!("Queues that are too long")), "a model reads better");
        assert_eq!(field.superseded, [], "nothing else was said");
    }
}

#[test]
fn a_report_without_its_envelope_or_in_another_counts() {
    let entry =
        json!({ "path": "purpose.problem", "value": "Phone calls", "confidence": "high", "quote": "on the phone" });
    for analysis in [json!({ "analysis": { "fields": [entry], "signals": {} } }), json!([entry])] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        let turn = session.tell_raw(PROBLEM, &analysis.to_string());
        assert_eq!(session.field("purpose.problem").value, Some(json!("Phone calls")), "{analysis}");
        assert_eq!(turn.report.warnings, Vec::<String>::new(), "{analysis}");
    }
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell_raw("on the phone", &json!({ "purpose.problem": "on the phone" }).to_string());
    assert_eq!(session.field("purpose.problem").value, Some(json!("on the phone")), "the words are their own proof");
}

#[test]
fn data_that_is_no_report_is_told_and_the_message_looked_at_again_until_there_is_one() {
    for analysis in [
        "{}",
        "",
        "[]",
        "null",
        r#"{"query": "library"}"#,
        r#"{"error": "I cannot"}"#,
        r#"{"fields": null}"#,
        r#"{"type": "object", "properties": {"fields": {"type": "array", "items": []}}}"#,
    ] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        for said in [PROBLEM, "It is like that every day.", "Really."] {
            let turn = session.tell_raw(said, analysis);
            assert_eq!(turn.report.warnings.len(), 1, "{analysis}");
            assert!(turn.report.warnings[0].contains("looked at again with your next one"), "{analysis}");
            assert_eq!(session.memory.unread, Some(1), "{analysis}");
        }
        let turn = session.tell("So?", &[("purpose.problem", json!("Phone calls"), 0.9, "on the phone")]);
        let asked = session.ports.requests.iter().rev().find_map(|request| match request {
            SeenRequest::Analysis { material, .. } => Some(material.clone()),
            _ => None,
        });
        assert!(asked.is_some_and(|asked| asked.contains("3 messages before this one")), "{analysis}");
        assert_eq!(session.field("purpose.problem").value, Some(json!("Phone calls")), "{analysis}");
        assert_eq!((turn.report.warnings.len(), session.memory.unread), (0, None), "{analysis}");
    }
}

#[test]
fn a_known_value_is_replaced_by_a_correction_or_when_it_was_asked_for_and_else_asked_about() {
    let said = "We lose three hours a day on the phone";
    let known = |session: &mut ScriptedSession<'_>| {
        session.tell(&format!("{said}."), &[("purpose.problem", json!(said), 0.9, said)]);
        session.memory.asked.clear();
    };
    for (message, quote, replaced) in [
        ("About 300 members come here.", "About 300 members come here", false),
        ("No, that is wrong: the parking is too small.", "the parking is too small", true),
    ] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        known(&mut session);
        session.tell(message, &[("purpose.problem", json!(quote), 0.9, quote)]);
        let field = session.field("purpose.problem");
        let candidate = field.candidate.as_ref().map(|candidate| candidate.reason.as_str());
        let value = if replaced { quote } else { said };
        let doubt = (!replaced).then_some("you said something else before");
        assert_eq!((field.value.as_ref(), candidate), (Some(&json!(value)), doubt), "{message}");
    }
}

#[test]
fn wrong_types_unknown_fields_and_placeholders_are_refused_one_by_one() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let found = [
        ("purpose.nothing", json!("x"), 0.9, "on the phone"),
        ("people.count", json!([1]), 0.9, "on the phone"),
        ("people.role", json!("plumber"), 0.9, "on the phone"),
        ("people.private", json!("perhaps"), 0.9, "on the phone"),
        ("people.team", json!([1, null]), 0.9, "on the phone"),
        ("purpose.trigger", json!("N/A"), 0.9, "on the phone"),
        ("purpose.mood", json!("x".repeat(5_000)), 0.9, "on the phone"),
    ];
    let turn = session.tell(PROBLEM, &found);
    assert_eq!(
        refused(&turn),
        json!([
            { "path": "purpose.nothing", "reason": "there is no such field" },
            { "path": "people.count", "reason": "expected a number" },
            { "path": "people.role", "reason": "“plumber” is not one of the options" },
            { "path": "people.private", "reason": "expected yes or no" },
            { "path": "purpose.trigger", "reason": "“N/A” is a placeholder" },
            { "path": "purpose.mood", "reason": "the text has 5000 bytes" },
        ])
    );
    assert_eq!(outcome(&turn, "extraction"), "0 accepted, 1 noted, 6 refused");
}

#[test]
fn the_same_value_again_is_a_contribution_and_more_confidence_an_update() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("The calls.", &[("purpose.problem", json!("the calls"), 0.8, "the calls")]);
    let again = session.tell("The calls!", &[("purpose.problem", json!("The calls."), 0.75, "the calls")]);
    assert_eq!(again.report.extraction_changes, []);
    assert_eq!(session.field("purpose.problem").extracted_from_turns, [1, 2]);
    let surer = session.tell("Really the calls.", &[("purpose.problem", json!("the calls"), 0.95, "the calls")]);
    assert!(surer.report.changed("purpose.problem", ChangeKind::Update));
    let field = session.field("purpose.problem");
    assert_eq!((field.confidence, &field.superseded), (0.95, &vec![]));
}

#[test]
fn a_text_that_says_all_of_the_old_one_and_more_is_an_update() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("The calls.", &[("purpose.problem", json!("the calls"), 0.9, "the calls")]);
    let message = "It is the calls in the morning.";
    let turn =
        session.tell(message, &[("purpose.problem", json!("the calls in the morning"), 0.8, "calls in the morning")]);
    assert!(turn.report.changed("purpose.problem", ChangeKind::Update));
    let field = session.field("purpose.problem");
    assert_eq!((field.confidence, &field.value), (0.9, &Some(json!("the calls in the morning"))));
}

#[test]
fn replace_puts_the_new_list_in_place_of_the_old_one() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Bonn and Ulm.", &[("people.sites", json!(["Bonn", "Ulm"]), 0.9, "Bonn and Ulm")]);
    let turn = session.tell("No, only Köln.", &[("people.sites", json!("Köln"), 0.9, "only Köln")]);
    assert_eq!(session.field("people.sites").value, Some(json!(["Köln"])));
    assert!(turn.report.changed("people.sites", ChangeKind::Supersede));
}

#[test]
fn union_gathers_elements_and_keeps_one_of_each() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Paper and Excel.", &[("people.tools", json!(["Paper", "Excel"]), 0.9, "paper and Excel")]);
    let turn = session.tell("Excel, phones.", &[("people.tools", json!(["excel", "phones"]), 0.9, "Excel, phones")]);
    assert_eq!(session.field("people.tools").value, Some(json!(["Paper", "Excel", "phones"])));
    assert!(turn.report.changed("people.tools", ChangeKind::Update));
}

#[test]
fn upsert_completes_elements_by_their_key_and_adds_others() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Ann and Bo.", &[("people.team", json!([{ "name": "Ann" }, { "name": "Bo" }]), 0.9, "Ann and Bo")]);
    let more = json!([{ "name": "ANN", "duty": "rota" }, { "name": "Cy" }, { "duty": "nobody's" }]);
    session.tell("Ann does the rota, Cy helps.", &[("people.team", more, 0.9, "Ann does the rota, Cy helps")]);
    assert_eq!(
        session.field("people.team").value,
        Some(json!([{ "name": "ANN", "duty": "rota" }, { "name": "Bo" }, { "name": "Cy" }]))
    );
}

#[test]
fn a_list_that_is_gathered_stays_within_bounds() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for round in ["first", "second", "third"] {
        let items: Vec<String> =
            ('a'..='z').flat_map(|a| ['x', 'y', 'z'].map(|b| format!("{round} tool {a}{b}"))).collect();
        session.tell("All of these tools.", &[("people.tools", json!(items), 0.9, "all of these tools")]);
    }
    let Some(Value::Array(tools)) = &session.field("people.tools").value else { panic!("it is a list") };
    assert_eq!((tools.len(), &tools[0]), (100, &json!("first tool ax")));
}

#[test]
fn superseding_keeps_the_old_value_its_turn_and_the_reason() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Long queues.", &[("purpose.problem", json!("long queues"), 0.9, "long queues")]);
    session.chat("Hm.");
    let turn = session.tell("No, missed calls.", &[("purpose.problem", json!("missed calls"), 0.8, "missed calls")]);
    let field = session.field("purpose.problem");
    assert_eq!(
        field.superseded,
        [Superseded { value: json!("long queues"), from_turn: 1, at_turn: 3, reason: "scripted".to_owned() }]
    );
    assert_eq!((field.confidence, field.evidence.as_ref().map(|e| e.turn)), (0.8, Some(3)));
    assert_eq!(turn.report.extraction_changes[0].previous, Some(json!("long queues")));
}

#[test]
fn the_chain_of_superseded_values_is_bounded_and_keeps_the_newest() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for word in ["ash", "birch", "cedar", "elm", "fir", "hazel", "ivy", "juniper", "kauri", "larch", "maple"] {
        session.tell(&format!("No, {word}!"), &[("purpose.problem", json!(word), 0.9, word)]);
    }
    let chain = &session.field("purpose.problem").superseded;
    assert_eq!((chain.len(), &chain[MAX_SUPERSEDED - 1].value), (MAX_SUPERSEDED, &json!("larch")));
}

#[test]
fn older_words_do_not_replace_what_was_said_later() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Long queues.", &[("purpose.problem", json!("long queues"), 0.9, "long queues")]);
    session.tell("No, missed calls.", &[("purpose.problem", json!("missed calls"), 0.8, "missed calls")]);
    let turn = session.tell("Right.", &[("purpose.problem", json!("long queues"), 0.99, "long queues")]);
    assert_eq!(session.field("purpose.problem").value, Some(json!("missed calls")));
    assert_eq!(refused(&turn), json!([{ "path": "purpose.problem", "reason": "what you said later counts" }]));
}

#[test]
fn a_record_is_corrected_as_it_is_shown_by_the_names_and_units_of_its_parts() {
    let plain = "properties = { name = { type = \"string\" }, extension = { type = \"number\" } }";
    let named = "properties = { name = { name = \"Whom\", type = \"string\" }, \
                 extension = { name = \"Waits\", type = \"number\", unit = \"minutes\" } }";
    let engine = small_with(&[(plain, named)]);
    let session = ScriptedSession::new(&engine);
    let correct = |text: &str| {
        let edited = edit::correct(&engine, &session.memory, "people.contact", &json!(text)).expect("a field");
        edited.memory.extraction.value("people.contact").cloned().expect("it is known")
    };
    let value = json!({ "name": "Ada", "extension": 12 });
    let shown = shaped_text(&value, &engine.field("people.contact").expect("a field").shape);
    assert_eq!(shown, "Whom: Ada; Waits: 12 minutes");
    assert_eq!(correct(&shown), value);
    assert_eq!(correct("name: Ada; extension: 12"), value);
    assert_eq!(correct("Ada: the nurse"), json!({ "name": "Ada: the nurse" }));
}

#[test]
fn a_brief_prints_records_by_the_names_of_their_parts() {
    let plain = "properties = { name = { type = \"string\" }, duty = { type = \"string\" } }";
    let named = "properties = { name = { name = \"Who\", type = \"string\" }, duty = { type = \"string\" } }";
    assert_eq!(SMALL.matches(plain).count(), 1);
    let brief = "{{ value('people.team') }}|{% for person in extraction.people.team %}{{ person }}|{{ person.duty }}|\
                 {{ person | items | map('first') | join(' ') }}|{% endfor %}{{ provenance | map(attribute='value') | join }}";
    let files = [
        ("engine.toml", SMALL.replacen(plain, named, 1)),
        ("prompt.md", "You ask.".to_owned()),
        ("brief.md", brief.to_owned()),
    ];
    let files = EngineFiles {
        origin: "small".to_owned(),
        folder: "small".to_owned(),
        files: files.into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())).collect(),
        ..EngineFiles::default()
    };
    let loaded = load(&files, catalogue().library(), &["small".to_owned(), "other".to_owned()]);
    let engine = loaded.engine.unwrap_or_else(|| panic!("{}", render_all(&loaded.diagnostics, false)));
    let memory = ScriptedSession::new(&engine).memory;
    let team = json!([{ "name": "Ada", "duty": "calls" }, { "name": "Bo" }]);
    let memory = edit::correct(&engine, &memory, "people.team", &team).expect("a field").memory;
    let all = "Who: Ada; duty: calls, Who: Bo";
    let expected = format!("{all}|Who: Ada; duty: calls|calls|duty name|Who: Bo|—|duty name|{all}\n");
    assert_eq!(brief::render(&engine, &memory, &brief::Heading::default()).expect("it can be written"), expected);
}

#[test]
fn a_correction_of_the_users_own_is_certain_and_is_theirs() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Long queues.", &[("purpose.problem", json!("long queues"), 0.9, "long queues")]);
    let edited =
        edit::correct(&engine, &session.memory, "purpose.problem", &json!("missed calls")).expect("it is a field");
    let field = edited.memory.extraction.get("purpose.problem").expect("it is there");
    assert_eq!((field.confidence, field.source, field.state), (1.0, FieldSource::User, FieldState::Known));
    assert_eq!(
        field.superseded,
        [Superseded {
            value: json!("long queues"),
            from_turn: 1,
            at_turn: 1,
            reason: "you set it yourself".to_owned()
        }]
    );
    assert_eq!(edited.changes[0].kind, ChangeKind::Supersede);
    assert_eq!(edited.log[0].extraction_type, ChangeKind::Supersede);
}

#[test]
fn a_correction_of_the_users_own_yields_to_later_words_only() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Long queues.", &[("purpose.problem", json!("long queues"), 0.9, "long queues")]);
    session.memory =
        edit::correct(&engine, &session.memory, "purpose.problem", &json!("missed calls")).expect("a field").memory;
    session.tell("Hm.", &[("purpose.problem", json!("long queues"), 0.99, "long queues")]);
    assert_eq!(session.field("purpose.problem").value, Some(json!("missed calls")));
    session.tell("No: lost keys.", &[("purpose.problem", json!("lost keys"), 0.9, "lost keys")]);
    assert_eq!(session.field("purpose.problem").value, Some(json!("lost keys")));
}

#[test]
fn a_correction_of_the_wrong_type_is_refused() {
    let engine = small();
    let session = ScriptedSession::new(&engine);
    let wrong = |path: &str, value: Value| edit::correct(&engine, &session.memory, path, &value).err();
    let told = |error: Option<EditError>| error.map(|error| error.to_string());
    assert_eq!(told(wrong("people.count", json!("many"))).as_deref(), Some("expected a number"));
    assert_eq!(told(wrong("people.nothing", json!(1))).as_deref(), Some("there is no such field"));
    let cleared = edit::clear(&engine, &session.memory, "people.count").err();
    assert_eq!(told(cleared).as_deref(), Some("nothing is known of that field"));
}

/// A session that knows a problem, what triggered it, and the role that depends on the trigger.
fn with_dependents(engine: &elenchus::engine::Engine) -> ScriptedSession<'_> {
    let mut session = ScriptedSession::new(engine);
    let found = [
        ("purpose.problem", json!("long queues"), 0.9, "long queues"),
        ("purpose.trigger", json!("the flu"), 0.9, "the flu"),
        ("people.role", json!("nurse"), 0.9, "our nurses"),
    ];
    session.tell("Since the flu our nurses see long queues.", &found);
    session
}

#[test]
fn superseding_a_value_puts_what_depends_on_it_in_doubt_through_all_links() {
    let engine = small();
    assert_eq!(dependents(engine.definition(), "purpose.problem"), ["purpose.trigger", "people.role"]);
    let mut session = with_dependents(&engine);
    let turn = session.tell("No, it is lost keys.", &[("purpose.problem", json!("lost keys"), 0.9, "lost keys")]);
    assert_eq!([session.state("purpose.trigger"), session.state("people.role")], [FieldState::Stale; 2]);
    assert_eq!(session.field("purpose.trigger").value, Some(json!("the flu")), "a stale value is kept");
    let notes: Vec<_> =
        turn.report.extraction_notes.iter().map(|n| (n.path.as_str(), n.kind, n.reason.as_str())).collect();
    assert_eq!(
        notes,
        [
            ("purpose.trigger", ChangeKind::Stale, "“Problem” has changed"),
            ("people.role", ChangeKind::Stale, "“Problem” has changed")
        ]
    );
    assert!(!session.memory.extraction.is_known("purpose.trigger"));
}

#[test]
fn what_was_said_in_the_same_message_is_not_put_in_doubt_in_whatever_order_it_is_read() {
    let parent = ("purpose.problem", json!("lost keys"), 0.9, "lost keys");
    let child = ("purpose.trigger", json!("the flu"), 0.8, "the flu");
    for found in [[parent.clone(), child.clone()], [child, parent]] {
        let engine = small();
        let mut session = with_dependents(&engine);
        session.tell("It is lost keys, since the flu.", &found);
        assert_eq!(session.state("purpose.trigger"), FieldState::Known);
    }
}

#[test]
fn a_stale_value_is_known_again_once_it_is_said_again() {
    let engine = small();
    let mut session = with_dependents(&engine);
    session.tell("No, lost keys.", &[("purpose.problem", json!("lost keys"), 0.9, "lost keys")]);
    let turn = session.tell("Still the flu.", &[("purpose.trigger", json!("the flu"), 0.8, "the flu")]);
    assert!(turn.report.changed("purpose.trigger", ChangeKind::Update));
    assert_eq!(session.state("purpose.trigger"), FieldState::Known);
    assert_eq!(session.field("purpose.trigger").superseded, []);
}

#[test]
fn clearing_a_value_by_hand_puts_what_depends_on_it_in_doubt() {
    let engine = small();
    let session = with_dependents(&engine);
    let edited = edit::clear(&engine, &session.memory, "purpose.problem").expect("it is known");
    let state = |path: &str| edited.memory.extraction.get(path).map(|field| field.state);
    assert_eq!(state("purpose.problem"), Some(FieldState::Candidate));
    assert_eq!(state("purpose.trigger"), Some(FieldState::Stale));
}

#[test]
fn a_huge_quote_is_kept_as_a_pointer_to_its_beginning() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let message = "é word ".repeat(2_000);
    session.tell(&message, &[("purpose.problem", json!("words"), 0.9, message.as_str())]);
    let proof = session.field("purpose.problem").evidence.clone().expect("it was said");
    assert!(proof.quote.len() <= 400 && proof.end - proof.start == proof.quote.len());
    assert_eq!(&message.trim()[proof.start..proof.end], proof.quote);
}

#[test]
fn what_is_said_again_in_every_turn_does_not_make_a_field_grow() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for _ in 0..MAX_TURNS + 20 {
        session.tell("Long queues.", &[("purpose.problem", json!("Long queues"), 0.9, "Long queues")]);
    }
    let turns = &session.field("purpose.problem").extracted_from_turns;
    assert_eq!((turns.len(), turns[0], turns.last()), (MAX_TURNS, 1, Some(&(MAX_TURNS as u32 + 20))));
}

#[test]
fn an_analysis_that_is_too_much_for_the_model_is_tried_with_less() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    for _ in 0..2 {
        session.ports.analyses.push_back(Err(CallError::ContextOverflow("too much".to_owned())));
    }
    let turn = session.chat(&"We lose calls. ".repeat(900));
    let sizes: Vec<(usize, usize)> = session
        .ports
        .requests
        .iter()
        .filter_map(|request| match request {
            SeenRequest::Analysis { messages, schema, .. } => {
                Some((messages.last().map_or(0, |(_, text)| text.len()), schema.to_string().len()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(sizes.len(), 3);
    assert!(sizes.windows(2).all(|pair| pair[1].0 < pair[0].0 && pair[1].1 < pair[0].1), "{sizes:?}");
    assert_eq!(
        turn.report.warnings,
        ["The model could not take in all that this message was to be searched for; it looked for less."]
    );
}

#[test]
fn the_same_fields_are_described_to_a_model_once() {
    let engine = shipped("business-profile");
    let memory = WorkingMemory::new(engine.definition());
    let slice = engine.slice(&memory, MAX_SLICE);
    assert!(Arc::ptr_eq(&slice, &engine.slice(&memory, MAX_SLICE)));
    assert!(!Arc::ptr_eq(&slice, &engine.slice(&memory, 10)));
    assert!(Arc::ptr_eq(&slice, &engine.slice(&memory, MAX_SLICE)));
}

#[test]
fn a_slice_has_the_fields_that_the_phase_needs() {
    let engine = shipped("business-profile");
    let memory = WorkingMemory::new(engine.definition());
    let slice = engine.slice(&memory, 40);
    let paths: Vec<&str> = slice.fields(&engine).into_iter().map(|field| field.path.as_str()).collect();
    assert_eq!(paths.len(), 40, "it has more fields than that");
    assert_eq!(slice.schema["properties"]["fields"]["items"]["properties"]["path"]["enum"], json!(paths));
    let asked = engine.definition().phases[0].covers.iter().flat_map(|category| {
        engine
            .definition()
            .obligations
            .iter()
            .filter(move |o| o.category == *category)
            .flat_map(|o| engine.fields_of(&o.id))
    });
    for path in asked {
        assert!(paths.contains(&path.as_str()), "{path} is asked for");
    }
}

#[test]
fn the_schema_of_an_analysis_accepts_what_the_wire_promises_and_nothing_else() {
    let engine = small_with(&[("classifier = \"lexical\"", "classifier = \"llm\"")]);
    let mut session = ScriptedSession::new(&engine);
    session.chat("Hello.");
    let Some(SeenRequest::Analysis { schema, .. }) = session.ports.requests.first() else { panic!("it was analysed") };
    let validator = jsonschema::validator_for(schema).expect("it is a JSON Schema");
    let modes = json!({ "extract": 50, "explore": 0, "inform": 50, "validate": 0, "refine": 0, "persuade": 0, "deliberate": 0 });
    let answer = |path: &str, value: Value| {
        json!({
            "fields": [{ "path": path, "quote": "q", "value": value, "confidence": 0.9 }],
            "signals": { "trust": 0.5, "rapport": 0.5, "friction": 0, "intents": ["wants_more", "does_not_know"], "modes": modes },
        })
    };
    assert!(validator.is_valid(&answer("people.role", json!("nurse"))));
    assert!(validator.is_valid(&answer("people.role", Value::Null)));
    assert!(validator.is_valid(&answer("people.team", json!("name: Ann; duty: desk"))));
    assert!(!validator.is_valid(&answer("people.nothing", json!("x"))));
    assert!(!validator.is_valid(&answer("people.count", json!(12))), "a value is a text, whatever its field is");
}

#[test]
fn a_yes_to_everything_is_a_yes_to_what_was_shown_and_to_nothing_else() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues, perhaps.", &[("purpose.problem", json!("queues"), 0.5, "Queues")]);
    let memory = session.memory.clone();
    let shown = |value: &str| vec![("purpose.problem".to_owned(), json!(value))];
    assert_eq!(edit::confirm(&engine, &memory, &shown("crowds")).unwrap_err(), edit::EditError::NotAsShown);
    assert_eq!(edit::confirm(&engine, &memory, &[]).unwrap_err(), edit::EditError::NotAsShown);
    let edited = edit::confirm(&engine, &memory, &shown("queues")).unwrap();
    let field = edited.memory.extraction.get("purpose.problem").unwrap();
    assert_eq!(
        (field.state, field.source, field.value.as_ref()),
        (FieldState::Known, FieldSource::User, Some(&json!("queues")))
    );
    assert_eq!(field.evidence.as_ref().map(|evidence| evidence.quote.as_str()), Some("Queues"));
}
