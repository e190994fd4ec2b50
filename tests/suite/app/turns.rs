//! Turns: sent, followed, finished, failed, cancelled, taken back, tried again.

use std::sync::Arc;

use elenchus::app::chat::EntryKind;
use elenchus::app::effect::TerminalEffect;
use elenchus::app::overlay::Overlay;
use elenchus::app::{Effect, Msg};
use elenchus::engine::budget::{Cap, OverBudget};
use elenchus::engine::figures::TurnFigures;
use elenchus::host::protocol::{
    Answer, Draft, Event, News, SessionCommand, SessionNews, Snapshot, TurnCommand, TurnFailure, TurnNews, UseModel,
};
use elenchus::store::SessionId;
use elenchus::words::english;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{App, engine, opened};

fn said(app: &App) -> Vec<(EntryKind, String)> {
    let entries = (0..app.model.shown_len()).filter_map(|at| app.model.shown(at));
    entries.map(|entry| (entry.kind, entry.text.to_owned())).skip(1).collect()
}

#[test]
fn a_turn_shows_the_message_at_once_and_the_answer_as_it_comes() {
    let mut app = App::in_session(120, 40);
    app.write("Nurses retype forms.");
    app.press("enter");
    app.send(Msg::host(Event::Turn(TurnNews::Delta("How ".into()))));
    app.send(Msg::host(Event::Turn(TurnNews::Delta("often?".into()))));
    let expected =
        vec![(EntryKind::User, "Nurses retype forms.".to_owned()), (EntryKind::Assistant, "How often?".to_owned())];
    assert_eq!(said(&app), expected);
    app.answer("Nurses retype forms.", "How often?", &[]);
    assert_eq!(said(&app), expected);
    assert!(app.model.turn.is_none());
}

#[test]
fn what_was_learned_reaches_the_sidebar_and_the_inspector() {
    let mut app = App::in_session(120, 40);
    let readings = [("purpose_and_problem.core_problem", json!("Nurses retype forms"), 0.95, "Nurses retype forms")];
    app.turn("Nurses retype forms all day.", "How often?", &readings);
    let session = app.model.session.as_ref().unwrap();
    assert!(session.memory.extraction.is_known("purpose_and_problem.core_problem"));
    let figures = app.model.turns[&1].as_ref().unwrap();
    assert_eq!(figures.steps.len(), 19);
    assert_eq!(figures.changes[0].path, "purpose_and_problem.core_problem");
}

#[test]
fn esc_cancels_and_the_draft_comes_back() {
    let mut app = App::in_session(120, 40);
    app.write("Nurses retype forms.");
    app.press("enter");
    assert_eq!(app.press("esc"), [Effect::host(TurnCommand::Cancel)]);
    assert_eq!(app.model.turn.as_ref().unwrap().doing(&english().turns), "cancelling");
    app.send(Msg::host(Event::Turn(TurnNews::Cancelled)));
    assert_eq!(app.model.composer.text(), "Nurses retype forms.");
    assert_eq!(said(&app), []);
}

#[test]
fn a_failed_turn_tells_why_until_it_was_read_and_gives_the_words_back() {
    let mut app = App::in_session(120, 40);
    app.write("Hello there");
    app.press("enter");
    app.write("and more");
    app.send(Msg::host(Event::Turn(TurnNews::Failed(TurnFailure::Endpoint(
        "The endpoint answered 401: check the key in OPENAI_API_KEY".into(),
    )))));
    assert_eq!(app.model.composer.text(), "Hello there\nand more");
    app.wait_until(3600);
    assert_eq!(app.toast(), Some("The endpoint answered 401: check the key in OPENAI_API_KEY"));
    app.press("esc");
    assert_eq!(app.toast(), None);
}

#[test]
fn a_second_message_waits_for_the_first_answer() {
    let mut app = App::in_session(120, 40);
    app.write("one");
    app.press("enter");
    app.write("two");
    assert_eq!(app.press("enter"), []);
    assert_eq!(app.model.composer.text(), "two");
    assert_eq!(app.toast(), Some("an answer is on its way; Esc cancels it"));
}

