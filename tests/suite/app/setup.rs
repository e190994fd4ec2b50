//! Setting up in the app: the list of models, the form for an endpoint, consent, the settings, the doctor, hints.

use std::path::PathBuf;
use std::time::Duration;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use elenchus::app::effect::Outside;
use elenchus::app::hints::Hints;
use elenchus::app::layout;
use elenchus::app::overlay::Overlay;
use elenchus::app::setup::form::Row;
use elenchus::app::setup::settings::SettingRow;
use elenchus::app::setup::{EndpointForm, SettingsScreen};
use elenchus::app::{Effect, Msg};
use elenchus::host::protocol::{
    Answer, Endpoint, Event, Finding, KeyDraft, LeadsTo, ModelChoice, ModelsFound, Outcome, ProfileDraft, Setting,
    SetupCommand, SetupNews, Shelves, UseModel,
};
use elenchus::settings::{Flags, Surroundings, settings};
use pretty_assertions::assert_eq;

use super::frames::{EVERY, Screen, USUAL, WIDE, drawn};
use super::support::{App, engines, sessions};

fn news(news: SetupNews) -> Msg {
    Msg::host(Event::Setup(news))
}

fn choice(id: &str, label: &str, detail: &str, in_use: bool) -> ModelChoice {
    ModelChoice { id: id.to_owned(), label: label.to_owned(), detail: detail.to_owned(), in_use }
}

fn models(looking: bool) -> Msg {
    let mut models = vec![
        choice("", "offline interviewer", "asks the engine's own questions; nothing is sent", false),
        choice("work", "work", "your profile: large at models.example.com", true),
    ];
    if !looking {
        let detail = "Ollama on this machine, 127.0.0.1:11434";
        models.push(choice("http://127.0.0.1:11434/v1 llama3.1", "llama3.1", detail, false));
    }
    Msg::host(Event::Answer(Answer::Models(ModelsFound { models, looking })))
}

fn form(app: &App) -> &EndpointForm {
    match app.model.overlays.last() {
        Some(Overlay::Endpoint(form)) => form,
        other => panic!("no form but {other:?}"),
    }
}

/// The form, opened from the list of models.
fn adding(columns: u16, rows: u16) -> App {
    let mut app = App::at(columns, rows);
    app.press("alt-m");
    app.send(models(false));
    app.write("add an");
    app.press("enter");
    app
}

/// A form that is filled in for a server of one's own.
fn filled(columns: u16, rows: u16) -> App {
    let mut app = adding(columns, rows);
    app.press("down");
    app.write("https://models.example.com/v1");
    app.press("down down");
    app.write("large");
    app
}

fn draft() -> ProfileDraft {
    ProfileDraft {
        name: "models".to_owned(),
        provider: "openai".to_owned(),
        endpoint: "https://models.example.com/v1".to_owned(),
        model: "large".to_owned(),
        key: KeyDraft::Usual,
    }
}

fn found(area: &str, outcome: Outcome, words: &str) -> Finding {
    Finding { area: area.to_owned(), outcome, words: words.to_owned(), of_endpoint: true }
}

#[test]
fn the_list_grows_under_the_cursor_and_says_what_is_in_use() {
    let mut app = App::in_session(120, 40);
    let host = "models.example.com".to_owned();
    app.send(Msg::host(Event::Endpoint(Endpoint { label: "large".to_owned(), offline: false, host })));
    app.press("alt-m");
    app.send(models(true));
    let Some(Overlay::Chooser(list)) = app.model.overlays.last() else { panic!("no list") };
    assert!(list.heading.contains("large at models.example.com"), "{}", list.heading);
    assert_eq!(list.chosen().unwrap().label, "work", "the one in use is under the cursor");
    app.press("up");
    app.send(models(false));
    let Some(Overlay::Chooser(list)) = app.model.overlays.last() else { panic!("no list") };
    assert_eq!((list.chosen().unwrap().label.as_str(), list.waiting), ("offline interviewer", false));
    app.press("down down");
    assert_eq!(app.press("enter"), [Effect::host(UseModel("http://127.0.0.1:11434/v1 llama3.1".to_owned()))]);
}

