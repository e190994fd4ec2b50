//! `elenchus sessions verify`: the chain, the references, and the state against the log.

use serde_json::json;

use crate::cli::{Exit, Failure, Output};
use crate::host::Host;

pub async fn run(host: &Host, id: Option<&str>, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let prefix = id.map(ToOwned::to_owned);
    let report = host
        .store()
        .call_async(move |store| {
            let id = prefix.map(|prefix| store.find_session(&prefix)).transpose()?.map(|session| session.id);
            store.verify(id)
        })
        .await?;
    let clean = report.findings.is_empty();
    if as_json {
        output.json(&json!({ "clean": clean, "report": report }));
    } else {
        for finding in &report.findings {
            output.line(format!("✗ {}", finding.problem));
        }
        if clean {
            output.line(format!(
                "✓ {} sessions, {} events: nothing was changed after the fact",
                report.sessions, report.events
            ));
        }
    }
    Ok(if clean { Exit::Ok } else { Exit::Failed })
}
