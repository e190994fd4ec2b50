//! `elenchus sessions verify`: the chain, the references, and the state against the log.

use serde_json::json;

use crate::cli::{Exit, Failure, Output};
use crate::host::Host;
use crate::store::KeyCheck;

pub async fn run(
    host: &Host,
    id: Option<&str>,
    repair: bool,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let prefix = id.map(ToOwned::to_owned);
    let (repaired, report) = host
        .store()
        .call_async(move |store| {
            let id = prefix.map(|prefix| store.find_session(&prefix)).transpose()?.map(|session| session.id);
            let repaired = if repair { Some(store.repair(id)?) } else { None };
            Ok((repaired, store.verify(id)?))
        })
        .await?;
    let clean = report.findings.is_empty();
    if as_json {
        let mut told = json!({ "clean": clean, "report": report });
        if let Some(repaired) = repaired {
            told["repaired"] = json!(repaired);
        }
        output.json(&told);
    } else {
        for finding in repaired.iter().flatten() {
            output.line(format!("↻ {}", finding.problem));
        }
        if repaired.is_some_and(|repaired| repaired.is_empty()) {
            output.line("There was nothing to repair.");
        }
        for finding in &report.findings {
            output.line(format!("✗ {}", finding.problem));
        }
        if clean {
            output.line(format!(
                "✓ {} sessions, {} events: nothing was changed after the fact",
                report.sessions, report.events
            ));
        }
        told_of_key(report.key, output);
    }
    Ok(if clean { Exit::Ok } else { Exit::Failed })
}

/// Says what the log key had to say, where there is anything to say.
pub fn told_of_key(key: KeyCheck, output: &mut Output) {
    match key {
        KeyCheck::Unused => {}
        KeyCheck::NotHere { sessions } => output.line(format!(
            "? the log key: not checked, the key is not here ({sessions} sessions are sealed with it; set ELENCHUS_LOG_KEY)"
        )),
        KeyCheck::Checked { sessions, begun_before, unsealed } => {
            let before = if begun_before > 0 {
                format!(", {begun_before} of them since a later event than their first")
            } else {
                String::new()
            };
            let without = if unsealed > 0 { format!("; {unsealed} not sealed yet") } else { String::new() };
            output.line(format!("✓ the log key: {sessions} sessions are sealed with it{before}{without}"));
        }
    }
}
