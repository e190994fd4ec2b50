//! A clear sentence, exit code 4, and nothing lost.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::begun;
use crate::support::program::{Program, Ran};

fn refused(program: &Program) -> Ran {
    let ran = program.run_with(&["converse", "--engine", "project-discovery"], "A booking app.\n");
    assert_eq!((ran.code, ran.data.as_str()), (4, ""), "{}", ran.words);
    assert_eq!(ran.words.lines().count(), 1, "one sentence: {}", ran.words);
    assert_eq!(program.run(&["sessions", "list"]).code, 4);
    ran
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let program = Program::new();
    fs::create_dir_all(program.data()).unwrap();
    fs::write(program.database(), "Dear diary, ".repeat(500)).unwrap();
    assert!(refused(&program).words.contains("is not an Elenchus database"));
    assert_eq!(fs::read_to_string(program.database()).unwrap(), "Dear diary, ".repeat(500));
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let (program, _) = begun();
    rusqlite::Connection::open(program.database()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(refused(&program).words.contains("was written by a newer Elenchus"));
}

#[test]
fn a_damaged_database_is_told() {
    let (program, _) = begun();
    let bytes = fs::read(program.database()).unwrap();
    fs::write(program.database(), &bytes[..bytes.len() / 2]).unwrap();
    let ran = program.run(&["sessions", "list"]);
    assert_eq!(ran.code, 4, "{}{}", ran.data, ran.words);
    assert!(ran.words.contains("is damaged") && ran.words.contains("keep a copy"), "{}", ran.words);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_the_turn_is_not_shown_as_saved() {
    // A disk that is full to this process alone: its files may not grow beyond a limit.
    let (program, id) = begun();
    let size = fs::metadata(program.database()).unwrap().len();
    let command = program.command(&["converse", "--session", &id]);
    let mut limited = std::process::Command::new("sh");
    limited.env_clear().env("HOME", program.folder()).env("TZ", "UTC").env("PATH", "/usr/bin:/bin");
    limited.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", size / 512 + 8));
    limited.arg(command.get_program()).args(command.get_args());
    limited.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = limited.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let lines: Vec<String> = (0..60).map(|n| format!("{} {n}\n", "Patients call and call. ".repeat(60))).collect();
    let _ = child.stdin.take().unwrap().write_all(lines.concat().as_bytes());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 4, "{}", ran.words);
    let printed = ran.lines().iter().filter(|turn| turn.get("error").is_none()).count() as u64;
    let kept = program.run(&["sessions", "show", &id, "--json"]).json();
    assert_eq!(kept["turn"], json!(3 + printed), "what was printed was kept, and nothing else");
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[test]
fn two_processes_on_one_session_do_not_overwrite_each_other() {
    let (program, id) = begun();
    let mut first = program.start(&["converse", "--session", &id]);
    let mut stdin = first.stdin.take().unwrap();
    let mut stdout = BufReader::new(first.stdout.take().unwrap());
    stdin.write_all(b"A paper diary.\n").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("\"turn\":4"), "{line}");
    // While the first waits for its next line, a second takes the session on.
    let second = program.run_with(&["converse", "--session", &id], "The four receptionists.\n");
    assert_eq!((second.code, &second.lines()[0]["turn"]), (0, &json!(5)), "{}", second.words);
    stdin.write_all(b"This one comes too late.\n").unwrap();
    drop(stdin);
    let ended = first.wait_with_output().unwrap();
    let words = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(4), "{words}");
    assert!(words.contains("was changed by another window or process"), "{words}");
    let kept = program.run(&["sessions", "show", &id, "--json"]).json();
    assert_eq!((&kept["turn"], &kept["draft"]), (&json!(5), &json!("This one comes too late.")));
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}
