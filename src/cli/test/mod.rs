//! `elenchus test`: runs scenarios, says what they reached, and whether they would notice a fault.

mod any_order;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Exit, Failure, Output, SettingsArguments};
use crate::catalogue::Catalogue;
use crate::decode::Severity;
use crate::engine::Engine;
use crate::engine::config::EngineFiles;
use crate::files::{inside, private};
use crate::host::{Backend, Host};
use crate::llm::{Budget, CallRole, Endpoint, Limits, Models, Recorder, RecordingError, Recordings};
use crate::scenario::{self, Case, Coverage, EngineRun, Model, Voice};
use any_order::AnyOrder;

// Switches of a command line are what they are.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// Names of engines, or paths of engine folders, folders of engines, folders of scenarios or scenario files; every
    /// engine, when none is given.
    #[arg(value_name = "PATH|ENGINE")]
    targets: Vec<String>,
    /// Let the configured endpoint answer instead of what the scenarios say.
    #[arg(long)]
    live: bool,
    /// How often each scenario is run; pass^1 and pass^k tell how far one can rely on it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: u16,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write a JUnit report.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Say which phases, triggers, checkpoints, obligations, techniques, exits and failure strategies were reached.
    #[arg(long)]
    coverage: bool,
    /// Put small faults into the engines, one at a time, and list those that no scenario notices.
    #[arg(long)]
    mutate: bool,
    /// Ask the configured endpoint in scenarios with a recorded model, and write down what it answers.
    #[arg(long, conflicts_with = "live")]
    record: bool,
    /// Write the pictures of the app that scenarios expect as they are now; look at what changed before you keep it.
    #[arg(long, conflicts_with_all = ["live", "mutate"])]
    update_frames: bool,
    #[command(flatten)]
    any_order: AnyOrder,
    /// Print the JSON Schema of scenario files, for editors, and do nothing else.
    #[arg(long)]
    schema: bool,
}

/// An engine with the scenarios that are for it.
struct Group {
    engine: Arc<Engine>,
    files: EngineFiles,
    cases: Vec<Case>,
}

pub async fn run(command: &Test, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    if command.schema {
        output.json(&scenario::json_schema());
        return Ok(Exit::Ok);
    }
    let catalogue = Catalogue::open(&settings.paths()?.engines()).map_err(Failure::usage)?;
    let mut groups = gather(command, &catalogue)?;
    // The store and the endpoint are touched only where a model is needed.
    let needs_models = |case: &Case| matches!(case.scenario.model, Model::Recorded(_) | Model::Live(_));
    let needed = command.live || command.record || groups.values().flat_map(|group| &group.cases).any(needs_models);
    let host = if needed { Some(settings.host()?) } else { None };
    // What is asked here belongs to no session, and costs as much.
    let trial = host.as_ref().map(Host::on_trial);
    let backend = trial.as_ref().map(|(backend, _)| backend);
    let offline = backend.is_none_or(Backend::is_offline);
    for (asked, flag) in [(command.live, "--live"), (command.record, "--record")] {
        if asked && offline {
            let why = format!("`{flag}` needs an endpoint; `elenchus doctor` says how to configure one");
            return Err(Failure::usage(why));
        }
    }
    if let Some(orders) = command.any_order.orders {
        return any_order::run(&command.any_order, orders, &groups, command.json, output).await;
    }
    if command.record {
        for group in groups.values() {
            record(group, backend, output).await?;
        }
    }
    if command.update_frames {
        for group in groups.values() {
            update_frames(group, backend, output).await?;
        }
        groups = gather(command, &catalogue)?;
    }
    let mut runs = Vec::new();
    for group in groups.values() {
        let text =
            String::from_utf8_lossy(group.files.files.get("engine.toml").map_or(&[], Vec::as_slice)).into_owned();
        let file = format!("{}/engine.toml", group.files.origin);
        let coverage = command.coverage.then(|| Coverage::new(&group.engine, &file, &text));
        let mut voice = |case: &Case| voice(case, command.live, backend);
        let times = usize::from(command.runs);
        let mut run = scenario::run_all(&group.cases, &group.engine, times, &mut voice, coverage).await;
        if command.mutate {
            run.mutants = Some(scenario::run_mutants(&group.cases, scenario::mutants(&group.engine, &text)));
        }
        runs.push(run);
    }
    if let Some(path) = &command.junit {
        let made = private::only_owner(OpenOptions::new().write(true).create(true).truncate(true)).open(path);
        made.and_then(|mut file| file.write_all(scenario::junit(&runs).as_bytes()))
            .map_err(|error| Failure::failed(format!("cannot write {}: {error}", path.display())))?;
    }
    if command.json {
        output.json(&scenario::to_json(&runs));
    } else {
        output.text(&scenario::text(&runs));
    }
    Ok(if runs.iter().all(EngineRun::passed) {
        Exit::Ok
    } else if command.live && runs.iter().all(EngineRun::unreached) {
        Exit::Endpoint
    } else {
        Exit::Failed
    })
}

