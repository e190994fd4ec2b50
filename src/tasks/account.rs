//! Keeps what calls have cost, whatever became of them: the money is gone also where a turn or a task came to nothing.

use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::llm::{Booking, Budget};
use crate::store::{BudgetEntry, SessionId, StoreError, StoreHandle};

/// The account of a turn or a task under way. Dropping it, however that ended, keeps what was booked and is not kept yet.
#[derive(Debug)]
pub struct Account {
    budget: Arc<Budget>,
    store: StoreHandle,
    session: SessionId,
}

impl Account {
    /// Opens the account of a session before anything is asked for it.
    pub fn open(budget: &Arc<Budget>, store: &StoreHandle, session: SessionId) -> Self {
        Self { budget: Arc::clone(budget), store: store.clone(), session }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let (budget, session) = (Arc::clone(&self.budget), self.session);
        // What was cancelled has no one left to wait for this; the store does its jobs in order.
        self.store.leave(move |store| {
            keep_with(&budget, session, |costs| if costs.is_empty() { Ok(()) } else { store.spend(&costs) })
        });
    }
}

/// Hands everything that was booked and is not kept yet to `write`; where that fails, it stays to be kept.
///
/// To be called in a job of the store: its jobs run one after the other, so a booking is never taken by two of them.
pub fn keep_with<T>(
    budget: &Arc<Budget>,
    session: SessionId,
    write: impl FnOnce(Vec<BudgetEntry>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let owed = budget.owed();
    let written = write(owed.bookings().iter().map(|booking| entry(booking, session)).collect())?;
    owed.kept();
    Ok(written)
}

fn entry(booking: &Booking, session: SessionId) -> BudgetEntry {
    BudgetEntry {
        session_id: Some(session),
        day: booking.at.to_zoned(TimeZone::system()).date(),
        role: booking.role.name().to_owned(),
        model: booking.model.clone(),
        input_tokens: booking.usage.input_tokens,
        cached_tokens: booking.usage.cached_input_tokens,
        output_tokens: booking.usage.output_tokens,
        cost_usd: booking.usage.cost_usd.unwrap_or(0.0),
    }
}
