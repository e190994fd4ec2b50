//! The draft is kept as one types: soon, seldom, and without a frame.

use std::sync::Arc;
use std::time::Duration;

use elenchus::app::{Effect, Msg};
use elenchus::host::protocol::{Draft, Event, Open, SessionCommand, TurnCommand, TurnNews};
use pretty_assertions::assert_eq;

use super::desk::Desk;
use super::support::{App, engine, opened};
use crate::support::program::Program;

fn at(app: &mut App, millis: u64) -> Vec<Effect> {
    app.send(Msg::Clock(Duration::from_millis(millis)))
}

fn kept(text: &str) -> Vec<Effect> {
    vec![Effect::host(SessionCommand::SaveDraft(text.into()))]
}

#[test]
fn what_is_typed_is_kept_a_moment_after_the_last_key() {
    let mut app = App::in_session(100, 30);
    assert_eq!(app.model.draft_due(), None, "nothing is due before anything was typed");
    at(&mut app, 1000);
    app.write("half");
    assert_eq!(at(&mut app, 1600), []);
    assert_eq!(at(&mut app, 1700), kept("half"));
    assert_eq!((app.model.draft_due(), at(&mut app, 9000)), (None, vec![]), "once, and not again");
    // Keys that change nothing are not worth a write.
    app.press("left right");
    assert_eq!(at(&mut app, 10_000), []);
    // Cleared, it is cleared.
    app.press("ctrl-c");
    assert_eq!(at(&mut app, 11_000), kept(""));
}

#[test]
fn what_is_typed_into_a_window_is_kept_as_the_command_that_does_the_same() {
    let mut app = App::in_session(100, 30);
    at(&mut app, 1000);
    app.write("/correct problem");
    app.press("enter enter");
    assert_eq!(at(&mut app, 3000), [], "the line was sent, and nothing is typed into the window yet");
    app.write("Double entry");
    let command = "/correct purpose_and_problem.core_problem Double entry";
    assert_eq!(at(&mut app, 5000), kept(command));
    app.press("esc");
    assert_eq!(at(&mut app, 7000), kept(""), "who closes the window does not want it");
}

#[test]
fn what_was_being_written_is_kept_while_an_earlier_message_stands_in_its_place() {
    let mut app = App::in_session(100, 30);
    app.turn("one", "Noted.", &[]);
    at(&mut app, 1000);
    app.write("standing");
    assert_eq!(at(&mut app, 3000), kept("standing"));
    app.press("up");
    assert_eq!((app.model.composer.text().as_str(), at(&mut app, 5000)), ("one", vec![]), "it is kept as it was");
    app.write(" more");
    assert_eq!(at(&mut app, 7000), kept("standing\none more"));
    let say = Effect::host(TurnCommand::Say { message: "one more".to_owned() });
    assert_eq!(app.press("enter"), [kept("one more"), vec![say], kept("standing")].concat());
    assert_eq!(app.model.composer.text(), "standing", "it comes back once the other is sent");
}

#[test]
fn what_was_being_written_is_kept_while_a_message_is_changed_and_comes_back_after_it() {
    let mut app = App::in_session(100, 30);
    app.turn("one", "Noted.", &[]);
    at(&mut app, 1000);
    app.write("standing");
    assert_eq!(at(&mut app, 3000), kept("standing"));
    app.press("ctrl-p");
    app.write("edit");
    app.press("enter");
    assert_eq!((app.model.composer.text().as_str(), at(&mut app, 5000)), ("one", vec![]));
    app.write(" more");
    assert_eq!(at(&mut app, 7000), kept("standing\none more"));
    app.press("esc");
    assert_eq!((app.model.composer.text().as_str(), at(&mut app, 9000)), ("standing", kept("standing")));
}

#[test]
fn however_fast_one_types_it_is_kept_within_two_seconds() {
    let mut app = App::in_session(100, 30);
    let (mut written, mut saved) = (String::new(), Vec::new());
    for millis in (0..10_000).step_by(100) {
        for effect in at(&mut app, millis) {
            saved.push((millis, effect));
        }
        app.write("x");
        written.push('x');
    }
    let moments: Vec<u64> = saved.iter().map(|(millis, _)| *millis).collect();
    assert!(moments.windows(2).all(|pair| (1000..=1500).contains(&(pair[1] - pair[0]))), "{moments:?}");
    assert!(moments[0] <= 1500 && moments.len() <= 8, "{moments:?}");
}

#[test]
fn a_message_is_the_draft_until_it_is_under_way_and_again_when_it_comes_to_nothing() {
    let mut app = App::in_session(100, 30);
    app.write("one");
    let say = Effect::host(TurnCommand::Say { message: "one".to_owned() });
    assert_eq!(app.press("enter"), [kept("one"), vec![say]].concat());
    assert_eq!(at(&mut app, 5000), [], "an empty composer is what is kept");
    app.write("two");
    assert_eq!(at(&mut app, 7000), kept("two"), "also while the answer is on its way");
    app.send(Msg::host(Event::Turn(TurnNews::Cancelled)));
    assert_eq!(at(&mut app, 9000), kept("one\ntwo"));
}

#[test]
fn a_draft_that_was_sent_before_comes_back_with_a_word_about_it() {
    let mut app = App::at(100, 30);
    let mut session = opened(&engine("project-discovery"));
    session.draft = Draft { unanswered: true, ..Draft::new("We need a booking app.", None) };
    app.send(Msg::host(Event::Opened(Arc::new(session))));
    assert_eq!(app.model.composer.text(), "We need a booking app.");
    assert_eq!(
        app.toast(),
        Some("The answer to this was under way when the program ended; it was not kept. Enter sends it again.")
    );
    assert_eq!(app.model.draft_due(), None);
    let say = Effect::host(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    app.press("esc");
    assert_eq!(app.press("enter").last(), Some(&say));
}

#[test]
fn what_is_typed_is_kept_where_it_belongs_before_another_session_is_opened() {
    let mut app = App::in_session(100, 30);
    app.write("half a thought");
    let effects = app.press("alt-k");
    assert_eq!(effects, [kept("half a thought"), vec![Effect::host(Open::Fork)]].concat());
    app.write(" more");
    assert_eq!(at(&mut app, 60_000), [], "it would be kept in the next one");
    let mut next = opened(&engine("project-discovery"));
    next.id = "another".to_owned();
    app.send(Msg::host(Event::Opened(Arc::new(next))));
    assert_eq!((app.model.composer.text(), app.model.draft_due()), (String::new(), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_in_which_nothing_was_said_or_written_is_not_kept() {
    let program = Program::new();
    let list = || program.run(&["--offline", "sessions", "list", "--json"]).json().as_array().map_or(0, Vec::len);
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.leave().await;
    assert_eq!(list(), 0);
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    let typed = desk.screen.send(Msg::Paste("half a thought".to_owned()));
    desk.carry_out(typed);
    desk.press("ctrl-q");
    desk.leave().await;
    assert_eq!(list(), 1, "what was being written is kept");
}
