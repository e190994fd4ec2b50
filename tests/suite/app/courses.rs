//! Nothing is lost by a key: what was taken back is told, listed, looked at, brought back and copied.

use elenchus::app::overlay::Overlay;
use elenchus::app::{Effect, Msg};
use elenchus::engine::transcript::{Message, Role};
use elenchus::host::protocol::{Answer, CourseChoice, Edit, Event, Open, Query, TurnCommand};
use pretty_assertions::assert_eq;

use super::desk::Desk;
use super::frames::{EVERY, Screen, USUAL, drawn, overlaid};
use super::known::informed;
use super::support::App;
use crate::support::program::Program;

fn courses() -> Vec<CourseChoice> {
    let said = |turn, role, text: &str| Message::new(turn, role, text);
    vec![
        CourseChoice {
            id: 7,
            after: 1,
            turns: 2,
            when: "2026-11-17 09:12".to_owned(),
            messages: vec![
                said(2, Role::User, "About 30 people use it, mostly in the mornings."),
                said(2, Role::Assistant, "And what annoys them most?"),
                said(3, Role::User, "That they type everything twice."),
                said(3, Role::Assistant, "What would they rather do?"),
            ],
        },
        CourseChoice {
            id: 4,
            after: 0,
            turns: 1,
            when: "2026-11-17 09:02".to_owned(),
            messages: vec![said(1, Role::User, "Nothing yet."), said(1, Role::Assistant, "Then let us begin.")],
        },
    ]
}

fn listed(size: (u16, u16)) -> Screen {
    let mut screen = informed(size, false);
    screen.press("alt-h").send(Msg::host(Event::Answer(Answer::Courses(courses()))));
    screen
}

#[test]
fn earlier_courses_are_listed_and_looked_at() {
    overlaid("courses", &EVERY, listed);
    drawn("course", &EVERY, |size| {
        let mut screen = listed(size);
        screen.press("enter");
        screen
    });
    overlaid("courses_none", &[USUAL], |size| {
        let mut screen = informed(size, false);
        screen.press("alt-h").send(Msg::host(Event::Answer(Answer::Courses(Vec::new()))));
        screen
    });
}

#[test]
fn a_course_is_restored_or_copied_from_its_card() {
    let mut app = App::in_session(120, 40);
    assert_eq!(app.press("alt-h"), [Effect::host(Query::Courses)]);
    app.send(Msg::host(Event::Answer(Answer::Courses(courses()))));
    app.press("enter");
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Course(card)) if card.course.id == 7));
    assert_eq!(app.press("alt-k"), [Effect::host(Open::ForkCourse(7))]);
    assert_eq!(app.press("y"), [Effect::host(TurnCommand::Restore(7))]);
    assert!(app.model.overlays.is_empty());
    assert_eq!(app.press("alt-k"), [Effect::host(Open::Fork)]);
    assert_eq!(app.press("alt-d"), [Effect::host(TurnCommand::Redo)]);
}

/// What the user said, in order.
fn said(desk: &Desk) -> Vec<String> {
    let entries = desk.screen.model.chat.entries.iter();
    let own = entries.filter(|entry| entry.kind == elenchus::app::chat::EntryKind::User);
    own.map(|entry| entry.text.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_back_comes_back_again_and_again() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("We want an app for patient intake.").await;
    desk.say("Nurses retype forms.").await;
    desk.press("alt-u y");
    desk.until(|desk| desk.turn() == 1 && desk.says("/redo")).await;
    assert_eq!(said(&desk), ["We want an app for patient intake."]);
    desk.press("alt-d");
    desk.until(|desk| desk.turn() == 2 && desk.says("back again")).await;
    assert_eq!(said(&desk), ["We want an app for patient intake.", "Nurses retype forms."]);
    // A changed message keeps what it replaces as well.
    desk.press("alt-e");
    let typed = desk.screen.send(Msg::Paste(" Honestly.".to_owned()));
    desk.carry_out(typed);
    desk.press("enter y");
    desk.until(|desk| {
        said(desk).last().is_some_and(|last| last.contains("Honestly")) && desk.screen.model.turn.is_none()
    })
    .await;
    assert!(desk.says("/redo"), "{:?}", desk.toast());
    desk.press("alt-d");
    desk.until(|desk| said(desk).last().is_some_and(|last| last == "Nurses retype forms.")).await;
    desk.press("alt-d");
    desk.until(|desk| said(desk).last().is_some_and(|last| last.contains("Honestly"))).await;
    desk.leave().await;
    let checked = program.run(&["sessions", "verify"]);
    assert_eq!(checked.code, 0, "{}", checked.data);
}

/// What was forgotten, put right or set aside by hand is taken back alone, and comes back again.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_changed_by_hand_is_taken_back_one_by_one() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("We want an app for patient intake.").await;
    let command = async |desk: &mut Desk, text: &str, told: &str| {
        let typed = desk.screen.send(Msg::Paste(text.to_owned()));
        desk.carry_out(typed);
        desk.press("enter");
        desk.until(|desk| desk.says(told)).await;
    };
    let value = |desk: &Desk| desk.session().memory.extraction.value("constraints.budget").cloned();
    let open = |desk: &Desk| desk.session().sidebar.left.map(|left| left.questions);
    command(&mut desk, "/correct budget 15000 €", "put right").await;
    let before = open(&desk);
    desk.carry_out(vec![Effect::host(Edit::Clear { path: "constraints.budget".to_owned() })]);
    desk.until(|desk| desk.says("forgotten")).await;
    assert!(value(&desk).is_none() && desk.says("/undo"), "{:?}", desk.toast());
    command(&mut desk, "/wrapup", "forgotten").await;
    let told = |desk: &Desk| desk.screen.model.chat.entries.iter().any(|entry| entry.text.contains("Set aside"));
    desk.until(told).await;
    assert!(open(&desk) < before);
    let last = desk.screen.model.chat.entries.last().expect("it is told").text.to_string();
    assert!(last.contains("Set aside") && last.contains("Deadline") && last.contains("/undo"), "{last}");
    desk.press("alt-u");
    desk.until(|desk| desk.says("taken back")).await;
    assert!(open(&desk) >= before && value(&desk).is_none(), "only the last of them");
    desk.press("alt-u");
    desk.until(|desk| value(desk).is_some()).await;
    desk.press("alt-d");
    desk.until(|desk| value(desk).is_none()).await;
    desk.press("alt-u alt-u");
    desk.until(|desk| desk.session().memory.by_hand == 0).await;
    desk.press("alt-u");
    assert!(matches!(desk.screen.model.overlays.last(), Some(Overlay::Confirm(_))), "now it is about the turn");
    desk.press("n");
    desk.leave().await;
    let checked = program.run(&["sessions", "verify"]);
    assert_eq!(checked.code, 0, "{}", checked.data);
}

