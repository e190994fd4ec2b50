//! The task that owns the session, on a real store: what it fetches and writes.

use elenchus::engine::extraction::Change;
use elenchus::engine::figures::TurnFigures;
use pretty_assertions::assert_eq;

use super::desk::Desk;
use crate::support::program::Program;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_of_turns_that_were_kept_are_fetched_whole() {
    let program = Program::new();
    let engine = program.new_engine("look-back").display().to_string();
    let mut desk = Desk::at(&program, false);
    desk.begin(&engine).await;
    desk.say("The move to the new office.").await;
    desk.say("Nobody lost a box.").await;
    let live = desk.screen.model.turns[&1].clone().expect("the turn was just taken");
    desk.screen.model.turns.clear();
    desk.press("F2 tab tab tab");
    desk.until(|desk| desk.screen.model.turns.len() == 2).await;
    let kept = desk.screen.model.turns[&1].clone().expect("something was kept");
    assert_eq!(kept.steps.len(), 17, "the last two end after the turn was kept");
    assert!(kept.transition().is_some() && !kept.changes.is_empty());
    let learned = live.changes.iter().map(|change| Change { previous: None, ..change.clone() }).collect();
    assert_eq!(kept, TurnFigures { steps: live.steps[..17].to_vec(), changes: learned, ..live });
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_becomes_a_test_of_its_engine() {
    let program = Program::new();
    let folder = program.new_engine("look-back");
    let engine = folder.display().to_string();
    let mut desk = Desk::at(&program, false);
    desk.begin(&engine).await;
    desk.say("The move to the new office.").await;
    desk.say("Nobody lost a box.").await;
    let before = std::fs::read_dir(folder.join("scenarios")).expect("a folder").count();
    desk.press("F4");
    desk.until(|desk| desk.says("the scenario is in ")).await;
    assert_eq!(std::fs::read_dir(folder.join("scenarios")).expect("a folder").count(), before + 1);

    let elsewhere = program.folder().join("elsewhere.toml").display().to_string();
    let effects = desk.screen.send(elenchus::app::Msg::Paste(format!("/scenario {elsewhere}")));
    desk.carry_out(effects);
    desk.press("enter");
    desk.until(|desk| desk.says("elsewhere.toml")).await;
    desk.leave().await;
    for target in [&engine, &elsewhere] {
        let ran = program.run(&["test", target]);
        assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
    }
    let text = std::fs::read_to_string(&elsewhere).expect("it was written");
    assert!(text.contains(&format!("engine = \"{engine}\"")), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_brief_written_again_goes_beside_the_first() {
    let program = Program::new();
    let engine = program.new_engine("look-back").display().to_string();
    let mut desk = Desk::at(&program, false);
    desk.begin(&engine).await;
    desk.say("The move to the new office.").await;
    let file = program.folder().join("brief.md");
    for (expected, told) in
        [("brief.md", "the brief is in "), ("brief-2.md", "was there already"), ("brief-3.md", "brief-3.md")]
    {
        let effects = desk.screen.send(elenchus::app::Msg::Paste(format!("/export {}", file.display())));
        desk.carry_out(effects);
        desk.press("enter");
        desk.until(|desk| desk.says(told)).await;
        assert!(program.folder().join(expected).is_file(), "{expected}");
    }
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offline_is_never_taken_for_the_name_of_a_model() {
    let program = Program::new();
    let engine = program.new_engine("look-back").display().to_string();
    let mut desk = Desk::at(&program, false);
    desk.begin(&engine).await;
    for word in ["offline", "Offline"] {
        desk.carry_out(vec![elenchus::app::Effect::host(elenchus::host::protocol::UseModel(word.to_owned()))]);
        desk.until(|desk| desk.says("answers from now on")).await;
        assert!(desk.screen.model.endpoint.offline, "{:?}", desk.screen.model.endpoint);
        desk.press("esc");
    }
    desk.leave().await;
}
