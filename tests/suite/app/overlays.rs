//! Overlays: palette, themes, search, models, phases, handoff, inspector, help.

use std::sync::Arc;

use elenchus::app::effect::Outside;
use elenchus::app::inspector::Known;
use elenchus::app::overlay::{Overlay, Purpose};
use elenchus::app::{Effect, Focus, Msg};
use elenchus::engine::figures::TurnFigures;
use elenchus::engine::handoff::{Handoff, preview};
use elenchus::engine::memory::ExitOffer;
use elenchus::host::protocol::{
    Answer, Command, Draft, Edit, Event, HandoffCommand, ModelChoice, ModelsFound, Notice, Open, Query, Request,
    SearchHit, SessionCommand, TurnNews, UseModel,
};
use elenchus::words::english;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::frames::Screen;
use super::support::App;

fn purpose(app: &App) -> Option<Purpose> {
    match app.model.overlays.last()? {
        Overlay::Chooser(chooser) => Some(chooser.purpose),
        _ => None,
    }
}

#[test]
fn the_palette_is_fuzzy_and_ctrl_p_closes_it() {
    let mut app = App::in_session(120, 40);
    app.press("ctrl-p");
    app.write("insp");
    let Some(Overlay::Chooser(chooser)) = app.model.overlays.last() else { panic!("no palette") };
    assert_eq!(chooser.chosen().unwrap().id, "inspector");
    app.press("ctrl-p");
    assert!(app.model.overlays.is_empty());
}

#[test]
fn themes_are_shown_while_choosing_and_only_kept_when_chosen() {
    let mut app = App::in_session(120, 40);
    app.press("alt-t down");
    assert_eq!(app.model.theme, "light");
    app.press("esc");
    assert_eq!(app.model.theme, "dark");
    app.press("alt-t down");
    assert_eq!(app.press("enter"), [Effect::Outside(Outside::SaveTheme("light".to_owned()))]);
    assert_eq!(app.model.theme, "light");
}

#[test]
fn search_asks_with_every_letter_and_takes_only_the_last_answer() {
    let mut app = App::in_session(120, 40);
    app.press("ctrl-s");
    assert_eq!(
        app.write("in"),
        [Effect::host(Query::Search("i".to_owned())), Effect::host(Query::Search("in".to_owned()))]
    );
    let hit = |title: &str| SearchHit {
        session: "02".to_owned(),
        title: title.to_owned(),
        turn: 3,
        excerpt: "the intake form".to_owned(),
    };
    app.send(Msg::host(Event::Answer(Answer::Search { query: "i".to_owned(), hits: vec![hit("old")] })));
    app.send(Msg::host(Event::Answer(Answer::Search { query: "in".to_owned(), hits: vec![hit("new")] })));
    let Some(Overlay::Chooser(chooser)) = app.model.overlays.last() else { panic!("no search") };
    assert_eq!(chooser.shown().map(|choice| choice.label.as_str()).collect::<Vec<_>>(), ["new"]);
    assert_eq!(app.press("enter"), [Effect::host(Open::Session("02".to_owned()))]);
}

#[test]
fn models_are_listed_by_the_outside_and_chosen_here() {
    let mut app = App::in_session(120, 40);
    assert_eq!(app.press("alt-m"), [Effect::host(Query::Models)]);
    let models = vec![ModelChoice { id: "m1".into(), label: "gpt-x".into(), detail: "cloud".into(), in_use: false }];
    app.send(Msg::host(Event::Answer(Answer::Models(ModelsFound { models, looking: false }))));
    assert_eq!(app.press("enter"), [Effect::host(UseModel("m1".to_owned()))]);
}

#[test]
fn phases_are_chosen_from_those_there_are() {
    let mut app = App::in_session(120, 40);
    app.press("alt-p");
    assert_eq!(purpose(&app), Some(Purpose::Phase));
    let effects = app.press("enter");
    let moves = |effect: &Effect| {
        matches!(effect, Effect::Outside(Outside::Host(Request { command: Command::Edit(Edit::Phase { .. }), .. })))
    };
    assert!(effects.len() == 1 && effects.iter().all(moves), "{effects:?}");
}

