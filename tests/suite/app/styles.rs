//! Frames with their styles: one rich state in every theme, and every overlay in one.

use std::collections::BTreeMap;

use elenchus::app::chat::{Entry, EntryKind};
use elenchus::app::{Msg, Options};
use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::host::protocol::{Event, Notice, TurnNews};
use elenchus::tasks::TaskEvent;
use elenchus::ui::frame_export::to_text;
use elenchus::ui::headless::HeadlessFrames;
use elenchus::ui::theme::{ColorDepth, Themes};
use ratatui::buffer::{Buffer, Cell};

use super::frames::Screen;

/// The text of a frame, a letter for the style of each of its cells, and what the letters mean.
fn styled(frame: &Buffer) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let style = |cell: &Cell| format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier);
    let mut seen: BTreeMap<String, char> = BTreeMap::new();
    let mut legend = Vec::new();
    let mut rows = Vec::new();
    for cells in frame.content().chunks(usize::from(frame.area.width)) {
        let row = cells.iter().map(|cell| {
            let style = style(cell);
            *seen.entry(style.clone()).or_insert_with(|| {
                let letter = char::from(*LETTERS.get(legend.len()).unwrap_or(&b'?'));
                legend.push(format!("{letter} {style}"));
                letter
            })
        });
        rows.push(row.collect::<String>());
    }
    format!("{}\n{}\n{}", to_text(frame), rows.join("\n"), legend.join("\n"))
}

/// A state with something of everything: words, code, values, tasks, a warning, an answer on its way.
fn rich() -> Screen {
    let mut screen = Screen::talked((120, 40), false);
    for (id, name, status, note) in [
        ("scan", "Competitor scan", TaskStatus::Running, None),
        ("rules", "Rules to respect", TaskStatus::Completed, None),
        ("news", "News", TaskStatus::Failed, None),
        ("prices", "Price research", TaskStatus::NeedsUser, Some("a login is needed")),
    ] {
        let note = note.map(ToOwned::to_owned);
        let (id, name) = (id.into(), name.into());
        let record = TaskRecord { id, name, status, since_turn: 1, attempts: 1, note, ..TaskRecord::default() };
        screen.send(Msg::Host(Event::Task(TaskEvent::Changed(record))));
    }
    let code = "Like this:\n\n```rust\nfn retype(form: &Form) -> u32 {\n    2 // times\n}\n```";
    screen.0.model.chat.push(Entry::new(EntryKind::Note, 1, "Core"));
    screen.0.model.chat.push(Entry::new(EntryKind::Assistant, 1, code));
    screen.write("About forty forms a day.").press("enter");
    let answer =
        "## Forty a day\n\nAnd **who** *checks* `them`?\n\n> a quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one";
    screen.send(Msg::Host(Event::Turn(TurnNews::Delta(answer.to_owned()))));
    screen.send(Msg::Clock(std::time::Duration::from_secs(12)));
    screen.press("esc");
    screen.write("the next thought");
    screen.send(Msg::Host(Notice::warning("the budget is nearly spent".to_owned())));
    screen
}

#[test]
fn every_theme_shows_a_rich_state() {
    let names: Vec<String> = Themes::built_in().names().map(ToOwned::to_owned).collect();
    for name in names {
        let mut screen = rich();
        screen.0.model.theme.clone_from(&name);
        insta::assert_snapshot!(format!("theme_{name}"), styled(&screen.0.frame()));
    }
}

#[test]
fn every_overlay_has_its_styles() {
    let keys = [
        ("palette", "ctrl-p down"),
        ("help", "F1"),
        ("theme", "alt-t"),
        ("rename", "alt-n"),
        ("undo", "alt-u"),
        ("evidence", "tab down down down enter"),
        ("sidebar_focused", "tab down"),
        ("inspector", "F2"),
        ("slash", "/"),
    ];
    let by_keys = keys.map(|(name, keys)| {
        let mut screen = Screen::talked((80, 24), false);
        screen.press(keys);
        (name, screen)
    });
    let mut review = Screen::talked((80, 24), false);
    review.offer(&["nothing was decided yet"]).write("/handoff").press("enter");
    let mut search = Screen::talked((80, 24), false);
    search.found();
    let mut models = Screen::talked((80, 24), false);
    models.models();
    let mut found = Screen::talked((80, 24), false);
    found.press("ctrl-f").write("how").press("enter");
    let others = [("handoff", review), ("search_found", search), ("models", models), ("find", found)];
    for (name, mut screen) in by_keys.into_iter().chain(others) {
        insta::assert_snapshot!(format!("styled_{name}"), styled(&screen.0.frame()));
    }
}

#[test]
fn every_theme_is_legible_in_sixteen_colours_and_in_none() {
    let names: Vec<String> = Themes::built_in().names().map(ToOwned::to_owned).collect();
    for name in names {
        for depth in [ColorDepth::Ansi16, ColorDepth::None] {
            let options = Options { size: (120, 40), theme: name.clone(), ..Options::default() };
            let mut frames = HeadlessFrames::new(options, Themes::built_in(), depth);
            frames.model = rich().0.model;
            frames.model.theme.clone_from(&name);
            for cell in frames.frame().content().iter().filter(|cell| !cell.symbol().trim().is_empty()) {
                let same = cell.fg == cell.bg && cell.fg != ratatui::style::Color::Reset;
                assert!(!same, "{name} at {depth:?}: {cell:?}");
            }
        }
    }
}
