//! The answer card: keys that are no text, what is said, and frames.

use elenchus::app::effect::Outside;
use elenchus::app::{Effect, Msg, answer_card};
use elenchus::engine::answer_card::{AnswerCard, answer_card as dealt};
use elenchus::engine::edit;
use elenchus::engine::memory::{Asked, LanguageState, WorkingMemory};
use elenchus::host::protocol::{Command, Request, SessionCommand, TurnCommand};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::frames::{EVERY, Screen, drawn};
use super::support::{App, engine, language};

/// The card that project discovery deals after a question.
fn card(obligation: &str) -> AnswerCard {
    let engine = engine("project-discovery");
    let mut memory = WorkingMemory::new(engine.definition());
    (memory.turn, memory.language) = (1, LanguageState::begun_in(language().code.clone(), true));
    if obligation == "usage_known" {
        let path = "users_and_personas.expected_users";
        memory = edit::correct(&engine, &memory, path, &json!(40)).expect("a number").memory;
    }
    memory.asked = vec![Asked { obligation: obligation.to_owned(), sure: true, ..Asked::default() }];
    dealt(&engine, &memory).expect("a card")
}

fn with(obligation: &str, size: (u16, u16)) -> App {
    let mut app = App::in_session(size.0, size.1);
    app.model.session.as_mut().unwrap().card = Some(card(obligation));
    app
}

/// What is said by some effects.
fn said(effects: &[Effect]) -> Option<&str> {
    effects.iter().find_map(|effect| match effect {
        Effect::Outside(Outside::Host(Request { command: Command::Turn(TurnCommand::Say { message }), .. })) => {
            Some(message.as_str())
        }
        _ => None,
    })
}

#[test]
fn arrows_mark_an_answer_and_enter_says_it_like_any_message() {
    let mut app = with("outage_screened", (80, 24));
    assert_eq!(app.press("down right"), []);
    assert_eq!(app.model.card.marked, Some(1));
    let effects = app.press("enter");
    assert_eq!(said(&effects), Some("hours"));
    let kept = matches!(&effects[0], Effect::Outside(Outside::Host(Request { command: Command::Session(SessionCommand::SaveDraft(draft)), .. })) if draft.text == "hours");
    assert!(kept, "it is kept before it is sent, like any message: {effects:?}");
    assert!(app.model.turn.is_some() && answer_card::shown(&app.model).is_none());
}

#[test]
fn up_before_the_first_leaves_the_card_and_recalls_what_was_written() {
    let mut app = with("outage_screened", (80, 24));
    app.model.composer.history.add("an earlier thought");
    app.press("down up");
    assert_eq!((app.model.card.marked, app.model.composer.text().as_str()), (None, ""));
    app.press("up");
    assert_eq!(app.model.composer.text(), "an earlier thought");
}

#[test]
fn whoever_types_goes_on_typing() {
    let mut app = with("outage_screened", (80, 24));
    app.press("down");
    app.write("2 hours");
    assert_eq!((app.model.composer.text().as_str(), app.model.card.marked), ("2 hours", None));
    // With words written the arrows are theirs.
    app.press("left left right down up");
    assert_eq!((app.model.composer.text().as_str(), app.model.card.marked), ("2 hours", None));
    assert_eq!(said(&app.press("enter")), Some("2 hours"));
}

#[test]
fn something_else_is_typed_and_skip_says_what_the_key_for_it_says() {
    let mut app = with("outage_screened", (80, 24));
    assert_eq!(app.press("down down down down down enter"), []);
    assert!(app.model.card.own_words && app.model.turn.is_none());
    app.press("esc");
    assert!(!app.model.card.own_words);
    let skipped = app.press("down down down down down down enter");
    let mut by_key = with("outage_screened", (80, 24));
    assert_eq!(said(&skipped), said(&by_key.press("alt-a")));
    assert!(said(&skipped).is_some());
}

#[test]
fn escape_takes_the_mark_away_and_nothing_else() {
    let mut app = with("outage_screened", (80, 24));
    app.press("down esc");
    assert_eq!((app.model.card.marked, app.press("enter")), (None, Vec::new()));
}

