//! The screens around the conversation in the real binary: opened, used, closed, at other sizes.

use termlens::{Key, Terminal};

use super::{in_session, kept, quit, sees};

/// Says something and waits for what shows that it was taken in.
fn say(t: &mut Terminal, words: &str, then: &str) {
    t.send_str(words).unwrap();
    t.send(Key::Enter).unwrap();
    sees(t, then);
}

fn command(t: &mut Terminal, line: &str) {
    t.send_str(line).unwrap();
    t.send(Key::Enter).unwrap();
}

fn gone(t: &mut Terminal, text: &str) {
    t.wait_until(|screen| !screen.contains(text)).unwrap_or_else(|error| panic!("still {text:?}: {error}"));
}

#[test]
fn the_review_is_opened_changed_in_resized_and_left() {
    let (mut t, program) = in_session((120, 40));
    say(&mut t, "We build an intake app for clinics", "1/5");
    t.send(Key::F(3)).unwrap();
    sees(&mut t, "What was understood");
    sees(&mut t, "your words, turn 1");
    t.send(Key::Enter).unwrap();
    sees(&mut t, "leave it as it was");
    t.send_str(" and labs").unwrap();
    for (columns, rows) in [(20, 5), (60, 20), (200, 50), (120, 40)] {
        t.resize(columns, rows).unwrap();
    }
    sees(&mut t, "leave it as it was");
    t.send(Key::Enter).unwrap();
    sees(&mut t, "set by you");
    t.send(Key::Esc).unwrap();
    gone(&mut t, "What was understood");
    sees(&mut t, "Write here");
    quit(t);
    assert!(kept(&program).to_string().contains("intake app for clinics and labs"));
}

#[test]
fn the_brief_stands_beside_the_conversation_and_follows_the_window() {
    let (mut t, _program) = in_session((120, 40));
    say(&mut t, "We build an intake app for clinics", "1/5");
    t.send(Key::F(5)).unwrap();
    sees(&mut t, "Project brief");
    sees(&mut t, "Write here");
    // A narrow window has no room beside the conversation; the key still brings the brief.
    t.resize(80, 24).unwrap();
    sees(&mut t, "· 1/25 ·");
    gone(&mut t, "F5 closes it");
    t.send(Key::F(5)).unwrap();
    sees(&mut t, "F5 closes it");
    t.send(Key::F(5)).unwrap();
    gone(&mut t, "F5 closes it");
    quit(t);
}

#[test]
fn a_turn_that_was_taken_back_is_shown_and_brought_back() {
    let (mut t, program) = in_session((100, 30));
    say(&mut t, "We build an intake app for clinics", "1/5");
    command(&mut t, "/undo");
    sees(&mut t, "y yes");
    t.send(Key::Char('y')).unwrap();
    sees(&mut t, "/redo brings");
    // What was said comes back as the draft. The words stand elsewhere too, so wait until the composer is not empty.
    gone(&mut t, "Write here");
    sees(&mut t, "intake app for clinics");
    t.send(Key::Ctrl('c')).unwrap();
    sees(&mut t, "Write here");
    command(&mut t, "/courses");
    sees(&mut t, "Earlier courses");
    t.send(Key::Enter).unwrap();
    sees(&mut t, "intake app for clinics");
    t.resize(60, 20).unwrap();
    sees(&mut t, "intake app for clinics");
    t.send(Key::Esc).unwrap();
    gone(&mut t, "go back to it");
    t.resize(100, 30).unwrap();
    command(&mut t, "/redo");
    sees(&mut t, "1/5");
    quit(t);
    assert_eq!(kept(&program)["turn"], 1);
}

#[test]
fn wrapping_up_parking_and_exporting_say_what_they_did() {
    let (mut t, program) = in_session((100, 30));
    say(&mut t, "We build an intake app for clinics", "1/5");
    command(&mut t, "/park");
    sees(&mut t, "skip this one");
    command(&mut t, "/wrapup");
    sees(&mut t, "listed as open");
    let file = program.folder().join("brief.html");
    command(&mut t, &format!("/export {}", file.display()));
    t.wait_until(|_| std::fs::read_to_string(&file).is_ok_and(|text| text.contains("</html>"))).unwrap();
    command(&mut t, &format!("/export {}", program.folder().join("brief.odt").display()));
    sees(&mut t, ".docx");
    quit(t);
}
