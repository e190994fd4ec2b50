//! A front end's connection to the host: commands in, events out.

mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use self::worker::Worker;
use super::audience::Listener;
use super::backend::Backend;
use super::doctor::Examiner;
use super::protocol::{Command, News, OFFLINE, Request, RequestId};
use super::setup::Setup;
use super::{Host, HostError};
use crate::settings::{ChosenModel, Flags, Settings, Surroundings};
use crate::words::{ENGLISH, Language, english};

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

impl Connection {
    /// The language that a session begins in: the one that was chosen, else that of the first words, else this front end's.
    fn language_of(&self, host: &Host, engine: &str, words: &str) -> Option<Language> {
        let own = self.language.clone();
        if own.as_ref().is_some_and(|language| language.chosen) {
            return own;
        }
        let engine = host.engine(engine).ok();
        let code = engine.and_then(|engine| engine.reader().detected(words));
        match code {
            // What holds where nothing is said needs no saying.
            Some(code) if own.is_none() && code == ENGLISH => None,
            Some(code) => Some(Language { code, chosen: false }),
            None => own,
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
        let flags = Flags { chosen, ..self.flags.clone() };
        let settings = Settings::load(&flags, &Surroundings::system())?;
        Ok(Backend::configured(&settings)?)
    }
}

/// A front end's connection to the host.
#[derive(Debug)]
pub struct Client {
    requests: mpsc::UnboundedSender<Request>,
    /// The number of the last request that was numbered here.
    last: AtomicU64,
    worker: JoinHandle<()>,
}

impl Client {
    /// Has a command carried out, after those before it. Never waits; what comes of it is an event, and the one that ends
    /// it has the number that is returned.
    pub fn submit(&self, command: impl Into<Command>) -> RequestId {
        let id = RequestId(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        self.send(Request { id: Some(id), command: command.into() });
        id
    }

    /// The same for a front end that counts its requests itself.
    pub fn send(&self, request: Request) {
        // It fails only where the host is gone, and with it everybody who could be told.
        let _ = self.requests.send(request);
    }

    /// Leaves: stops the turn that this front end has begun, and waits until everything else it asked for is done.
    pub async fn finish(self) {
        drop(self.requests);
        let _ = self.worker.await;
    }
}

impl Host {
    /// Connects a front end. The listener is told everything it has to know; it must not wait.
    pub fn connect(self: &Arc<Self>, connection: Connection, listener: Listener) -> Client {
        let (requests, queue) = mpsc::unbounded_channel();
        let words = connection.language.as_ref().map_or_else(english, Language::words);
        let setup = Setup::new(connection.flags.clone(), connection.examiner.clone(), Arc::clone(&listener), words);
        let worker = Worker::new(Arc::clone(self), setup, connection, listener);
        Client { requests, last: AtomicU64::new(0), worker: tokio::spawn(worker.run(queue)) }
    }

    /// Connects a front end that waits for its events.
    pub fn dial(self: &Arc<Self>, connection: Connection) -> (Client, mpsc::UnboundedReceiver<News>) {
        let (sender, events) = mpsc::unbounded_channel();
        let listener = Arc::new(move |news| drop(sender.send(news)));
        (self.connect(connection, listener), events)
    }
}