#[test]
fn values_are_put_right_at_once_or_from_a_list() {
    let mut app = App::in_session(120, 40);
    app.write("/correct purpose_and_problem.core_problem Double entry");
    let correct = Edit::Correct { path: "purpose_and_problem.core_problem".to_owned(), value: json!("Double entry") };
    assert_eq!(app.press("enter"), [Effect::host(correct)]);
    app.write("/correct problem");
    app.press("enter");
    assert_eq!(purpose(&app), Some(Purpose::Correct));
}

#[test]
fn without_an_offer_there_is_no_handoff() {
    let mut app = App::in_session(120, 40);
    app.press("alt-o");
    assert_eq!(app.toast(), Some("no next step is on offer yet"));
}

#[test]
fn a_handoff_is_reviewed_edited_accepted_or_declined() {
    let mut app = App::in_session(120, 40);
    let offer = ExitOffer {
        exit_id: "to-prioritization".to_owned(),
        target: "feature-prioritization".to_owned(),
        label: "Go on to prioritise".to_owned(),
        since_turn: 3,
        handoff: Handoff::default(),
        problems: Vec::new(),
    };
    Arc::make_mut(&mut app.model.session.as_mut().unwrap().memory).exit_offer = Some(offer);
    app.press("alt-o");
    // It is a form: something is added to the first part, changed and taken out again.
    app.press("enter");
    app.write("Book online");
    app.press("ctrl-j");
    app.write("the phone is busy");
    let sent = |effects: &[Effect]| match effects {
        [
            Effect::Outside(Outside::Host(Request {
                command: Command::Handoff(HandoffCommand::Edit(handoff)), ..
            })),
        ] => preview(handoff, &english().handoff),
        other => panic!("{other:?}"),
    };
    let decided = |text: &str| vec![("Decided", vec![text.to_owned()])];
    assert_eq!(sent(&app.press("enter")), decided("Book online: the phone is busy"));
    app.press("e");
    assert_eq!(app.press("enter"), [], "what is as it was is no change");
    app.press("e");
    app.write("!");
    assert_eq!(app.press("esc"), [], "and what is left is none");
    app.press("e ctrl-u");
    app.write("always");
    assert_eq!(sent(&app.press("enter")), decided("Book online: always"));
    assert_eq!(sent(&app.press("c")), []);
    assert_eq!(app.press("c"), [], "a title cannot be taken out");
    app.press("esc alt-o");
    assert_eq!(app.press("x"), [Effect::host(HandoffCommand::Decline)]);
    app.press("alt-o");
    let effects = app.press("a");
    assert_eq!(
        effects,
        [Effect::host(SessionCommand::SaveDraft(Draft::default())), Effect::host(HandoffCommand::Accept)]
    );
    assert_eq!(app.model.opening.as_ref().unwrap().0, "feature-prioritization");
}

#[test]
fn the_inspector_walks_turns_and_pages_and_fetches_what_it_lacks() {
    let mut app = App::in_session(120, 40);
    app.turn("one", "Noted?", &[]);
    app.turn("two", "Noted?", &[]);
    app.model.turns.clear();
    assert_eq!(app.press("F2"), [Effect::host(Query::Figures { from: 2, to: 2 })]);
    assert_eq!(app.press("left"), [Effect::host(Query::Figures { from: 1, to: 1 })]);
    app.send(Msg::host(Event::Answer(Answer::Figures(vec![(1, Some(TurnFigures::default()))]))));
    assert_eq!(app.press("left tab"), []);
    let Some(Overlay::Inspector(inspector)) = app.model.overlays.last() else { panic!("no inspector") };
    assert_eq!((inspector.turn, inspector.page.title()), (1, "Triggers"));
    app.press("F2");
    assert!(app.model.overlays.is_empty());
}

