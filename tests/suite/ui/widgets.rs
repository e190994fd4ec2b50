//! Small things in any area: what they show, what they drop, and that no size breaks them.

use std::sync::LazyLock;

use elenchus::engine::config::Mode;
use elenchus::engine::memory::{Status, TaskRecord, TaskStatus};
use elenchus::engine::sidebar::{
    PhaseIndicatorState, PhaseMark, PhaseProgress, ProgressBarState, SidebarBudget, SidebarItem, SidebarMode,
    SidebarSection,
};
use elenchus::ui::frame_export::to_text;
use elenchus::ui::glyphs;
use elenchus::ui::paint::Look;
use elenchus::ui::theme::{Scope, Theme};
use elenchus::ui::widgets::{
    BlendBars, BudgetBar, Checklist, ChecklistRow, KeyHint, KeyHints, ListLine, PhaseIndicator, Plot, ProgressBar,
    ScrollBar, SelectionList, Sparkline, TaskLine, Window, centered, scroll_to_show,
};
use elenchus::words::english;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

static THEME: LazyLock<Theme> = LazyLock::new(Theme::default);

fn look() -> Look<'static> {
    Look { theme: &THEME, glyphs: &glyphs::UNICODE, words: english(), caret: None, ends: None }
}

fn drawn(widget: impl Widget, width: u16, height: u16) -> String {
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    widget.render(buf.area, &mut buf);
    to_text(&buf)
}

fn phases() -> PhaseIndicatorState {
    let names = ["Opening", "Core", "Users", "Constraints", "Priorities", "Wrap-up"];
    let phases = names.iter().enumerate().map(|(at, name)| PhaseMark {
        id: (*name).to_owned(),
        label: (*name).to_owned(),
        state: [PhaseProgress::Done, PhaseProgress::Current, PhaseProgress::Ahead][at.saturating_sub(1).min(2)],
    });
    PhaseIndicatorState { current_phase: "Users".into(), label: "Users".into(), phases: phases.collect() }
}

fn section() -> SidebarSection {
    let item = |label: &str, status, confidence| SidebarItem {
        obligation_id: label.to_owned(),
        label: label.to_owned(),
        status,
        confidence,
        value: None,
    };
    SidebarSection {
        id: "purpose".into(),
        title: "Purpose".into(),
        visible: true,
        collapsed: false,
        items: vec![
            item("Core problem", Status::Satisfied, 0.92),
            item("Trigger event", Status::Partial, 0.55),
            item("Current solution", Status::Pending, 0.0),
            item("預算 Budget", Status::Deferred, 0.0),
        ],
    }
}

#[test]
fn the_completeness_bar_has_a_tick_where_ready_begins() {
    let state = ProgressBarState { percentage: 58, show_percentage: true, ready_at: 80, is_ready: false };
    let bar = ProgressBar { state: &state, label: "Completeness", look: look() };
    assert_eq!(drawn(bar, 32, 1), "Completeness ▓▓▓▓▓▓▓▓░░│░░  58 %\n");
    assert_eq!(drawn(bar, 12, 1), "▓▓▓░░│  58 %\n");
    assert_eq!(drawn(bar, 4, 1), "▓▓░│\n");
}

#[test]
fn a_bar_is_full_only_when_all_is_there_and_empty_only_when_nothing_is() {
    let bar = |percentage| {
        let state = ProgressBarState { percentage, show_percentage: false, ready_at: 100, is_ready: false };
        drawn(ProgressBar { state: &state, label: "", look: look() }, 5, 1)
    };
    assert_eq!([bar(0), bar(1), bar(99), bar(100)], ["░░░░│\n", "▓░░░│\n", "▓▓▓▓│\n", "▓▓▓▓│\n"]);
}

#[test]
fn the_phases_are_named_as_far_as_there_is_room() {
    let state = phases();
    let at = |width| drawn(PhaseIndicator { state: &state, look: look() }, width, 1);
    insta::assert_snapshot!([80, 40, 20, 14, 8, 5, 1].map(at).concat());
}

#[test]
fn a_section_counts_what_is_met_and_folds() {
    let section = section();
    let open = Checklist { section: &section, folded: false, selected: None, look: look() };
    insta::assert_snapshot!(drawn(open, 28, open.height()));
    assert_eq!(drawn(Checklist { folded: true, ..open }, 28, 3), "▸ Purpose                1/4\n\n\n");
    assert_eq!(open.row_at(2), Some(ChecklistRow::Item(1)));
    assert_eq!(open.row_at(9), None);
}

