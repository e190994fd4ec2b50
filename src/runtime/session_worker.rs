//! The task that owns the open session: one thing after the other, in the order the app asked for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{mpsc, oneshot};

use super::app_effects::endpoint;
use super::effects::Messages;
use super::session_change::change;
use super::tasks::Following;
use super::{Backend, EngineWatch, Host, HostError, Session, SessionEvent, faults, task_news};
use crate::app::msg::{OverlayMsg, PickerMsg, SessionMsg, ToastMsg, TurnMsg};
use crate::app::session::{OpenedSession, TurnDone};
use crate::app::{Effect, Msg};
use crate::engine::changes;
use crate::engine::step::Step;
use crate::engine::transcript::Role;
use crate::engine::turn::{TurnError, TurnOutcome};
use crate::settings::{Flags, Settings, Surroundings};

/// How many changes of an engine are told at once.
const TOLD: usize = 6;

/// Something to be done, with a way to stop it.
#[derive(Debug)]
pub struct Job {
    /// What.
    pub effect: Effect,
    /// Comes when it should be stopped.
    pub cancelled: Option<oneshot::Receiver<()>>,
}

struct Worker {
    host: Arc<Host>,
    flags: Flags,
    project: Option<String>,
    backend: Backend,
    session: Option<Session>,
    /// Passes on what happens to the background tasks of the session.
    following: Option<Following>,
    watch: Option<Watch>,
    messages: Messages,
}

/// The watch on the engine of the open session, if one is wanted: where to send jobs, and the task that does.
#[derive(Debug)]
pub struct Watch {
    jobs: mpsc::WeakUnboundedSender<Job>,
    task: Option<tokio::task::AbortHandle>,
}

impl Watch {
    /// A watch that has nothing to look at yet.
    pub fn new(jobs: &mpsc::UnboundedSender<Job>) -> Self {
        Self { jobs: jobs.downgrade(), task: None }
    }

    /// Looks at the engine of this session from now on; says why it cannot.
    fn look_at(&mut self, session: &Session) -> Result<(), String> {
        if let Some(task) = self.task.take() {
            task.abort();
        }
        let name = &session.engine().definition().id;
        let Some(folder) = session.engine_folder() else {
            return Err(format!("`{name}` is part of the program: there is no file of it to watch"));
        };
        let fail = |error| format!("{} cannot be watched: {error}", folder.display());
        let mut watch = EngineWatch::start(folder).map_err(fail)?;
        let jobs = self.jobs.clone();
        let task = tokio::spawn(async move {
            while watch.saved().await {
                let Some(jobs) = jobs.upgrade() else { return };
                let _ = jobs.send(Job { effect: Effect::ReloadEngine, cancelled: None });
            }
        });
        self.task = Some(task.abort_handle());
        Ok(())
    }
}

/// Does jobs until there will be none any more.
pub async fn run(
    host: Arc<Host>,
    flags: Flags,
    project: Option<String>,
    watch: Option<Watch>,
    mut jobs: mpsc::UnboundedReceiver<Job>,
    messages: Messages,
) {
    let backend = host.backend().clone();
    let mut worker = Worker { host, flags, project, backend, session: None, following: None, watch, messages };
    while let Some(job) = jobs.recv().await {
        worker.work(job).await;
    }
}

impl Worker {
    fn send(&self, msg: Msg) {
        let _ = self.messages.send(msg);
    }

    async fn work(&mut self, Job { effect, cancelled }: Job) {
        let outcome = match effect {
            Effect::StartSession(engine) => return self.open(&engine).await,
            Effect::ResumeSession(id) => return self.resume(&id).await,
            Effect::Submit { message } => return Box::pin(self.turn(None, message, cancelled)).await,
            Effect::Resubmit { turn, message } => return Box::pin(self.turn(Some(turn), message, cancelled)).await,
            Effect::Retry => return self.retry(cancelled).await,
            Effect::AcceptHandoff => return self.accept_handoff().await,
            Effect::Fork => self.fork().await,
            Effect::ReloadEngine => return self.reload().await,
            Effect::UseModel(model) => self.use_model(&model),
            other => match &mut self.session {
                Some(session) => change(session, &self.host, other, &self.messages).await,
                None => Ok(()),
            },
        };
        if let Err(error) = outcome {
            self.send(Msg::Toast(ToastMsg::Error(error.to_string())));
        }
    }

