//! Sessions that were kept, as turns that can be said again.

use serde_json::{Value, json};

use crate::engine::memory::{Evidence, WorkingMemory};
use crate::engine::transcript::Role;
use crate::host::{HostError, Session};
use crate::store::{ExtractionEntry, ExtractionKind, StoreHandle};

/// A turn of a session that was kept.
#[derive(Clone, Debug)]
pub struct StoredTurn {
    /// What the user said.
    pub message: String,
    /// What was answered.
    pub answer: String,
    /// What was found in it, as an analysis says it.
    pub readings: Vec<Value>,
    /// Intents that the analysis reported.
    pub intents: Vec<String>,
    /// Fields that the user set by hand after it.
    pub edited: Vec<String>,
    /// The memory after it.
    pub memory: WorkingMemory,
}

/// The turns of a session with what was found in each, and the memory after it.
pub async fn stored_turns(session: &Session, store: &StoreHandle) -> Result<Vec<StoredTurn>, HostError> {
    let id = session.record().id;
    let log = store.call_async(move |store| store.extractions(id)).await?;
    let messages = session.transcript().messages();
    let mut found = Vec::new();
    for number in 1..=session.record().turn {
        let said = |role: Role| {
            let text = messages.iter().find(|message| message.turn == number && message.role == role);
            text.map(|message| message.text.to_string()).unwrap_or_default()
        };
        let state = store.call_async(move |store| store.state_at(id, number)).await?;
        let of_turn: Vec<&ExtractionEntry> = log.iter().filter(|entry| entry.turn == number).collect();
        let by_hand = |entry: &&&ExtractionEntry| entry.message_id.is_none();
        let spoken = of_turn.iter().filter(|entry| entry.message_id.is_some());
        let shows = |kind: ExtractionKind, intent: &str| {
            of_turn.iter().any(|entry| entry.kind == kind).then(|| intent.to_owned())
        };
        let intents =
            [shows(ExtractionKind::Unknown, "does_not_know"), shows(ExtractionKind::Declined, "declines_to_say")];
        found.push(StoredTurn {
            message: said(Role::User),
            answer: said(Role::Assistant),
            readings: spoken.filter_map(|entry| reading(entry)).collect(),
            intents: intents.into_iter().flatten().collect(),
            edited: of_turn.iter().filter(by_hand).map(|entry| entry.field_path.clone()).collect(),
            memory: serde_json::from_value(state)?,
        });
    }
    Ok(found)
}

/// An entry of the log as the analysis that led to it; `None` where it followed from something else.
fn reading(entry: &ExtractionEntry) -> Option<Value> {
    let value = match entry.kind {
        ExtractionKind::New | ExtractionKind::Update | ExtractionKind::Supersede | ExtractionKind::Candidate => {
            entry.value.clone()
        }
        ExtractionKind::Cleared => Value::Null,
        ExtractionKind::Stale | ExtractionKind::Unknown | ExtractionKind::Declined => return None,
    };
    let evidence: Option<Evidence> = serde_json::from_value(entry.evidence.clone()).ok().flatten();
    // What had no proof must find none when it is said again.
    let quote = evidence.map_or("(no words of the user)".to_owned(), |evidence| evidence.quote);
    Some(json!({ "path": entry.field_path, "value": value, "confidence": entry.confidence, "quote": quote }))
}
