//! What no log covers, against the seals that vouch for it: drafts, tasks, artifacts, handoffs, decisions about engines.

use std::collections::{BTreeMap, BTreeSet};

use super::beside::Vouched;
use crate::store::backend::{Artifacts, Backend, Handoffs, SealRow, Sealed, Tasks};
use crate::store::{Finding, SessionId, StoreError};

fn name(kind: Sealed) -> &'static str {
    match kind {
        Sealed::Draft => "The draft",
        Sealed::Sent => "The message under way",
        Sealed::Task => "A background task",
        Sealed::Artifact => "An artifact",
        Sealed::Handoff => "A handoff",
        Sealed::Trust => "A decision about an engine",
        Sealed::Roll => "The list of what is sealed",
    }
}

/// Checks the rows of a session, or all.
pub(super) fn check(
    db: &mut dyn Backend,
    id: Option<SessionId>,
    findings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let concerned = |session: Option<SessionId>| id.is_none() || id == session;
    let seals = db.seals()?.into_iter().filter(|seal| seal.kind != Sealed::Roll && concerned(seal.session_id));
    let mut seals: BTreeMap<(Sealed, Vec<u8>), SealRow> =
        seals.map(|seal| ((seal.kind, seal.id.clone()), seal)).collect();
    let keyed: BTreeSet<SessionId> = db.keyed_sessions()?.into_iter().map(|(id, ..)| id).collect();
    let mut add = |kind: Sealed, session_id: Option<SessionId>, what: &str| {
        findings.push(Finding { session_id, seq: None, problem: format!("{} {what}", name(kind)) });
    };
    for row in stored(db)?.into_iter().filter(|row| concerned(row.session)) {
        let mac = row.mac(db);
        match seals.remove(&(row.kind, row.id.clone())) {
            None => add(row.kind, row.session, "is there that was not written by this program"),
            Some(seal) if seal.hash != row.hash => add(row.kind, row.session, "was changed after it was written"),
            Some(seal) => {
                // What was decided before the key was there is asked again; it does no harm.
                let due = row.session.is_some_and(|session| keyed.contains(&session)) || seal.mac.is_some();
                if mac.is_some() && due && seal.mac != mac {
                    add(row.kind, row.session, "was not sealed with the log key");
                }
            }
        }
    }
    for seal in seals.into_values() {
        add(seal.kind, seal.session_id, "is missing");
    }
    Ok(())
}

fn stored(db: &mut dyn Backend) -> Result<Vec<Vouched>, StoreError> {
    let mut rows: Vec<Vouched> =
        db.all_unsent()?.iter().map(|(session, place, draft)| Vouched::draft(*session, *place, draft)).collect();
    rows.extend(db.tasks(Tasks::All)?.iter().map(|row| Vouched::task(&row.task)));
    rows.extend(db.artifacts(Artifacts::All)?.iter().map(Vouched::artifact));
    rows.extend(db.handoffs(Handoffs::All)?.iter().map(Vouched::handoff));
    rows.extend(db.all_trust()?.iter().map(Vouched::trust));
    Ok(rows)
}
