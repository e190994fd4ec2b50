//! The first screen.

use std::sync::Arc;

use elenchus::app::effect::TerminalEffect;
use elenchus::app::picker::List;
use elenchus::app::{Effect, Msg, Screen};
use elenchus::host::protocol::{Answer, Draft, Event, NotOpened, Open, Query, SessionCommand};
use pretty_assertions::assert_eq;

use super::support::{App, engine, opened};

#[test]
fn enter_starts_the_engine_under_the_cursor() {
    let mut app = App::at(120, 40);
    app.list();
    let effects = app.press("down enter");
    assert_eq!(effects, [Effect::host(Open::Engine("ideation".to_owned()))]);
    assert_eq!(app.model.opening.as_ref().unwrap().0, "Ideation".to_owned());
    assert_eq!(app.press("enter"), [], "it is being opened already");
}

#[test]
fn tab_goes_to_the_sessions() {
    let mut app = App::at(120, 40);
    app.list();
    let effects = app.press("tab down down down enter");
    assert_eq!(effects, [Effect::host(Open::Session("02".to_owned()))]);
}

#[test]
fn an_empty_screen_takes_every_key() {
    let mut app = App::at(120, 40);
    assert_eq!(app.press("up down enter tab enter G g pageup pagedown"), []);
    app.send(Msg::Host(Event::Answer(Answer::Sessions { engines: Vec::new(), sessions: Vec::new() })));
    assert_eq!(app.press("up down enter tab enter G g"), []);
}

#[test]
fn a_session_opens_with_the_keys_on_the_composer_and_names_the_window() {
    let mut app = App::at(120, 40);
    let mut session = opened(&engine("project-discovery"));
    session.draft = "half a".into();
    let effects = app.send(Msg::Host(Event::Opened(Arc::new(session))));
    assert_eq!(
        effects,
        [Effect::Terminal(TerminalEffect::SetTitle("Clinic intake app · Project discovery".to_owned()))]
    );
    assert_eq!(app.model.screen, Screen::Chat);
    assert_eq!(app.model.composer.text(), "half a");
}

#[test]
fn the_list_of_sessions_can_be_left_again() {
    let mut app = App::in_session(120, 40);
    assert_eq!(
        app.press("ctrl-o"),
        [Effect::host(SessionCommand::SaveDraft(Draft::default())), Effect::host(Query::Sessions)]
    );
    assert_eq!((app.model.screen, app.model.picker.list), (Screen::Picker, List::Sessions));
    app.press("esc");
    assert_eq!(app.model.screen, Screen::Chat);
}

#[test]
fn a_session_that_cannot_be_opened_says_why() {
    let mut app = App::at(120, 40);
    app.list();
    app.press("enter");
    app.send(Msg::Host(Event::NotOpened(NotOpened::Other("the engine `x` has 2 errors".to_owned()))));
    assert_eq!(app.model.opening, None);
    assert_eq!(app.toast(), Some("the engine `x` has 2 errors"));
}
