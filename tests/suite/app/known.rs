//! What is known, in view: values in the sidebar, and what only designers see of it.

use elenchus::app::model::View;
use elenchus::app::sidebar::Row;
use elenchus::engine::memory::Status;
use elenchus::words::english;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::frames::{EVERY, Screen, WIDE, drawn};
use super::support::App;

/// A session in which several things are known, some of them only perhaps.
pub(super) fn informed(size: (u16, u16), ascii: bool) -> Screen {
    let mut screen = Screen::in_session(size, ascii);
    let mut app = App { model: screen.0.model.clone() };
    app.turn(
        "Nurses retype paper forms into two systems. It costs two hours a day and 12,000 € a year.",
        "Who does it?",
        &[
            (
                "purpose_and_problem.core_problem",
                json!("Nurses retype paper forms into two systems"),
                0.95,
                "Nurses retype paper forms into two systems",
            ),
            ("purpose_and_problem.cost_of_problem", json!("12,000 € a year"), 0.9, "12,000 € a year"),
        ],
    );
    app.turn(
        "About 40 people use it daily. We have 15,000 € until March, I think, but that may change.",
        "And what would be good enough?",
        &[
            ("users_and_personas.expected_users", json!(40), 0.92, "About 40 people"),
            ("users_and_personas.usage_frequency", json!("daily"), 0.75, "daily"),
            ("constraints.budget", json!("15,000 €"), 0.94, "15,000 €"),
            ("constraints.deadline", json!("March"), 0.55, "until March, I think"),
        ],
    );
    screen.0.model = app.model;
    screen
}

#[test]
fn the_sidebar_shows_what_is_known() {
    drawn("sidebar_values", &EVERY, |size| {
        let mut screen = informed(size, false);
        screen.press("tab");
        screen
    });
    drawn("sidebar_values_ascii", &[WIDE], |size| informed(size, true));
}

#[test]
fn a_value_is_cut_to_the_width_and_one_in_doubt_is_marked() {
    let text = informed(WIDE, false).text();
    let line = |part: &str| text.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} in {text}"));
    assert!(line("✓ Budget").trim_end().ends_with("15,000 €"), "{text}");
    assert!(line("Deadline").trim_end().ends_with("March ?"), "{text}");
    assert!(
        line("Nurses retype paper forms into two systems").contains('│'),
        "a long one has a row of its own: {text}"
    );
    let narrower = informed((100, 30), false).text();
    let below = narrower.lines().find(|line| line.contains("Nurses retype paper") && line.trim_end().ends_with('…'));
    assert!(below.is_some(), "{narrower}");
    assert!(!text.contains("0.9"), "no figures beside the conversation: {text}");
}

#[test]
fn modes_and_a_budget_of_nothing_are_for_designers() {
    let kinds = |screen: &Screen| {
        let state = &screen.0.model.session.as_ref().unwrap().sidebar;
        let rows = screen.0.model.sidebar.rows(state, english());
        (rows.iter().any(|row| matches!(row, Row::Mode(_))), rows.iter().any(|row| matches!(row, Row::Budget)))
    };
    let mut screen = informed(WIDE, false);
    assert_eq!(kinds(&screen), (false, false));
    screen.press("F2");
    assert_eq!(kinds(&screen), (true, true), "the inspector brings them");
    screen.press("F2");
    assert_eq!(kinds(&screen), (false, false));
    screen.0.model.view = View::Designer;
    screen.press("tab");
    assert_eq!(kinds(&screen), (true, true), "and so does the setting");
    screen.0.model.view = View::Interviewee;
    screen.0.model.session.as_mut().unwrap().sidebar.budget.as_mut().unwrap().spent_usd = 0.02;
    screen.press("tab");
    assert_eq!(kinds(&screen), (false, true), "money that is spent is everybody's business");
}

#[test]
fn the_settled_come_with_their_values_and_the_open_without() {
    let screen = informed(WIDE, false);
    let sections = &screen.0.model.session.as_ref().unwrap().sidebar.sections;
    let items = || sections.iter().flat_map(|section| &section.items);
    assert!(items().filter(|item| item.status == Status::Satisfied).all(|item| item.value.is_some()));
    assert!(items().filter(|item| item.status == Status::Pending).all(|item| item.value.is_none()));
}
