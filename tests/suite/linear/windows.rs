//! Every command and every window, driven line by line without a terminal.

use std::sync::Arc;

use elenchus::app::commands::COMMANDS;
use elenchus::app::effect::{Outside, TerminalEffect};
use elenchus::app::{Effect, Msg, Options};
use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::host::protocol::{
    Answer, Command, Event, HandoffCommand, Kind, News, Notice, Query, Request, Setting, SetupNews, Shelves, Snapshot,
    TakesEffect, TaskCommand, TrustDetail, TrustQuestion, TrustedAct, TurnCommand, TurnNews,
};
use elenchus::linear::Linear;
use elenchus::tasks::TaskEvent;

use crate::app::support::{engine, listed, opened, sessions};

/// A front end with a session of project discovery open.
fn in_session() -> Linear {
    with(opened(&engine("project-discovery")))
}

fn with(snapshot: Snapshot) -> Linear {
    let mut linear = Linear::new(Options::default(), 80);
    hear(&mut linear, Event::Opened(Arc::new(snapshot)));
    linear.take_lines();
    linear
}

fn hear(linear: &mut Linear, event: Event) -> Vec<Command> {
    asked(linear.hear(Msg::host(event)))
}

/// What was asked of the host.
fn asked(effects: Vec<Effect>) -> Vec<Command> {
    let host = effects.into_iter().filter_map(|effect| match effect {
        Effect::Outside(Outside::Host(request)) => Some(request.command),
        _ => None,
    });
    host.collect()
}

fn line(linear: &mut Linear, line: &str) -> (Vec<Command>, String) {
    let commands = asked(linear.line(line));
    (commands, linear.take_lines().join("\n"))
}

#[test]
fn every_command_of_the_table_is_told_or_asks_something_of_the_host() {
    for entry in COMMANDS {
        let mut linear = in_session();
        let (asked, told) = line(&mut linear, &format!("/{}", entry.name));
        let does = !asked.is_empty() || !told.trim().is_empty() || linear.model.quitting;
        // What these do is the terminal's to show.
        assert!(
            does || matches!(entry.name, "copy" | "editor" | "print"),
            "/{} says nothing and does nothing",
            entry.name
        );
        // Whatever window it has opened, an empty line and a word are answered.
        for next in ["nonsense that no window knows", "", "esc"] {
            linear.line(next);
        }
    }
}

#[test]
fn a_line_of_a_pipe_waits_for_its_own_answer_and_no_other_trouble_ends_that() {
    let mut linear = in_session();
    let asked = linear.ask_when_done().expect("a session is open");
    let Effect::Outside(Outside::Host(Request { id: Some(id), command: Command::Ask(Query::Reached) })) = asked else {
        panic!("{asked:?}")
    };
    hear(&mut linear, Notice::error("something else went wrong"));
    assert!(!linear.is_settled(), "what was asked for is still to come");
    linear.hear(Msg::Host(News { answers: Some(id), ..Event::Answer(Answer::Reached).into() }));
    assert!(linear.is_settled());
}

#[test]
fn the_help_names_every_command() {
    let (_, told) = line(&mut in_session(), "/help");
    for entry in COMMANDS {
        assert!(told.contains(&format!("/{}", entry.name)), "{} is missing", entry.name);
    }
    let mut linear = in_session();
    line(&mut linear, "/help");
    let (asked, _) = line(&mut linear, "An app for clinics");
    assert!(says(&asked, "An app for clinics"), "the help is closed by itself: {asked:?}");
}

/// Whether this was said.
fn says(asked: &[Command], words: &str) -> bool {
    asked.iter().any(|command| matches!(command, Command::Turn(TurnCommand::Say { message }) if message == words))
}

