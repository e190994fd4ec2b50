//! The figures of turns that were kept, as the inspector wants them.

use serde_json::{Value, json};

use crate::store::{ExtractionEntry, SessionId, StoreError, StoreHandle};

/// The figures of turns with what was learned in each; null for a turn of which nothing was kept.
pub async fn of_turns(
    store: &StoreHandle,
    session: SessionId,
    from: u32,
    to: u32,
) -> Result<Vec<(u32, Value)>, StoreError> {
    let (measured, log) = store
        .call_async(move |store| {
            Ok((store.telemetry(session, from, to)?, store.extractions_between(session, from, to)?))
        })
        .await?;
    let mut measured = measured.into_iter().peekable();
    let figures = (from..=to).map(|turn| {
        let mut figures = Value::Null;
        while let Some(kept) = measured.next_if(|kept| kept.turn == turn) {
            figures = kept.data;
        }
        if figures.is_object() {
            figures["changes"] = log.iter().filter(|entry| entry.turn == turn).map(change).collect();
        }
        (turn, figures)
    });
    Ok(figures.collect())
}

/// An entry of the log in the form of a change of the turn that made it.
fn change(entry: &ExtractionEntry) -> Value {
    let by_hand = entry.message_id.is_none();
    json!({
        "path": entry.field_path,
        "kind": entry.kind,
        "value": entry.value,
        "confidence": entry.confidence,
        "evidence": entry.evidence,
        "reason": entry.reasoning.as_deref().unwrap_or(if by_hand { "changed by hand" } else { "" }),
    })
}
