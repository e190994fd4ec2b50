//! Progress as people think of it: what is left, wrapping up, leaving a question for later, and small things of the keys.

use elenchus::app::chat::EntryKind;
use elenchus::app::overlay::Overlay;
use elenchus::app::sidebar::Row;
use elenchus::app::{Effect, Msg, layout};
use elenchus::engine::memory::Status;
use elenchus::host::protocol::{Command, Edit, Notice};
use elenchus::words::english;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::desk::Desk;
use super::frames::{USUAL, drawn};
use super::known::informed;
use super::support::App;
use crate::support::program::Program;

fn commands(effects: &[Effect]) -> Vec<&Command> {
    let host = effects.iter().filter_map(|effect| match effect {
        Effect::Outside(elenchus::app::effect::Outside::Host(request)) => Some(&request.command),
        _ => None,
    });
    host.collect()
}

fn open(desk: &Desk) -> usize {
    let states = desk.session().memory.obligations.iter();
    states.filter(|(_, state)| matches!(state.status, Status::Pending | Status::Partial)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn wrapping_up_leaves_the_five_most_valuable_questions_and_the_confirmation() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("We want an app for patient intake.").await;
    let before = open(&desk);
    let left = desk.session().sidebar.left.unwrap();
    assert_eq!(left.questions as usize, before);
    assert!(left.minutes > 0 && left.minutes <= 30);
    desk.press("alt-w");
    let told = |desk: &Desk| desk.screen.model.chat.entries.iter().any(|entry| entry.text.contains("listed as open"));
    desk.until(told).await;
    assert_eq!(open(&desk), 6, "five questions and the yes to everything");
    let rows = desk.screen.model.sidebar.rows(&desk.session().sidebar, english());
    assert!(rows.iter().any(|row| matches!(row, Row::Left(left) if left.questions == 6)));
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_left_for_later_and_gone_back_to() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("We want an app for patient intake.").await;
    let asked = desk.session().memory.asked[0].obligation.clone();
    let typed = desk.screen.send(Msg::Paste("half a thought".to_owned()));
    desk.carry_out(typed);
    desk.press("alt-a");
    desk.until(|desk| desk.turn() == 2).await;
    let state = desk.session().memory.obligations.get(&asked).cloned().unwrap();
    assert!(state.parked_at.is_some(), "{asked}: {state:?}");
    assert_eq!(desk.screen.model.composer.text(), "half a thought", "what was being written stays");
    assert_ne!(desk.session().memory.asked[0].obligation, asked);
    desk.press("alt-g");
    desk.until(|desk| desk.turn() == 3).await;
    assert_eq!(desk.session().memory.asked[0].obligation, asked);
    desk.leave().await;
}

#[test]
fn the_menu_of_commands_takes_arrows() {
    let mut app = App::in_session(120, 40);
    app.write("/s");
    let names: Vec<&str> = app.model.composer.completions().iter().map(|entry| entry.name).collect();
    assert!(names.len() > 1, "{names:?}");
    app.press("down down tab");
    assert_eq!(app.model.composer.text(), format!("/{} ", names[1]));
    app.press("ctrl-c");
    app.write("/hel");
    app.press("down enter");
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Help(_))));
    drawn("slash_arrows", &[USUAL], |size| {
        let mut screen = informed(size, false);
        screen.write("/s").press("down down");
        screen
    });
}

#[test]
fn a_field_is_put_right_by_its_name() {
    let mut app = App::in_session(120, 40);
    for (typed, path, value) in [
        ("/correct budget 15000", "constraints.budget", "15000"),
        ("/correct Core problem they type it twice", "purpose_and_problem.core_problem", "they type it twice"),
        ("/correct constraints.budget 12 €", "constraints.budget", "12 €"),
    ] {
        app.write(typed);
        let effects = app.press("enter");
        let wanted = Command::Edit(Edit::Correct { path: path.to_owned(), value: json!(value) });
        assert_eq!(commands(&effects), [&wanted], "{typed}");
    }
}

#[test]
fn an_answer_leads_to_the_message_before_it() {
    let mut app = App::in_session(120, 40);
    app.turn("First words.", "First answer.", &[]);
    app.turn("Second words.", "Second answer.", &[]);
    let answers = |app: &App| {
        let at = app.model.chat.entries.iter().position(|entry| &*entry.text == "First answer.");
        at.filter(|at| app.model.chat.entries[*at].kind == EntryKind::Assistant).unwrap()
    };
    app.measure();
    app.press("tab tab");
    app.model.chat.selected = Some(answers(&app));
    app.press("e");
    assert_eq!((app.model.composer.editing, app.model.composer.text().as_str()), (Some(1), "First words."));
}

#[test]
fn what_is_told_makes_room_for_itself_and_fades() {
    let mut app = App::in_session(120, 40);
    let before = layout::compute(app.model.area(), &app.model);
    app.send(Msg::host(Notice::warning("something to look at")));
    let with = layout::compute(app.model.area(), &app.model);
    assert_eq!(with.toast.height, 1);
    assert_eq!(with.chat.height, before.chat.height - 1);
    assert!(with.toast.intersection(with.chat).is_empty() && with.toast.intersection(with.composer).is_empty());
    app.wait_until(120);
    assert_eq!(app.toast(), None, "there was time to read it");
    app.send(Msg::host(Notice::error("something failed")));
    app.wait_until(1000);
    assert_eq!(app.toast(), Some("something failed"), "something is to be done about it");
}
