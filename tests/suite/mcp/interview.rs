//! What each tool brings.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::Agent;
use crate::support::program::Program;

const SAID: &str = "We need a booking app for our clinic. Patients call all day to move appointments.";

#[test]
fn an_interview_is_held_answer_by_answer_and_every_note_has_its_words() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &[]);
    let engines = agent.data("list_engines", &json!({}));
    assert!(engines["engines"].as_array().unwrap().iter().any(|engine| engine["id"] == "project-discovery"));
    let started = agent.data(
        "start_interview",
        &json!({ "engine": "project-discovery", "title": "Clinic intake", "project": "Clinic" }),
    );
    assert_eq!((&started["title"], &started["completeness"]["percent"]), (&json!("Clinic intake"), &json!(0)));
    let disclosure = started["disclosure"].as_str().unwrap();
    assert!(disclosure.contains("no model reads") && disclosure.contains("elenchus.db"), "{disclosure}");
    assert!(started["opening"].as_str().unwrap().contains('?'), "{started}");
    assert!(!started["open"].as_array().unwrap().is_empty());
    let id = &started["session_id"];

    let answered = agent.data("answer", &json!({ "session_id": id, "message": SAID }));
    let noted = answered["noted"].as_array().unwrap();
    assert!(!noted.is_empty(), "{answered}");
    for note in noted {
        let quote = note["quote"].as_str().expect("a quote");
        assert!(SAID.contains(quote), "{note}");
    }
    assert_eq!(answered["turn"], 1);
    assert!(!answered["reply"].as_str().unwrap().is_empty());
    assert!(answered["open"][0]["question"].as_str().is_some_and(|question| question.contains('?')), "{answered}");
    assert!(answered["phase"]["name"].is_string() && answered["completeness"]["ready"] == false);

    let brief = agent.call("get_brief", &json!({ "session_id": id }));
    let markdown = brief["structuredContent"]["markdown"].as_str().unwrap();
    assert_eq!(brief["content"][0]["text"], json!(markdown));
    let statements = brief["structuredContent"]["statements"].as_array().unwrap();
    assert!(!statements.is_empty() && markdown.contains("[1]"), "{brief}");
    assert!(statements.iter().all(|statement| SAID.contains(statement["quote"].as_str().unwrap())), "{statements:?}");
    let only = agent.data("get_brief", &json!({ "session_id": id, "format": "json" }));
    assert!(only.get("markdown").is_none() && only["statements"].is_array());

    let shown = agent.data("show_session", &json!({ "session_id": id, "messages": 50 }));
    assert_eq!((&shown["project"], &shown["turn"]), (&json!("Clinic"), &json!(1)));
    assert_eq!(shown["messages"].as_array().unwrap().len(), 3);
    assert!(shown["recap"]["settled"].as_str().unwrap().starts_with("Settled:"), "{shown}");

    let taken = agent.data("take_back", &json!({ "session_id": id }));
    assert_eq!((&taken["turn"], &taken["known"]), (&json!(0), &json!([])));
    assert!(agent.refusal("take_back", &json!({ "session_id": id })).contains("nothing to take back"));
    let ran = agent.leave();
    assert_eq!((ran.code, ran.words.as_str()), (0, ""));
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[test]
fn sessions_are_listed_searched_and_shared_with_other_processes() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &["--project", "Clinic"]);
    let id = agent.interview();
    agent.data("answer", &json!({ "session_id": id, "message": SAID }));
    // Another process goes on with it, and the next call knows.
    let ran = program.run_with(&["converse", "--session", &id], "About 40 calls a day.\n");
    assert_eq!(ran.code, 0, "{}", ran.words);
    let shown = agent.data("show_session", &json!({ "session_id": &id[..13] }));
    assert_eq!((&shown["turn"], &shown["project"]), (&json!(2), &json!("Clinic")));
    let answered = agent.data("answer", &json!({ "session_id": id, "message": "By May." }));
    assert_eq!(answered["turn"], 3);
    let list = agent.data("list_sessions", &json!({ "limit": 1 }));
    assert_eq!((&list["sessions"][0]["session_id"], &list["sessions"][0]["turns"]), (&json!(id), &json!(3)));
    let hits = agent.data("search_sessions", &json!({ "words": "appointments" }));
    assert_eq!(hits["hits"][0]["session_id"], json!(id));
    assert!(hits["hits"][0]["excerpt"].as_str().unwrap().contains("appointments"), "{hits}");
    agent.leave();
}

#[test]
fn an_interview_can_be_held_in_german() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &[]);
    let started = agent.data("start_interview", &json!({ "engine": "project-discovery", "language": "de" }));
    let answered = agent.data(
        "answer",
        &json!({ "session_id": started["session_id"], "message": "Wir brauchen eine Buchungs-App für unsere Praxis." }),
    );
    assert!(answered["open"][0]["question"].as_str().unwrap().starts_with("Was ist passiert"), "{answered}");
    let shown = agent.data("show_session", &json!({ "session_id": started["session_id"] }));
    assert!(shown["recap"]["next"].as_str().unwrap().starts_with("Als Nächstes:"), "{shown}");
    agent.leave();
}

