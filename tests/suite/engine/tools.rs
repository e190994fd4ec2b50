//! Tools while an answer is written: who gets them, how often, and that none is used for an answer that does not hold.

use elenchus::engine::Engine;
use elenchus::engine::config::Tool;
use elenchus::engine::figures::EarlyFigures;
use elenchus::engine::ports::{CallError, Pacing};
use elenchus::engine::tools::{ToolCall, ToolFinding};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{SMALL, Talk, outcome, try_engine};
use crate::support::scripted::{ScriptedSession, Searching, SeenRequest};

fn searching() -> std::sync::Arc<Engine> {
    try_engine(&format!("{SMALL}\n[tools]\nuse = [\"search\"]\n")).unwrap_or_else(|problems| panic!("{problems}"))
}

fn search(query: &str) -> ToolCall {
    let arguments = json!({ "query": query }).to_string();
    ToolCall { id: query.to_owned(), name: "search_project".to_owned(), arguments }
}

fn found(text: &str) -> ToolFinding {
    ToolFinding { text: text.to_owned(), places: vec!["brief “Kegs”".to_owned()] }
}

/// A session whose project has something to search.
fn session(engine: &Engine) -> ScriptedSession<'_> {
    let mut session = ScriptedSession::new(engine);
    session.ports.search = Searching::Something;
    session
}

/// The requests for answers: whether tools were there, whether they might be called, what had been brought.
fn answers(session: &ScriptedSession<'_>) -> Vec<(bool, bool, Vec<String>)> {
    let told = session.ports.requests.iter().filter_map(|request| match request {
        SeenRequest::Answer { tools: (tools, may_call), rounds, .. } => {
            let brought = rounds.iter().flat_map(|round| &round.answered).map(|(_, text)| text.clone());
            Some((*tools == [Tool::Search], *may_call, brought.collect()))
        }
        _ => None,
    });
    told.collect()
}

fn searches<'s>(session: &'s ScriptedSession<'_>) -> Vec<&'s str> {
    let events = session.ports.events.iter().map(String::as_str);
    events.filter(|event| event.starts_with("searching")).collect()
}

#[test]
fn what_was_looked_up_goes_into_the_answer_and_into_the_figures() {
    let engine = searching();
    let mut session = session(&engine);
    session.ports.calls.push_back(vec![search("kegs")]);
    session.ports.found.push_back(found("Ten kegs."));
    session.ports.answers("One moment.");
    session.ports.answers("You had ten kegs then. What goes wrong today?");
    let turn = session.chat("As last time, about the kegs.");
    assert_eq!(searches(&session), ["searching earlier sessions for “kegs”"]);
    assert_eq!(
        answers(&session),
        [(true, true, vec![]), (true, true, vec!["Ten kegs.".to_owned()])],
        "the second request has what the first asked for"
    );
    assert_eq!(turn.report.response, "One moment.\n\nYou had ten kegs then. What goes wrong today?");
    let used = &session.ports.kept[0].figures.tools[0];
    assert_eq!((used.tool.as_str(), used.query.as_str(), used.places.len()), ("search", "kegs", 1));
    assert!(used.ms > 0.0 && used.failed.is_none());
    assert_eq!(turn.report.tools, session.ports.kept[0].figures.tools);
    let told = outcome(&turn, "response generation");
    assert!(told.contains("looked up “kegs” and found 1 place"), "{told}");
    assert_eq!(turn.report.usage.calls, 3, "every request is counted");
}

#[test]
fn tools_are_there_only_where_declared_granted_and_of_use() {
    let (with, without) = (searching(), super::support::small());
    for (engine, search, small, offered) in [
        (&with, Searching::Something, false, true),
        (&with, Searching::Nothing, false, false),
        (&with, Searching::Something, true, false),
        (&without, Searching::Something, false, false),
    ] {
        let mut session = session(engine);
        (session.ports.search, session.ports.small) = (search, small);
        session.chat("Hello.");
        assert_eq!(answers(&session)[0].0, offered, "{search:?}, small: {small}");
    }
}

#[test]
fn near_a_cap_the_tools_stay_in_the_request_and_may_not_be_called() {
    let engine = searching();
    let mut session = session(&engine);
    session.ports.search = Searching::TooDear;
    session.chat("Hello.");
    assert_eq!(answers(&session), [(true, false, vec![])]);
}

