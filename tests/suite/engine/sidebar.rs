//! The sidebar: sections, conditions, the phase indicator, the progress bar, tasks, modes and the budget.

use elenchus::engine::config::Mode;
use elenchus::engine::memory::Status;
use elenchus::engine::sidebar::{
    PhaseProgress, ProgressBarState, SidebarBudget, SidebarItem, SidebarMode, SidebarValue, build,
};
use elenchus::engine::turn::TurnInput;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, small, small_with};
use crate::support::scripted::{ScriptedSession, ScriptedTurn};

const TURNS: &str = "when = { type = \"session_turn_count\", threshold = 2 }";

/// Whether the dynamic section is there after each of two turns, the second of which brings the problem and the mood.
fn visible(condition: &str) -> [bool; 2] {
    let engine = small_with(&[(TURNS, &format!("when = {{ {condition} }}"))]);
    let mut session = ScriptedSession::new(&engine);
    let shown = |turn: &ScriptedTurn| turn.report.sidebar.sections[1].visible;
    let first = shown(&session.chat("Hello."));
    let found = [("purpose.problem", json!("queues"), 0.9, "queues"), ("purpose.mood", json!("angry"), 0.9, "")];
    [first, shown(&session.tell("Queues.", &found))]
}

#[test]
fn a_static_section_is_always_there_with_its_obligations_and_their_status() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    let section = &turn.report.sidebar.sections[0];
    assert_eq!(
        (section.id.as_str(), section.title.as_str(), section.visible, section.collapsed),
        ("about", "About", true, false)
    );
    assert_eq!(section.items.len(), 7);
    let item = SidebarItem {
        obligation_id: "problem_known".to_owned(),
        label: "Problem".to_owned(),
        status: Status::Satisfied,
        confidence: 0.9,
        value: Some(SidebarValue { text: "queues".to_owned(), in_doubt: false }),
    };
    assert_eq!(section.items[0], item);
}

#[test]
fn a_dynamic_section_appears_after_so_many_turns() {
    assert_eq!(visible("type = \"session_turn_count\", threshold = 2"), [false, true]);
    assert_eq!(visible("type = \"session_turn_count\", threshold = 3"), [false, false]);
}

#[test]
fn a_dynamic_section_appears_from_a_level_of_completeness() {
    assert_eq!(visible("type = \"completeness_score\", threshold = 0.2"), [false, true]);
    assert_eq!(visible("type = \"completeness_score\", threshold = 0.3"), [false, false]);
}

#[test]
fn a_dynamic_section_appears_once_enough_of_a_category_is_satisfied() {
    let rate = |rate: &str| format!("type = \"obligation_satisfaction\", category = \"purpose\", threshold = {rate}");
    assert_eq!(visible(&rate("0.6")), [false, true]);
    assert_eq!(visible(&rate("0.9")), [false, false]);
}

#[test]
fn the_phase_indicator_tells_what_is_done_current_and_ahead_in_friendly_words() {
    let engine = small_with(&[(
        "[sidebar]\n",
        "[sidebar]\nphase_indicator = { show = true, names = { MIDDLE = \"The people\" } }\n",
    )]);
    let mut session = ScriptedSession::new(&engine);
    session.memory.phase.current = "MIDDLE".to_owned();
    let indicator = build(&engine, &session.memory, None).state.phase_indicator.expect("it is shown");
    assert_eq!((indicator.current_phase.as_str(), indicator.label.as_str()), ("MIDDLE", "The people"));
    let marks: Vec<_> = indicator.phases.iter().map(|mark| (mark.label.as_str(), mark.state)).collect();
    let expected =
        [("Start", PhaseProgress::Done), ("The people", PhaseProgress::Current), ("End", PhaseProgress::Ahead)];
    assert_eq!(marks, expected);
}

#[test]
fn the_progress_bar_is_completeness_in_rounded_per_cent() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    let bar = ProgressBarState { percentage: 13, show_percentage: true, ready_at: 80, is_ready: false };
    assert_eq!(turn.report.sidebar.progress_bar, Some(bar));
}

#[test]
fn modes_are_shown_target_against_observed_and_the_budget_with_its_cap() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Where is that?");
    let turn = session.run(TurnInput { cap_usd: Some(2.0), ..TurnInput::saying("Hello.") });
    let sidebar = &turn.report.sidebar;
    assert_eq!(
        sidebar.modes,
        [
            SidebarMode { mode: Mode::Extract, target: 70, observed: Some(100.0) },
            SidebarMode { mode: Mode::Validate, target: 30, observed: Some(0.0) }
        ]
    );
    let tokens = session.memory.usage.input_tokens + session.memory.usage.output_tokens;
    assert_eq!(sidebar.budget, Some(SidebarBudget { spent_usd: 0.0, cap_usd: Some(2.0), tokens }));
    assert!(tokens > 0);
}

#[test]
fn what_the_engine_turns_off_is_not_shown() {
    let off = "[sidebar]\nphase_indicator = { show = false }\nprogress_bar = { show = false }\ntasks = false\nmodes = false\nbudget = false\n";
    let engine = small_with(&[("[sidebar]\n", off)]);
    let sidebar = build(&engine, &ScriptedSession::new(&engine).memory, Some(1.0)).state;
    assert_eq!((sidebar.phase_indicator, sidebar.progress_bar, sidebar.budget), (None, None, None));
    assert_eq!((sidebar.modes.len(), sidebar.tasks.len()), (0, 0));
}