#[test]
fn so_many_turns_as_one_says_are_taken_back() {
    let mut app = App::in_session(120, 40);
    for said in ["About 30 people use it.", "In the mornings.", "On paper."] {
        app.turn(said, "And what else?", &[]);
    }
    app.write("/undo 2");
    app.press("enter");
    let Some(Overlay::Confirm(asked)) = app.model.overlays.last() else { panic!("it asks") };
    assert!(asked.question.contains("2 turns"), "{}", asked.question);
    assert_eq!(app.press("enter"), [], "Enter is no yes");
    assert!(app.model.overlays.is_empty());
    app.write("/undo 2");
    app.press("enter");
    assert_eq!(app.press("y"), [Effect::host(TurnCommand::UndoTurns(2))]);
    assert_eq!(app.model.composer.text(), "In the mornings.");
    app.press("ctrl-c");
    app.write("/undo everything");
    assert_eq!(app.press("enter"), []);
    assert!(app.toast().unwrap().contains("no number"), "{:?}", app.toast());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_title_goes_back_and_forth_with_what_it_was_made_of() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("We want an app for patient intake.").await;
    let title = desk.session().title.clone();
    assert!(title.contains("patient intake"), "{title}");
    desk.press("alt-u");
    desk.press("y");
    desk.until(|desk| desk.turn() == 0).await;
    assert_eq!(desk.session().title, "", "it is called by its engine again");
    desk.press("alt-d");
    desk.until(|desk| desk.session().title == title).await;
    desk.leave().await;
}

#[test]
fn a_command_is_written_over_the_message_that_an_undo_gave_back_and_not_behind_it() {
    let mut app = App::in_session(120, 40);
    app.turn("About 30 people use it.", "What annoys them?", &[]);
    app.press("alt-u y");
    assert_eq!(app.model.composer.text(), "About 30 people use it.");
    app.press("/ c o");
    assert_eq!(app.model.composer.text(), "/co");
    app.press("backspace backspace backspace");
    assert_eq!(app.model.composer.text(), "About 30 people use it.", "it was only written over");
    app.press("/ c o u r s e s");
    assert_eq!(app.press("enter"), [Effect::host(Query::Courses)]);
    app.press("esc");
    assert_eq!(app.model.composer.text(), "About 30 people use it.", "another command leaves it there");
    app.press("/ r e d o");
    assert_eq!(app.press("enter"), [Effect::host(TurnCommand::Redo)]);
    assert_eq!(app.model.composer.text(), "", "it is in the conversation again");
}

#[test]
fn what_was_given_back_and_changed_is_a_draft_like_any_other() {
    let mut app = App::in_session(120, 40);
    app.turn("About 30 people use it.", "What annoys them?", &[]);
    app.press("alt-u y");
    app.press("backspace");
    app.press("/ x");
    assert_eq!(app.model.composer.text(), "About 30 people use it/x");
    assert_eq!(app.press("alt-d"), [Effect::host(TurnCommand::Redo)]);
    assert_eq!(app.model.composer.text(), "About 30 people use it/x", "what was written stays");
}
