//! Archive, tags and trash: on the first screen, and of the open session.

use elenchus::app::overlay::Overlay;
use elenchus::app::picker::List;
use elenchus::app::{Effect, Msg, Screen};
use elenchus::host::protocol::{CopyOf, Delete, Event, File, Listing, Query, Refiling, SessionChoice, Shelf, Shelves};
use pretty_assertions::assert_eq;

use super::frames::{EVERY, drawn, overlaid};
use super::support::{App, listed, sessions};

fn file(session: &str, change: Refiling) -> Effect {
    Effect::host(File { session: session.to_owned(), change })
}

fn ask(listing: &Listing) -> Effect {
    Effect::host(Query::Sessions(listing.clone()))
}

fn on(shelf: Shelf) -> Listing {
    Listing { shelf, ..Listing::default() }
}

fn shelves(listing: &Listing) -> Shelves {
    Shelves {
        listing: listing.clone(),
        archived: 3,
        trashed: 1,
        tags: vec!["clinic".to_owned(), "urgent".to_owned()],
        projects: vec!["Hospital".to_owned()],
    }
}

/// The first screen with its keys on the sessions of a shelf.
fn looking_at(shelf: Shelf) -> App {
    let mut app = App::at(120, 40);
    app.send(Msg::host(Event::Answer(listed(sessions(), shelves(&Listing::default())))));
    app.press("tab");
    while app.model.picker.listing.shelf != shelf {
        app.press("right");
        let listing = app.model.picker.listing.clone();
        app.send(Msg::host(Event::Answer(listed(sessions(), shelves(&listing)))));
    }
    app
}

#[test]
fn delete_throws_away_and_does_nothing_to_what_is_being_written_or_to_engines() {
    let mut app = App::at(120, 40);
    app.list();
    assert_eq!(app.press("delete shift-delete left right"), [], "an engine is not a session");
    app.press("tab");
    assert_eq!(app.press("delete"), [file("01", Refiling::Trash), ask(&Listing::default())]);
    assert!(app.model.overlays.is_empty(), "what can be restored is not asked about");
    app.write("ab");
    app.press("left delete");
    assert_eq!(app.model.picker.words.text(), "a");
}

#[test]
fn erasing_asks_and_enter_is_no_yes() {
    let mut app = looking_at(Shelf::Current);
    app.press("down shift-delete");
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Confirm(_))));
    assert_eq!(app.press("enter"), []);
    assert_eq!(app.press("y"), [Effect::host(Delete(vec!["02".to_owned()])), ask(&Listing::default())]);
    let mut app = looking_at(Shelf::Trash);
    app.press("delete");
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Confirm(_))), "in the trash Delete erases");
    assert_eq!(app.press("n"), []);
}

#[test]
fn the_arrows_lead_to_archive_and_trash_and_esc_back() {
    let mut app = looking_at(Shelf::Current);
    assert_eq!(app.press("left"), []);
    assert_eq!(app.press("right"), [ask(&on(Shelf::Archive))]);
    assert!(app.model.picker.sessions.is_empty(), "nothing can be done to what is no longer under its heading");
    app.send(Msg::host(Event::Answer(listed(sessions(), shelves(&Listing::default())))));
    assert!(app.model.picker.sessions.is_empty(), "an answer that comes too late is passed over");
    assert_eq!(app.press("right right"), [ask(&on(Shelf::Trash))]);
    assert_eq!(app.press("esc"), [ask(&Listing::default())]);
    assert_eq!(app.press("esc"), []);
}

#[test]
fn enter_in_the_trash_restores_and_in_the_archive_opens() {
    let mut app = looking_at(Shelf::Trash);
    assert_eq!(app.press("enter"), [file("01", Refiling::Restore), ask(&on(Shelf::Trash))]);
    let mut app = looking_at(Shelf::Archive);
    app.press("enter");
    assert!(app.model.opening.is_some());
}

#[test]
fn archive_puts_away_and_takes_out() {
    let mut app = looking_at(Shelf::Current);
    assert_eq!(app.press("alt-z"), [file("01", Refiling::Archive), ask(&Listing::default())]);
    app.model.picker.sessions[0].archived = true;
    assert_eq!(app.press("alt-z"), [file("01", Refiling::Unarchive), ask(&Listing::default())]);
}

#[test]
fn tags_are_changed_in_one_line_and_by_command() {
    let mut app = looking_at(Shelf::Current);
    app.model.picker.sessions[0].tags = vec!["clinic".to_owned()];
    app.press("ctrl-t");
    app.write(", Urgent");
    let tags = vec!["clinic".to_owned(), "urgent".to_owned()];
    assert_eq!(app.press("enter"), [file("01", Refiling::SetTags(tags)), ask(&Listing::default())]);
    app.press("ctrl-t ctrl-u");
    assert_eq!(app.press("enter"), [file("01", Refiling::SetTags(Vec::new())), ask(&Listing::default())]);

    let mut app = App::in_session(120, 40);
    app.write("/tag summer, -clinic");
    assert_eq!(app.press("enter"), [file("01", Refiling::SetTags(vec!["summer".to_owned()]))]);
    assert_eq!(app.model.session.as_ref().unwrap().tags, ["summer"]);
    assert_eq!(app.model.screen, Screen::Chat);
}

