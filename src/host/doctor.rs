//! What works and what does not: settings, engines, store, sandbox, endpoint. `elenchus doctor` and the app look at the
//! same things, one after the other, and tell what they find as they find it.

use std::sync::Arc;

use super::protocol::{Finding, Outcome};
use crate::catalogue::Catalogue;
use crate::engine::Engine;
use crate::engine::extraction::MAX_SLICE;
use crate::engine::memory::WorkingMemory;
use crate::llm::probe::{Check, ProbeReport, Wanted, extent, probe_telling};
use crate::llm::{CallRole, ChatError, Client, Day, Models, Spend, local};
use crate::settings::Settings;
use crate::store::{SessionFilter, SqliteOptions, Store, StoreError, StoreOwner};
use crate::tasks::apart;

/// What only a front end can look at: its terminal, its colours and keys, its log.
pub type Beyond = fn(&Settings) -> Vec<Finding>;

/// How things are looked at.
#[derive(Clone, Debug, Default)]
pub struct Examiner {
    pub beyond: Option<Beyond>,
    /// Whether no endpoint is asked.
    pub offline: bool,
    /// Whether it is only said what an endpoint would be asked for, and not sent.
    pub only_says: bool,
    /// The engine whose reports an endpoint is asked for; the one that asks for most, where none is named.
    pub engine: Option<String>,
}

/// The area of what is said before an endpoint is tried.
pub const TRIAL: &str = "trial";

/// What came of trying an endpoint.
#[derive(Clone, Debug)]
pub struct Trial {
    pub report: ProbeReport,
    /// What it cost, as it was booked.
    pub booked: Spend,
}

/// Where findings go.
pub type Tell<'a> = &'a mut (dyn FnMut(Finding) + Send);

impl Examiner {
    /// Looks at everything. What is returned is what the endpoint showed, where one was asked.
    pub async fn examine(&self, settings: Arc<Settings>, tell: Tell<'_>) -> Result<Option<Trial>, ChatError> {
        // These read files, and compile.
        let own = Arc::clone(&settings);
        let looked = tokio::task::spawn_blocking(move || {
            let catalogue = catalogue(&own);
            ([engines(&catalogue), store(&own)], catalogue.ok())
        });
        let mut catalogue = None;
        if let Ok((findings, found)) = looked.await {
            findings.into_iter().for_each(&mut *tell);
            catalogue = found;
        }
        if let Some(beyond) = self.beyond {
            beyond(&settings).into_iter().for_each(&mut *tell);
        }
        tell(Finding::here("sandbox", true, super::sandbox(&settings).confinement().words()));
        if let Some(models) = settings.models()?.filter(|_| !self.offline) {
            if self.only_says {
                let engine = self.engine(&settings, catalogue).await;
                let client = models.client(CallRole::Analyse);
                tell(Finding { outcome: Outcome::Unknown, ..of_trial(TRIAL, not_tried(client, engine.as_deref())) });
                return Ok(None);
            }
            return Ok(self.try_models(&models, &settings, catalogue, tell).await);
        }
        let found = if self.offline { Vec::new() } else { local::detect().await };
        tell(Finding::here("endpoint", true, none_is_configured(found.first())));
        Ok(None)
    }

    /// Tries an endpoint, with the report that a conversation would ask it for. What that costs is kept as what it costs to
    /// talk is, and counts for the caps: so it is not tried where the store does not work. Engines that were looked at before
    /// are in `catalogue`.
    pub async fn try_models(
        &self,
        models: &Models,
        settings: &Arc<Settings>,
        catalogue: Option<Catalogue>,
        tell: Tell<'_>,
    ) -> Option<Trial> {
        let own = Arc::clone(settings);
        let opened = tokio::task::spawn_blocking(move || open_store(&own).and_then(StoreOwner::spawn)).await;
        let Ok(Ok(store)) = opened else {
            let words = "not tried: what it costs is kept in the store, which does not work";
            tell(Finding::here("endpoint", false, words));
            return None;
        };
        let engine = self.engine(settings, catalogue).await;
        let (budget, account) = apart(Arc::new(Day::new(settings.limits.clone())), &store.handle());
        let models = models.under(&budget);
        let report = report(models.client(CallRole::Analyse), engine.as_deref(), tell).await;
        models.remember();
        drop(account);
        // What was booked is written before the store is closed.
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || store.close()).await {
            tell(Finding::here("store", false, error.to_string()));
        }
        let booked = budget.snapshot().session;
        tell(of_trial("booked", in_words(booked)));
        Some(Trial { report, booked })
    }
}

