//! What is told on the first start and by `/about`, and what somebody is told who is interviewed.

use std::sync::Arc;

use elenchus::app::about::Places;
use elenchus::app::effect::Outside;
use elenchus::app::hints::Hints;
use elenchus::app::overlay::Overlay;
use elenchus::app::{Effect, Msg, Options};
use elenchus::host::protocol::{Command, Endpoint, Event, Open, Request, Shelves};
use elenchus::ui::headless::HeadlessFrames;
use elenchus::ui::theme::{ColorDepth, Themes};
use pretty_assertions::assert_eq;

use super::frames::{EVERY, Screen, USUAL, drawn};
use super::support::{engine, language, listed, opened, sessions};

fn places() -> Places {
    Places {
        data: "/home/u/.local/share/elenchus".to_owned(),
        database: "/home/u/.local/share/elenchus/elenchus.db".to_owned(),
        log: "/home/u/.local/share/elenchus/log".to_owned(),
        settings: "/home/u/.config/elenchus/config.toml".to_owned(),
    }
}

fn model(host: &str) -> Endpoint {
    Endpoint { label: "gpt-x".to_owned(), offline: false, host: host.to_owned() }
}

/// A first start: the first frame is there, and the lists.
fn first_start(size: (u16, u16), change: impl FnOnce(&mut Options)) -> Screen {
    let mut options = Options { size, is_new: true, places: places(), language: language(), ..Options::default() };
    change(&mut options);
    let mut screen = Screen(HeadlessFrames::new(options, Themes::built_in(), ColorDepth::TrueColor));
    screen.0.frame();
    screen.send(Msg::Begun);
    screen.send(Msg::host(Event::Answer(listed(sessions(), Shelves::default()))));
    screen
}

/// The same, and what is told was seen.
fn seen(size: (u16, u16)) -> Screen {
    let mut screen = first_start(size, |_| {});
    screen.0.frame();
    screen
}

fn is_open(screen: &Screen) -> bool {
    screen.0.model.overlays.iter().any(|overlay| matches!(overlay, Overlay::About(_)))
}

#[test]
fn a_first_start() {
    drawn("about", &EVERY, seen);
    drawn("about_models", &[USUAL], |size| {
        first_start(size, |options| options.endpoint = model("api.example.com, 127.0.0.1:11434"))
    });
    drawn("about_here", &[USUAL], |size| first_start(size, |options| options.endpoint = model("127.0.0.1:11434")));
}

#[test]
fn it_is_told_once_and_that_is_remembered_with_what_was_remembered_before() {
    let mut screen = first_start(USUAL, |options| options.hints = Hints::new(true, ["palette".to_owned()]));
    assert!(is_open(&screen));
    screen.0.frame();
    screen.press("enter");
    assert!(!is_open(&screen));
    assert_eq!(screen.0.send(Msg::Begun), []);
    assert!(!is_open(&screen), "once is enough");

    let options =
        Options { size: USUAL, is_new: true, hints: Hints::new(true, ["palette".to_owned()]), ..Options::default() };
    let mut screen = Screen(HeadlessFrames::new(options, Themes::built_in(), ColorDepth::TrueColor));
    let kept = Effect::Outside(Outside::KeepHints(vec!["about".to_owned(), "palette".to_owned()]));
    assert_eq!(screen.0.send(Msg::Begun), [kept]);
    let mut known = Screen::at(USUAL, false);
    assert_eq!(known.0.send(Msg::Begun), []);
    assert!(!is_open(&known));
}