#[test]
fn a_revised_answer_takes_the_place_of_the_first() {
    let mut app = App::in_session(120, 40);
    app.write("one");
    app.press("enter");
    app.send(Msg::host(Event::Turn(TurnNews::Delta("Six questions at once".into()))));
    app.send(Msg::host(Event::Turn(TurnNews::Revising(Vec::new()))));
    assert_eq!(app.model.turn.as_ref().unwrap().doing(&english().turns), "revising the answer");
    app.send(Msg::host(Event::Turn(TurnNews::Delta("One question?".into()))));
    assert_eq!(said(&app)[1].1, "One question?");
}

#[test]
fn undo_asks_first_and_puts_the_words_back() {
    let mut app = App::in_session(120, 40);
    app.turn("one", "Noted.", &[]);
    assert_eq!(app.press("alt-u"), []);
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Confirm(_))));
    assert_eq!(app.press("y"), [Effect::host(TurnCommand::Undo)]);
    assert_eq!(app.model.composer.text(), "one");
    app.send(Msg::host(Event::Opened(Arc::new(opened(&engine("project-discovery"))))));
    assert_eq!(said(&app), []);
    assert_eq!(app.model.composer.text(), "one", "the session is the same, so the draft stays");
}

#[test]
fn undo_can_be_thought_better_of() {
    let mut app = App::in_session(120, 40);
    app.turn("one", "Noted.", &[]);
    app.press("alt-u");
    assert_eq!(app.press("n"), []);
    assert!(app.model.overlays.is_empty());
    assert!(app.model.composer.is_empty());
}

#[test]
fn retry_shows_the_same_words_with_the_old_answer_gone() {
    let mut app = App::in_session(120, 40);
    app.turn("one", "First answer?", &[]);
    assert_eq!(app.press("alt-r"), [Effect::host(TurnCommand::Retry)]);
    assert_eq!(said(&app), [(EntryKind::User, "one".to_owned())]);
}

#[test]
fn an_earlier_message_is_changed_and_what_followed_is_taken_back() {
    let mut app = App::in_session(120, 40);
    app.turn("one", "Answer one?", &[]);
    app.turn("two", "Answer two?", &[]);
    app.measure();
    app.press("shift-tab [ [ [ [ e");
    assert_eq!(app.model.composer.text(), "one");
    assert_eq!(app.model.composer.editing, Some(1));
    app.write("!");
    assert_eq!(app.press("enter enter"), [], "it asks first, and Enter is no answer");
    let Some(Overlay::Confirm(question)) = app.model.overlays.last() else { panic!("it does not ask") };
    assert_eq!(
        question.detail,
        "It takes back 2 turns, with all they brought. All of it is kept: /redo brings it back."
    );
    assert_eq!(app.press("n"), []);
    assert_eq!((app.model.composer.text(), app.model.composer.editing), ("one!".to_owned(), Some(1)));
    let effects = app.press("enter y");
    assert_eq!(effects[1], Effect::host(TurnCommand::SayInstead { turn: 1, message: "one!".to_owned() }));
    assert_eq!(said(&app), [(EntryKind::User, "one!".to_owned())]);

    app.send(Msg::host(Event::Turn(TurnNews::Cancelled)));
    assert_eq!(app.model.composer.editing, Some(1));
    let again = app.press("enter");
    assert_eq!(again[1], effects[1], "what was agreed to and came to nothing is not asked again");
}

#[test]
fn a_message_that_was_not_changed_takes_nothing_back() {
    let mut app = App::in_session(120, 40);
    for count in 0..5 {
        app.turn(&format!("message {count}\twith a tab"), "Noted?", &[]);
    }
    let before = said(&app);
    app.measure();
    app.press("shift-tab [ [ [ [ [ [ [ [ [ [ e");
    assert_eq!(app.model.composer.editing, Some(1));
    assert_eq!(app.press("enter"), []);
    assert!(app.model.overlays.is_empty() && app.model.turn.is_none());
    assert!(app.toast().unwrap().starts_with("the message is as it was"), "{:?}", app.toast());
    assert_eq!(said(&app), before);
}

#[test]
fn esc_leaves_a_message_that_was_to_be_changed_as_it_is() {
    let mut app = App::in_session(120, 40);
    app.turn("one", "Answer?", &[]);
    app.press("alt-e esc");
    assert_eq!(app.model.composer.editing, None);
    assert!(app.model.composer.is_empty());
}

