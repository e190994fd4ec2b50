//! What the app wants, carried out on the host: one task owns the open session and does one thing after the other;
//! what needs no session is done beside it.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::effects::{EffectHandler, Messages};
use super::host::DEFAULT_PROJECT;
use super::journey::Station;
use super::session_worker::{Job, Watch, run};
use super::{Backend, Host, HostError};
use crate::app::msg::{
    Endpoint, EngineChoice, JourneyStop, ModelChoice, OverlayMsg, PickerMsg, SearchHit, SessionChoice, ToastMsg,
};
use crate::app::{Effect, Msg};
use crate::llm::{CallRole, local};
use crate::settings::{Flags, save_theme};
use crate::store::query::marks;
use crate::store::{SearchQuery, SessionFilter, StoreError};

/// How many sessions the first screen lists, and how many places a search.
const LISTED: u32 = 50;

/// Carries out effects on the host.
#[derive(Debug)]
pub struct AppEffects {
    host: Arc<Host>,
    jobs: mpsc::UnboundedSender<Job>,
    cancel: Option<oneshot::Sender<()>>,
    worker: tokio::task::JoinHandle<()>,
}

impl AppEffects {
    /// Starts the task that owns the session. With `watch` it takes over what is saved in the folder of its engine.
    pub fn start(host: Arc<Host>, flags: Flags, project: Option<String>, watch: bool, messages: Messages) -> Self {
        let (jobs, queue) = mpsc::unbounded_channel();
        let watch = watch.then(|| Watch::new(&jobs));
        let worker = tokio::spawn(run(Arc::clone(&host), flags, project, watch, queue, messages));
        Self { host, jobs, cancel: None, worker }
    }

    /// Waits until everything that was asked for is done.
    pub async fn finish(self) {
        let Self { jobs, cancel, worker, host: _ } = self;
        if let Some(cancel) = cancel {
            let _ = cancel.send(());
        }
        drop(jobs);
        let _ = worker.await;
    }

    /// Hands a turn over, with a way to stop it.
    fn turn(&mut self, effect: Effect) {
        let (cancel, cancelled) = oneshot::channel();
        self.cancel = Some(cancel);
        let _ = self.jobs.send(Job { effect, cancelled: Some(cancelled) });
    }
}

impl EffectHandler for AppEffects {
    fn handle(&mut self, effect: Effect, messages: &Messages) {
        let (host, messages) = (Arc::clone(&self.host), messages.clone());
        match effect {
            Effect::CancelTurn => {
                if let Some(cancel) = self.cancel.take() {
                    let _ = cancel.send(());
                }
            }
            Effect::Submit { .. } | Effect::Retry | Effect::Resubmit { .. } => self.turn(effect),
            Effect::ListSessions => {
                tokio::spawn(async move { tell(&messages, list(&host).await) });
            }
            Effect::Search(words) => {
                tokio::spawn(async move { tell(&messages, search(&host, words).await) });
            }
            Effect::ListJourney(session) => {
                tokio::spawn(async move {
                    let msg = match journey(&host, &session).await {
                        Ok(stops) => Msg::Overlay(OverlayMsg::Journey(stops)),
                        Err(error) => Msg::Toast(ToastMsg::Error(error.to_string())),
                    };
                    let _ = messages.send(msg);
                });
            }
            Effect::SaveTheme(theme) => {
                tokio::task::spawn_blocking(move || {
                    let file = &host.settings.paths.config_file.value;
                    if let Err(error) = save_theme(file, &theme) {
                        let text =
                            format!("the theme is not remembered: {} cannot be changed: {error}", file.display());
                        let _ = messages.send(Msg::Toast(ToastMsg::Warning(text)));
                    }
                });
            }
            Effect::ListModels => {
                tokio::spawn(async move {
                    let models = models(&host).await;
                    let _ = messages.send(Msg::Overlay(OverlayMsg::Models(models)));
                });
            }
            _ => {
                let _ = self.jobs.send(Job { effect, cancelled: None });
            }
        }
    }
}

fn tell(messages: &Messages, outcome: Result<Msg, StoreError>) {
    let msg = outcome.unwrap_or_else(|error| Msg::Toast(ToastMsg::Error(error.to_string())));
    let _ = messages.send(msg);
}

