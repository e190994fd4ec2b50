//! `elenchus sessions handoff`: review, edit, accept or decline what a session would hand over.

use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{Exit, Failure, Output};
use crate::engine::handoff::{Handoff, preview};
use crate::files::plain;
use crate::host::{Host, Session};
use crate::words::english;

/// What the command line says about it.
#[derive(Debug, clap::Args)]
pub(crate) struct HandoffArguments {
    /// Its id; the beginning will do.
    session: String,
    /// Accept it: opens the next session.
    #[arg(long, conflicts_with = "decline")]
    accept: bool,
    /// Pass it over; it is not offered again.
    #[arg(long)]
    decline: bool,
    /// A file with the handoff as it should be (as `--json` prints it under `handoff`), or - for stdin.
    #[arg(long, value_name = "FILE")]
    edited: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(host: &Host, arguments: &HandoffArguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut session = host.resume(&arguments.session).await?;
    if let Some(file) = &arguments.edited {
        session.edit_handoff(read(file)?).await?;
    }
    if arguments.decline {
        session.decline_handoff().await?;
        tell(arguments.json, output, &json!({ "session_id": session.record().id, "declined": true }), "Declined.");
        return Ok(Exit::Ok);
    }
    if arguments.accept {
        let next = host.accept_handoff(&mut session).await?;
        accepted(&session, &next, arguments.json, output);
        return Ok(Exit::Ok);
    }
    review(&session, arguments.json, output);
    Ok(Exit::Ok)
}

fn accepted(source: &Session, next: &Session, as_json: bool, output: &mut Output) {
    let opening = next.transcript().messages().first().map(|message| message.text.clone()).unwrap_or_default();
    let document = json!({
        "session_id": next.record().id,
        "engine": next.record().engine_id,
        "source_session_id": source.record().id,
        "handoff_id": next.record().inbound_handoff_id,
        "opening": opening,
        "extraction": next.memory().extraction,
        "handoff": next.memory().inbound_handoff.as_ref().map(|inbound| &inbound.handoff),
    });
    let words = format!("{}\n\n{opening}", next.record().id);
    tell(as_json, output, &document, &words);
}

fn review(session: &Session, as_json: bool, output: &mut Output) {
    let Some(offer) = session.handoff() else {
        let document = json!({ "session_id": session.record().id, "handoff": null });
        tell(as_json, output, &document, "No next step is on offer in this session.");
        return;
    };
    if as_json {
        output.json(&json!({
            "session_id": session.record().id,
            "exit_id": offer.exit_id,
            "target": offer.target,
            "label": offer.label,
            "problems": offer.problems,
            "handoff": offer.handoff,
        }));
        return;
    }
    output.line(format!("{} → {}: {}\n", session.record().engine_id, offer.target, offer.label));
    for (title, items) in preview(&offer.handoff, &english().handoff) {
        output.text(&format!("{title}:\n- {}\n", items.join("\n- ")));
    }
    for problem in &offer.problems {
        output.remark(&format!("It cannot be accepted yet: {problem}"));
    }
}

fn read(file: &str) -> Result<Handoff, Failure> {
    let mut text = String::new();
    if file == "-" {
        std::io::stdin().take(plain::DOCUMENT).read_to_string(&mut text).map_err(Failure::failed)?;
    } else {
        text = plain::text(Path::new(file), plain::DOCUMENT)
            .map_err(|error| Failure::usage(format!("cannot read {file}: {error}")))?;
    }
    serde_json::from_str(&text).map_err(|error| Failure::usage(format!("{file} is not JSON: {error}")))
}

fn tell(as_json: bool, output: &mut Output, document: &Value, words: &str) {
    if as_json { output.json(document) } else { output.line(words) }
}