    async fn open(&mut self, engine: &str) {
        let started = self.host.start(engine, self.project.as_deref()).await;
        let project = started.as_ref().ok().map(|session| session.record().project_id);
        self.show(started).await;
        let Some(project) = project else { return };
        match self.host.project_briefs(project).await {
            Ok(titles) if titles.is_empty() => {}
            Ok(titles) => self.send(Msg::Overlay(OverlayMsg::Briefs(titles))),
            Err(error) => self.send(Msg::Toast(ToastMsg::Error(error.to_string()))),
        }
    }

    /// Opens the session of the next step, with what this one hands over.
    async fn accept_handoff(&mut self) {
        let host = Arc::clone(&self.host);
        let Some(session) = &mut self.session else { return };
        let next = host.accept_handoff(session).await;
        self.show(next).await;
    }

    async fn show(&mut self, session: Result<Session, HostError>) {
        match session {
            Ok(session) => self.opened(session).await,
            Err(error) => self.send(Msg::Session(SessionMsg::Failed(error.to_string()))),
        }
    }

    async fn resume(&mut self, id: &str) {
        let resumed = self.host.resume(id).await;
        self.show(resumed).await;
    }

    async fn opened(&mut self, mut session: Session) {
        session.set_backend(self.backend.clone());
        let change = session.engine_change().map(|change| {
            format!(
                "the engine has changed since this session began ({} to {}): {}; the session goes on with the one it began with",
                change.pinned_version,
                change.current_version,
                changes::in_short(&change.differences, TOLD)
            )
        });
        let watched = self.watch.as_mut().map(|watch| watch.look_at(&session));
        self.send(opened(&session));
        if let Some(Err(why)) = watched {
            self.send(Msg::Toast(ToastMsg::Warning(why)));
        }
        if let Some(change) = change {
            self.send(Msg::Toast(ToastMsg::Warning(change)));
        }
        self.follow_tasks(&session).await;
        self.session = Some(session);
    }

    /// Passes on what happens to the background tasks of a session, and takes up those that were left.
    async fn follow_tasks(&mut self, session: &Session) {
        self.following = Some(task_news::follow(session, &self.messages));
        if let Err(error) = session.resume_tasks().await {
            self.send(Msg::Toast(ToastMsg::Error(error.to_string())));
        }
    }

    /// Takes the engine's files over, between two turns: jobs are done one after the other.
    async fn reload(&mut self) {
        let Some(mut session) = self.session.take() else { return };
        let msg = match self.host.reload(&mut session).await {
            Ok(None) => None,
            Ok(Some(different)) => {
                // The new version has its own tasks.
                self.follow_tasks(&session).await;
                let name = &session.engine().definition().id;
                let (memory, sidebar) = session.shown();
                Some(SessionMsg::EngineChanged {
                    engine: Arc::clone(session.engine()),
                    memory,
                    sidebar,
                    note: format!("`{name}` is taken over: {}", changes::in_short(&different, TOLD)),
                })
            }
            Err(error) => Some(SessionMsg::EngineFaulty(faults(&error))),
        };
        self.session = Some(session);
        if let Some(msg) = msg {
            self.send(Msg::Session(msg));
        }
    }

    async fn fork(&mut self) -> Result<(), HostError> {
        let Some(session) = &self.session else { return Ok(()) };
        let record = session.record();
        let forked = self.host.fork(&record.id.to_string(), record.turn).await?;
        self.resume(&forked.id.to_string()).await;
        self.send(Msg::Toast(ToastMsg::Info("this is a copy now; the first session stays as it was".to_owned())));
        Ok(())
    }

    /// An empty name is the offline interviewer; a name with a URL before it is a server of its own.
    fn use_model(&mut self, model: &str) -> Result<(), HostError> {
        self.backend = if model.is_empty() {
            Backend::Offline
        } else {
            let (url, name) = model.split_once(' ').map_or((None, model), |(url, name)| (Some(url), name));
            let own = self.flags.clone();
            let flags = Flags {
                endpoint: url.map(ToOwned::to_owned).or(own.endpoint),
                model: Some(name.to_owned()),
                ..self.flags.clone()
            };
            let settings = Settings::load(&flags, &Surroundings::system())?;
            settings.models()?.map_or(Backend::Offline, |models| Backend::Models(Arc::new(models)))
        };
        if let Some(session) = &mut self.session {
            session.set_backend(self.backend.clone());
        }
        let endpoint = endpoint(&self.backend);
        self.send(Msg::Toast(ToastMsg::Info(format!("{} answers from now on", endpoint.label))));
        self.send(Msg::Picker(PickerMsg::Endpoint(endpoint)));
        Ok(())
    }