#[test]
fn the_selected_row_is_set_apart_across_its_whole_width() {
    let section = section();
    let list = Checklist { section: &section, folded: false, selected: Some(ChecklistRow::Item(0)), look: look() };
    let mut buf = Buffer::empty(Rect::new(0, 0, 28, 5));
    list.render(buf.area, &mut buf);
    let ground = THEME.style(Scope::ListSelected).bg.unwrap();
    assert!((0..28).all(|x| buf[(x, 1)].bg == ground && buf[(x, 2)].bg != ground));
}

#[test]
fn modes_show_what_was_observed_against_what_was_aimed_at() {
    let modes = [
        SidebarMode { mode: Mode::Extract, target: 75, observed: Some(62.0) },
        SidebarMode { mode: Mode::Validate, target: 25, observed: None },
    ];
    let bars = BlendBars { modes: &modes, look: look() };
    assert_eq!(drawn(bars, 30, 2), "extract  ▇▇▇▇▇▇▇▇▇··│··  62/75\nvalidate ····│·········   -/25\n");
}

#[test]
fn the_budget_is_shown_against_its_cap_or_as_what_was_spent() {
    let budget = SidebarBudget { spent_usd: 0.03, cap_usd: Some(1.0), tokens: 12_400 };
    assert_eq!(drawn(BudgetBar { budget: &budget, look: look() }, 32, 1), "Budget ▓░░░░░░░░░ $0.03 of $1.00\n");
    let free = SidebarBudget { cap_usd: None, ..budget };
    assert_eq!(drawn(BudgetBar { budget: &free, look: look() }, 32, 1), "Budget $0.03 · 12.4k tok\n");
}

#[test]
fn tasks_show_that_they_are_alive_or_that_they_failed() {
    let mut task = TaskRecord {
        id: "scan".into(),
        name: "Competitor scan".into(),
        status: TaskStatus::Running,
        ..TaskRecord::default()
    };
    let line = |task: &TaskRecord, elapsed| {
        let line = TaskLine { task, tick: 2, elapsed: Some(elapsed), look: look() };
        drawn(line, 30, 1)
    };
    assert_eq!(line(&task, 12), " ⠹ Competitor scan        12 s\n");
    assert_eq!(line(&task, 3_900), " ⠹ Competitor scan      1 h 05\n");
    task.status = TaskStatus::Failed;
    assert_eq!(line(&task, 12), " ✗ Competitor scan\n");
}

#[test]
fn hints_that_do_not_fit_are_dropped_from_the_end() {
    let hints = [("Enter", "send"), ("Ctrl-P", "commands"), ("?", "")].map(|(key, does)| KeyHint { key, does });
    let at = |width| drawn(KeyHints { hints: &hints, look: look() }, width, 1);
    assert_eq!(
        [at(40), at(30), at(12), at(3)],
        ["Enter send · Ctrl-P commands · ?\n", "Enter send · Ctrl-P commands\n", "Enter send\n", "\n",]
    );
}

#[test]
fn a_list_shows_the_selected_line_and_a_scroll_bar() {
    let lines: Vec<ListLine> = ["handoff", "help", "theme", "export", "quit"]
        .map(|text| ListLine {
            text: text.into(),
            detail: "what it does".into(),
            aside: "F1".into(),
            ..ListLine::default()
        })
        .into();
    let offset = scroll_to_show(0, 3, lines.len(), 3);
    let list = SelectionList { lines: &lines, selected: Some(3), offset, look: look() };
    insta::assert_snapshot!(drawn(list, 34, 3));
    assert_eq!(list.line_at(0), Some(1));
}

#[test]
fn the_window_scrolls_no_more_than_needed() {
    assert_eq!(scroll_to_show(0, 0, 10, 3), 0);
    assert_eq!(scroll_to_show(0, 5, 10, 3), 3);
    assert_eq!(scroll_to_show(5, 6, 10, 3), 5);
    assert_eq!(scroll_to_show(9, 2, 10, 3), 2);
    assert_eq!(scroll_to_show(9, 9, 10, 30), 0);
}

#[test]
fn matching_letters_are_set_apart() {
    let lines = [ListLine { text: "théme".into(), positions: vec![0, 2], ..ListLine::default() }];
    let mut buf = Buffer::empty(Rect::new(0, 0, 12, 1));
    SelectionList { lines: &lines, selected: None, offset: 0, look: look() }.render(buf.area, &mut buf);
    let lit = THEME.style(Scope::ListMatch).fg.unwrap();
    let letters: String = (0..12).filter(|x| buf[(*x, 0)].fg == lit).map(|x| buf[(x, 0)].symbol().to_owned()).collect();
    assert_eq!(letters, "té");
    // The colour of matches may be that of the selected line's ground.
    SelectionList { lines: &lines, selected: Some(0), offset: 0, look: look() }.render(buf.area, &mut buf);
    let lit = THEME.style(Scope::ListSelected);
    assert!(buf[(2, 0)].modifier.contains(Modifier::UNDERLINED) && Some(buf[(2, 0)].fg) == lit.fg);
    assert!(!buf[(3, 0)].modifier.contains(Modifier::UNDERLINED));
}

