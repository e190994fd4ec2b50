//! What a session and a day have cost already, so that a cap holds across runs of the program.

use jiff::{Timestamp, tz::TimeZone};

use super::session::Kept;
use crate::engine::budget::{Cap, RaisedCaps};
use crate::store::{SessionId, StoreError};
use crate::tasks::spend;

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
