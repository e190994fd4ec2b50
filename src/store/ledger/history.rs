//! Reading what turns left behind: states, extractions, checkpoints, figures.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Store, sessions};
use crate::engine::figures::TurnFigures;
use crate::store::backend::{Backend, Body, CheckpointRow, CommitRow, Encoding, SessionRow, Span};
use crate::store::delta::{self, Patch};
use crate::store::{Checkpoint, ExtractionEntry, SessionId, StoreError};

impl Store {
    /// Returns the state as it was after a turn and its amendments.
    pub fn state_at(&mut self, id: SessionId, turn: u32) -> Result<Value, StoreError> {
        self.read(|db| {
            let row = sessions::get(db, id)?;
            let last = last_of_turn(db, &row, turn)?;
            state_after(db, id, last.seq)
        })
    }

    pub fn extractions(&mut self, id: SessionId) -> Result<Vec<ExtractionEntry>, StoreError> {
        self.extractions_between(id, 0, u32::MAX)
    }

    /// Returns the entries of that log from one turn to another, both included.
    pub fn extractions_between(
        &mut self,
        id: SessionId,
        from_turn: u32,
        to_turn: u32,
    ) -> Result<Vec<ExtractionEntry>, StoreError> {
        self.read(|db| {
            sessions::get(db, id)?;
            let found = db.extractions(id, Span::InView(from_turn, to_turn))?;
            Ok(found.into_iter().map(|part| part.value.entry).collect())
        })
    }

    /// Returns the states kept on purpose.
    pub fn checkpoints(&mut self, id: SessionId) -> Result<Vec<Checkpoint>, StoreError> {
        self.read(|db| {
            sessions::get(db, id)?;
            let mut found = Vec::new();
            for commit in db.commits(id, Span::WHOLE_VIEW)? {
                if let Some(kept) = commit.checkpoint {
                    let state = state_after(db, id, commit.seq)?;
                    found.push(checkpoint(db, kept, state)?);
                }
            }
            Ok(found)
        })
    }

    /// Returns the figures of turns from one to another, both included. A turn with amendments that have figures too has
    /// several entries.
    pub fn figures(&mut self, id: SessionId, from_turn: u32, to_turn: u32) -> Result<Vec<TurnFigures>, StoreError> {
        self.read(|db| {
            sessions::get(db, id)?;
            let commits = db.commits(id, Span::InView(from_turn, to_turn))?;
            let kept = commits.iter().filter_map(|commit| commit.figures.as_deref());
            kept.map(|text| parse(db, "figures", text)).collect()
        })
    }
}

/// Is the commit that the next one builds on.
pub(super) struct Parent {
    pub(super) seq: u64,
    pub(super) state: Value,
    /// Bytes of deltas since the last whole state.
    pub(super) chain: usize,
}

/// Returns the commit whose state is the current one.
pub(super) fn tip(db: &mut dyn Backend, row: &SessionRow) -> Result<Parent, StoreError> {
    Ok(Parent { seq: row.tip, state: current_state(db, row.record.id)?, chain: row.chain })
}

/// Returns the state a session is in.
pub(super) fn current_state(db: &mut dyn Backend, id: SessionId) -> Result<Value, StoreError> {
    let text = db.state(id)?.ok_or_else(|| db.damaged(format!("session {id} has no state")))?;
    parse(db, "state", &text)
}

/// Returns the commit that a turn ended with: its last amendment, or the turn itself.
pub(super) fn last_of_turn(db: &mut dyn Backend, row: &SessionRow, turn: u32) -> Result<CommitRow, StoreError> {
    let found = db.commits(row.record.id, Span::InView(turn, turn))?.pop();
    found.ok_or_else(|| {
        let (id, last) = (row.record.id, row.record.turn);
        StoreError::refused(format!("Session {id} has no turn {turn}: it goes from 0 to {last}"))
    })
}

/// Works out the state after a commit.
pub(super) fn state_after(db: &mut dyn Backend, id: SessionId, seq: u64) -> Result<Value, StoreError> {
    let mut state = None;
    for body in db.line(id, seq)? {
        state = Some(step(db, state, &body)?);
    }
    state.ok_or_else(|| db.damaged(format!("session {id} has no commit {seq}")))
}

/// Works out the state after a commit from the state before it.
pub(super) fn step(db: &dyn Backend, before: Option<Value>, body: &Body) -> Result<Value, StoreError> {
    if body.encoding == Encoding::Snapshot {
        return parse(db, "state", &body.text);
    }
    let patch: Patch = parse(db, "delta", &body.text)?;
    let mut state = before.ok_or_else(|| db.damaged("a delta has no state to start from".to_owned()))?;
    delta::apply(&mut state, patch).map_err(|reason| db.damaged(format!("a delta does not fit: {reason}")))?;
    Ok(state)
}

/// Works out a checkpoint from the state after its commit.
pub(super) fn checkpoint(db: &dyn Backend, kept: CheckpointRow, mut state: Value) -> Result<Checkpoint, StoreError> {
    let patch: Patch = parse(db, "checkpoint", &kept.delta)?;
    delta::apply(&mut state, patch)
        .map_err(|reason| db.damaged(format!("a checkpoint does not fit its state: {reason}")))?;
    Ok(Checkpoint { turn: kept.turn, state, context_tokens: kept.context_tokens, reason: kept.reason })
}

/// Reads a document that the ledger wrote.
pub(super) fn parse<T: DeserializeOwned>(db: &dyn Backend, what: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| db.damaged(format!("a {what} is no JSON that can be read: {error}")))
}
