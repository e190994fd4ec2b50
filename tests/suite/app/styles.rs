//! Frames with their styles: one rich state in every theme, and every overlay in one theme. What each theme makes of each
//! scope stands in a table of its own, in `ui::theme`.

use elenchus::app::chat::{Entry, EntryKind};
use elenchus::app::{Msg, Options};
use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::host::protocol::{Event, Notice, TurnNews};
use elenchus::tasks::TaskEvent;
use elenchus::ui::frame_export::to_text;
use elenchus::ui::headless::HeadlessFrames;
use elenchus::ui::theme::{ColorDepth, Themes};
use indexmap::IndexMap;
use pretty_assertions::assert_eq;
use ratatui::buffer::Buffer;

use super::frames::Screen;
use crate::ui::theme::{in_words, table};

/// A frame in several themes: its text with a letter wherever the style changes, and what the letters mean in each.
fn styled(themes: &[(&str, Buffer)]) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let area = themes[0].1.area;
    let mut legend: IndexMap<Vec<String>, char> = IndexMap::new();
    let mut text = String::new();
    for y in area.rows().map(|row| row.y) {
        let mut row = String::new();
        let mut last = None;
        for at in (area.left()..area.right()).map(|x| (x, y)) {
            let styles = themes.iter().map(|(_, frame)| in_words(frame[at].style())).collect();
            let next = char::from(*LETTERS.get(legend.len()).expect("a letter is left"));
            let letter = *legend.entry(styles).or_insert(next);
            if last.replace(letter) != Some(letter) {
                row.extend(["‹", letter.encode_utf8(&mut [0; 4]), "›"]);
            }
            row.push_str(themes[0].1[at].symbol());
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    let head = (String::new(), themes.iter().map(|(name, _)| (*name).to_owned()).collect());
    let letters = legend.into_iter().map(|(styles, letter)| (letter.to_string(), styles));
    format!("{text}\n{}", table(std::iter::once(head).chain(letters)))
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
        screen.send(Msg::host(Event::Task(TaskEvent::Changed(record))));
    }
    let code = "Like this:\n\n```rust\nfn retype(form: &Form) -> u32 {\n    2 // times\n}\n```";
    screen.0.model.chat.push(Entry::new(EntryKind::Note, 1, "Core"));
    screen.0.model.chat.push(Entry::new(EntryKind::Assistant, 1, code));
    screen.write("About forty forms a day.").press("enter");
    let answer =
        "## Forty a day\n\nAnd **who** *checks* `them`?\n\n> a quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one";
    screen.send(Msg::host(Event::Turn(TurnNews::Delta(answer.to_owned()))));
    screen.send(Msg::Clock(std::time::Duration::from_secs(12)));
    screen.press("esc");
    screen.write("the next thought");
    screen.send(Msg::host(Notice::warning("the budget is nearly spent".to_owned())));
    screen
}

#[test]
fn a_rich_state_in_every_theme() {
    let themes = Themes::built_in();
    let frames: Vec<(&str, Buffer)> = themes
        .names()
        .map(|name| {
            let mut screen = rich();
            name.clone_into(&mut screen.0.model.theme);
            (name, screen.0.frame())
        })
        .collect();
    for (name, frame) in &frames {
        assert_eq!(to_text(frame), to_text(&frames[0].1), "{name} shows other words");
    }
    insta::assert_snapshot!("rich_in_every_theme", styled(&frames));
}

#[test]
fn every_overlay_has_its_styles() {
    let overlays = [
        ("palette", "ctrl-p down"),
        ("help", "F1"),
        ("theme", "alt-t"),
        ("rename", "alt-n"),
        ("undo", "alt-u"),
        ("evidence", "tab down down down enter"),
        ("inspector", "F2"),
    ];
    let talked = || Screen::talked((60, 16), false);
    let by_keys = overlays.map(|(name, keys)| {
        let mut screen = talked();
        screen.press(keys);
        (name, screen)
    });
    let mut review = talked();
    review.offer(&["nothing was decided yet"]).write("/handoff").press("enter");
    let mut search = talked();
    search.found();
    let mut models = talked();
    models.models();
    let others = [("handoff", review), ("search_found", search), ("models", models)];
    for (name, mut screen) in by_keys.into_iter().chain(others) {
        insta::assert_snapshot!(format!("styled_{name}"), styled(&[("dark", screen.overlay())]));
    }
}

#[test]
fn what_opens_within_the_panes_has_its_styles() {
    let talked = || Screen::talked((60, 16), false);
    let (mut sidebar, mut slash, mut find) = (talked(), talked(), talked());
    sidebar.press("tab down");
    slash.press("/");
    find.press("ctrl-f").write("how").press("enter");
    for (name, mut screen) in [("sidebar_focused", sidebar), ("slash", slash), ("find", find)] {
        insta::assert_snapshot!(format!("styled_{name}"), styled(&[("dark", screen.0.frame())]));
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
