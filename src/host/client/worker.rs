//! What works for a connected front end. It knows which session this front end has open, and has done what it asks for in
//! the order in which it asks.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::Connection;
use crate::host::audience::{Listener, Teller};
use crate::host::backend::Backend;
use crate::host::erasing::Erased;
use crate::host::handle::{Done, Listening, Refused, SessionHandle, WeakHandle};
use crate::host::protocol::{
    Answer, Command, Conclusion, Delete, Edit, Event, File, HandoffCommand, Notice, Open, Query, Request, RequestId,
    SessionCommand, SessionNews, TurnCommand, UseModel,
};
use crate::host::setup::Setup;
use crate::host::{Host, HostError, Session, filing, queries};
use crate::store::SessionId;
use crate::words::{Language, Words, english};

/// The session that a front end has open, and its place in the audience.
struct Attached {
    // Dropped first, so that the session hears that this front end has left.
    listening: Option<Listening>,
    handle: SessionHandle,
}

/// Where a command that leads to another session has led.
struct Onward {
    /// The session, with what the user is told of it; none where the command was refused.
    to: Option<(SessionHandle, Option<&'static str>)>,
    teller: Teller,
}

pub(super) struct Worker {
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
    /// Where commands of this front end that lead to another session have led.
    next: (mpsc::UnboundedSender<Onward>, mpsc::UnboundedReceiver<Onward>),
    /// Whether such a command is under way.
    leads_on: bool,
    /// What came meanwhile and is about the session that it leads to.
    held: VecDeque<Request>,
    /// Each command that is under way holds the sender until its end is told. So the receiver says when all are told of.
    unsaid: (mpsc::Sender<()>, mpsc::Receiver<()>),
    /// Turns of this front end that the session is carrying out.
    talking: JoinSet<()>,
    /// Other commands of this front end that the session is carrying out.
    under_way: JoinSet<()>,
    /// Questions that are being answered.
    aside: JoinSet<()>,
}

impl Worker {
    pub fn new(host: Arc<Host>, setup: Setup, connection: Connection, listener: Listener) -> Self {
        Self {
            backend: host.backend().clone(),
            host,
            setup,
            connection,
            listener,
            open: None,
            left: Vec::new(),
            opened: BTreeSet::new(),
            next: mpsc::unbounded_channel(),
            leads_on: false,
            held: VecDeque::new(),
            unsaid: mpsc::channel(1),
            talking: JoinSet::new(),
            under_way: JoinSet::new(),
            aside: JoinSet::new(),
        }
    }

    /// Does one thing after the other until the front end has left.
    pub async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Request>) {
        let mut leaving = false;
        loop {
            // Those that are done are forgotten.
            for done in [&mut self.talking, &mut self.under_way, &mut self.aside] {
                while done.try_join_next().is_some() {}
            }
            if !self.leads_on
                && let Some(request) = self.held.pop_front()
            {
                self.take(request).await;
                continue;
            }
            if leaving && self.held.is_empty() {
                break;
            }
            tokio::select! {
                Some(onward) = self.next.1.recv() => self.arrive(onward).await,
                request = queue.recv(), if !leaving => match request {
                    Some(request) if self.leads_on && waits_for_next(&request.command) => self.held.push_back(request),
                    Some(request) => self.take(request).await,
                    None => {
                        leaving = true;
                        // What is held waits for the turn of this front end, and nobody reads its answer any more.
                        if !self.held.is_empty() {
                            self.stop_talking().await;
                        }
                    }
                },
            }
        }
        self.leave().await;
    }

    /// Turns to the session that a command has led to.
    async fn arrive(&mut self, Onward { to, teller }: Onward) {
        self.leads_on = false;
        let Some((handle, note)) = to else { return };
        self.show(Ok(handle), teller).await;
        if let Some(note) = note {
            self.tell(Notice::info(note));
        }
    }

    /// Stops the turn of this front end, if there is one.
    async fn stop_talking(&self) {
        if let Some(open) = self.open.as_ref().filter(|_| !self.talking.is_empty()) {
            let _ = open.handle.perform(Command::Turn(TurnCommand::Cancel)).await;
        }
    }

