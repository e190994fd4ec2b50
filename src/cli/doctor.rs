//! `elenchus doctor`: what works, and what to do about what does not.

use std::sync::Arc;

use serde_json::{Value, json};

use super::chat::{keymap, themes};
use super::{Exit, Failure, Output, SettingsArguments, log};
use crate::catalogue::Catalogue;
use crate::decode::render_all;
use crate::engine::Engine;
use crate::engine::extraction::MAX_SLICE;
use crate::engine::memory::WorkingMemory;
use crate::llm::local::{self, LocalServer};
use crate::llm::probe::{Check, ProbeReport, Wanted, extent, probe};
use crate::llm::{CallRole, Day, Spend};
use crate::settings::{Settings, Surroundings};
use crate::store::{SessionFilter, SqliteOptions, Store, StoreError, StoreOwner};
use crate::tasks::apart;

#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The engine whose reports the endpoint is asked for; the one that asks for most, when not given.
    #[arg(long, value_name = "ID")]
    engine: Option<String>,
}

/// One thing that was looked at.
struct Line {
    area: &'static str,
    works: bool,
    words: String,
}

pub async fn run(command: &Doctor, arguments: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let settings = Settings::load(&arguments.flags(), &Surroundings::system()).map_err(Failure::usage)?;
    let mut lines = vec![
        engines(&settings),
        store(&settings),
        log_files(&settings),
        appearance(&settings),
        terminal(output.is_terminal()),
        sandbox(&settings),
    ];
    let report = if arguments.offline {
        lines.push(unused(None));
        None
    } else {
        endpoint(&settings, command.engine.as_deref(), &mut lines, output).await?
    };
    let (report, spent) = report.unzip();
    let endpoint_fails = report.as_ref().is_some_and(|report| !report.reachable.works() || !report.key.works());
    let fails = lines.iter().any(|line| !line.works);
    if command.json {
        output.json(&document(&settings, &lines, report.as_ref(), spent));
    } else {
        tell(&settings, &lines, report.as_ref().zip(spent), output);
    }
    Ok(match (endpoint_fails, fails) {
        (true, _) => Exit::Endpoint,
        (false, true) => Exit::Failed,
        (false, false) => Exit::Ok,
    })
}

fn engines(settings: &Settings) -> Line {
    let outcome = Catalogue::open(&settings.paths.engines()).map_err(|error| error.to_string()).map(|catalogue| {
        let ids = catalogue.ids();
        let broken: Vec<String> = ids
            .iter()
            .filter(|id| !catalogue.load(id).is_ok_and(|(loaded, _)| loaded.engine.is_some()))
            .cloned()
            .collect();
        (ids.len(), broken)
    });
    match outcome {
        Ok((count, broken)) if broken.is_empty() => {
            Line { area: "engines", works: true, words: format!("{count} engines, all sound") }
        }
        Ok((_, broken)) => Line {
            area: "engines",
            works: false,
            words: format!("with errors: {}; see `elenchus engines validate`", broken.join(", ")),
        },
        Err(words) => Line { area: "engines", works: false, words },
    }
}

fn store(settings: &Settings) -> Line {
    let path = settings.paths.database();
    let counted = open_store(settings)
        .and_then(|mut store| store.list_sessions(&SessionFilter::default()))
        .map(|sessions| sessions.len());
    match counted {
        Ok(count) => Line { area: "store", works: true, words: format!("{} ({count} sessions)", path.display()) },
        Err(error) => Line { area: "store", works: false, words: error.to_string() },
    }
}

fn open_store(settings: &Settings) -> Result<Store, StoreError> {
    let options = SqliteOptions { log_key: settings.log_key.clone(), ..SqliteOptions::default() };
    Store::open_sqlite(&settings.paths.database(), options)
}

fn log_files(settings: &Settings) -> Line {
    let data = &settings.paths.data_dir.value;
    let folder = log::folder(data);
    match log::files(data) {
        Ok(_) => {
            let words = format!("{} (level {}, set {} to change it)", folder.display(), log::level(), log::VARIABLE);
            Line { area: "log", works: true, words }
        }
        Err(error) => {
            let words = format!("{} cannot be written: {error}", folder.display());
            Line { area: "log", works: false, words }
        }
    }
}

/// The user's own themes and keys.
fn appearance(settings: &Settings) -> Line {
    let (themes, wrong) = themes(&settings.paths.themes());
    let themes_told = wrong.iter().map(ToString::to_string);
    let told: Vec<String> = themes_told.chain(keymap(&settings.paths).as_ref().err().map(in_words)).collect();
    let works = told.is_empty();
    let sound = || format!("{} themes, keys without a clash", themes.names().count());
    Line { area: "looks", works, words: if works { sound() } else { told.join("\n") } }
}

fn in_words(failure: &Failure) -> String {
    format!("{}:\n{}", failure.message, render_all(&failure.problems, false).trim_end())
}

fn terminal(is_there: bool) -> Line {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let colours = match (variable("NO_COLOR").is_empty(), variable("COLORTERM").as_str(), variable("TERM").as_str()) {
        (false, ..) => "no colours (NO_COLOR is set)",
        (_, "truecolor" | "24bit", _) => "true colour",
        (.., "dumb" | "") => "no colours",
        (.., term) if term.contains("256") => "256 colours",
        _ => "16 colours",
    };
    let place = if is_there { "a terminal" } else { "not a terminal" };
    Line { area: "terminal", works: true, words: format!("{place}, TERM={}, {colours}", variable("TERM")) }
}

