//! Earlier courses of a session: what was taken back, to be looked at, gone back to, or gone on from in a copy.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{Store, fork, rewind, sessions};
use crate::store::backend::{Backend, CommitRow, Span};
use crate::store::{Course, RewoundTurn, SessionId, SessionRecord, StoreError};

impl Store {
    /// Returns the earlier courses of a session, the one that was left last first.
    pub fn courses(&mut self, id: SessionId) -> Result<Vec<Course>, StoreError> {
        self.read(|db| {
            sessions::get(db, id)?;
            courses(db, id)
        })
    }

    /// Goes back to an earlier course. What the session has in its place is taken back and is a course from then on.
    pub fn restore_course(
        &mut self,
        id: SessionId,
        expected_revision: u64,
        rewind: u64,
    ) -> Result<SessionRecord, StoreError> {
        self.write(|db, now| {
            sessions::get_to_change(db, id, expected_revision)?;
            restore(db, id, rewind, now)?;
            Ok(sessions::get(db, id)?.record)
        })
    }

    /// Makes a new session of an earlier course; this one stays as it is.
    pub fn fork_course(&mut self, id: SessionId, rewind: u64, new_id: SessionId) -> Result<SessionRecord, StoreError> {
        self.write(|db, now| {
            let tip = tip(db, id, rewind)?;
            let line = line(db, id, &tip)?;
            fork::copy(db, id, &line, new_id, now)?;
            Ok(sessions::get(db, new_id)?.record)
        })
    }
}

/// The commits that a rewind took and that are still there.
fn taken(db: &mut dyn Backend, id: SessionId, rewind: u64) -> Result<Vec<CommitRow>, StoreError> {
    let found = db.commits(id, Span::OutOfView)?;
    Ok(found.into_iter().filter(|commit| commit.rewound_by == Some(rewind)).collect())
}

fn tip(db: &mut dyn Backend, id: SessionId, rewind: u64) -> Result<CommitRow, StoreError> {
    let last = taken(db, id, rewind)?.pop();
    last.ok_or_else(|| StoreError::refused(format!("Session {id} has no such earlier course any more")))
}

/// The commits that lead to one, from the first on.
fn line(db: &mut dyn Backend, id: SessionId, tip: &CommitRow) -> Result<Vec<CommitRow>, StoreError> {
    let all = db.commits(id, Span::All)?;
    let parents: BTreeMap<u64, Option<u64>> = all.iter().map(|commit| (commit.seq, commit.parent)).collect();
    let mut on_line = BTreeSet::new();
    let mut next = Some(tip.seq);
    while let Some(seq) = next {
        let parent = parents.get(&seq).ok_or_else(|| db.damaged(format!("session {id} has no commit {seq}")))?;
        on_line.insert(seq);
        next = *parent;
    }
    Ok(all.into_iter().filter(|commit| on_line.contains(&commit.seq)).collect())
}

/// Puts back what a rewind took, after all that it stands on. Each step is a rewind or the undoing of one, so that the
/// log needs no other words for it.
fn restore(db: &mut dyn Backend, id: SessionId, rewind: u64, now: Timestamp) -> Result<(), StoreError> {
    let first = taken(db, id, rewind)?.into_iter().next();
    let first =
        first.ok_or_else(|| StoreError::refused(format!("Session {id} has no such earlier course any more")))?;
    let base = db.commits(id, Span::All)?.into_iter().find(|commit| Some(commit.seq) == first.parent);
    let base = base.ok_or_else(|| db.damaged(format!("commit {} of session {id} stands on nothing", first.seq)))?;
    if let Some(earlier) = base.rewound_by {
        restore(db, id, earlier, now)?;
    }
    let row = sessions::get(db, id)?;
    let last = db.commits(id, Span::InView(base.turn, base.turn))?.pop();
    if last.is_none_or(|last| last.seq != base.seq) {
        let reason = format!(
            "Something was changed by hand after turn {} since that course was left, and it would be lost; \
             make a copy of the course instead",
            base.turn
        );
        return Err(StoreError::refused(reason));
    }
    let revision = rewind::rewind(db, id, row.record.revision, base.turn, now)?;
    rewind::put_back(db, id, revision, rewind, now)
}

fn courses(db: &mut dyn Backend, id: SessionId) -> Result<Vec<Course>, StoreError> {
    let all = db.commits(id, Span::All)?;
    let turn_of: BTreeMap<u64, u32> = all.iter().map(|commit| (commit.seq, commit.turn)).collect();
    let turns = rewind::rewound(db, id)?;
    let taken: Vec<&CommitRow> = all.iter().filter(|commit| commit.rewound_by.is_some()).collect();
    let mut found: BTreeMap<u64, Course> = BTreeMap::new();
    for (commit, turn) in taken.into_iter().zip(turns) {
        let Some(rewind) = commit.rewound_by else { continue };
        let after = commit.parent.and_then(|parent| turn_of.get(&parent).copied()).unwrap_or(0);
        let (taken_at, is_said) = (turn.rewound_at, !turn.messages.is_empty());
        let course = found.entry(rewind).or_insert_with(|| Course { rewind, after, taken_at, turns: Vec::new() });
        course.turns.extend(Some(turn).filter(|_: &RewoundTurn| is_said));
    }
    Ok(found.into_values().rev().filter(|course| !course.turns.is_empty()).collect())
}
