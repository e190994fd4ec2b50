//! The first screen.

use std::sync::Arc;

use elenchus::app::effect::TerminalEffect;
use elenchus::app::overlay::Overlay;
use elenchus::app::picker::List;
use elenchus::app::{Effect, Msg, Screen};
use elenchus::host::protocol::{
    Answer, Draft, Event, Listing, NotOpened, Open, Query, SearchHit, SessionCommand, Shelves, TurnCommand,
};
use pretty_assertions::assert_eq;

use super::frames::Screen as Frames;
use super::support::{App, engine, listed, opened};

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
    app.send(Msg::host(Event::Answer(Answer::Sessions {
        engines: Vec::new(),
        sessions: Vec::new(),
        shelves: Shelves::default(),
    })));
    assert_eq!(app.press("up down enter tab enter G g"), []);
}

#[test]
fn a_session_opens_with_the_keys_on_the_composer_and_names_the_window() {
    let mut app = App::at(120, 40);
    let mut session = opened(&engine("project-discovery"));
    session.draft = "half a".into();
    let effects = app.send(Msg::host(Event::Opened(Arc::new(session))));
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
        [Effect::host(SessionCommand::SaveDraft(Draft::default())), Effect::host(Query::Sessions(Listing::default()))]
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
    app.send(Msg::host(Event::NotOpened(NotOpened::Other("the engine `x` has 2 errors".to_owned()))));
    assert_eq!(app.model.opening, None);
    assert_eq!(app.toast(), Some("the engine `x` has 2 errors"));
}

#[test]
fn what_is_typed_starts_the_usual_engine_with_those_words() {
    let mut app = App::at(120, 40);
    app.list();
    app.press("down");
    app.write("We need a rota?");
    assert_eq!(app.model.picker.words.text(), "We need a rota?");
    // The last session was one of project discovery.
    let (engine_id, words) = ("project-discovery".to_owned(), "We need a rota?".to_owned());
    assert_eq!(app.press("enter"), [Effect::host(Open::Saying { engine: engine_id, words })]);
    let effects = app.send(Msg::host(Event::Opened(Arc::new(opened(&engine("project-discovery"))))));
    let message = "We need a rota?".to_owned();
    assert!(effects.contains(&Effect::host(TurnCommand::Say { message })), "{effects:?}");
    assert_eq!(app.model.picker.words.text(), "");
}

#[test]
fn what_is_typed_can_be_cleared_and_stays_where_nothing_could_be_opened() {
    let mut app = App::at(120, 40);
    app.list();
    app.write("We need a rota");
    app.press("enter");
    app.send(Msg::host(Event::NotOpened(NotOpened::Other("no".to_owned()))));
    assert_eq!(app.model.picker.words.text(), "We need a rota");
    app.press("ctrl-c");
    assert_eq!(app.model.picker.words.text(), "");
    app.write("/theme");
    app.press("enter");
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Chooser(_))), "commands work here too");
}

#[test]
fn a_search_lands_on_the_words_in_their_turn() {
    let mut app = App::in_session(120, 40);
    let first = app.model.chat.entries[0].clone();
    let words = first.text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    let longest = words.max_by_key(|word| word.chars().count()).expect("words");
    let query = format!("a {longest}");
    app.press("ctrl-s");
    app.write(&query);
    let id = app.model.session.as_ref().unwrap().id.clone();
    let hit = SearchHit { session: id, title: String::new(), turn: first.turn, excerpt: String::new() };
    app.send(Msg::host(Event::Answer(Answer::Search { query, hits: vec![hit] })));
    app.press("enter");
    let find = app.model.chat.find.as_ref().expect("the words are marked");
    let place = &find.matches[find.current];
    assert_eq!((find.words.as_str(), app.model.chat.entries[place.entry].turn), (longest.as_str(), first.turn));
}

#[test]
fn what_is_written_while_a_session_opens_is_said_or_goes_on_in_its_composer() {
    let arrived = |keys: &[&str]| {
        let mut app = App::at(120, 40);
        app.list();
        app.press("enter");
        for text in keys {
            app.write(text);
            app.press("enter");
        }
        app.write("and on");
        let mut session = opened(&engine("project-discovery"));
        session.draft = "half a".into();
        let effects = app.send(Msg::host(Event::Opened(Arc::new(session))));
        (app, effects)
    };
    let (app, _) = arrived(&[]);
    assert_eq!(app.model.composer.text(), "half a\nand on", "what was there stays too");
    let (app, effects) = arrived(&["We lose kegs."]);
    let message = "We lose kegs.".to_owned();
    assert!(effects.contains(&Effect::host(TurnCommand::Say { message })), "{effects:?}");
    assert!(app.model.composer.text().ends_with("and on"), "{:?}", app.model.composer.text());
    assert_eq!(app.model.picker.words.text(), "", "it is in one place only");
    let (app, effects) = arrived(&["We lose kegs.", "Forty a year."]);
    let message = "We lose kegs.\nForty a year.".to_owned();
    assert!(effects.contains(&Effect::host(TurnCommand::Say { message })), "{effects:?}");
    drop(app);
}

#[test]
fn the_whole_outcome_of_the_engine_under_the_cursor_can_be_read() {
    for size in [(120, 40), (80, 24)] {
        let mut screen = Frames::at(size, false);
        screen.send(Msg::host(Event::Answer(listed(Vec::new(), Shelves::default())))).press("down");
        let outcome = engine("ideation").definition().outcome.clone();
        let text = screen.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&outcome), "{size:?}: {outcome:?} is not in\n{}", screen.text());
    }
}
