//! Coming back to a session: the recap, what has changed in the brief, and the answers of somebody else.

use std::sync::Arc;

use elenchus::app::chat::EntryKind;
use elenchus::app::{Effect, Msg};
use elenchus::engine::recap::Recap;
use elenchus::engine::transcript::{Message, Role};
use elenchus::host::protocol::{Answer, Event, Open, Query, RequestId, SessionCommand, Since, Snapshot};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::desk::Desk;
use super::frames::{EVERY, Screen, USUAL, WIDE, drawn};
use super::known::informed;
use super::support::{engine, language, opened};
use crate::support::program::Program;

const SAID: &str = "We need a booking app for our clinic.";

fn recaps(desk: &Desk) -> Vec<String> {
    let entries = desk.screen.model.chat.entries.iter();
    entries.filter(|entry| entry.kind == EntryKind::Recap).map(|entry| entry.text.to_string()).collect()
}

fn run(desk: &mut Desk, command: &str) {
    let effects = desk.screen.send(Msg::Paste(command.to_owned()));
    desk.carry_out(effects);
    desk.press("enter");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_lines_say_where_a_session_stands_and_are_no_part_of_it() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    assert_eq!(recaps(&desk), [""; 0], "nothing was said yet");
    desk.say(SAID).await;
    assert_eq!(recaps(&desk), [""; 0], "nobody has come back");
    let id = desk.session().id.clone();
    desk.leave().await;
    let mut desk = Desk::at(&program, false);
    desk.carry_out(vec![Effect::host(Open::Session(id.clone()))]);
    desk.until(|desk| desk.screen.model.session.is_some()).await;
    let recap = recaps(&desk).concat();
    let lines: Vec<&str> = recap.lines().collect();
    assert_eq!(lines.len(), 3, "{recap}");
    assert!(lines[0].starts_with("- Settled: ") && lines[0].contains("booking app"), "{recap}");
    assert!(lines[1].starts_with("- Open: ") && lines[1].ends_with("more"), "{recap}");
    assert!(lines[2].starts_with("- Next: ") && lines[2].ends_with('?'), "{recap}");
    let shown = desk.text();
    assert!(shown.contains("Settled: ") && shown.contains("Next: "), "{shown}");
    desk.say("Patients call all day.").await;
    assert_eq!(recaps(&desk).len(), 1, "it stays where it was");
    desk.leave().await;
    let transcript = program.run(&["sessions", "export", &id, "--format", "transcript"]).data;
    assert!(!transcript.contains("Settled:"), "{transcript}");
}

#[test]
fn a_recap_below_what_was_said() {
    drawn("recap", &EVERY, |size| {
        let engine = engine("project-discovery");
        let left = informed(size, false).0.model;
        let messages = left.chat.entries.iter().filter_map(|entry| match entry.kind {
            EntryKind::User => Some(Message::new(entry.turn, Role::User, &*entry.text)),
            EntryKind::Assistant => Some(Message::new(entry.turn, Role::Assistant, &*entry.text)),
            EntryKind::Note | EntryKind::Recap | EntryKind::Aside | EntryKind::AsideAnswer => None,
        });
        let (messages, session) = (messages.collect(), left.session.unwrap());
        let recap = Recap::of(&engine, &session.memory);
        assert!(recap.is_some());
        let (memory, sidebar) = (session.memory, session.sidebar);
        let snapshot = Snapshot { memory, sidebar, messages, recap, ..opened(&engine) };
        let mut screen = Screen::at(size, false);
        screen.send(Msg::host(Event::Opened(Arc::new(snapshot))));
        screen
    });
}

/// What has changed in a brief: something new, something else, something gone.
fn changes() -> Answer {
    let proof = |path: &str, name: &str, value: &str, quote: Option<&str>, turn: u32, speaker: Option<&str>| {
        json!({ "path": path, "name": name, "value": value, "quote": quote, "turn": turn, "by_hand": quote.is_none(),
            "speaker": speaker })
    };
    let (new, gone) = ("Our head receptionist resigned in March", "by May");
    let since = if language().code == "de" { "seit Runde 1" } else { "since turn 1" };
    let all: Value = json!({
        "since": since,
        "new": [proof("why_now", "Why now", new, Some(new), 2, Some("Ada Roe"))],
        "changed": [{
            "before": proof("budget", "Budget", "12,000 €", Some("12,000 € a year"), 1, None),
            "now": proof("budget", "Budget", "15,000 €", None, 3, None),
        }],
        "gone": [proof("deadline", "Deadline", "May", Some(gone), 1, None)],
    });
    Answer::BriefChanges(serde_json::from_value(all).unwrap())
}

