//! What the screen shows: sizes, colours, characters.

use termlens::{Key, Terminal};

use super::{app, in_session, quit, sees, start};
use crate::support::program::Program;

#[test]
fn first_run_to_first_answer_and_out() {
    let (mut t, _program) = app((120, 40), &[]);
    sees(&mut t, "Project discovery");
    sees(&mut t, "about");
    for key in [Key::Down; 4] {
        t.send(key).unwrap();
    }
    t.send(Key::Enter).unwrap();
    sees(&mut t, "Completeness");
    t.send_str("We build an intake app for clinics").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "1/");
    quit(t);
}

#[test]
fn a_storm_of_sizes_leaves_a_whole_screen() {
    let (mut t, _program) = in_session((120, 40));
    for (columns, rows) in [(20, 5), (200, 60), (2, 2), (40, 12), (99, 24), (100, 24), (120, 40)] {
        t.resize(columns, rows).unwrap();
    }
    sees(&mut t, "Completeness");
    sees(&mut t, "Write here");
    // The first key after it counts.
    quit(t);
}

#[test]
fn a_window_that_was_small_for_a_moment_is_drawn_whole() {
    let (mut t, _program) = in_session((120, 40));
    t.resize(20, 5).unwrap();
    t.resize(120, 40).unwrap();
    sees(&mut t, "Completeness");
    sees(&mut t, "Ctrl-J newline");
    quit(t);
}

/// That no cell has a colour of its own.
fn assert_colourless(t: &Terminal) {
    let screen = t.screen();
    for row in 0..screen.rows() {
        for column in 0..screen.cols() {
            let cell = screen.cell(row, column).unwrap();
            assert_eq!(cell.style().fg, termlens::Color::Default, "{row}:{column}");
            assert_eq!(cell.style().bg, termlens::Color::Default, "{row}:{column}");
        }
    }
}

#[test]
fn no_color_means_no_colour() {
    let program = Program::new();
    let arguments = ["--offline", "chat", "--engine", "project-discovery"];
    let mut t = start(&program, (100, 30), &[("NO_COLOR", "1")], &arguments);
    sees(&mut t, "Write here");
    assert_colourless(&t);
    quit(t);
}

#[test]
fn a_dumb_terminal_gets_plain_characters_and_no_colour() {
    let program = Program::new();
    let arguments = ["--offline", "--plain=false", "chat", "--engine", "project-discovery"];
    let mut t = start(&program, (100, 30), &[("TERM", "dumb")], &arguments);
    sees(&mut t, "Write here");
    sees(&mut t, "Completeness");
    assert_colourless(&t);
    let text = t.screen().text();
    // What an engine says is the engine's own; the frame around it is plain.
    let strange: String = text.chars().filter(|c| !c.is_ascii() && !c.is_alphanumeric()).collect();
    assert_eq!(strange, "", "{text}");
    quit(t);
}

#[test]
fn without_a_terminal_there_is_a_sentence_and_exit_code_2() {
    let ran = Program::new().run(&["chat"]);
    assert_eq!(ran.code, 2);
    assert!(ran.words.contains("needs a terminal") && ran.words.contains("elenchus converse"), "{}", ran.words);
}

#[test]
fn a_theme_that_was_chosen_is_remembered_beside_what_the_user_wrote() {
    let program = Program::new().settings("# my settings\n\nsensitive = \"warn\" # for now\n");
    let mut t = start(&program, (100, 30), &[], &["--offline"]);
    sees(&mut t, "Start");
    t.send(Key::Ctrl('p')).unwrap();
    sees(&mut t, "Commands");
    t.send_str("theme").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "Theme");
    t.send_str("light").unwrap();
    t.send(Key::Enter).unwrap();
    let file = program.config().join("config.toml");
    t.wait_until(|_| std::fs::read_to_string(&file).is_ok_and(|text| text.contains("theme"))).unwrap();
    // The list is gone and the theme has stayed.
    t.wait_until(|screen| !screen.contains("Theme") && screen.contains("about 30 min")).unwrap();
    let light = t.screen().cell(1, 1).unwrap().style().bg;
    quit(t);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, "# my settings\n\nsensitive = \"warn\" # for now\ntheme = \"light\"\n");
    let mut again = start(&program, (100, 30), &[], &["--offline"]);
    sees(&mut again, "Start");
    assert_eq!(again.screen().cell(1, 1).unwrap().style().bg, light);
    quit(again);
    // What is asked for now wins.
    let mut dark = start(&program, (100, 30), &[("ELENCHUS_THEME", "dark")], &["--offline"]);
    sees(&mut dark, "Start");
    assert_ne!(dark.screen().cell(1, 1).unwrap().style().bg, light);
    quit(dark);
}

#[test]
fn the_app_has_a_screen_of_its_own_and_names_its_window() {
    let (mut t, _program) = in_session((100, 30));
    t.wait_until(|screen| screen.alternate_screen() && screen.bracketed_paste() && screen.focus_events()).unwrap();
    assert_ne!(t.screen().mouse_mode(), termlens::MouseMode::None);
    t.wait_until(|screen| screen.title().contains("Project discovery")).unwrap();
    quit(t);
}
