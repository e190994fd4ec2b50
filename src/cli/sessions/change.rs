//! `elenchus sessions rename | rewind | fork | migrate | delete`.

use serde_json::json;

use crate::cli::{Exit, Failure, Output};
use crate::host::Host;
use crate::store::{Erasure, SessionRecord};

pub async fn rename(host: &Host, id: &str, title: &str, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let (prefix, title) = (id.to_owned(), title.to_owned());
    let session = host
        .store()
        .call_async(move |store| {
            let id = store.find_session(&prefix)?.id;
            store.rename_session(id, &title)
        })
        .await?;
    tell(&session, format!("It is called “{}” now.", session.title), as_json, output);
    Ok(Exit::Ok)
}

pub async fn rewind(host: &Host, id: &str, turn: u32, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let prefix = id.to_owned();
    let session = host
        .store()
        .call_async(move |store| {
            let session = store.find_session(&prefix)?;
            store.rewind(session.id, session.revision, turn)
        })
        .await?;
    tell(&session, format!("The session stands at turn {} again.", session.turn), as_json, output);
    Ok(Exit::Ok)
}

pub async fn fork(
    host: &Host,
    id: &str,
    turn: Option<u32>,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let turn = if let Some(turn) = turn {
        turn
    } else {
        let prefix = id.to_owned();
        host.store().call_async(move |store| store.find_session(&prefix)).await?.turn
    };
    let session = host.fork(id, turn).await?;
    tell(&session, session.id.to_string(), as_json, output);
    Ok(Exit::Ok)
}

pub async fn migrate(host: &Host, id: &str, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let mut session = host.resume(id).await?;
    let changed = session.engine_change().is_some();
    if changed {
        host.migrate(&mut session).await?;
    }
    let version = &session.record().engine_version;
    let words = if changed {
        format!("The session runs on version {version} now.")
    } else {
        format!("The session runs on version {version} already.")
    };
    tell(session.record(), words, as_json, output);
    Ok(Exit::Ok)
}

pub async fn delete(host: &Host, ids: &[String], as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let prefixes = ids.to_vec();
    let (found, erasure) = host
        .store()
        .call_async(move |store| {
            let mut found = Vec::new();
            for prefix in &prefixes {
                found.push(store.find_session(prefix)?.id);
            }
            let erasure = store.delete_sessions(&found)?;
            Ok((found, erasure))
        })
        .await?;
    let complete = erasure == Erasure::Complete;
    if as_json {
        output.json(&json!({ "deleted": found, "complete": complete }));
    } else {
        output.line(format!("{} session(s) erased.", found.len()));
        if !complete {
            output.remark("Another process has the database open; the last traces go when it is opened next.");
        }
    }
    Ok(Exit::Ok)
}

fn tell(session: &SessionRecord, words: String, as_json: bool, output: &mut Output) {
    if as_json {
        output.json(&json!({
            "session_id": session.id,
            "title": session.title,
            "turn": session.turn,
            "phase": session.phase,
            "engine_version": session.engine_version,
        }));
    } else {
        output.line(words);
    }
}
