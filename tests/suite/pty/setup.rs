//! Setting up in the real binary: an endpoint is added, tested and talks; consent holds; settings keep their comments.

use std::net::TcpListener;

use serde_json::json;
use termlens::{Key, Terminal};
use tokio::task::block_in_place;

use super::{in_session, quit, sees, start};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::Program;

fn command(t: &mut Terminal, line: &str) {
    t.send_str(line).unwrap();
    t.send(Key::Enter).unwrap();
}

/// Waits until a line has the cursor and says this.
fn on(t: &mut Terminal, name: &str) {
    let stands = |line: &str| line.contains('▌') && line.contains(name);
    t.wait_until(|screen| screen.text().lines().any(stands)).unwrap_or_else(|error| panic!("not on {name}: {error}"));
}

/// Opens the form for an endpoint and fills in an address, down to the model.
fn address(t: &mut Terminal, address: &str) {
    command(t, "/model");
    sees(t, "add an endpoint");
    t.send_str("add an").unwrap();
    on(t, "add an endpoint");
    t.send(Key::Enter).unwrap();
    on(t, "Provider");
    t.send(Key::Down).unwrap();
    on(t, "Address");
    t.send_str(address).unwrap();
    sees(t, "Words go to");
    t.send(Key::Down).unwrap();
    on(t, "Protocol");
    t.send(Key::Down).unwrap();
    on(t, "Model");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_is_added_tested_kept_and_answers() {
    let list = || Answer::json(200, &json!({ "data": [{ "id": "small" }, { "id": "test-model" }] }));
    let report = json!({
        "fields": [],
        "signals": { "trust": 0.5, "rapport": 0.5, "friction": 0.0, "techniques_used": [], "intents": [] },
    });
    let analyses = (0..6).map(|_| Answer::stream(openai::saying(&report.to_string())));
    let words = (0..30).map(|_| Answer::stream(openai::saying("Certainly, and who books there today?")));
    let fake = FakeEndpoint::conversing([list(), list()].into_iter().chain(words).chain(analyses)).await;
    let program = Program::new().settings("# my settings\nsensitive = \"warn\" # as it was\n");
    block_in_place(|| {
        let mut t = start(&program, (110, 30), &[], &["chat", "--engine", "project-discovery"]);
        sees(&mut t, "Write here");
        address(&mut t, &format!("http://127.0.0.1:{}/v1", fake.port()));
        t.send(Key::Enter).unwrap();
        sees(&mut t, &format!("This will send what you write to 127.0.0.1:{}.", fake.port()));
        assert!(fake.asked().is_empty());
        t.send(Key::Char('y')).unwrap();
        sees(&mut t, "Models of this endpoint");
        t.send_str("test").unwrap();
        on(&mut t, "test-model");
        t.send(Key::Enter).unwrap();
        on(&mut t, "Key");
        for line in ["Name", "Use it", "Test it"] {
            t.send(Key::Down).unwrap();
            on(&mut t, line);
        }
        t.send(Key::Enter).unwrap();
        sees(&mut t, "two at once");
        sees(&mut t, "done: ");
        t.send(Key::Down).unwrap();
        on(&mut t, "Keep it");
        t.send(Key::Enter).unwrap();
        t.wait_until(|screen| !screen.contains("Add an endpoint")).unwrap();
        command(&mut t, "We need a booking app for our clinic.");
        sees(&mut t, "Certainly, and who books there today?");
        t.wait_until(|screen| !screen.contains("Esc cancel")).unwrap();
        quit(t);
    });
    let text = std::fs::read_to_string(program.config().join("config.toml")).unwrap();
    assert!(text.starts_with("# my settings\nsensitive = \"warn\" # as it was\n"), "{text}");
    assert!(text.contains("profile = \"own\"") && text.contains("[profiles.own]"), "{text}");
    assert!(text.contains("model = \"test-model\""), "{text}");
    let asked = fake.asked();
    assert!(asked.iter().all(|asked| !asked.headers.contains_key("authorization")), "no key was given");
    // It is found again by the next start.
    let report = block_in_place(|| program.run(&["--offline", "doctor", "--json"]).json());
    assert!(report["settings"].to_string().contains("test-model"));
}

#[test]
fn a_host_that_was_not_agreed_to_gets_no_byte() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let program = Program::new();
    let mut t = start(&program, (80, 24), &[], &["chat", "--engine", "project-discovery"]);
    sees(&mut t, "Write here");
    address(&mut t, &format!("http://127.0.0.1:{port}/v1"));
    for answer in [Key::Char('n'), Key::Esc] {
        t.send(Key::Enter).unwrap();
        sees(&mut t, "This will send what you write to");
        t.send(answer).unwrap();
        t.wait_until(|screen| !screen.contains("This will send")).unwrap();
        on(&mut t, "Model");
    }
    t.send_str("test-model").unwrap();
    t.send(Key::PageDown).unwrap();
    on(&mut t, "Keep it");
    t.send(Key::Enter).unwrap();
    sees(&mut t, "This will send what you write to");
    t.send(Key::Char('n')).unwrap();
    t.wait_until(|screen| !screen.contains("This will send")).unwrap();
    t.send(Key::Esc).unwrap();
    t.wait_until(|screen| !screen.contains("Add an endpoint")).unwrap();
    sees(&mut t, "offline");
    quit(t);
    let accepted = listener.accept().map(drop).map_err(|error| error.kind());
    assert_eq!(accepted, Err(std::io::ErrorKind::WouldBlock), "somebody has connected");
    assert!(!program.config().join("config.toml").exists(), "nothing was kept");
}