#[test]
fn a_form_becomes_a_profile_and_guesses_its_name() {
    let app = filled(120, 40);
    assert_eq!(form(&app).draft(), draft());
    let mut app = adding(120, 40);
    assert_eq!(form(&app).draft().provider, "", "nothing is named by default");
    // A letter goes to a provider; its address, protocol and usual key are known.
    app.write("an");
    assert_eq!(form(&app).draft().provider, "anthropic");
    assert_eq!(form(&app).draft().endpoint, "", "the provider's own is not written down");
    assert!(!form(&app).rows().contains(&Row::Protocol));
    app.press("down down down");
    assert_eq!(form(&app).at, Row::Key);
    app.press("right down");
    assert_eq!(form(&app).at, Row::KeyPlace);
    app.write("WORK_KEY");
    assert_eq!(form(&app).draft().key, KeyDraft::Variable("WORK_KEY".to_owned()));
    assert_eq!(form(&app).draft().name, "anthropic");
}

#[test]
fn every_change_is_looked_at_and_what_comes_late_is_not_taken_for_it() {
    let mut app = filled(120, 40);
    let leads = LeadsTo { host: "models.example.com".to_owned(), ..LeadsTo::default() };
    app.send(news(SetupNews::Checked { profile: ProfileDraft::default(), leads: leads.clone() }));
    assert_eq!(form(&app).leads, LeadsTo::default());
    app.send(news(SetupNews::Checked { profile: draft(), leads: leads.clone() }));
    assert_eq!(form(&app).leads, leads);
    let changed = ProfileDraft { model: "larges".to_owned(), ..draft() };
    assert_eq!(app.write("s"), [Effect::host(SetupCommand::Check(changed))]);
}

#[test]
fn nothing_goes_to_a_host_before_an_explicit_yes() {
    let mut app = filled(120, 40);
    // Without a name the endpoint is asked for its list.
    app.press("backspace backspace backspace backspace backspace");
    let list = SetupCommand::ListModels(ProfileDraft { model: String::new(), ..draft() });
    assert_eq!(app.press("enter"), [Effect::host(list.clone())]);
    let host = "models.example.com".to_owned();
    let consent = SetupNews::Consent { host: host.clone(), here: false, then: Box::new(list.clone()) };
    app.send(news(consent.clone()));
    let Some(Overlay::Confirm(question)) = app.model.overlays.last() else { panic!("no question") };
    assert_eq!(question.question, "This will send what you write to models.example.com.");
    assert_eq!(app.press("enter"), [], "the Enter that asked for it agrees to nothing");
    app.send(Msg::Resize(20, 5));
    assert_eq!(app.press("y"), [], "what cannot be read is not agreed to");
    app.send(Msg::Resize(60, 20));
    assert_eq!(app.press("esc"), [], "no is an answer");
    assert!(!form(&app).asks_for_models);
    app.press("enter");
    app.send(news(consent));
    assert_eq!(app.press("y"), [Effect::host(SetupCommand::Agree(host)), Effect::host(list)]);
    app.send(news(SetupNews::Models(Ok(vec!["small".to_owned(), "large-2".to_owned()]))));
    app.write("2");
    app.press("enter");
    assert_eq!((form(&app).model.text(), form(&app).at), ("large-2", Row::Key));
}

#[test]
fn a_test_tells_as_it_goes_and_esc_stops_it_before_it_closes_the_form() {
    let mut app = filled(120, 40);
    app.press("down down down down");
    assert_eq!(form(&app).at, Row::Test);
    assert_eq!(app.press("enter"), [Effect::host(SetupCommand::Test { run: 1, profile: draft() })]);
    assert!(app.model.wants_clock());
    let reached = found("reachable", Outcome::Works, "models.example.com");
    app.send(news(SetupNews::Found { run: 1, finding: reached.clone() }));
    app.send(news(SetupNews::Found { run: 7, finding: found("key", Outcome::Works, "of another test") }));
    assert_eq!(form(&app).test.as_ref().unwrap().findings, [reached]);
    assert_eq!(app.press("esc"), [Effect::host(SetupCommand::Stop)]);
    assert!(!app.model.wants_clock());
    assert_eq!(app.press("esc"), []);
    assert!(app.model.overlays.is_empty());
    // What was typed is there again.
    app.press("alt-m");
    app.send(models(false));
    app.write("add an");
    app.press("enter");
    assert_eq!(form(&app).draft(), draft());
}

