//! The actor of an open session: one task owns it and does one thing after the other, in the order it was asked.
//!
//! **Invariant:** reading never waits behind a turn. While a turn runs, the session itself is not changed, so the actor
//! goes on answering questions, lets listeners come and go, helps background tasks along, and hears "cancel".

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinSet;
use tracing::Instrument as _;

use super::Host;
use super::audience::Audience;
use super::backend::Backend;
use super::engine_watch::{self, EngineWatch};
use super::handle::{Done, Look, Mail, Refused, Reply, SessionHandle, WeakHandle};
use super::meanwhile::Meanwhile;
use super::protocol::{Event, Notice, Snapshot, TurnDone, TurnFailure, TurnNews};
use super::session::{KeptTurn, Voice};
use super::warm_up::Ahead;
use super::{HostError, Session, task_news};
use crate::engine::ports::PersistError;
use crate::engine::recap::Recap;
use crate::engine::step::Step;
use crate::engine::transcript::Role;
use crate::engine::turn::TurnError;
use crate::store::{Draft, StoreError};
use crate::tasks::TaskEvent;

/// Gives a session a task of its own.
pub(super) fn spawn(session: Session, host: Option<Arc<Host>>) -> SessionHandle {
    let (handle, mailbox, alive) = SessionHandle::new(session.record().id);
    let tasks = session.task_events();
    let actor = Actor {
        audience: Audience::of(session.record().id),
        session,
        host,
        mailbox,
        postponed: VecDeque::new(),
        watch: None,
        tasks,
        ahead: JoinSet::new(),
        prepared: None,
        own: handle.downgrade(),
    };
    let span = tracing::info_span!("session", id = %handle.id());
    tokio::spawn(
        async move {
            actor.run().await;
            drop(alive);
        }
        .instrument(span),
    );
    handle
}

pub(super) struct Actor {
    pub(super) session: Session,
    pub(super) host: Option<Arc<Host>>,
    pub(super) audience: Audience,
    pub(super) mailbox: mpsc::UnboundedReceiver<Mail>,
    /// What came during a turn and has to wait for its end.
    pub(super) postponed: VecDeque<Mail>,
    pub(super) watch: Option<EngineWatch>,
    pub(super) tasks: Option<broadcast::Receiver<TaskEvent>>,
    /// What is prepared for the next message; it ends when that comes.
    pub(super) ahead: JoinSet<()>,
    /// The turn after which something was prepared last.
    prepared: Option<u32>,
    /// Its own handle. It is held while a turn runs, so that a turn goes on when the front end turns to another session,
    /// and the session can be joined again in the middle of it.
    pub(super) own: WeakHandle,
}

impl Actor {
    async fn run(mut self) {
        if self.host.is_some() {
            let engine = Arc::clone(self.session.engine());
            drop(tokio::task::spawn_blocking(move || engine.reader().prepare()));
            if let Some(ahead) = self.session.on_opening() {
                self.start(ahead);
            }
        }
        loop {
            let Some(mail) = self.next_mail().await else { break };
            match mail {
                Mail::Do(command, reply) => {
                    let outcome = Box::pin(self.carry_out(command)).await;
                    if matches!(outcome, Err(Refused::Host(HostError::Store(StoreError::Conflict { .. })))) {
                        self.catch_up().await;
                    }
                    // It fails only where the one who asked has gone.
                    let _ = reply.send(outcome);
                }
                Mail::Use(backend) => self.use_backend(&backend),
                Mail::Abandon(stopped) => drop(stopped),
                Mail::Look(look) => attend(&self.session, &self.audience, look),
            }
        }
    }

    /// Has another model answer. Who may search what, and where it goes, is told anew.
    fn use_backend(&mut self, backend: &Backend) {
        self.session.set_backend(backend);
        if let Some(search) = self.session.may_search() {
            self.audience.tell(Notice::info(search));
        }
    }

