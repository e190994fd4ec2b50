//! What a session and a day have cost already: so that a cap holds across runs of the program, and so that what is shown
//! is what was paid, turns that came to nothing included.

use std::sync::{Mutex, PoisonError};

use jiff::{Timestamp, tz::TimeZone};

use super::session::Kept;
use crate::engine::budget::{Cap, RaisedCaps};
use crate::engine::memory::UsageTotals;
use crate::engine::ports::CallRecord;
use crate::llm::Budget;
use crate::store::{SessionId, StoreError};
use crate::tasks::spend;

/// Tells the guard of a session what was spent before, and which caps were raised for it.
pub(super) async fn count(kept: &Kept, id: SessionId, raised: RaisedCaps) -> Result<(), StoreError> {
    let day = Timestamp::now().to_zoned(TimeZone::system()).date();
    let (session, today) =
        kept.store.call_async(move |store| Ok((store.spent_by_session(id)?, store.spent_on_day(day)?))).await?;
    kept.budget.resume(spend(&session), spend(&today));
    if let Some(usd) = raised.session_usd {
        kept.budget.raise(Cap::SessionUsd, usd);
    }
    if let Some(tokens) = raised.session_tokens {
        kept.budget.raise(Cap::SessionTokens, tokens as f64);
    }
    Ok(())
}

/// What a session has cost in all: as its turns tell it, and what was booked besides for what was sent ahead, dropped, or
/// done in the background.
pub(super) fn in_all(budget: &Budget, told: &UsageTotals) -> UsageTotals {
    let spent = budget.snapshot().session;
    UsageTotals {
        calls: told.calls.max(spent.calls),
        input_tokens: told.input_tokens.saturating_add(spent.tokens.saturating_sub(told.tokens())),
        cost_usd: told.cost_usd.max(spent.usd),
        ..*told
    }
}

/// Calls that no turn has told of yet.
#[derive(Debug, Default)]
pub(super) struct Untold(Mutex<Vec<CallRecord>>);

/// So many are remembered.
const MOST_UNTOLD: usize = 64;

impl Untold {
    fn change<T>(&self, change: impl FnOnce(&mut Vec<CallRecord>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The calls that a turn tells of. Dropped before the turn is kept, it leaves them to the next one.
pub(super) struct Told<'a> {
    untold: &'a Untold,
    own: Mutex<Vec<CallRecord>>,
}

impl<'a> Told<'a> {
    pub fn by(untold: &'a Untold) -> Self {
        Self { untold, own: Mutex::default() }
    }

    fn own<T>(&self, change: impl FnOnce(&mut Vec<CallRecord>) -> T) -> T {
        change(&mut self.own.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A call whose reply the turn has.
    pub fn note(&self, call: &CallRecord) {
        if !call.model.is_empty() {
            self.own(|own| own.push(call.clone()));
        }
    }

    /// Calls that no reply speaks for, those of turns before this one first.
    pub fn with_earlier(&self, others: Vec<CallRecord>) -> Vec<CallRecord> {
        let mut all = self.untold.change(std::mem::take);
        all.extend(others);
        self.own(|own| own.extend(all.iter().cloned()));
        all
    }

    /// The turn is kept, and has told of them.
    pub fn kept(&self) {
        self.own(Vec::clear);
    }
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        let mut own = self.own(std::mem::take);
        self.untold.change(|untold| {
            untold.append(&mut own);
            untold.truncate(MOST_UNTOLD);
        });
    }
}
