//! A visit to a session: a connection to the host for as long as one call lasts. What others have done to the session
//! meanwhile is seen, since every call opens it anew or joins those who have it open.

use std::pin::pin;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::host::protocol::{
    Answer, Command, Conclusion, Event, Level, News, Open, Query, SessionCommand, SessionNews, Snapshot, TurnCommand,
    TurnDone,
};
use crate::host::{Client, Connection, Host};

/// The most notices of a visit that are passed on.
const MOST_NOTICES: usize = 10;

pub(super) struct Visit {
    client: Client,
    events: mpsc::UnboundedReceiver<News>,
    /// The session as it stands, as far as it was told.
    pub opened: Arc<Snapshot>,
    /// What was told besides.
    pub notices: Vec<String>,
}

/// What is told where the host has gone.
const GONE: &str = "the session is closed";

impl Visit {
    /// Opens a session.
    pub async fn open(host: &Arc<Host>, connection: Connection, open: Open) -> Result<Self, String> {
        let (client, mut events) = host.dial(connection);
        let opens = client.submit(open);
        let mut notices = Vec::new();
        let opened = loop {
            let Some(news) = events.recv().await else { break Err(GONE.to_owned()) };
            if let Some(why) = news.refusal(opens) {
                break Err(why);
            }
            match news.event {
                Event::Opened(snapshot) => break Ok(snapshot),
                Event::Notice(notice) => notices.push(notice.text),
                // Nothing of this comes before the session is open, or it is told again with it.
                Event::NotOpened(_)
                | Event::Turn(_)
                | Event::Session(_)
                | Event::Task(_)
                | Event::Answer(_)
                | Event::Concluded(_)
                | Event::Endpoint(_)
                | Event::Setup(_) => {}
            }
        };
        match opened {
            Ok(opened) => Ok(Self { client, events, opened, notices }),
            Err(why) => {
                client.finish().await;
                Err(why)
            }
        }
    }

    /// Says something and waits for what comes of it. Where that is called off, the session is as it was: the turn is
    /// stopped, or taken back where it was kept already.
    pub async fn say(
        &mut self,
        message: String,
        called_off: impl Future<Output = ()> + Send,
    ) -> Result<Arc<TurnDone>, String> {
        self.catch_up();
        let draft = self.opened.draft.clone();
        let says = self.client.submit(TurnCommand::Say { message });
        let mut called_off = pin!(called_off);
        let mut stopping = false;
        let outcome = loop {
            let news = tokio::select! {
                news = self.events.recv() => news,
                () = &mut called_off, if !stopping => {
                    stopping = true;
                    self.client.submit(TurnCommand::Cancel);
                    continue;
                }
            };
            let Some(news) = news else { break Err(GONE.to_owned()) };
            if let Some(why) = news.refusal(says) {
                break Err(why);
            }
            // Somebody else may talk in the session at the same time: only this turn is the one.
            match (news.answers == Some(says), news.event) {
                (true, Event::Concluded(Conclusion::Turn(done))) => break Ok(done),
                (true, Event::Concluded(Conclusion::Failed(failure))) => break Err(failure.message()),
                (true, Event::Concluded(Conclusion::Cancelled | Conclusion::Done | Conclusion::Aside(_))) => {
                    break Err("the call was cancelled".to_owned());
                }
                (_, event) => self.hear(event),
            }
        };
        if stopping && outcome.is_ok() {
            self.change(TurnCommand::Undo).await?;
        }
        // What the user was writing in this session is theirs, whatever becomes of this message.
        if draft != self.opened.draft || !draft.text.is_empty() || outcome.is_err() {
            self.client.submit(SessionCommand::SaveDraft(draft));
        }
        outcome
    }

    /// Takes back the last turn.
    pub async fn take_back(&mut self) -> Result<(), String> {
        self.catch_up();
        if self.opened.memory.turn == 0 {
            return Err("nothing was said in this session yet, so there is nothing to take back".to_owned());
        }
        self.change(TurnCommand::Undo).await
    }

    /// Has something done, and takes in how the session stands then.
    async fn change(&mut self, command: impl Into<Command>) -> Result<(), String> {
        let asked = self.client.submit(command);
        loop {
            let Some(news) = self.events.recv().await else { return Err(GONE.to_owned()) };
            if let Some(why) = news.refusal(asked) {
                return Err(why);
            }
            let is_done = news.answers == Some(asked);
            self.hear(news.event);
            if is_done {
                return Ok(());
            }
        }
    }

    /// Gives the session a title.
    pub async fn entitle(&mut self, title: String) -> Result<(), String> {
        self.change(SessionCommand::Rename(title)).await
    }

    /// Asks something and waits for the answer.
    pub async fn ask(&mut self, query: Query) -> Result<Answer, String> {
        let answer = ask(&self.client, &mut self.events, query).await;
        self.catch_up();
        answer
    }

    /// Leaves; everything that was asked for is done by then.
    pub async fn leave(self) {
        self.client.finish().await;
    }

    /// Takes in what was told so far.
    fn catch_up(&mut self) {
        while let Ok(news) = self.events.try_recv() {
            self.hear(news.event);
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Opened(snapshot) => self.opened = snapshot,
            Event::Notice(notice) if notice.level != Level::Info && self.notices.len() < MOST_NOTICES => {
                self.notices.push(notice.text);
            }
            Event::Session(news) => self.hear_of_session(news),
            // What a turn brings is told with it; the rest is for screens.
            Event::NotOpened(_)
            | Event::Turn(_)
            | Event::Task(_)
            | Event::Answer(_)
            | Event::Concluded(_)
            | Event::Endpoint(_)
            | Event::Setup(_)
            | Event::Notice(_) => {}
        }
    }

    /// Keeps what the session is as it stands.
    fn hear_of_session(&mut self, news: SessionNews) {
        match news {
            SessionNews::Changed { memory, sidebar, card, .. } => {
                let opened = Arc::make_mut(&mut self.opened);
                (opened.memory, opened.sidebar, opened.card) = (memory, sidebar, card.map(|card| *card));
            }
            SessionNews::EngineChanged { engine, memory, sidebar, card, .. } => {
                let opened = Arc::make_mut(&mut self.opened);
                (opened.engine, opened.memory, opened.sidebar) = (engine, memory, sidebar);
                opened.card = card.map(|card| *card);
                opened.engine_change = None;
            }
            SessionNews::Renamed(title) => Arc::make_mut(&mut self.opened).title = title,
            SessionNews::Trust(question) => Arc::make_mut(&mut self.opened).trust = question,
            SessionNews::EngineFaulty(_)
            | SessionNews::Briefs(_)
            | SessionNews::NotCorrected { .. }
            | SessionNews::Remark(_)
            | SessionNews::NoChange
            | SessionNews::Imported(_) => {}
        }
    }
}

/// Asks something that is about no session in particular.
pub(super) async fn ask_host(host: &Arc<Host>, connection: Connection, query: Query) -> Result<Answer, String> {
    let (client, mut events) = host.dial(connection);
    let answer = ask(&client, &mut events, query).await;
    client.finish().await;
    answer
}

async fn ask(client: &Client, events: &mut mpsc::UnboundedReceiver<News>, query: Query) -> Result<Answer, String> {
    let asked = client.submit(query);
    loop {
        let Some(news) = events.recv().await else { return Err(GONE.to_owned()) };
        if let Some(why) = news.refusal(asked) {
            return Err(why);
        }
        // A front end that has the session open hears of the rest when it looks next.
        if let (true, Event::Answer(answer)) = (news.answers == Some(asked), news.event) {
            return Ok(answer);
        }
    }
}
