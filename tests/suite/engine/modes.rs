//! Modes: classifiers, the average, drift, and the sentence that leads back.

use elenchus::engine::config::Mode;
use elenchus::engine::strategy::mode_classifier::{correction, lexical};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, outcome, shipped, small, small_with};
use crate::support::scripted::{ScriptedSession, SeenRequest};

fn shares(of: &[(Mode, f64)]) -> [f64; 7] {
    let mut all = [0.0; 7];
    for (mode, share) in of {
        all[*mode as usize] = *share;
    }
    all
}

#[test]
fn every_blend_of_the_shipped_engines_sums_to_a_hundred() {
    for id in super::support::catalogue().ids() {
        for phase in shipped(&id).definition().phases.iter() {
            assert_eq!(phase.mode_blend.sum(), 100, "{id}, {}", phase.id);
        }
    }
}

#[test]
fn a_few_words_before_a_question_explain_nothing() {
    let answer = "Saturdays, then. A sentence or two is plenty. Who opens up?";
    assert_eq!(lexical(answer), shares(&[(Mode::Extract, 100.0)]));
}

#[test]
fn each_mode_is_told_by_its_words() {
    for (sentence, mode) in [
        ("Where is that?", Mode::Extract),
        ("What if nobody called?", Mode::Explore),
        ("A queue is a line of people.", Mode::Inform),
        ("So you lose letters, is that right?", Mode::Validate),
        ("More precisely, it is the post.", Mode::Refine),
        ("I recommend a form.", Mode::Persuade),
        ("The downside is the price.", Mode::Deliberate),
    ] {
        assert_eq!(lexical(sentence), shares(&[(mode, 100.0)]), "{sentence}");
    }
}

#[test]
fn an_answer_is_shared_out_by_the_words_of_its_sentences() {
    let answer = "One two three four five six seven eight nine. Ten eleven twelve?";
    assert_eq!(lexical(answer), shares(&[(Mode::Inform, 75.0), (Mode::Extract, 25.0)]));
}

#[test]
fn the_observed_blend_is_an_exponential_average() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Where is that?");
    session.chat("Hello.");
    assert_eq!(session.memory.modes.observed, Some(shares(&[(Mode::Extract, 100.0)])));
    session.ports.answers("A queue is a line.");
    session.ports.asked = Some(Vec::new());
    session.chat("Hello.");
    assert_eq!(session.memory.modes.observed, Some(shares(&[(Mode::Extract, 70.0), (Mode::Inform, 30.0)])));
}

#[test]
fn drift_beyond_the_margin_adds_one_sentence_to_the_next_prompt() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("A queue is a line.");
    session.ports.asked = Some(Vec::new());
    let turn = session.chat("Hello.");
    assert_eq!(outcome(&turn, "mode classification"), "inform is +100 % off");
    assert!(!session.last_system().concat().contains("than this phase calls for"));
    session.chat("Go on.");
    let prompt = session.last_system().concat();
    let sentence = "You have been explaining more than this phase calls for: do less of it now.";
    assert_eq!((prompt.matches(sentence).count(), prompt.matches("than this phase calls for").count()), (1, 1));
    assert_eq!(
        correction((Mode::Validate, -30.0)),
        "You have been checking your understanding less than this phase calls for: do more of it now."
    );
}

#[test]
fn within_the_margin_nothing_is_said() {
    let engine = small_with(&[("drift_margin = 20", "drift_margin = 30")]);
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Where is that?");
    let turn = session.chat("Hello.");
    assert_eq!(outcome(&turn, "mode classification"), "within the margin");
    session.chat("Go on.");
    assert!(!session.last_system().concat().contains("than this phase calls for"));
}

#[test]
fn drift_is_measured_against_the_phase_that_is_entered() {
    let engine = small_with(&[("mode_blend = { extract = 80, validate = 20 }", "mode_blend = { inform = 100 }")]);
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("A queue is a line.");
    session.ports.asked = Some(Vec::new());
    session.chat("Hello.");
    let found = [("purpose.problem", json!("queues"), 0.9, "queues"), ("purpose.mood", json!("angry"), 0.9, "")];
    session.tell("Queues.", &found);
    assert_eq!(session.memory.phase.current, "MIDDLE");
    assert!(
        !session.last_system().concat().contains("than this phase calls for"),
        "explaining is what the new phase is for"
    );
}

const RATED: &str = r#"{"fields": [], "signals": {"modes": {"inform": 30, "extract": 10}}}"#;

#[test]
fn without_a_classifier_nothing_is_watched_whatever_a_model_says() {
    let engine = small_with(&[("classifier = \"lexical\"", "classifier = \"none\"")]);
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell_raw("Hello.", RATED);
    assert_eq!(outcome(&turn, "mode classification"), "not watched");
    assert_eq!((session.memory.modes.observed, session.memory.modes.drift), (None, None));
}

#[test]
fn the_lexical_classifier_takes_no_ratings_of_a_model() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Where is that?");
    session.tell_raw("Hello.", RATED);
    assert_eq!(session.memory.modes.observed, Some(shares(&[(Mode::Extract, 100.0)])));
}

#[test]
fn with_the_model_as_classifier_the_next_analysis_tells_how_the_last_answer_sounded() {
    let engine = small_with(&[("classifier = \"lexical\"", "classifier = \"llm\"")]);
    let mut session = ScriptedSession::new(&engine);
    let turn = session.chat("Hello.");
    assert_eq!(outcome(&turn, "mode classification"), "left to the next analysis");
    assert_eq!(session.memory.modes.observed, None);
    let turn = session.tell_raw("Go on.", RATED);
    assert_eq!(session.memory.modes.observed, Some(shares(&[(Mode::Inform, 75.0), (Mode::Extract, 25.0)])));
    assert_eq!(turn.report.usage.calls, 2, "it costs no call of its own");
    let Some(SeenRequest::Analysis { schema, .. }) = session.ports.requests.first() else { panic!("it was analysed") };
    assert!(schema["properties"]["signals"]["properties"]["modes"].is_object());
}

#[test]
fn an_answer_without_a_sentence_leaves_the_average_alone() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Where is that?");
    session.chat("Hello.");
    session.ports.answers("…");
    session.chat("Go on.");
    let sum: f64 = session.memory.modes.observed.expect("it was observed").iter().sum();
    assert_eq!(sum.round(), 100.0);
}
