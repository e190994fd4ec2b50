//! Words beside the conversation, as the app shows them.

use std::sync::Arc;

use elenchus::app::chat::EntryKind;
use elenchus::app::{Effect, Msg};
use elenchus::engine::memory::{Aside, MAX_ASIDE};
use elenchus::host::protocol::{AsideDone, Draft, Event, SessionCommand, TurnCommand, TurnNews};
use pretty_assertions::assert_eq;

use super::frames::{Screen, USUAL, drawn};
use super::support::App;

fn done(app: &App, said: &str, answer: &str) -> Msg {
    let session = app.model.session.as_ref().unwrap();
    let aside = Aside::new(session.memory.turn, said, answer);
    let mut memory = (*session.memory).clone();
    memory.asides.note(aside.clone());
    let done = AsideDone { aside, memory: Arc::new(memory), sidebar: session.sidebar.clone() };
    Msg::host(Event::Turn(TurnNews::AsideDone(Arc::new(done))))
}

fn kinds(app: &App) -> Vec<(EntryKind, String)> {
    let entries = app.model.chat.entries.iter();
    entries.map(|entry| (entry.kind, entry.text.to_string())).collect()
}

#[test]
fn an_aside_is_no_message_and_is_shown_as_what_it_is() {
    let mut app = App::in_session(80, 24);
    let before = kinds(&app);
    app.write("/btw how long does this take?");
    let effects = app.press("enter");
    let message = "how long does this take?".to_owned();
    let draft = SessionCommand::SaveDraft(Draft::new("/btw how long does this take?", None));
    assert_eq!(effects, [Effect::host(draft), Effect::host(TurnCommand::Aside { message: message.clone() })]);
    assert!(app.model.turn.as_ref().unwrap().aside.is_some());
    let msg = done(&app, &message, "About half an hour.");
    app.send(msg);
    let aside = [
        (EntryKind::Aside, "Aside: how long does this take?".to_owned()),
        (EntryKind::AsideAnswer, "About half an hour.".to_owned()),
    ];
    assert_eq!(kinds(&app), [before, aside.to_vec()].concat());
    assert!(app.model.turn.is_none());
    // It is not the message that is answered once more, taken back or changed.
    assert_eq!(app.press("alt-r"), []);
}

#[test]
fn an_aside_of_several_lines_is_one_too() {
    let mut app = App::in_session(80, 24);
    app.send(Msg::Paste("/btw our budget is 5000 €\nand we start in May".to_owned()));
    let effects = app.press("enter");
    let message = "our budget is 5000 €\nand we start in May".to_owned();
    assert!(effects.contains(&Effect::host(TurnCommand::Aside { message })), "{effects:?}");
}

#[test]
fn what_cannot_be_said_now_stands_in_the_composer_again() {
    let mut app = App::in_session(80, 24);
    app.write("/btw why?");
    app.press("enter");
    app.send(Msg::host(Event::Turn(TurnNews::Cancelled)));
    assert_eq!(app.model.composer.text(), "/btw why?");
    app.press("enter");
    app.write("/btw and another");
    app.press("enter");
    assert_eq!(app.model.composer.text(), "/btw and another", "one is on its way");
    let mut app = App::in_session(80, 24);
    let long = format!("/btw {}", "word ".repeat(MAX_ASIDE / 4));
    app.send(Msg::Paste(long.clone()));
    app.press("enter");
    assert_eq!(app.model.composer.text(), long.trim_end());
    assert!(app.model.turn.is_none());
}

#[test]
fn the_key_asks_for_the_words_and_the_draft_stays() {
    let mut app = App::in_session(80, 24);
    app.write("half a thought");
    app.press("F8");
    app.write("who reads this?");
    let effects = app.press("enter");
    let aside = TurnCommand::Aside { message: "who reads this?".to_owned() };
    assert!(effects.contains(&Effect::host(aside)), "{effects:?}");
    assert_eq!(app.model.composer.text(), "half a thought");
}

#[test]
fn asides_in_the_conversation() {
    drawn("aside", &[USUAL, (60, 20)], |size| {
        let mut screen = Screen::talked(size, false);
        let app = App { model: screen.0.model.clone() };
        screen.send(done(
            &app,
            "Can I stop here and go on tomorrow?",
            "Yes. Everything is kept; it goes on where you left.",
        ));
        screen
    });
}
