//! `elenchus sessions export`: the brief, the transcript, or everything, to stdout or to a file.

use std::path::{Path, PathBuf};

use super::ExportFormat;
use crate::cli::{Exit, Failure, Output};
use crate::files::private;
use crate::host::export::Format;
use crate::host::{Host, Session, export};

#[derive(Debug, clap::Args)]
pub struct ExportArguments {
    /// Its id; the beginning will do.
    session: String,
    /// What to write out; without it the ending of the file decides, and without a file it is the brief in Markdown.
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// The file to write to, which must not be there yet: .md, .html, .docx or .json.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave sensitive values in.
    #[arg(long)]
    reveal: bool,
}

pub async fn run(host: &Host, arguments: &ExportArguments, output: &mut Output) -> Result<Exit, Failure> {
    let format = match (arguments.format, &arguments.output) {
        (Some(format), _) => format,
        (None, Some(file)) => of_ending(file)?,
        (None, None) => ExportFormat::Brief,
    };
    let session = host.resume(&arguments.session).await?;
    let content = content(host, &session, format, arguments.reveal).await?;
    match &arguments.output {
        Some(file) => {
            let unwritten = |error| Failure::failed(format!("{} could not be written: {error}", file.display()));
            private::write_new(file, content).map_err(unwritten)?;
            output.remark(&format!("Written to {}.", file.display()));
        }
        None => match String::from_utf8(content) {
            Ok(text) => output.text(&text),
            Err(_) => return Err(Failure::usage("a document needs a file: add --output FILE.docx")),
        },
    }
    Ok(Exit::Ok)
}

fn of_ending(file: &Path) -> Result<ExportFormat, Failure> {
    let format = Format::of(file).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(match format {
        Format::Markdown => ExportFormat::Brief,
        Format::Html => ExportFormat::Html,
        Format::Docx => ExportFormat::Docx,
        Format::Json => ExportFormat::Json,
    })
}

async fn content(host: &Host, session: &Session, format: ExportFormat, reveal: bool) -> Result<Vec<u8>, Failure> {
    let brief = |format| async move { export::written(session, format, &host.store(), reveal).await };
    Ok(match format {
        ExportFormat::Brief => brief(Format::Markdown).await?,
        ExportFormat::Html => brief(Format::Html).await?,
        ExportFormat::Docx => brief(Format::Docx).await?,
        ExportFormat::Json => brief(Format::Json).await?,
        ExportFormat::Transcript => export::transcript(session, reveal).into_bytes(),
        ExportFormat::Scenario => {
            let engine = host.engine_name(session);
            export::scenario(session, Some(&engine), &host.store(), reveal).await?.into_bytes()
        }
    })
}
