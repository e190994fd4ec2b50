//! Answers chosen under the composer, and words beside the conversation.

use serde_json::{Value, json};
use termlens::{Key, Terminal};

use super::{kept, quit, sees, start};
use crate::support::program::Program;

/// A machine with an engine whose first question has three answers.
fn program() -> Program {
    with(Program::new())
}

fn with(program: Program) -> Program {
    let file = program.new_engine("look-back").join("engine.toml");
    let engine = std::fs::read_to_string(&file).unwrap();
    let text = "description = \"The thing that was finished.\"\ntype = \"string\"";
    assert!(engine.contains(text));
    let choice =
        "description = \"The thing that was finished.\"\ntype = \"enum\"\noptions = [\"house\", \"boat\", \"bridge\"]";
    std::fs::write(&file, engine.replace(text, choice)).unwrap();
    program
}

fn in_session(program: &Program, size: (u16, u16), more: &[&str]) -> Terminal {
    let engine = program.folder().join("own/look-back");
    let arguments = [&["--offline"], more, &["chat", "--engine", engine.to_str().unwrap()]].concat();
    start(program, size, &[], &arguments)
}

fn said(program: &Program) -> Vec<Value> {
    let messages = kept(program)["messages"].as_array().unwrap().clone();
    messages.into_iter().filter(|message| message["role"] == "user").map(|message| message["text"].clone()).collect()
}

#[test]
fn an_answer_is_chosen_by_arrows_and_enter() {
    for size in [(100, 30), (60, 20)] {
        let program = program();
        let mut t = in_session(&program, size, &[]);
        sees(&mut t, "house");
        sees(&mut t, "something else");
        t.send(Key::Down).unwrap();
        t.send(Key::Right).unwrap();
        t.send(Key::Enter).unwrap();
        sees(&mut t, "No model is connected");
        quit(t);
        assert_eq!(said(&program), [json!("boat")]);
        let known = &kept(&program)["extraction"]["story.subject"];
        assert_eq!((&known["value"], &known["evidence"]["quote"]), (&json!("boat"), &json!("boat")), "with proof");
    }
}

#[test]
fn whoever_types_never_meets_the_card_and_a_setting_takes_it_away() {
    let program = program();
    let mut t = in_session(&program, (100, 30), &[]);
    sees(&mut t, "something else");
    t.send_str("a bridge, in the end").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "No model is connected");
    quit(t);
    assert_eq!(said(&program), [json!("a bridge, in the end")]);
    let program = with(Program::new().settings("answer_cards = false\n"));
    let mut t = in_session(&program, (100, 30), &[]);
    sees(&mut t, "Write here");
    assert!(!t.screen().contains("something else"));
    quit(t);
}

#[test]
fn an_aside_is_answered_and_is_there_when_one_comes_back() {
    let program = program();
    let mut t = in_session(&program, (100, 30), &[]);
    sees(&mut t, "something else");
    t.send_str("/btw it was a boat, and the weather was awful").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "I can answer questions about");
    sees(&mut t, "something else");
    quit(t);
    let id = kept(&program)["session_id"].as_str().unwrap().to_owned();
    assert!(said(&program).is_empty());
    assert_eq!(kept(&program)["extraction"].get("story.subject"), None);
    let mut again = start(&program, (100, 30), &[], &["--offline", "chat", "--session", &id]);
    sees(&mut again, "Aside: it was a boat");
    quit(again);
}

#[test]
fn in_lines_a_number_chooses() {
    let program = program();
    let mut t = in_session(&program, (100, 40), &["--plain"]);
    sees(&mut t, "3. bridge");
    t.send_str("3\n").unwrap();
    sees(&mut t, "You: bridge");
    t.send_str("/quit\n").unwrap();
    assert!(t.wait_exit().unwrap().success());
    assert_eq!(said(&program), [json!("bridge")]);
}
