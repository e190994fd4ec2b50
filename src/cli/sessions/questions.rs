//! `elenchus sessions questions`: what is open, as a form for somebody else.

use std::path::PathBuf;

use crate::cli::{Exit, Failure, Output};
use crate::files::private;
use crate::host::Host;

#[derive(Debug, clap::Args)]
pub struct QuestionsArguments {
    /// Its id; the beginning will do.
    session: String,
    /// The file to write to, which must not be there yet: .md or .html. Without one, Markdown is printed.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub async fn run(host: &Host, arguments: &QuestionsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let form = host.resume(&arguments.session).await?.form();
    let Some(file) = &arguments.output else {
        output.text(&form.markdown());
        return Ok(Exit::Ok);
    };
    let unwritten = |error| Failure::failed(format!("{} could not be written: {error}", file.display()));
    private::write_new(file, form.written(file)?).map_err(unwritten)?;
    output.remark(&format!("{} open questions are in {}.", form.len(), file.display()));
    Ok(Exit::Ok)
}
