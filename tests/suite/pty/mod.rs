//! The real binary in a pseudo-terminal: what a user sees, waited for with a deadline.

use std::time::Duration;

use tempfile::TempDir;
use termlens::{Key, Terminal};

/// The binary with a home of its own, at a size.
fn app(columns: u16, rows: u16, variables: &[(&str, &str)], arguments: &[&str]) -> (Terminal, TempDir) {
    let home = tempfile::tempdir().unwrap();
    let mut builder = Terminal::builder()
        .size(columns, rows)
        .env_clear()
        .env("TERM", "xterm-256color")
        .env("HOME", home.path().to_str().unwrap())
        .env("LANG", "C.UTF-8")
        .env("PATH", "/usr/bin:/bin")
        .timeout(Duration::from_secs(20));
    for (name, value) in variables {
        builder = builder.env(name, value);
    }
    let data = home.path().join("data");
    let config = home.path().join("config");
    let mut all = vec!["--offline", "--data-dir", data.to_str().unwrap(), "--config", config.to_str().unwrap()];
    all.extend(arguments);
    let terminal = builder.args(all).spawn(env!("CARGO_BIN_EXE_elenchus")).unwrap();
    (terminal, home)
}

fn sees(terminal: &mut Terminal, text: &str) {
    terminal.wait_until(|screen| screen.contains(text)).unwrap_or_else(|error| panic!("no {text:?}: {error}"));
}

#[test]
fn first_run_to_first_answer_and_out() {
    let (mut t, _home) = app(120, 40, &[], &[]);
    sees(&mut t, "Project discovery");
    sees(&mut t, "about");
    let down = [Key::Down; 4];
    for key in down {
        t.send(key).unwrap();
    }
    t.send(Key::Enter).unwrap();
    sees(&mut t, "Completeness");
    t.send_str("We build an intake app for clinics").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "1/");
    t.send(Key::Ctrl('q')).unwrap();
    assert!(t.wait_exit().unwrap().success());
    assert!(!t.screen().alternate_screen());
}

#[test]
fn a_storm_of_sizes_leaves_a_whole_screen() {
    let (mut t, _home) = app(120, 40, &[], &["chat", "--engine", "project-discovery"]);
    sees(&mut t, "Completeness");
    for (columns, rows) in [(20, 5), (200, 60), (2, 2), (40, 12), (99, 24), (100, 24), (120, 40)] {
        t.resize(columns, rows).unwrap();
    }
    sees(&mut t, "Completeness");
    t.send(Key::Ctrl('q')).unwrap();
    assert!(t.wait_exit().unwrap().success());
}

#[test]
fn a_big_paste_is_folded() {
    let (mut t, _home) = app(100, 30, &[], &["chat", "--engine", "project-discovery"]);
    sees(&mut t, "Write here");
    let text = (0..500).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
    t.paste(&text).unwrap();
    sees(&mut t, "[paste 1: 500 lines]");
    t.send(Key::Ctrl('c')).unwrap();
    t.send(Key::Ctrl('q')).unwrap();
    assert!(t.wait_exit().unwrap().success());
}

#[test]
fn a_draft_and_a_session_are_there_again_after_the_program_was_ended() {
    let (mut t, home) = app(100, 30, &[], &["chat", "--engine", "project-discovery"]);
    sees(&mut t, "Write here");
    t.send_str("half a thought").unwrap();
    sees(&mut t, "half a thought");
    t.send(Key::Ctrl('q')).unwrap();
    assert!(t.wait_exit().unwrap().success());
    let data = home.path().join("data");
    let mut again = Terminal::builder()
        .size(100, 30)
        .env_clear()
        .env("TERM", "xterm-256color")
        .env("HOME", home.path().to_str().unwrap())
        .timeout(Duration::from_secs(20))
        .args(["--offline", "--data-dir", data.to_str().unwrap()])
        .spawn(env!("CARGO_BIN_EXE_elenchus"))
        .unwrap();
    sees(&mut again, "Go on with");
    sees(&mut again, "0 %");
    again.send(Key::Tab).unwrap();
    again.send(Key::Enter).unwrap();
    sees(&mut again, "half a thought");
    again.send(Key::Ctrl('q')).unwrap();
    assert!(again.wait_exit().unwrap().success());
}

#[test]
fn no_color_means_no_colour() {
    let (mut t, _home) = app(100, 30, &[("NO_COLOR", "1")], &["chat", "--engine", "project-discovery"]);
    sees(&mut t, "Write here");
    let screen = t.screen();
    for row in 0..screen.rows() {
        for column in 0..screen.cols() {
            let cell = screen.cell(row, column).unwrap();
            assert_eq!(cell.style().fg, termlens::Color::Default, "{row}:{column}");
            assert_eq!(cell.style().bg, termlens::Color::Default, "{row}:{column}");
        }
    }
    t.send(Key::Ctrl('q')).unwrap();
    assert!(t.wait_exit().unwrap().success());
}

#[test]
fn a_dumb_terminal_gets_plain_characters() {
    let (mut t, _home) = app(100, 30, &[("TERM", "dumb")], &["chat", "--engine", "project-discovery"]);
    sees(&mut t, "Write here");
    t.send(Key::Ctrl('q')).unwrap();
    assert!(t.wait_exit().unwrap().success());
}

#[test]
fn without_a_terminal_there_is_a_sentence_and_exit_code_2() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_elenchus")).arg("chat").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("needs a terminal") && words.contains("elenchus converse"), "{words}");
}
