//! How the program ends and comes back: signals, suspension, kills, panics.

use std::time::{Duration, Instant};

use serde_json::json;
use termlens::{Key, Signal, Terminal};

use super::{assert_given_back, in_session, kept, quit, sees, start};
use crate::support::PATIENCE;
use crate::support::program::Program;

#[test]
fn a_signal_to_end_gives_the_terminal_back_and_keeps_the_draft() {
    // Who ended it so is told so.
    for signal in [Signal::Term, Signal::Hup, Signal::Int, Signal::Quit] {
        let (mut t, program) = in_session((100, 30));
        t.send_str("half a thought").unwrap();
        sees(&mut t, "half a thought");
        t.signal(signal).unwrap();
        let ended = t.wait_exit().unwrap();
        assert!(!ended.success() && ended.signal().is_some(), "{signal:?}: {ended:?}");
        assert_given_back(&t);
        assert_eq!(kept(&program)["draft"], json!("half a thought"), "{signal:?}");
    }
}

#[test]
fn a_killed_program_has_kept_every_turn_that_was_answered() {
    let (mut t, program) = in_session((120, 40));
    t.send_str("We build an intake app for clinics").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "1/");
    t.signal(Signal::Kill).unwrap();
    assert!(!t.wait_exit().unwrap().success());
    assert_eq!(kept(&program)["turn"], json!(1));
    let mut again = start(&program, (120, 40), &[], &["--offline"]);
    sees(&mut again, " %");
    again.send(Key::Tab).unwrap();
    again.send(Key::Enter).unwrap();
    sees(&mut again, "We build an intake app for clinics");
    quit(again);
}

/// Waits until this is the draft of the only session.
fn comes_to_draft(program: &Program, draft: &str) {
    let deadline = Instant::now() + PATIENCE;
    while kept(program)["draft"] != json!(draft) {
        assert!(Instant::now() < deadline, "{draft:?} was not kept");
    }
}

#[test]
fn a_killed_program_has_kept_what_was_typed_and_shows_it_again() {
    let (mut t, program) = in_session((100, 30));
    t.send_str("half a thought").unwrap();
    comes_to_draft(&program, "half a thought");
    t.send_str(" and more").unwrap();
    comes_to_draft(&program, "half a thought and more");
    t.signal(Signal::Kill).unwrap();
    t.wait_exit().unwrap();
    let id = kept(&program)["session_id"].as_str().unwrap().to_owned();
    let mut again = start(&program, (100, 30), &[], &["--offline", "chat", "--session", &id]);
    sees(&mut again, "half a thought and more");
    // Said, it is no draft any more.
    again.send(Key::Enter).unwrap();
    sees(&mut again, "You said");
    again.signal(Signal::Kill).unwrap();
    again.wait_exit().unwrap();
    let kept = kept(&program);
    assert_eq!((&kept["turn"], &kept["draft"]), (&json!(1), &json!("")));
}

/// Waits until the process has the state that `ps` shows by this letter.
#[cfg(target_os = "linux")]
fn comes_to_state(t: &Terminal, letter: char) {
    let file = format!("/proc/{}/stat", t.pid().unwrap());
    let deadline = Instant::now() + Duration::from_secs(20);
    // The name of the program is in brackets; the state follows.
    while !std::fs::read_to_string(&file).unwrap().split(") ").nth(1).unwrap().starts_with(letter) {
        assert!(Instant::now() < deadline, "the process did not come to state {letter}");
        std::thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_suspended_program_gives_the_terminal_back_until_it_is_wanted_again() {
    let (mut t, _program) = in_session((100, 30));
    t.send_str("half a thought").unwrap();
    sees(&mut t, "half a thought");
    t.send(Key::Ctrl('z')).unwrap();
    t.wait_until(|screen| !screen.alternate_screen()).unwrap();
    comes_to_state(&t, 'T');
    assert_given_back(&t);
    let pid = rustix::process::Pid::from_raw(t.pid().unwrap().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    t.wait_until(|screen| screen.alternate_screen() && screen.contains("half a thought")).unwrap();
    t.send_str(" made whole").unwrap();
    sees(&mut t, "half a thought made whole");
    quit(t);
}

/// Set where this test runs as the program that panics.
const PANICS: &str = "ELENCHUS_TEST_PANICS";

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    if std::env::var_os(PANICS).is_some() {
        let mut screen =
            elenchus::tui::terminal::Terminal::take(elenchus::tui::terminal::Equipment::default()).unwrap();
        let shown = elenchus::tui::event_loop::Screen::show(&mut screen, &mut |buffer| {
            buffer.set_string(0, 0, "half a frame", ratatui::style::Style::default());
            panic!("something is wrong with the drawing");
        });
        drop(shown);
    }
    let this = std::env::current_exe().unwrap();
    let mut t = Terminal::builder()
        .size(100, 30)
        .env(PANICS, "1")
        .env("RUST_BACKTRACE", "0")
        .args(["--exact", "pty::ends::a_panic_gives_the_terminal_back_before_it_is_told", "--nocapture"])
        .timeout(Duration::from_secs(20))
        .spawn(this)
        .unwrap();
    assert!(!t.wait_exit().unwrap().success());
    assert_given_back(&t);
    let text = t.screen().text();
    assert!(text.contains("something is wrong with the drawing"), "{text}");
    assert!(!text.contains("half a frame"), "{text}");
}
