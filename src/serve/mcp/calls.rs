//! What each tool does: a visit to a session, or a question to the host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::shown;
use super::tools::{BriefFormat, Call, Name};
use super::visit::{Visit, ask_host};
use crate::host::protocol::{Answer, Listing, Open, Query, Standing};
use crate::host::{Connection, Host};
use crate::words::{Language, spoken};

/// What a call brought.
pub(super) struct Called {
    /// What is read, where that is not the data itself.
    pub text: Option<String>,
    pub data: Value,
}

impl From<Value> for Called {
    fn from(data: Value) -> Self {
        Self { text: None, data }
    }
}

/// What is told where the host answers something else than was asked.
const NO_ANSWER: &str = "there was no answer to that";

/// Who carries out calls.
pub(super) struct Calls {
    host: Arc<Host>,
    connection: Connection,
    /// Sessions in which something is being said. One message after the other: what comes of one is told to all who
    /// listen, and each has to know its own.
    talking: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl Calls {
    pub fn new(host: Arc<Host>, connection: Connection) -> Self {
        Self { host, connection, talking: Mutex::default() }
    }

    /// Carries out a call; an error is told in words.
    pub async fn carry_out(
        &self,
        tool: Name,
        arguments: Map<String, Value>,
        called_off: impl Future<Output = ()> + Send,
    ) -> Result<Called, String> {
        match tool.read(arguments)? {
            Call::ListEngines => match self.ask(Query::Sessions(Listing::default())).await? {
                Answer::Sessions { engines, .. } => Ok(json!({ "engines": engines }).into()),
                _ => Err(NO_ANSWER.to_owned()),
            },
            Call::ListSessions { limit } => match self.ask(Query::Sessions(Listing::default())).await? {
                Answer::Sessions { sessions, .. } => Ok(shown::sessions(sessions, limit).into()),
                _ => Err(NO_ANSWER.to_owned()),
            },
            Call::SearchSessions { words, limit } => match self.ask(Query::Search(words)).await? {
                Answer::Search { hits, .. } => Ok(shown::hits(hits, limit).into()),
                _ => Err(NO_ANSWER.to_owned()),
            },
            Call::StartInterview { engine, project, title, language } => {
                let project = project.or_else(|| self.connection.project.clone());
                let language = language.map(|code| Language { code, chosen: true });
                let connection = Connection { project, language, ..self.connection.clone() };
                self.start(connection, engine, title).await.map(Called::from)
            }
            Call::Answer { session, message } => self.answer(session, message, called_off).await.map(Called::from),
            Call::TakeBack { session } => self.take_back(session).await.map(Called::from),
            Call::GetBrief { session, format } => self.brief(session, format).await,
            Call::ShowSession { session, messages } => self.show(session, messages).await.map(Called::from),
        }
    }

    async fn ask(&self, query: Query) -> Result<Answer, String> {
        ask_host(&self.host, self.connection.clone(), query).await
    }

    async fn start(&self, connection: Connection, engine: String, title: Option<String>) -> Result<Value, String> {
        let mut visit = Visit::open(&self.host, connection, Open::Engine(engine)).await?;
        let begun = async {
            if let Some(title) = title {
                visit.entitle(title).await?;
            }
            let standing = standing(&mut visit).await?;
            Ok(shown::started(&visit, &standing, &self.disclosure(&visit)))
        }
        .await;
        visit.leave().await;
        begun
    }

    /// What the person who is interviewed has to be told first, in the language of the interview.
    fn disclosure(&self, visit: &Visit) -> String {
        let words = spoken(visit.opened.memory.language.current.as_deref());
        let file = self.host.settings.paths.database();
        let told = self.host.backend().endpoint().told_to_guests(file.display(), words);
        format!("{told} {}", words.about.guest_of_agent())
    }

    async fn answer(
        &self,
        session: String,
        message: String,
        called_off: impl Future<Output = ()> + Send,
    ) -> Result<Value, String> {
        let mut visit = Visit::open(&self.host, self.connection.clone(), Open::Session(session)).await?;
        let turn = self.turn_of(&visit.opened.id);
        let _alone = turn.lock().await;
        let said = async {
            let done = visit.say(message, called_off).await?;
            let standing = standing(&mut visit).await?;
            Ok(shown::answered(&visit, &done, &standing))
        }
        .await;
        visit.leave().await;
        said
    }

    async fn take_back(&self, session: String) -> Result<Value, String> {
        let mut visit = Visit::open(&self.host, self.connection.clone(), Open::Session(session)).await?;
        let turn = self.turn_of(&visit.opened.id);
        let _alone = turn.lock().await;
        let taken = async {
            visit.take_back().await?;
            let standing = standing(&mut visit).await?;
            Ok(shown::session(&visit, &standing, 2))
        }
        .await;
        visit.leave().await;
        taken
    }

    async fn brief(&self, session: String, format: BriefFormat) -> Result<Called, String> {
        let mut visit = self.look(session).await?;
        let asked = visit.ask(Query::ProvenBrief).await;
        let (id, title) = (visit.opened.id.clone(), visit.opened.title.clone());
        visit.leave().await;
        let Answer::ProvenBrief(brief) = asked? else { return Err(NO_ANSWER.to_owned()) };
        let data = shown::brief(&id, &title, &brief, format);
        Ok(Called { text: (format != BriefFormat::Json).then_some(brief.markdown), data })
    }

    async fn show(&self, session: String, messages: usize) -> Result<Value, String> {
        let mut visit = self.look(session).await?;
        let standing = standing(&mut visit).await;
        let shown = standing.map(|standing| shown::session(&visit, &standing, messages));
        visit.leave().await;
        shown
    }

    /// Opens a session to look at it; nothing is started by that.
    async fn look(&self, session: String) -> Result<Visit, String> {
        let connection = Connection { only_looks: true, ..self.connection.clone() };
        Visit::open(&self.host, connection, Open::Session(session)).await
    }

    fn turn_of(&self, session: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut talking = self.talking.lock().unwrap_or_else(PoisonError::into_inner);
        talking.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(talking.entry(session.to_owned()).or_default())
    }
}

async fn standing(visit: &mut Visit) -> Result<Standing, String> {
    match visit.ask(Query::Standing).await? {
        Answer::Standing(standing) => Ok(*standing),
        _ => Err(NO_ANSWER.to_owned()),
    }
}