#[test]
fn a_click_chooses_and_what_is_being_written_stays() {
    let mut screen = Screen::in_session((80, 24), false);
    screen.0.model.session.as_mut().unwrap().card = Some(card("outage_screened"));
    screen.write("half a thought");
    let effects = screen.click("weeks");
    assert_eq!(said(&effects), Some("weeks"));
    assert_eq!(screen.0.model.composer.text(), "half a thought");
}

#[test]
fn there_is_no_card_where_it_would_be_in_the_way() {
    let mut app = with("outage_screened", (80, 24));
    assert!(answer_card::shown(&app.model).is_some());
    app.model.card.on = false;
    assert!(answer_card::shown(&app.model).is_none(), "it is switched off");
    app.model.card.on = true;
    app.model.composer.editing = Some(1);
    assert!(answer_card::shown(&app.model).is_none(), "an earlier message is being changed");
    app.model.composer.editing = None;
    app.write("a message");
    app.press("enter");
    assert!(answer_card::shown(&app.model).is_none(), "an answer is on its way");
}

#[test]
fn in_a_small_window_it_is_one_line_and_the_marked_answer_is_in_view() {
    let mut screen = Screen::in_session((60, 20), false);
    let long = (1..=12).map(|n| format!("a rather long answer, number {n}")).collect();
    screen.0.model.session.as_mut().unwrap().card = Some(AnswerCard { choices: long, ..card("outage_screened") });
    let layout = elenchus::app::layout::compute(screen.0.model.area(), &screen.0.model);
    assert_eq!(layout.card.height, 1);
    assert!(layout.chat.height >= 8, "{layout:?}");
    for n in 1..=12 {
        screen.press("down");
        let text = screen.text();
        assert!(text.contains(&format!("number {n}")), "{n} is not in view:\n{text}");
    }
}

#[test]
fn a_card_of_any_size_and_any_words_is_laid_out_within_its_rows() {
    let words = elenchus::words::english();
    let labels =
        ["", "漢字漢字漢字", "a\u{1b}[31mb", "an option that is far longer than any window is wide, in one piece"];
    let choices: Vec<String> = labels.iter().cycle().take(9).map(|label| (*label).to_owned()).collect();
    let card = AnswerCard { choices, ..card("outage_screened") };
    for (width, height, marked) in
        (0..40).flat_map(|width| (0..5).flat_map(move |height| [None, Some(0), Some(10)].map(|m| (width, height, m))))
    {
        let area = ratatui::layout::Rect::new(3, 7, width, height);
        for chip in answer_card::lay_out(&card, marked, words, area).chips {
            assert!(chip.area.is_empty() || area.union(chip.area) == area, "{:?} in {area:?}", chip.area);
        }
    }
}

#[test]
fn cards_under_the_composer() {
    let cards = [
        ("card_choice", "outage_screened", ""),
        ("card_marked", "usage_known", "down down"),
        ("card_yes_or_no", "personal_data_screened", ""),
        ("card_date", "deadline_known", "down"),
    ];
    for (name, obligation, keys) in cards {
        drawn(name, &EVERY, |size| {
            let mut screen = Screen::talked(size, false);
            screen.0.model.session.as_mut().unwrap().card = Some(card(obligation));
            screen.press(keys);
            screen
        });
    }
    drawn("card_plain_signs", &[(60, 20)], |size| {
        let mut screen = Screen::talked(size, true);
        screen.0.model.session.as_mut().unwrap().card = Some(card("outage_screened"));
        screen.press("down");
        screen.write("");
        screen.send(Msg::Focus(true));
        screen
    });
}

#[test]
fn a_day_that_no_calendar_has_is_not_said_and_stays_to_be_put_right() {
    let mut app = with("deadline_known", (80, 24));
    app.write("2027-02-30");
    assert_eq!(said(&app.press("enter")), None);
    assert_eq!(app.model.composer.text(), "2027-02-30");
    app.press("backspace backspace");
    app.write("28");
    assert_eq!(said(&app.press("enter")), Some("2027-02-28"));
}
