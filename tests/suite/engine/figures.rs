//! The figures of a turn: what is kept of them, what a turn under way has, and that they cross a pipe unharmed.

use elenchus::engine::figures::TurnFigures;
use elenchus::engine::report::TurnReport;
use elenchus::engine::step::Step;
use pretty_assertions::assert_eq;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::support::{Talk, small};
use crate::support::scripted::{ScriptedSession, ScriptedTurn};

/// A turn that learns something, refuses something and looks at exits.
fn turn(session: &mut ScriptedSession<'_>) -> ScriptedTurn {
    session.chat("Hello.");
    let quote = "Patients wait too long";
    session.tell(
        &format!("{quote} for a room."),
        &[("purpose.problem", json!(quote), 0.9, quote), ("purpose.nothing", json!(1), 0.9, quote)],
    )
}

fn through_text<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).expect("it is written")).expect("it is read")
}

#[test]
fn figures_report_and_sidebar_come_out_of_a_pipe_as_they_went_in() {
    let engine = small();
    let turn = turn(&mut ScriptedSession::new(&engine));
    assert!(!turn.figures.changes.is_empty() && turn.figures.transition().is_some());
    assert_eq!(through_text::<TurnFigures>(&turn.figures), turn.figures);
    assert_eq!(through_text::<TurnReport>(&turn.report), turn.report);
    assert_eq!(through_text(&turn.sidebar), turn.sidebar);
}

#[test]
fn what_the_log_has_is_not_kept_twice() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = turn(&mut session);
    let kept = session.ports.kept.last().expect("the turn was kept");
    assert_eq!(kept.log.len(), turn.figures.changes.len());
    let before_it_was_kept = turn.figures.steps[..17].to_vec();
    assert_eq!(kept.figures, TurnFigures { steps: before_it_was_kept, changes: Vec::new(), ..turn.figures.clone() });
    let text = serde_json::to_string(&kept.figures).expect("it is written");
    assert!(!text.contains("Patients wait"), "{text}");
}

#[test]
fn a_turn_under_way_has_the_figures_that_its_steps_have_told() {
    let engine = small();
    let turn = turn(&mut ScriptedSession::new(&engine));
    let mut so_far = TurnFigures::default();
    for entry in turn.figures.steps.iter().take_while(|entry| entry.step < Step::Telemetry) {
        so_far.note(entry.clone());
    }
    assert!(!so_far.are_measured() && turn.figures.are_measured());
    assert_eq!(so_far.transition(), turn.figures.transition());
    assert_eq!(so_far.techniques(), turn.figures.techniques());
    assert_eq!(so_far.agenda(), turn.figures.agenda());
    assert_eq!(so_far.extraction(), turn.figures.extraction());
    assert_eq!(so_far.context, turn.figures.context);
    assert_eq!(so_far.modes.observed, turn.figures.modes.observed);
}

#[test]
fn a_line_of_the_trace_that_no_step_has_written_is_refused() {
    let unknown = json!({ "step": 20, "name": "encore", "ms": 0.1, "outcome": "" });
    let wrong = json!({ "step": 6, "name": "", "ms": 0.1, "outcome": "", "details": { "ways": 3 } });
    for entry in [unknown, wrong] {
        assert!(serde_json::from_value::<elenchus::engine::step::TraceEntry>(entry).is_err());
    }
}
