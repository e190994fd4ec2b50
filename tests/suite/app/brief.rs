//! The brief beside the conversation: shown, scrolled, and following the turns.

use elenchus::app::commands::Command;
use elenchus::app::direct::Direct;
use elenchus::app::effect::TerminalEffect;
use elenchus::app::{Effect, Focus, Msg, update};
use elenchus::host::protocol::{Answer, Event, News, Notice, Query, RequestId};
use pretty_assertions::assert_eq;

use super::desk::Desk;
use super::frames::{EVERY, Screen, USUAL, WIDE, drawn};
use super::known::informed;
use super::support::answering;
use crate::support::program::Program;

const TEXT: &str = "# Clinic intake app\n\n*Project discovery, 2 turns*\n\n## Purpose\n\nNurses retype paper forms into two systems [1]. It costs **12,000 € a year** [2].\n\n## Limits\n\n| what | value |\n|---|---|\n| Budget | 15,000 € [3] |\n| Deadline | open |\n\n## Open questions\n\n- Who judges whether it works?\n- What should it deliberately not do?\n";

/// A session with the brief beside it.
fn reading(size: (u16, u16), text: &str) -> Screen {
    let mut screen = informed(size, false);
    screen.press("F5");
    let answer = answering(&screen.0.model, Answer::Brief(text.to_owned()));
    screen.send(answer);
    screen
}

#[test]
fn it_stands_beside_the_chat_and_over_it_where_the_window_is_narrow() {
    drawn("brief", &EVERY, |size| reading(size, TEXT));
    drawn("brief_awaited", &[WIDE], |size| {
        let mut screen = informed(size, false);
        screen.press("F5");
        screen
    });
}

#[test]
fn one_can_go_on_writing_beside_it_and_scroll_it_with_the_keys() {
    let mut screen = reading(WIDE, TEXT);
    assert_eq!(screen.0.model.focus, Focus::Composer);
    screen.press("F5");
    assert!(screen.0.model.brief.is_none(), "the same key puts it away");
    let long = (0..200).map(|line| format!("Line {line}.\n\n")).collect::<Vec<_>>().concat();
    let mut screen = reading(USUAL, &long);
    screen.text();
    screen.press("end");
    assert!(screen.text().contains("Line 199."));
    screen.press("home");
    assert!(screen.text().contains("Line 0."));
    screen.press("esc");
    assert_eq!((screen.0.model.brief.is_none(), screen.0.model.focus), (true, Focus::Composer));
}

#[test]
fn what_a_turn_brings_is_asked_for_and_shown() {
    let mut screen = informed(WIDE, false);
    let asked = screen.0.send(Msg::Key(super::support::key("F5")));
    assert_eq!(asked, [Effect::numbered(RequestId(1), Query::Brief)]);
    let long = |new: &str| {
        (0..200)
            .map(|line| format!("Line {line}{}.\n\n", if line == 150 { new } else { "" }))
            .collect::<Vec<_>>()
            .concat()
    };
    let answer = answering(&screen.0.model, Answer::Brief(long("")));
    screen.send(answer);
    screen.text();
    assert_eq!(screen.0.send(Msg::Focus(true)), [], "nothing has changed");
    let answer = answering(&screen.0.model, Answer::Brief(long(" and more")));
    screen.send(answer);
    assert!(screen.text().contains("Line 150 and more."), "it goes to what is new");
}

#[test]
fn the_brief_that_is_shown_and_the_one_that_is_copied_are_told_apart() {
    let mut app = informed(WIDE, false).0;
    let asked = app.send(Msg::Key(super::support::key("F5")));
    assert_eq!(asked, [Effect::numbered(RequestId(1), Query::Brief)]);
    let copies = update(&mut app.model, Msg::Direct(Direct::Run(Command::Copy, "brief".to_owned())));
    assert_eq!(copies, [Effect::numbered(RequestId(2), Query::Brief)]);
    let answer = |id, text: &str| {
        Msg::Host(News { answers: Some(RequestId(id)), ..Event::Answer(Answer::Brief(text.to_owned())).into() })
    };
    let on_clipboard =
        |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Terminal(TerminalEffect::Copy(_))));
    assert!(on_clipboard(&app.send(answer(2, "to be copied"))));
    assert_eq!(
        app.model.brief.as_ref().and_then(|brief| brief.text.clone()),
        None,
        "that was not asked for to be read"
    );
    assert!(!on_clipboard(&app.send(answer(1, "to be read"))));
    assert_eq!(app.model.brief.as_ref().and_then(|brief| brief.text.as_deref()), Some("to be read"));
}

#[test]
fn a_brief_that_cannot_be_had_is_put_away() {
    let mut app = informed(WIDE, false).0;
    app.send(Msg::Key(super::support::key("F5")));
    app.send(Msg::host(Notice::error("something else")));
    assert!(app.model.brief.is_some());
    app.send(Msg::Host(News { answers: Some(RequestId(1)), ..Notice::error("there is none").into() }));
    assert!(app.model.brief.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_follows_the_conversation() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.press("F5");
    desk.until(|desk| desk.screen.model.brief.as_ref().is_some_and(|brief| brief.text.is_some())).await;
    desk.say("Nurses retype paper forms into two systems every morning.").await;
    let says = |desk: &Desk| {
        let text = desk.screen.model.brief.as_ref().and_then(|brief| brief.text.clone());
        text.is_some_and(|text| text.contains("of 1 turn."))
    };
    desk.until(says).await;
    desk.press("alt-u y");
    desk.until(|desk| !says(desk)).await;
    desk.leave().await;
}
