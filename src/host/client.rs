//! A front end's connection to the host: commands in, events out. It knows which session this front end has open.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use super::Host;
use super::audience::Listener;
use super::backend::Backend;
use super::doctor::Examiner;
use super::erasing::Erased;
use super::handle::{Done, Listening, Refused, SessionHandle, WeakHandle};
use super::protocol::{
    Command, Delete, Edit, Event, File, HandoffCommand, Notice, OFFLINE, Open, Query, SessionCommand, SessionNews,
    TurnCommand, UseModel,
};
use super::setup::Setup;
use super::{HostError, Session, filing, queries};
use crate::settings::{ChosenModel, Flags, Settings, Surroundings};
use crate::store::SessionId;
use crate::words::{ENGLISH, Language, Words, english};

/// What a front end says of itself when it connects.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// The project that new sessions belong to.
    pub project: Option<String>,
    /// The language that new sessions begin in; without one, that of the settings where it was chosen.
    pub language: Option<Language>,
    /// Whether engines are taken over whenever they are saved.
    pub watch: bool,
    /// The flags it was started with, for settings that are read again.
    pub flags: Flags,
    /// Whether it only looks: background tasks that an earlier process left are not taken up.
    pub only_looks: bool,
    /// Whether sessions in which nothing was said are not kept.
    pub forgets_empty: bool,
    /// How it looks at what works.
    pub examiner: Examiner,
}

/// A front end's connection to the host.
#[derive(Debug)]
pub struct Client {
    commands: mpsc::UnboundedSender<Command>,
    worker: JoinHandle<()>,
}

impl Client {
    /// Has a command carried out, after those before it. Never waits; what comes of it is an event.
    pub fn submit(&self, command: impl Into<Command>) {
        // It fails only where the host is gone, and with it everybody who could be told.
        let _ = self.commands.send(command.into());
    }

    /// Leaves: stops the turn that this front end has begun, and waits until everything else it asked for is done.
    pub async fn finish(self) {
        drop(self.commands);
        let _ = self.worker.await;
    }
}

impl Host {
    /// Connects a front end. The listener is told everything it has to know; it must not wait.
    pub fn connect(self: &Arc<Self>, connection: Connection, listener: Listener) -> Client {
        let (commands, queue) = mpsc::unbounded_channel();
        let words = connection.language.as_ref().map_or_else(english, Language::words);
        let setup = Setup::new(connection.flags.clone(), connection.examiner.clone(), Arc::clone(&listener), words);
        let worker = Worker {
            host: Arc::clone(self),
            backend: self.backend().clone(),
            setup,
            connection,
            listener,
            open: None,
            left: Vec::new(),
            opened: BTreeSet::new(),
            next: mpsc::unbounded_channel(),
            talking: JoinSet::new(),
            under_way: JoinSet::new(),
            aside: JoinSet::new(),
        };
        Client { commands, worker: tokio::spawn(worker.run(queue)) }
    }

    /// Connects a front end that waits for its events.
    pub fn dial(self: &Arc<Self>, connection: Connection) -> (Client, mpsc::UnboundedReceiver<Event>) {
        let (sender, events) = mpsc::unbounded_channel();
        let listener = Arc::new(move |event| drop(sender.send(event)));
        (self.connect(connection, listener), events)
    }
}

/// The session that a front end has open, and its place in the audience.
struct Attached {
    // Dropped first, so that the session hears that this front end has left.
    listening: Option<Listening>,
    handle: SessionHandle,
}

/// A session that a command has led to, with what the user is told of it.
struct Onward {
    handle: SessionHandle,
    note: Option<&'static str>,
}

struct Worker {
    host: Arc<Host>,
    backend: Backend,
    setup: Setup,
    connection: Connection,
    listener: Listener,
    open: Option<Attached>,
    /// Sessions that this front end has turned away from. One in the middle of a turn is still alive.
    left: Vec<WeakHandle>,
    /// All sessions that this front end has had open.
    opened: BTreeSet<SessionId>,
    /// Sessions to turn to, because a command of this front end has led there.
    next: (mpsc::UnboundedSender<Onward>, mpsc::UnboundedReceiver<Onward>),
    /// Turns of this front end that the session is carrying out.
    talking: JoinSet<()>,
    /// Other commands of this front end that the session is carrying out.
    under_way: JoinSet<()>,
    /// Questions that are being answered.
    aside: JoinSet<()>,
}