#[test]
fn any_key_goes_on_and_what_is_typed_is_the_draft() {
    for key in ["enter", "esc", "space", "ctrl-c"] {
        let mut screen = seen((120, 40));
        screen.press(key);
        assert!(!is_open(&screen), "{key}");
        let model = &screen.0.model;
        assert!(model.picker.words.text().is_empty() && model.opening.is_none() && !model.quitting, "{key}");
    }
    let mut screen = seen((120, 40));
    screen.press("k j q ?");
    assert_eq!(screen.0.model.picker.words.text(), "kjq?");
    let mut screen = seen((120, 40));
    screen.write("pasted words");
    assert_eq!(screen.0.model.picker.words.text(), "pasted words");
    let mut screen = seen((120, 40));
    screen.press("down");
    assert!(
        !is_open(&screen) && screen.0.model.picker.engine == 1,
        "a key of the first screen does what it does there"
    );
    let mut screen = seen((120, 40));
    screen.press("ctrl-p");
    assert!(matches!(screen.0.model.overlays[..], [Overlay::Chooser(_)]), "{:?}", screen.0.model.overlays);
}

#[test]
fn a_key_that_comes_before_it_could_be_seen_leaves_it_open() {
    let mut screen = first_start((120, 40), |_| {});
    screen.press("a b");
    assert!(is_open(&screen));
    assert_eq!(screen.0.model.picker.words.text(), "ab");
    screen.0.frame();
    screen.press("c");
    assert!(!is_open(&screen));
    assert_eq!(screen.0.model.picker.words.text(), "abc");

    let mut screen = first_start((120, 40), |_| {});
    let asked = screen.0.send(Msg::Key(super::support::key("enter")));
    let opens = |effect: &Effect| {
        matches!(effect, Effect::Outside(Outside::Host(Request { command: Command::Open(Open::Engine(_)), .. })))
    };
    assert!(asked.iter().any(opens), "what was meant for the first screen is done there: {asked:?}");
    screen.send(Msg::host(Event::Opened(Arc::new(opened(&engine("project-discovery"))))));
    assert!(is_open(&screen), "it waits until it was seen");
}

#[test]
fn where_not_all_of_it_fits_it_is_scrolled() {
    let mut screen = seen((40, 12));
    let first = screen.text();
    screen.press("pagedown");
    assert!(is_open(&screen));
    let second = screen.text();
    assert_ne!(first, second);
    screen.press("space up down");
    assert!(is_open(&screen));
    screen.press("w");
    assert_eq!((is_open(&screen), screen.0.model.picker.words.text()), (false, "w"));
}

#[test]
fn the_command_shows_it_again_in_a_session_and_a_typed_word_goes_to_the_composer() {
    let mut screen = Screen::in_session((120, 40), false);
    screen.write("/about").press("enter");
    assert!(is_open(&screen));
    screen.0.frame();
    screen.press("F9");
    assert!(!is_open(&screen), "its key closes it as well");
    screen.press("F9");
    screen.0.frame();
    screen.press("h i");
    assert_eq!((is_open(&screen), screen.0.model.composer.text()), (false, "hi".to_owned()));
}

#[test]
fn only_what_stays_on_this_machine_is_called_that() {
    for host in ["127.0.0.1:11434", "localhost", "[::1]:8080", "localhost:1234, 127.0.0.1:8080"] {
        assert!(model(host).is_here(), "{host}");
    }
    for host in ["api.example.com", "127.0.0.1:11434, api.example.com", "localhost.example.com:80", "10.0.0.7:8080"] {
        assert!(!model(host).is_here(), "{host}");
    }
}

#[test]
fn somebody_who_is_interviewed_is_told_first_who_reads_along_and_what_is_kept() {
    let told = |endpoint: Endpoint, guest| {
        let options = Options { endpoint, guest, places: places(), ..Options::default() };
        let mut screen = Screen(HeadlessFrames::new(options, Themes::built_in(), ColorDepth::TrueColor));
        screen.send(Msg::host(Event::Opened(Arc::new(opened(&engine("project-discovery"))))));
        screen.0.model.chat.entries[0].text.to_string()
    };
    let offline = told(Options::default().endpoint, true);
    assert!(offline.contains("no model reads") && offline.contains("elenchus.db"), "{offline}");
    let asked = told(model("api.example.com"), true);
    assert!(asked.contains("gpt-x at api.example.com"), "{asked}");
    assert!(!told(model("api.example.com"), false).contains("api.example.com"));
}
