//! `elenchus sessions export`: the brief, the transcript, or everything.

use super::ExportFormat;
use crate::cli::{Exit, Failure, Output};
use crate::host::{Host, export};

pub async fn run(
    host: &Host,
    id: &str,
    format: ExportFormat,
    reveal: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session = host.resume(id).await?;
    match format {
        ExportFormat::Brief => output.text(&export::markdown(&session, reveal)?),
        ExportFormat::Transcript => output.text(&export::transcript(&session, reveal)),
        ExportFormat::Scenario => {
            let engine = host.engine_name(&session);
            output.text(&export::scenario(&session, Some(&engine), &host.store(), reveal).await?);
        }
        ExportFormat::Json => output.json(&export::json(&session, &host.store(), reveal).await?),
    }
    Ok(Exit::Ok)
}