/// What holds programs of engines. Without anything, engines that run none work as well as ever.
fn sandbox(settings: &Settings) -> Line {
    let confinement = crate::host::sandbox(settings).confinement();
    Line { area: "sandbox", works: true, words: confinement.words().to_owned() }
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
fn engine_of(settings: &Settings, id: Option<&str>) -> Option<Arc<Engine>> {
    let catalogue = Catalogue::open(&settings.paths.engines()).ok()?;
    let load = |id: &str| catalogue.load(id).ok()?.0.engine;
    match id {
        Some(id) => load(id),
        None => catalogue.ids().iter().filter_map(|id| load(id)).max_by_key(|engine| engine.definition().fields.len()),
    }
}

/// Whether the model takes as much at once as the engine needs.
fn window(engine: &Engine, window: u32) -> Line {
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
    Line { area: "window", works: enough, words }
}

/// What is said where no endpoint is asked.
fn unused(found: Option<&LocalServer>) -> Line {
    let words = match found {
        Some(server) => format!(
            "none is configured, so the offline interviewer serves; {} answers at {}: set ELENCHUS_ENDPOINT={} and ELENCHUS_MODEL={}",
            server.name,
            server.base_url,
            server.base_url,
            server.models.first().map_or("…", String::as_str)
        ),
        None => {
            "none is configured, so the offline interviewer serves; set ELENCHUS_ENDPOINT and ELENCHUS_MODEL to use one"
                .to_owned()
        }
    };
    Line { area: "endpoint", works: true, words }
}

/// Tries the endpoint. What that costs is kept as what it costs to talk is, and counts for the caps: so it is not tried
/// where the store does not work.
async fn endpoint(
    settings: &Settings,
    engine: Option<&str>,
    lines: &mut Vec<Line>,
    output: &mut Output,
) -> Result<Option<(ProbeReport, Spend)>, Failure> {
    let models = settings.models().map_err(|error| Failure::new(Exit::Endpoint, error))?;
    let Some(models) = models else {
        lines.push(unused(local::detect().await.first()));
        return Ok(None);
    };
    let Ok(store) = open_store(settings).and_then(StoreOwner::spawn) else {
        let words = "not tried: what it costs is kept in the store, which does not work".to_owned();
        lines.push(Line { area: "endpoint", works: false, words });
        return Ok(None);
    };
    let (budget, account) = apart(Arc::new(Day::new(settings.limits.clone())), &store.handle());
    let models = models.under(&budget);
    let client = models.client(CallRole::Analyse);
    let engine = engine_of(settings, engine);
    lines.extend(engine.as_deref().zip(client.endpoint().window()).map(|(engine, tokens)| window(engine, tokens)));
    let small =
        engine.as_deref().is_some_and(|engine| engine.tells_briefly(client.is_small(), client.endpoint().window()));
    let wanted = engine.as_deref().map(|engine| wanted(engine, small));
    let (requests, tokens) = extent(wanted.as_ref());
    output.remark(&format!(
        "Trying {} at {}: at most {requests} requests, about {tokens} tokens in all; they count for your caps.",
        client.endpoint().model,
        client.endpoint().host()
    ));
    let report = probe(client, wanted.as_ref()).await;
    models.remember();
    drop(account);
    store.close()?;
    Ok(Some((report, budget.snapshot().session)))
}

fn checks(report: &ProbeReport) -> [(&'static str, &Check); 9] {
    [
        ("reachable", &report.reachable),
        ("key", &report.key),
        ("model", &report.model_known),
        ("streaming", &report.streaming),
        ("JSON Schema", &report.json_schema),
        ("usage", &report.usage),
        ("two at once", &report.at_once),
        ("tools", &report.tools),
        ("model size", &report.size),
    ]
}

fn tell(settings: &Settings, lines: &[Line], report: Option<(&ProbeReport, Spend)>, output: &mut Output) {
    for line in lines {
        output.line(format!("{} {:<9} {}", if line.works { "✓" } else { "✗" }, line.area, line.words));
    }
    if let Some((report, spent)) = report {
        output.line(format!("\nEndpoint {} ({}), model {}", report.endpoint, report.base_url, report.model));
        for (name, check) in checks(report) {
            let (mark, words) = match check {
                Check::Works(words) => ("✓", words),
                Check::Fails(words) => ("✗", words),
                Check::Unknown(words) => ("?", words),
            };
            output.line(format!("{mark} {name:<11} {words}"));
        }
        let Spend { calls, tokens, usd } = spent;
        output.line(format!("  booked      {calls} requests, {tokens} tokens, ${usd:.4}"));
    }
    output.line("\nSettings, and where each came from");
    for explained in settings.explain() {
        output.line(format!("  {} = {}  ({})", explained.key, explained.value, explained.origin));
    }
}

fn document(settings: &Settings, lines: &[Line], report: Option<&ProbeReport>, booked: Option<Spend>) -> Value {
    let areas: serde_json::Map<String, Value> =
        lines.iter().map(|line| (line.area.to_owned(), json!({ "works": line.works, "detail": line.words }))).collect();
    json!({ "checks": areas, "endpoint": report, "booked": booked, "settings": settings.explain() })
}