#[test]
fn who_puts_the_open_session_away_goes_to_the_list() {
    for (line, change) in [("/archive", Refiling::Archive), ("/trash", Refiling::Trash)] {
        let mut app = App::in_session(120, 40);
        app.write(line);
        let effects = app.press("enter");
        assert_eq!((effects.first(), effects.last()), (Some(&file("01", change)), Some(&ask(&Listing::default()))));
        assert_eq!((app.model.screen, app.model.picker.list), (Screen::Picker, List::Sessions));
    }
}

#[test]
fn the_list_is_narrowed_by_tag_and_project() {
    let mut app = looking_at(Shelf::Current);
    app.press("ctrl-f");
    app.write("urg");
    let tagged = Listing { tag: Some("urgent".to_owned()), ..Listing::default() };
    assert_eq!(app.press("enter"), [ask(&tagged)]);
    app.send(Msg::host(Event::Answer(listed(Vec::new(), shelves(&tagged)))));
    app.press("ctrl-f");
    app.write("hosp");
    let both = Listing { project: Some("Hospital".to_owned()), ..tagged };
    assert_eq!(app.press("enter"), [ask(&both)]);
    app.send(Msg::host(Event::Answer(listed(Vec::new(), shelves(&both)))));
    app.press("ctrl-f");
    app.write("everything");
    assert_eq!(app.press("enter"), [ask(&Listing::default())]);
    let mut app = App::at(120, 40);
    app.list();
    app.press("ctrl-f");
    assert!(app.toast().unwrap().contains("no tags or projects"), "{:?}", app.toast());
}

#[test]
fn the_trash_is_emptied_only_as_it_was_seen() {
    let mut app = App::in_session(120, 40);
    app.write("/trash empty");
    let effects = app.press("enter");
    assert_eq!(effects.last(), Some(&ask(&on(Shelf::Trash))), "first it is shown");
    assert!(app.model.overlays.is_empty());
    app.send(Msg::host(Event::Answer(listed(sessions(), shelves(&on(Shelf::Trash))))));
    app.write("/trash empty");
    app.press("enter");
    let ids = vec!["01".to_owned(), "02".to_owned()];
    assert_eq!(app.press("y"), [Effect::host(Delete(ids)), ask(&on(Shelf::Trash))]);
}

/// Sessions of one title: an original, a copy of it, a copy of another, and one with tags and a project.
fn alike() -> Vec<SessionChoice> {
    let one = sessions().remove(0);
    let copy = |of: Option<&str>, turn| Some(CopyOf { of: of.map(ToOwned::to_owned), turn });
    let tags = vec!["clinic".to_owned(), "urgent".to_owned()];
    vec![
        SessionChoice { tags, project: Some("Hospital".to_owned()), ..one.clone() },
        SessionChoice { id: "03".to_owned(), copy: copy(Some("the one begun yesterday 10:02"), 3), ..one.clone() },
        SessionChoice { id: "04".to_owned(), copy: copy(Some("“Ward rota”"), 12), ..one.clone() },
        SessionChoice { id: "05".to_owned(), copy: copy(None, 1), ..one },
    ]
}

#[test]
fn the_shelves_at_every_size() {
    let at = |size, shelf: Shelf, sessions: Vec<SessionChoice>| {
        let mut screen = super::frames::Screen::at(size, false);
        screen.0.send(Msg::host(Event::Answer(listed(Vec::new(), shelves(&Listing::default())))));
        screen.press("tab");
        while screen.0.model.picker.listing.shelf != shelf {
            screen.press("right");
        }
        screen.0.send(Msg::host(Event::Answer(listed(sessions, shelves(&on(shelf))))));
        screen
    };
    drawn("picker_copies", &EVERY, |size| at(size, Shelf::Current, alike()));
    let thrown = |days| SessionChoice { days_left: Some(days), ..sessions().remove(0) };
    drawn("picker_trash", &EVERY, |size| at(size, Shelf::Trash, vec![thrown(28), thrown(1)]));
    overlaid("picker_tags", &EVERY, |size| {
        let mut screen = at(size, Shelf::Current, alike());
        screen.press("ctrl-t");
        screen
    });
    overlaid("picker_narrow", &EVERY, |size| {
        let mut screen = at(size, Shelf::Current, alike());
        screen.press("ctrl-f");
        screen
    });
}
