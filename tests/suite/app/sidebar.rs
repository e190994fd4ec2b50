//! The sidebar: rows, cursor, folding, the evidence card, tasks.

use elenchus::app::msg::CardMsg;
use elenchus::app::overlay::{Asking, Overlay};
use elenchus::app::sidebar::Row;
use elenchus::app::{Effect, Focus, Msg};
use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::host::protocol::{Edit, Event, SessionNews, TaskCommand, TrustQuestion, TrustedAct};
use elenchus::tasks::TaskEvent;
use elenchus::words::english;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::App;

fn informed() -> App {
    let mut app = App::in_session(120, 40);
    let readings = [("purpose_and_problem.core_problem", json!("Nurses retype forms"), 0.95, "Nurses retype forms")];
    app.turn("Nurses retype forms all day.", "How often?", &readings);
    app.press("tab");
    app
}

fn rows(app: &App) -> Vec<String> {
    let rows = app.model.sidebar.rows(&app.model.session.as_ref().unwrap().sidebar, english());
    rows.iter()
        .filter_map(|row| match row {
            Row::Section(section, folded) => Some(format!("[{} {folded}]", section.title)),
            Row::Item(item) => Some(item.label.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn sections_fold_and_unfold_and_the_cursor_stays_on_their_head() {
    let mut app = informed();
    let open = rows(&app);
    assert!(open[0].ends_with("false]"), "{open:?}");
    app.press("down down left");
    let folded = rows(&app);
    assert!(folded[0].ends_with("true]") && folded.len() < open.len(), "{folded:?}");
    assert_eq!(app.model.sidebar.cursor, 0);
    app.press("space");
    assert_eq!(rows(&app), open);
}

#[test]
fn words_typed_at_the_sidebar_are_written_and_change_nothing() {
    for words in ["could we add", "how many more", "edit", "just", "delay"] {
        let mut app = informed();
        app.press("down down down");
        for letter in words.chars() {
            let name = if letter == ' ' { "space".to_owned() } else { letter.to_string() };
            let effects = app.press(&name);
            assert_eq!(effects, [], "{words:?} at {letter:?}");
        }
        assert_eq!(app.model.composer.text(), words);
        assert_eq!((app.model.focus, app.model.overlays.len()), (Focus::Composer, 0));
    }
}

#[test]
fn enter_opens_the_evidence_card_and_enter_again_jumps_to_the_words() {
    let mut app = informed();
    app.press("down down down enter");
    assert!(
        matches!(app.model.overlays.last(), Some(Overlay::Evidence(card)) if card.obligation == "core_problem_stated")
    );
    app.press("enter");
    let highlight = app.model.chat.highlight.clone().unwrap();
    let text = &app.model.chat.entries[highlight.entry].text;
    assert_eq!(&text[highlight.bytes], "Nurses retype forms");
    assert_eq!((app.model.focus, app.model.overlays.len()), (Focus::Chat, 0));
    assert!(app.model.chat.reveal.is_some());
}

#[test]
fn the_card_corrects_defers_and_clears() {
    let mut app = informed();
    app.press("down down down enter");
    assert_eq!(app.press("d"), [Effect::host(Edit::Defer { obligation: "core_problem_stated".to_owned() })]);
    app.press("e");
    let Some(Overlay::Prompt(prompt)) = app.model.overlays.last() else { panic!("no prompt") };
    assert_eq!(prompt.input.text(), "Nurses retype forms");
    assert!(matches!(&prompt.asking, Asking::Correct { path, .. } if path == "purpose_and_problem.core_problem"));
    app.press("ctrl-u");
    app.write("Double entry");
    let correct = Edit::Correct { path: "purpose_and_problem.core_problem".to_owned(), value: json!("Double entry") };
    assert_eq!(app.press("enter"), [Effect::host(correct)]);
    assert_eq!(app.press("c"), []);
    let clear = Edit::Clear { path: "purpose_and_problem.core_problem".to_owned() };
    assert_eq!(app.press("y"), [Effect::host(clear)]);
}

#[test]
fn a_narrow_window_opens_the_sidebar_as_a_drawer() {
    let mut app = App::in_session(80, 24);
    let drawer = |app: &App| elenchus::app::layout::compute(app.model.area(), &app.model).sidebar;
    assert_eq!(drawer(&app), None);
    app.press("tab");
    assert!(drawer(&app).is_some());
    app.press("esc");
    assert_eq!((drawer(&app), app.model.focus), (None, Focus::Composer));
}

#[test]
fn a_task_that_fails_is_told_once_and_counted_while_it_runs() {
    let mut app = informed();
    app.send(task(TaskStatus::Running, None));
    assert!(app.model.wants_clock());
    assert!(app.model.sidebar.since.contains_key("scan"));
    app.send(task(TaskStatus::Failed, Some("no answer within 30 s")));
    assert_eq!(app.toast(), Some("Competitor scan: no answer within 30 s"));
    assert!(app.model.sidebar.since.is_empty());
}

#[test]
fn progress_of_a_task_and_what_it_waits_for_stand_under_it() {
    let mut app = informed();
    app.send(task(TaskStatus::Running, Some("3 of 12 pages read")));
    assert!(notes(&app).contains(&"3 of 12 pages read".to_owned()));
    app.send(task(TaskStatus::Completed, Some("from the model")));
    assert!(!notes(&app).contains(&"from the model".to_owned()));
    assert_eq!(app.toast(), Some("Competitor scan is done"));
}

#[test]
fn a_task_whose_turn_was_taken_back_is_shown_no_more() {
    let mut app = informed();
    app.send(task(TaskStatus::Running, Some("3 of 12 pages read")));
    app.send(Msg::host(Event::Task(TaskEvent::Withdrawn { task: "scan".to_owned() })));
    assert!(notes(&app).is_empty());
    assert!(app.model.sidebar.since.is_empty());
    assert!(!app.model.has_running_task());
}

#[test]
fn a_task_that_could_not_be_kept_is_told_by_its_name() {
    let mut app = informed();
    app.send(task(TaskStatus::Running, None));
    app.send(Msg::host(Event::Task(TaskEvent::NotKept {
        task: "scan".to_owned(),
        reason: "the disk is full".to_owned(),
    })));
    assert_eq!(app.toast(), Some("Competitor scan: what happened to it could not be saved: the disk is full"));
}

#[test]
fn a_task_that_failed_can_be_tried_again_and_one_that_hangs_can_be_left_behind() {
    let mut app = informed();
    app.send(task(TaskStatus::Failed, Some("no answer")));
    app.press("alt-b");
    app.press("enter");
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Task(card)) if card.task == "scan"));
    assert_eq!(app.press("n"), []);
    assert_eq!(app.press("y"), [Effect::host(TaskCommand::Retry("scan".to_owned()))]);
    assert!(app.model.overlays.is_empty());
    app.send(task(TaskStatus::Running, None));
    app.press("alt-b");
    app.press("enter");
    assert_eq!(app.press("y"), []);
    assert_eq!(app.press("n"), [Effect::host(TaskCommand::Skip("scan".to_owned()))]);
}

#[test]
fn nothing_of_an_engine_from_outside_is_allowed_by_enter_alone() {
    let mut app = informed();
    app.send(task(TaskStatus::NeedsUser, Some("this engine would run a program")));
    assert!(app.toast().unwrap().contains("/tasks"));
    let acts = vec![TrustedAct {
        words: "run /usr/bin/scan".to_owned(),
        handler: "scan".to_owned(),
        tasks: vec!["Competitor scan".to_owned()],
        details: Vec::new(),
    }];
    let question = TrustQuestion { digest: "abc".to_owned(), origin: "/engines/own".to_owned(), acts, ..asked() };
    app.send(Msg::host(Event::Session(SessionNews::Trust(Some(question)))));
    let decision = |trusted| [Effect::host(TaskCommand::DecideTrust { digest: "abc".to_owned(), trusted })];
    for (key, trusted) in [("y", true), ("n", false)] {
        app.press("alt-b");
        app.press("enter");
        app.send(Msg::Card(CardMsg { columns: 80, rows: 10, top: 0, visible: 10 }));
        assert_eq!(app.press("enter"), []);
        assert_eq!(app.press(key), decision(trusted));
    }
}

#[test]
fn nothing_is_allowed_before_all_of_it_was_on_the_screen() {
    let mut app = informed();
    app.send(task(TaskStatus::NeedsUser, Some("this engine would run a program")));
    let asks = |app: &mut App, digest: &str| {
        let acts = vec![TrustedAct {
            words: "run /usr/bin/scan".to_owned(),
            handler: "scan".to_owned(),
            tasks: vec!["Competitor scan".to_owned()],
            details: Vec::new(),
        }];
        let question = TrustQuestion { digest: digest.to_owned(), origin: "/engines/own".to_owned(), acts, ..asked() };
        app.send(Msg::host(Event::Session(SessionNews::Trust(Some(question)))));
    };
    let shows = |app: &mut App, columns: u16, rows: usize, top: usize| {
        app.send(Msg::Card(CardMsg { columns, rows, top, visible: 10 }));
        app.press("y")
    };
    asks(&mut app, "abc");
    app.press("alt-b enter");
    assert_eq!(app.press("y"), [], "not before it was drawn");
    assert_eq!(shows(&mut app, 80, 25, 0), []);
    assert_eq!(shows(&mut app, 80, 25, 15), [], "five rows were skipped");
    assert_eq!(shows(&mut app, 80, 25, 8), []);
    assert_eq!(shows(&mut app, 60, 33, 20), [], "laid out anew, the rows are others");
    assert_eq!(shows(&mut app, 60, 33, 0), []);
    assert_eq!(shows(&mut app, 60, 33, 10), []);
    assert_eq!(shows(&mut app, 60, 33, 18), []);
    asks(&mut app, "def");
    assert_eq!(shows(&mut app, 60, 33, 23), [], "it is another question now");
    asks(&mut app, "abc");
    assert_eq!(shows(&mut app, 60, 12, 0), []);
    let decision = Effect::host(TaskCommand::DecideTrust { digest: "abc".to_owned(), trusted: true });
    assert_eq!(shows(&mut app, 60, 12, 2), [decision]);
}

/// A question with nothing in it yet.
fn asked() -> TrustQuestion {
    let (digest, origin) = (String::new(), String::new());
    TrustQuestion {
        digest,
        origin,
        acts: Vec::new(),
        files: Vec::new(),
        held_by: None,
        obstacles: Vec::new(),
        doubt: None,
    }
}

fn task(status: TaskStatus, note: Option<&str>) -> Msg {
    let note = note.map(ToOwned::to_owned);
    let (id, name) = ("scan".to_owned(), "Competitor scan".to_owned());
    let record = TaskRecord { id, name, status, since_turn: 1, attempts: 1, note, ..TaskRecord::default() };
    Msg::host(Event::Task(TaskEvent::Changed(record)))
}

/// The notes under tasks.
fn notes(app: &App) -> Vec<String> {
    let session = app.model.session.as_ref().unwrap();
    let rows = app.model.sidebar.rows(&session.sidebar, english());
    let notes = rows.into_iter().filter_map(|row| match row {
        Row::TaskNote(note) => Some(note.to_owned()),
        _ => None,
    });
    notes.collect()
}