    /// Stops the turn of this front end, if there is one: no one is there to read the answer. Everything else is finished;
    /// where others have the session open, it goes on without this front end waiting for it.
    async fn leave(mut self) {
        for left in std::mem::take(&mut self.left) {
            if let Some(turning) = left.upgrade() {
                turning.abandon().await;
            }
        }
        // Those that answer questions hold handles as well.
        self.aside.shutdown().await;
        self.stop_talking().await;
        let Some(Attached { handle, listening }) = self.open.take() else { return };
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

    /// Tells something that no request has asked for.
    fn tell(&self, event: Event) {
        self.teller(None).tell(event);
    }

    /// Tells what comes of a request.
    fn teller(&self, answers: Option<RequestId>) -> Teller {
        Teller { listener: Arc::clone(&self.listener), answers, session: None }
    }

    async fn take(&mut self, Request { id, command }: Request) {
        let teller = self.teller(id);
        match command {
            Command::Open(Open::Engine(engine)) => {
                let language = self.connection.language.clone();
                self.start(&engine, language.as_ref(), teller).await;
            }
            Command::Open(Open::Saying { engine, words }) => {
                let language = self.connection.language_of(&self.host, &engine, &words);
                self.start(&engine, language.as_ref(), teller).await;
            }
            Command::Open(Open::Session(id)) => {
                let joined = self.host.join(&id).await;
                self.show(joined, teller).await;
            }
            Command::UseModel(UseModel(model)) => self.use_model(&model, &teller),
            Command::Setup(command) => {
                let answers_now = self.setup.take(command).await;
                match answers_now {
                    Some(profile) => self.use_model(&profile, &teller),
                    None => teller.conclude(Conclusion::Done),
                }
            }
            Command::Ask(Query::Models) => {
                self.setup.list_models(self.backend.clone(), self.host.backend().clone(), teller);
            }
            Command::Delete(Delete(ids)) => self.delete(ids, &teller).await,
            Command::File(File { session, change }) => match self.host.refile(vec![session], change.clone()).await {
                Ok(refiled) => {
                    for session in &refiled {
                        self.tell(Notice::info(filing::told(session, &change, self.words())));
                    }
                    teller.conclude(Conclusion::Done);
                }
                Err(error) => teller.tell(Notice::error(error)),
            },
            Command::Ask(Query::Reached) => self.tell_when_reached(teller),
            Command::Ask(query) => self.ask(query, teller),
            Command::Open(Open::Fork | Open::ForkCourse(_)) => {
                self.go_on(command, Some(self.words().host.copy_now()), teller);
            }
            Command::Handoff(HandoffCommand::Accept) => self.go_on(command, None, teller),
            Command::Turn(_) | Command::Edit(_) | Command::Handoff(_) | Command::Task(_) | Command::Session(_) => {
                self.pass_on(command, teller);
            }
        }
    }

    /// Begins a session and shows it.
    async fn start(&mut self, engine: &str, language: Option<&Language>, teller: Teller) {
        let started = self.host.start_in(engine, self.connection.project.as_deref(), language).await;
        let project = started.as_ref().ok().map(|(session, _)| session.record().project_id);
        let opened = started.map(|(session, gate)| self.host.open_for_all(session, &gate));
        self.show(opened, teller).await;
        if let Some(project) = project {
            self.tell_of_briefs(project).await;
        }
    }

    /// Erases sessions at once, all but those that are open.
    async fn delete(&mut self, ids: Vec<String>, teller: &Teller) {
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
                teller.conclude(Conclusion::Done);
            }
            Err(error) => teller.tell(Notice::error(error)),
        }
    }

    /// Has the session carry out a command that leads to another session, and turns to that one when it is done. It may
    /// have to wait for a turn; this front end does not, but what it asks of a session meanwhile is for the next one.
    fn go_on(&mut self, command: Command, note: Option<&'static str>, teller: Teller) {
        let Some(open) = &self.open else { return teller.tell(Notice::error(HostError::NoSession)) };
        let reply = open.handle.perform(command);
        let next = self.next.0.clone();
        self.leads_on = true;
        self.under_way.spawn(async move {
            let to = match reply.await {
                Ok(Done::Next(handle)) => Some((handle, note)),
                Err(Refused::Host(error)) => {
                    teller.tell(Event::NotOpened(error.into()));
                    None
                }
                // None of these comes of opening another session.
                Ok(Done::Told | Done::Turn(_) | Done::Aside(_)) | Err(Refused::Turn(_) | Refused::Cancelled) => {
                    teller.conclude(Conclusion::Cancelled);
                    None
                }
            };
            // It fails only when the front end has left.
            let _ = next.send(Onward { to, teller });
        });
    }

    /// Hands a command to the session. The next one need not wait for it: the session keeps the order.
    fn pass_on(&mut self, command: Command, teller: Teller) {
        let Some(open) = &self.open else { return teller.tell(Notice::error(HostError::NoSession)) };
        let teller = Teller { session: Some(open.handle.id()), ..teller };
        let talks = matches!(command, Command::Turn(_));
        let corrects = match &command {
            Command::Edit(Edit::Correct { path, value }) => Some((path.clone(), value.clone())),
            _ => None,
        };
        let reply = open.handle.perform(command);
        let (words, unsaid) = (self.words(), self.unsaid.0.clone());
        let group = if talks { &mut self.talking } else { &mut self.under_way };
        group.spawn(async move {
            match reply.await {
                Ok(Done::Turn(done)) => teller.conclude(Conclusion::Turn(done)),
                Ok(Done::Aside(done)) => teller.conclude(Conclusion::Aside(done)),
                Ok(Done::Told | Done::Next(_)) => teller.conclude(Conclusion::Done),
                Err(Refused::Turn(failure)) => teller.conclude(Conclusion::Failed(failure)),
                Err(Refused::Cancelled) => teller.conclude(Conclusion::Cancelled),
                // What cannot be done is told whatever session is shown by then.
                Err(Refused::Host(error)) => match (corrects, error.mistyped()) {
                    (Some((path, value)), Some(why)) => {
                        teller.tell(Event::Session(SessionNews::NotCorrected { path, value, why }));
                    }
                    _ => Teller { session: None, ..teller }.tell(Notice::error(error.told(&words.host))),
                },
            }
            drop(unsaid);
        });
    }

    /// Answers when the session has done all that it was asked before, and when that was told.
    fn tell_when_reached(&mut self, teller: Teller) {
        let (unsaid, mut before) = std::mem::replace(&mut self.unsaid, mpsc::channel(1));
        drop(unsaid);
        let later = self.unsaid.0.clone();
        let done = self.open.as_ref().map(|open| open.handle.perform(Query::Reached.into()));
        self.aside.spawn(async move {
            if let Some(done) = done {
                // A session that has ended has nothing to do any more.
                let _ = done.await;
            }
            // Nothing is ever sent: it ends when the last of them has let go.
            let _ = before.recv().await;
            teller.tell(Event::Answer(Answer::Reached));
            drop(later);
        });
    }

    async fn show(&mut self, opened: Result<SessionHandle, HostError>, teller: Teller) {
        let handle = match opened {
            Ok(handle) => handle,
            Err(error) => return teller.tell(Event::NotOpened(error.into())),
        };
        // A session that others have open keeps the model they have chosen.
        if handle.is_last() {
            handle.use_backend(self.backend.clone());
        }
        // Sent before the front end hears that the session is open: what is saved from then on is not missed.
        let watching = self.connection.watch.then(|| handle.perform(SessionCommand::WatchEngine.into()));
        // Nothing of the session before is told once this one is open; and nothing is told twice where they are the same.
        if let Some(listening) = self.open.as_mut().and_then(|before| before.listening.take()) {
            listening.leave().await;
        }
        let listening = handle.listen(Arc::clone(&self.listener)).await;
        // Their turns go on; no one here waits for them any more.
        self.unsaid = mpsc::channel(1);
        self.talking.detach_all();
        self.under_way.detach_all();
        let before = self.open.replace(Attached { handle: handle.clone(), listening });
        self.opened.insert(handle.id());
        self.left.extend(before.map(|before| before.handle.downgrade()));
        self.left.retain(|left| left.id() != handle.id() && left.upgrade().is_some());
        if let Some(watching) = watching {
            let teller = self.teller(None);
            self.under_way.spawn(async move {
                if let Err(Refused::Host(error)) = watching.await {
                    teller.tell(Notice::warning(error.to_string()));
                }
            });
        }
        if !self.connection.only_looks {
            let resumed = handle.read(Session::tasks_resumed).await;
            let outcome = match resumed {
                Ok(resumed) => resumed.await,
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                self.tell(Notice::error(error));
            }
        }
        teller.conclude(Conclusion::Done);
    }

    async fn tell_of_briefs(&self, project: crate::store::ProjectId) {
        match self.host.project_briefs(project).await {
            Ok(titles) if titles.is_empty() => {}
            Ok(titles) => {
                let session = self.open.as_ref().map(|open| open.handle.id());
                Teller { session, ..self.teller(None) }.tell(Event::Session(SessionNews::Briefs(titles)));
            }
            Err(error) => self.tell(Notice::error(error)),
        }
    }

    fn use_model(&mut self, model: &str, teller: &Teller) {
        match self.connection.backend_of(model) {
            Ok(backend) => {
                self.use_backend(backend);
                teller.conclude(Conclusion::Done);
            }
            Err(error) => teller.tell(Notice::error(error)),
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
    fn ask(&mut self, query: Query, teller: Teller) {
        let host = Arc::clone(&self.host);
        let (session, words) = (self.open.as_ref().map(|open| open.handle.clone()), self.words());
        let about = session.as_ref().filter(|_| query.is_of_session()).map(SessionHandle::id);
        self.aside.spawn(async move {
            match queries::answer(&host, session.as_ref(), query, words).await {
                Ok(answer) => Teller { session: about, ..teller }.tell(Event::Answer(answer)),
                Err(error) => teller.tell(Notice::error(error.told(&words.host))),
            }
        });
    }
}

/// Whether a command that comes while another one leads to the next session is about that session.
fn waits_for_next(command: &Command) -> bool {
    // Who waits for a turn to end can stop it.
    if matches!(command, Command::Turn(TurnCommand::Cancel)) {
        return false;
    }
    match command {
        Command::Ask(query) => matches!(query, Query::Reached),
        Command::Open(_)
        | Command::Turn(_)
        | Command::Edit(_)
        | Command::Handoff(_)
        | Command::Task(_)
        | Command::Session(_) => true,
        Command::UseModel(_) | Command::Delete(_) | Command::Setup(_) | Command::File(_) => false,
    }
}
