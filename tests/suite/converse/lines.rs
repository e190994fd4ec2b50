//! A message per line in, a JSON turn per line out.

use std::io::{BufRead, BufReader, Write};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::{Program, session_of};

const FIRST: &str = "We need a booking app for our clinic, reception loses 3 hours a day on the phone.\n";

/// The type of a value, in the words of JSON.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn kinds(value: &Value, keys: &[&str]) -> Vec<(String, &'static str)> {
    keys.iter().map(|key| ((*key).to_owned(), value.get(key).map_or("missing", kind))).collect()
}

fn expected(pairs: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    pairs.iter().map(|(key, kind)| ((*key).to_owned(), *kind)).collect()
}

fn assert_kinds(value: &Value, pairs: &[(&str, &'static str)]) {
    let keys: Vec<&str> = pairs.iter().map(|(key, _)| *key).collect();
    assert_eq!(kinds(value, &keys), expected(pairs));
}

#[test]
fn a_turn_has_every_key_in_its_type() {
    let turns = Program::new().converse("project-discovery", FIRST);
    let turn = &turns[0];
    assert_kinds(
        turn,
        &[
            ("session_id", "string"),
            ("turn", "number"),
            ("response", "string"),
            ("phase", "object"),
            ("obligations", "array"),
            ("completeness", "object"),
            ("extraction_changes", "array"),
            ("techniques", "array"),
            ("modes", "object"),
            ("tasks", "array"),
            ("sidebar", "object"),
            ("handoff", "null"),
            ("usage", "object"),
            ("trace", "array"),
            ("warnings", "array"),
        ],
    );
    let phase =
        [("current", "string"), ("label", "string"), ("turns_in_phase", "number"), ("transitioned_from", "null")];
    assert_kinds(&turn["phase"], &phase);
    let texts = [("id", "string"), ("category", "string"), ("label", "string"), ("status", "string")];
    assert_kinds(&turn["obligations"][0], &texts);
    assert_kinds(&turn["obligations"][0], &[("confidence", "number")]);
    let completeness = [("overall", "number"), ("by_category", "object"), ("is_ready", "boolean"), ("gaps", "array")];
    assert_kinds(&turn["completeness"], &completeness);
    let change = [("path", "string"), ("kind", "string"), ("value", "string"), ("confidence", "number")];
    assert_kinds(&turn["extraction_changes"][0], &change);
    assert_eq!(
        turn["extraction_changes"][0]["evidence"],
        json!({ "turn": 1, "start": 0, "end": 36, "quote": "We need a booking app for our clinic" }),
        "what the second clause tells is another fact"
    );
    assert_kinds(&turn["modes"], &[("target", "object"), ("observed", "object")]);
    assert_eq!(
        turn["usage"],
        json!({ "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "calls": 0 }),
        "nothing is spent offline"
    );
    assert_eq!(turn["usage"]["cost_usd"].to_string(), "0.0", "not minus nothing");
}

#[test]
fn the_trace_has_the_nineteen_steps_in_order() {
    let turns = Program::new().converse("project-discovery", FIRST);
    let trace = turns[0]["trace"].as_array().unwrap();
    let steps: Vec<u64> = trace.iter().map(|entry| entry["step"].as_u64().unwrap()).collect();
    assert_eq!(steps, (1..=19).collect::<Vec<u64>>());
    for entry in trace {
        assert_kinds(entry, &[("name", "string"), ("ms", "number"), ("outcome", "string")]);
    }
}

#[test]
fn the_first_turn_carries_the_opening_and_only_the_first() {
    let turns = Program::new().converse("project-discovery", &format!("{FIRST}Our head receptionist resigned.\n"));
    assert!(turns[0]["opening"].as_str().unwrap().contains("What would you like to build or change?"));
    assert!(turns[0]["response"].as_str().unwrap().contains("No model is connected"));
    assert_eq!(turns[1].get("opening"), None);
}

#[test]
fn a_session_goes_on_where_it_was_left_by_the_beginning_of_its_id() {
    let program = Program::new();
    let first = program.converse("project-discovery", FIRST);
    let id = session_of(&first[0]);
    let ran = program.run_with(&["converse", "--session", &id[..18]], "Our head receptionist resigned in March.\n");
    assert_eq!(ran.code, 0, "{}", ran.words);
    let second = &ran.lines()[0];
    assert_eq!((session_of(second), &second["turn"]), (id, &json!(2)));
    assert_eq!(second["extraction_changes"][0]["path"], json!("purpose_and_problem.trigger_event"));
    let unknown = program.run(&["converse", "--session", "ffffffff"]);
    assert_eq!((unknown.code, unknown.words.as_str()), (4, "elenchus: There is no session ffffffff\n"));
}

#[test]
fn a_sixth_engine_is_taken_from_its_folder() {
    let program = Program::new();
    let folder = program.new_engine("look-back");
    let turns = program.converse(folder.to_str().unwrap(), "The move to the new office.\nNobody lost a box.\n");
    assert_eq!(turns[1]["extraction_changes"][0]["path"], json!("story.highlight"));
    // The session is whole without the folder: its engine is pinned.
    std::fs::remove_dir_all(&folder).unwrap();
    let ran = program.run_with(&["converse", "--session", &session_of(&turns[0])], "The lift was broken.\n");
    assert_eq!((ran.code, &ran.lines()[0]["turn"]), (0, &json!(3)), "{}", ran.words);
}

#[test]
fn a_broken_engine_is_refused_with_its_diagnostic() {
    let program = Program::new();
    let folder = program.new_engine("look-back");
    let file = folder.join("engine.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("initial_phase = \"STORY\"", "initial_phase = \"STORRY\"")).unwrap();
    let ran = program.run_with(&["converse", "--engine", folder.to_str().unwrap()], FIRST);
    assert_eq!((ran.code, ran.data.as_str()), (2, ""));
    assert!(ran.words.contains("STORRY") && ran.words.contains("engine.toml:"), "{}", ran.words);
    assert!(ran.words.contains("STORY"), "a suggestion: {}", ran.words);
    let nowhere = program.run_with(&["converse", "--engine", "project-discovry"], FIRST);
    assert_eq!(nowhere.code, 2);
    assert!(nowhere.words.contains("project-discovery"), "a suggestion: {}", nowhere.words);
    assert_eq!(program.run(&["sessions", "list", "--json"]).json(), json!([]), "no session was begun");
}

#[test]
fn empty_lines_say_nothing() {
    let input = format!("\n   \n\r\n\t\n{}\r\n\n\nIt was time.", FIRST.trim_end());
    let turns = Program::new().converse("project-discovery", &input);
    assert_eq!(turns.iter().map(|turn| turn["turn"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn bytes_that_are_no_text_do_not_end_the_conversation() {
    let program = Program::new();
    let mut input = b"We need a booking app \xff\xfe for the clinic\0 today.\n".to_vec();
    input.extend_from_slice("Unsere Praxis in Köln: 予約が多い 🙂\n".as_bytes());
    let ran = program.run_with(&["converse", "--engine", "project-discovery"], input);
    assert_eq!((ran.code, ran.lines().len()), (0, 2), "{}", ran.words);
    let id = session_of(&ran.lines()[0]);
    let kept = program.run(&["sessions", "show", &id, "--json"]).json();
    assert!(kept["messages"][1]["text"].as_str().unwrap().contains("app \u{fffd}\u{fffd} for"), "{kept}");
    assert!(kept["messages"][3]["text"].as_str().unwrap().contains("予約が多い 🙂"), "{kept}");
}

#[test]
fn a_line_of_a_mebibyte_is_one_turn_and_a_longer_one_is_refused() {
    let program = Program::new();
    let size = 1024 * 1024;
    let line = |length: usize| format!("{}\n", "booking app ".repeat(length / 12 + 1).split_at(length).0);
    let input = format!("{}{}{FIRST}", line(size), line(size + 1024));
    let ran = program.run_with(&["converse", "--engine", "project-discovery"], input);
    assert_eq!(ran.code, 1, "{}", ran.words);
    assert_eq!(ran.words, "elenchus: the message has 1025 KiB, at most 1024 KiB can be taken in\n");
    let turns = ran.lines();
    assert_eq!(turns.iter().map(|turn| turn["turn"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_line_of_many_mebibytes_is_one_refusal_and_never_two_messages() {
    let program = Program::new();
    let line = "booking app ".repeat(5 * 1024 * 1024 / 12);
    let input = format!("{FIRST}{line}\nOur head receptionist resigned.\n{line}");
    let ran = program.run_with(&["converse", "--engine", "project-discovery"], input);
    let refused = "elenchus: the message has 5120 KiB, at most 1024 KiB can be taken in\n";
    assert_eq!((ran.code, ran.words.as_str()), (1, refused.repeat(2).as_str()));
    let turns = ran.lines();
    assert_eq!(turns.iter().map(|turn| turn["turn"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2]);
    let kept = program.run(&["sessions", "show", &session_of(&turns[0]), "--json"]).json();
    assert_eq!(kept["messages"][3]["text"], json!("Our head receptionist resigned."), "what follows is taken as it is");
}

#[test]
fn a_message_of_many_figures_is_searched_in_part_and_kept_whole() {
    let program = Program::new();
    let figures = (0..130_000).map(|at| at.to_string()).collect::<Vec<_>>().join(", ");
    let ran = program.run_with(&["converse", "--engine", "project-discovery"], format!("{figures}\n"));
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turns = ran.lines();
    let warned = "Your message is very long: what it says was looked for in its first";
    assert!(turns[0]["warnings"].to_string().contains(warned), "{}", turns[0]["warnings"]);
    let kept = program.run(&["sessions", "show", &session_of(&turns[0]), "--json"]).json();
    assert_eq!(kept["messages"][1]["text"], json!(figures), "all of it is kept");
}

#[test]
fn a_reader_that_goes_away_ends_it_without_a_sound() {
    let program = Program::new();
    let mut child = program.start(&["converse", "--engine", "project-discovery"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(FIRST.as_bytes()).unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let id = session_of(&serde_json::from_str(&line).unwrap());
    drop(stdout);
    // Written or refused, as the program may be gone already.
    let _ = stdin.write_all(b"Our head receptionist resigned.\nIt was time.\nOne more.\n");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.code().is_some(), "not by a signal");
    let kept = program.run(&["sessions", "show", &id, "--json"]).json();
    assert!(kept["turn"].as_u64().unwrap() <= 2, "nobody was there to read on: {}", kept["turn"]);
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[test]
fn sensitive_data_is_warned_of_once() {
    let turns = Program::new().converse(
        "project-discovery",
        "A booking app; write to anna@example.org.\nCall 555-867-5309 or write to ben@example.org.\n",
    );
    assert!(turns[0]["warnings"].to_string().contains("email"), "{}", turns[0]["warnings"]);
}

#[test]
fn an_aside_is_answered_on_a_line_of_its_own_and_is_no_turn() {
    let input = format!("/btw our budget is 15000 €\n{FIRST}/btw why do you ask that?\n");
    let lines = Program::new().converse("project-discovery", &input);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!((&lines[0]["aside"]["said"], &lines[0]["aside"]["after"]), (&json!("our budget is 15000 €"), &json!(0)));
    assert_eq!(lines[1]["turn"], json!(1));
    assert!(lines[1]["opening"].is_string(), "the first turn tells the opening");
    let found = lines[1]["extraction_changes"].to_string() + &lines[1]["extraction_notes"].to_string();
    assert!(!found.contains("15000"), "{found}");
    assert!(!lines[2]["aside"]["answer"].as_str().unwrap().is_empty());
}

#[test]
fn what_can_be_chosen_is_told_with_the_turn() {
    let program = Program::new();
    let folder = program.new_engine("look-back");
    let file = folder.join("engine.toml");
    let engine = std::fs::read_to_string(&file).unwrap();
    let text = "description = \"What went well, and why.\"\ntype = \"string\"";
    assert!(engine.contains(text));
    let choice = "description = \"What went well, and why.\"\ntype = \"enum\"\noptions = [\"the_team\", \"luck\"]";
    std::fs::write(&file, engine.replace(text, choice)).unwrap();
    let turns = program.converse(folder.to_str().unwrap(), "A boat for the club.\nluck\n");
    let card = &turns[0]["card"];
    assert_eq!((&card["kind"], &card["choices"]), (&json!("choice"), &json!(["the team", "luck"])), "{}", turns[0]);
    assert_eq!((&card["field"], card["skip"].is_string()), (&json!("story.highlight"), true));
    let changes = turns[1]["extraction_changes"].to_string();
    assert!(changes.contains("story.highlight") && changes.contains("luck"), "{changes}");
    assert_ne!(turns[1].get("card").map(|card| &card["field"]), Some(&json!("story.highlight")));
}
