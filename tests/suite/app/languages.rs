//! The frame speaks the language of the session, and holds what is written in any script.

use std::sync::Arc;

use elenchus::app::Msg;
use elenchus::engine::memory::LanguageState;
use elenchus::host::protocol::{Event, SessionNews, Shelves};
use elenchus::ui::frame_export::to_text;
use ratatui::buffer::{Buffer, CellWidth as _};
use serde_json::json;

use super::frames::{EVERY, Screen};
use super::support::{App, in_german, listed, sessions};

/// Windows of the sizes that people have, and of those that nobody should.
const SIZES: [(u16, u16); 5] = [(110, 30), (80, 24), (60, 20), (20, 5), (1, 1)];

/// What people write: words that are too long for a pane, from right to left, and two columns a sign.
const SCRIPTS: [(&str, &str); 4] = [
    (
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
        "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
    ),
    ("האחיות מקלידות טפסי נייר לשתי מערכות בכל בוקר", "טפסים מוקלדים פעמיים"),
    ("الممرضات يعدن كتابة النماذج الورقية كل صباح", "نماذج مكتوبة مرتين"),
    ("看護師は毎朝、紙の問診票を二つのシステムに入力し直しています。", "問診票の二重入力"),
];

/// A session in which everything that is known is in that script, the title too.
fn talked_in((said, value): (&str, &str), size: (u16, u16)) -> Screen {
    let mut screen = Screen::in_session(size, false);
    let mut app = App { model: screen.0.model.clone() };
    let readings = [
        ("purpose_and_problem.core_problem", json!(value), 0.92, said),
        ("success_criteria.first_version", json!([value, said, value]), 0.9, said),
    ];
    app.turn(
        said,
        &format!("{said}\n\n- **{value}** {said}\n\n| {value} | {said} |\n|---|---|\n| {said} | {value} |"),
        &readings,
    );
    said.clone_into(&mut app.model.session.as_mut().unwrap().title);
    screen.0.model = app.model;
    screen
}

/// No sign is cut in half: one that takes two columns has both, within the window.
fn assert_whole(frame: &Buffer, what: &str) {
    for at in frame.area.positions() {
        let symbol = frame[at].symbol();
        let width = usize::from(symbol.cell_width());
        assert!(width <= usize::from(frame.area.right() - at.x), "{what}: {symbol:?} at {at} is cut");
        assert!(!symbol.contains(char::is_control), "{what}: {symbol:?} at {at}");
    }
}

#[test]
fn any_script_stays_within_its_panes() {
    let ways =
        ["", "tab down down enter", "F3", "F3 enter", "F5", "ctrl-p", "F1", "ctrl-s", "alt-c", "F6", "alt-h", "alt-o"];
    for script in SCRIPTS {
        for german in [false, true] {
            let work = || talked_in(script, (120, 40));
            let mut screen = if german { in_german(work) } else { work() };
            let talked = screen.0.model.clone();
            for size in SIZES {
                for keys in ways {
                    screen.0.model = talked.clone();
                    screen.send(Msg::Resize(size.0, size.1)).press(keys);
                    assert_whole(&screen.0.frame(), &format!("{} at {size:?} after {keys:?}", script.1));
                }
            }
        }
    }
}

#[test]
fn what_is_known_shows_in_its_own_script() {
    for (said, value) in SCRIPTS {
        let text = talked_in((said, value), (200, 60)).text();
        let first: String = value.chars().take(8).collect();
        // A wide sign is followed by the column that it covers.
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        assert!(bare(&text).contains(&bare(&first)), "{first} is not in\n{text}");
    }
}

#[test]
fn a_narrow_window_in_german_has_no_line_that_runs_out_of_it() {
    for size in EVERY {
        let mut screen = in_german(|| Screen::talked(size, false));
        let text = screen.text();
        assert!(text.lines().all(|line| line.chars().count() <= usize::from(size.0)), "{text}");
    }
}

#[test]
fn the_frame_follows_the_language_of_the_session() {
    let mut app = App::in_session(120, 40);
    assert_eq!(app.model.words.code, "en");
    let session = app.model.session.as_ref().unwrap();
    let mut memory = (*session.memory).clone();
    memory.language = LanguageState::begun_in("de".to_owned(), false);
    let sidebar = session.sidebar.clone();
    app.send(Msg::host(Event::Session(SessionNews::Changed {
        memory: Arc::new(memory),
        sidebar,
        card: None,
        note: String::new(),
    })));
    assert_eq!(app.model.words.code, "de");
    let session = app.model.session.as_ref().unwrap();
    assert_eq!(session.engine.name, "Projekt klären");
    assert_eq!(session.engine.field("constraints.deadline").unwrap().name, "Termin");
    assert_eq!(session.engine.field("purpose_and_problem.core_problem").unwrap().name, "Das eigentliche Problem");
    app.send(Msg::host(Event::Answer(listed(sessions(), Shelves::default()))));
    app.press("ctrl-o");
    assert_eq!(app.model.words.code, "en", "the first screen is in the language of the program");
}

#[test]
fn what_the_interviewee_meets_in_a_german_session_is_german() {
    let mut screen = in_german(|| Screen::talked((120, 40), false));
    let said = |screen: &mut Screen, wanted: &[&str]| {
        let text = to_text(&screen.0.frame());
        for wanted in wanted {
            assert!(text.contains(wanted), "no {wanted:?} in\n{text}");
        }
    };
    said(&mut screen, &["Projekt klären", "Vollständigkeit", "Das eigentlich", "Zweck", "Hier schreiben", "senden"]);
    screen.press("f3");
    said(&mut screen, &["Was verstanden wurde", "von 5 bekannt", "noch nichts"]);
    screen.press("esc f1");
    said(&mut screen, &["Hilfe", "Befehle und Tasten zeigen"]);
    screen.press("esc ctrl-p");
    said(&mut screen, &["Befehle", "Tippen grenzt ein", "Befehle und Tasten zeigen"]);
}

#[test]
fn yes_and_no_and_choices_are_read_and_typed_in_german() {
    let app = in_german(|| App::in_session(120, 40));
    let engine = &app.model.session.as_ref().unwrap().engine;
    let often = &engine.field("users_and_personas.usage_frequency").unwrap().shape;
    assert_eq!(elenchus::engine::values::shaped_text(&json!("weekly"), often), "wöchentlich");
    let data = &engine.field("non_functional_screening.personal_data").unwrap().shape;
    assert_eq!(elenchus::engine::values::shaped_text(&json!(true), data), "ja");
}

#[test]
fn keys_are_called_what_stands_on_them() {
    let mut screen = in_german(|| Screen::talked((120, 40), false));
    let text = screen.text();
    assert!(text.contains("Strg-J neue Zeile") && !text.contains("Ctrl"), "{text}");
    screen.press("tab");
    assert!(screen.text().contains("Leertaste auf/zu"), "{}", screen.text());
    screen.press("F1");
    for _ in 0..12 {
        let text = screen.text();
        let english = ["Ctrl", "Shift-", "PageUp", "Delete", "Backspace", "Space"];
        let found: Vec<&str> = english.into_iter().filter(|name| text.contains(name)).collect();
        assert_eq!(found, [""; 0], "{text}");
        screen.press("pagedown");
    }
}
