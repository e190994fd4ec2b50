//! `elenchus sessions diff`: what has changed in a brief.

use serde_json::json;

use crate::cli::{Exit, Failure, Output};
use crate::host::Host;
use crate::host::protocol::Since;
use crate::words::english;

#[derive(Debug, clap::Args)]
pub struct DiffArguments {
    /// Its id; the beginning will do.
    session: String,
    /// Since the beginning of this day, such as 2026-11-18, or since a moment, such as 2026-11-18T09:30:00Z.
    #[arg(long, value_name = "DATE", group = "than")]
    since: Option<String>,
    /// Since this turn; without any of these, since the turn before the last.
    #[arg(long, value_name = "N", group = "than")]
    turn: Option<u32>,
    /// Against the brief of this session.
    #[arg(long, value_name = "SESSION", group = "than")]
    with: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(host: &Host, arguments: &DiffArguments, output: &mut Output) -> Result<Exit, Failure> {
    let (record, basis) = host.brief_basis(&arguments.session).await?;
    let since = match (&arguments.since, arguments.turn, &arguments.with) {
        (Some(date), ..) => Since::Date(date.clone()),
        (None, Some(turn), _) => Since::Turn(turn),
        (None, None, Some(other)) => Since::Session(other.clone()),
        (None, None, None) => Since::Turn(record.turn.saturating_sub(1)),
    };
    let changes = host.brief_changes(&record, &basis, since).await?;
    if arguments.json {
        output.json(&json!(changes));
    } else {
        output.text(&changes.markdown(english()));
    }
    Ok(Exit::Ok)
}
