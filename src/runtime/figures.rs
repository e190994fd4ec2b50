//! The figures of turns that were kept, whole again.

use crate::engine::extraction::{Change, ChangeKind};
use crate::engine::figures::TurnFigures;
use crate::store::{ExtractionEntry, ExtractionKind, SessionId, StoreError, StoreHandle};

/// The figures of turns with what was learned in each; `None` for a turn of which nothing was kept. The store keeps
/// figures without changes, since their values and quotes are in the extractions log: here the two are joined.
pub async fn of_turns(
    store: &StoreHandle,
    session: SessionId,
    from: u32,
    to: u32,
) -> Result<Vec<(u32, Option<TurnFigures>)>, StoreError> {
    let (kept, log) = store
        .call_async(move |store| Ok((store.figures(session, from, to)?, store.extractions_between(session, from, to)?)))
        .await?;
    let mut kept = kept.into_iter().peekable();
    let figures = (from..=to).map(|turn| {
        let mut figures = None;
        while let Some(newer) = kept.next_if(|kept| kept.turn == turn) {
            figures = Some(newer);
        }
        let learned = || log.iter().filter(|entry| entry.turn == turn).map(change).collect();
        (turn, figures.map(|figures| TurnFigures { changes: learned(), ..figures }))
    });
    Ok(figures.collect())
}

/// An entry of the log in the form of a change of the turn that made it.
fn change(entry: &ExtractionEntry) -> Change {
    let by_hand = entry.message_id.is_none();
    Change {
        path: entry.field_path.clone(),
        kind: match entry.kind {
            ExtractionKind::New => ChangeKind::New,
            ExtractionKind::Update => ChangeKind::Update,
            ExtractionKind::Supersede => ChangeKind::Supersede,
            ExtractionKind::Candidate => ChangeKind::Candidate,
            ExtractionKind::Stale => ChangeKind::Stale,
            ExtractionKind::Unknown => ChangeKind::Unknown,
            ExtractionKind::Declined => ChangeKind::Declined,
            ExtractionKind::Cleared => ChangeKind::Cleared,
        },
        value: entry.value.clone(),
        confidence: entry.confidence,
        // Evidence of another form is of no use to the reader, but the change still happened.
        evidence: serde_json::from_value(entry.evidence.clone()).unwrap_or_default(),
        previous: None,
        reason: match &entry.reasoning {
            Some(reason) => reason.clone(),
            None if by_hand => "changed by hand".to_owned(),
            None => String::new(),
        },
    }
}