/// What answers, for the line at the top.
pub fn endpoint(backend: &Backend) -> Endpoint {
    let label = if backend.is_offline() { "offline interviewer".to_owned() } else { backend.name() };
    Endpoint { label, offline: backend.is_offline() }
}

async fn list(host: &Host) -> Result<Msg, StoreError> {
    let loaded =
        host.catalogue.ids().into_iter().filter_map(|id| host.engine(&id).ok().map(|(engine, _)| (id, engine)));
    let engines: Vec<EngineChoice> = loaded
        .map(|(id, engine)| {
            let definition = engine.definition();
            EngineChoice {
                id,
                name: definition.name.clone(),
                outcome: definition.outcome.clone(),
                minutes: definition.duration_minutes,
            }
        })
        .collect();
    let filter = SessionFilter { limit: Some(LISTED), ..SessionFilter::default() };
    let found = host.store().call_async(move |store| store.list_sessions(&filter)).await?;
    let zone = jiff::tz::TimeZone::system();
    let sessions = found.into_iter().map(|session| {
        let name = engines.iter().find(|engine| engine.id == session.engine_id).map(|engine| engine.name.clone());
        SessionChoice {
            id: session.id.to_string(),
            title: session.title,
            engine: name.unwrap_or(session.engine_id),
            when: session.updated_at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
            turns: session.turn,
            completeness: (session.completeness * 100.0).round() as u32,
        }
    });
    let sessions = sessions.collect();
    Ok(Msg::Picker(PickerMsg::Listed { engines, sessions }))
}

async fn search(host: &Host, words: String) -> Result<Msg, StoreError> {
    let query = SearchQuery { text: words.clone(), limit: Some(LISTED), ..SearchQuery::default() };
    let found = host.store().call_async(move |store| store.search(&query)).await?;
    let hits = found.into_iter().map(|hit| SearchHit {
        session: hit.session_id.to_string(),
        title: hit.session_title,
        turn: hit.turn,
        excerpt: marks(&hit.snippet).0.split_whitespace().collect::<Vec<_>>().join(" "),
    });
    Ok(Msg::Overlay(OverlayMsg::Found { query: words, hits: hits.collect() }))
}

/// The journey a session lies on: the whole project where it has a name, else those it is linked with.
async fn journey(host: &Host, session: &str) -> Result<Vec<JourneyStop>, HostError> {
    let mut journey = host.journey(session).await?;
    if journey.project != DEFAULT_PROJECT {
        journey = host.journey(&journey.project).await?;
    }
    let stop = |station: Station| {
        let Station { session, depth, inbound } = station;
        let complete = (session.completeness * 100.0).round();
        let verified = inbound.map_or("", |handoff| {
            if handoff.verified { ", took up what was handed over" } else { ", was handed something over" }
        });
        JourneyStop {
            session: session.id.to_string(),
            title: session.title,
            detail: format!("{}, {complete} %{verified}", session.engine_id),
            depth,
        }
    };
    Ok(journey.stations.into_iter().map(stop).collect())
}

/// The interviewer that needs no model, those of the endpoint, and those of servers on this machine.
async fn models(host: &Host) -> Vec<ModelChoice> {
    let offline = ModelChoice {
        id: String::new(),
        label: "offline interviewer".to_owned(),
        detail: "asks the engine's own questions; no network".to_owned(),
    };
    let mut all = vec![offline];
    if let Backend::Models(models) = host.backend() {
        let client = models.client(CallRole::Respond);
        let own = client.endpoint();
        let listed = client.models().await.unwrap_or_else(|_| vec![own.model.clone()]);
        all.extend(listed.into_iter().map(|model| ModelChoice {
            id: model.clone(),
            label: model,
            detail: "your endpoint".to_owned(),
        }));
    }
    for server in local::detect().await {
        let choice = |model: &String| ModelChoice {
            id: format!("{} {model}", server.base_url),
            label: model.clone(),
            detail: format!("{} on this machine", server.name),
        };
        all.extend(server.models.iter().map(choice));
    }
    all
}
