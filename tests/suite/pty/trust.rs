//! `elenchus engines trust` at a terminal: all is shown before the question, and only a whole yes allows.

use serde_json::Value;
use termlens::{Key, Terminal};

use super::{sees, start};
use crate::support::program::Program;

/// An engine with a script of so many lines, and the question about it.
fn asked(lines: usize, size: (u16, u16)) -> (Terminal, Program, String) {
    let program = Program::new();
    let folder = program.new_engine("look-back");
    let file = folder.join("engine.toml");
    let task = "\n[[background_tasks]]\nid = \"scan\"\nname = \"Scan\"\ndescription = \"Scans\"\nhandler = \"scan\"\nwhen = \"turn > 0\"\n\
                failure_strategy = { type = \"degrade\", degraded_behavior = \"none\" }\n\n\
                [handlers.scan]\ntype = \"command\"\nprogram = \"/bin/sh\"\nargs = [\"./scan.sh\"]\n";
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap() + task).unwrap();
    let script: Vec<String> = (1..=lines).map(|line| format!("echo line {line} of the script")).collect();
    std::fs::write(folder.join("scan.sh"), script.join("\n") + "\n").unwrap();
    let engine = folder.to_str().unwrap().to_owned();
    let terminal = start(&program, size, &[], &["engines", "trust", &engine]);
    (terminal, program, engine)
}

fn decision(program: &Program, engine: &str) -> Value {
    let program =
        program.command(&["engines", "trust", engine, "--json"]).env("PATH", "/usr/bin:/bin").output().unwrap();
    serde_json::from_slice::<Value>(&program.stdout).unwrap()["decision"].clone()
}

#[test]
fn everything_is_shown_before_the_question_and_only_a_whole_yes_allows() {
    let (mut t, program, engine) = asked(60, (80, 24));
    sees(&mut t, "Page 1 of 4. Enter shows the next");
    assert!(!t.screen().contains("Allow all of it?"));
    t.send_str("yes").unwrap();
    t.send(Key::Enter).unwrap();
    assert!(!t.wait_exit().unwrap().success(), "it was not read to its end");
    assert_eq!(decision(&program, &engine), Value::Null);

    let (mut t, program, engine) = asked(60, (80, 24));
    for page in 1..4 {
        sees(&mut t, &format!("Page {page} of 4."));
        t.send(Key::Enter).unwrap();
    }
    sees(&mut t, "Allow all of it?");
    t.send_str("yes").unwrap();
    t.send(Key::Enter).unwrap();
    assert!(t.wait_exit().unwrap().success());
    assert_eq!(decision(&program, &engine), Value::from("trusted"));

    let (mut t, program, engine) = asked(2, (100, 60));
    sees(&mut t, "Allow all of it?");
    t.send_str("y").unwrap();
    t.send(Key::Enter).unwrap();
    assert!(!t.wait_exit().unwrap().success());
    assert_eq!(decision(&program, &engine), Value::Null);
}
