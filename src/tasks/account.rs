//! Keeps what calls have cost, whatever became of them: the money is gone also where a turn or a task came to nothing.

use std::sync::Arc;

use jiff::tz::TimeZone;
use uuid::Uuid;

use crate::llm::{Ahead, Booking, Budget, Day, Reserved, Spend};
use crate::store::{BudgetEntry, BudgetSum, SessionId, StoreError, StoreHandle};

/// The account of a turn or a task under way. Dropping it, however that ended, keeps what was booked and is not kept yet.
#[derive(Debug)]
pub struct Account {
    budget: Arc<Budget>,
    store: StoreHandle,
    /// Whom it is for; calls that try something out belong to no session.
    session: Option<SessionId>,
}

impl Account {
    /// Opens the account of a session before anything is asked for it.
    pub fn open(budget: &Arc<Budget>, store: &StoreHandle, session: impl Into<Option<SessionId>>) -> Self {
        Self { budget: Arc::clone(budget), store: store.clone(), session: session.into() }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let (budget, session) = (Arc::clone(&self.budget), self.session);
        // What was cancelled has no one left to wait for this; the store does its jobs in order.
        self.store.leave(move |store| {
            keep_with(&budget, session, |costs, settled| {
                if costs.is_empty() && settled.is_empty() { Ok(()) } else { store.spend(&costs, &settled) }
            })
        });
    }
}

/// Writes down what every call of a session may cost before it is sent: should the process be killed, it counts. What
/// other processes have spent today is looked at in the same step.
pub fn ahead(store: &StoreHandle, session: impl Into<Option<SessionId>>) -> Ahead {
    let (store, session) = (store.clone(), session.into());
    Ahead::new(move |Reserved { call, most }, fits| {
        let (most, store) = (entry(&most, session), store.clone());
        async move {
            if let Err(error) =
                store.call_async(move |store| store.reserve(call, &most, |today| fits(spend(today)))).await
            {
                // The turn itself cannot be kept either, and says so.
                tracing::warn!(%error, "what a call may cost could not be written down");
            }
        }
    })
}

/// The guard of calls that belong to no session, such as trials of an endpoint, and their account: they are kept, and count
/// for the caps of the day as all others do.
pub fn apart(day: Arc<Day>, store: &StoreHandle) -> (Arc<Budget>, Account) {
    let budget = Arc::new(Budget::of_session(day).writing_ahead(ahead(store, None::<SessionId>)));
    let account = Account::open(&budget, store, None::<SessionId>);
    (budget, account)
}

/// Hands everything that was booked and is not kept yet to `write`, and the calls that are over; where that fails, it
/// stays to be kept.
///
/// To be called in a job of the store: its jobs run one after the other, so a booking is never taken by two of them.
pub fn keep_with<T>(
    budget: &Arc<Budget>,
    session: impl Into<Option<SessionId>>,
    write: impl FnOnce(Vec<BudgetEntry>, Vec<Uuid>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let (owed, session) = (budget.owed(), session.into());
    let costs = owed.bookings().iter().map(|booking| entry(booking, session)).collect();
    let written = write(costs, owed.settled().to_vec())?;
    owed.kept();
    Ok(written)
}

/// A sum of the store as the guard counts.
pub fn spend(sum: &BudgetSum) -> Spend {
    Spend { usd: sum.cost_usd, tokens: sum.input_tokens.saturating_add(sum.output_tokens), calls: sum.entries }
}

fn entry(booking: &Booking, session: Option<SessionId>) -> BudgetEntry {
    BudgetEntry {
        session_id: session,
        day: booking.at.to_zoned(TimeZone::system()).date(),
        role: booking.role.name().to_owned(),
        model: booking.model.clone(),
        input_tokens: booking.usage.input_tokens,
        cached_tokens: booking.usage.cached_input_tokens,
        output_tokens: booking.usage.output_tokens,
        cost_usd: booking.usage.cost_usd.unwrap_or(0.0),
    }
}
