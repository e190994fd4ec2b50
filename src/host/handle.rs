//! The way to an open session: what its actor can be asked to do, and the handle to ask it with.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use super::audience::Listener;
use super::backend::Backend;
use super::protocol::{AsideDone, Command, TurnCommand, TurnDone, TurnFailure};
use super::{HostError, Session};
use crate::store::SessionId;

/// Something for the actor to do.
pub(super) enum Mail {
    /// Carry out a command and say what came of it.
    Do(Command, oneshot::Sender<Reply>),
    /// Have another model answer.
    Use(Backend),
    /// The front end that had the session open is leaving the program. A turn that no one listens to is stopped, and its
    /// words are kept as the draft; then this is dropped.
    Abandon(oneshot::Sender<()>),
    /// Do something that needs no more than a look at the session, and so can be done at any time.
    Look(Look),
}

/// What can be done at any time, also in the middle of a turn.
pub(super) enum Look {
    /// Tell this listener everything from now on, beginning with how the session stands.
    Join(Listener, oneshot::Sender<u64>),
    /// This listener has left; what is sent then says that it is told nothing more.
    Leave(u64, oneshot::Sender<()>),
    /// Look something up.
    Read(Box<dyn FnOnce(&Session) + Send>),
}

/// What came of a command.
pub type Reply = Result<Done, Refused>;

/// What came of a command that was carried out.
#[derive(Debug)]
pub enum Done {
    /// Nothing that the events do not tell.
    Told,
    /// A turn that was kept.
    Turn(Arc<TurnDone>),
    /// An aside that was kept.
    Aside(Arc<AsideDone>),
    /// Another session, for the front end that asked.
    Next(SessionHandle),
}

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The turn did not happen. The listeners have been told.
    #[error("{}", .0.message())]
    Turn(TurnFailure),
    /// The turn was cancelled. The listeners have been told.
    #[error("the turn was cancelled")]
    Cancelled,
    /// It could not be done. Only the one who asked is told.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl Refused {
    /// A word for the log, which holds no words of a conversation.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Turn(failure) => failure.kind(),
            Self::Cancelled => "cancelled",
            Self::Host(_) => "refused",
        }
    }
}

/// The way to the actor of a session. The actor lives as long as there is one of these.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    id: SessionId,
    mail: mpsc::UnboundedSender<Mail>,
    /// Never written to; it closes when the actor has finished everything.
    ended: watch::Receiver<()>,
}

/// A handle that does not keep the actor alive.
#[derive(Clone, Debug)]
pub(super) struct WeakHandle {
    id: SessionId,
    mail: mpsc::WeakUnboundedSender<Mail>,
    ended: watch::Receiver<()>,
}

impl WeakHandle {
    pub fn upgrade(&self) -> Option<SessionHandle> {
        let mail = self.mail.upgrade()?;
        Some(SessionHandle { id: self.id, mail, ended: self.ended.clone() })
    }

    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Whether the actor has finished everything.
    pub fn has_ended(&self) -> bool {
        self.ended.has_changed().is_err()
    }

    /// Returns when the actor has finished everything.
    pub async fn ended(mut self) {
        let _ = self.ended.changed().await;
    }
}

/// Somebody who listens to a session, for as long as this lives.
#[derive(Debug)]
pub struct Listening {
    mail: mpsc::WeakUnboundedSender<Mail>,
    number: u64,
}

impl Listening {
    /// Leaves, and returns when the listener is told nothing more.
    pub(super) async fn leave(self) {
        if let Some(left) = self.leaves() {
            // It fails where the session is closed: then nothing more is told either.
            let _ = left.await;
        }
    }

    fn leaves(&self) -> Option<oneshot::Receiver<()>> {
        let (left, gone) = oneshot::channel();
        self.mail.upgrade()?.send(Mail::Look(Look::Leave(self.number, left))).ok()?;
        Some(gone)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.leaves());
    }
}

impl SessionHandle {
    /// A handle, what comes out of its mailbox, and what the actor holds as long as it lives.
    pub(super) fn new(id: SessionId) -> (Self, mpsc::UnboundedReceiver<Mail>, watch::Sender<()>) {
        let (mail, mailbox) = mpsc::unbounded_channel();
        let (alive, ended) = watch::channel(());
        (Self { id, mail, ended }, mailbox, alive)
    }

    /// The session.
    pub fn id(&self) -> SessionId {
        self.id
    }

    pub(super) fn downgrade(&self) -> WeakHandle {
        WeakHandle { id: self.id, mail: self.mail.downgrade(), ended: self.ended.clone() }
    }

    /// Stops a turn that no one listens to. Returns when its words are kept, and everything asked for before is done.
    pub(super) async fn abandon(&self) {
        let (kept, done) = oneshot::channel();
        if self.mail.send(Mail::Abandon(kept)).is_ok() {
            let _ = done.await;
        }
    }

    /// Whether this is the only handle left.
    pub(super) fn is_last(&self) -> bool {
        self.mail.strong_count() == 1
    }

    /// Tells a listener everything from now on. The first thing it hears is how the session stands.
    pub async fn listen(&self, listener: Listener) -> Option<Listening> {
        let (joined, number) = oneshot::channel();
        self.mail.send(Mail::Look(Look::Join(listener, joined))).ok()?;
        Some(Listening { mail: self.mail.downgrade(), number: number.await.ok()? })
    }

    /// Has a command carried out. It is sent at once, in the order of the calls; what came of it is for the future.
    pub fn perform(&self, command: Command) -> impl Future<Output = Reply> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        let sent = self.mail.send(Mail::Do(command, reply)).is_ok();
        async move {
            if !sent {
                return Err(HostError::NoSession.into());
            }
            answer.await.unwrap_or(Err(Refused::Cancelled))
        }
    }

    /// Says something and waits for the turn.
    pub async fn say(&self, message: impl Into<String>) -> Result<Arc<TurnDone>, Refused> {
        match self.perform(Command::Turn(TurnCommand::Say { message: message.into() })).await? {
            Done::Turn(done) => Ok(done),
            Done::Told | Done::Aside(_) | Done::Next(_) => Err(Refused::Cancelled),
        }
    }

    /// Has this backend answer from now on.
    pub fn use_backend(&self, backend: Backend) {
        let _ = self.mail.send(Mail::Use(backend));
    }

    /// Looks something up in the session as it stands, whatever else it is doing.
    pub async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Session) -> T + Send + 'static,
    ) -> Result<T, HostError> {
        let (found, answer) = oneshot::channel();
        let job = Box::new(move |session: &Session| drop(found.send(look(session))));
        self.mail.send(Mail::Look(Look::Read(job))).map_err(|_| HostError::NoSession)?;
        answer.await.map_err(|_| HostError::NoSession)
    }
}
