//! What annoyed somebody who used the program for the first time: each has a test, so that it does not come back.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{MouseButton, MouseEventKind};
use elenchus::app::chat::{EntryKind, Scroll};
use elenchus::app::effect::TerminalEffect;
use elenchus::app::hints::Hints;
use elenchus::app::overlay::Overlay;
use elenchus::app::setup::form::Row;
use elenchus::app::{Effect, Msg};
use elenchus::engine::memory::{Asked, TaskRecord, TaskStatus};
use elenchus::engine::reading::Mistyped;
use elenchus::host::protocol::{
    Answer, Event, Finding, Open, SessionCommand, SessionNews, SetupCommand, SetupNews, Shelves,
};
use elenchus::tasks::TaskEvent;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::desk::Desk;
use super::frames::{Screen, USUAL, WIDE};
use super::known::informed;
use super::support::{App, listed, sessions};
use crate::support::program::Program;

#[test]
fn esc_puts_the_menu_of_commands_away_and_a_letter_brings_it_back() {
    let mut screen = Screen::in_session(USUAL, false);
    let text = screen.write("/").text();
    assert!(text.contains("Esc close") && text.contains('↓'), "{text}");
    assert!(!screen.press("esc").text().contains("/help "), "it is gone");
    assert_eq!(screen.0.model.composer.text(), "/", "what was written stays");
    assert!(screen.press("h e").text().contains("/help"));
    screen.press("backspace backspace enter");
    assert!(screen.0.model.turn.is_none(), "a bare slash is no message");
}

