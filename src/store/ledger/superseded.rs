//! Which entry of the extractions log took the place of which.

use std::collections::HashMap;

use crate::store::backend::{Backend, ExtractionRow, Part, Row, Span};
use crate::store::{ExtractionId, ExtractionKind, SessionId, StoreError};

/// Tells whether an entry takes the place of those before it.
pub(super) fn takes_place(kind: ExtractionKind) -> bool {
    matches!(kind, ExtractionKind::Supersede | ExtractionKind::Cleared)
}

/// Works out, for entries in their order, what took the place of each: the next one of the same field that does.
pub(super) fn resolve<'a>(
    entries: impl DoubleEndedIterator<Item = &'a Part<ExtractionRow>>,
) -> Vec<Option<ExtractionId>> {
    let mut replaced_by: HashMap<&str, ExtractionId> = HashMap::new();
    let mut found: Vec<Option<ExtractionId>> = entries
        .rev()
        .map(|part| {
            let entry = &part.value.entry;
            let by = replaced_by.get(entry.field_path.as_str()).copied();
            if takes_place(entry.kind) {
                replaced_by.insert(&entry.field_path, entry.id);
            }
            by
        })
        .collect();
    found.reverse();
    found
}

/// Sets it right after turns went out of view or came back into it.
pub(super) fn settle(db: &mut dyn Backend, id: SessionId) -> Result<(), StoreError> {
    let mut entries = db.extractions(id, Span::WHOLE_VIEW)?;
    let resolved = resolve(entries.iter());
    for (part, by) in entries.iter_mut().zip(resolved) {
        if part.value.entry.superseded_by != by {
            part.value.entry.superseded_by = by;
            db.put(Row::Extraction(id, part.as_ref()))?;
        }
    }
    Ok(())
}
