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
