//! The table of commands: complete, and reachable from palette, slash and key.

use elenchus::app::commands::{COMMANDS, Command, Slash, slash};
use elenchus::app::keymap::{Action, Context};
use elenchus::app::overlay::{Overlay, Purpose};
use elenchus::app::{Effect, Screen};
use pretty_assertions::assert_eq;

use super::support::App;

/// What a command leaves behind: effects, overlays, screen, focus, draft.
fn trace(app: &App, effects: &[Effect]) -> String {
    let model = &app.model;
    format!(
        "{effects:?} {:?} {:?} {:?} {:?} {} {}",
        model.overlays,
        model.screen,
        model.focus,
        model.composer.text(),
        model.sidebar.hidden,
        model.turn.is_some()
    )
}

#[test]
fn the_table_has_every_command_of_the_specification_once() {
    let mut names: Vec<&str> = COMMANDS.iter().map(|entry| entry.name).collect();
    for wanted in [
        "help",
        "engine",
        "sessions",
        "search",
        "rename",
        "defer",
        "correct",
        "phase",
        "undo",
        "retry",
        "fork",
        "handoff",
        "export",
        "model",
        "theme",
        "inspector",
        "copy",
        "editor",
        "quit",
    ] {
        assert!(names.contains(&wanted), "{wanted}");
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for entry in COMMANDS {
        assert_eq!(Command::named(entry.name), Some(entry.command));
        assert_eq!(entry.command.entry().name, entry.name);
    }
}

#[test]
fn palette_slash_and_key_do_the_same_for_every_command() {
    for entry in COMMANDS {
        let ready = || {
            let mut app = App::in_session(120, 40);
            app.turn("We build an intake app.", "Noted.", &[]);
            app
        };
        let mut by_key = ready();
        let chord = by_key.model.keymap.chord(Context::Global, Action::Run(entry.command)).unwrap();
        let effects = by_key.press(&chord.to_string());
        let expected = trace(&by_key, &effects);

        let mut by_slash = ready();
        by_slash.write(&format!("/{}", entry.name));
        let effects = by_slash.press("enter");
        assert_eq!(trace(&by_slash, &effects), expected, "/{}", entry.name);

        let mut by_palette = ready();
        by_palette.press("ctrl-p");
        by_palette.write(entry.name);
        let effects = by_palette.press("enter");
        assert_eq!(trace(&by_palette, &effects), expected, "palette {}", entry.name);
    }
}

#[test]
fn the_palette_without_a_session_offers_only_what_makes_sense() {
    let mut app = App::at(80, 24);
    app.press("ctrl-p");
    let Some(Overlay::Chooser(chooser)) = app.model.overlays.last() else { panic!("no palette") };
    assert_eq!(chooser.purpose, Purpose::Palette);
    let names: Vec<&str> = chooser.shown().map(|choice| choice.id.as_str()).collect();
    let expected = [
        "help", "engine", "sessions", "search", "find", "tag", "archive", "trash", "model", "settings", "doctor",
        "about", "theme", "mouse", "quit",
    ];
    assert_eq!(names, expected);
}

#[test]
fn commands_that_need_a_session_say_so_without_one() {
    let mut app = App::at(80, 24);
    assert_eq!(app.press("alt-u"), []);
    assert_eq!(app.toast(), Some("/undo needs a session; choose an engine first"));
    assert_eq!(app.model.screen, Screen::Picker);
}

#[test]
fn slash_commands_are_read_with_care() {
    let run = |text: &str| slash(text);
    assert_eq!(run("/rename  A new title "), Some(Slash::Run(Command::Rename, "A new title".to_owned())));
    assert_eq!(run("/exp out.md"), Some(Slash::Run(Command::Export, "out.md".to_owned())));
    assert_eq!(run("/undp"), Some(Slash::Unknown("undp".to_owned(), Some("undo"))));
    assert_eq!(run("/xyzzyx"), Some(Slash::Unknown("xyzzyx".to_owned(), None)));
    assert_eq!(run("/usr/bin/env is on the path"), None);
    assert_eq!(run("/ 3"), None);
    assert_eq!(run("/help\nme"), None);
    assert_eq!(run("either/or"), None);
}

#[test]
fn an_unknown_slash_command_is_not_sent_to_the_engine() {
    let mut app = App::in_session(120, 40);
    app.write("/undp");
    assert_eq!(app.press("enter"), []);
    assert_eq!(app.toast(), Some("there is no command /undp; did you mean /undo?"));
}