#[test]
fn a_model_that_calls_without_end_is_stopped_after_two_rounds_and_three_calls() {
    let engine = searching();
    let mut session = session(&engine);
    session.ports.calls = (0..9).map(|_| vec![search("a b"), search("c d")]).collect();
    session.ports.found = (0..9).map(|_| found("Something.")).collect();
    session.ports.answers = ["", "", "Well then. What goes wrong today?"].map(|text| Ok(text.to_owned())).into();
    let turn = session.chat("Hello.");
    let asked = answers(&session);
    assert_eq!(asked.iter().map(|(_, may_call, _)| *may_call).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(searches(&session).len(), 3);
    assert!(asked[2].2[3].contains("only 3 calls are answered in one turn"), "{:?}", asked[2].2);
    assert_eq!(turn.report.response, "Well then. What goes wrong today?");
    let failed = turn.figures.tools.iter().filter(|used| used.failed.is_some()).count();
    assert_eq!((turn.figures.tools.len(), failed), (4, 1), "what was refused is counted");
    let remembered: Vec<&str> = session.memory.looked_up.of(1).collect();
    assert_eq!(remembered.len(), 3, "{remembered:?}");
}

#[test]
fn an_answer_of_nothing_but_calls_is_replaced_by_the_next_question() {
    let engine = searching();
    let mut session = session(&engine);
    session.ports.calls = (0..9).map(|_| vec![search("kegs")]).collect();
    session.ports.found = (0..9).map(|_| found("Something.")).collect();
    session.ports.answers = ["", "", ""].map(|text| Ok(text.to_owned())).into();
    let turn = session.chat("Hello.");
    assert!(turn.report.response.ends_with('?'), "{}", turn.report.response);
    assert_eq!(session.asked(), ["problem_known"]);
    assert!(
        turn.report.warnings.iter().any(|warning| warning.contains("only called tools")),
        "{:?}",
        turn.report.warnings
    );
}

#[test]
fn calls_that_cannot_be_done_are_answered_with_the_reason() {
    let engine = searching();
    let mut session = session(&engine);
    let bad = |name: &str, arguments: &str| ToolCall {
        id: "x".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    session.ports.calls.push_back(vec![
        bad("rm -rf", "{}"),
        bad("search_project", &"[".repeat(1_000_000)),
        search("kegs"),
    ]);
    session.ports.answers("");
    session.ports.answers("What goes wrong today?");
    let turn = session.chat("Hello.");
    let told = answers(&session)[1].2.join("\n");
    for why in ["there is no such tool", "at most 4096 are read", "the search failed"] {
        assert!(told.contains(why), "{told}");
    }
    assert_eq!(turn.report.response, "What goes wrong today?");
    let failed = turn.figures.tools.iter().filter(|used| used.failed.is_some()).count();
    assert_eq!((failed, searches(&session).len()), (3, 1));
}

#[test]
fn without_money_for_a_further_request_the_turn_still_ends_with_a_question() {
    let engine = searching();
    let mut session = session(&engine);
    session.ports.calls.push_back(vec![search("kegs")]);
    session.ports.found.push_back(found("Ten kegs."));
    session.ports.answers = [Ok(String::new()), Err(CallError::ContextOverflow("too long".to_owned()))].into();
    let turn = session.chat("Hello.");
    assert!(turn.report.response.ends_with('?'), "{}", turn.report.response);
    assert!(turn.report.warnings[0].contains("What was looked up could not be used"), "{:?}", turn.report.warnings);
}

#[test]
fn an_early_answer_that_asks_for_a_tool_waits_for_the_analysis() {
    let engine = searching();
    let mut session = session(&engine);
    session.chat("Hello.");
    session.ports.requests.clear();
    session.ports.pacing = Some(Pacing::Together);
    session.ports.calls.push_back(vec![search("queues")]);
    session.ports.found.push_back(found("They were long."));
    session.ports.answers("");
    session.ports.answers("They were long then, too. Since when?");
    let turn =
        session.tell("The queues are too long.", &[("purpose.problem", json!("queues too long"), 0.9, "queues")]);
    assert!(matches!(turn.figures.early, Some(EarlyFigures::Kept { .. })), "{:?}", turn.figures.early);
    let kinds: Vec<bool> =
        session.ports.requests.iter().map(|request| matches!(request, SeenRequest::Analysis { .. })).collect();
    assert_eq!(kinds, [false, true, false], "answer, analysis, and the answer written on");
    let place = |what: &str| session.ports.events.iter().rposition(|event| event.starts_with(what));
    assert!(place("2 extraction") < place("searching"), "{:?}", session.ports.events);
    assert_eq!(turn.report.response, "They were long then, too. Since when?");
}

#[test]
fn no_tool_is_used_for_an_early_answer_that_does_not_hold() {
    // A part that ends only with its last point.
    let text = format!("{SMALL}\n[tools]\nuse = [\"search\"]\n");
    let engine = try_engine(&text.replace("threshold = 0.6 }]", "threshold = 0.9 }]")).expect("it is sound");
    let mut session = session(&engine);
    session.chat("Hello.");
    session.ports.pacing = Some(Pacing::Together);
    session.ports.calls.push_back(vec![search("queues")]);
    session.ports.answers("");
    session.ports.answers("Who would use it?");
    let turn = session.tell(
        "The queues; Ann left; all are angry.",
        &[
            ("purpose.problem", json!("queues"), 0.9, "queues"),
            ("purpose.trigger", json!("Ann left"), 0.9, "Ann left"),
            ("purpose.mood", json!("angry"), 0.9, "angry"),
        ],
    );
    let Some(EarlyFigures::Discarded { why, .. }) = &turn.figures.early else { panic!("{:?}", turn.figures.early) };
    assert!(why.contains("it was begun for"), "{why}");
    assert_eq!(searches(&session), [""; 0]);
    assert_eq!(turn.report.response, "Who would use it?");
    let dropped: Vec<String> =
        turn.figures.tools.iter().map(|used| used.in_words(elenchus::words::english())).collect();
    assert_eq!(
        dropped,
        ["search_project: it was not made, since the answer that asked for it does not hold"],
        "and it is counted"
    );
}
