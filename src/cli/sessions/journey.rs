//! `elenchus sessions journey`: how one session led to another.

use serde_json::json;

use super::short;
use crate::cli::{Exit, Failure, Output};
use crate::host::Host;
use crate::text::sanitise_line;

pub async fn run(host: &Host, wanted: &str, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let journey = host.journey(wanted).await?;
    if as_json {
        output.json(&json!(journey));
        return Ok(Exit::Ok);
    }
    output.line(format!("Project {}", sanitise_line(&journey.project)));
    for station in &journey.stations {
        let session = &station.session;
        let indent = "  ".repeat(station.depth);
        if let Some(handoff) = &station.inbound {
            let reason = sanitise_line(handoff.transition_reason.as_deref().unwrap_or("no reason given"));
            let verified = match (&handoff.verification, handoff.verified) {
                (None, _) => "not verified yet",
                (_, true) => "understood",
                (_, false) => "not fully taken up",
            };
            output.line(format!("{indent}↳ handed over ({verified}): {reason}"));
        }
        output.line(format!(
            "{indent}{}  {}  {} · {:.0} % · {} turn{}",
            short(session.id),
            session.engine_id,
            sanitise_line(&session.title),
            session.completeness * 100.0,
            session.turn,
            if session.turn == 1 { "" } else { "s" }
        ));
    }
    Ok(Exit::Ok)
}
