//! What a session and a day have cost already, so that a cap holds across runs of the program.

use jiff::{Timestamp, tz::TimeZone};

use super::backend::Backend;
use crate::llm::Spend;
use crate::store::{BudgetEntry, BudgetSum, SessionId, StoreError, StoreHandle};

/// Tells the guard what was spent before.
pub(super) async fn count(backend: &Backend, store: &StoreHandle, id: SessionId) -> Result<(), StoreError> {
    let Backend::Models(models) = backend else { return Ok(()) };
    let day = Timestamp::now().to_zoned(TimeZone::system()).date();
    let (session, today) =
        store.call_async(move |store| Ok((store.spent_by_session(id)?, store.spent_on_day(day)?))).await?;
    models.budget().start_session(spend(&session), &[], spend(&today));
    Ok(())
}

/// What the guard has counted for the session.
pub(super) fn counted(backend: &Backend) -> Spend {
    match backend {
        Backend::Models(models) => models.budget().snapshot().session,
        Backend::Offline => Spend::default(),
    }
}

/// Keeps what a turn cost that failed: the turn did not happen, but the money is gone.
pub(super) async fn keep_lost(
    backend: &Backend,
    store: &StoreHandle,
    id: SessionId,
    before: Spend,
) -> Result<(), StoreError> {
    let after = counted(backend);
    if after.calls <= before.calls {
        return Ok(());
    }
    let entry = BudgetEntry {
        session_id: Some(id),
        day: Timestamp::now().to_zoned(TimeZone::system()).date(),
        role: "failed".to_owned(),
        model: backend.name(),
        input_tokens: after.tokens.saturating_sub(before.tokens),
        cached_tokens: 0,
        output_tokens: 0,
        cost_usd: (after.usd - before.usd).max(0.0),
    };
    store.call_async(move |store| store.spend(&[entry])).await
}

fn spend(sum: &BudgetSum) -> Spend {
    Spend { usd: sum.cost_usd, tokens: sum.input_tokens.saturating_add(sum.output_tokens), calls: sum.entries }
}
