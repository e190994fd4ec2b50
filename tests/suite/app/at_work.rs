//! The app on a real host: what it wants done is done, and comes back as messages. No terminal, no network.

use std::sync::Arc;
use std::time::Duration;

use elenchus::app::overlay::Overlay;
use elenchus::app::{Effect, Model, Msg, Options, update};
use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::runtime::AppEffects;
use elenchus::runtime::effects::EffectHandler as _;
use pretty_assertions::assert_eq;
use tokio::sync::mpsc;

use super::support::key;
use crate::tasks::support::{Bench, DEGRADE, script, task};

/// The app, and whoever carries out what it wants.
struct AtWork {
    model: Model,
    effects: AppEffects,
    sender: mpsc::UnboundedSender<Msg>,
    messages: mpsc::UnboundedReceiver<Msg>,
}

impl AtWork {
    /// The app with a session of the bench's engine, in a project of this name.
    async fn start(bench: &Bench, project: &str) -> Self {
        let (sender, messages) = mpsc::unbounded_channel();
        let host = Arc::new(bench.host());
        let effects = AppEffects::start(host, bench.flags(), Some(project.to_owned()), sender.clone());
        let options = Options { size: (120, 40), ..Options::default() };
        let mut app = Self { model: Model::new(options), effects, sender, messages };
        app.carry_out(vec![Effect::StartSession(bench.engine().display().to_string())]);
        app.until("a session is open", |model| model.session.is_some()).await;
        app
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        effects.into_iter().for_each(|effect| self.effects.handle(effect, &self.sender));
    }

    /// Presses keys, each as it is written in a keymap.
    fn press(&mut self, keys: &[&str]) {
        for text in keys {
            let effects = update(&mut self.model, Msg::Key(key(text)));
            self.carry_out(effects);
        }
    }

    async fn say(&mut self, words: &str) {
        let turn = self.model.session.as_ref().unwrap().memory.turn;
        update(&mut self.model, Msg::Paste(words.to_owned()));
        self.press(&["enter"]);
        self.until("the turn is over", |model| model.turn.is_none()).await;
        assert_eq!(self.model.session.as_ref().unwrap().memory.turn, turn + 1, "{:?}", self.toasts());
    }

    /// Takes in messages until something is so.
    async fn until(&mut self, what: &str, is_so: impl Fn(&Model) -> bool) {
        while !is_so(&self.model) {
            let msg = tokio::time::timeout(Duration::from_secs(60), self.messages.recv()).await;
            let msg = msg.unwrap_or_else(|_| panic!("it never came to pass that {what}: {:?}", self.toasts()));
            let effects = update(&mut self.model, msg.expect("the app is listened to"));
            self.carry_out(effects);
        }
    }

    fn toasts(&self) -> Option<String> {
        self.model.toasts.shown().map(|toast| toast.text.clone())
    }

    /// Waits until the task of the bench has come so far.
    async fn scan_is(&mut self, status: TaskStatus) -> TaskRecord {
        let record = |model: &Model| model.session.as_ref()?.memory.background_tasks.get("scan").cloned();
        let is_so = |model: &Model| record(model).is_some_and(|record| record.status == status);
        self.until(&format!("the task is {}", status.word()), is_so).await;
        record(&self.model).unwrap()
    }
}

fn scan(words: &str) -> Bench {
    Bench::new(&(task("scan", DEGRADE, "") + &script("scan", words)))
}

#[tokio::test]
async fn a_task_waits_until_the_user_has_seen_what_it_runs_and_then_shows_what_it_found() {
    let bench = scan("echo '{\"seen\": \"three rivals\"}'");
    let mut app = AtWork::start(&bench, "bench").await;
    app.say("The phones ring all day.").await;
    app.scan_is(TaskStatus::NeedsUser).await;
    app.press(&["alt-b", "enter"]);
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Task(card)) if card.task == "scan"));
    let question = app.model.session.as_ref().unwrap().trust.clone().unwrap();
    assert_eq!(question.acts[0].words, "run /bin/sh -c \"echo '{\\\"seen\\\": \\\"three rivals\\\"}'\"");
    app.press(&["y"]);
    let found = app.scan_is(TaskStatus::Completed).await.result;
    assert_eq!(found.unwrap()["seen"], "three rivals");
}