#[test]
fn a_window_lies_over_the_rest_with_its_title_and_hint() {
    let overlay = Window { title: "Commands", hint: "Esc close", look: look() };
    assert_eq!(
        drawn(overlay, 24, 4),
        "╭─ Commands ───────────╮\n│                      │\n│                      │\n╰────────── Esc close ─╯\n"
    );
    assert_eq!(centered(Rect::new(0, 0, 10, 9), 20, 3), Rect::new(0, 2, 10, 3));
}

#[test]
fn values_over_turns_are_plotted_against_what_was_aimed_at() {
    let values: Vec<Option<f64>> = (0..24u8).map(|turn| (turn != 5).then(|| f64::from(turn) * 4.0)).collect();
    let targets = vec![Some(50.0); 24];
    let plot = Plot { values: &values, targets: &targets, top: 100.0, first_turn: 1, look: look() };
    insta::assert_snapshot!(drawn(plot, 30, 8));
    assert_eq!(drawn(Sparkline { values: &[0.0, 4.0, 8.0], top: 8.0, look: look() }, 2, 1), "▄█\n");
}

proptest! {
    #[test]
    fn every_widget_survives_every_area(
        width in 0u16..300,
        height in 0u16..100,
        x in 0u16..40,
        y in 0u16..40,
        share in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), -1.0..200.0f64],
        count in 0usize..60,
        text in "\\PC{0,30}",
        ascii: bool,
    ) {
        let look = Look { theme: &THEME, glyphs: if ascii { &glyphs::ASCII } else { &glyphs::UNICODE }, words: english(), caret: None, ends: None };
        let mut buf = Buffer::empty(Rect::new(0, 0, 120, 60));
        // Areas inside the buffer, at its edge and beyond it.
        let area = Rect::new(x, y, width, height);
        let state = phases();
        PhaseIndicator { state: &state, look }.render(area, &mut buf);
        let progress = ProgressBarState {
            percentage: share.abs().min(900.0) as u32, show_percentage: true, ready_at: count as u32 * 9, is_ready: ascii,
        };
        ProgressBar { state: &progress, label: "Completeness", look }.render(area, &mut buf);
        let mut section = section();
        section.title.clone_from(&text);
        section.items = section.items.into_iter().cycle().take(count).collect();
        let checklist = Checklist { section: &section, folded: false, selected: Some(ChecklistRow::Item(1)), look };
        checklist.draw_from(count as u16 / 2, area, &mut buf);
        let modes = [SidebarMode { mode: Mode::Extract, target: count as u32 * 7, observed: Some(share) }];
        BlendBars { modes: &modes, look }.render(area, &mut buf);
        let budget = SidebarBudget { spent_usd: share, cap_usd: Some(1.0), tokens: 9 };
        BudgetBar { budget: &budget, look }.render(area, &mut buf);
        let task = TaskRecord {
            name: text.clone(),
            status: TaskStatus::Running,
            note: Some(text.clone()),
            ..TaskRecord::default()
        };
        TaskLine { task: &task, tick: count as u64, elapsed: Some(9), look }.render(area, &mut buf);
        let hints = [KeyHint { key: &text, does: &text }; 3];
        KeyHints { hints: &hints, look }.render(area, &mut buf);
        let line = ListLine { text: text.clone(), positions: vec![0, 3, 900], detail: text.clone(), aside: text.clone() };
        let lines = vec![line; count];
        SelectionList { lines: &lines, selected: Some(1), offset: count / 2, look }.render(area, &mut buf);
        Window { title: &text, hint: &text, look }.render(area, &mut buf);
        let values = vec![Some(share); count];
        Plot { values: &values, targets: &values, top: share, first_turn: 1, look }.render(area, &mut buf);
        Sparkline { values: &vec![share; count], top: share, look }.render(area, &mut buf);
        ScrollBar { above: count, total: count * 3, look }.render(area, &mut buf);
        let safe = to_text(&buf);
        prop_assert!(elenchus::text::is_safe(&safe) || safe.contains('🏴'));
    }
}