#[test]
fn settings_are_changed_where_they_stand_and_comments_stay() {
    let before = "# mine\ntheme = \"dark\" # at night\n\n# money\n[budget]\nday_usd = 5 # enough\n";
    let program = Program::new().settings(before);
    let mut t = start(&program, (80, 24), &[], &["--offline"]);
    sees(&mut t, "Go on with");
    t.send(Key::F(6)).unwrap();
    t.wait_frame(|screen| screen.contains("▌ profile")).unwrap();
    let chosen = |screen: &str| screen.split_once("▌ ")?.1.split_whitespace().next().map(str::to_owned);
    let go_to = |t: &mut Terminal, name: &str| {
        let mut at = chosen(&t.screen().text());
        while at.as_deref() != Some(name) {
            t.send(Key::Down).unwrap();
            // A whole frame: half of one may show no row or a part of its name.
            let is_next = |screen: &str| chosen(screen).is_some() && chosen(screen) != at;
            at = chosen(&t.wait_frame(|screen| is_next(&screen.text())).unwrap().text());
        }
    };
    let file = program.config().join("config.toml");
    let has = |part: &str| std::fs::read_to_string(&file).is_ok_and(|text| text.contains(part));
    go_to(&mut t, "theme");
    t.send(Key::Right).unwrap();
    t.wait_until(|_| !has("theme = \"dark\"")).unwrap();
    go_to(&mut t, "day_usd");
    t.send(Key::Enter).unwrap();
    t.send(Key::Ctrl('u')).unwrap();
    t.send_str("x").unwrap();
    sees(&mut t, "`day_usd` must be a number of zero or more");
    t.send(Key::Ctrl('u')).unwrap();
    t.send_str("7.5").unwrap();
    t.send(Key::Enter).unwrap();
    t.wait_until(|_| has("day_usd = 7.5 # enough")).unwrap();
    t.resize(60, 20).unwrap();
    sees(&mut t, "7.5");
    t.send(Key::Esc).unwrap();
    sees(&mut t, "Go on with");
    quit(t);
    let after = std::fs::read_to_string(&file).unwrap();
    assert!(
        after.starts_with("# mine\ntheme = \"") && after.contains("\" # at night\n\n# money\n[budget]\n"),
        "{after}"
    );
}

#[test]
fn the_doctor_looks_at_everything_inside_the_app() {
    let (mut t, _program) = in_session((110, 30));
    t.send(Key::F(7)).unwrap();
    sees(&mut t, "5 engines, all sound");
    sees(&mut t, "keys without a clash");
    sees(&mut t, "done: nothing is wrong");
    t.send(Key::Esc).unwrap();
    // The session shows behind the panel all the time.
    t.wait_until(|screen| !screen.contains("What works, and what to do")).unwrap();
    quit(t);
}

#[test]
fn a_hint_that_was_put_away_does_not_come_back() {
    let program = Program::new();
    let mut t = start(&program, (100, 30), &[], &["--offline"]);
    sees(&mut t, "Ctrl-P lists all");
    t.send(Key::Esc).unwrap();
    t.wait_until(|screen| !screen.contains("Ctrl-P lists all")).unwrap();
    let kept = || std::fs::read_to_string(program.data().join("hints.json")).unwrap();
    t.wait_until(|_| kept().contains("palette")).unwrap();
    quit(t);
    let mut t = start(&program, (100, 30), &[], &["--offline"]);
    sees(&mut t, "Alt-m has a model answer");
    assert!(!t.screen().contains("Ctrl-P lists all"));
    quit(t);
}
