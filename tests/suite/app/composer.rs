//! The composer: sending, history, pastes, completion, modal keys.

use elenchus::app::composer::{History, Vim, VimMode};
use elenchus::app::effect::{Outside, TerminalEffect};
use elenchus::app::overlay::Overlay;
use elenchus::app::{Effect, Msg};
use elenchus::engine::turn::MAX_MESSAGE;
use elenchus::host::protocol::{Command, Draft, Request, SessionCommand, TurnCommand};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::support::App;

fn submitted(effects: &[Effect]) -> Option<&str> {
    effects.iter().find_map(|effect| match effect {
        Effect::Outside(Outside::Host(Request { command: Command::Turn(TurnCommand::Say { message }), .. })) => {
            Some(message.as_str())
        }
        _ => None,
    })
}

#[test]
fn enter_sends_and_ctrl_j_starts_a_line() {
    let mut app = App::in_session(120, 40);
    app.write("first");
    app.press("ctrl-j");
    app.write("second");
    let effects = app.press("enter");
    assert_eq!(submitted(&effects), Some("first\nsecond"));
    assert!(app.model.composer.is_empty());
}

#[test]
fn nothing_is_sent_when_there_is_nothing_to_send() {
    let mut app = App::in_session(120, 40);
    app.write("   ");
    assert_eq!(app.press("enter"), []);
    assert!(app.model.turn.is_none());
}

#[test]
fn a_big_paste_is_folded_and_sent_whole() {
    let mut app = App::in_session(120, 40);
    let text = (0..10_000).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
    app.write("see: ");
    app.send(Msg::Paste(text.clone()));
    assert_eq!(app.model.composer.visible(), "see: [paste 1: 10000 lines]");
    let effects = app.press("enter");
    assert_eq!(submitted(&effects), Some(format!("see: {text}").as_str()));
}

#[test]
fn a_paste_that_is_no_message_is_asked_about_before_it_is_cut() {
    let mut app = App::in_session(120, 40);
    let text = "line of words\n".repeat(1_480_000);
    app.write("see: ");
    app.send(Msg::Paste(text.clone()));
    let Some(Overlay::Confirm(asked)) = app.model.overlays.last() else { panic!("{:?}", app.model.overlays) };
    assert_eq!(asked.question, "This is 19.8 MB, and a message has at most 1.0 MB. Keep the beginning?");
    assert_eq!(asked.detail, "The first 1.0 MB go into the draft; the rest stays where it came from.");
    assert_eq!(app.model.composer.text(), "see: ", "nothing is taken before that");
    app.press("n");
    assert_eq!(app.model.composer.text(), "see: ");
    app.send(Msg::Paste(text.clone()));
    app.press("y");
    let kept = app.model.composer.text();
    assert!(kept.len() <= MAX_MESSAGE && kept.len() > MAX_MESSAGE - 50, "{}", kept.len());
    assert!(text.starts_with(&kept["see: ".len()..]) && text[kept.len() - 5..].starts_with('\n'), "cut after a line");
    assert_eq!(submitted(&app.press("enter")), Some(kept.as_str()));
}

#[test]
fn pastes_that_do_not_fit_together_are_asked_about_too() {
    let mut app = App::in_session(120, 40);
    let half = "x".repeat(MAX_MESSAGE / 2 + 10);
    app.send(Msg::Paste(half.clone()));
    app.send(Msg::Paste(half));
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Confirm(_))));
    app.press("y");
    assert_eq!(app.model.composer.text().len(), MAX_MESSAGE);
    app.send(Msg::Paste("more".to_owned()));
    let told = app.model.toasts.shown().map(|toast| toast.text.clone());
    assert_eq!(told.as_deref(), Some("there is no room for it: a message has at most 1.0 MB"));
    app.write("!");
    assert_eq!(submitted(&app.press("enter")), None, "too long by one");
    assert_eq!(app.model.composer.text().len(), MAX_MESSAGE + 1, "and all still there");
}

#[test]
fn what_is_remembered_of_drafts_and_pastes_is_bounded() {
    let mut history = History::default();
    for number in 0..40 {
        history.add(&format!("{number}{}", "x".repeat(MAX_MESSAGE / 2)));
    }
    let held = format!("{history:?}").len();
    assert!(held <= 5 * MAX_MESSAGE, "{held} bytes of drafts");
    let mut app = App::in_session(120, 40);
    for _ in 0..20 {
        app.send(Msg::Paste("y".repeat(MAX_MESSAGE)));
        app.press("backspace");
    }
    app.send(Msg::Paste("z".repeat(MAX_MESSAGE)));
    let held = format!("{:?}", app.model.composer.pastes).len();
    assert!(held <= 6 * MAX_MESSAGE, "{held} bytes of pastes");
    assert_eq!(app.model.composer.text(), "z".repeat(MAX_MESSAGE), "what is in the draft stays");
}

#[test]
fn many_pastes_come_back_in_their_places() {
    let mut app = App::in_session(120, 40);
    let mut expected = String::new();
    for number in 0..120 {
        let text = format!("{number}:{}", "x".repeat(2_000));
        app.send(Msg::Paste(text.clone()));
        app.write(" [paste ");
        expected = expected + &text + " [paste ";
    }
    assert_eq!(app.model.composer.text(), expected);
}