#[test]
fn a_long_turn_calls_a_user_who_looks_elsewhere() {
    let mut app = App::in_session(120, 40);
    app.write("one");
    app.press("enter");
    app.send(Msg::Focus(false));
    app.wait_until(30);
    let done = app.outcome("one", "Noted.", &[]);
    let effects = app.send(Msg::host(Event::Turn(TurnNews::Done(Arc::new(done)))));
    assert_eq!(effects, [Effect::Terminal(TerminalEffect::Notify("the answer is there".to_owned()))]);
}

#[test]
fn leaving_during_a_turn_asks_and_keeps_the_words_as_a_draft() {
    let mut app = App::in_session(120, 40);
    app.write("one");
    app.press("enter");
    assert_eq!(app.press("ctrl-q"), []);
    assert_eq!(
        app.press("y"),
        [Effect::host(SessionCommand::SaveDraft(Draft::default())), Effect::Terminal(TerminalEffect::Quit)]
    );
}

#[test]
fn the_clock_is_wanted_only_while_something_moves() {
    let mut app = App::in_session(120, 40);
    assert!(!app.model.wants_clock());
    app.write("one");
    app.press("enter");
    assert!(app.model.wants_clock());
    app.answer("one", "Noted.", &[]);
    app.wait_until(60);
    assert!(!app.model.wants_clock());
}

/// A session whose turn would have cost more than is allowed.
fn over_budget() -> App {
    let mut app = App::in_session(120, 40);
    app.write("Forty a day.");
    app.press("enter");
    let reached = OverBudget { cap: Cap::SessionUsd, limit: 1.0, spent: 0.98, needed: 0.05 };
    app.send(Msg::host(Event::Turn(TurnNews::Failed(TurnFailure::OverBudget(reached)))));
    app.wait_until(2);
    app
}

#[test]
fn who_writes_on_at_the_cap_agrees_to_nothing() {
    let reached = OverBudget { cap: Cap::SessionUsd, limit: 1.0, spent: 0.98, needed: 0.05 };
    let mut app = App::in_session(120, 40);
    app.write("Forty a day.");
    app.press("enter");
    app.send(Msg::host(Event::Turn(TurnNews::Failed(TurnFailure::OverBudget(reached)))));
    for letter in ["y", "a", "y"] {
        assert_eq!(app.press(letter), [], "no letter that was on its way raises the cap");
    }
    assert_eq!(app.model.composer.text(), "Forty a day.yay");
    assert_eq!(app.model.overlays.len(), 1);

    let mut app = App::in_session(120, 40);
    app.write("Forty a day.");
    app.press("enter");
    app.write("By the way");
    app.send(Msg::host(Event::Turn(TurnNews::Failed(TurnFailure::OverBudget(reached)))));
    assert!(app.model.overlays.is_empty(), "no window opens under the hands of who writes");
    assert_eq!(app.model.composer.text(), "Forty a day.\nBy the way");
    assert_eq!(app.toast(), Some("the budget is reached and nothing was sent; Enter asks how to go on"));
}

#[test]
fn at_the_cap_the_user_decides_and_until_then_the_message_waits() {
    let mut app = over_budget();
    assert_eq!(app.model.composer.text(), "Forty a day.");
    assert_eq!(app.press("enter"), [], "nothing is spent by a key that was meant for something else");
    assert_eq!(app.press("n"), []);
    assert!(app.model.overlays.is_empty() && app.model.turn.is_none());
    assert_eq!(app.model.composer.text(), "Forty a day.");
}

#[test]
fn raising_the_cap_sends_the_message_again() {
    let submit = Effect::host(TurnCommand::Say { message: "Forty a day.".to_owned() });
    let ahead = Effect::host(SessionCommand::SaveDraft("Forty a day.".into()));
    let raised = |limit| Effect::host(SessionCommand::RaiseCap { cap: Cap::SessionUsd, limit });
    let effects = over_budget().press("y");
    assert_eq!(effects, [raised(2.0), ahead.clone(), submit.clone()]);

    let mut app = over_budget();
    app.press("e");
    app.press("backspace");
    app.write("5.50");
    let effects = app.press("enter");
    assert_eq!(effects, [raised(5.50), ahead, submit]);

    let mut app = over_budget();
    app.press("e");
    app.write(" and a bit");
    assert_eq!(app.press("enter"), []);
    assert_eq!(app.toast(), Some("“2 and a bit” is no amount"));
}

