//! Going on from an earlier turn in a session of its own.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Store, commits, filing, history, seal, sessions, superseded};
use crate::store::backend::{Backend, CommitRow, Part, Row, Span};
use crate::store::{Digest, Event, Filing, ForkPoint, SessionId, SessionRecord, StoreError};

impl Store {
    /// Makes a new session that is this one up to a turn, and can be rewound like it.
    pub fn fork(&mut self, id: SessionId, turn: u32, new_id: SessionId) -> Result<SessionRecord, StoreError> {
        self.write(|db, now| {
            let original = sessions::get(db, id)?;
            history::last_of_turn(db, &original, turn)?;
            let line = db.commits(id, Span::InView(0, turn))?;
            copy(db, id, &line, new_id, now)?;
            Ok(sessions::get(db, new_id)?.record)
        })
    }
}

/// Rows are copied as they are; the log is written anew, because its seals name the session. So the fork can be rewound
/// and checked, and outlives the original. Costs and tasks stay with the original.
pub(super) fn copy(
    db: &mut dyn Backend,
    id: SessionId,
    line: &[CommitRow],
    new_id: SessionId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let original = sessions::get(db, id)?.record;
    let Some(tip) = line.last() else { return Err(db.damaged(format!("session {id} has no commits"))) };
    let turn = tip.turn;
    let state = history::state_after(db, id, tip.seq)?;
    let blank = SessionRecord {
        id: new_id,
        created_at: now,
        updated_at: now,
        outbound_handoff_id: None,
        forked_from: Some(ForkPoint { session: id, turn }),
        filing: Filing { tags: original.filing.tags.clone(), ..Filing::default() },
        ..original.clone()
    };
    let mut row = sessions::insert(db, blank)?;
    let mut events: BTreeMap<u64, Event> = db.events(id)?.into_iter().map(|event| (event.seq, event)).collect();
    let mut copied: BTreeMap<u64, u64> = BTreeMap::new();
    let mut parent = None;
    for commit in line {
        let Some(event) = events.remove(&commit.seq) else {
            return Err(db.damaged(format!("commit {} of session {id} is not in the log", commit.seq)));
        };
        let payload = anew(event.payload, parent, &row.record, (id, commit.seq));
        let seq = seal::append(db, &mut row, event.kind, now, payload)?;
        copied.insert(commit.seq, seq);
        let commit = CommitRow { seq, parent, rewound_by: None, ..commit.clone() };
        db.put(Row::Commit(new_id, &commit))?;
        commits::stand_at(&mut row, &commit, seq, now);
        parent = Some(seq);
    }
    copy_words(db, id, new_id, &copied)?;
    db.put(Row::State(new_id, &commits::to_text(&state)?))?;
    db.put(Row::Session(&row))
}

/// Says what an event says, for the fork: its own parent, title and tags, no costs, and where it was copied from.
fn anew(mut payload: Value, parent: Option<u64>, fork: &SessionRecord, (id, seq): (SessionId, u64)) -> Value {
    if let Value::Object(payload) = &mut payload {
        payload.shift_remove("budget");
        payload.insert("parent".to_owned(), json!(parent));
        payload.insert("title".to_owned(), json!(Digest::of(fork.title.as_bytes())));
        payload.shift_remove("filed");
        if !fork.filing.is_plain() {
            payload.insert("filed".to_owned(), filing::logged(&fork.filing));
        }
        payload.insert("copied".to_owned(), json!({ "session": id, "seq": seq }));
    }
    payload
}

/// Copies messages and extractions to the commits of the fork. What took an entry's place after the turn of the fork
/// has not done so there.
fn copy_words(
    db: &mut dyn Backend,
    id: SessionId,
    new_id: SessionId,
    copied: &BTreeMap<u64, u64>,
) -> Result<(), StoreError> {
    for part in db.messages(id, Span::All, u32::MAX)? {
        if let Some(seq) = copied.get(&part.seq) {
            db.put(Row::Message(new_id, Part { seq: *seq, in_view: true, ..part.as_ref() }))?;
        }
    }
    let mut entries = db.extractions(id, Span::All)?;
    entries.retain(|part| copied.contains_key(&part.seq));
    let resolved = superseded::resolve(entries.iter());
    for (part, by) in entries.iter_mut().zip(resolved) {
        part.value.entry.superseded_by = by;
        if let Some(seq) = copied.get(&part.seq) {
            db.put(Row::Extraction(new_id, Part { seq: *seq, in_view: true, ..part.as_ref() }))?;
        }
    }
    Ok(())
}
