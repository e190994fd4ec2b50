//! What is typed and pasted.

use termlens::Key;

use super::{in_session, kept, quit, sees, start};

#[test]
fn a_big_paste_is_folded_and_kept_whole() {
    let (mut t, program) = in_session((100, 30));
    let text = (0..10_000).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
    t.paste(&text).unwrap();
    sees(&mut t, "[paste 1: 10000 lines]");
    quit(t);
    assert_eq!(kept(&program)["draft"].as_str().unwrap(), text);
}

#[test]
fn a_draft_and_a_session_are_there_again_after_the_program_was_ended() {
    let (mut t, program) = in_session((100, 30));
    t.send_str("half a thought").unwrap();
    sees(&mut t, "half a thought");
    quit(t);
    let mut again = start(&program, (100, 30), &[], &["--offline"]);
    sees(&mut again, "Go on with");
    sees(&mut again, "0 %");
    again.send(Key::Tab).unwrap();
    again.send(Key::Enter).unwrap();
    sees(&mut again, "half a thought");
    quit(again);
}

#[test]
fn a_paste_that_is_no_message_is_asked_about() {
    let (mut t, program) = in_session((100, 30));
    let text = "a line of words\n".repeat(180_000);
    t.paste(&text).unwrap();
    sees(&mut t, "This is 2.7 MB, and a message has at most 1.0 MB.");
    t.send_str("y").unwrap();
    sees(&mut t, "[paste 1: ");
    quit(t);
    let kept = kept(&program)["draft"].as_str().unwrap().to_owned();
    assert!(text.starts_with(&kept) && kept.len() > 1_000_000, "{} bytes are kept", kept.len());
}

#[test]
fn the_editor_is_not_given_the_key_of_this_program() {
    let program = crate::support::program::Program::new();
    let (script, seen) = (program.folder().join("editor"), program.folder().join("seen"));
    std::fs::write(&script, format!("#!/bin/sh\nenv > {}\necho edited > \"$1\"\n", seen.display())).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&script, executable).unwrap();
    let key = "sk-the-key-0123456789";
    let names = ["ELENCHUS_API_KEY", "ELENCHUS_LOG_KEY", "ANTHROPIC_API_KEY"];
    let variables = [&[("EDITOR", script.to_str().unwrap())][..], &names.map(|name| (name, key))].concat();
    let mut t = start(&program, (100, 30), &variables, &["--offline", "chat", "--engine", "project-discovery"]);
    sees(&mut t, "Write here");
    t.send_str("/editor").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "edited");
    quit(t);
    let seen = std::fs::read_to_string(&seen).unwrap();
    assert!(seen.contains("EDITOR=") && !seen.contains("sk-the-key"), "{seen}");
}

#[test]
fn what_a_terminal_answers_is_not_typed_and_a_sequence_in_pieces_is_one_key() {
    let (mut t, program) = in_session((100, 30));
    t.send_str("bc").unwrap();
    // Without a pause, but in two writes.
    t.send_str("\x1b").unwrap();
    t.send_str("[H").unwrap();
    t.send_str("a").unwrap();
    for answer in ["\x1b]11;rgb:zz/qq\x07", "\x1b]4;1;rgb:ff/00/00\x1b\\", "\x1bP>|XTerm(390)\x1b\\", "\x1b[>41;390;0c"]
    {
        let (first, rest) = answer.split_at(4);
        t.send_str(first).unwrap();
        t.send_str(rest).unwrap();
    }
    t.send(Key::End).unwrap();
    t.send_str("d").unwrap();
    sees(&mut t, "abcd");
    quit(t);
    assert_eq!(kept(&program)["draft"], serde_json::json!("abcd"));
}