/// Plays the scenarios that expect pictures, and writes those that are others than their files.
async fn update_frames(group: &Group, backend: Option<&Backend>, output: &mut Output) -> Result<(), Failure> {
    for case in group.cases.iter().filter(|case| case.scenario.expects_frames()) {
        if !case.on_disk {
            let why = format!("{} is part of the program; its frames can be written in a copy only", case.source.name);
            return Err(Failure::usage(why));
        }
        let Ok(voice) = voice(case, false, backend) else { continue };
        let played = scenario::play(case, &group.engine, &voice, false, &mut |_, _| {}).await;
        for frame in played.frames.iter().filter(|frame| case.frames.get(&frame.file) != Some(&frame.text)) {
            let folder = Path::new(&case.folder);
            let written = inside::target(folder, &frame.file).and_then(|path| private::replace(&path, &frame.text));
            let shown = folder.join(&frame.file);
            written.map_err(|error| Failure::failed(format!("cannot write {}: {error}", shown.display())))?;
            output.remark(&format!("{} was written", shown.display()));
        }
    }
    Ok(())
}

/// Reads what was named, engine by engine. One faulty file stops the whole: half a suite would look like a pass.
fn gather(command: &Test, catalogue: &Catalogue) -> Result<BTreeMap<String, Group>, Failure> {
    let named = || command.targets.iter().flat_map(|target| catalogue.engines_in(target));
    let targets: Vec<String> = if command.targets.is_empty() { catalogue.ids() } else { named().collect() };
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for target in &targets {
        let files = catalogue.scenarios(target).map_err(Failure::usage)?;
        let mut find = |name: &str| engine(catalogue, name).map(|(engine, _)| engine);
        let (cases, problems) = scenario::load(&files, &mut find);
        let errors: Vec<_> = problems.into_iter().filter(|problem| problem.severity == Severity::Error).collect();
        if !errors.is_empty() {
            return Err(Failure::in_files(format!("{target} has scenarios that cannot be used"), errors));
        }
        if cases.is_empty() {
            let why = format!("{target} has no scenarios; they stand in its folder as scenarios/*.toml");
            return Err(Failure::usage(why));
        }
        for case in cases {
            if !groups.contains_key(&case.engine) {
                let (engine, files) = engine(catalogue, &case.engine).map_err(Failure::usage)?;
                groups.insert(case.engine.clone(), Group { engine, files, cases: Vec::new() });
            }
            if let Some(group) = groups.get_mut(&case.engine) {
                group.cases.push(case);
            }
        }
    }
    Ok(groups)
}

fn engine(catalogue: &Catalogue, name: &str) -> Result<(Arc<Engine>, EngineFiles), String> {
    let (files, _) = catalogue.files(name).map_err(|error| error.to_string())?;
    let loaded = catalogue.check(&files);
    match loaded.engine {
        Some(engine) => Ok((engine, files)),
        None => Err(format!("the engine `{name}` has errors; `elenchus engines validate {name}` lists them")),
    }
}

