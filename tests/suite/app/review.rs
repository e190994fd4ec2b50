//! The review: every field by section, changed in place, and confirmed as it was shown.

use elenchus::app::overlay::Overlay;
use elenchus::app::review::Review;
use elenchus::app::{Effect, Msg};
use elenchus::engine::memory::{Asked, FieldState, Status};
use elenchus::engine::reading::Mistyped;
use elenchus::host::protocol::{Edit, Event, Request, SessionNews};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::desk::Desk;
use super::frames::{EVERY, Screen, USUAL, WIDE, drawn};
use super::known::informed;
use crate::support::program::Program;

fn review(screen: &Screen) -> &Review {
    match screen.0.model.overlays.last() {
        Some(Overlay::Review(review)) => review,
        other => panic!("no review but {other:?}"),
    }
}

/// Presses a key and says what is to be done.
fn effects(screen: &mut Screen, keys: &str) -> Vec<Effect> {
    keys.split_whitespace().flat_map(|name| screen.0.send(Msg::Key(super::support::key(name)))).collect()
}

/// Moves to the field of that name.
fn go_to(screen: &mut Screen, name: &str) {
    let marked = |text: &str| text.lines().any(|line| line.contains('▌') && line.contains(name));
    screen.press("g");
    for _ in 0..60 {
        if marked(&screen.text()) {
            return;
        }
        screen.press("down");
    }
    panic!("no {name} in {}", screen.text());
}

#[test]
fn every_field_stands_in_it_with_value_words_and_standing() {
    drawn("review", &EVERY, |size| {
        let mut screen = informed(size, false);
        screen.press("F3 down down");
        screen
    });
    drawn("review_in_doubt", &[WIDE, USUAL], |size| {
        let mut screen = informed(size, false);
        screen.press("F3");
        go_to(&mut screen, "Deadline");
        screen
    });
    let mut screen = informed((120, 200), false);
    let text = screen.press("F3").text();
    for field in &screen.0.model.session.as_ref().unwrap().engine.fields {
        assert!(field.confirmation || text.contains(&field.name), "{} is missing in {text}", field.name);
        assert!(!text.contains(&field.path), "a path in {text}");
    }
}

#[test]
fn a_field_is_changed_in_its_place() {
    drawn("review_editing", &[WIDE, USUAL, (40, 12)], |size| {
        let mut screen = informed(size, false);
        screen.press("F3 down down enter ctrl-j").write("and check them twice");
        screen
    });
    let mut screen = informed(WIDE, false);
    screen.press("F3");
    go_to(&mut screen, "Core problem");
    screen.press("enter ctrl-j").write("every morning");
    let value = json!("Nurses retype paper forms into two systems\nevery morning");
    let correct = Edit::Correct { path: "purpose_and_problem.core_problem".to_owned(), value };
    assert_eq!(effects(&mut screen, "enter"), [Effect::host(correct)]);
    assert!(review(&screen).editing.is_none());
}

#[test]
fn an_edit_that_changes_nothing_does_nothing_and_one_that_is_left_can_be_recalled() {
    let mut screen = informed(WIDE, false);
    screen.press("F3");
    go_to(&mut screen, "Core problem");
    assert_eq!(effects(&mut screen, "enter enter"), []);
    screen.press("enter").write(" all day").press("esc");
    assert!(review(&screen).editing.is_none(), "Esc leaves the field and not the review");
    screen.press("esc up");
    assert_eq!(screen.0.model.composer.text(), "Nurses retype paper forms into two systems all day");
}

