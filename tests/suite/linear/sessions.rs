//! Whole sessions with the real program between two pipes.

use crate::support::program::{Program, Ran};

/// A whole project discovery, from the first question to the brief.
const ANSWERS: &str = include_str!("clinic.txt");

fn told(arguments: &[&str], input: &str) -> Ran {
    let program = Program::new().introduced();
    program.run_with(&[&["--offline", "--plain"], arguments].concat(), input)
}

/// Nothing that moves a cursor, draws a box or turns.
fn assert_plain(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}", ran.words);
    let drawn = |c: char| matches!(c, '\u{2500}'..='\u{25ff}' | '\u{2800}'..='\u{28ff}');
    for line in ran.data.lines() {
        assert!(!line.contains(|c: char| c.is_control() || drawn(c)), "{line:?}");
    }
}

/// What was told, with the same day in the head of the brief whenever it is told.
fn undated(told: &str) -> String {
    let day = told.split_once("Project brief, ").and_then(|(_, rest)| rest.get(..10));
    told.replace(day.expect("the brief has a date"), "2026-01-31")
}

#[test]
fn a_whole_project_discovery_is_told_in_lines() {
    let ran = told(&["chat", "--engine", "project-discovery"], ANSWERS);
    assert_plain(&ran);
    insta::with_settings!({
        snapshot_path => "../../snapshots/linear", prepend_module_to_snapshot => false, omit_expression => true,
    }, {
        insta::assert_snapshot!("project-discovery", undated(&ran.data));
    });
}

#[test]
fn a_session_is_told_in_german() {
    let input = "Wir wollen eine App für die Anmeldung in unserer Praxis.\nWeil das Telefon den ganzen Tag klingelt.\n/sidebar\n\n/quit\n";
    let ran = told(&["--lang", "de", "chat", "--engine", "project-discovery"], input);
    assert_plain(&ran);
    insta::with_settings!({
        snapshot_path => "../../snapshots/linear", prepend_module_to_snapshot => false, omit_expression => true,
    }, {
        insta::assert_snapshot!("german", ran.data);
    });
}

#[test]
fn what_is_written_on_the_first_screen_begins_a_session_and_a_number_opens_it_again() {
    let program = Program::new();
    let first = program.run_with(&["--offline", "--plain"], "We build an intake app for clinics.\n/quit\n");
    assert_plain(&first);
    assert!(first.data.contains("You: We build an intake app for clinics."), "{}", first.data);
    assert!(first.words.contains("to go on: elenchus"), "{}", first.words);
    let again = program.run_with(&["--offline", "--plain"], "6\n/sidebar\n\n/quit\n");
    assert_plain(&again);
    assert!(again.data.contains("6. Go on with: "), "{}", again.data);
    let told_again = again.data.matches("We build an intake app for clinics.").count();
    assert!(told_again >= 1, "{}", again.data);
}

#[test]
fn a_line_that_ends_in_a_backslash_goes_on_in_the_next_one() {
    let program = Program::new();
    let input = "We build an app\\\nfor clinics.\n/quit\n";
    let ran = program.run_with(&["--offline", "--plain", "chat", "--engine", "project-discovery"], input);
    assert_plain(&ran);
    let list = program.run(&["--offline", "sessions", "list", "--json"]).json();
    let id = list[0]["session_id"].as_str().unwrap();
    let shown = program.run(&["--offline", "sessions", "show", id, "--json"]).json();
    assert_eq!(shown["turn"], serde_json::json!(1));
    let messages = shown["messages"].as_array().unwrap();
    let said = messages.iter().find(|message| message["role"] == "user").unwrap();
    assert_eq!(said["text"], serde_json::json!("We build an app\nfor clinics."));
}

#[test]
fn the_end_of_the_input_keeps_what_was_said() {
    let program = Program::new();
    let ran = program.run_with(&["--offline", "--plain", "chat", "--engine", "ideation"], "A tool for beekeepers.\n");
    assert_plain(&ran);
    let list = program.run(&["--offline", "sessions", "list", "--json"]).json();
    assert_eq!(list[0]["turn"], serde_json::json!(1), "{list}");
}

