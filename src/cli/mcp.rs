//! `elenchus mcp`: interviews, briefs and their proofs as tools for coding agents, over stdin and stdout.

use std::io::{BufReader, stdin};
use std::sync::Arc;

use super::{Exit, Failure, SettingsArguments};
use crate::host::Connection;
use crate::serve::mcp;
use crate::tui::outlet::Outlet;

#[derive(Debug, clap::Args)]
pub(crate) struct Mcp {
    /// The project that new sessions belong to, where a call names no other.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
}

pub async fn run(command: &Mcp, settings: &SettingsArguments) -> Result<Exit, Failure> {
    let host = Arc::new(settings.host()?);
    let connection = Connection { project: command.project.clone(), flags: settings.flags(), ..Connection::default() };
    let mut out = Outlet::data();
    let write = move |line: &str| {
        out.text(line)?;
        out.flush()
    };
    let served = mcp::serve(Arc::clone(&host), connection, BufReader::new(stdin()), write).await;
    host.forget_old();
    host.close_shared()?;
    served.map(|()| Exit::Ok).map_err(Failure::failed)
}