#[test]
fn a_question_is_asked_once_and_nothing_happens_behind_it() {
    let mut app = App::in_session(120, 40);
    app.turn("About 30 people use it.", "What annoys them?", &[]);
    app.press("alt-u");
    assert_eq!(app.press("alt-u alt-u alt-d alt-r alt-w"), []);
    assert_eq!(app.model.overlays.len(), 1);
    app.press("n F3");
    assert_eq!(app.press("alt-d"), [], "nobody would see it behind the review");
    assert!(app.toast().unwrap().contains("window"));
    for window in ["F6", "alt-c", "ctrl-p", "alt-n"] {
        let mut app = App::in_session(120, 40);
        app.press(&format!("{window} {window}"));
        assert!(app.model.overlays.len() < 2, "{window} opens once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_names_what_goes_with_the_last_turn() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("Nurses retype paper forms into two systems every morning.").await;
    for text in ["/correct budget 15000 €", "/correct deadline 2027-03-31"] {
        let typed = desk.screen.send(Msg::Paste(text.to_owned()));
        desk.carry_out(typed);
        desk.press("enter");
        desk.until(|desk| desk.says("put right")).await;
        desk.press("esc");
    }
    let typed = desk.screen.send(Msg::Paste("/undo 1".to_owned()));
    desk.carry_out(typed);
    desk.press("enter");
    let Some(Overlay::Confirm(asked)) = desk.screen.model.overlays.last() else { panic!("it asks") };
    assert!(asked.detail.contains("2 changes"), "{}", asked.detail);
    desk.press("y");
    desk.until(|desk| desk.turn() == 0).await;
    desk.press("alt-d");
    desk.until(|desk| desk.turn() == 1).await;
    let budget = desk.session().memory.extraction.value("constraints.budget").cloned();
    assert_eq!(budget, Some(json!("15000 €")), "it comes back with the turn");
    // Another answer would take them along as well, so that is asked too.
    desk.press("alt-r");
    let Some(Overlay::Confirm(asked)) = desk.screen.model.overlays.last() else { panic!("it asks") };
    assert!(asked.detail.contains("2 changes"), "{}", asked.detail);
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_is_read_like_an_answer_and_kept_as_it_stands_only_in_quotes() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("Nurses retype paper forms into two systems every morning. We have 12,000 € for it.").await;
    let value = |desk: &Desk, path: &str| desk.session().memory.extraction.value(path).cloned();
    let correct = async |desk: &mut Desk, text: &str, told: &str| {
        desk.press("esc esc");
        let typed = desk.screen.send(Msg::Paste(format!("/correct {text}")));
        desk.carry_out(typed);
        desk.press("enter");
        desk.until(|desk| desk.says(told)).await;
    };
    correct(&mut desk, "deadline abc", "no day").await;
    assert!(matches!(desk.screen.model.overlays.last(), Some(Overlay::Prompt(_))), "it is asked for once more");
    assert_eq!(value(&desk, "constraints.deadline"), None);
    correct(&mut desk, "deadline \"when the snow melts\"", "put right").await;
    assert_eq!(value(&desk, "constraints.deadline"), Some(json!("when the snow melts")));
    correct(&mut desk, "deadline end of June", "put right").await;
    correct(&mut desk, "budget a lot", "no amount").await;
    correct(&mut desk, "budget 12,000 €", "put right").await;
    correct(&mut desk, "budget 15000", "put right").await;
    desk.until(|desk| value(desk, "constraints.budget") != Some(json!("12,000 €"))).await;
    assert_eq!(value(&desk, "constraints.budget"), Some(json!("15000 €")), "the currency is known");
    desk.leave().await;
}

#[test]
fn what_is_refused_stands_in_its_field_again_with_what_is_wrong() {
    let mut screen = informed(WIDE, false);
    screen.press("F3");
    let at = |screen: &Screen| match screen.0.model.overlays.last() {
        Some(Overlay::Review(review)) => review.editing.clone(),
        other => panic!("no review but {other:?}"),
    };
    for _ in 0..60 {
        if screen.text().lines().any(|line| line.contains('▌') && line.contains("Deadline")) {
            break;
        }
        screen.press("down");
    }
    screen.press("enter ctrl-u").write("abc").press("enter");
    assert!(at(&screen).is_none());
    let (path, value) = ("constraints.deadline".to_owned(), json!("abc"));
    screen.send(Msg::host(Event::Session(SessionNews::NotCorrected { path, value, why: Mistyped::Day })));
    let edit = at(&screen).expect("it is open again");
    assert!(edit.text().ends_with("abc"), "{}", edit.text());
    assert!(edit.problem.unwrap().contains("in quotes"));
    assert!(screen.text().contains("no day"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_in_the_review_answers_the_question_and_the_conversation_goes_on() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.screen.send(Msg::Resize(120, 300));
    let asked =
        |desk: &Desk| desk.session().memory.asked.iter().any(|asked| asked.obligation == "confirm_project_scope");
    let answers = include_str!("../linear/clinic.txt");
    let said = answers.lines().filter(|line| !line.starts_with('/') && !line.is_empty());
    for line in said.take_while(|line| *line != "yes") {
        if asked(&desk) {
            break;
        }
        desk.say(line).await;
    }
    for _ in 0..40 {
        if asked(&desk) {
            break;
        }
        desk.say("We do not know that yet.").await;
    }
    assert!(asked(&desk), "{}", desk.text());
    let turn = desk.turn();
    desk.press("F3");
    desk.text();
    desk.press("y");
    desk.until(|desk| desk.turn() > turn).await;
    assert!(!asked(&desk), "it is answered");
    let told: Vec<&str> = desk.screen.model.chat.entries.iter().rev().take(4).map(|entry| &*entry.text).collect();
    assert!(told.iter().any(|text| text.contains("F5") && text.contains("/export")), "{told:?}");
    assert!(desk.session().memory.exit_offer.is_some(), "what comes next is offered");
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_set_by_hand_answers_the_question_on_the_table() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("We want a booking app for our clinic.").await;
    let open = desk.session().memory.asked[0].obligation.clone();
    assert_eq!(open, "trigger_event_known");
    let correction = "/correct purpose_and_problem.trigger_event The phone is engaged all day";
    let typed = desk.screen.send(Msg::Paste(correction.to_owned()));
    desk.carry_out(typed);
    desk.press("enter");
    desk.until(|desk| desk.says("put right")).await;
    desk.say("Thanks.").await;
    let asked = &desk.session().memory.asked;
    assert!(!asked.is_empty() && asked[0].obligation != open, "{open}: {asked:?}");
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_back_are_not_held_against_the_user_and_doubts_stay_in_the_brief() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.say("We want a booking app for our clinic.").await;
    desk.say("Patients cannot book outside phone hours, and many give up.").await;
    let open = desk.session().memory.asked[0].obligation.clone();
    for _ in 0..7 {
        desk.say("Why do you ask?").await;
    }
    let path = "purpose_and_problem.core_problem";
    let typed = desk.screen.send(Msg::Paste(format!("/correct {path} The phone is engaged all day")));
    desk.carry_out(typed);
    desk.press("enter");
    desk.until(|desk| desk.says("put right")).await;
    let deferred = desk.session().memory.obligations.get(&open).unwrap().deferred.clone();
    assert_eq!(deferred, None, "{open} was not asked in vain");
    desk.press("esc F3");
    desk.press("esc F5");
    desk.until(|desk| desk.screen.model.brief.as_ref().is_some_and(|brief| brief.text.is_some())).await;
    desk.press("esc");
    assert!(desk.screen.model.brief.is_none(), "Esc puts the brief away");
    desk.leave().await;
}

#[test]
fn the_help_goes_to_its_end_and_back_at_once() {
    let mut screen = Screen::talked(USUAL, false);
    let end = screen.press("F1 end").text();
    assert!(!end.contains('↓'), "{end}");
    let up = screen.press("up").text();
    assert!(up.contains("↓ 1"), "{up}");
    for _ in 0..400 {
        screen.press("down");
    }
    screen.text();
    assert!(screen.press("up").text().contains("↓ 1"), "the end is the end");
}

#[test]
fn the_sidebar_shows_what_is_asked_with_values_in_full() {
    let mut screen = informed((100, 30), false);
    let text = screen.text();
    assert!(text.contains("Nurses retype paper forms"), "{text}");
    let session = screen.0.model.session.as_mut().unwrap();
    let memory = Arc::make_mut(&mut session.memory);
    let last = session.sidebar.sections.iter().rfind(|section| section.visible).unwrap().clone();
    let obligation = last.items.last().unwrap().obligation_id.clone();
    memory.asked = vec![Asked { obligation, ..Asked::default() }];
    let text = screen.text();
    assert!(text.contains(&last.title), "{} in {text}", last.title);
    assert!(text.contains("Completeness"), "what tells of the whole stays: {text}");
}

#[test]
fn words_are_found_where_one_is_looking() {
    let mut app = App::in_session(120, 40);
    for n in 0..6 {
        app.turn(&format!("forms number {n}"), "And what else is there?", &[]);
    }
    let current = |app: &App| app.model.chat.find.as_ref().map(|find| find.matches[find.current].entry);
    let entry = app.model.chat.entries.iter().position(|entry| &*entry.text == "forms number 1").unwrap();
    app.model.chat.scroll = Scroll::At { entry, row: 0 };
    app.press("ctrl-f");
    app.write("forms");
    app.press("enter");
    assert_eq!(current(&app), Some(entry));
}

#[test]
fn a_hint_that_nobody_wants_goes_after_three_answers() {
    let mut app = App::in_session(120, 40);
    app.model.hints = Hints::new(true, []);
    let shown = |app: &App| elenchus::app::hints::shown(&app.model);
    let first = shown(&app);
    assert!(first.is_some());
    for n in 0..3 {
        assert_eq!(shown(&app), first, "after {n} answers");
        app.turn(&format!("That is fact {n}."), "And what else?", &[]);
    }
    assert_ne!(shown(&app), first);
}

#[test]
fn an_address_that_is_typed_on_the_first_line_is_an_address() {
    let mut app = App::at(100, 30);
    app.list();
    app.press("alt-m");
    app.send(Msg::host(Event::Answer(Answer::Models(elenchus::host::protocol::ModelsFound::default()))));
    app.press("end enter");
    let form = |app: &App| match app.model.overlays.last() {
        Some(Overlay::Endpoint(form)) => (**form).clone(),
        other => panic!("no form but {other:?}"),
    };
    app.write("http://10.0.0.7:8000/v1");
    assert_eq!((form(&app).at, form(&app).address.text()), (Row::Address, "http://10.0.0.7:8000/v1"));
    assert_eq!(form(&app).provider, None);
    app.press("esc alt-m");
    app.send(Msg::host(Event::Answer(Answer::Models(elenchus::host::protocol::ModelsFound::default()))));
    app.press("end enter");
    assert_eq!((form(&app).at, form(&app).address.text()), (Row::Provider, "http://10.0.0.7:8000/v1"));
}

#[test]
fn the_doctor_says_what_a_trial_takes_and_asks_before_it() {
    let mut app = App::in_session(100, 30);
    assert_eq!(app.press("F7"), [Effect::host(SetupCommand::Examine { run: 1, tries: false })]);
    let finding = Finding::here(elenchus::host::doctor::TRIAL, true, "about 8 requests and 8000 tokens");
    app.send(Msg::host(Event::Setup(SetupNews::Found { run: 1, finding })));
    assert_eq!(app.press("y"), [], "it is still looking");
    app.send(Msg::host(Event::Setup(SetupNews::Done { run: 1 })));
    assert_eq!(app.press("y"), [Effect::host(SetupCommand::Examine { run: 2, tries: true })]);
}

#[test]
fn who_looks_elsewhere_is_called_for_a_task_that_is_done_or_waits_for_leave() {
    let mut app = App::in_session(120, 40);
    let task = |status| TaskRecord { id: "scan".to_owned(), name: "Scan".to_owned(), status, ..TaskRecord::default() };
    let hear = |app: &mut App, status| app.send(Msg::host(Event::Task(TaskEvent::Changed(task(status)))));
    assert_eq!(hear(&mut app, TaskStatus::Completed), [], "who looks sees it");
    app.send(Msg::Focus(false));
    for (status, told) in [(TaskStatus::NeedsUser, "needs you"), (TaskStatus::Completed, "is done")] {
        let effects = hear(&mut app, status);
        let [Effect::Terminal(TerminalEffect::Notify(text))] = &effects[..] else { panic!("{effects:?}") };
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn what_is_dragged_over_has_no_marks_and_no_breaks_of_the_pane() {
    let mut screen = Screen::in_session((80, 24), false);
    let said = "Nurses retype paper forms into two systems every morning, which costs two hours a day and brings \
                mistakes that nobody finds.";
    let mut app = App { model: screen.0.model.clone() };
    app.turn(said, "Who does it?", &[]);
    screen.0.model = app.model;
    let from = screen.place("Nurses retype");
    let to = screen.place("nobody finds.");
    screen.mouse(MouseEventKind::Down(MouseButton::Left), (from.0.saturating_sub(2), from.1));
    screen.mouse(MouseEventKind::Drag(MouseButton::Left), (to.0 + 12, to.1));
    screen.mouse(MouseEventKind::Up(MouseButton::Left), (to.0 + 12, to.1));
    screen.text();
    assert_eq!(screen.0.take_selected(), Some(said.to_owned()));
}

#[test]
fn sessions_of_the_same_beginning_are_told_apart_and_turns_stay_in_view() {
    for size in [(100, 30), (80, 24)] {
        let mut screen = Screen::at(size, false);
        let mut all = sessions();
        all[0].title = "An online booking page for our climbing hall in the old mill".to_owned();
        all[1].title = "An online booking page for our climbing hall by the station".to_owned();
        all[0].tags = vec!["a-rather-long-tag".to_owned(), "another-one".to_owned()];
        screen.send(Msg::host(Event::Answer(listed(all, Shelves::default()))));
        let text = screen.text();
        assert!(text.contains("old mill") && text.contains("station"), "{text}");
        assert!(text.contains("7 turns") && text.contains("58 %") && text.contains("12 turns"), "{text}");
    }
}

#[test]
fn what_is_written_first_decides_on_the_language() {
    let mut app = App::at(100, 30);
    app.list();
    app.write("Wir wollen eine App");
    let effects = app.press("enter");
    let engine = "project-discovery".to_owned();
    let words = "Wir wollen eine App".to_owned();
    assert_eq!(effects, [Effect::host(Open::Saying { engine, words })]);
}

#[test]
fn the_last_questions_stay_in_the_conversation() {
    let mut app = App::in_session(100, 30);
    app.send(Msg::host(Event::Session(SessionNews::Remark("the last 5: a, b, c, d, e".to_owned()))));
    app.wait_until(Duration::from_mins(10).as_secs());
    assert!(
        app.model.chat.entries.iter().any(|entry| entry.kind == EntryKind::Note && entry.text.contains("the last 5"))
    );
}

#[test]
fn what_nobody_can_be_sure_of_is_not_claimed() {
    let mut app = App::in_session(100, 30);
    app.turn("About 30 people use it.", "What annoys them?", &[]);
    app.press("alt-y");
    assert_eq!(app.toast(), Some("copied the message"));
    app.send(Msg::NotSureCopied);
    assert!(app.toast().unwrap().contains("/export"), "{:?}", app.toast());
}

#[test]
fn a_message_that_was_taken_up_and_not_changed_is_put_down_again() {
    let mut app = App::in_session(120, 40);
    app.turn("About 30 people use it.", "What annoys them?", &[]);
    app.press("alt-e enter");
    assert!(app.toast().unwrap().contains("nothing was sent"), "{:?}", app.toast());
    assert!(app.model.composer.is_empty() && app.model.composer.editing.is_none());
}

#[test]
fn esc_puts_a_brief_away_that_is_behind_the_conversation() {
    let mut screen = Screen::in_session((60, 20), false);
    screen.press("F5");
    assert!(screen.0.model.brief.is_some());
    screen.0.model.focus = elenchus::app::model::Focus::Composer;
    screen.press("esc");
    assert!(screen.0.model.brief.is_none(), "it is not shown once more");
}

#[test]
fn what_is_told_stands_below_a_drawer_and_not_on_it() {
    for size in [(60, 20), (20, 5)] {
        let mut screen = Screen::in_session(size, false);
        screen.press("F5");
        let model = &mut screen.0.model;
        model.toasts.tell(elenchus::app::toasts::Level::Warning, "something is to be told", Duration::ZERO);
        let place = elenchus::app::layout::compute(model.area(), model);
        let drawer = place.sidebar.expect("the brief is there");
        assert!(drawer.intersection(place.toast).is_empty(), "{size:?}: {drawer:?} {:?}", place.toast);
    }
}

#[test]
fn whoever_just_begins_to_write_begins_with_the_usual_engine() {
    let mut app = App::at(120, 40);
    let Answer::Sessions { mut engines, shelves, .. } = listed(Vec::new(), Shelves::default()) else { panic!() };
    engines.reverse();
    app.send(Msg::host(Event::Answer(Answer::Sessions { engines, sessions: Vec::new(), shelves })));
    app.write("We need an app");
    assert_eq!(app.model.picker.engines[app.model.picker.engine].id, "project-discovery");
}

#[test]
fn a_name_that_nothing_has_leaves_the_whole_list_and_says_so() {
    let mut app = App::in_session(120, 40);
    app.write("/correct nonsense 5");
    app.press("enter");
    assert!(app.toast().unwrap().contains("nonsense 5"), "{:?}", app.toast());
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Chooser(list)) if !list.fitting.is_empty()));
}

#[test]
fn an_emptied_field_of_the_review_asks_whether_its_value_goes() {
    let mut screen = informed(WIDE, false);
    screen.press("F3 e");
    let length = |screen: &Screen| match screen.0.model.overlays.last() {
        Some(Overlay::Review(review)) => review.editing.as_ref().map_or(0, |edit| edit.text().chars().count()),
        other => panic!("no review but {other:?}"),
    };
    while length(&screen) == 0 {
        screen.press("esc down e");
    }
    let length = length(&screen);
    for _ in 0..=length {
        screen.press("backspace");
    }
    screen.press("enter");
    assert!(matches!(screen.0.model.overlays.last(), Some(Overlay::Confirm(_))));
}

#[test]
fn a_typed_model_is_gone_on_with_and_a_form_that_is_left_says_so() {
    let mut app = App::in_session(120, 40);
    app.model.overlays.push(Overlay::Endpoint(Box::default()));
    app.press("down");
    app.write("http://models.example.org/v1");
    let Some(Overlay::Endpoint(form)) = app.model.overlays.last_mut() else { panic!("no form") };
    (form.at, form.leads.host) = (Row::Model, "models.example.org".to_owned());
    assert!(matches!(app.press("enter")[..], [Effect::Outside(_)]), "without a name it asks for the list");
    app.press("esc");
    app.write("large-1");
    assert_eq!(app.press("enter"), []);
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Endpoint(form)) if form.at == Row::Key));
    app.press("esc");
    assert!(app.toast().unwrap().contains("/model"), "{:?}", app.toast());
}

