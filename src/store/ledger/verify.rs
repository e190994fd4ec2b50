//! Checking: the chain of the log, what the log says against what is stored, and references.

use std::collections::{BTreeMap, BTreeSet};

use super::replay::Replay;
use super::verify_key::Keys;
use super::verify_parts::{self, Stored};
use super::{Store, repair, seal, sessions, verify_beside};
use crate::store::backend::{Backend, Span};
use crate::store::{Digest, Event, Finding, Report, SessionId, StoreError, canonical};

impl Store {
    /// Checks one session, or everything: the chain, the references, and every state and word against the log. Returns
    /// all that does not fit. It shows changes made after the fact, short of rewriting the whole log with all that
    /// hangs on it: against that there is the log key, and [`Committed::head`](crate::store::Committed::head) to be kept
    /// elsewhere.
    pub fn verify(&mut self, id: Option<SessionId>) -> Result<Report, StoreError> {
        let mut report = self.read(|db| verify(db, id))?;
        if id.is_none() {
            let problems = if self.backend.is_read_only() {
                self.read(|db| db.check())?
            } else {
                self.write_lightly(|db, _| db.check())?
            };
            report.findings.extend(problems.into_iter().map(of_database));
            let lost = self.read(|db| db.lost_changes())?;
            report.findings.extend((lost > 0).then(|| of_database(changes_lost(lost))));
        }
        Ok(report)
    }
}

/// Collects what does not fit in one session.
pub(super) struct Findings<'a> {
    pub(super) session: SessionId,
    pub(super) list: &'a mut Vec<Finding>,
}

impl Findings<'_> {
    pub(super) fn add(&mut self, seq: Option<u64>, problem: impl Into<String>) {
        self.list.push(Finding { session_id: Some(self.session), seq, problem: problem.into() });
    }

    /// Adds a finding where two things that should be the same are not.
    pub(super) fn expect<T: PartialEq>(&mut self, seq: Option<u64>, what: &str, stored: &T, logged: &T) {
        if stored != logged {
            self.add(seq, format!("{what} is not what the log says"));
        }
    }
}

/// The ids of engines by their digests, each read once however many commits are pinned to it. None for one that cannot
/// be read; that is said where the engines themselves are checked.
#[derive(Default)]
pub(super) struct Engines(BTreeMap<Digest, Option<String>>);

impl Engines {
    pub(super) fn id(&mut self, db: &mut dyn Backend, hash: Digest) -> Option<&str> {
        let read = || db.engine(hash).ok().flatten().map(|engine| engine.engine_id);
        self.0.entry(hash).or_insert_with(read).as_deref()
    }
}

/// Says that changes are missing, and what that may come from.
pub(super) fn changes_lost(count: u64) -> String {
    format!(
        "{count} changes that were acknowledged are missing: the log beside the database (`-wal`) was lost, or an older \
         copy was put in its place. `elenchus restore FILE` puts a backup back; `elenchus sessions verify --repair` takes \
         the loss as known"
    )
}

pub(super) fn of_database(problem: String) -> Finding {
    Finding { session_id: None, seq: None, problem }
}

fn verify(db: &mut dyn Backend, id: Option<SessionId>) -> Result<Report, StoreError> {
    let mut report = Report::default();
    let mut engines = Engines::default();
    let mut keys = Keys::default();
    let ids = match id {
        Some(id) => vec![id],
        None => db.session_ids()?,
    };
    for session in ids {
        let mut findings = Findings { session, list: &mut Vec::new() };
        match check_session(db, &mut engines, &mut keys, &mut findings) {
            Ok(events) => report.events += events,
            Err(error) => findings.add(None, readable(error)?),
        }
        report.sessions += 1;
        report.findings.append(findings.list);
    }
    keys.finish(db, id.is_none(), &mut report)?;
    verify_beside::check(db, id, &mut report.findings)?;
    let mend = "`elenchus sessions verify --repair` brings it within them";
    report.findings.extend(db.wild_costs(id)?.iter().map(|cost| repair::finding(cost, mend)));
    if id.is_none() {
        for hash in engines.0.into_keys() {
            report.findings.extend(check_engine(db, hash)?.map(of_database));
        }
    }
    Ok(report)
}

/// Turns what cannot be read because it is damaged into a finding; anything else remains a failure.
fn readable(error: StoreError) -> Result<String, StoreError> {
    match error {
        StoreError::Corrupt { reason, .. } | StoreError::Fault(reason) => Ok(format!("It cannot be read: {reason}")),
        other => Err(other),
    }
}

/// Whether nothing of a session was changed after the fact.
pub(super) fn is_sound(db: &mut dyn Backend, session: SessionId) -> Result<bool, StoreError> {
    let mut list = Vec::new();
    let mut findings = Findings { session, list: &mut list };
    match check_session(db, &mut Engines::default(), &mut Keys::default(), &mut findings) {
        Ok(_) => Ok(list.is_empty()),
        Err(error) => readable(error).map(|_| false),
    }
}

/// Checks a session and returns how many events its log has.
fn check_session(
    db: &mut dyn Backend,
    engines: &mut Engines,
    keys: &mut Keys,
    findings: &mut Findings<'_>,
) -> Result<u64, StoreError> {
    let id = findings.session;
    let row = sessions::get(db, id)?;
    let log = db.events(id)?;
    check_chain(&log, findings);
    let last = log.last().map(|event| (event.seq, event.hash));
    findings.expect(None, "The end of the event log", &Some((row.head_seq, row.head_hash)), &last);
    keys.check(db, &row, &log, findings);
    let replay = Replay::of(&log, findings);
    let commits = db.commits(id, Span::All)?;
    for hash in commits.iter().map(|commit| commit.engine_hash).chain([row.record.engine_hash]) {
        engines.id(db, hash);
    }
    let mut stored = Stored::read(db, id)?;
    verify_parts::check_commits(db, &commits, &mut stored, &replay, findings)?;
    verify_parts::check_session_row(db, &row, &replay, findings)?;
    verify_parts::check_extractions(db, &commits, &stored, engines, findings);
    let rewound: BTreeSet<u64> =
        commits.iter().filter(|commit| commit.rewound_by.is_some()).map(|commit| commit.seq).collect();
    verify_parts::check_view(&stored, &rewound, findings);
    verify_parts::check_outbound(db, &row.record, findings)?;
    verify_parts::check_states(db, commits, &replay, findings)?;
    Ok(log.len() as u64)
}

fn check_chain(log: &[Event], findings: &mut Findings<'_>) {
    let mut prev = Digest::ZERO;
    for (index, event) in log.iter().enumerate() {
        let seq = Some(event.seq);
        if event.seq != index as u64 + 1 {
            findings.add(seq, format!("An event is missing: {} was expected", index + 1));
        }
        if event.prev != prev {
            findings.add(seq, "The event does not continue the one before");
        }
        if seal::seal(event) != event.hash {
            findings.add(seq, "The event was changed after it was written");
        }
        prev = event.hash;
    }
}

/// Says what is wrong with the files of an engine.
fn check_engine(db: &mut dyn Backend, hash: Digest) -> Result<Option<String>, StoreError> {
    Ok(match db.engine(hash) {
        Ok(Some(engine)) if canonical::digest(&engine.files) == hash => None,
        Ok(Some(_)) => Some(format!("The files of engine {hash} were changed")),
        Ok(None) => Some(format!("Engine {hash} is missing")),
        Err(error) => Some(format!("Engine {hash}: {}", readable(error)?)),
    })
}
