//! `elenchus converse`: a conversation without a terminal. A message per line in, a JSON turn per line out.

use std::io::{IsTerminal, stdin};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Exit, Failure, Output, SettingsArguments};
use crate::app::answer_card;
use crate::app::commands::{Command, Slash, slash};
use crate::engine::answer_card::AnswerCard;
use crate::engine::budget::Cap;
use crate::engine::changes;
use crate::engine::memory::WorkingMemory;
use crate::engine::outline::EngineOutline;
use crate::engine::recap::Recap;
use crate::engine::report::TurnReport;
use crate::engine::turn::MAX_MESSAGE;
use crate::files::lines::{Line, read_line};
use crate::host::protocol::{
    Answer, AsideDone, Draft, Event, Level, Open, Query, SessionCommand, SessionNews, Snapshot, TurnCommand, TurnDone,
    TurnFailure, TurnNews,
};
use crate::host::{Client, Connection};
use crate::words;

/// The longest line that is read whole: twice the longest message, so that white space around one does no harm.
const MAX_LINE: usize = 2 * MAX_MESSAGE;

/// How many changes of an engine are told at once.
const TOLD: usize = 6;

#[derive(Debug, clap::Args)]
pub(crate) struct Converse {
    /// Name of an engine, or path of its folder.
    #[arg(long, value_name = "ID|PATH", required_unless_present = "session")]
    engine: Option<String>,
    /// Go on with this session; the beginning of its id will do.
    #[arg(long, value_name = "ID", conflicts_with = "engine")]
    session: Option<String>,
    /// The project that a new session belongs to.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Leave out what earlier sessions of the project found.
    #[arg(long, requires = "engine")]
    afresh: bool,
    /// After each turn and at the end, wait so many seconds at most for background tasks.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait_tasks: u64,
    /// Take over the engine's files whenever they are saved, between two turns.
    #[arg(long)]
    watch: bool,
}

pub async fn run(command: &Converse, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let host = Arc::new(settings.host()?);
    let connection = Connection {
        project: command.project.clone(),
        watch: command.watch,
        language: None,
        flags: settings.flags(),
        ..Connection::default()
    };
    let (client, events) = host.dial(connection);
    let (afresh, unsettled) = (command.afresh, 0);
    let mut talk = Talk { client, events, output, id: String::new(), engine: Arc::default(), afresh, unsettled };
    let outcome = talk.hold(command).await;
    talk.client.finish().await;
    host.forget_old();
    host.close_shared()?;
    outcome
}

/// A conversation, line by line.
struct Talk<'a> {
    client: Client,
    events: mpsc::UnboundedReceiver<Event>,
    output: &'a mut Output,
    /// The session, once it is open.
    id: String,
    engine: Arc<EngineOutline>,
    afresh: bool,
    /// How often it was asked for tasks to settle, without an answer so far.
    unsettled: u32,
}