#[test]
fn numbers_take_numbers_and_choices_are_chosen() {
    let mut screen = informed(WIDE, false);
    screen.press("F3");
    go_to(&mut screen, "users");
    let name = review(&screen).cursor;
    screen.press("enter ctrl-u").write("a lot");
    let (path, value) = ("users_and_personas.expected_users".to_owned(), json!("a lot"));
    let correct = Edit::Correct { path: path.clone(), value: value.clone() };
    assert_eq!(effects(&mut screen, "enter"), [Effect::host(correct)], "what holds it knows whether it is a number");
    let refused = SessionNews::NotCorrected { path, value, why: Mistyped::Number };
    screen.send(Msg::host(Event::Session(refused)));
    let problem = review(&screen).editing.as_ref().unwrap().problem.clone();
    assert!(problem.unwrap().contains("no number"));
    screen.press("ctrl-u").write("1,200");
    let correct = Edit::Correct { path: "users_and_personas.expected_users".to_owned(), value: json!("1,200") };
    assert_eq!(effects(&mut screen, "enter"), [Effect::host(correct)]);
    assert_eq!(review(&screen).cursor, name);
    screen.press("down enter down");
    drawn("review_choice", &[WIDE, USUAL], |size| {
        let mut screen = informed(size, false);
        screen.press("F3");
        go_to(&mut screen, "users");
        screen.press("down enter down");
        screen
    });
    let correct = Edit::Correct { path: "users_and_personas.usage_frequency".to_owned(), value: json!("weekly") };
    assert_eq!(effects(&mut screen, "enter"), [Effect::host(correct)]);
}

#[test]
fn nothing_is_confirmed_that_was_not_on_the_screen() {
    let mut screen = informed(USUAL, false);
    screen.press("F3");
    screen.text();
    assert_eq!(effects(&mut screen, "y"), [], "the end of the list has not been seen");
    assert!(screen.0.model.toasts.shown().unwrap().text.contains("on the screen"));
    for _ in 0..60 {
        screen.press("down");
        screen.text();
    }
    let done = effects(&mut screen, "y");
    let [Effect::Outside(elenchus::app::effect::Outside::Host(Request { command, .. }))] = &done[..] else {
        panic!("{done:?}")
    };
    let elenchus::host::protocol::Command::Edit(Edit::Confirm { shown }) = command else { panic!("{command:?}") };
    let paths: Vec<&str> = shown.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths.len(), 6, "{paths:?}");
    assert!(paths.contains(&"constraints.deadline"));
    assert!(screen.0.model.overlays.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_confirmed_is_settled_and_stays_so() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("Nurses retype paper forms into two systems every morning, and mistakes slip in.").await;
    desk.screen.send(Msg::Resize(120, 200));
    desk.press("F3");
    desk.text();
    desk.press("y");
    desk.until(|desk| desk.says("confirmed")).await;
    let session = desk.session();
    let confirmed = session.memory.extraction.value("validation.scope_confirmed");
    assert_eq!(confirmed, Some(&json!(true)));
    let noted = session.memory.extraction.iter().filter(|(_, field)| field.value.is_some());
    assert!({ noted }.all(|(_, field)| field.state == FieldState::Known));
    assert_ne!(session.memory.obligations.status("confirm_project_scope"), Status::Pending);
    desk.leave().await;
}

#[test]
fn a_question_that_wants_a_yes_to_everything_leads_to_the_review() {
    let mut app = super::support::App::in_session(120, 40);
    let pointed = |app: &super::support::App| app.model.chat.entries.iter().any(|entry| entry.text.contains("/review"));
    assert!(!pointed(&app));
    let mut opened = super::support::opened(&super::support::engine("project-discovery"));
    let asked = Asked { obligation: "confirm_project_scope".to_owned(), ..Asked::default() };
    std::sync::Arc::make_mut(&mut opened.memory).asked = vec![asked];
    app.send(Msg::host(Event::Opened(std::sync::Arc::new(opened))));
    assert!(pointed(&app));
}

#[test]
fn what_was_typed_into_a_field_is_not_lost_by_closing_the_review() {
    let mut screen = informed(WIDE, false);
    screen.press("F3");
    go_to(&mut screen, "Core problem");
    screen.press("enter").write(" all day").press("F3 up");
    assert_eq!(screen.0.model.composer.text(), "Nurses retype paper forms into two systems all day");
}