#[test]
fn what_was_refused_is_said_and_what_was_kept_closes_the_form() {
    let mut app = filled(120, 40);
    app.press("pagedown");
    assert_eq!(app.press("enter"), [Effect::host(SetupCommand::Save { profile: draft(), in_use: true })]);
    app.send(news(SetupNews::NotSaved("there is a profile `models` already".to_owned())));
    assert!(form(&app).problem.as_ref().unwrap().contains("already"));
    app.press("enter");
    app.send(news(SetupNews::Saved("models".to_owned())));
    assert!(app.model.overlays.is_empty());
    assert!(app.toast().unwrap().contains("`models` in config.toml"), "{:?}", app.toast());
}

/// The settings of the example, with one of them decided by a variable.
fn all() -> Vec<Setting> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, include_str!("../../../config.example.toml")).unwrap();
    let flags = Flags { config: Some(file), data_dir: Some(PathBuf::from("data")), ..Flags::default() };
    let variable = |name: &str| match name {
        "ELENCHUS_SENSITIVE" => Some("redact".to_owned()),
        "OPENAI_API_KEY" => Some("sk-1".to_owned()),
        _ => None,
    };
    settings(&flags, &Surroundings { variable: &variable, keyring: &|_| Err("none".to_owned()), program: None })
        .unwrap()
}

fn screen(app: &App) -> &SettingsScreen {
    match app.model.overlays.last() {
        Some(Overlay::Settings(screen)) => screen,
        other => panic!("no settings but {other:?}"),
    }
}

/// The settings, with the cursor on one of them.
fn looking_at(path: &[&str]) -> App {
    let mut app = App::at(120, 40);
    assert_eq!(app.press("F6"), [Effect::host(SetupCommand::Settings)]);
    app.send(news(SetupNews::Settings(all())));
    go_to(&mut app, path);
    app
}

fn go_to(app: &mut App, path: &[&str]) {
    app.press("g");
    while screen(app).current().unwrap().path != path {
        let before = screen(app).cursor;
        app.press("down");
        assert_ne!(screen(app).cursor, before, "there is no {path:?}");
    }
}

fn changes(path: &[&str], value: Option<&str>) -> Effect {
    let path = path.iter().map(|step| (*step).to_owned()).collect();
    Effect::host(SetupCommand::Change { path, value: value.map(str::to_owned) })
}

#[test]
fn choices_are_taken_by_arrows_and_a_theme_shows_at_once() {
    let mut app = looking_at(&["theme"]);
    app.model.themes = vec!["auto".to_owned(), "light".to_owned()];
    assert_eq!(app.press("right"), [changes(&["theme"], Some("light"))]);
    assert_eq!(app.model.theme, "light");
    let path = vec!["theme".to_owned()];
    app.send(news(SetupNews::NotChanged { path, words: "the settings cannot be changed".to_owned() }));
    assert_eq!(app.model.theme, "dark", "what is not kept is not shown");
    assert!(screen(&app).problem.is_some());
    go_to(&mut app, &["designer"]);
    assert_eq!(app.press("enter"), [changes(&["designer"], Some("true"))]);
    let mut after = all();
    after.iter_mut().find(|setting| setting.path == ["designer"]).unwrap().value = "true".to_owned();
    app.send(news(SetupNews::Settings(after)));
    assert_eq!(app.model.view, elenchus::app::model::View::Designer);
    assert_eq!(screen(&app).current().unwrap().path, ["designer"], "the cursor stays");
}

#[test]
fn numbers_are_checked_as_they_are_typed_in_the_words_of_the_reader() {
    let mut app = looking_at(&["budget", "day_usd"]);
    app.press("enter ctrl-u");
    app.write("a lot");
    let problem = |app: &App| screen(app).editing.as_ref().unwrap().problem.clone();
    assert_eq!(problem(&app).as_deref(), Some("`day_usd` must be a number of zero or more"));
    assert_eq!(app.press("enter"), [], "it is not kept");
    app.press("ctrl-u");
    app.write("7.5");
    assert_eq!(problem(&app), None);
    assert_eq!(app.press("enter"), [changes(&["budget", "day_usd"], Some("7.5"))]);
    app.press("esc");
    assert!(screen(&app).editing.is_none(), "Esc leaves the value and not the screen");
    go_to(&mut app, &["profiles", "openai", "timeouts", "connect"]);
    app.press("enter ctrl-u");
    app.write("-1");
    assert!(problem(&app).unwrap().contains("zero or more"));
    app.press("esc");
    assert_eq!(app.press("c"), [changes(&["profiles", "openai", "timeouts", "connect"], None)]);
}