/// Who answers in a scenario, or why it is left out.
fn voice(case: &Case, live: bool, backend: Option<&Backend>) -> Result<Voice, String> {
    match (&case.scenario.model, backend) {
        (_, Some(backend)) if live => Ok(Voice::Backend(backend.clone())),
        (Model::Live(_), _) => Err("it needs `--live`".to_owned()),
        (Model::Recorded(recorded), backend) => {
            let (folder, file) = (Path::new(&case.folder), Path::new(recorded.file.as_str()));
            let unreadable = |source| RecordingError::Unreadable { path: folder.join(file), source };
            // A recording that is not there must not look like a pass.
            let opened = inside::existing(folder, file).map_err(unreadable).and_then(|path| Recordings::open(&path));
            let recordings = match opened {
                Ok(recordings) => Arc::new(recordings),
                Err(error) => return Ok(Voice::Missing(format!("{error} `elenchus test --record` makes it."))),
            };
            let models = replayer(&recordings, backend.and_then(Backend::models).as_deref())?;
            Ok(Voice::Backend(Backend::Models(Arc::new(models.replaying(&recordings)))))
        }
        (Model::Offline(_) | Model::Scripted(_), _) => Ok(Voice::AsWritten),
    }
}

/// Who asks as it was asked when the recording was made: the configured endpoint if it is the same, else one like it.
fn replayer(recordings: &Recordings, configured: Option<&Models>) -> Result<Models, String> {
    let same = |models: &&Models, endpoint: &Endpoint| {
        let own = models.client(CallRole::Respond).endpoint();
        own.model == endpoint.model && own.chat_url().path() == endpoint.chat_url().path()
    };
    match (recordings.endpoint(), configured) {
        (Some(endpoint), configured) => match configured.filter(|models| same(models, &endpoint)) {
            Some(models) => Ok(models.clone()),
            None => Models::new(endpoint, Vec::new(), Arc::new(Budget::new(Limits::default())))
                .map_err(|error| error.to_string()),
        },
        (None, Some(models)) => Ok(models.clone()),
        (None, None) => Err("several models were recorded; configure the endpoint it was made with".to_owned()),
    }
}

/// Plays the scenarios with a recorded model against the endpoint; a recording takes the place of the one before only
/// when the conversation came to its end.
async fn record(group: &Group, backend: Option<&Backend>, output: &mut Output) -> Result<(), Failure> {
    let Some(models) = backend.and_then(Backend::models) else { return Ok(()) };
    for case in &group.cases {
        let Model::Recorded(recorded) = &case.scenario.model else { continue };
        if !case.on_disk {
            return Err(Failure::usage(format!("{} is part of the program; record in a copy of it", case.source.name)));
        }
        let shown = Path::new(&case.folder).join(recorded.file.as_str());
        let fail = |error: std::io::Error| Failure::failed(format!("cannot write {}: {error}", shown.display()));
        let path = inside::target(Path::new(&case.folder), &recorded.file).map_err(fail)?;
        if path.exists() && !Recordings::is_one(&path) {
            let why = format!("{} is there and is not a recording; it is left as it is", shown.display());
            return Err(Failure::usage(why));
        }
        // Removed by itself where it does not become the recording.
        let new = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(&path)).map_err(fail)?.into_temp_path();
        let tape = Arc::new(Recorder::create(&new).map_err(fail)?);
        let asking = Backend::Models(Arc::new(models.as_ref().clone().recording_to(&tape)));
        let played = scenario::play(case, &group.engine, &Voice::Backend(asking), false, &mut |_, _| {}).await;
        if let Some(error) = played.error.or_else(|| tape.problem()) {
            return Err(Failure::failed(format!("{} was not recorded: {error}", case.source.name)));
        }
        new.persist(&path).map_err(|error| fail(error.error))?;
        output.remark(&format!("{} was recorded", shown.display()));
    }
    Ok(())
}