    async fn retry(&mut self, cancelled: Option<oneshot::Receiver<()>>) {
        let Some(session) = &self.session else { return };
        let said = session.transcript().messages().iter().rev().find(|message| message.role == Role::User);
        if let Some((turn, text)) = said.map(|message| (message.turn, message.text.to_string())) {
            Box::pin(self.turn(Some(turn), text, cancelled)).await;
        }
    }

    /// Runs a turn; in place of `replaces` and all after it, where that is given.
    async fn turn(&mut self, replaces: Option<u32>, message: String, cancelled: Option<oneshot::Receiver<()>>) {
        let Some(session) = &mut self.session else {
            self.send(Msg::Turn(TurnMsg::Failed("no session is open".to_owned())));
            return;
        };
        let messages = self.messages.clone();
        let saving = AtomicBool::new(false);
        let mut watch = |event| {
            if matches!(&event, SessionEvent::StepDone(entry) if entry.step == Step::ExitTransitions) {
                saving.store(true, Ordering::Relaxed);
            }
            if let Some(msg) = news(event) {
                let _ = messages.send(msg);
            }
        };
        let stop = async {
            let asked = match cancelled {
                Some(cancelled) => cancelled.await.is_ok(),
                None => false,
            };
            if !asked {
                // Nobody can cancel any more; the turn alone is waited for.
                std::future::pending::<()>().await;
            }
        };
        let outcome = {
            let mut turn = std::pin::pin!(async {
                match replaces {
                    Some(turn) => session.say_instead(turn, &message, &mut watch).await,
                    None => session.say(&message, &mut watch).await,
                }
            });
            tokio::select! {
                outcome = &mut turn => Some(outcome),
                // What is being saved is finished: dropped, nobody would know whether it was kept.
                () = stop => if saving.load(Ordering::Relaxed) { Some(turn.await) } else { None },
            }
        };
        let msg = match outcome {
            Some(Ok(outcome)) => done(session, outcome),
            Some(Err(TurnError::OverBudget(reached))) => TurnMsg::OverBudget(reached),
            Some(Err(error)) => TurnMsg::Failed(error.to_string()),
            None => TurnMsg::Cancelled,
        };
        let title = session.record().title.clone();
        self.send(Msg::Turn(msg));
        self.send(Msg::Session(SessionMsg::Renamed(title)));
    }
}

fn news(event: SessionEvent) -> Option<Msg> {
    Some(Msg::Turn(match event {
        SessionEvent::Delta(text) => TurnMsg::Delta(text),
        SessionEvent::Revising(_) => TurnMsg::Revising,
        SessionEvent::Compressed(strategy) => TurnMsg::Compressed(strategy),
        SessionEvent::StepDone(entry) => TurnMsg::Step(Box::new(entry)),
        SessionEvent::Retrying { attempt, wait, reason } => {
            let (reason, seconds) = (reason.trim_end_matches('.'), wait.as_secs().max(1));
            let text = format!("{reason}; trying again in {seconds} s (attempt {attempt})");
            return Some(Msg::Toast(ToastMsg::Info(text)));
        }
        SessionEvent::Reading
        | SessionEvent::Writing
        | SessionEvent::Summarising
        | SessionEvent::Reasoning(_)
        | SessionEvent::Queued => return None,
    }))
}

fn done(session: &Session, outcome: TurnOutcome) -> TurnMsg {
    let TurnOutcome { message, answer, mut sidebar, figures, .. } = outcome;
    let memory = session.memory_now().into_owned();
    // Tasks that the turn set off may have come further than its sidebar says.
    sidebar.follow_tasks(session.engine(), &memory);
    TurnMsg::Done(Box::new(TurnDone { memory: Box::new(memory), message, answer, sidebar, figures }))
}

/// The session as the app wants it.
pub fn opened(session: &Session) -> Msg {
    let record = session.record();
    let title = if record.title == session.engine().definition().name { String::new() } else { record.title.clone() };
    let (memory, sidebar) = session.shown();
    Msg::Session(SessionMsg::Opened(Box::new(OpenedSession {
        id: record.id.to_string(),
        title,
        project: session.project().map(ToOwned::to_owned),
        engine: Arc::clone(session.engine()),
        memory,
        sidebar,
        messages: session.transcript().messages().to_vec(),
        cap_usd: session.cap_usd(),
        draft: record.draft.clone(),
        trust: session.trust_request().map(task_news::question),
    })))
}