#[test]
fn what_a_variable_decides_cannot_be_changed_here() {
    let mut app = looking_at(&["sensitive"]);
    let setting = screen(&app).current().unwrap().clone();
    assert_eq!((setting.value.as_str(), setting.from.as_str()), ("redact", "ELENCHUS_SENSITIVE"));
    assert_eq!(app.press("right enter left"), []);
    assert!(screen(&app).problem.as_ref().unwrap().starts_with("ELENCHUS_SENSITIVE decides this"));
}

#[test]
fn the_doctor_is_stopped_by_esc_and_looks_again_by_enter() {
    let mut app = App::at(120, 40);
    assert_eq!(app.press("F7"), [Effect::host(SetupCommand::Examine { run: 1, tries: false })]);
    assert_eq!(app.press("esc"), [Effect::host(SetupCommand::Stop)]);
    assert_eq!(app.press("enter"), [Effect::host(SetupCommand::Examine { run: 2, tries: false })]);
    app.send(news(SetupNews::Found { run: 1, finding: Finding::here("store", false, "late") }));
    app.send(news(SetupNews::Found { run: 2, finding: Finding::here("store", true, "it opens") }));
    app.send(news(SetupNews::Done { run: 2 }));
    let Some(Overlay::Doctor(examination)) = app.model.overlays.last() else { panic!("no doctor") };
    assert_eq!(examination.findings.len(), 1);
    assert_eq!(app.press("esc"), []);
    assert!(app.model.overlays.is_empty());
}

#[test]
fn lines_are_chosen_and_changed_by_the_mouse_too() {
    let click = |app: &mut App, column, row| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        app.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
    };
    let mut app = adding(100, 30);
    let body = layout::compute(app.model.area(), &app.model).body;
    let place = layout::endpoint(body, form(&app)).rows.area;
    // The line of the key stands fifth; a second click takes its next choice.
    click(&mut app, place.x + 3, place.y + 4);
    assert_eq!(form(&app).at, Row::Key);
    click(&mut app, place.x + 3, place.y + 4);
    assert_eq!(form(&app).draft().key, KeyDraft::Variable(String::new()));
    click(&mut app, 0, 29);
    assert!(app.model.overlays.is_empty(), "beside the window it is put aside");
    let mut app = looking_at(&["designer"]);
    let body = layout::compute(app.model.area(), &app.model).body;
    let rows = layout::settings(body, screen(&app)).rows;
    let line = screen(&app).rows().iter().position(|row| *row == SettingRow::Setting(screen(&app).cursor)).unwrap();
    let row = rows.area.y + (line - rows.top) as u16;
    assert_eq!(click(&mut app, rows.area.x + 3, row), [changes(&["designer"], Some("true"))]);
    click(&mut app, rows.area.x + 3, row + 1);
    assert_ne!(screen(&app).current().unwrap().path, ["designer"]);
}

fn keeps(effects: &[Effect]) -> Option<Vec<String>> {
    effects.iter().find_map(|effect| match effect {
        Effect::Outside(Outside::KeepHints(seen)) => Some(seen.clone()),
        _ => None,
    })
}

#[test]
fn a_hint_goes_when_the_thing_was_used_or_the_hint_put_away() {
    let mut app = App::at(100, 30);
    app.model.hints = Hints::new(true, []);
    let shown = |app: &App| elenchus::app::hints::shown(&app.model).and_then(|hint| hint.text(&app.model));
    assert!(shown(&app).unwrap().starts_with("Ctrl-P lists all"), "{:?}", shown(&app));
    assert_eq!(keeps(&app.press("ctrl-p")), Some(vec!["palette".to_owned()]));
    assert_eq!(shown(&app), None, "not under a window");
    app.press("esc");
    assert!(shown(&app).unwrap().starts_with("Alt-m"), "{:?}", shown(&app));
    assert_eq!(keeps(&app.press("esc")), Some(vec!["model".to_owned(), "palette".to_owned()]));
    assert_eq!(shown(&app), None);
    assert_eq!(keeps(&app.press("ctrl-p")), None, "what is known is not kept again");
    app.model.hints = Hints::new(false, []);
    assert_eq!(shown(&app), None, "who wants none gets none");
}

