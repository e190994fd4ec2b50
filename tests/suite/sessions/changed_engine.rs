//! A session goes on with the engine it began with, says what has changed, and moves over when asked.

use pretty_assertions::{assert_eq, assert_ne};
use serde_json::json;

use crate::support::program::{Program, session_of};

#[test]
fn a_changed_engine_is_noticed_and_adopted_on_demand() {
    let program = Program::new();
    assert_eq!(program.run(&["engines", "new", "look-back"]).code, 0);
    let turns = program.converse("look-back", "The move to the new office.\n");
    let id = session_of(&turns[0]);
    let file = program.config().join("engines/look-back/engine.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let text =
        text.replace("version = \"0.1.0\"", "version = \"0.2.0\"").replace("highlight_known", "best_moment_known");
    std::fs::write(&file, text).unwrap();

    let ran = program.run_with(&["converse", "--session", &id], "Nobody lost a box.\n");
    assert_eq!(ran.code, 0, "{}", ran.words);
    assert_eq!(
        ran.words,
        "The engine has changed since this session began (0.1.0 → 0.2.0): obligation best_moment_known was added; \
         obligation highlight_known was removed; version: `0.1.0` → `0.2.0`. The session goes on with the version it began with.\n"
    );
    let obligations = |turn: &serde_json::Value| turn["obligations"].to_string();
    assert!(obligations(&ran.lines()[0]).contains("highlight_known"));
    let shown = program.run(&["sessions", "show", &id, "--json"]).json();
    assert_eq!(shown["engine_change"]["to"], json!("0.2.0"));

    let moved = program.run(&["sessions", "migrate", &id, "--json"]).json();
    assert_eq!((&moved["engine_version"], &moved["turn"]), (&json!("0.2.0"), &json!(2)));
    let again = program.run(&["sessions", "migrate", &id]);
    assert_eq!(again.data, "The session runs on version 0.2.0 already.\n");
    let ran = program.run_with(&["converse", "--session", &id], "The lift was broken.\n");
    assert_eq!((ran.code, ran.words.as_str()), (0, ""));
    assert!(obligations(&ran.lines()[0]).contains("best_moment_known"));
    assert_eq!(ran.lines()[0]["obligations"][0]["status"], json!("satisfied"), "what is known stays known");
    assert_eq!(program.run(&["sessions", "verify", &id]).code, 0);
}

#[test]
fn a_broken_successor_does_not_stop_a_session() {
    let program = Program::new();
    assert_eq!(program.run(&["engines", "new", "look-back"]).code, 0);
    let id = session_of(&program.converse("look-back", "The move.\n")[0]);
    std::fs::write(program.config().join("engines/look-back/engine.toml"), "id = ").unwrap();
    let ran = program.run_with(&["converse", "--session", &id], "Nobody lost a box.\n");
    assert_eq!((ran.code, &ran.lines()[0]["turn"]), (0, &json!(2)), "{}", ran.words);
}

#[test]
fn going_back_from_the_command_line_is_what_undo_is_in_a_session() {
    let program = Program::new();
    assert_eq!(program.run(&["engines", "new", "look-back"]).code, 0);
    let turns = program.converse("look-back", "The move to the new office.\n");
    let id = session_of(&turns[0]);
    let file = program.config().join("engines/look-back/engine.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("version = \"0.1.0\"", "version = \"0.2.0\"")).unwrap();
    assert_eq!(program.run(&["sessions", "migrate", &id]).code, 0);
    let rewound = program.run(&["sessions", "rewind", &id, "--turn", "0", "--json"]).json();
    assert_eq!(rewound["engine_version"], json!("0.2.0"), "it goes on with the version it had moved to");
    let shown = program.run(&["sessions", "show", &id, "--json"]).json();
    assert_eq!(shown["title"], json!("Look back"), "nothing was said that could give it another title");
    assert_eq!(program.run(&["sessions", "verify", &id]).code, 0);
}

#[test]
fn a_session_is_not_moved_to_an_engine_that_is_another_one_or_has_errors() {
    let program = Program::new();
    assert_eq!(program.run(&["engines", "new", "look-back"]).code, 0);
    let id = session_of(&program.converse("look-back", "The move.\n")[0]);
    let file = program.config().join("engines/look-back/engine.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("id = \"look-back\"", "id = \"look-ahead\"")).unwrap();
    let refused = program.run(&["sessions", "migrate", &id]);
    assert_ne!(refused.code, 0, "{}", refused.data);
    assert!(refused.words.contains("look-ahead"), "{}", refused.words);
    std::fs::write(&file, "id = ").unwrap();
    let refused = program.run(&["sessions", "migrate", &id]);
    assert_ne!(refused.code, 0, "{}", refused.data);
}
