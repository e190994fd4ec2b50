//! Archive, tags, trash and what `list` makes of them.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::begun;
use crate::support::program::{Program, session_of};

fn listed(program: &Program, more: &[&str]) -> Vec<String> {
    let list = program.run(&[&["sessions", "list", "--json"], more].concat()).json();
    list.as_array().unwrap().iter().map(|session| session["session_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn sessions_are_archived_tagged_and_listed_by_it() {
    let (program, id) = begun();
    let other = session_of(&program.converse("ideation", "Ideas for the waiting room.\n")[0]);
    let said = program.run(&["sessions", "archive", &id[..13]]);
    assert_eq!((said.code, said.data.contains("is in the archive.")), (0, true), "{}", said.data);
    assert_eq!(listed(&program, &[]), [other.as_str()]);
    assert_eq!(listed(&program, &["--all"]), [other.as_str(), id.as_str()]);
    let tagged = program.run(&["sessions", "tag", &id, "Clinic", "#urgent, north wing", "--json"]).json();
    assert_eq!(tagged[0]["tags"], json!(["clinic", "north wing", "urgent"]));
    program.run(&["sessions", "untag", &id, "urgent"]);
    assert_eq!(listed(&program, &["--all", "--tag", "#Clinic"]), [id.as_str()]);
    assert_eq!(listed(&program, &["--all", "--tag", "urgent"]), [""; 0]);
    let words = program.run(&["sessions", "list", "--all"]).data;
    assert!(words.contains("(in the archive, #clinic #north wing)"), "{words}");
    program.run(&["sessions", "unarchive", &id]);
    assert_eq!(listed(&program, &[]).len(), 2);
    assert_eq!(program.run(&["sessions", "tag", &id, "#"]).code, 2);
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[test]
fn what_is_deleted_goes_to_the_trash_and_comes_back() {
    let (program, id) = begun();
    let deleted = program.run(&["sessions", "delete", &id]);
    assert!(deleted.data.contains("can be restored for 30 days"), "{}", deleted.data);
    assert_eq!(listed(&program, &["--all"]), [""; 0]);
    let trash = program.run(&["sessions", "trash", "--json"]).json();
    assert_eq!(trash[0]["session_id"], json!(id));
    assert!(trash[0]["erased_at"].is_string(), "{trash}");
    assert!(program.run(&["sessions", "trash"]).data.contains("(erased on "));
    assert_eq!(program.run(&["sessions", "search", "receptionist", "--json"]).json(), json!([]));
    let shown = program.run(&["sessions", "show", &id, "--json"]).json();
    assert_eq!(shown["turn"], json!(3), "it can be looked at");
    program.run(&["sessions", "restore", &id]);
    assert_eq!(listed(&program, &[]), [id.as_str()]);
    program.run(&["sessions", "trash", &id]);
    let emptied = program.run(&["sessions", "trash", "--empty", "--json"]).json();
    assert_eq!((&emptied["erased"], &emptied["complete"]), (&json!(1), &json!(true)));
    assert_eq!(program.run(&["sessions", "show", &id]).code, 4);
    assert!(program.run(&["sessions", "trash"]).words.contains("The trash is empty"));
}

#[test]
fn copies_and_projects_are_told_apart() {
    let (program, id) = begun();
    let copy = program.run(&["sessions", "fork", &id, "--turn", "2", "--json"]).json();
    let copy = copy["session_id"].as_str().unwrap();
    let line =
        program.run(&["sessions", "list"]).data.lines().find(|line| line.starts_with(&copy[..13])).map(str::to_owned);
    let line = line.expect("the copy is listed");
    assert!(line.contains(&format!("(copy of {} from turn 2 on)", &id[..13])), "{line}");
    let list: Value = program.run(&["sessions", "list", "--json"]).json();
    assert_eq!(list[0]["forked_from"], json!({ "session": id, "turn": 2 }));
    assert_eq!(list[0]["project"], Value::Null);
}
