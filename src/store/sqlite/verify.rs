//! Checking: the chain of the log, what the log says against what is stored, and references.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::failure::{Failure, Outcome};
use super::replay::{self, Replay};
use super::{engines, events, verify_parts};
use crate::store::{Digest, Event, Finding, Report, SessionId, StoreError, canonical};

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

/// Checks one session or all of them, and then the database as well.
pub(super) fn verify(conn: &Connection, path: &Path, id: Option<SessionId>) -> Outcome<Report> {
    let mut report = Report::default();
    let ids = match id {
        Some(id) => vec![id],
        None => conn
            .prepare("SELECT id FROM sessions ORDER BY id")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?,
    };
    for session in ids {
        let mut findings = Findings { session, list: &mut Vec::new() };
        match check_session(conn, &mut findings) {
            Ok(events) => report.events += events,
            Err(failure) => findings.add(None, readable(failure, path)?),
        }
        report.sessions += 1;
        report.findings.append(findings.list);
    }
    if id.is_none() {
        check_database(conn, path, &mut report.findings)?;
    }
    Ok(report)
}

/// Turns what cannot be read because it is damaged into a finding; anything else remains a failure.
fn readable(failure: Failure, path: &Path) -> Outcome<String> {
    match failure.at(path) {
        StoreError::Corrupt { reason, .. } | StoreError::Fault(reason) => Ok(format!("It cannot be read: {reason}")),
        other => Err(other.into()),
    }
}

/// Checks a session and returns how many events its log has.
fn check_session(conn: &Connection, findings: &mut Findings<'_>) -> Outcome<u64> {
    let row = replay::Row::of(conn, findings.session)?;
    let log = events::all(conn, findings.session)?;
    check_chain(&log, findings);
    let last = log.last().map(|event| (event.seq, event.hash));
    findings.expect(None, "The end of the event log", &Some((row.head_seq, row.head_hash)), &last);
    let replay = Replay::of(&log, findings);
    verify_parts::check_commits(conn, &replay, findings)?;
    verify_parts::check_states(conn, &replay, findings)?;
    verify_parts::check_session_row(conn, &row, &replay, findings)?;
    verify_parts::check_references(conn, findings)?;
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
        if events::seal(event) != event.hash {
            findings.add(seq, "The event was changed after it was written");
        }
        prev = event.hash;
    }
}

/// Checks what belongs to no session.
fn check_database(conn: &Connection, path: &Path, findings: &mut Vec<Finding>) -> Outcome<()> {
    let mut add = |problem: String| findings.push(Finding { session_id: None, seq: None, problem });
    let mut statement = conn.prepare("PRAGMA quick_check(20)")?;
    let lines: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    lines.into_iter().filter(|line| line != "ok").for_each(|line| add(format!("The file is damaged: {line}")));
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let broken = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(2)?)))?;
    for row in broken {
        let (table, parent) = row?;
        add(format!("A row of {table} points at a row of {parent} that is not there"));
    }
    let mut statement = conn.prepare("SELECT hash FROM engines ORDER BY hash")?;
    let hashes: Vec<Digest> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for hash in hashes {
        match engines::get(conn, hash) {
            Ok(engine) if canonical::digest(&engine.files) == hash => {}
            Ok(_) => add(format!("The files of engine {hash} were changed")),
            Err(failure) => add(format!("Engine {hash}: {}", readable(failure, path)?)),
        }
    }
    Ok(())
}

/// Compares the full-text indexes with what they index. A command of the index that needs a transaction that may write,
/// though it writes nothing.
pub(super) fn check_indexes(tx: &Connection, path: &Path) -> Outcome<Vec<Finding>> {
    let mut findings = Vec::new();
    for (index, what) in [("said_index", "messages"), ("artifacts_index", "artifacts")] {
        let sql = format!("INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)");
        if let Err(error) = tx.execute(&sql, []).optional() {
            let problem = format!("The full-text index of {what} does not fit them: {}", readable(error.into(), path)?);
            findings.push(Finding { session_id: None, seq: None, problem });
        }
    }
    Ok(findings)
}
