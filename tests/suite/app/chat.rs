//! The chat pane: scrolling, selecting, finding, copying.

use elenchus::app::chat::Scroll;
use elenchus::app::effect::TerminalEffect;
use elenchus::app::msg::ChatMsg;
use elenchus::app::{Effect, Focus, Msg};
use pretty_assertions::assert_eq;

use super::support::App;

fn talked() -> App {
    let mut app = App::in_session(120, 40);
    for n in 0..10 {
        app.turn(&format!("message {n}"), &format!("answer {n}?\n\n```\ncode {n}\n```"), &[]);
    }
    app.measure();
    app
}

#[test]
fn the_newest_stays_in_view_until_the_user_scrolls_and_again_at_the_end() {
    let mut app = talked();
    assert_eq!(app.model.chat.scroll, Scroll::Bottom);
    app.press("pageup");
    let scroll = app.model.chat.scroll;
    assert!(matches!(scroll, Scroll::At { .. }));
    app.turn("more", "more", &[]);
    assert_eq!(app.model.chat.scroll, Scroll::Bottom, "what the user says is shown");
    app.measure();
    app.press("pageup pagedown");
    assert_eq!(app.model.chat.scroll, Scroll::Bottom);
}

#[test]
fn what_comes_below_does_not_move_what_is_being_read() {
    let mut app = talked();
    app.write("more");
    app.press("enter pageup");
    let before = app.model.chat.scroll;
    app.measure();
    let top = app.model.chat.top(30);
    app.answer("more", "answer", &[]);
    app.measure();
    assert_eq!((app.model.chat.scroll, app.model.chat.top(30)), (before, top));
}

#[test]
fn another_width_keeps_the_entry_that_is_being_read() {
    let mut app = talked();
    app.press("shift-tab g");
    app.press("pagedown");
    let Scroll::At { entry, .. } = app.model.chat.scroll else { panic!("at the end") };
    let len = app.model.shown_len();
    let heights = (0..len).map(|entry| (entry, 25)).collect();
    app.send(Msg::Chat(ChatMsg::Measured { width: 20, len, heights }));
    assert_eq!(app.model.chat.rows.locate(app.model.chat.top(30)).0, entry);
}

#[test]
fn messages_are_walked_and_copied_one_by_one() {
    let mut app = talked();
    app.press("shift-tab [");
    assert_eq!(app.model.focus, Focus::Chat);
    let effects = app.press("y");
    assert_eq!(effects, [Effect::Terminal(TerminalEffect::Copy("answer 9?\n\n```\ncode 9\n```".to_owned()))]);
    assert_eq!(app.press("Y"), [Effect::Terminal(TerminalEffect::Copy("code 9".to_owned()))]);
    app.press("[");
    assert_eq!(app.press("y"), [Effect::Terminal(TerminalEffect::Copy("message 9".to_owned()))]);
    app.press("]");
    assert_eq!(app.press("Y"), [Effect::Terminal(TerminalEffect::Copy("code 9".to_owned()))]);
}

#[test]
fn words_are_found_from_the_newest_on_and_round_the_ends() {
    let mut app = talked();
    app.press("ctrl-f");
    app.write("MESSAGE");
    app.press("enter");
    let at = |app: &App| {
        let find = app.model.chat.find.as_ref().unwrap();
        (find.matches.len(), find.matches[find.current].entry)
    };
    assert_eq!(at(&app).0, 10);
    let newest = at(&app).1;
    assert_eq!(app.model.chat.reveal.as_ref().unwrap().entry, newest);
    app.press("N");
    assert!(at(&app).1 < newest);
    app.press("n n");
    assert!(at(&app).1 < newest, "after the last comes the first");
    app.press("esc");
    assert!(app.model.chat.find.is_none());
}

#[test]
fn words_that_were_not_said_are_told_as_such() {
    let mut app = talked();
    app.write("/find zebra");
    app.press("enter");
    assert_eq!(app.toast(), Some("“zebra” was not said in this conversation"));
}

#[test]
fn found_words_are_brought_into_view_once_it_is_known_where_they_stand() {
    let mut app = talked();
    app.write("/find message 0");
    app.press("enter");
    let entry = app.model.chat.reveal.as_ref().unwrap().entry;
    app.send(Msg::Chat(ChatMsg::Located { entry, row: 3 }));
    assert_eq!(app.model.chat.reveal, None);
    let (top, at) = (app.model.chat.top(30), app.model.chat.rows.start(entry) + 3);
    assert!((top..top + 30).contains(&at), "{top} {at}");
}
