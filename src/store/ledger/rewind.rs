//! Changing one's mind: taking turns back, and putting them back.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::json;

use super::{Store, commits, history, seal, sessions, superseded};
use crate::store::backend::{Backend, CommitRow, Row, SessionRow, Span};
use crate::store::{
    Committed, EventKind, MessageRecord, RewoundTurn, SessionId, SessionRecord, StoreError, TurnCommit,
};

impl Store {
    /// Takes back every turn after this one: state, engine, phase and all. The turns go out of view and out of the
    /// search, but are kept until [`restore_course`](Self::restore_course), [`erase_rewound`](Self::erase_rewound) or
    /// deletion; the log records the rewind. What they cost stays spent.
    pub fn rewind(&mut self, id: SessionId, expected_revision: u64, turn: u32) -> Result<SessionRecord, StoreError> {
        self.write(|db, now| {
            rewind(db, id, expected_revision, turn, now)?;
            Ok(sessions::get(db, id)?.record)
        })
    }

    /// Stores a turn in place of every turn after the one that the caller started from: [`rewind`](Self::rewind) and
    /// [`commit`](Self::commit) in one transaction.
    pub fn replace(&mut self, commit: TurnCommit) -> Result<Committed, StoreError> {
        self.write(|db, now| {
            let expected_revision = rewind(db, commit.session_id, commit.expected_revision, commit.expected_turn, now)?;
            commits::commit(db, TurnCommit { expected_revision, ..commit }, now)
        })
    }

    /// Returns what rewinds took out of view, in the order it was committed.
    pub fn rewound(&mut self, id: SessionId) -> Result<Vec<RewoundTurn>, StoreError> {
        self.read(|db| {
            sessions::get(db, id)?;
            rewound(db, id)
        })
    }
}

/// Takes back every turn after one, and returns the revision after that.
pub(super) fn rewind(
    db: &mut dyn Backend,
    id: SessionId,
    revision: u64,
    turn: u32,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let mut row = sessions::get_to_change(db, id, revision)?;
    if turn == row.record.turn {
        return Ok(revision);
    }
    let to = history::last_of_turn(db, &row, turn)?;
    let payload = json!({ "turn": turn, "tip": to.seq });
    let event = seal::append(db, &mut row, EventKind::Rewound, now, payload)?;
    db.take_back(id, turn, event)?;
    go_to(db, &mut row, &to, event, now)?;
    Ok(event)
}

/// Puts back what a rewind took. What it stood on must be the last thing in view.
pub(super) fn put_back(
    db: &mut dyn Backend,
    id: SessionId,
    revision: u64,
    rewind: u64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut row = sessions::get_to_change(db, id, revision)?;
    let newest = db.commits(id, Span::OutOfView)?.into_iter().rfind(|commit| commit.rewound_by == Some(rewind));
    let Some(newest) = newest else {
        let reason = format!("Session {id} has no rewind to take back: it has changed since the last one");
        return Err(StoreError::refused(reason));
    };
    let payload = json!({ "rewind": rewind, "tip": newest.seq });
    let event = seal::append(db, &mut row, EventKind::RewindUndone, now, payload)?;
    db.put_back(id, rewind)?;
    go_to(db, &mut row, &newest, event, now)
}

/// Makes a commit the current one again, after what is in view has changed.
fn go_to(
    db: &mut dyn Backend,
    row: &mut SessionRow,
    tip: &CommitRow,
    revision: u64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let id = row.record.id;
    superseded::settle(db, id)?;
    let state = history::state_after(db, id, tip.seq)?;
    db.put(Row::State(id, &commits::to_text(&state)?))?;
    commits::stand_at(row, tip, revision, now);
    db.put(Row::Session(row))
}

pub(super) fn rewound(db: &mut dyn Backend, id: SessionId) -> Result<Vec<RewoundTurn>, StoreError> {
    let moments: BTreeMap<u64, Timestamp> = db.events(id)?.into_iter().map(|event| (event.seq, event.at)).collect();
    let mut said: BTreeMap<u64, Vec<MessageRecord>> = BTreeMap::new();
    for part in db.messages(id, Span::OutOfView, u32::MAX)? {
        said.entry(part.seq).or_default().push(part.value);
    }
    let turns = db.commits(id, Span::OutOfView)?.into_iter().filter_map(|commit| {
        let rewound_at = *moments.get(&commit.rewound_by?)?;
        let messages = said.remove(&commit.seq).unwrap_or_default();
        Some(RewoundTurn { turn: commit.turn, rewound_at, messages })
    });
    Ok(turns.collect())
}
