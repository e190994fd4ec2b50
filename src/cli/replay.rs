//! `elenchus replay`: the user's turns of a session through a draft of an engine, and what would differ.

use serde_json::json;

use super::{Exit, Failure, Output, SettingsArguments};
use crate::host::export;
use crate::scenario;

#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    /// The session; the beginning of its id will do.
    session: String,
    /// Name of an engine, or path of the folder of a draft.
    #[arg(long, value_name = "DRAFT")]
    engine: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(command: &Replay, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let host = settings.host()?;
    let session = host.resume(&command.session).await?;
    let turns = export::stored_turns(&session, &host.store()).await?;
    let draft = host.engine(&command.engine)?;
    let differences = scenario::replay(&turns, &draft).await.map_err(Failure::failed)?;
    if command.json {
        let engine = draft.definition();
        output.json(&json!({
            "session_id": session.record().id,
            "engine": engine.id.as_str(),
            "version": engine.version.value,
            "turns": differences,
        }));
        return Ok(Exit::Ok);
    }
    for turn in &differences {
        output.line(format!("turn {}  {}", turn.turn, first_line(&turn.message)));
        for (what, was, would) in &turn.differences {
            output.line(format!("  {what}: {} → {}", first_line(was), first_line(would)));
        }
        if turn.differences.is_empty() {
            output.line("  the same");
        }
    }
    let differ = differences.iter().filter(|turn| !turn.differences.is_empty()).count();
    output.remark(&format!("{differ} of {} turns would differ", differences.len()));
    Ok(Exit::Ok)
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(80).collect();
    if cut.len() < text.len() { format!("{cut} …") } else { cut }
}