#[test]
fn an_answer_is_told_line_by_line_as_it_comes() {
    let mut linear = in_session();
    line(&mut linear, "An app for clinics");
    let delta = |linear: &mut Linear, text: &str| {
        hear(linear, Event::Turn(TurnNews::Delta(text.to_owned())));
        linear.take_lines()
    };
    assert_eq!(delta(&mut linear, "I have **not"), Vec::<String>::new());
    assert_eq!(delta(&mut linear, "ed** it.\nWho"), ["Project discovery: I have noted it."]);
    assert_eq!(delta(&mut linear, " will use it?\n"), ["  Who will use it?"]);
    hear(&mut linear, Event::Turn(TurnNews::Revising(vec!["too short".to_owned()])));
    let anew = delta(&mut linear, "Another beginning.\n");
    assert_eq!(anew.len(), 2, "{anew:?}");
    assert!(anew[0].starts_with("Note: ") && anew[1] == "Project discovery: Another beginning.", "{anew:?}");
    hear(&mut linear, Event::Turn(TurnNews::Cancelled));
    let told = linear.take_lines().join("\n");
    assert!(told.contains("Draft: An app for clinics"), "{told}");
    let (asked, _) = line(&mut linear, "");
    assert!(says(&asked, "An app for clinics"), "an empty line sends the draft");
}

#[test]
fn the_first_screen_is_a_list_with_numbers_and_sessions_are_kept_by_words_behind_them() {
    let mut linear = Linear::new(Options::default(), 80);
    hear(&mut linear, Event::Answer(listed(sessions(), Shelves::default())));
    let told = linear.take_lines().join("\n");
    assert!(
        told.contains("1. Start: Project discovery") && told.contains("4. Go on with: Clinic intake app"),
        "{told}"
    );
    let (asked, _) = line(&mut linear, "5 archive");
    assert!(matches!(&asked[..], [Command::File(file), ..] if file.session == "02"), "{asked:?}");
    let (asked, _) = line(&mut linear, "4");
    assert!(matches!(&asked[..], [Command::Open(_), ..]), "{asked:?}");
}

#[test]
fn a_value_is_put_right_by_its_number_in_the_review() {
    let mut linear = in_session();
    let (_, told) = line(&mut linear, "/review");
    let number = told.lines().find_map(|line| line.split_once(". ").filter(|(_, rest)| rest.contains("Core problem")));
    let (number, _) = number.unwrap_or_else(|| panic!("{told}"));
    let (asked, _) = line(&mut linear, &format!("{number} the phones ring all day"));
    let corrected =
        |command: &Command| serde_json::to_value(command).unwrap().to_string().contains("the phones ring all day");
    assert!(asked.iter().any(corrected), "{asked:?}");
}

/// A question about what an engine would do, with a last line that has to be read.
fn question() -> TrustQuestion {
    let lines = (1..=300).map(|line| format!("echo line {line}")).collect();
    TrustQuestion {
        digest: "d1".to_owned(),
        origin: "/home/me/own".to_owned(),
        acts: vec![TrustedAct {
            words: "run /bin/sh ./scan.sh".to_owned(),
            handler: "scan".to_owned(),
            tasks: vec!["Scan".to_owned()],
            details: vec![TrustDetail { heading: "scan.sh".to_owned(), lines }],
        }],
        files: Vec::new(),
        held_by: Some("bubblewrap".to_owned()),
        obstacles: Vec::new(),
        doubt: None,
    }
}

fn waiting_task() -> TaskRecord {
    TaskRecord {
        id: "scan".to_owned(),
        name: "Scan".to_owned(),
        status: TaskStatus::NeedsUser,
        since_turn: 1,
        note: Some("it waits".to_owned()),
        ..TaskRecord::default()
    }
}