#[test]
fn without_a_terminal_and_without_the_flag_it_is_said_how_it_can_be_had() {
    let program = Program::new();
    let ran = program.run(&["--offline"]);
    assert_eq!(ran.code, 2);
    assert!(ran.words.contains("elenchus --plain"), "{}", ran.words);
    let by_setting = Program::new().settings("plain = true\n").run_with(&["--offline"], "/quit\n");
    assert_plain(&by_setting);
    let by_variable = Program::new().variable("ELENCHUS_PLAIN", "1").run_with(&["--offline"], "/quit\n");
    assert_plain(&by_variable);
}

#[test]
fn what_is_told_on_a_first_start_is_told_once_and_waits_for_nobody() {
    let program = Program::new();
    let ran = program.run_with(&["--offline", "--plain"], "We build an intake app for clinics.\n/quit\n");
    assert_plain(&ran);
    let database = program.database();
    let told = |ran: &Ran| ran.data.matches(database.to_str().unwrap()).count();
    assert_eq!(told(&ran), 1, "{}", ran.data);
    let (who, first) = (ran.data.find("Who answers: No model:"), ran.data.find("You: We build an intake app"));
    assert!(who.is_some() && who < first, "{}", ran.data);
    let again = program.run_with(&["--offline", "--plain"], "/about\n/quit\n");
    assert_eq!(told(&again), 1, "only where it was asked for: {}", again.data);
    let third = program.run_with(&["--offline", "--plain"], "/quit\n");
    assert_eq!(told(&third), 0, "{}", third.data);
}

#[test]
fn a_number_that_is_not_in_the_list_begins_nothing() {
    let program = Program::new();
    let ran = program.run_with(&["--offline", "--plain"], "66\n/quit\n");
    assert_plain(&ran);
    assert!(ran.data.contains("No line has that number."), "{}", ran.data);
    assert_eq!(program.run(&["--offline", "sessions", "list", "--json"]).json(), serde_json::json!([]));
}

#[test]
fn the_next_line_of_a_pipe_waits_for_what_the_one_before_has_done() {
    let input = "We build an intake app for clinics.\n/undo\nyes\n/redo\n/doctor\n\n/quit\n";
    let ran = told(&["--engine", "project-discovery"], input);
    assert_plain(&ran);
    let place = |text: &str| ran.data.find(text).unwrap_or_else(|| panic!("no {text:?} in {}", ran.data));
    assert!(place("back again") < place("You: /doctor"), "{}", ran.data);
    assert!(place("You: /doctor") < place("done: nothing is wrong"), "{}", ran.data);
}

#[test]
fn options_of_the_app_stand_without_its_command_and_with_it() {
    for arguments in
        [&["--theme", "light", "--engine", "ideation"][..], &["--engine", "ideation", "chat", "--theme", "light"]]
    {
        let ran = told(arguments, "/quit\n");
        assert_plain(&ran);
        assert!(ran.data.contains("Ideation"), "{}", ran.data);
    }
    let ran = Program::new().run(&["--engine", "ideation", "sessions", "list"]);
    assert_eq!(ran.code, 2, "{}", ran.words);
}

#[test]
fn keys_in_a_pipe_are_no_words_and_no_editor_is_started_there() {
    let program = Program::new();
    let input = "We build\u{1b}[D an app\u{1b}]11;rgb:0/0/0\u{7} for clinics.\n/editor\n/theme\n\u{1b}\n/quit\n";
    let ran = program.run_with(&["--offline", "--plain", "chat", "--engine", "project-discovery"], input);
    assert_plain(&ran);
    assert!(ran.data.contains("You: We build an app for clinics."), "{}", ran.data);
    assert!(ran.data.contains("Error: The editor needs a terminal"), "{}", ran.data);
    assert!(ran.data.contains("You: esc\nNote: You are back in the conversation."), "{}", ran.data);
    let again = "to go on: elenchus ";
    let command = ran.words.lines().find_map(|line| line.split_once(again)).map_or("", |(_, command)| command);
    assert!(command.contains("--plain --offline chat --session"), "what it was started with goes on: {}", ran.words);
}