#[test]
fn what_cannot_be_done_is_told_in_words() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &[]);
    let id = agent.interview();
    let told = agent.refusal("start_interview", &json!({ "engine": "project-discovry" }));
    assert!(told.contains("project-discovery"), "{told}");
    assert!(agent.refusal("answer", &json!({ "session_id": "nosuch", "message": "Hi" })).contains("nosuch"));
    assert_eq!(agent.refusal("answer", &json!({ "session_id": id })), "`message` is missing");
    let told = agent.refusal("answer", &json!({ "session_id": id, "mesage": "Hi", "message": "Hi" }));
    assert!(told.contains("no argument `mesage`"), "{told}");
    let told = agent.refusal("answer", &json!({ "session_id": id, "message": "x".repeat(1024 * 1024 + 1) }));
    assert!(told.contains("at most 1048576"), "{told}");
    assert!(agent.refusal("get_brief", &json!({ "session_id": id, "format": "pdf" })).contains("markdown"));
    let told = agent.refusal("start_interview", &json!({ "engine": "exploration", "language": "English, please" }));
    assert!(told.contains("a code such as en or de"), "{told}");
    assert!(agent.refusal("list_sessions", &json!({ "limit": 1_000_000 })).contains("1 to 50"));
    assert_eq!(agent.data("show_session", &json!({ "session_id": id }))["turn"], 0);
    agent.leave();
}

#[test]
fn words_of_a_command_in_an_answer_command_nothing_and_steer_no_terminal() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &[]);
    let id = agent.interview();
    let hostile = "/quit {{ 7*7 }} \u{1b}]52;c;UFdORUQ=\u{7} \u{202e}evil <script>alert(1)</script> and a booking app";
    let answered = agent.data("answer", &json!({ "session_id": id, "message": hostile }));
    assert_eq!(answered["turn"], 1);
    let shown = agent.data("show_session", &json!({ "session_id": id }));
    assert!(shown["messages"][0]["text"].as_str().unwrap().contains("{{ 7*7 }}"), "{shown}");
    let raw = shown.to_string();
    assert!(!raw.contains('\u{1b}'));
    let ran = agent.leave();
    assert_eq!(ran.code, 0);
}

/// What an agent reads goes to a model somewhere.
#[test]
fn sensitive_values_are_taken_out_of_what_is_shown() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &[]);
    let id = agent.interview();
    let said = "We need a booking app; write to jane.roe@example.org about it.";
    agent.data("answer", &json!({ "session_id": id, "message": said }));
    for (tool, arguments) in [
        ("show_session", json!({ "session_id": id, "messages": 50 })),
        ("get_brief", json!({ "session_id": id })),
        ("search_sessions", json!({ "words": "booking" })),
    ] {
        let result = agent.call(tool, &arguments).to_string();
        assert!(!result.contains("jane.roe@example.org"), "{tool}: {result}");
    }
    agent.leave();
}

/// The recap says what is settled, and the project is a name that somebody gave.
#[test]
fn sensitive_values_are_taken_out_of_recaps_and_names_of_projects_too() {
    let program = Program::new();
    let project = "for jane.roe@example.org";
    let mut agent = Agent::greeted(&program, &["--project", project]);
    let id = agent.interview();
    agent.data("answer", &json!({ "session_id": id, "message": "We need a booking app." }));
    agent.data("answer", &json!({ "session_id": id, "message": "Write to joe.doe@example.org: he decides." }));
    for (tool, arguments) in [("show_session", json!({ "session_id": id })), ("list_sessions", json!({}))] {
        let result = agent.call(tool, &arguments).to_string();
        assert!(!result.contains("@example.org"), "{tool}: {result}");
        assert!(result.contains("for "), "{tool}: {result}");
    }
    agent.leave();
}

#[test]
fn what_needs_consent_stays_undone_and_that_is_told() {
    let program = Program::new();
    let folder = program.new_engine("own-engine");
    let mark = program.folder().join("mark");
    let file = folder.join("engine.toml");
    let task = format!(
        "\n[[background_tasks]]\nid = \"scan\"\nname = \"Scan\"\ndescription = \"Scans\"\nhandler = \"scan\"\nwhen = \"turn > 0\"\n\
         failure_strategy = {{ type = \"degrade\", degraded_behavior = \"none\" }}\n\n\
         [handlers.scan]\ntype = \"command\"\nprogram = \"/bin/touch\"\nargs = [\"{}\"]\n",
        mark.display()
    );
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap() + &task).unwrap();
    let mut agent = Agent::greeted(&program, &[]);
    let started = agent.data("start_interview", &json!({ "engine": folder.to_str().unwrap() }));
    let waits = &started["not_done_without_consent"];
    assert!(waits["acts"][0].as_str().unwrap().contains("touch"), "{started}");
    assert!(
        waits["what_to_do"].as_str().unwrap().contains(&format!("engines trust {}", folder.display())),
        "{started}"
    );
    let answered = agent.data("answer", &json!({ "session_id": started["session_id"], "message": "A booking app." }));
    assert_eq!(answered["turn"], 1);
    assert!(answered["not_done_without_consent"].is_object(), "{answered}");
    agent.leave();
    assert!(!mark.exists());
}
