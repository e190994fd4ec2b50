//! The mouse: what is under it scrolls, is chosen, opens.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use elenchus::app::effect::Outside;
use elenchus::app::overlay::Overlay;
use elenchus::app::picker::List;
use elenchus::app::{Effect, Msg};
use elenchus::host::protocol::{Event, Open, Shelves};
use unicode_width::UnicodeWidthStr as _;

use super::frames::Screen;
use super::support::{listed, sessions};

impl Screen {
    /// Where a text stands.
    pub(super) fn place(&mut self, text: &str) -> (u16, u16) {
        let frame = self.text();
        let found = frame.lines().enumerate().find_map(|(row, line)| Some((line[..line.find(text)?].width(), row)));
        let (column, row) = found.unwrap_or_else(|| panic!("no {text:?} in\n{frame}"));
        (column as u16, row as u16)
    }

    pub(super) fn mouse(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) -> Vec<Effect> {
        self.0.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
    }

    pub(super) fn click(&mut self, text: &str) -> Vec<Effect> {
        let place = self.place(text);
        self.mouse(MouseEventKind::Down(MouseButton::Left), place)
    }
}

/// The name of what is under the cursor of the list on top.
fn chosen(screen: &Screen) -> String {
    match screen.0.model.overlays.last() {
        Some(Overlay::Chooser(list)) => list.chosen().unwrap().id.clone(),
        other => panic!("no list: {other:?}"),
    }
}

fn picker() -> Screen {
    let mut screen = Screen::at((100, 30), false);
    screen.send(Msg::host(Event::Answer(listed(sessions(), Shelves::default()))));
    screen
}

#[test]
fn a_click_on_a_line_of_a_list_chooses_it_and_a_second_one_opens_it() {
    let mut screen = Screen::talked((100, 30), false);
    screen.press("alt-t");
    screen.click("nord");
    assert_eq!((chosen(&screen).as_str(), screen.0.model.theme.as_str()), ("nord", "nord"));
    assert_eq!(screen.click("nord"), [Effect::Outside(Outside::SaveTheme("nord".to_owned()))]);
    assert!(screen.0.model.overlays.is_empty());
}

#[test]
fn a_click_beside_a_list_closes_it_and_changes_nothing() {
    let mut screen = Screen::talked((100, 30), false);
    let before = screen.0.model.theme.clone();
    screen.press("alt-t down");
    assert_ne!(screen.0.model.theme, before);
    screen.mouse(MouseEventKind::Down(MouseButton::Left), (0, 29));
    assert_eq!((screen.0.model.overlays.len(), &screen.0.model.theme), (0, &before));
}

#[test]
fn the_wheel_moves_through_a_list_and_stops_at_its_ends() {
    let mut screen = Screen::talked((100, 30), false);
    screen.press("ctrl-p");
    let first = chosen(&screen);
    screen.mouse(MouseEventKind::ScrollUp, (50, 10));
    assert_eq!(chosen(&screen), first);
    screen.mouse(MouseEventKind::ScrollDown, (50, 10));
    assert_ne!(chosen(&screen), first);
    for _ in 0..100 {
        screen.mouse(MouseEventKind::ScrollDown, (50, 10));
    }
    let last = chosen(&screen);
    screen.mouse(MouseEventKind::ScrollDown, (50, 10));
    assert_eq!(chosen(&screen), last);
    screen.mouse(MouseEventKind::Down(MouseButton::Left), (50, 10));
    assert_eq!(screen.0.model.overlays.len(), 1, "a line in view is chosen, whatever was scrolled");
}

#[test]
fn the_wheel_scrolls_the_help_by_a_few_rows() {
    let mut screen = Screen::talked((100, 20), false);
    screen.press("F1");
    screen.mouse(MouseEventKind::ScrollDown, (50, 10));
    assert_eq!(screen.0.model.overlays.last(), Some(&Overlay::Help(3)));
}

#[test]
fn a_click_on_the_first_screen_chooses_and_a_second_one_opens() {
    let mut screen = picker();
    assert_eq!(screen.click("Warehouse rota"), []);
    assert_eq!((screen.0.model.picker.list, screen.0.model.picker.session), (List::Sessions, 1));
    assert_eq!(screen.click("Warehouse rota"), [Effect::host(Open::Session("02".to_owned()))]);
    let mut screen = picker();
    assert_eq!(screen.click("Ideation"), []);
    let start = Effect::host(Open::Engine("ideation".to_owned()));
    assert_eq!(screen.click("Ideation"), [start]);
}

#[test]
fn the_wheel_on_the_first_screen_moves_in_the_list_under_it() {
    let mut screen = picker();
    let place = screen.place("Clinic intake app");
    screen.mouse(MouseEventKind::ScrollDown, place);
    assert_eq!((screen.0.model.picker.list, screen.0.model.picker.session), (List::Sessions, 1));
}