#[tokio::test]
async fn a_refused_task_does_what_its_strategy_says() {
    let bench = scan("echo '{\"seen\": true}'");
    let mut app = AtWork::start(&bench, "bench").await;
    app.say("The phones ring all day.").await;
    app.scan_is(TaskStatus::NeedsUser).await;
    app.press(&["alt-b", "enter", "n"]);
    let note = app.scan_is(TaskStatus::Failed).await.note.unwrap();
    assert!(note.starts_with("We use your own figures"), "{note}");
}

#[tokio::test]
async fn accepting_the_next_step_opens_a_session_that_knows_what_was_settled() {
    let bench = Bench::new("");
    let mut app = AtWork::start(&bench, "bench").await;
    app.say("The phones ring all day.").await;
    app.say("I would like to take it further.").await;
    let first = app.model.session.as_ref().unwrap().id.clone();
    app.press(&["alt-o"]);
    assert!(matches!(app.model.overlays.last(), Some(Overlay::Handoff(_))), "{:?}", app.toasts());
    app.press(&["y"]);
    let other = |model: &Model| model.session.as_ref().is_some_and(|session| session.id != first);
    app.until("another session is open", other).await;
    let session = app.model.session.as_ref().unwrap();
    assert_eq!(
        (session.engine.definition().id.as_str(), session.project.as_deref()),
        ("project-discovery", Some("bench"))
    );
    assert!(app.model.chat.entries[0].text.contains("The phones ring all day"));

    app.press(&["alt-j"]);
    let listed = |model: &Model| matches!(model.overlays.last(), Some(Overlay::Chooser(list)) if !list.all.is_empty());
    app.until("the journey is listed", listed).await;
    let Some(Overlay::Chooser(journey)) = app.model.overlays.last() else { panic!("no list") };
    assert_eq!(journey.all[0].id, first);
    assert!(journey.all[1].label.starts_with("  "), "{:?}", journey.all);
}

#[tokio::test]
async fn a_declined_step_is_gone_until_it_is_asked_for() {
    let bench = Bench::new("");
    let mut app = AtWork::start(&bench, "bench").await;
    app.say("The phones ring all day.").await;
    app.say("I would like to take it further.").await;
    app.press(&["alt-o", "n"]);
    let offered = |model: &Model| model.session.as_ref().unwrap().memory.exit_offer.is_some();
    app.until("it is declined", |model| !offered(model)).await;
    app.say("It has been so since spring.").await;
    assert!(!offered(&app.model));
    app.press(&["alt-o"]);
    assert!(app.model.overlays.is_empty());
    app.say("The staff is tired.").await;
    assert!(offered(&app.model));
}

#[tokio::test]
async fn a_new_session_of_a_project_with_a_brief_asks_whether_to_go_on_from_it() {
    let bench = Bench::new("");
    let mut app = AtWork::start(&bench, "bench").await;
    app.say("The phones ring all day.").await;
    app.say("I would like to take it further.").await;
    app.press(&["alt-o", "y"]);
    app.until("the next session is open", |model| model.session.as_ref().is_some_and(|s| s.memory.turn == 0)).await;
    app.carry_out(vec![Effect::StartSession("exploration".to_owned())]);
    let asked = |model: &Model| matches!(model.overlays.last(), Some(Overlay::Confirm(_)));
    app.until("the brief is offered", asked).await;
    app.press(&["n"]);
    app.say("We choose a telephone system.").await;
    let memory = &app.model.session.as_ref().unwrap().memory;
    assert!(memory.without_project);
}
