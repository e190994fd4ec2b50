//! `elenchus sessions show`: where a session stands and what was said.

use serde_json::{Value, json};

use crate::cli::{Exit, Failure, Output};
use crate::engine::transcript::Role;
use crate::host::{Host, Session};
use crate::text::sanitise_line;

pub async fn run(host: &Host, id: &str, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let session = host.resume(id).await?;
    if as_json {
        output.json(&document(&session));
        return Ok(Exit::Ok);
    }
    let record = session.record();
    output.line(sanitise_line(&record.title));
    output.line(format!(
        "{} {} · phase {} · turn {} · {:.0} % complete",
        record.engine_id,
        record.engine_version,
        record.phase,
        record.turn,
        record.completeness * 100.0
    ));
    for message in session.transcript().messages() {
        let who = if message.role == Role::User { "You" } else { session.engine().definition().name.as_str() };
        output.line(format!("\n[{}] {who}:\n{}", message.turn, message.text));
    }
    if let Some(change) = session.engine_change() {
        output.remark(&format!("\nThe engine has changed since: {}", change.differences.join("; ")));
    }
    Ok(Exit::Ok)
}

fn document(session: &Session) -> Value {
    let record = session.record();
    let change = session.engine_change().map(|change| {
        json!({ "from": change.pinned_version, "to": change.current_version, "differences": change.differences })
    });
    json!({
        "session_id": record.id,
        "engine": record.engine_id,
        "engine_version": record.engine_version,
        "engine_change": change,
        "title": record.title,
        "turn": record.turn,
        "phase": record.phase,
        "completeness": session.memory().completeness,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "draft": session.draft().text,
        "forked_from": record.forked_from,
        "tags": record.filing.tags,
        "archived_at": record.filing.archived_at,
        "trashed_at": record.filing.trashed_at,
        "sidebar": session.sidebar(),
        "extraction": session.memory().extraction,
        "messages": session.transcript().messages(),
    })
}