#[test]
fn the_plots_of_the_inspector_fetch_the_last_turns_and_no_more() {
    let mut app = App::in_session(120, 40);
    Arc::make_mut(&mut app.model.session.as_mut().unwrap().memory).turn = 500;
    assert_eq!(app.press("F2"), [Effect::host(Query::Figures { from: 500, to: 500 })]);
    assert_eq!(app.press("tab tab tab"), [500, 500, 441].map(|from| Effect::host(Query::Figures { from, to: 500 })));
    for turn in (1..=500).rev() {
        app.send(Msg::host(Event::Answer(Answer::Figures(vec![(turn, Some(TurnFigures::default()))]))));
    }
    assert_eq!(app.model.turns.len(), 240, "what is far from the last one looked at goes");
    assert!(app.model.turns.contains_key(&1) && !app.model.turns.contains_key(&241));
}

#[test]
fn the_inspector_follows_the_turn_under_way() {
    let mut app = App::in_session(120, 40);
    app.turn("one", "Noted?", &[]);
    app.write("two");
    app.press("enter");
    assert_eq!(app.press("F2"), [], "what is under way is not in the store");
    let Some(Overlay::Inspector(inspector)) = app.model.overlays.last() else { panic!("no inspector") };
    assert_eq!(inspector.turn, 2);
    let outcome = app.outcome("two", "Noted?", &[]);
    app.send(Msg::host(Event::Turn(TurnNews::Step(Box::new(outcome.figures.steps[0].clone())))));
    let Known::Figures(figures) = Known::of(&app.model, 2) else { panic!("no figures") };
    assert_eq!(figures.steps[0].outcome, "turn 2");
    app.send(Msg::host(Event::Turn(TurnNews::Cancelled)));
    assert_eq!(elenchus::app::inspector::latest(&app.model), 1);
    assert_eq!(app.press("right"), []);
}

#[test]
fn help_opens_scrolls_and_closes() {
    let mut app = App::in_session(120, 40);
    app.press("F1 down down");
    assert_eq!(app.model.overlays.last(), Some(&Overlay::Help(2)));
    app.press("esc");
    assert!(app.model.overlays.is_empty());
    app.press("shift-tab ?");
    assert_eq!(app.model.overlays.last(), Some(&Overlay::Help(0)));
    assert_eq!(app.model.focus, Focus::Chat);
}

#[test]
fn what_the_program_has_to_tell_stands_below_a_window_and_not_in_it() {
    for keys in ["alt-m enter", "F3", "F6", "F7", "F1", "ctrl-p"] {
        let mut screen = Screen::in_session((60, 20), false);
        screen.models().press("esc").press(keys);
        screen.send(Msg::host(Notice::warning("Zebra crossing ahead".to_owned())));
        let text = screen.text();
        let rows: Vec<&str> = text.lines().collect();
        let told =
            rows.iter().position(|row| row.contains("Zebra")).unwrap_or_else(|| panic!("{keys}: not told\n{text}"));
        let last = rows[..told]
            .iter()
            .rposition(|row| row.contains('╰'))
            .unwrap_or_else(|| panic!("{keys}: no window\n{text}"));
        assert!(last < told, "{keys}: the window goes on below it\n{text}");
        // What has its end below it has its beginning there too: the composer.
        let below = |corner: char| rows[told..].iter().position(|row| row.contains(corner));
        let is_whole = below('╰').is_none_or(|ends| below('╭').is_some_and(|begins| begins < ends));
        assert!(is_whole, "{keys}: the window goes on below it\n{text}");
    }
}

#[test]
fn help_can_be_read_in_a_narrow_window() {
    let mut screen = Screen::in_session((60, 20), false);
    screen.press("F1");
    let text = screen.text();
    assert!(text.contains("choose an engine and start a session"), "{text}");
}

#[test]
fn what_was_found_is_in_view_however_late_it_stands() {
    let mut screen = Screen::in_session((80, 24), false);
    let excerpt = "we had a long talk about everything that happens in a clinic before anybody said kegs at all";
    let hit = SearchHit { session: "02".to_owned(), title: "Rota".to_owned(), turn: 2, excerpt: excerpt.to_owned() };
    screen.press("ctrl-s").write("KEGS");
    screen.send(Msg::host(Event::Answer(Answer::Search { query: "KEGS".to_owned(), hits: vec![hit] })));
    let text = screen.text();
    assert!(text.contains("said kegs"), "{text}");
}
