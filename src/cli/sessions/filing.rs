//! `elenchus sessions archive | unarchive | tag | untag | trash | restore`.

use serde_json::json;

use super::change::{tell_of_copies, tell_of_traces, with_copies};
use crate::cli::{Exit, Failure, Output};
use crate::host::{Host, filing};
use crate::store::{Erasure, Refiling, SessionRecord, Store, read_tags};
use crate::words::english;

#[derive(Debug, clap::Args)]
pub struct Filed {
    /// Their ids; the beginnings will do.
    #[arg(required = true)]
    sessions: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Filed {
    pub fn new(sessions: &[String], json: bool) -> Self {
        Self { sessions: sessions.to_vec(), json }
    }
}

#[derive(Debug, clap::Args)]
pub struct Tagged {
    /// Its id; the beginning will do.
    session: String,
    /// The tags.
    #[arg(required = true)]
    tags: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(host: &Host, filed: &Filed, change: Refiling, output: &mut Output) -> Result<Exit, Failure> {
    let refiled = host.refile(filed.sessions.clone(), change.clone()).await?;
    if filed.json {
        output.json(&refiled.iter().map(document).collect());
    } else {
        for session in &refiled {
            output.line(format!("{}.", filing::told(session, &change, english())));
        }
    }
    Ok(Exit::Ok)
}

pub async fn tag(
    host: &Host,
    tagged: &Tagged,
    change: impl Fn(Vec<String>) -> Refiling,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let tags: Vec<String> = tagged.tags.iter().flat_map(|tag| read_tags(tag)).collect();
    if tags.is_empty() {
        return Err(Failure::usage("a tag has a letter or a figure in it"));
    }
    let filed = Filed { sessions: vec![tagged.session.clone()], json: tagged.json };
    run(host, &filed, change(tags), output).await
}

pub async fn empty(host: &Host, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let (count, erasure) = host.store().call_async(Store::empty_trash).await?;
    let left = host.store().call_async(Store::filed).await?.trashed;
    let complete = erasure == Erasure::Complete;
    if as_json {
        output.json(&with_copies(host, json!({ "erased": count, "left": left, "complete": complete })));
        return Ok(Exit::Ok);
    }
    if count > 0 {
        output.line(format!("{count} session(s) erased."));
        tell_of_traces(complete, output);
        tell_of_copies(host, output);
    } else if left == 0 {
        output.line("The trash is empty.");
    }
    if left > 0 {
        output.line(format!(
            "{left} session(s) stay in the trash: a turn of them is under way elsewhere, or they were changed past this \
             program (`elenchus sessions verify` tells)."
        ));
    }
    Ok(Exit::Ok)
}

fn document(session: &SessionRecord) -> serde_json::Value {
    let filing = &session.filing;
    json!({
        "session_id": session.id,
        "title": session.title,
        "tags": filing.tags,
        "archived_at": filing.archived_at,
        "trashed_at": filing.trashed_at,
        "erased_at": filing.gone_at(),
    })
}
