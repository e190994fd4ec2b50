//! Background tasks, handoffs and projects in the app, on a real host. No terminal, no network.

use elenchus::app::Effect;
use elenchus::app::overlay::Overlay;
use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::host::protocol::{Export, Open, SessionCommand};
use pretty_assertions::assert_eq;

use super::desk::Desk;
use crate::tasks::support::{Bench, DEGRADE, script, task};

/// The app with a session of the bench's engine, in a project.
async fn start(bench: &Bench) -> Desk {
    let mut desk = Desk::on(bench.host(), bench.flags(), Some("bench"), false);
    desk.begin(&bench.engine().display().to_string()).await;
    desk
}

/// Waits until the task of the bench has come so far.
async fn scan_is(desk: &mut Desk, status: TaskStatus) -> TaskRecord {
    let record = |desk: &Desk| desk.session().memory.background_tasks.get("scan").cloned();
    desk.until(|desk| record(desk).is_some_and(|record| record.status == status)).await;
    record(desk).unwrap()
}

fn topmost(desk: &Desk) -> Option<&Overlay> {
    desk.screen.model.overlays.last()
}

fn scan(words: &str) -> Bench {
    Bench::new(&(task("scan", DEGRADE, "") + &script("scan", words)))
}

#[tokio::test]
async fn a_task_waits_until_the_user_has_seen_what_it_runs_and_then_shows_what_it_found() {
    let bench = scan("echo '{\"seen\": \"three rivals\"}'");
    let mut app = start(&bench).await;
    app.say("The phones ring all day.").await;
    scan_is(&mut app, TaskStatus::NeedsUser).await;
    app.press("alt-b enter");
    assert!(matches!(topmost(&app), Some(Overlay::Task(card)) if card.task == "scan"));
    let question = app.session().trust.clone().unwrap();
    assert_eq!(question.acts[0].words, "run /bin/sh -c \"echo '{\\\"seen\\\": \\\"three rivals\\\"}'\"");
    app.press("y");
    assert!(topmost(&app).is_some(), "what was not drawn yet cannot be allowed");
    app.screen.frame();
    app.press("y");
    let found = scan_is(&mut app, TaskStatus::Completed).await.result;
    assert_eq!(found.unwrap()["seen"], "three rivals");
}

#[tokio::test]
async fn a_refused_task_does_what_its_strategy_says() {
    let bench = scan("echo '{\"seen\": true}'");
    let mut app = start(&bench).await;
    app.say("The phones ring all day.").await;
    scan_is(&mut app, TaskStatus::NeedsUser).await;
    app.press("alt-b enter n");
    let note = scan_is(&mut app, TaskStatus::Failed).await.note.unwrap();
    assert!(note.starts_with("We use your own figures"), "{note}");
}

#[tokio::test]
async fn accepting_the_next_step_opens_a_session_that_knows_what_was_settled() {
    let bench = Bench::new("");
    let mut app = start(&bench).await;
    app.say("The phones ring all day.").await;
    app.say("I would like to take it further.").await;
    let first = app.session().id.clone();
    app.press("alt-o");
    assert!(matches!(topmost(&app), Some(Overlay::Handoff(_))), "{:?}", app.toast());
    app.press("y");
    app.until(|desk| desk.session().id != first).await;
    let session = app.session();
    assert_eq!((session.engine.id.as_str(), session.project.as_deref()), ("project-discovery", Some("bench")));
    assert!(app.screen.model.chat.entries[0].text.contains("The phones ring all day"));

    app.press("alt-j");
    app.until(|desk| matches!(topmost(desk), Some(Overlay::Chooser(list)) if !list.all.is_empty())).await;
    let Some(Overlay::Chooser(journey)) = topmost(&app) else { panic!("no list") };
    assert_eq!(journey.all[0].id, first);
    assert!(journey.all[1].label.starts_with("  "), "{:?}", journey.all);
}

#[tokio::test]
async fn a_declined_step_is_gone_until_it_is_asked_for() {
    let bench = Bench::new("");
    let mut app = start(&bench).await;
    app.say("The phones ring all day.").await;
    app.say("I would like to take it further.").await;
    app.press("alt-o n");
    let offered = |desk: &Desk| desk.session().memory.exit_offer.is_some();
    app.until(|desk| !offered(desk)).await;
    app.say("It has been so since spring.").await;
    assert!(!offered(&app));
    app.press("alt-o");
    assert!(topmost(&app).is_none());
    app.say("The staff is tired.").await;
    assert!(offered(&app));
}

#[tokio::test]
async fn a_new_session_of_a_project_with_a_brief_asks_whether_to_go_on_from_it() {
    let bench = Bench::new("");
    let mut app = start(&bench).await;
    app.say("The phones ring all day.").await;
    app.say("I would like to take it further.").await;
    app.press("alt-o y");
    app.until(|desk| desk.session().memory.turn == 0).await;
    app.carry_out(vec![Effect::host(Open::Engine("exploration".to_owned()))]);
    app.until(|desk| matches!(topmost(desk), Some(Overlay::Confirm(_)))).await;
    app.press("n");
    app.say("We choose a telephone system.").await;
    let memory = &app.session().memory;
    assert!(memory.without_project);
}

#[cfg(unix)]
#[tokio::test]
async fn a_brief_that_is_written_out_is_for_its_owner_only_and_steers_no_terminal() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new("");
    let mut app = start(&bench).await;
    app.say("The phones \u{202e}ring all day.").await;
    let titled = SessionCommand::Rename("Phones \u{1b}[2K\u{9b}2J".to_owned());
    let path = bench.path("brief.md");
    let file = Some(path.display().to_string());
    app.carry_out(vec![Effect::host(titled), Effect::host(SessionCommand::Export(Export::Brief(file)))]);
    app.until(|_| std::fs::read_to_string(&path).is_ok_and(|text| text.contains("Phones"))).await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.chars().any(elenchus::text::deceives), "{text:?}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}
