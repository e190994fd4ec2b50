//! `elenchus backup` and `elenchus restore`: a copy of everything, and the way back to it.

use std::path::PathBuf;

use serde_json::json;

use super::sessions::told_of_key;
use super::{Exit, Failure, Output, SettingsArguments};
use crate::settings::{Settings, Surroundings};
use crate::store::{Restored, SqliteOptions, restore_sqlite};

#[derive(Debug, clap::Args)]
pub struct Backup {
    /// The file to write. Others may go on writing to the sessions meanwhile.
    file: PathBuf,
    /// Replace a file that is there already.
    #[arg(long)]
    force: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct Restore {
    /// A file that `elenchus backup` has written.
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(command: &Backup, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let host = settings.host()?;
    let (file, force) = (command.file.clone(), command.force);
    let report = host.store().call_async(move |store| store.backup(&file, force)).await?;
    let clean = report.is_clean();
    let file = command.file.display().to_string();
    if command.json {
        output.json(&json!({ "file": file, "clean": clean, "report": report }));
    } else {
        output.line(format!("{} sessions, {} events: copied to {file} and checked.", report.sessions, report.events));
        for finding in &report.findings {
            output.line(format!("✗ {}", finding.problem));
        }
        if !clean {
            output.remark("The copy holds what there is; what is wrong with it is wrong with the original too.");
        }
        told_of_key(report.key, output);
    }
    Ok(if clean { Exit::Ok } else { Exit::Failed })
}

pub fn restore(command: &Restore, arguments: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let settings = Settings::load(&arguments.flags(), &Surroundings::system()).map_err(Failure::usage)?;
    let options = SqliteOptions { log_key: settings.log_key.clone(), ..SqliteOptions::default() };
    let Restored { report, kept } = restore_sqlite(&settings.paths.database(), &command.file, &options)?;
    let kept = kept.map(|kept| kept.display().to_string());
    if command.json {
        output.json(&json!({ "file": command.file.display().to_string(), "kept": kept, "report": report }));
        return Ok(Exit::Ok);
    }
    output.line(format!("{} sessions, {} events: checked and restored.", report.sessions, report.events));
    if let Some(kept) = kept {
        output.line(format!("What was there before is kept as {kept}"));
    }
    output.line("What engines may run and spend is asked again: no agreement was taken over.");
    told_of_key(report.key, output);
    Ok(Exit::Ok)
}
