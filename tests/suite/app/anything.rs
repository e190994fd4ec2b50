//! Frames of anything: hostile words reach no terminal, and no sequence of keys, sizes and news panics.

use elenchus::app::{Msg, update};
use elenchus::host::protocol::{Event, Notice, SessionNews, TurnNews};
use proptest::prelude::*;

use super::frames::Screen;
use super::support::{App, key};

#[test]
fn nothing_said_reaches_the_terminal_as_a_command() {
    let mut screen = Screen::in_session((120, 40), false);
    let mut app = App { model: screen.0.model.clone() };
    let evil = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\u{202e}evil";
    app.turn("hello", &format!("An answer {evil}"), &[]);
    screen.0.model = app.model;
    screen.send(Msg::host(Notice::error(evil.to_owned())));
    screen.send(Msg::host(Event::Session(SessionNews::Renamed(evil.to_owned()))));
    let frame = screen.0.frame();
    for cell in frame.content() {
        assert!(!cell.symbol().chars().any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c)), "{cell:?}");
    }
}

/// Keys that mean something somewhere, and some that are only letters.
const KEYS: &str = "enter esc tab shift-tab up down left right pageup pagedown home end space backspace delete ctrl-p \
    ctrl-j ctrl-f ctrl-s ctrl-n ctrl-o ctrl-u ctrl-r ctrl-w ctrl-k F1 F2 alt-t alt-u alt-e alt-p alt-c \
    alt-l alt-m alt-n alt-o alt-r alt-s alt-y a d e c y n / ? [ ] g G h x é 🌞 漢";

/// Anything a user can do to the app.
fn anything() -> impl Strategy<Value = Msg> {
    let names: Vec<&str> = KEYS.split(' ').collect();
    prop_oneof![
        8 => prop::sample::select(names).prop_map(|name| Msg::Key(key(name))),
        2 => (0u16..210, 0u16..70).prop_map(|(columns, rows)| Msg::Resize(columns, rows)),
        1 => "\\PC{0,40}".prop_map(Msg::Paste),
        1 => "[a-z*`#\\- \\n🌞漢]{0,60}".prop_map(|text| Msg::host(Event::Turn(TurnNews::Delta(text)))),
        1 => (0u16..210, 0u16..70).prop_map(|(column, row)| Msg::Mouse(crossterm::event::MouseEvent {
            kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
            column,
            row,
            modifiers: crossterm::event::KeyModifiers::NONE,
        })),
        1 => Just(Msg::host(Event::Turn(TurnNews::Cancelled))),
        1 => Just(Msg::host(Event::Turn(TurnNews::Revising(Vec::new())))),
        1 => Just(Msg::host(Notice::error("something failed, and this is what to do about it".to_owned()))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn no_sequence_of_keys_and_sizes_panics(start in 0usize..3, happenings in prop::collection::vec(anything(), 1..40)) {
        let mut screen = match start {
            0 => Screen::at((80, 24), false),
            1 => Screen::in_session((120, 40), true),
            _ => Screen::talked((100, 30), false),
        };
        for msg in happenings {
            update(&mut screen.0.model, msg);
            let frame = screen.0.frame();
            prop_assert_eq!(frame.area, screen.0.model.area());
        }
    }
}