#[test]
fn leave_is_given_only_after_all_of_it_was_told_and_every_row_of_an_engine_is_marked() {
    let mut snapshot = opened(&engine("project-discovery"));
    snapshot.trust = Some(question());
    let mut linear = with(snapshot);
    hear(&mut linear, Event::Task(TaskEvent::Changed(waiting_task())));
    linear.take_lines();
    let (asked, told) = line(&mut linear, "/tasks scan");
    assert!(asked.is_empty() && told.contains("1. Scan"), "{told}");
    assert_eq!(linear.model.overlays.len(), 1);
    let (_, told) = line(&mut linear, "1");
    for row in (1..=300).map(|line| format!("echo line {line}")) {
        let marked = told.lines().any(|told| told.starts_with("| ") && told.ends_with(&row));
        assert!(marked, "{row} was told behind a mark");
    }
    assert!(
        told.lines().all(|line| line.chars().count() <= 80 || !line.starts_with('|')),
        "rows end where they are told"
    );
    assert!(told.contains("“allow”"), "{told}");
    assert_eq!(linear.model.overlays.len(), 2 - 1);
    let (asked, _) = line(&mut linear, "allow");
    let allowed = Command::Task(TaskCommand::DecideTrust { digest: "d1".to_owned(), trusted: true });
    assert_eq!(asked, [allowed]);
}

#[test]
fn what_is_asked_for_by_a_window_that_is_not_there_is_refused_in_words() {
    let mut linear = in_session();
    let (asked, told) = line(&mut linear, "/handoff");
    assert!(!asked.iter().any(|command| matches!(command, Command::Handoff(HandoffCommand::Accept))));
    assert!(told.starts_with("Note: "), "{told}");
    let (_, told) = line(&mut linear, "/review");
    assert!(told.contains("Answer with: a number"), "{told}");
    let (asked, told) = line(&mut linear, "999");
    assert!(asked.is_empty() && told.contains("No line has that number."), "{told}");
    let (asked, told) = line(&mut linear, "perhaps");
    assert!(asked.is_empty() && told.contains("none of the answers"), "{told}");
    let (_, told) = line(&mut linear, "/nonsense");
    assert!(told.starts_with("Warning: "), "{told}");
}

#[test]
fn findings_are_told_as_they_come_and_settings_are_changed_by_number_and_value() {
    use elenchus::host::protocol::{Finding, Kind, Setting, SetupCommand, SetupNews, TakesEffect};
    let mut linear = in_session();
    let (asked, _) = line(&mut linear, "/doctor");
    let Some(Command::Setup(SetupCommand::Examine { run, .. })) = asked.first().cloned() else { panic!("{asked:?}") };
    let finding = |area: &str| Finding::here(area, true, "all is well");
    hear(&mut linear, Event::Setup(SetupNews::Found { run, finding: finding("store") }));
    assert_eq!(linear.take_lines(), ["Works: store: all is well"]);
    hear(&mut linear, Event::Setup(SetupNews::Found { run, finding: finding("terminal") }));
    assert_eq!(linear.take_lines(), ["Works: terminal: all is well"]);
    hear(&mut linear, Event::Setup(SetupNews::Done { run }));
    assert_eq!(linear.take_lines(), ["done: nothing is wrong"]);
    assert!(linear.model.overlays.is_empty());

    let setting = |name: &str, kind: Kind, value: &str| Setting {
        path: vec![name.to_owned()],
        section: "General".to_owned(),
        name: name.to_owned(),
        about: "what it does".to_owned(),
        kind,
        stated: None,
        value: value.to_owned(),
        from: "default".to_owned(),
        overridden: false,
        effect: TakesEffect::AtOnce,
    };
    line(&mut linear, "/settings");
    let all = vec![setting("hints", Kind::Flag, "true"), setting("rewound_days", Kind::Count, "for good")];
    hear(&mut linear, Event::Setup(SetupNews::Settings(all)));
    let told = linear.take_lines().join("\n");
    assert!(told.contains("1. hints = true") && told.contains("2. rewound_days"), "{told}");
    let change = |asked: &[Command]| match asked {
        [Command::Setup(SetupCommand::Change { path, value })] => Some((path.join("."), value.clone())),
        _ => None,
    };
    let (asked, _) = line(&mut linear, "2 30");
    assert_eq!(change(&asked), Some(("rewound_days".to_owned(), Some("30".to_owned()))));
}