#[test]
fn at_the_cap_the_conversation_can_go_on_offline() {
    let effects = over_budget().press("d");
    let submit = Effect::host(TurnCommand::Say { message: "Forty a day.".to_owned() });
    let ahead = Effect::host(SessionCommand::SaveDraft("Forty a day.".into()));
    assert_eq!(effects, [Effect::host(UseModel(String::new())), ahead, submit]);
}

#[test]
fn a_turn_whose_answer_is_there_says_what_it_waits_for() {
    let mut app = App::in_session(120, 40);
    app.write("Nurses retype forms.");
    app.press("enter");
    app.send(Msg::host(Event::Turn(TurnNews::Reading)));
    assert_eq!(app.model.turn.as_ref().unwrap().doing(&english().turns), "reading your message");
    app.send(Msg::host(Event::Turn(TurnNews::Delta("How often?".into()))));
    app.send(Msg::host(Event::Turn(TurnNews::Reading)));
    assert_eq!(app.model.turn.as_ref().unwrap().doing(&english().turns), "noting what you said");
    app.press("esc");
    assert_eq!(app.model.turn.as_ref().unwrap().doing(&english().turns), "keeping the answer");
}

#[test]
fn a_model_that_thinks_before_it_answers_is_said_to_think() {
    let mut app = App::in_session(120, 40);
    app.write("Nurses retype forms.");
    app.press("enter");
    app.send(Msg::host(Event::Turn(TurnNews::Reasoning("They retype".into()))));
    assert_eq!(app.model.turn.as_ref().unwrap().doing(&english().turns), "thinking");
    let (attempt, wait_ms, reason) = (1, 1_000, "the connection was lost".to_owned());
    app.send(Msg::host(Event::Turn(TurnNews::Retrying { attempt, wait_ms, reason, voids: true })));
    assert_eq!(app.model.turn.as_ref().unwrap().doing(&english().turns), "reading your message");
}

#[test]
fn why_a_turn_failed_is_no_longer_told_when_the_next_one_did_not() {
    let mut app = App::in_session(120, 40);
    app.write("Hello there");
    app.press("enter");
    let failed = TurnFailure::Endpoint("Could not connect.".into());
    app.send(Msg::host(Event::Turn(TurnNews::Failed(failed))));
    assert_eq!(app.model.toasts.shown().map(|toast| toast.text.as_str()), Some("Could not connect."));
    app.turn("Hello there", "Hello. What is it about?", &[]);
    assert_eq!(app.model.toasts.shown().map(|toast| toast.text.as_str()), None);
}

#[test]
fn esc_cancels_the_answer_and_not_what_was_told_of_the_one_before() {
    let mut app = App::in_session(120, 40);
    app.write("Hello there");
    app.press("enter");
    let failed = TurnFailure::Endpoint("Could not connect.".into());
    app.send(Msg::host(Event::Turn(TurnNews::Failed(failed))));
    app.press("enter");
    assert_eq!(app.toast(), None, "it is tried again");
    assert_eq!(app.press("esc"), [Effect::host(TurnCommand::Cancel)]);
}

#[test]
fn what_is_told_of_another_session_than_the_one_that_is_shown_comes_too_late() {
    let mut app = App::in_session(120, 40);
    let [shown, other] = [1, 2].map(|second| SessionId::new(jiff::Timestamp::from_second(second).unwrap()));
    let snapshot = Snapshot { id: shown.to_string(), ..opened(&engine("project-discovery")) };
    app.send(Msg::host(Event::Opened(Arc::new(snapshot))));
    let about = |session, event: Event| Msg::Host(News { session: Some(session), answers: None, event });
    app.write("Patients book.");
    app.press("enter");
    app.send(about(other, Event::Turn(TurnNews::Delta("Of another".into()))));
    app.send(about(other, Event::Turn(TurnNews::Cancelled)));
    app.send(about(other, Event::Session(SessionNews::Renamed("Another".into()))));
    app.send(about(other, Event::Answer(Answer::Figures(vec![(1, Some(TurnFigures::default()))]))));
    app.send(about(shown, Event::Turn(TurnNews::Delta("How often?".into()))));
    assert_eq!(app.model.turn.as_ref().map(|turn| turn.answer.as_str()), Some("How often?"));
    assert!(app.model.session.as_ref().unwrap().title != "Another");
    assert!(app.model.turns.is_empty());
    app.send(about(shown, Event::Answer(Answer::Figures(vec![(1, Some(TurnFigures::default()))]))));
    assert_eq!(app.model.turns.len(), 1);
}
