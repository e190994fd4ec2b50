//! Repairing what can be repaired: costs that no call can have had.
//!
//! An endpoint once could say any number, and it was kept. Such rows do no harm any more, because sums count them within
//! bounds; this writes them as they are counted.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::commits::{self, Words};
use super::replay::Replay;
use super::verify::{Findings, of_database};
use super::{Store, beside, seal, sessions};
use crate::store::backend::{Backend, Row, WildCost};
use crate::store::{BudgetEntry, EventKind, Finding, SessionId, StoreError};

impl Store {
    /// Brings costs that are out of bounds within them, those of a session or all, takes changes that were lost as known,
    /// counts them anew where the count is broken, and returns what was done. No sum changes by it. The log of a session says so; where a cost was what the log had, the log has the new one from then
    /// on, and where it was changed behind the log's back, [`verify`](Self::verify) goes on finding that.
    pub fn repair(&mut self, id: Option<SessionId>) -> Result<Vec<Finding>, StoreError> {
        self.write(|db, now| {
            let wild = db.wild_costs(id)?;
            let of_sessions: BTreeSet<SessionId> = wild.iter().filter_map(|cost| cost.session_id).collect();
            let mut fitting = BTreeMap::new();
            for session in of_sessions {
                fitting.insert(session, fitting_costs(db, session)?);
            }
            db.bound_costs(id)?;
            for (session, before) in fitting {
                let own = wild.iter().filter(|cost| cost.session_id == Some(session));
                note(db, session, &own.collect::<Vec<_>>(), &before, now)?;
            }
            let mut done: Vec<Finding> =
                wild.iter().map(|cost| finding(cost, "It was brought within bounds")).collect();
            if id.is_none() && !beside::roll_is_intact(db)? {
                // A decision that was revoked may be what was put back.
                beside::forget_decisions(db)?;
                beside::call_the_roll(db)?;
                let taken = "The list of what is sealed is taken as it is now, without what engines were allowed";
                done.push(of_database(taken.to_owned()));
            }
            let lost = db.lost_changes()?;
            if id.is_none() && lost > 0 {
                db.forget_lost_changes()?;
                done.push(of_database(format!("The loss of {lost} changes is taken as known")));
            }
            if id.is_none() && db.mend_count()? {
                done.push(of_database("Changes are counted anew".to_owned()));
            }
            Ok(done)
        })
    }
}

/// What is said of a cost that is out of bounds.
pub(super) fn finding(cost: &WildCost, what: &str) -> Finding {
    let WildCost { key, input, cached, output, usd, .. } = cost;
    let problem = format!(
        "The cost number {key} is out of bounds: {input} tokens in ({cached} cached), {output} out, {usd} USD. {what}"
    );
    Finding { session_id: cost.session_id, seq: cost.seq, problem }
}

/// The commits of a session whose costs are what the log says.
fn fitting_costs(db: &mut dyn Backend, session: SessionId) -> Result<BTreeSet<u64>, StoreError> {
    let log = db.events(session)?;
    let replay = Replay::of(&log, &mut Findings { session, list: &mut Vec::new() });
    let fits = |seq: &u64, digest: &Value| {
        replay.commits.get(seq).is_some_and(|logged| logged.digest("budget") == digest.as_str())
    };
    Ok(digests(db, session)?.into_iter().filter(|(seq, digest)| fits(seq, digest)).map(|(seq, _)| seq).collect())
}

/// The digests of the costs of each commit, as they are now.
fn digests(db: &mut dyn Backend, session: SessionId) -> Result<BTreeMap<u64, Value>, StoreError> {
    let mut costs: BTreeMap<u64, Vec<BudgetEntry>> = BTreeMap::new();
    for (seq, entry) in db.costs(session)? {
        costs.entry(seq).or_default().push(entry);
    }
    let digest = |budget: &[BudgetEntry]| {
        let words = Words { messages: &[], extractions: &[], figures: None, budget };
        commits::digests(session, &words).remove("budget").unwrap_or_default()
    };
    Ok(costs.iter().map(|(seq, budget)| (*seq, digest(budget))).collect())
}

/// Writes into the log of a session how many of its costs were repaired, and the digests of those it vouched for.
fn note(
    db: &mut dyn Backend,
    session: SessionId,
    repaired: &[&WildCost],
    fitting: &BTreeSet<u64>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let touched: BTreeSet<u64> = repaired.iter().filter_map(|cost| cost.seq).collect();
    let vouched = digests(db, session)?.into_iter().filter(|(seq, _)| touched.contains(seq) && fitting.contains(seq));
    let budget: Map<String, Value> = vouched.map(|(seq, digest)| (seq.to_string(), digest)).collect();
    let mut row = sessions::get(db, session)?;
    let payload = json!({ "costs": repaired.len(), "budget": budget });
    seal::append(db, &mut row, EventKind::Repaired, now, payload)?;
    db.put(Row::Session(&row))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::store::{NewSession, PinnedEngine, SqliteOptions, TitleSource};

    fn begun(store: &mut Store) -> SessionId {
        let project_id = store.ensure_project("p").expect("a project").id;
        let session = NewSession {
            id: SessionId::new(Timestamp::UNIX_EPOCH),
            project_id,
            engine: PinnedEngine::new("e", "1.0.0", BTreeMap::new()),
            title: "t".to_owned(),
            title_source: TitleSource::Default,
            phase: "OPENING".to_owned(),
            completeness: 0.0,
            state: json!({}),
            messages: Vec::new(),
            extractions: Vec::new(),
            engine_folder: None,
            inbound: None,
        };
        store.create_session(session).expect("a session").id
    }

    #[test]
    fn what_the_log_vouched_for_it_vouches_for_after_the_repair() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open_sqlite(&folder.path().join("e.db"), SqliteOptions::default()).expect("a store");
        let id = begun(&mut store);
        let wild = BudgetEntry {
            session_id: Some(id),
            day: date(2026, 1, 2),
            role: "respond".to_owned(),
            model: "m".to_owned(),
            input_tokens: i64::MAX.unsigned_abs(),
            cached_tokens: 0,
            output_tokens: 1,
            cost_usd: -5.0,
        };
        // As it was kept before costs had bounds: the row, and its digest in the log.
        let planted = store.write(|db, now| {
            db.put(Row::Cost(Some(1), &wild))?;
            let mut row = sessions::get(db, id)?;
            let payload = json!({ "budget": { "1": digests(db, id)?[&1] } });
            seal::append(db, &mut row, EventKind::Repaired, now, payload)?;
            db.put(Row::Session(&row))
        });
        planted.expect("planted");
        let found = store.verify(None).expect("a report").findings;
        assert_eq!(found.iter().map(|found| found.seq).collect::<Vec<_>>(), [Some(1)]);
        assert!(found[0].problem.contains("9223372036854775807"), "{found:?}");
        assert_eq!(store.repair(None).expect("repaired").len(), 1);
        assert_eq!(store.verify(None).expect("a report").findings, []);
    }
}