#[test]
fn what_has_changed_in_the_brief_as_frames() {
    drawn("brief_changes", &EVERY, |size| {
        let mut screen = informed(size, false);
        screen.write("/brief diff 1").press("enter");
        let answer = super::support::answering(&screen.0.model, changes());
        screen.send(answer);
        screen
    });
}

#[test]
fn the_brief_is_compared_with_what_is_asked_for() {
    let mut screen = informed(WIDE, false);
    for (command, since) in [
        ("/brief diff 2", Since::Turn(2)),
        ("/brief diff 2026-11-01", Since::Date("2026-11-01".to_owned())),
        ("/brief diff 01a1ec9a", Since::Session("01a1ec9a".to_owned())),
    ] {
        screen.send(Msg::Paste(command.to_owned()));
        let asked = screen.0.send(Msg::Key(super::support::key("enter")));
        let id = RequestId(screen.0.model.requests);
        assert!(asked.contains(&Effect::numbered(id, Query::BriefChanges(since))), "{command}: {asked:?}");
    }
    assert!(screen.text().contains("Brief: what has changed"));
    screen.press("F5");
    let text = screen.text();
    assert!(text.contains("Brief") && !text.contains("what has changed"), "{text}");
    screen.press("F5");
    assert!(screen.0.model.brief.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_since_the_session_was_opened_is_shown_and_follows() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say(SAID).await;
    run(&mut desk, "/brief diff");
    let says = |desk: &Desk, what: &str| {
        let text = desk.screen.model.brief.as_ref().and_then(|brief| brief.text.clone());
        text.is_some_and(|text| text.contains(what))
    };
    desk.until(|desk| says(desk, "## New (1)")).await;
    assert!(desk.text().contains("booking app"));
    desk.say("Our head receptionist resigned in March.").await;
    desk.until(|desk| says(desk, "resigned")).await;
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_goes_out_and_its_answers_come_in_with_their_speaker() {
    let program = Program::new();
    let form = program.folder().join("form.md");
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say(SAID).await;
    run(&mut desk, &format!("/questions {}", form.display()));
    desk.until(|desk| desk.says("the form")).await;
    let text = std::fs::read_to_string(&form).unwrap();
    let (before, after) = text.split_once("-->\n\n\n<!-- end of answer -->").expect("room for an answer");
    let answer = "Our head receptionist resigned in March.";
    std::fs::write(&form, format!("{before}-->\n\n{answer}\n<!-- end of answer -->{after}")).unwrap();
    run(&mut desk, &format!("/answers {} Ada Roe", form.display()));
    desk.until(|desk| desk.says("answers of Ada Roe: 1 noted")).await;
    assert_eq!(desk.turn(), 2);
    let shown = desk.text();
    assert!(shown.contains("Ada Roe answers on a form") && shown.contains(answer), "{shown}");
    run(&mut desk, &format!("/answers {} Ada Roe", form.display()));
    desk.until(|desk| desk.says("1 taken in before")).await;
    assert_eq!(desk.turn(), 2);
    desk.press("esc");
    run(&mut desk, "/answers nosuch.md Ada");
    desk.until(|desk| desk.says("cannot be taken in")).await;
    desk.leave().await;
}

#[test]
fn a_form_needs_a_file_and_a_name() {
    let mut screen = informed(USUAL, false);
    for command in ["/answers", "/answers form.md"] {
        screen.send(Msg::Paste(command.to_owned()));
        assert_eq!(screen.0.send(Msg::Key(super::support::key("enter"))), []);
        assert!(screen.text().contains("/answers needs"), "{}", screen.text());
    }
    screen.send(Msg::Paste("/answers \"my form.md\" Ada Roe".to_owned()));
    let asked = screen.0.send(Msg::Key(super::support::key("enter")));
    let (file, speaker) = ("my form.md".to_owned(), "Ada Roe".to_owned());
    assert!(asked.contains(&Effect::host(SessionCommand::ImportAnswers { file, speaker })), "{asked:?}");
}