#[test]
fn an_endpoint_is_added_line_by_line() {
    use elenchus::host::protocol::SetupCommand;
    let mut linear = in_session();
    line(&mut linear, "/model");
    let found = elenchus::host::protocol::ModelsFound::default();
    hear(&mut linear, Event::Answer(Answer::Models(found)));
    let told = linear.take_lines().join("\n");
    assert!(told.contains("1. add an endpoint"), "{told}");
    let (_, told) = line(&mut linear, "1");
    assert!(told.contains("1. Provider") && told.contains("one of: "), "{told}");
    line(&mut linear, "1 ollama");
    line(&mut linear, "3 llama3.1");
    let (_, told) = line(&mut linear, "1 nobody");
    assert!(told.contains("is none of these"), "{told}");
    let mut saved = None;
    for number in 1..=10 {
        let (asked, _) = line(&mut linear, &number.to_string());
        saved = saved.or(asked.into_iter().find_map(|command| match command {
            Command::Setup(SetupCommand::Save { profile, .. }) => Some(profile),
            _ => None,
        }));
    }
    let saved = saved.expect("one of the lines keeps it");
    assert_eq!((saved.provider.as_str(), saved.model.as_str()), ("ollama", "llama3.1"));
}

/// A session in which a choice was asked for.
fn with_choice(language: &str) -> Linear {
    use elenchus::engine::answer_card::answer_card;
    use elenchus::engine::memory::{Asked, LanguageState};

    let engine = engine("project-discovery");
    let mut snapshot = opened(&engine);
    let memory = Arc::make_mut(&mut snapshot.memory);
    memory.language = LanguageState::begun_in(language.to_owned(), true);
    memory.asked = vec![Asked { obligation: "outage_screened".to_owned(), sure: true, ..Asked::default() }];
    snapshot.card = answer_card(&engine, memory);
    let mut linear = Linear::new(Options::default(), 80);
    hear(&mut linear, Event::Opened(Arc::new(snapshot)));
    linear
}

#[test]
fn answers_are_numbered_and_a_number_alone_chooses_one() {
    let mut linear = with_choice("en");
    let told = linear.take_lines().join("\n");
    let choices = "Answers: 1. minutes; 2. hours; 3. days; 4. weeks; 5. skip\n";
    assert!(told.contains(choices) && told.contains("A number chooses"), "{told}");
    let (asked, told) = line(&mut linear, "2");
    assert!(says(&asked, "hours"), "{asked:?}");
    assert!(told.starts_with("You: hours"), "a record says what was chosen: {told}");
    let (asked, _) = line(&mut with_choice("en"), "5.");
    let skip = elenchus::words::english();
    let skip = with_choice("en").model.session.unwrap().card.map_or(skip.name.clone(), |card| card.skip);
    assert!(says(&asked, &skip), "{asked:?}");
}

#[test]
fn anything_else_than_a_number_of_an_answer_is_said_as_it_stands() {
    for words in ["2 hours", "9", "0", "about a day"] {
        let (asked, _) = line(&mut with_choice("en"), words);
        assert!(says(&asked, words), "{words:?}: {asked:?}");
    }
    let mut linear = with_choice("de");
    assert!(linear.take_lines().join("\n").contains("Antworten: 1. Minuten; 2. Stunden;"));
    let mut off = with_choice("en");
    off.model.card.on = false;
    assert!(says(&line(&mut off, "2").0, "2"), "without cards a number is a number");
}

#[test]
fn answers_that_are_numbers_are_told_and_not_numbered() {
    let mut linear = with_choice("en");
    let session = linear.model.session.as_mut().unwrap();
    let card = session.card.as_mut().unwrap();
    card.choices = vec!["1 to 5".to_owned(), "more".to_owned()];
    let (asked, told) = line(&mut linear, "/sidebar");
    assert!(asked.is_empty() && !told.contains("1. 1 to 5"), "{told}");
    let (_, told) = line(&mut linear, "");
    assert!(told.contains("Answers: 1 to 5; more; skip"), "{told}");
    assert!(says(&line(&mut linear, "2").0, "2"));
    let mut linear = with_choice("en");
    let card = linear.model.session.as_mut().unwrap().card.as_mut().unwrap();
    card.choices =
        ["first", "second"].map(|which| format!("the {which} of two answers that take most of a line")).to_vec();
    line(&mut linear, "/sidebar");
    let (_, told) = line(&mut linear, "");
    assert!(told.contains("Answers:\n1. the first") && !told.contains("A number chooses"), "said once: {told}");
}

