//! `elenchus converse`: a conversation without a terminal. A message per line in, a JSON turn per line out.

use std::io::{BufRead, Read, stdin};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Exit, Failure, Output, SettingsArguments};
use crate::engine::budget::Cap;
use crate::engine::changes;
use crate::engine::report::TurnReport;
use crate::engine::turn::TurnError;
use crate::runtime::{EngineWatch, Host, Session, faults};

/// The longest line that is read.
const MAX_LINE: u64 = 2 * 1024 * 1024;

/// How many changes of an engine are told at once.
const TOLD: usize = 6;

#[derive(Debug, clap::Args)]
pub struct Converse {
    /// Name of an engine, or path of its folder.
    #[arg(long, value_name = "ID|PATH", required_unless_present = "session")]
    engine: Option<String>,
    /// Go on with this session; the beginning of its id will do.
    #[arg(long, value_name = "ID", conflicts_with = "engine")]
    session: Option<String>,
    /// The project that a new session belongs to.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Leave out what earlier sessions of the project found.
    #[arg(long, requires = "engine")]
    afresh: bool,
    /// After each turn and at the end, wait so many seconds at most for background tasks.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait_tasks: u64,
    /// Take over the engine's files whenever they are saved, between two turns.
    #[arg(long)]
    watch: bool,
}

pub async fn run(command: &Converse, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let host = settings.host()?;
    let mut session = match (&command.session, &command.engine) {
        (Some(id), _) => host.resume(id).await?,
        (None, engine) => {
            let engine = engine.as_deref().unwrap_or_default();
            let mut session = host.start(engine, command.project.as_deref()).await?;
            if command.afresh {
                session.use_project(false).await?;
            } else {
                let briefs = host.project_briefs(session.record().project_id).await?;
                if !briefs.is_empty() {
                    output
                        .remark(&format!("The project knows already: {} (--afresh leaves it out).", briefs.join("; ")));
                }
            }
            session
        }
    };
    if let Some(change) = session.engine_change() {
        output.remark(&format!(
            "The engine has changed since this session began ({} → {}): {}. The session goes on with the version it began with.",
            change.pinned_version,
            change.current_version,
            changes::in_short(&change.differences, TOLD)
        ));
    }
    session.resume_tasks().await?;
    let mut exit = Exit::Ok;
    let mut opening = (session.record().turn == 0).then(|| first_words(&session)).flatten();
    let mut lines = lines();
    let mut watch = if command.watch { watch(&session, output) } else { None };
    loop {
        let line = tokio::select! {
            () = saved(&mut watch) => {
                reload(&host, &mut session, output).await;
                continue;
            }
            line = lines.recv() => line,
        };
        let Some(line) = line else { break };
        // What was saved before a line came is meant for it.
        if watch.as_mut().is_some_and(EngineWatch::is_stirred) {
            saved(&mut watch).await;
            reload(&host, &mut session, output).await;
        }
        let line = line.map_err(Failure::failed)?;
        let message = String::from_utf8_lossy(&line);
        if message.trim().is_empty() {
            continue;
        }
        match session.say(&message, &mut |_| {}).await {
            Ok(outcome) => {
                let mut turn = json!({ "session_id": session.record().id });
                let report = TurnReport::of(session.engine(), outcome);
                let report = serde_json::to_value(report).map_err(Failure::failed)?;
                if let (Value::Object(turn), Value::Object(report)) = (&mut turn, report) {
                    turn.extend(opening.take().map(|text| ("opening".to_owned(), Value::String(text))));
                    turn.extend(report);
                }
                output.line(turn.to_string());
                if !output.flush() {
                    return Ok(Exit::Failed);
                }
                if output.reader_is_gone() {
                    break;
                }
                let patience = Duration::from_secs(command.wait_tasks);
                // Whether they are done or not is in the next turn.
                let _ = tokio::time::timeout(patience, session.tasks_settled()).await;
            }
            Err(TurnError::Input(why)) => {
                output.complain(&why);
                exit = Exit::Failed;
            }
            Err(error) => {
                // The turn did not happen; what was said waits in the composer of the session.
                session.save_draft(message.trim()).await?;
                output.line(failed(&session, &error).to_string());
                output.remark(&format!("The message is kept as the draft of session {}.", session.record().id));
                return Err(error.into());
            }
        }
    }
    host.close()?;
    Ok(exit)
}

/// Watches the engine's folder, if it has one.
fn watch(session: &Session, output: &mut Output) -> Option<EngineWatch> {
    let Some(folder) = session.engine_folder() else {
        let name = &session.engine().definition().id;
        output.remark(&format!("`{name}` is part of the program: there is no file of it to watch."));
        return None;
    };
    let watch = EngineWatch::start(folder);
    watch.map_err(|error| output.complain(&format!("{} cannot be watched: {error}", folder.display()))).ok()
}

/// Waits until the engine was saved; for ever where nothing is watched.
async fn saved(watch: &mut Option<EngineWatch>) {
    if let Some(watching) = watch
        && watching.saved().await
    {
        return;
    }
    *watch = None;
    std::future::pending::<()>().await;
}

/// Takes over what was saved, and says what is different or what is wrong with it.
async fn reload(host: &Host, session: &mut Session, output: &mut Output) {
    match host.reload(session).await {
        Ok(None) => {}
        Ok(Some(different)) => {
            let name = &session.engine().definition().id;
            output.remark(&format!("`{name}` is taken over: {}.", changes::in_short(&different, TOLD)));
        }
        Err(error) => output.complain(&faults(&error)),
    }
}

/// Lines of stdin, read on a thread of their own so that background tasks go on while nobody types.
fn lines() -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        loop {
            let mut line = Vec::new();
            let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
            let last = !matches!(read, Ok(count) if count > 0);
            let line = match read {
                Ok(0) => return,
                Ok(_) => Ok(line),
                Err(error) => Err(error),
            };
            if sender.blocking_send(line).is_err() || last {
                return;
            }
        }
    });
    receiver
}

/// A turn that did not happen, as scripts read it.
fn failed(session: &Session, error: &TurnError) -> Value {
    let id = session.record().id;
    let kind = match error {
        TurnError::Input(_) => "input",
        TurnError::Call(_) => "endpoint",
        TurnError::OverBudget(_) => "over_budget",
        TurnError::EmptyAnswer => "empty_answer",
        TurnError::Persist(_) => "store",
    };
    let mut why = json!({ "kind": kind, "message": error.to_string() });
    if let TurnError::OverBudget(reached) = error {
        let enough = match reached.cap {
            Cap::SessionUsd | Cap::DayUsd => format!("{:.2}", (reached.enough() * 100.0).ceil() / 100.0),
            Cap::SessionTokens | Cap::DayTokens => format!("{:.0}", reached.enough().ceil()),
        };
        why["budget"] = json!(reached);
        why["what_to_do"] = json!({
            "raise": format!("set `{}` under [budget] in config.toml to {enough} or more", reached.cap.key()),
            "offline": format!("elenchus --offline converse --session {id}"),
            "stop": format!("nothing was changed; the message is the draft of session {id}"),
        });
    }
    json!({ "session_id": id, "error": why })
}

fn first_words(session: &Session) -> Option<String> {
    session.transcript().messages().first().map(|message| message.text.to_string())
}
