//! `elenchus sessions export`: the brief, the transcript, or everything.

use super::ExportFormat;
use crate::cli::{Exit, Failure, Output};
use crate::runtime::{DEFAULT_PROJECT, Host, export};
use crate::scenario;

pub async fn run(
    host: &Host,
    id: &str,
    format: ExportFormat,
    reveal: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session = host.resume(id).await?;
    match format {
        ExportFormat::Brief => {
            let project_id = session.record().project_id;
            let projects = host.store().call_async(|store| store.projects()).await?;
            // The project of those who named none is not worth a word.
            let named = |name: &String| name != DEFAULT_PROJECT;
            let project = projects.into_iter().find(|project| project.id == project_id).map(|project| project.name);
            let project = project.filter(named);
            output.text(&export::markdown(&session, project.as_deref(), reveal)?);
        }
        ExportFormat::Transcript => output.text(&export::transcript(&session, reveal)),
        ExportFormat::Scenario => {
            let engine = host.engine_name(&session);
            output.text(&scenario::export(&session, Some(&engine), &host.store(), reveal).await?);
        }
        ExportFormat::Json => output.json(&export::json(&session, &host.store(), reveal).await?),
    }
    Ok(Exit::Ok)
}