impl Talk<'_> {
    async fn hold(&mut self, command: &Converse) -> Result<Exit, Failure> {
        let opened = self.open(command).await?;
        let mut opening = opened.messages.first().filter(|_| opened.memory.turn == 0).map(|first| first.text.clone());
        let mut recap = opened.recap.clone().filter(|_| command.session.is_some());
        let mut again = self.offer(&opened.draft);
        let mut exit = Exit::Ok;
        let mut lines = lines();
        loop {
            let line = tokio::select! {
                Some(event) = self.events.recv() => {
                    self.hear(event);
                    continue;
                }
                line = lines.recv() => line,
            };
            let Some(line) = line else { return Ok(exit) };
            let line = match line.map_err(Failure::failed)? {
                Line::Whole(line) => line,
                Line::TooLong(size) => {
                    let (size, most) = (size.div_ceil(1024), MAX_MESSAGE / 1024);
                    self.output.complain(&format!("the message has {size} KiB, at most {most} KiB can be taken in"));
                    exit = Exit::Failed;
                    continue;
                }
            };
            let said = Draft::new(String::from_utf8_lossy(&line).trim(), None);
            let Some(said) = (if said.text.is_empty() { again.take() } else { Some(said) }) else { continue };
            if let Some(Slash::Run(Command::Btw, message)) = slash(&said.text) {
                if !self.aside(message).await? {
                    exit = Exit::Failed;
                }
                continue;
            }
            match self.say(said).await {
                Ok(done) => {
                    if !self.print(opening.take().as_deref(), recap.take(), &done)? {
                        return Ok(Exit::Failed);
                    }
                    if self.output.reader_is_gone() {
                        return Ok(exit);
                    }
                    self.settle(Duration::from_secs(command.wait_tasks)).await;
                }
                Err(TurnFailure::Input(why)) => {
                    self.output.complain(&why);
                    exit = Exit::Failed;
                }
                Err(failure) => {
                    // The turn did not happen; the host keeps what was said as the draft.
                    self.output.json_line(&failed(&self.id, &failure));
                    self.output.remark(&format!("The message is kept as the draft of session {}.", self.id));
                    return Err(failure.into());
                }
            }
        }
    }

    /// Opens the session that is asked for, and says what there is to say about it.
    async fn open(&mut self, command: &Converse) -> Result<Arc<Snapshot>, Failure> {
        self.client.submit(match (&command.session, &command.engine) {
            (Some(id), _) => Open::Session(id.clone()),
            (None, engine) => Open::Engine(engine.clone().unwrap_or_default()),
        });
        if self.afresh {
            self.client.submit(SessionCommand::UseProject(false));
        }
        let opened = loop {
            match self.events.recv().await {
                Some(Event::Opened(snapshot)) => break snapshot,
                Some(Event::NotOpened(why)) => return Err(why.into()),
                Some(event) => self.hear(event),
                None => return Err(Failure::failed("the session cannot be opened")),
            }
        };
        if let Some(change) = &opened.engine_change {
            self.output.remark(&format!(
                "The engine has changed since this session began ({} → {}): {}. The session goes on with the version it began with.",
                change.pinned_version,
                change.current_version,
                changes::in_short(&change.differences, TOLD)
            ));
        }
        if let Some(search) = opened.may_search.as_ref().filter(|_| !self.afresh) {
            self.output.remark(&search.replace("/apart", "--afresh"));
        }
        (self.id, self.engine) = (opened.id.clone(), Arc::clone(&opened.engine));
        Ok(opened)
    }

    /// Tells of a message that was sent before and not answered. In a terminal it is offered: an empty line sends it.
    fn offer(&mut self, draft: &Draft) -> Option<Draft> {
        if !draft.unanswered {
            return None;
        }
        let begun = "The answer to this was under way when the program ended; it was not kept:";
        let offered = stdin().is_terminal();
        let rest = if offered {
            "Enter sends it again; or write something else.".to_owned()
        } else {
            format!("It is kept as the draft of session {}.", self.id)
        };
        self.output.remark(&format!("{begun}\n{}\n{rest}", draft.text));
        offered.then(|| draft.clone())
    }

    /// Tells a person what is not part of a turn.
    fn hear(&mut self, event: Event) {
        match event {
            Event::Session(SessionNews::EngineChanged { engine, note, .. }) => {
                self.engine = engine;
                self.output.remark(&format!("{note}."));
            }
            Event::Session(SessionNews::EngineFaulty(problem)) => self.output.complain(&problem),
            Event::Session(SessionNews::Briefs(titles)) if !self.afresh => {
                let titles = titles.join("; ");
                self.output.remark(&format!("The project knows already: {titles} (--afresh leaves it out)."));
            }
            Event::Notice(notice) => match notice.level {
                Level::Info => {}
                Level::Warning => self.output.remark(&format!("{}.", notice.text)),
                Level::Error => self.output.complain(&notice.text),
            },
            Event::Answer(Answer::Settled) => self.unsettled = self.unsettled.saturating_sub(1),
            // What a turn brings is printed with it; the rest is for screens, or was not asked for.
            Event::Opened(_)
            | Event::NotOpened(_)
            | Event::Turn(_)
            | Event::Session(
                SessionNews::Changed { .. }
                | SessionNews::Renamed(_)
                | SessionNews::Trust(_)
                | SessionNews::Briefs(_)
                | SessionNews::NotCorrected { .. }
                | SessionNews::Remark(_)
                | SessionNews::NoChange
                | SessionNews::Imported(_),
            )
            | Event::Task(_)
            | Event::Setup(_)
            | Event::Answer(
                Answer::Sessions { .. }
                | Answer::Search { .. }
                | Answer::Journey(_)
                | Answer::Models(_)
                | Answer::Figures(_)
                | Answer::Courses(_)
                | Answer::Brief(_)
                | Answer::ProvenBrief(_)
                | Answer::BriefChanges(_)
                | Answer::Standing(_)
                | Answer::Transcript(_)
                | Answer::Reached
                | Answer::AsOf(_),
            )
            | Event::Endpoint(_) => {}
        }
    }

    /// Says a line and waits for what comes of it.
    async fn say(&mut self, said: Draft) -> Result<Arc<TurnDone>, TurnFailure> {
        let message = said.text;
        self.client.submit(match said.replaces {
            Some(turn) => TurnCommand::SayInstead { turn, message },
            None => TurnCommand::Say { message },
        });
        while let Some(event) = self.events.recv().await {
            match event {
                Event::Turn(TurnNews::Done(done)) => return Ok(done),
                Event::Turn(TurnNews::Failed(failure)) => return Err(failure),
                Event::Turn(TurnNews::Cancelled) => break,
                Event::Turn(TurnNews::Tool(doing)) => self.output.remark(&format!("{doing} …")),
                Event::Turn(TurnNews::ToolDone(brought)) => self.output.remark(&format!("{brought}.")),
                event => self.hear(event),
            }
        }
        Err(TurnFailure::Store("the turn was broken off".to_owned()))
    }

    /// Says something beside the conversation and prints what was answered; says whether it was.
    async fn aside(&mut self, message: String) -> Result<bool, Failure> {
        self.client.submit(TurnCommand::Aside { message });
        while let Some(event) = self.events.recv().await {
            match event {
                Event::Turn(TurnNews::AsideDone(done)) => {
                    let AsideDone { aside, .. } = &*done;
                    self.output.json_line(&json!({ "session_id": self.id, "aside": aside }));
                    return Ok(self.output.flush());
                }
                Event::Turn(TurnNews::Failed(TurnFailure::Input(why))) => {
                    self.output.complain(&why);
                    return Ok(false);
                }
                Event::Turn(TurnNews::Failed(failure)) => {
                    self.output.json_line(&failed(&self.id, &failure));
                    return Err(failure.into());
                }
                Event::Turn(TurnNews::Cancelled) => break,
                event => self.hear(event),
            }
        }
        Err(TurnFailure::Store("the aside was broken off".to_owned()).into())
    }

    /// Waits a while for background tasks. Whether they are done or not is in the next turn.
    async fn settle(&mut self, patience: Duration) {
        if patience.is_zero() {
            return;
        }
        self.client.submit(Query::Settled);
        self.unsettled += 1;
        let wait = async {
            while self.unsettled > 0 {
                match self.events.recv().await {
                    Some(event) => self.hear(event),
                    None => return,
                }
            }
        };
        let _ = tokio::time::timeout(patience, wait).await;
    }

    /// Tells a person in a line what can be chosen in answer; a program reads it in the turn.
    fn tell_choices(&mut self, card: Option<&AnswerCard>, memory: &WorkingMemory) {
        if let Some(card) = card.filter(|_| stdin().is_terminal()) {
            let words = words::spoken(memory.language.current.as_deref());
            self.output.remark(&answer_card::one_line(card, words));
        }
    }

    /// Prints a turn; says whether that was possible.
    fn print(&mut self, opening: Option<&str>, recap: Option<Recap>, done: &TurnDone) -> Result<bool, Failure> {
        let TurnDone { answer, memory, sidebar, figures, card, .. } = done;
        let report = TurnReport::of(&self.engine, memory, answer, sidebar.clone(), figures.clone());
        let report = TurnReport { card: card.clone(), ..report };
        let report = serde_json::to_value(report).map_err(Failure::failed)?;
        let mut turn = json!({ "session_id": self.id });
        if let (Value::Object(turn), Value::Object(report)) = (&mut turn, report) {
            turn.extend(opening.map(|text| ("opening".to_owned(), json!(text))));
            turn.extend(recap.map(|recap| ("recap".to_owned(), json!(recap))));
            turn.extend(report);
        }
        self.output.json_line(&turn);
        self.tell_choices(card.as_ref(), memory);
        Ok(self.output.flush())
    }
}

/// Lines of stdin, read on a thread of their own so that background tasks go on while it waits.
fn lines() -> mpsc::Receiver<std::io::Result<Line>> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        while let Some(line) = read_line(&mut input, MAX_LINE).transpose() {
            let last = line.is_err();
            if sender.blocking_send(line).is_err() || last {
                return;
            }
        }
    });
    receiver
}

/// A turn that did not happen, as scripts read it.
fn failed(id: &str, failure: &TurnFailure) -> Value {
    let mut why = json!({ "kind": failure.kind(), "message": failure.message() });
    if let TurnFailure::OverBudget(reached) = failure {
        let enough = match reached.cap {
            Cap::SessionUsd | Cap::DayUsd => format!("{:.2}", (reached.enough() * 100.0).ceil() / 100.0),
            Cap::SessionTokens | Cap::DayTokens => format!("{:.0}", reached.enough().ceil()),
        };
        why["budget"] = json!(reached);
        why["what_to_do"] = json!({
            "raise": format!("set `{}` under [budget] in config.toml to {enough} or more", reached.cap.key()),
            "offline": format!("elenchus --offline converse --session {id}"),
            "stop": format!("nothing was changed; the message is the draft of session {id}"),
        });
    }
    json!({ "session_id": id, "error": why })
}
