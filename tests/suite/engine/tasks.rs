//! Background tasks: what sets them off, when they start, and what their news do.

use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::engine::turn::TurnInput;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Found, Talk, outcome, small_with};
use crate::support::scripted::ScriptedSession;

/// The small engine with a task that is set off by this.
fn with_task(trigger: &str, more: &str) -> std::sync::Arc<elenchus::engine::Engine> {
    let task = format!(
        "[[background_tasks]]\nid = \"research\"\nname = \"Research\"\ndescription = \"Looks things up.\"\n\
         when = {{ {trigger} }}\nhandler = \"look_up\"\nfailure_strategy = {{ type = \"proceed-with-gap\" }}\n{more}\n\
         [handlers.look_up]\ntype = \"llm\"\nprompt = \"Look up {{{{ extraction.purpose.problem }}}}.\"\noutput = {{ found = {{ type = \"string\" }} }}\n\n[context]\n"
    );
    small_with(&[("[context]\n", &task)])
}

const SATISFIED: &str = "type = \"obligation_status\", obligations = [\"problem_known\"], status = \"satisfied\"";

fn problem() -> Found<'static> {
    ("purpose.problem", json!("queues"), 0.9, "queues")
}

fn record(status: TaskStatus, note: Option<&str>) -> TaskRecord {
    let (id, name) = ("research".to_owned(), "Research".to_owned());
    TaskRecord { id, name, status, since_turn: 1, attempts: 1, note: note.map(str::to_owned), ..TaskRecord::default() }
}

#[test]
fn a_task_is_set_off_by_the_status_of_obligations_and_only_once() {
    let engine = with_task(SATISFIED, "");
    let mut session = ScriptedSession::new(&engine);
    session.chat("Hello.");
    assert_eq!(session.ports.dispatched, []);
    let turn = session.tell("Queues.", &[problem()]);
    assert_eq!(outcome(&turn, "background tasks"), "set off research");
    let order = TaskRecord {
        id: "research".to_owned(),
        name: "Research".to_owned(),
        status: TaskStatus::Pending,
        since_turn: 2,
        reason: "the obligations it waits for are satisfied".to_owned(),
        attempts: 0,
        result: None,
        note: None,
    };
    assert_eq!(session.ports.dispatched, [order]);
    session.chat("Hm.");
    assert_eq!(session.ports.dispatched.len(), 1);
    assert_eq!(session.memory.background_tasks.get("research").map(|task| task.status), Some(TaskStatus::Pending));
}

#[test]
fn a_task_is_set_off_by_low_confidence() {
    let engine = with_task("type = \"low_confidence\", threshold = 0.6, obligations = [\"problem_known\"]", "");
    let mut session = ScriptedSession::new(&engine);
    session.chat("Hello.");
    assert_eq!(session.ports.dispatched, [], "nothing said is no low confidence");
    session.tell("Perhaps queues.", &[("purpose.problem", json!("queues"), 0.55, "queues")]);
    assert_eq!(session.ports.dispatched[0].reason, "problem_known has confidence 0.55");
}

#[test]
fn a_task_is_set_off_by_an_expression() {
    let engine = with_task("type = \"custom\", expression = \"turn >= 2 and not known('purpose.problem')\"", "");
    let mut session = ScriptedSession::new(&engine);
    session.chat("Hello.");
    assert_eq!(session.ports.dispatched, []);
    session.chat("Hello.");
    assert_eq!(session.ports.dispatched.len(), 1);
}

#[test]
fn a_task_of_another_phase_waits_for_it() {
    let engine = with_task(SATISFIED, "phases = [\"MIDDLE\"]");
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues.", &[problem()]);
    assert_eq!(session.ports.dispatched, []);
    session.tell("Hm.", &[("purpose.mood", json!("angry"), 0.9, "")]);
    assert_eq!((session.memory.phase.current.as_str(), session.ports.dispatched.len()), ("MIDDLE", 1));
}

#[test]
fn a_task_starts_only_once_the_turn_that_ordered_it_is_kept() {
    let engine = with_task(SATISFIED, "");
    let mut session = ScriptedSession::new(&engine);
    session.ports.persist_error = Some("the disk is full".to_owned());
    session.ports.finds(&[problem()]);
    pollster::block_on(session.say("Queues.")).expect_err("it cannot be kept");
    assert_eq!(session.ports.dispatched, []);
}

#[test]
fn a_failed_task_is_told_to_the_user_and_stands_in_no_note() {
    let engine = with_task(SATISFIED, "");
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues.", &[problem()]);
    let update = record(TaskStatus::Failed, Some("The source is down"));
    let turn = session.run(TurnInput { task_updates: vec![update], ..TurnInput::saying("Hm.") });
    let sent = session.last_system().concat();
    assert!(!sent.contains("Background") && !sent.contains("Research brought"), "{sent}");
    let shown: Vec<_> =
        turn.report.tasks.iter().map(|task| (task.name.as_str(), task.status, task.note.as_deref())).collect();
    assert_eq!(shown, [("Research", TaskStatus::Failed, Some("The source is down"))]);
}

#[test]
fn a_failed_or_finished_task_no_longer_blocks_and_one_that_needs_the_user_does() {
    for (status, blocks) in [
        (TaskStatus::Pending, true),
        (TaskStatus::Running, true),
        (TaskStatus::Waiting, true),
        (TaskStatus::NeedsUser, true),
        (TaskStatus::Interrupted, true),
        (TaskStatus::Failed, false),
        (TaskStatus::Completed, false),
    ] {
        let engine = with_task(SATISFIED, "block_phase_transition = true");
        let mut session = ScriptedSession::new(&engine);
        session.tell("Queues.", &[problem()]);
        session.memory.background_tasks.put(record(status, None));
        session.tell("Hm.", &[("purpose.mood", json!("angry"), 0.9, "")]);
        assert_eq!(session.memory.phase.current == "START", blocks, "{status:?}");
    }
}
