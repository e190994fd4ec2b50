//! What a session and a day have cost already, so that a cap holds across runs of the program.

use jiff::{Timestamp, tz::TimeZone};

use super::backend::Backend;
use super::session::Kept;
use crate::engine::budget::{Cap, RaisedCaps};
use crate::llm::{CallRole, Spend};
use crate::store::{BudgetEntry, BudgetSum, SessionId, StoreError, StoreHandle};

/// Tells the guard of a session what was spent before, and which caps were raised for it.
pub(super) async fn count(kept: &Kept, id: SessionId, raised: RaisedCaps) -> Result<(), StoreError> {
    let day = Timestamp::now().to_zoned(TimeZone::system()).date();
    let (session, today) =
        kept.store.call_async(move |store| Ok((store.spent_by_session(id)?, store.spent_on_day(day)?))).await?;
    kept.budget.resume(spend(&session), &[], spend(&today));
    if let Some(usd) = raised.session_usd {
        kept.budget.raise(Cap::SessionUsd, usd);
    }
    if let Some(tokens) = raised.session_tokens {
        kept.budget.raise(Cap::SessionTokens, tokens as f64);
    }
    Ok(())
}

/// What the guard has counted for turns. Background tasks keep their own account.
fn counted(backend: &Backend) -> Spend {
    let by_role = backend.models().map(|models| models.budget().snapshot().by_role).unwrap_or_default();
    let of_turns = by_role.iter().filter(|(role, _)| *role != CallRole::Research);
    of_turns.fold(Spend::default(), |sum, (_, spend)| Spend {
        usd: sum.usd + spend.usd,
        tokens: sum.tokens + spend.tokens,
        calls: sum.calls + spend.calls,
    })
}

/// The account of a turn under way. A turn that fails or is cancelled did not happen, but the money is gone: unless the
/// turn is kept, what it has cost by the time this is dropped is kept by itself.
pub(super) struct Account {
    backend: Backend,
    store: StoreHandle,
    session: SessionId,
    before: Spend,
}

impl Account {
    /// Opens the account before anything is asked.
    pub fn open(backend: &Backend, kept: &Kept, session: SessionId) -> Self {
        Self { backend: backend.clone(), store: kept.store.clone(), session, before: counted(backend) }
    }

    /// Closes the account of a turn that was kept: its calls were kept with it.
    pub fn settle(mut self) {
        self.before = counted(&self.backend);
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let after = counted(&self.backend);
        if after.calls <= self.before.calls {
            return;
        }
        let entry = BudgetEntry {
            session_id: Some(self.session),
            day: Timestamp::now().to_zoned(TimeZone::system()).date(),
            role: "failed".to_owned(),
            model: self.backend.name(),
            input_tokens: after.tokens.saturating_sub(self.before.tokens),
            cached_tokens: 0,
            output_tokens: 0,
            cost_usd: (after.usd - self.before.usd).max(0.0),
        };
        // A cancelled turn has no one left to wait for this; the store does its jobs in order.
        self.store.leave(move |store| store.spend(&[entry]));
    }
}

fn spend(sum: &BudgetSum) -> Spend {
    Spend { usd: sum.cost_usd, tokens: sum.input_tokens.saturating_add(sum.output_tokens), calls: sum.entries }
}
