//! What people do with sessions, in words and in JSON.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::begun;
use crate::support::program::{Program, session_of};

fn texts(session: &Value) -> Vec<String> {
    session["messages"].as_array().unwrap().iter().map(|m| m["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn sessions_are_listed_the_latest_first() {
    let (program, id) = begun();
    let other = session_of(&program.converse("ideation", "Ideas for the waiting room.\n")[0]);
    let list = program.run(&["sessions", "list", "--json"]).json();
    let ids: Vec<&str> = list.as_array().unwrap().iter().map(|s| s["session_id"].as_str().unwrap()).collect();
    assert_eq!(ids, [other.as_str(), id.as_str()]);
    assert_eq!((&list[1]["engine"], &list[1]["turn"]), (&json!("project-discovery"), &json!(3)));
    let words = program.run(&["sessions", "list", "--engine", "project-discovery"]);
    assert_eq!(words.data.lines().count(), 1, "{}", words.data);
    assert!(words.data.starts_with(&id[..13]) && words.data.contains("booking app"), "{}", words.data);
    let none = program.run(&["sessions", "list", "--project", "nobody's"]);
    assert_eq!((none.code, none.data.as_str()), (0, ""));
    assert!(none.words.contains("There is no session"), "{}", none.words);
}

#[test]
fn a_session_is_shown_with_where_it_stands_and_what_was_said() {
    let (program, id) = begun();
    let shown = program.run(&["sessions", "show", &id, "--json"]).json();
    for key in ["session_id", "engine", "title", "turn", "phase", "completeness", "messages"] {
        assert!(!shown[key].is_null(), "{key} is missing");
    }
    assert_eq!((&shown["turn"], texts(&shown).len()), (&json!(3), 7));
    let words = program.run(&["sessions", "show", &id]);
    assert!(words.data.contains("· turn 3 ·") && words.data.contains("[2] You:\nOur head"), "{}", words.data);
    let unknown = program.run(&["sessions", "show", "nothing"]);
    assert_eq!((unknown.code, unknown.words.as_str()), (4, "elenchus: There is no session nothing\n"));
}

#[test]
fn everything_said_is_searched() {
    let (program, id) = begun();
    let found = program.run(&["sessions", "search", "receptionist resigned", "--json"]).json();
    assert_eq!((&found[0]["session_id"], &found[0]["turn"]), (&json!(id), &json!(2)));
    let words = program.run(&["sessions", "search", "\"book by phone\""]);
    assert!(words.data.contains("turn   3") && words.data.contains("book by phone"), "{}", words.data);
    let none = program.run(&["sessions", "search", "xylophone"]);
    assert_eq!((none.code, none.data.as_str(), none.words.as_str()), (0, "", "Nothing was found.\n"));
    for odd in ["\"", "*", "AND OR", "a* NEAR(b", "'; DROP TABLE sessions; --", ""] {
        let ran = program.run(&["sessions", "search", odd]);
        assert_eq!(ran.code, 0, "{odd}: {}", ran.words);
    }
}

#[test]
fn exports_keep_sensitive_values_back_unless_asked() {
    let (program, id) = begun();
    for format in ["brief", "html", "transcript", "json"] {
        let safe = program.run(&["sessions", "export", &id, "--format", format]);
        assert_eq!(safe.code, 0, "{}", safe.words);
        assert!(!safe.data.contains("anna@example.org") && safe.data.contains("[email]"), "{format}: {}", safe.data);
        let open = program.run(&["sessions", "export", &id, "--format", format, "--reveal"]);
        assert!(open.data.contains("anna@example.org"), "{format}: {}", open.data);
    }
    let all = program.run(&["sessions", "export", &id, "--format", "json"]).json();
    assert_eq!(all["messages"].as_array().unwrap().len(), 7);
    assert_eq!(all["extractions"].as_array().unwrap().len(), 3);
    assert_eq!(all["engine"]["id"], json!("project-discovery"));
    let transcript = program.run(&["sessions", "export", &id, "--format", "transcript"]).data;
    assert!(transcript.contains("**You** (turn 2)\n\nOur head receptionist resigned in March."), "{transcript}");
}

#[test]
fn a_title_of_the_users_stays() {
    let (program, id) = begun();
    let named = program.run(&["sessions", "rename", &id, "Clinic intake", "--json"]).json();
    assert_eq!(named["title"], json!("Clinic intake"));
    program.run_with(&["converse", "--session", &id], "A paper diary.\n");
    assert_eq!(program.run(&["sessions", "show", &id, "--json"]).json()["title"], json!("Clinic intake"));
    let words = program.run(&["sessions", "rename", &id, "Intake"]);
    assert_eq!(words.data, "It is called “Intake” now.\n");
}

#[test]
fn a_rewound_session_is_what_it_was_then() {
    let program = Program::new();
    let first = program.converse("project-discovery", "A booking app.\n");
    let id = session_of(&first[0]);
    let then = program.run(&["sessions", "show", &id, "--json"]).json();
    program.run_with(&["converse", "--session", &id], "Our head receptionist resigned.\nBlocked lines.\n");
    let rewound = program.run(&["sessions", "rewind", &id, "--turn", "1", "--json"]).json();
    assert_eq!(rewound["turn"], json!(1));
    let now = program.run(&["sessions", "show", &id, "--json"]).json();
    for key in ["turn", "phase", "completeness", "extraction", "sidebar", "messages"] {
        assert_eq!(now[key], then[key], "{key}");
    }
    assert_eq!(program.run(&["sessions", "verify", &id]).code, 0);
    let beyond = program.run(&["sessions", "rewind", &id, "--turn", "9"]);
    assert_eq!(beyond.code, 4, "{}", beyond.words);
}

#[test]
fn a_fork_goes_its_own_way() {
    let (program, id) = begun();
    let fork = program.run(&["sessions", "fork", &id, "--turn", "1", "--json"]).json();
    let forked = session_of(&fork);
    assert_eq!(fork["turn"], json!(1));
    program.run_with(&["converse", "--session", &forked], "A new owner.\n");
    let (own, other) = (
        program.run(&["sessions", "show", &id, "--json"]).json(),
        program.run(&["sessions", "show", &forked, "--json"]).json(),
    );
    assert_eq!((&own["turn"], &other["turn"]), (&json!(3), &json!(2)));
    assert_eq!(texts(&own)[..3], texts(&other)[..3]);
    assert!(!other["forked_from"].is_null());
    let whole = program.run(&["sessions", "fork", &id]);
    let shown = program.run(&["sessions", "show", whole.data.trim(), "--json"]).json();
    assert_eq!(shown["turn"], json!(3));
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[test]
fn erased_is_erased() {
    let (program, id) = begun();
    let deleted = program.run(&["sessions", "delete", "--now", &id, "--json"]).json();
    assert_eq!(deleted, json!({ "deleted": [id], "complete": true }));
    assert_eq!(program.run(&["sessions", "list", "--json"]).json(), json!([]));
    assert_eq!(program.run(&["sessions", "search", "receptionist", "--json"]).json(), json!([]));
    let mut open = vec![program.data()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(12).any(|window| window == b"receptionist"), "a trace is left in {}", path.display());
    }
}

#[test]
fn a_change_after_the_fact_shows() {
    let (program, id) = begun();
    let clean = program.run(&["sessions", "verify"]);
    assert_eq!((clean.code, clean.data.starts_with("✓ 1 sessions")), (0, true), "{}", clean.data);
    let connection = rusqlite::Connection::open(program.database()).unwrap();
    let changed = connection
        .execute("UPDATE messages SET content = replace(content, 'resigned', 'was promoted') WHERE turn = 2", [])
        .unwrap();
    assert!(changed > 0);
    drop(connection);
    let found = program.run(&["sessions", "verify", &id, "--json"]);
    assert_eq!((found.code, &found.json()["clean"]), (1, &json!(false)));
    let words = program.run(&["sessions", "verify"]);
    assert_eq!((words.code, words.data.starts_with('✗')), (1, true), "{}", words.data);
}

#[cfg(unix)]
#[test]
fn what_holds_words_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = Program::new();
    program.converse("ideation", "An evening course for the village.\n");
    program.run(&["sessions", "list"]);
    let mut open = vec![program.data()];
    let mut seen = Vec::new();
    while let Some(path) = open.pop() {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            seen.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    assert!(seen.iter().any(|name| name == "elenchus.db") && seen.iter().any(|name| name.contains(".log")), "{seen:?}");
}

#[test]
fn the_ending_of_a_file_says_what_is_written_to_it() {
    let (program, id) = begun();
    let path = |name: &str| program.folder().join(name).display().to_string();
    let export = |name: &str| program.run(&["sessions", "export", &id, "--output", &path(name)]);
    for (name, begins) in [("b.md", "# "), ("b.html", "<!doctype html>"), ("b.docx", "PK"), ("b.json", "{")] {
        let ran = export(name);
        assert_eq!((ran.code, ran.data.as_str()), (0, ""), "{name}: {}", ran.words);
        let written = std::fs::read(path(name)).unwrap();
        assert!(written.starts_with(begins.as_bytes()), "{name}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(path(name)).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        }
    }
    let page = std::fs::read_to_string(path("b.html")).unwrap();
    assert!(page.contains("class=\"cite\" tabindex=\"0\"") && page.contains("<q>"), "{page}");
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("src="), "{page}");
    let again = export("b.md");
    assert_eq!(again.code, 1, "nothing is written over: {}", again.words);
    let unknown = export("b.pdf");
    assert_eq!(unknown.code, 2);
    assert!(unknown.words.contains(".md, .html, .docx, .json"), "{}", unknown.words);
    let piped = program.run(&["sessions", "export", &id, "--format", "docx"]);
    assert_eq!(piped.code, 2);
    assert!(piped.words.contains("--output"), "{}", piped.words);
}