/// Who says yes to all in the review has seen what counts, and does not agree to what somebody else has said against it.
#[tokio::test(flavor = "multi_thread")]
async fn a_yes_in_the_review_is_to_what_is_noted_and_not_to_what_was_said_against_it() {
    let program = Program::new();
    let mut desk = Desk::at(&program, false);
    desk.begin("project-discovery").await;
    desk.screen.send(Msg::Resize(120, 300));
    desk.say("We want a booking app for our clinic.").await;
    let typed = desk.screen.send(Msg::Paste("/correct budget 15000 €".to_owned()));
    desk.carry_out(typed);
    desk.press("enter");
    desk.until(|desk| desk.says("put right")).await;
    let form = program.folder().join("form.md");
    std::fs::write(&form, "<!-- answer to budget_known -->\n90,000 euros\n<!-- end of answer -->\n").unwrap();
    let (file, speaker) = (form.display().to_string(), "Ada Roe".to_owned());
    desk.carry_out(vec![Effect::host(SessionCommand::ImportAnswers { file, speaker })]);
    desk.until(|desk| desk.says("says otherwise")).await;
    desk.press("esc F3");
    assert!(desk.text().contains("Ada Roe says otherwise: 90,000 euros"), "{}", desk.text());
    desk.press("y");
    desk.until(|desk| desk.says("confirmed")).await;
    let budget = desk.session().memory.extraction.get("constraints.budget").cloned().unwrap();
    assert_eq!((budget.value, budget.candidate), (Some(json!("15000 €")), None));
    desk.leave().await;
}

#[test]
fn what_is_typed_into_the_review_is_in_view_in_the_smallest_window() {
    let mut screen = informed((20, 5), false);
    screen.press("F3 e");
    let text = screen.write("zzz").text();
    assert!(text.contains("zzz"), "{text}");
}
