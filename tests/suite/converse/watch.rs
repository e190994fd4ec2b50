//! `converse --watch`: a saved engine is taken over between two lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use crate::support::program::Program;

/// The lines of a pipe, so that they can be waited for with a deadline.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        BufReader::new(pipe).lines().map_while(Result::ok).for_each(|line| {
            let _ = sender.send(line);
        });
    });
    receiver
}

fn next(lines: &Receiver<String>) -> String {
    lines.recv_timeout(Duration::from_secs(30)).expect("a line comes")
}

#[test]
fn a_saved_engine_is_taken_over_between_two_lines() {
    let program = Program::new();
    let folder = program.new_engine("look-back");
    let file = folder.join("engine.toml");
    let text = std::fs::read_to_string(&file).expect("the example is there");
    let mut child = program.start(&["--offline", "converse", "--watch", "--engine", folder.to_str().expect("a path")]);
    let mut stdin = child.stdin.take().expect("stdin");
    let (said, told) = (lines(child.stdout.take().expect("stdout")), lines(child.stderr.take().expect("stderr")));
    writeln!(stdin, "The move to the new office.").expect("it listens");
    let first: Value = serde_json::from_str(&next(&said)).expect("it is JSON");
    assert_eq!(first["phase"]["current"], "STORY");

    std::fs::write(&file, format!("{text}\nnonsense = 1\n")).expect("a file");
    assert!(next(&told).contains("look-back has 1 error(s); the session goes on with the version before"));
    assert!(next(&told).starts_with(&format!("engine.toml:{}: ", text.lines().count() + 2)));
    std::fs::write(&file, text.replace("threshold = 1.0", "threshold = 0.3")).expect("a file");
    let taken = next(&told);
    assert!(taken.starts_with("`look-back` is taken over: ") && taken.contains("1.0 → 0.3"), "{taken}");

    writeln!(stdin, "Nobody lost a box.").expect("it listens");
    let second: Value = serde_json::from_str(&next(&said)).expect("it is JSON");
    assert_eq!((&second["turn"], &second["phase"]["current"]), (&2.into(), &"LESSON".into()));
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn an_engine_in_the_binary_has_nothing_to_watch() {
    let program = Program::new();
    let ran = program.run_with(&["--offline", "converse", "--watch", "--engine", "ideation"], "Hello there.\n");
    assert_eq!(ran.code, 0);
    assert_eq!(ran.words, "`ideation` is part of the program: there is no file of it to watch.\n");
}
