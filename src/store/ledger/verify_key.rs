//! The seals of the log key: on every event since it was there, on the end of every log, and on the list of the logs.

use super::beside::Vouched;
use super::seal;
use super::verify::{Findings, of_database};
use crate::store::backend::{Backend, Sealed, SessionRow};
use crate::store::{Event, EventKind, KeyCheck, Report, StoreError};

/// Counts sessions on the way.
#[derive(Default)]
pub(super) struct Keys {
    sealed: u64,
    begun_before: u64,
    unsealed: u64,
}

impl Keys {
    /// Checks the seals of a session, as far as the key is here.
    pub(super) fn check(&mut self, db: &dyn Backend, row: &SessionRow, log: &[Event], findings: &mut Findings<'_>) {
        let Some(since) = row.keyed_since else {
            self.unsealed += 1;
            if log.iter().any(|event| event.mac.is_some() || event.kind == EventKind::Keyed) {
                findings.add(None, "The log was sealed with a key, and the session says that it was not");
            }
            return;
        };
        self.sealed += 1;
        self.begun_before += u64::from(since > 1);
        let Some(key) = db.log_key() else { return };
        let due = log.iter().filter(|event| event.seq >= since);
        let wrong = due.filter(|event| event.mac.is_none() || event.mac != key.seal(seal::EVENT, event.hash));
        let wrong: Vec<u64> = wrong.map(|event| event.seq).collect();
        if let (Some(first), Some(last)) = (wrong.first(), wrong.last()) {
            let which =
                if first == last { format!("Event {first} was") } else { format!("Events {first} to {last} were") };
            findings.add(Some(*first), format!("{which} not sealed with the log key"));
        }
        let said = since == 1 || log.iter().any(|event| event.seq == since && event.kind == EventKind::Keyed);
        if !said {
            findings.add(Some(since), "The log does not say that the key was there from this event on");
        }
        let end = key.seal(seal::HEAD, seal::head(row.record.id, row.head_seq, row.head_hash));
        if row.head_mac.is_none() || row.head_mac != end {
            findings.add(None, "The end of the event log was not sealed with the log key: it was cut or written anew");
        }
    }

    /// Says what the key had to say, and where all sessions were checked, whether they are all there.
    pub(super) fn finish(self, db: &mut dyn Backend, all: bool, report: &mut Report) -> Result<(), StoreError> {
        let Self { sealed, begun_before, unsealed } = self;
        let roll = db.seal(Sealed::Roll, &[])?;
        report.key = match (db.log_key(), sealed) {
            (None, 0) => KeyCheck::Unused,
            (None, sessions) => KeyCheck::NotHere { sessions },
            (Some(_), sessions) => KeyCheck::Checked { sessions, begun_before, unsealed },
        };
        if !all || db.log_key().is_none() {
            return Ok(());
        }
        let (found, is_empty) = Vouched::roll(db)?;
        let mac = found.mac(db);
        if (is_empty && roll.is_none()) || (mac.is_some() && roll.and_then(|roll| roll.mac) == mac) {
            return Ok(());
        }
        let problem = "The list of sessions, tasks, artifacts, handoffs and decisions about engines that the log key has \
                       sealed is not as it was written: one was taken out or put back, or set back to what it was \
                       earlier";
        report.findings.push(of_database(problem.to_owned()));
        Ok(())
    }
}