/// The frames of a screen, with messages in order.
fn screen_of(size: (u16, u16), steps: impl FnOnce(&mut Screen)) -> Screen {
    let mut screen = Screen::talked(size, false);
    steps(&mut screen);
    screen
}

fn fill(screen: &mut Screen) {
    screen.press("alt-m").send(models(false)).press("pagedown enter down");
    screen.write("https://models.example.com/v1").press("down down").write("large");
    let leads = LeadsTo { host: "models.example.com".to_owned(), here: false, key: String::new(), problem: None };
    screen.send(news(SetupNews::Checked { profile: draft(), leads }));
}

#[test]
fn frames_of_the_form_and_its_test() {
    drawn("setup_models", &EVERY, |size| {
        screen_of(size, |screen| {
            screen.press("alt-m").send(models(true));
        })
    });
    drawn("setup_form_empty", &[USUAL], |size| {
        screen_of(size, |screen| {
            screen.press("alt-m").send(models(false)).write("add an").press("enter");
        })
    });
    drawn("setup_form", &EVERY, |size| screen_of(size, fill));
    drawn("setup_consent", &EVERY, |size| {
        screen_of(size, |screen| {
            fill(screen);
            let then = Box::new(SetupCommand::ListModels(draft()));
            let host = "models.example.com".to_owned();
            screen.press("enter").send(news(SetupNews::Consent { host, here: false, then }));
        })
    });
    drawn("setup_tested", &[WIDE, USUAL, (60, 20), (40, 12), (20, 5)], |size| {
        screen_of(size, |screen| {
            fill(screen);
            screen.press("down down down down enter");
            for finding in [
                found("reachable", Outcome::Works, "models.example.com"),
                found("key", Outcome::Fails, "The endpoint answered 401: it wants a key, and none is configured."),
                found("model", Outcome::Unknown, "`large` is not among the 12 models listed"),
            ] {
                screen.send(news(SetupNews::Found { run: 1, finding }));
            }
            screen.send(Msg::Clock(Duration::from_secs(4)));
        })
    });
}

#[test]
fn frames_of_the_settings() {
    let open = |screen: &mut Screen| {
        screen.press("F6").send(news(SetupNews::Settings(all())));
    };
    drawn("setup_settings", &EVERY, |size| screen_of(size, open));
    drawn("setup_settings_fixed", &[USUAL, (60, 20)], |size| {
        screen_of(size, |screen| {
            open(screen);
            while !screen.text().lines().any(|line| line.contains("▌ sensitive")) {
                screen.press("down");
            }
        })
    });
    drawn("setup_settings_editing", &[WIDE, (60, 20)], |size| {
        screen_of(size, |screen| {
            open(screen);
            while !screen.text().lines().any(|line| line.contains("▌ day_usd")) {
                screen.press("down");
            }
            screen.press("enter ctrl-u").write("a lot");
        })
    });
}

#[test]
fn frames_of_the_doctor_and_of_hints() {
    drawn("setup_doctor", &EVERY, |size| {
        screen_of(size, |screen| {
            screen.press("F7");
            for finding in [
                Finding::here("engines", true, "5 engines, all sound"),
                Finding::here("store", true, "/home/u/elenchus.db (3 sessions)"),
                Finding::here(
                    "looks",
                    false,
                    "themes/mine.toml:1: there is no theme `drak` to inherit from; did you mean `dark`?",
                ),
            ] {
                screen.send(news(SetupNews::Found { run: 1, finding }));
            }
        })
    });
    drawn("setup_hint_first", &EVERY, |size| {
        let mut screen = Screen::at(size, false);
        screen.0.model.hints = Hints::new(true, []);
        screen.send(Msg::host(Event::Answer(Answer::Sessions {
            engines: engines(),
            sessions: sessions(),
            shelves: Shelves::default(),
        })));
        screen
    });
    drawn("setup_hint_talking", &[WIDE, USUAL, (60, 20)], |size| {
        screen_of(size, |screen| screen.0.model.hints = Hints::new(true, ["palette".to_owned()]))
    });
}