impl Examiner {
    /// The engine whose reports an endpoint is asked for.
    async fn engine(&self, settings: &Arc<Settings>, catalogue: Option<Catalogue>) -> Option<Arc<Engine>> {
        let (own, id) = (Arc::clone(settings), self.engine.clone());
        let engine = tokio::task::spawn_blocking(move || {
            catalogue.or_else(|| self::catalogue(&own).ok()).and_then(|catalogue| engine_of(&catalogue, id.as_deref()))
        });
        engine.await.ok().flatten()
    }
}

/// Asks an endpoint for what a conversation with the engine would ask it for.
async fn report(client: &Client, engine: Option<&Engine>, tell: Tell<'_>) -> ProbeReport {
    if let Some((engine, tokens)) = engine.zip(client.endpoint().window()) {
        tell(window(engine, tokens));
    }
    let wanted = wanted_of(client, engine);
    tell(of_trial(TRIAL, announcement(client, wanted.as_ref())));
    let mut told: Vec<(&'static str, Check)> = Vec::new();
    probe_telling(client, wanted.as_ref(), &mut |report| {
        for (area, check) in report.checks() {
            let is_new = !told.iter().any(|(known, before)| *known == area && before == check);
            if is_new && !check.is_untested() {
                told.retain(|(known, _)| *known != area);
                told.push((area, check.clone()));
                tell(finding(area, check));
            }
        }
    })
    .await
}

/// What an endpoint would be asked for with an engine.
fn wanted_of(client: &Client, engine: Option<&Engine>) -> Option<Wanted> {
    let small = engine.is_some_and(|engine| engine.tells_briefly(client.is_small(), client.endpoint().window()));
    engine.map(|engine| wanted(engine, small))
}

/// What would be sent.
fn not_tried(client: &Client, engine: Option<&Engine>) -> String {
    let ((requests, tokens), endpoint) = (extent(wanted_of(client, engine).as_ref()), client.endpoint());
    format!(
        "{} at {} was not asked yet. Trying it takes about {requests} requests and {tokens} tokens, up to twice as many where \
         one has to be asked again; they count for your caps.",
        endpoint.model,
        endpoint.host()
    )
}

/// What is about to be sent.
fn announcement(client: &Client, wanted: Option<&Wanted>) -> String {
    let ((requests, tokens), endpoint) = (extent(wanted), client.endpoint());
    format!(
        "Trying {} at {}: about {requests} requests, more where one has to be asked again, and {tokens} tokens in all; they count for your caps.",
        endpoint.model,
        endpoint.host()
    )
}

/// What a trial cost, in words.
pub fn in_words(Spend { calls, tokens, usd }: Spend) -> String {
    format!("{calls} requests, {tokens} tokens, ${usd:.4}")
}

/// Something about the trial of an endpoint itself.
fn of_trial(area: &str, words: String) -> Finding {
    Finding { of_endpoint: true, ..Finding::here(area, true, words) }
}

fn finding(area: &str, check: &Check) -> Finding {
    let (outcome, words) = match check {
        Check::Works(words) => (Outcome::Works, words),
        Check::Fails(words) => (Outcome::Fails, words),
        Check::Unknown(words) => (Outcome::Unknown, words),
    };
    Finding { area: area.to_owned(), outcome, words: words.clone(), of_endpoint: true }
}

fn none_is_configured(found: Option<&local::LocalServer>) -> String {
    let Some(server) = found else {
        return "none is configured, so the offline interviewer serves; /model in the app adds one, or set ELENCHUS_ENDPOINT and \
                ELENCHUS_MODEL"
            .to_owned();
    };
    format!(
        "none is configured, so the offline interviewer serves; {} answers at {}: choose it with /model in the app, or set \
         ELENCHUS_ENDPOINT={} and ELENCHUS_MODEL={}",
        server.name,
        server.base_url,
        server.base_url,
        server.models.first().map_or("…", String::as_str)
    )
}

fn catalogue(settings: &Settings) -> Result<Catalogue, String> {
    Catalogue::open(&settings.paths.engines()).map_err(|error| error.to_string())
}

fn compiled(catalogue: &Catalogue, id: &str) -> Option<Arc<Engine>> {
    catalogue.compiled(&catalogue.files(id).ok()?.0).ok()
}

fn engines(catalogue: &Result<Catalogue, String>) -> Finding {
    let outcome = catalogue.as_ref().map(|catalogue| {
        let ids = catalogue.ids();
        let broken: Vec<String> = ids.iter().filter(|id| compiled(catalogue, id).is_none()).cloned().collect();
        (ids.len(), broken)
    });
    match outcome {
        Ok((count, broken)) if broken.is_empty() => {
            Finding::here("engines", true, format!("{count} engines, all sound"))
        }
        Ok((_, broken)) => {
            let words = format!("with errors: {}; see `elenchus engines validate`", broken.join(", "));
            Finding::here("engines", false, words)
        }
        Err(words) => Finding::here("engines", false, words.clone()),
    }
}

fn store(settings: &Settings) -> Finding {
    let path = settings.paths.database();
    let counted = open_store(settings)
        .and_then(|mut store| store.list_sessions(&SessionFilter::default()))
        .map(|sessions| sessions.len());
    match counted {
        Ok(count) => Finding::here(
            "store",
            true,
            format!("{} ({count} session{})", path.display(), if count == 1 { "" } else { "s" }),
        ),
        Err(error) => Finding::here("store", false, error.to_string()),
    }
}

fn open_store(settings: &Settings) -> Result<Store, StoreError> {
    let options = SqliteOptions { log_key: settings.log_key.clone(), ..SqliteOptions::default() };
    Store::open_sqlite(&settings.paths.database(), options)
}

/// So many fields a report of a small model has about.
const SMALL_REPORT: usize = 6;

/// The report that a conversation with an engine would ask for.
fn wanted(engine: &Engine, small: bool) -> Wanted {
    let memory = WorkingMemory::new(engine.definition());
    let said = example(engine);
    let (preamble, slice) = if small {
        let first = engine.definition().fields.iter().take(SMALL_REPORT).map(|field| field.path.to_string());
        (engine.short_preamble(), engine.short_slice(&first.collect()))
    } else {
        (engine.preamble(), engine.slice(&memory, MAX_SLICE))
    };
    Wanted {
        engine: engine.definition().id.to_string(),
        system: preamble.text.clone(),
        tells: said.is_some(),
        said: said.unwrap_or_else(|| "We have been here since 2019.".to_owned()),
        report: slice.instructions.to_string(),
        schema: Arc::clone(&slice.schema),
    }
}

/// What somebody might say to the first question: the example that the engine gives of an answer.
fn example(engine: &Engine) -> Option<String> {
    let first = engine.definition().obligations.iter().next()?;
    let (_, quoted) = first.example.as_ref()?.split_once('“')?;
    Some(quoted.split_once('”')?.0.to_owned())
}

/// The engine that was asked about, or the one that asks for most.
fn engine_of(catalogue: &Catalogue, id: Option<&str>) -> Option<Arc<Engine>> {
    let all = || catalogue.ids().into_iter().filter_map(|id| compiled(catalogue, &id));
    match id {
        Some(id) => compiled(catalogue, id),
        None => all().max_by_key(|engine| engine.definition().fields.len()),
    }
}

/// Whether the model takes as much at once as the engine needs.
fn window(engine: &Engine, window: u32) -> Finding {
    let (needs, id) = (engine.window_needs(), engine.definition().id.as_str());
    let enough = window >= needs.short;
    let words = if window >= needs.full {
        format!("{window} tokens; {id} needs about {}", needs.full)
    } else if enough {
        format!(
            "{window} tokens; {id} needs about {} for all of its instructions and works with the short ones",
            needs.full
        )
    } else {
        let (full, short) = (needs.full, needs.short);
        format!(
            "{window} tokens are too few: {id} needs about {full}, {short} at the very least; raise `context_window`"
        )
    };
    Finding::here("window", enough, words)
}