    /// The next thing to do; what happens to tasks and to the engine's files meanwhile is seen to. `None` when no handle
    /// is left.
    async fn next_mail(&mut self) -> Option<Mail> {
        if let Some(postponed) = self.postponed.pop_front() {
            return Some(postponed);
        }
        loop {
            tokio::select! {
                mail = self.mailbox.recv() => return mail,
                event = next(&mut self.tasks) => task_news::tell(&self.session, &self.audience, event),
                () = engine_watch::saved(&mut self.watch) => self.reload().await,
                Some(_) = self.ahead.join_next() => self.tell_of_cost(),
            }
        }
    }

    /// Prepares for the message that is being written, once for each. Where it has come already, there is nothing to gain.
    pub(super) async fn prepare_ahead(&mut self, draft: &Draft) {
        let turn = self.session.record().turn;
        let is_written = !draft.text.trim().is_empty() && self.mailbox.is_empty() && self.postponed.is_empty();
        if is_written && self.prepared != Some(turn) {
            self.prepared = Some(turn);
            if let Some(ahead) = self.session.while_writing().await {
                self.start(ahead);
            }
        }
    }

    fn start(&mut self, ahead: Ahead) {
        match ahead {
            // A connection is of use whenever it stands.
            connection @ Ahead::Connection(_) => drop(tokio::spawn(connection.run())),
            beginning @ Ahead::Beginning(..) => drop(self.ahead.spawn(beginning.run())),
        }
    }

    /// The user's last message, said again in its own place.
    pub(super) async fn retry(&mut self) -> Reply {
        let messages = self.session.transcript().messages();
        let said = messages.iter().rev().find(|message| message.role == Role::User);
        let Some((turn, text)) = said.map(|message| (message.turn, message.text.to_string())) else {
            return Ok(Done::Told);
        };
        let given = self.session.memory().speakers.get(&turn).cloned();
        self.turn_by(Some(turn), text, given.map_or(Voice::Written, Voice::Other)).await
    }

    /// Runs a turn; in place of `replaces` and all after it, where that is given.
    pub(super) async fn turn(&mut self, replaces: Option<u32>, message: String) -> Reply {
        self.turn_by(replaces, message, Voice::Written).await
    }

    /// The same, where it is said whose words they are.
    pub(super) async fn turn_by(&mut self, replaces: Option<u32>, message: String, voice: Voice) -> Reply {
        // What was saved before a message came is meant for it.
        if self.watch.as_mut().is_some_and(EngineWatch::is_stirred) {
            engine_watch::saved(&mut self.watch).await;
            self.reload().await;
        }
        let _alive = self.own.upgrade();
        self.ahead = JoinSet::new();
        self.audience.tell(Event::Turn(TurnNews::Begun { message: message.clone(), replaces, aside: false }));
        let begun = Instant::now();
        // What somebody else has said, or a key, is nobody's draft.
        let own = matches!(voice, Voice::Written);
        if own {
            self.session.draft_is_sent(&message);
        }
        let outcome = match self.run_turn(replaces, &message, voice).await {
            Some(Ok(turn)) => Ok(self.adopt(turn).await),
            Some(Err(error)) => Err(Refused::Turn(failure(&error))),
            None => Err(Refused::Cancelled),
        };
        let (news, reply) = match outcome {
            Ok(done) => (TurnNews::Done(Arc::clone(&done)), Ok(Done::Turn(done))),
            Err(Refused::Turn(failure)) => (TurnNews::Failed(failure.clone()), Err(Refused::Turn(failure))),
            Err(other) => (TurnNews::Cancelled, Err(other)),
        };
        let milliseconds = begun.elapsed().as_millis();
        match &reply {
            Ok(_) => tracing::info!(turn = self.session.record().turn, milliseconds, "a turn was kept"),
            Err(why) => tracing::warn!(milliseconds, kind = why.kind(), "a turn did not happen"),
        }
        if own && !matches!(reply, Ok(_) | Err(Refused::Turn(TurnFailure::Input(_)))) {
            self.keep_words(&message, replaces).await;
        }
        self.audience.tell(Event::Turn(news));
        if reply.is_err() {
            self.tell_of_cost();
        }
        if matches!(reply, Err(Refused::Turn(TurnFailure::Elsewhere(_)))) {
            self.catch_up().await;
        }
        reply
    }