impl Worker {
    async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Command>) {
        loop {
            // Those that are done are forgotten.
            for done in [&mut self.talking, &mut self.under_way, &mut self.aside] {
                while done.try_join_next().is_some() {}
            }
            tokio::select! {
                Some(Onward { handle, note }) = self.next.1.recv() => {
                    self.show(Ok(handle)).await;
                    if let Some(note) = note {
                        self.tell(Notice::info(note));
                    }
                }
                command = queue.recv() => match command {
                    Some(command) => self.take(command).await,
                    None => break,
                },
            }
        }
        self.leave().await;
    }

    /// Stops the turn of this front end, if there is one: no one is there to read the answer. Everything else is finished;
    /// where others have the session open, it goes on without this front end waiting for it.
    async fn leave(mut self) {
        let Some(attached) = self.open.take() else { return };
        let Attached { handle, listening } = attached;
        for left in std::mem::take(&mut self.left) {
            if let Some(turning) = left.upgrade() {
                turning.abandon().await;
            }
        }
        // Those that answer questions hold handles as well.
        self.aside.shutdown().await;
        if !self.talking.is_empty() {
            let _ = handle.perform(Command::Turn(TurnCommand::Cancel)).await;
        }
        while self.talking.join_next().await.is_some() {}
        drop(listening);
        let last = handle.is_last().then(|| handle.downgrade());
        drop(handle);
        if let Some(actor) = last {
            actor.ended().await;
        }
        for id in std::mem::take(&mut self.opened).into_iter().filter(|_| self.connection.forgets_empty) {
            if let Err(error) = self.host.forget_if_empty(id).await {
                tracing::warn!(%error, "an empty session could not be forgotten");
            }
        }
    }

    /// The words of the front end's language.
    fn words(&self) -> &'static Words {
        self.connection.language.as_ref().map_or_else(english, Language::words)
    }

    fn tell(&self, event: Event) {
        (self.listener)(event);
    }

    async fn take(&mut self, command: Command) {
        match command {
            Command::Open(Open::Engine(engine)) => {
                let language = self.connection.language.clone();
                self.start(&engine, language.as_ref()).await;
            }
            Command::Open(Open::Saying { engine, words }) => {
                let language = self.language_of(&engine, &words);
                self.start(&engine, language.as_ref()).await;
            }
            Command::Open(Open::Session(id)) => {
                let joined = self.host.join(&id).await;
                self.show(joined).await;
            }
            Command::UseModel(UseModel(model)) => self.use_model(&model),
            Command::Setup(command) => {
                if let Some(profile) = self.setup.take(command).await {
                    self.use_model(&profile);
                }
            }
            Command::Ask(Query::Models) => {
                self.setup.list_models(self.backend.clone(), self.host.backend().clone());
            }
            Command::Delete(Delete(ids)) => self.delete(ids).await,
            Command::File(File { session, change }) => match self.host.refile(vec![session], change.clone()).await {
                Ok(refiled) => {
                    for session in &refiled {
                        self.tell(Notice::info(filing::told(session, &change, self.words())));
                    }
                }
                Err(error) => self.tell(Notice::error(error)),
            },
            Command::Ask(query) => self.ask(query),
            Command::Open(Open::Fork | Open::ForkCourse(_)) => {
                self.go_on(command, Some(self.words().host.copy_now()));
            }
            Command::Handoff(HandoffCommand::Accept) => self.go_on(command, None),
            Command::Turn(_) | Command::Edit(_) | Command::Handoff(_) | Command::Task(_) | Command::Session(_) => {
                self.pass_on(command);
            }
        }
    }

    /// Begins a session and shows it.
    async fn start(&mut self, engine: &str, language: Option<&Language>) {
        let started = self.host.start_in(engine, self.connection.project.as_deref(), language).await;
        let project = started.as_ref().ok().map(|(session, _)| session.record().project_id);
        let opened = started.map(|(session, gate)| self.host.open_for_all(session, &gate));
        self.show(opened).await;
        if let Some(project) = project {
            self.tell_of_briefs(project).await;
        }
    }

    /// The language that a session begins in: the one that was chosen, else that of the first words, else this front end's.
    fn language_of(&self, engine: &str, words: &str) -> Option<Language> {
        let own = self.connection.language.clone();
        if own.as_ref().is_some_and(|language| language.chosen) {
            return own;
        }
        let engine = self.host.engine(engine).ok();
        let code = engine.and_then(|engine| engine.reader().detected(words));
        match code {
            // What holds where nothing is said needs no saying.
            Some(code) if own.is_none() && code == ENGLISH => None,
            Some(code) => Some(Language { code, chosen: false }),
            None => own,
        }
    }

    /// Erases sessions at once, all but those that are open.
    async fn delete(&mut self, ids: Vec<String>) {
        match self.host.erase(ids).await {
            Ok(Erased { sessions, left_open, .. }) => {
                match &sessions[..] {
                    [] => {}
                    [only] => self.tell(Notice::info(self.words().host.erased(&only.title))),
                    several => self.tell(Notice::info(self.words().host.erased_many(several.len()))),
                }
                if left_open > 0 {
                    self.tell(Notice::warning(self.words().host.is_open()));
                }
            }
            Err(error) => self.tell(Notice::error(error)),
        }
    }

    /// Has the session carry out a command that leads to another session, and turns to that one when it is done. It may
    /// have to wait for a turn; this front end does not.
    fn go_on(&mut self, command: Command, note: Option<&'static str>) {
        let Some(open) = &self.open else { return self.tell(Notice::error(HostError::NoSession)) };
        let reply = open.handle.perform(command);
        let (listener, next) = (Arc::clone(&self.listener), self.next.0.clone());
        self.under_way.spawn(async move {
            match reply.await {
                // It fails only when the front end has left.
                Ok(Done::Next(handle)) => drop(next.send(Onward { handle, note })),
                Err(Refused::Host(error)) => listener(Event::NotOpened(error.into())),
                // Neither comes of opening another session.
                Ok(Done::Told | Done::Turn(_)) | Err(Refused::Turn(_) | Refused::Cancelled) => {}
            }
        });
    }

    /// Hands a command to the session. The next one need not wait for it: the session keeps the order.
    fn pass_on(&mut self, command: Command) {
        let Some(open) = &self.open else { return self.tell(Notice::error(HostError::NoSession)) };
        let talks = matches!(command, Command::Turn(_));
        let corrects = match &command {
            Command::Edit(Edit::Correct { path, value }) => Some((path.clone(), value.clone())),
            _ => None,
        };
        let reply = open.handle.perform(command);
        let (listener, words) = (Arc::clone(&self.listener), self.words());
        let group = if talks { &mut self.talking } else { &mut self.under_way };
        group.spawn(async move {
            let Err(Refused::Host(error)) = reply.await else { return };
            match (corrects, error.mistyped()) {
                (Some((path, value)), Some(why)) => {
                    listener(Event::Session(SessionNews::NotCorrected { path, value, why }));
                }
                _ => listener(Notice::error(error.told(&words.host))),
            }
        });
    }

    async fn show(&mut self, opened: Result<SessionHandle, HostError>) {
        let handle = match opened {
            Ok(handle) => handle,
            Err(error) => return self.tell(Event::NotOpened(error.into())),
        };
        // A session that others have open keeps the model they have chosen.
        if handle.is_last() {
            handle.use_backend(self.backend.clone());
        }
        // Sent before the front end hears that the session is open: what is saved from then on is not missed.
        let watching = self.connection.watch.then(|| handle.perform(SessionCommand::WatchEngine.into()));
        let listening = handle.listen(Arc::clone(&self.listener)).await;
        // Their turns go on; no one here waits for them any more.
        self.talking.detach_all();
        self.under_way.detach_all();
        let before = self.open.replace(Attached { handle: handle.clone(), listening });
        self.opened.insert(handle.id());
        self.left.extend(before.map(|before| before.handle.downgrade()));
        self.left.retain(|left| left.id() != handle.id() && left.upgrade().is_some());
        if let Some(watching) = watching {
            let listener = Arc::clone(&self.listener);
            self.under_way.spawn(async move {
                if let Err(Refused::Host(error)) = watching.await {
                    listener(Notice::warning(error.to_string()));
                }
            });
        }
        if self.connection.only_looks {
            return;
        }
        let resumed = handle.read(Session::tasks_resumed).await;
        let outcome = match resumed {
            Ok(resumed) => resumed.await,
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            self.tell(Notice::error(error));
        }
    }

    async fn tell_of_briefs(&self, project: crate::store::ProjectId) {
        match self.host.project_briefs(project).await {
            Ok(titles) if titles.is_empty() => {}
            Ok(titles) => self.tell(Event::Session(SessionNews::Briefs(titles))),
            Err(error) => self.tell(Notice::error(error)),
        }
    }

    /// The backend of a name, as [`UseModel`] has it.
    fn backend_of(&self, model: &str) -> Result<Backend, HostError> {
        if model.is_empty() || model.eq_ignore_ascii_case(OFFLINE) {
            return Ok(Backend::Offline);
        }
        let addressed = model.split_once(' ').filter(|(url, _)| url.contains("://"));
        let (endpoint, model) = addressed.map_or((None, model), |(url, name)| (Some(url.to_owned()), name));
        let chosen = Some(ChosenModel { endpoint, model: model.trim().to_owned() });
        let flags = Flags { chosen, ..self.connection.flags.clone() };
        let settings = Settings::load(&flags, &Surroundings::system())?;
        Ok(Backend::configured(&settings)?)
    }

    fn use_model(&mut self, model: &str) {
        match self.backend_of(model) {
            Ok(backend) => self.use_backend(backend),
            Err(error) => self.tell(Notice::error(error)),
        }
    }

    fn use_backend(&mut self, backend: Backend) {
        if let Some(open) = &self.open {
            open.handle.use_backend(backend.clone());
        }
        let endpoint = backend.endpoint();
        let label = if endpoint.offline { self.words().status.offline() } else { &endpoint.label };
        self.tell(Notice::info(self.words().host.answers_now(label)));
        self.tell(Event::Endpoint(endpoint));
        self.backend = backend;
    }

    /// Answers beside everything else.
    fn ask(&mut self, query: Query) {
        let (host, listener) = (Arc::clone(&self.host), Arc::clone(&self.listener));
        let (session, words) = (self.open.as_ref().map(|open| open.handle.clone()), self.words());
        self.aside.spawn(async move {
            match queries::answer(&host, session.as_ref(), query, words).await {
                Ok(answer) => listener(Event::Answer(answer)),
                Err(error) => listener(Notice::error(error.told(&words.host))),
            }
        });
    }
}
