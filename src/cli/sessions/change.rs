//! `elenchus sessions rename | rewind | fork | migrate | delete --now | forget`.

use serde_json::{Value, json};

use crate::cli::{Exit, Failure, Output};
use crate::host::{Erased, Host};
use crate::store::{Erasure, SessionFilter, SessionId, SessionRecord, set_aside};

pub async fn rename(host: &Host, id: &str, title: &str, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let session = host.rename(id, title).await?;
    tell(&session, format!("It is called “{}” now.", session.title), as_json, output);
    Ok(Exit::Ok)
}

pub async fn rewind(host: &Host, id: &str, turn: u32, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let mut session = host.resume(id).await?;
    let count = host.rewind(&mut session, turn).await?;
    let words = format!(
        "The session stands at turn {turn} again. {count} turn(s) are taken back and kept; `/redo` in the session brings them back."
    );
    tell(session.record(), words, as_json, output);
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
    let changed = host.reload(&mut session).await?;
    let version = &session.record().engine_version;
    let words = if changed.is_some() {
        format!("The session runs on version {version} now.")
    } else {
        format!("The session runs on version {version} already.")
    };
    tell(session.record(), words, as_json, output);
    Ok(Exit::Ok)
}

pub async fn delete(host: &Host, ids: &[String], as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    // Nothing is left out because it is open: this process has opened no session.
    let Erased { sessions, erasure, .. } = host.erase(ids.to_vec()).await?;
    let complete = erasure == Erasure::Complete;
    if as_json {
        let deleted: Vec<SessionId> = sessions.iter().map(|session| session.id).collect();
        output.json(&with_copies(host, json!({ "deleted": deleted, "complete": complete })));
    } else {
        output.line(format!("{} session(s) erased.", sessions.len()));
        tell_of_traces(complete, output);
        tell_of_copies(host, output);
    }
    Ok(Exit::Ok)
}

/// Erases what was taken back in some sessions, or in all where none is named.
pub async fn forget(host: &Host, ids: &[String], as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let prefixes = ids.to_vec();
    let (turns, complete) = host
        .store()
        .call_async(move |store| {
            let mut found = Vec::new();
            for prefix in &prefixes {
                found.push(store.find_session(prefix)?.id);
            }
            if prefixes.is_empty() {
                found.extend(store.list_sessions(&SessionFilter::default())?.into_iter().map(|session| session.id));
            }
            let (mut turns, mut complete) = (0, true);
            for id in found {
                let rewound = store.rewound(id)?.len();
                if rewound > 0 {
                    turns += rewound;
                    complete &= store.erase_rewound(id)? == Erasure::Complete;
                }
            }
            Ok((turns, complete))
        })
        .await?;
    if as_json {
        output.json(&with_copies(host, json!({ "turns": turns, "complete": complete })));
    } else if turns == 0 {
        output.line("Nothing that was taken back is left.");
    } else {
        output.line(format!("{turns} turn(s) that were taken back are erased."));
        tell_of_traces(complete, output);
        tell_of_copies(host, output);
    }
    Ok(Exit::Ok)
}

/// Databases that `restore` set aside: what was erased here may still stand there.
fn copies(host: &Host) -> Vec<String> {
    set_aside(&host.settings.paths.database()).iter().map(|file| file.display().to_string()).collect()
}

pub(super) fn with_copies(host: &Host, mut document: Value) -> Value {
    let copies = copies(host);
    if !copies.is_empty() {
        document["copies"] = json!(copies);
    }
    document
}

pub(super) fn tell_of_copies(host: &Host, output: &mut Output) {
    for file in copies(host) {
        output.remark(&format!("`restore` kept the database from before as {file}. The words may still stand there; remove it if they must not."));
    }
}

pub(super) fn tell_of_traces(complete: bool, output: &mut Output) {
    if !complete {
        output.remark("Another process has the database open; the last traces go when it is opened next.");
    }
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