#[test]
fn a_line_takes_a_line_and_says_so() {
    let mut app = App::in_session(120, 40);
    app.press("ctrl-f");
    app.model.overlays.clear();
    app.write("/find");
    app.press("enter");
    app.send(Msg::Paste("x".repeat(5_000_000)));
    let Some(Overlay::Prompt(prompt)) = app.model.overlays.last() else { panic!("{:?}", app.model.overlays) };
    assert_eq!(prompt.input.text().len(), 4_000);
    let told = app.model.toasts.shown().map(|toast| toast.text.clone());
    assert_eq!(told.as_deref(), Some("a line has at most 4000 characters; what came after them was left out"));
}

#[test]
fn a_marker_is_deleted_as_a_whole() {
    let mut app = App::in_session(120, 40);
    app.send(Msg::Paste("x\n".repeat(50)));
    app.press("backspace");
    assert!(app.model.composer.is_empty());
}

#[test]
fn a_paste_that_looks_like_a_marker_is_not_expanded_twice() {
    let mut app = App::in_session(120, 40);
    let inner = format!("[paste 2: 50 lines]\n{}", "a\n".repeat(20));
    app.send(Msg::Paste(inner.clone()));
    app.send(Msg::Paste("b\n".repeat(50)));
    assert_eq!(app.model.composer.text(), format!("{inner}{}", "b\n".repeat(50)));
}

#[test]
fn control_sequences_in_a_paste_become_pictures_of_themselves() {
    let mut app = App::in_session(120, 40);
    app.send(Msg::Paste("a\x1b]52;c;ZXZpbA==\x07b\r\nc\u{9b}31m\u{202e}".to_owned()));
    assert_eq!(app.model.composer.text(), "a␛]52;c;ZXZpbA==␇b\nc⟨U+009B⟩31m⟨U+202E⟩");
}

#[test]
fn earlier_drafts_come_back_with_the_up_key_and_the_new_one_is_not_lost() {
    let mut app = App::in_session(120, 40);
    app.turn("one", "Noted.", &[]);
    app.turn("two", "Noted.", &[]);
    app.write("three");
    app.press("up");
    assert_eq!(app.model.composer.text(), "two");
    app.press("up up");
    assert_eq!(app.model.composer.text(), "one");
    app.press("down down");
    assert_eq!(app.model.composer.text(), "three");
}

#[test]
fn tab_completes_a_command_and_else_goes_to_the_sidebar() {
    let mut app = App::in_session(120, 40);
    app.write("/exp");
    app.press("tab");
    assert_eq!(app.model.composer.text(), "/export ");
    app.press("ctrl-c tab");
    assert_eq!(app.model.focus, elenchus::app::Focus::Sidebar);
}

#[test]
fn ctrl_c_clears_the_draft_first_then_asks_once_and_leaves() {
    let mut app = App::in_session(120, 40);
    app.write("half a thought");
    assert_eq!(app.press("ctrl-c"), []);
    assert!(app.model.composer.is_empty());
    app.press("up");
    assert_eq!(app.model.composer.text(), "half a thought");
    app.press("ctrl-c");
    // On an empty composer it asks first, and another key in between is a no.
    assert_eq!(app.press("ctrl-c"), []);
    assert!(app.model.toasts.shown().is_some_and(|toast| toast.text.contains("once more leaves")));
    app.press("right");
    assert_eq!(app.press("ctrl-c"), []);
    assert_eq!(
        app.press("ctrl-c"),
        [Effect::host(SessionCommand::SaveDraft(Draft::default())), Effect::Terminal(TerminalEffect::Quit)]
    );
}

#[test]
fn typing_can_be_undone_and_words_deleted() {
    let mut app = App::in_session(120, 40);
    app.write("one two");
    app.press("ctrl-w");
    assert_eq!(app.model.composer.text(), "one ");
    app.press("ctrl-u");
    assert_eq!(app.model.composer.text(), "one two");
}

#[test]
fn the_editor_gets_the_draft_and_gives_it_back() {
    let mut app = App::in_session(120, 40);
    app.write("draft");
    assert_eq!(app.press("ctrl-g"), [Effect::Terminal(TerminalEffect::OpenEditor("draft".to_owned()))]);
    app.send(Msg::Edited(Some("a better draft\n".to_owned())));
    assert_eq!(app.model.composer.text(), "a better draft");
    app.send(Msg::Edited(None));
    assert_eq!(app.model.composer.text(), "a better draft");
}

#[test]
fn modal_keys_move_in_normal_mode_and_type_in_insert_mode() {
    let mut app = App::in_session(120, 40);
    app.model.composer.vim = Some(Vim::default());
    app.write("one two");
    app.press("esc 0 d w");
    assert_eq!(app.model.composer.text().trim(), "two");
    app.press("A");
    app.write("!");
    assert_eq!(app.model.composer.text().trim(), "two!");
    app.press("esc");
    assert_eq!(app.model.composer.vim.unwrap().mode, VimMode::Normal);
    app.write("dd");
    assert!(app.model.composer.is_empty());
}

#[test]
fn typing_in_another_pane_goes_to_the_composer() {
    let mut app = App::in_session(120, 40);
    app.press("tab");
    app.write("We");
    assert_eq!(app.model.composer.text(), "We");
    assert_eq!(app.model.focus, elenchus::app::Focus::Composer);
}

proptest! {
    #[test]
    fn what_is_pasted_and_typed_is_what_is_sent(parts in prop::collection::vec("[a-z \\n]{0,60}", 1..8)) {
        let mut app = App::in_session(120, 40);
        let mut expected = String::new();
        for part in &parts {
            app.send(Msg::Paste(part.clone()));
            expected.push_str(part);
        }
        prop_assert_eq!(app.model.composer.text(), expected);
    }
}