    /// Tells what the session has cost where no turn does: a turn that came to nothing, or what was sent ahead.
    pub(super) fn tell_of_cost(&self) {
        if self.session.memory_now().usage != self.session.memory().usage {
            self.tell_changed(String::new());
        }
    }

    /// Keeps the message of a turn that came to nothing as the draft. Where it was written ahead the store has it already,
    /// but not where the turn was refused before.
    pub(super) async fn keep_words(&mut self, message: &str, replaces: Option<u32>) {
        self.session.draft_is_back(message, replaces);
        match self.session.save_draft(&self.session.draft()).await {
            Ok(()) | Err(HostError::Rehearsal) => {}
            Err(error) => tracing::error!(%error, "a message could not be kept as a draft"),
        }
    }

    /// Takes over what another process has made of the session meanwhile.
    pub(super) async fn catch_up(&mut self) {
        let Some(host) = &self.host else { return };
        match host.resume(&self.session.record().id.to_string()).await {
            Ok(mut session) if session.record().revision != self.session.record().revision => {
                session.set_backend(self.session.backend());
                self.session = session;
                self.audience.tell(Event::Opened(Arc::new(self.session.snapshot())));
            }
            Ok(_) => {}
            Err(error) => self.audience.tell(Notice::error(error)),
        }
    }

    /// Runs a turn up to the point where it is in the store; `None` where it was cancelled before.
    async fn run_turn(
        &mut self,
        replaces: Option<u32>,
        message: &str,
        voice: Voice,
    ) -> Option<Result<KeptTurn, TurnError>> {
        let Self { session, audience, mailbox, postponed, tasks, .. } = self;
        let (session, audience) = (&*session, &*audience);
        let saving = AtomicBool::new(false);
        let mut on_news = |news: TurnNews| {
            if matches!(&news, TurnNews::Step(entry) if entry.step == Step::ExitTransitions) {
                saving.store(true, Ordering::Relaxed);
            }
            audience.tell(Event::Turn(news));
        };
        let mut turn = std::pin::pin!(async {
            let past = match replaces {
                Some(turn) => Some(session.before(turn).await?),
                None => None,
            };
            session.run(past, message, voice, &mut on_news).await
        });
        Meanwhile { session, audience, mailbox, postponed, tasks }.attend(turn.as_mut(), &saving).await
    }

    async fn adopt(&mut self, turn: KeptTurn) -> Arc<TurnDone> {
        let outcome = self.session.adopt_turn(turn).await;
        Arc::new(self.session.done(outcome))
    }
}

pub(super) fn attend(session: &Session, audience: &Audience, look: Look) {
    match look {
        Look::Join(listener, joined) => {
            // Who comes to a session is told how it stands; who has it open knows.
            let recap = Recap::of(session.engine(), session.memory());
            let snapshot = Snapshot { under_way: audience.under_way(), recap, ..session.snapshot() };
            listener(audience.news(Event::Opened(Arc::new(snapshot))));
            let number = audience.add(listener);
            if joined.send(number).is_err() {
                audience.remove(number);
            }
        }
        Look::Leave(number, left) => {
            audience.remove(number);
            // It fails only where nobody waits for it.
            let _ = left.send(());
        }
        Look::Read(job) => job(session),
    }
}

/// The next thing that happens to a background task.
pub(super) async fn next(tasks: &mut Option<broadcast::Receiver<TaskEvent>>) -> TaskEvent {
    while let Some(events) = tasks {
        match events.recv().await {
            Ok(event) => return event,
            // Steps on the way were missed; the last state of each task is still to come.
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => *tasks = None,
        }
    }
    std::future::pending().await
}

pub(super) fn failure(error: &TurnError) -> TurnFailure {
    let text = error.to_string();
    match error {
        TurnError::Input(_) => TurnFailure::Input(text),
        TurnError::Call(_) => TurnFailure::Endpoint(text),
        TurnError::OverBudget(reached) => TurnFailure::OverBudget(*reached),
        TurnError::EmptyAnswer => TurnFailure::EmptyAnswer(text),
        TurnError::Persist(PersistError::Elsewhere(_)) => TurnFailure::Elsewhere(text),
        TurnError::Persist(PersistError::Unread(_) | PersistError::Failed(_)) => TurnFailure::Store(text),
    }
}
