//! A visit to a session: a connection to the host for as long as one call lasts. What others have done to the session
//! meanwhile is seen, since every call opens it anew or joins those who have it open.

use std::pin::pin;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::host::protocol::{
    Answer, Command, Event, Level, Open, Query, SessionCommand, SessionNews, Snapshot, TurnCommand, TurnDone, TurnNews,
};
use crate::host::{Client, Connection, Host};

/// The most notices of a visit that are passed on.
const MOST_NOTICES: usize = 10;

pub(super) struct Visit {
    client: Client,
    events: mpsc::UnboundedReceiver<Event>,
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
        client.submit(open);
        let mut notices = Vec::new();
        let opened = loop {
            match events.recv().await {
                Some(Event::Opened(snapshot)) => break Ok(snapshot),
                Some(Event::NotOpened(why)) => break Err(why.message().to_owned()),
                Some(Event::Notice(notice)) => notices.push(notice.text),
                // Nothing of this comes before the session is open, or it is told again with it.
                Some(
                    Event::Turn(_)
                    | Event::Session(_)
                    | Event::Task(_)
                    | Event::Answer(_)
                    | Event::Endpoint(_)
                    | Event::Setup(_),
                ) => {}
                None => break Err(GONE.to_owned()),
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
        self.client.submit(TurnCommand::Say { message });
        let mut called_off = pin!(called_off);
        let mut stopping = false;
        let outcome = loop {
            let event = tokio::select! {
                event = self.events.recv() => event,
                () = &mut called_off, if !stopping => {
                    stopping = true;
                    self.client.submit(TurnCommand::Cancel);
                    continue;
                }
            };
            match event {
                Some(Event::Turn(TurnNews::Done(done))) => break Ok(done),
                Some(Event::Turn(TurnNews::Failed(failure))) => break Err(failure.message()),
                Some(Event::Turn(TurnNews::Cancelled)) => break Err("the call was cancelled".to_owned()),
                Some(event) => self.hear(event),
                None => break Err(GONE.to_owned()),
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

    /// Has something done after which the session is told as a whole.
    async fn change(&mut self, command: impl Into<Command>) -> Result<(), String> {
        self.client.submit(command);
        loop {
            match self.events.recv().await {
                Some(Event::Opened(snapshot)) => {
                    self.opened = snapshot;
                    return Ok(());
                }
                Some(Event::Notice(notice)) if notice.level == Level::Error => return Err(notice.text),
                Some(event) => self.hear(event),
                None => return Err(GONE.to_owned()),
            }
        }
    }

    /// Gives the session a title.
    pub async fn entitle(&mut self, title: String) -> Result<(), String> {
        self.client.submit(SessionCommand::Rename(title));
        loop {
            match self.events.recv().await {
                Some(Event::Session(SessionNews::Renamed(title))) => {
                    Arc::make_mut(&mut self.opened).title = title;
                    return Ok(());
                }
                Some(Event::Notice(notice)) if notice.level == Level::Error => return Err(notice.text),
                Some(event) => self.hear(event),
                None => return Err(GONE.to_owned()),
            }
        }
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
        while let Ok(event) = self.events.try_recv() {
            self.hear(event);
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

async fn ask(client: &Client, events: &mut mpsc::UnboundedReceiver<Event>, query: Query) -> Result<Answer, String> {
    client.submit(query);
    loop {
        match events.recv().await {
            Some(Event::Answer(answer)) => return Ok(answer),
            Some(Event::Notice(notice)) if notice.level == Level::Error => return Err(notice.text),
            // Whoever has a session open hears of it when it is looked at next.
            Some(
                Event::Opened(_)
                | Event::NotOpened(_)
                | Event::Turn(_)
                | Event::Session(_)
                | Event::Task(_)
                | Event::Endpoint(_)
                | Event::Setup(_)
                | Event::Notice(_),
            ) => {}
            None => return Err(GONE.to_owned()),
        }
    }
}
