//! Backup, restore, forgetting, the log key and stores that may only be read, with the real program.

use std::fs;

use elenchus::store::{SqliteOptions, Store};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::program::{Program, session_of};

fn talked(program: &Program, messages: &str) -> String {
    session_of(&program.converse("project-discovery", messages)[0])
}

fn turn(program: &Program, id: &str) -> serde_json::Value {
    program.run(&["sessions", "show", id, "--json"]).json()["turn"].clone()
}

#[test]
fn a_backup_is_made_checked_and_restored() {
    let program = Program::new();
    let id = talked(&program, "A booking app.\n");
    let file = program.folder().join("safe.backup");
    let name = file.to_str().unwrap();
    let made = program.run(&["backup", name]);
    assert_eq!((made.code, made.words.as_str()), (0, ""), "{made:?}");
    assert_eq!(made.data, format!("1 sessions, 2 events: copied to {name} and checked.\n"));
    let again = program.run(&["backup", name]);
    assert_eq!(again.code, 4, "{again:?}");
    assert!(again.words.contains("is there already") && again.words.contains("--force"), "{}", again.words);
    assert_eq!(program.run(&["backup", name, "--force", "--json"]).json()["clean"], json!(true));
    program.run_with(&["converse", "--session", &id], "For a clinic.\n");
    assert_eq!(turn(&program, &id), json!(2));
    let restored = program.run(&["restore", name]);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert!(restored.data.contains("1 sessions, 2 events: checked and restored."), "{}", restored.data);
    let kept = restored.data.lines().find_map(|line| line.strip_prefix("What was there before is kept as ")).unwrap();
    assert_eq!(turn(&program, &id), json!(1));
    let mut before = Store::open_sqlite_to_read(kept.as_ref(), SqliteOptions::default()).unwrap();
    assert_eq!(before.find_session(&id).unwrap().turn, 2);
    // What is no backup is not restored, and nothing is touched.
    fs::write(&file, "Dear diary").unwrap();
    let refused = program.run(&["restore", name]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert_eq!(turn(&program, &id), json!(1));
}

#[test]
fn nothing_is_restored_while_another_process_has_the_sessions_open() {
    let program = Program::new();
    let id = talked(&program, "A booking app.\n");
    let file = program.folder().join("safe.backup");
    let name = file.to_str().unwrap();
    assert_eq!(program.run(&["backup", name]).code, 0);
    let _open = Store::open_sqlite(&program.database(), SqliteOptions::default()).unwrap();
    let refused = program.run(&["restore", name]);
    assert_eq!(refused.code, 4);
    assert!(refused.words.contains("in use by another Elenchus process"), "{}", refused.words);
    assert_eq!(turn(&program, &id), json!(1));
}

#[test]
fn what_was_taken_back_is_erased_when_it_is_asked_for() {
    let program = Program::new();
    let id = talked(&program, "A booking app.\nThe word is qxzvkwjfp.\n");
    assert_eq!(program.run(&["sessions", "rewind", &id, "--turn", "1"]).code, 0);
    let words = || memchr::memmem::find(&fs::read(program.database()).unwrap(), b"qxzvkwjfp").is_some();
    assert!(words(), "taking back alone erases nothing");
    let erased = program.run(&["sessions", "forget", &id]);
    assert_eq!((erased.code, erased.data.as_str()), (0, "1 turn(s) that were taken back are erased.\n"), "{erased:?}");
    assert!(!words());
    let none = program.run(&["sessions", "forget", "--all", "--json"]).json();
    assert_eq!(none, json!({ "turns": 0, "complete": true }));
    assert_eq!(program.run(&["sessions", "forget"]).code, 2, "it must be said of what");
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[test]
fn what_was_taken_back_is_erased_after_so_many_days_as_the_settings_say() {
    let program = Program::new().settings("rewound_days = 30\n");
    let id = talked(&program, "A booking app.\nThe word is qxzvkwjfp.\n");
    assert_eq!(program.run(&["sessions", "rewind", &id, "--turn", "1"]).code, 0);
    let rewound = || {
        let mut store = Store::open_sqlite(&program.database(), SqliteOptions::default()).unwrap();
        let id = store.find_session(&id).unwrap().id;
        store.rewound(id).unwrap().len()
    };
    assert_eq!(program.run_with(&["converse", "--session", &id], "").code, 0);
    assert_eq!(rewound(), 1, "it is not that long ago");
    let ago = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(31 * 24);
    let raw = rusqlite::Connection::open(program.database()).unwrap();
    raw.execute_batch("DROP TRIGGER events_are_never_changed").unwrap();
    raw.execute("UPDATE events SET at = ?1 WHERE kind = 'rewound'", [ago.as_millisecond()]).unwrap();
    drop(raw);
    assert_eq!(program.run_with(&["converse", "--session", &id], "").code, 0);
    assert_eq!(rewound(), 0);
    assert!(memchr::memmem::find(&fs::read(program.database()).unwrap(), b"qxzvkwjfp").is_none());
}

#[test]
fn a_log_key_from_a_variable_seals_sessions_and_says_when_it_is_not_here() {
    let program = Program::new();
    let before = talked(&program, "A booking app.\n");
    let keyed = program.variable("ELENCHUS_LOG_KEY", "opensesame");
    let id = talked(&keyed, "Another one.\n");
    keyed.run_with(&["converse", "--session", &before], "For a clinic.\n");
    let checked = keyed.run(&["sessions", "verify"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    let told = "✓ the log key: 2 sessions are sealed with it, 1 of them since a later event than their first\n";
    assert!(checked.data.ends_with(told), "{}", checked.data);
    let doctor = keyed.run(&["--offline", "doctor"]);
    assert!(doctor.data.contains("log_key = set  (ELENCHUS_LOG_KEY)"), "{}", doctor.data);
    assert!(!doctor.data.contains("opensesame"));
    let without = keyed.variable("ELENCHUS_LOG_KEY", "");
    let unchecked = without.run(&["sessions", "verify"]);
    assert_eq!(unchecked.code, 0, "{unchecked:?}");
    assert!(
        unchecked.data.contains("? the log key: not checked, the key is not here (2 sessions"),
        "{}",
        unchecked.data
    );
    let refused = without.run_with(&["converse", "--session", &id], "On.\n");
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.words.contains("ELENCHUS_LOG_KEY"), "{}", refused.words);
    assert_eq!(turn(&without, &id), json!(1));
}

#[cfg(unix)]
#[test]
fn a_store_that_may_not_be_written_is_listed_shown_searched_exported_and_checked() {
    use std::os::unix::fs::PermissionsExt;
    let program = Program::new();
    let id = talked(&program, "A booking app for our clinic.\n");
    let set = |mode| fs::set_permissions(program.data(), fs::Permissions::from_mode(mode)).unwrap();
    fs::set_permissions(program.database(), fs::Permissions::from_mode(0o400)).unwrap();
    set(0o500);
    let reading: [&[&str]; 9] = [
        &["sessions", "list"],
        &["sessions", "show", &id],
        &["sessions", "search", "clinic"],
        &["sessions", "export", &id],
        &["sessions", "export", &id, "--format", "transcript"],
        &["sessions", "export", &id, "--format", "json"],
        &["sessions", "verify"],
        &["sessions", "journey", &id],
        &["render", &id, "--size", "80x24"],
    ];
    let ran: Vec<_> = reading.iter().map(|arguments| program.run(arguments)).collect();
    let refused = [
        program.run(&["sessions", "rename", &id, "Another"]),
        program.run(&["sessions", "rewind", &id, "--turn", "0"]),
        program.run(&["sessions", "delete", "--now", &id]),
        program.run_with(&["converse", "--session", &id], "And on.\n"),
        program.run(&["converse", "--engine", "ideation"]),
    ];
    set(0o700);
    for (arguments, ran) in reading.iter().zip(ran) {
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        assert!(!ran.data.is_empty(), "{arguments:?}");
    }
    for ran in refused {
        assert_eq!(ran.code, 4, "{ran:?}");
        assert!(ran.words.contains("cannot be written: make the file and its folder writable"), "{}", ran.words);
    }
}

#[test]
fn a_log_key_that_anyone_could_guess_is_refused() {
    let program = Program::new().variable("ELENCHUS_LOG_KEY", "k");
    let refused = program.run(&["sessions", "list"]);
    assert_ne!(refused.code, 0);
    assert!(refused.words.contains("the log key is too short"), "{}", refused.words);
}

#[test]
fn erasing_names_the_copies_in_which_the_words_may_still_stand() {
    let program = Program::new();
    let id = talked(&program, "A booking app.\n");
    let file = program.folder().join("safe.backup");
    assert_eq!(program.run(&["backup", file.to_str().unwrap()]).code, 0);
    assert_eq!(program.run(&["restore", file.to_str().unwrap()]).code, 0);
    let erased = program.run(&["sessions", "delete", "--now", &id]);
    assert!(erased.words.contains("elenchus.db.before-"), "{erased:?}");
    assert!(erased.words.contains("remove it if they must not"), "{erased:?}");
}

#[test]
#[cfg(unix)]
fn settings_that_are_no_plain_file_are_refused_and_not_waited_for() {
    for (name, device) in [("config.toml", false), ("config.toml", true)] {
        let program = Program::new();
        fs::create_dir_all(program.config()).unwrap();
        let file = program.config().join(name);
        if device {
            std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        } else {
            assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        }
        let refused = program.run(&["sessions", "list"]);
        assert_ne!(refused.code, 0);
        assert!(refused.words.contains("it is not a regular file"), "{}", refused.words);
    }
}

#[test]
fn a_title_is_redacted_like_everything_else_that_is_stored() {
    let program = Program::new().settings("sensitive = \"redact\"\n");
    let id = talked(&program, "A booking app.\n");
    let renamed = program.run(&["sessions", "rename", &id, "token=ghp_16C7e42F292c6912E7710c838347Ae178B4a", "--json"]);
    assert_eq!(renamed.json()["title"], json!("token=[api key]"));
}
