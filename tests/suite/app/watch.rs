//! `--watch`: what is saved in the folder of the engine is taken over between turns, or said to be wrong.

use elenchus::host::protocol::TurnCommand;
use std::path::PathBuf;

use pretty_assertions::assert_eq;

use super::desk::{Desk, save};
use crate::support::program::Program;

fn engine(program: &Program) -> (String, PathBuf, String) {
    let folder = program.new_engine("look-back");
    let file = folder.join("engine.toml");
    let text = std::fs::read_to_string(&file).expect("the example is there");
    (folder.display().to_string(), file, text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saved_engine_is_taken_over_and_what_is_different_is_told() {
    let program = Program::new();
    let (engine, file, text) = engine(&program);
    let mut desk = Desk::at(&program, true);
    desk.begin(&engine).await;
    desk.say("The move to the new office.").await;
    let phase = desk.screen.model.session.as_ref().unwrap().memory.phase.current.clone();
    assert_eq!(phase, "STORY");

    save(&file, &text.replace("threshold = 1.0", "threshold = 0.3"));
    desk.until(|desk| desk.says("`look-back` is taken over")).await;
    let told = desk.toast().unwrap();
    assert!(told.contains("threshold: 1.0 → 0.3"), "{told}");
    desk.say("Nobody lost a box.").await;
    let session = desk.screen.model.session.as_ref().unwrap();
    assert_eq!(session.memory.phase.current, "LESSON", "the new threshold decides");
    assert_eq!(session.memory.turn, 2);

    save(&file, &text.replace("highlight_known", "best_moment_known"));
    desk.until(|desk| desk.says("obligation best_moment_known was added")).await;
    assert!(desk.says("obligation highlight_known was removed"));
    let session = desk.screen.model.session.as_ref().unwrap();
    assert!(session.engine.obligation("best_moment_known").is_some());
    assert!(session.sidebar.sections.iter().any(|section| format!("{section:?}").contains("best_moment_known")));
    desk.leave().await;
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_are_told_with_their_place_and_the_session_goes_on_with_the_version_before() {
    let program = Program::new();
    let (engine, file, text) = engine(&program);
    let mut desk = Desk::at(&program, true);
    desk.begin(&engine).await;
    save(&file, &text.replace("initial_phase = \"STORY\"", "initial_phase = \"STORRY\""));
    desk.until(|desk| desk.says("look-back has 1 error(s); the session goes on with the version before")).await;
    let line = text.lines().position(|line| line.starts_with("initial_phase")).unwrap() + 1;
    assert!(desk.says(&format!("engine.toml:{line}: ")), "{:?}", desk.toast());
    assert!(desk.text().contains(&format!("engine.toml:{line}")));
    desk.say("The move to the new office.").await;
    assert!(desk.says("engine.toml"), "it stays until it is read or put right");

    save(&file, &format!("{text}\nnonsense = 1\n"));
    desk.until(|desk| desk.says("nonsense")).await;
    assert_eq!(desk.screen.model.toasts.len(), 1, "what was wrong before is not told any more");
    save(&file, &text.replace("version = \"0.1.0\"", "version = \"0.2.0\""));
    desk.until(|desk| desk.says("version: `0.1.0` → `0.2.0`")).await;
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_is_taken_back_keeps_the_engine_that_was_taken_over() {
    let program = Program::new();
    let (engine, file, text) = engine(&program);
    let mut desk = Desk::at(&program, true);
    desk.begin(&engine).await;
    desk.say("The move to the new office.").await;
    desk.say("Nobody lost a box.").await;
    save(&file, &text.replace("version = \"0.1.0\"", "version = \"0.2.0\""));
    desk.until(|desk| desk.says("is taken over")).await;
    desk.carry_out(vec![elenchus::app::Effect::host(TurnCommand::Undo)]);
    desk.until(|desk| desk.turn() == 1).await;
    let session = desk.screen.model.session.as_ref().unwrap();
    assert_eq!((session.engine.version.as_str(), session.memory.engine_version.as_str()), ("0.2.0", "0.2.0"));
    let id = session.id.clone();
    desk.say("The lift was broken.").await;
    desk.leave().await;
    let shown = program.run(&["sessions", "show", &id, "--json"]).json();
    assert_eq!((&shown["turn"], &shown["engine_change"]), (&serde_json::json!(2), &serde_json::json!(null)));
    assert_eq!(program.run(&["sessions", "verify", &id]).code, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_in_the_binary_has_nothing_to_watch() {
    let program = Program::new();
    let mut desk = Desk::at(&program, true);
    desk.begin("ideation").await;
    desk.until(|desk| desk.says("`ideation` is part of the program: there is no file of it to watch")).await;
    desk.leave().await;
}
