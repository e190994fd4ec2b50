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
    Answer, AsideDone, Conclusion, Draft, Event, Level, News, Open, Query, SessionCommand, SessionNews, Snapshot,
    TurnCommand, TurnDone, TurnFailure, TurnNews,
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
    let afresh = command.afresh;
    let mut talk = Talk { client, events, output, id: String::new(), engine: Arc::default(), afresh };
    let outcome = talk.hold(command).await;
    talk.client.finish().await;
    host.forget_old();
    host.close_shared()?;
    outcome
}

/// Why a line was not answered.
enum NotAnswered {
    /// The turn failed.
    Turn(TurnFailure),
    /// The turn was cancelled.
    Cancelled,
    /// There was no turn, for this reason.
    Refused(String),
}

impl From<NotAnswered> for Failure {
    fn from(why: NotAnswered) -> Self {
        match why {
            NotAnswered::Turn(failure) => failure.into(),
            NotAnswered::Cancelled => Self::failed("the turn was cancelled"),
            NotAnswered::Refused(why) => Self::failed(why),
        }
    }
}

/// A conversation, line by line.
struct Talk<'a> {
    client: Client,
    events: mpsc::UnboundedReceiver<News>,
    output: &'a mut Output,
    /// The session, once it is open.
    id: String,
    engine: Arc<EngineOutline>,
    afresh: bool,
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
                Some(news) = self.events.recv() => {
                    self.hear(news.event);
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
                Err(NotAnswered::Turn(TurnFailure::Input(why))) => {
                    self.output.complain(&why);
                    exit = Exit::Failed;
                }
                Err(why) => {
                    // The turn did not happen; the host keeps what was said as the draft.
                    if let NotAnswered::Turn(failure) = &why {
                        self.output.json_line(&failed(&self.id, failure));
                    }
                    self.output.remark(&format!("The message is kept as the draft of session {}.", self.id));
                    return Err(why.into());
                }
            }
        }
    }

    /// Opens the session that is asked for, and says what there is to say about it.
    async fn open(&mut self, command: &Converse) -> Result<Arc<Snapshot>, Failure> {
        let opens = self.client.submit(match (&command.session, &command.engine) {
            (Some(id), _) => Open::Session(id.clone()),
            (None, engine) => Open::Engine(engine.clone().unwrap_or_default()),
        });
        if self.afresh {
            self.client.submit(SessionCommand::UseProject(false));
        }
        let opened = loop {
            let Some(news) = self.events.recv().await else {
                return Err(Failure::failed("the session cannot be opened"));
            };
            match news.event {
                Event::Opened(snapshot) => break snapshot,
                Event::NotOpened(why) if news.answers == Some(opens) => return Err(why.into()),
                event => self.hear(event),
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
                | Answer::Settled
                | Answer::AsOf(_),
            )
            | Event::Concluded(_)
            | Event::Endpoint(_) => {}
        }
    }

    /// Says a line and waits for what comes of it.
    async fn say(&mut self, said: Draft) -> Result<Arc<TurnDone>, NotAnswered> {
        let message = said.text;
        let says = self.client.submit(match said.replaces {
            Some(turn) => TurnCommand::SayInstead { turn, message },
            None => TurnCommand::Say { message },
        });
        while let Some(news) = self.events.recv().await {
            if let Some(why) = news.refusal(says) {
                return Err(NotAnswered::Refused(why));
            }
            match news.event {
                Event::Concluded(how) if news.answers == Some(says) => match how {
                    Conclusion::Turn(done) => return Ok(done),
                    Conclusion::Failed(failure) => return Err(NotAnswered::Turn(failure)),
                    Conclusion::Cancelled | Conclusion::Done | Conclusion::Aside(_) => break,
                },
                Event::Turn(TurnNews::Tool(doing)) => self.output.remark(&format!("{doing} …")),
                Event::Turn(TurnNews::ToolDone(brought)) => self.output.remark(&format!("{brought}.")),
                event => self.hear(event),
            }
        }
        Err(NotAnswered::Cancelled)
    }

    /// Says something beside the conversation and prints what was answered; says whether it was.
    async fn aside(&mut self, message: String) -> Result<bool, Failure> {
        let says = self.client.submit(TurnCommand::Aside { message });
        while let Some(news) = self.events.recv().await {
            if let Some(why) = news.refusal(says) {
                return Err(Failure::failed(why));
            }
            match news.event {
                Event::Concluded(how) if news.answers == Some(says) => match how {
                    Conclusion::Aside(done) => {
                        let AsideDone { aside, .. } = &*done;
                        self.output.json_line(&json!({ "session_id": self.id, "aside": aside }));
                        return Ok(self.output.flush());
                    }
                    Conclusion::Failed(TurnFailure::Input(why)) => {
                        self.output.complain(&why);
                        return Ok(false);
                    }
                    Conclusion::Failed(failure) => {
                        self.output.json_line(&failed(&self.id, &failure));
                        return Err(failure.into());
                    }
                    Conclusion::Cancelled | Conclusion::Done | Conclusion::Turn(_) => break,
                },
                event => self.hear(event),
            }
        }
        Err(Failure::failed("the aside was cancelled"))
    }

    /// Waits a while for background tasks. Whether they are done or not is in the next turn.
    async fn settle(&mut self, patience: Duration) {
        if patience.is_zero() {
            return;
        }
        let asked = self.client.submit(Query::Settled);
        let wait = async {
            while let Some(news) = self.events.recv().await {
                let is_answered = news.answers == Some(asked);
                self.hear(news.event);
                if is_answered {
                    return;
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