#[test]
fn an_aside_is_said_and_told_beside_the_conversation() {
    let mut linear = in_session();
    let (asked, _) = line(&mut linear, "/btw how long does this take?");
    let aside = |command: &Command| matches!(command, Command::Turn(TurnCommand::Aside { message }) if message == "how long does this take?");
    assert!(asked.iter().any(aside), "{asked:?}");
    hear(&mut linear, Event::Turn(TurnNews::Delta("Half an hour.\n".to_owned())));
    assert_eq!(linear.take_lines(), ["Project discovery (Aside): Half an hour."]);
}

/// The setting that a number stands for, and the whole list of settings as they stand.
fn settings(value: &str) -> Event {
    let setting = |name: &str, value: &str| Setting {
        path: vec![name.to_owned()],
        name: name.to_owned(),
        value: value.to_owned(),
        stated: Some(value.to_owned()),
        section: String::new(),
        about: String::new(),
        kind: if name == "theme" { Kind::Text } else { Kind::Count },
        from: "config.toml".to_owned(),
        overridden: false,
        effect: TakesEffect::AtOnce,
    };
    Event::Setup(SetupNews::Settings(vec![setting("theme", "dark"), setting("rewound_days", value)]))
}

#[test]
fn a_number_and_a_value_change_a_setting_without_another_question_and_tell_only_that_line() {
    let mut linear = in_session();
    linear.line("/settings");
    hear(&mut linear, settings("30"));
    let list = linear.take_lines().join("\n");
    assert!(list.contains("1. theme") && list.contains("2. rewound_days"), "{list}");
    let (commands, told) = line(&mut linear, "2 60");
    assert_eq!((commands.len(), told.as_str()), (1, ""), "the list is as it was until the file has it");
    hear(&mut linear, settings("60"));
    let told = linear.take_lines().join("\n");
    assert!(told.contains("2. rewound_days = 60") && !told.contains("theme"), "{told}");
}

#[test]
fn what_is_typed_is_never_answered_by_silence() {
    let mut linear = in_session();
    let (_, told) = line(&mut linear, "esc");
    assert!(told.contains("Nothing is open"), "{told}");
    line(&mut linear, "/theme");
    let (_, told) = line(&mut linear, "esc");
    assert!(told.contains("back in the conversation"), "{told}");
    line(&mut linear, "/theme");
    let (_, told) = line(&mut linear, "2");
    assert!(told.contains("back in the conversation"), "{told}");
    line(&mut linear, "/theme");
    linear.interrupt();
    let told = linear.take_lines().join("\n");
    assert!(told.contains("back in the conversation"), "{told}");
}

#[test]
fn a_copy_is_told_once_and_only_when_it_is_known_what_became_of_it() {
    let mut linear = in_session();
    let effects = linear.line("/copy");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Terminal(TerminalEffect::Copy(_)))));
    assert_eq!(linear.take_lines(), [""; 0]);
    linear.copied(Some(Msg::NotCopied("no clipboard was found".to_owned())));
    assert_eq!(linear.take_lines(), ["Warning: no clipboard was found"]);
    linear.line("/copy");
    linear.copied(None);
    assert_eq!(linear.take_lines().len(), 1);
}

#[test]
fn the_first_screen_is_told_once_with_the_list_as_it_is() {
    let mut linear = in_session();
    let (_, told) = line(&mut linear, "/sessions");
    assert!(!told.contains("1. ") && !linear.is_ready(), "a number would be that of an older list: {told}");
    hear(&mut linear, Event::Answer(listed(sessions(), Shelves::default())));
    let told = linear.take_lines().join("\n");
    assert!(told.contains("1. ") && linear.is_ready(), "{told}");
}
