//! What fits into the window of a model, and what gives way where not all does: never what the user says.

use elenchus::engine::tokens::estimate;
use elenchus::engine::transcript::Role;
use pretty_assertions::assert_eq;

use super::support::{Talk, shipped};
use crate::support::scripted::{ScriptedSession, SeenRequest};

const SAID: [&str; 4] = [
    "We want an app for our village library so people can see which books are in.",
    "Last month the old card index was soaked when the roof leaked, and the mayor said to do it properly now.",
    "People walk in on Saturday for a book that is out, and nobody can tell them before they come.",
    "Today it is a paper index and what Mrs Hahn remembers; we can spend up to 4,000 euros.",
];

/// What a request takes: its size in tokens, and the user's words in it.
fn sent(request: &SeenRequest) -> Option<(u32, String)> {
    let (system, messages, besides) = match request {
        SeenRequest::Analysis { system, messages, schema, .. } => (system, messages, estimate(&schema.to_string())),
        SeenRequest::Answer { system, messages, revision: false, .. } => (system, messages, 0),
        _ => return None,
    };
    let (_, last) = messages.last().expect("the user's message");
    let text = messages.iter().map(|(_, text)| estimate(text)).sum::<u32>();
    let tokens = system.iter().map(|part| estimate(part)).sum::<u32>() + text + besides;
    Some((tokens, last.split("\n\n<").next().unwrap_or_default().to_owned()))
}

#[test]
fn what_the_user_says_is_sent_whole_however_small_the_window_is() {
    for id in ["project-discovery", "exploration", "business-profile"] {
        let engine = shipped(id);
        for window in [2_048, 4_096, 6_144, 8_192] {
            let mut session = ScriptedSession::new(&engine);
            session.ports.window = Some(window);
            for (at, message) in SAID.iter().enumerate() {
                session.ports.requests.clear();
                let turn = session.chat(message);
                for (tokens, said) in session.ports.requests.iter().filter_map(sent) {
                    assert_eq!(said, *message, "{id} in {window}");
                    assert!(tokens < window, "{tokens} of {window} in {id}");
                }
                let told = turn.report.warnings.iter().any(|warning| warning.contains("works with the short ones"));
                assert_eq!(told, at == 0 && window < engine.window_needs().full, "{:?}", turn.report.warnings);
                assert_eq!(session.memory.context.compression_events, [], "nothing is summarised that early");
            }
        }
    }
}

#[test]
fn a_window_that_is_too_small_for_anything_is_told_every_time() {
    let engine = shipped("project-discovery");
    let needs = engine.window_needs();
    assert!(needs.short < 2_048 && needs.full > 4_096, "{needs:?}");
    let mut session = ScriptedSession::new(&engine);
    session.ports.window = Some(1_000);
    for message in &SAID[..2] {
        let turn = session.chat(message);
        let wanted = format!("needs about {} at least", needs.short);
        assert!(turn.report.warnings.iter().any(|warning| warning.contains(&wanted)), "{:?}", turn.report.warnings);
    }
}

#[test]
fn an_endpoint_that_counts_far_too_little_does_not_widen_the_window() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    session.ports.window = Some(4_096);
    session.memory.context.calibration = 0.5;
    for _ in 0..12 {
        session.ports.requests.clear();
        session.chat(&SAID.join(" "));
        for (tokens, _) in session.ports.requests.iter().filter_map(sent) {
            assert!(tokens < 4_096 * 5 / 4, "{tokens}");
        }
    }
}

#[test]
fn a_message_that_is_too_long_is_marked_told_of_as_it_was_sent_and_stays_so() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    let long = "The club met and talked about shelf 12 and the lamp above it. ".repeat(800);
    let turn = session.chat(&long);
    let (_, now) = session.ports.requests.iter().find_map(sent).expect("a request");
    assert!(now.contains("lamp above it.\n[The message goes on here"), "{}", &now[now.len() - 200..]);
    let shown = now.split("\n[The message").next().expect("the message").len();
    let told = format!("in its first {} KB only", shown.div_ceil(1000));
    assert!(turn.report.warnings.iter().any(|warning| warning.contains(&told)), "{:?}", turn.report.warnings);
    session.ports.requests.clear();
    session.chat("And that is all.");
    let Some(SeenRequest::Answer { messages, .. }) = session.ports.requests.last() else { panic!("an answer") };
    let past: Vec<&String> = messages.iter().filter(|(role, _)| *role == Role::User).map(|(_, text)| text).collect();
    assert!(past[0].starts_with(&now), "the prefix holds");
}
