//! What the guard has counted and nobody has kept yet, call by call.
//!
//! Every call that was sent leaves a booking, however it ended. The part that stores them takes them out, so that what is kept
//! adds up to what was counted: none is kept twice, and none is lost while the session lives.

use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::budget::Budget;
use super::chat::Usage;
use super::spend::{CallRole, Spend};

/// One call that was paid for, or may have been.
#[derive(Debug, Clone, PartialEq)]
pub struct Booking {
    /// What it was for.
    pub role: CallRole,
    /// The model that was asked.
    pub model: String,
    /// What it consumed.
    pub usage: Usage,
    /// When it ended.
    pub at: Timestamp,
}

/// A call that ended, for those who show what a turn has cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// What it consumed.
    pub booking: Booking,
    /// From the reservation to the end.
    pub took: std::time::Duration,
    /// Whether the endpoint turned the request down, which costs nothing.
    pub refused: bool,
}

/// The most that a call may cost, before it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Reserved {
    /// Names the call until what it has cost is kept.
    pub call: Uuid,
    /// What it would cost, as a booking.
    pub most: Booking,
}

/// Writes down what a call may cost before it is sent, so that a killed process has not spent in secret.
#[derive(Clone)]
pub struct Ahead(Arc<dyn Fn(Reserved, Fits) -> BoxFuture + Send + Sync>);

/// Says whether a call fits the caps, given what the store knows that today has cost: kept costs, and what other
/// processes have reserved. To be asked in the same step in which it is written down, so that two processes never both
/// take the last of a cap.
pub type Fits = Box<dyn FnOnce(Spend) -> bool + Send>;

type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Ahead {
    /// Hands every reservation to `write`; a call waits for it.
    pub fn new<F>(write: impl Fn(Reserved, Fits) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self(Arc::new(move |reserved, fits| Box::pin(write(reserved, fits))))
    }

    pub(super) async fn write(&self, reserved: Reserved, fits: Fits) {
        (self.0)(reserved, fits).await;
    }
}

impl std::fmt::Debug for Ahead {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Ahead")
    }
}

/// Bookings on their way to where they are kept. Dropping this gives back those that did not arrive.
#[derive(Debug)]
pub struct Owed {
    budget: Arc<Budget>,
    bookings: Vec<Booking>,
    settled: Vec<Uuid>,
}

impl Owed {
    /// What is to be kept, oldest first.
    pub fn bookings(&self) -> &[Booking] {
        &self.bookings
    }

    /// The calls that have ended. Their reservations in the store are deleted.
    pub fn settled(&self) -> &[Uuid] {
        &self.settled
    }

    /// Says that all of it has been kept.
    pub fn kept(mut self) {
        self.budget.have_kept(&self.bookings);
        self.bookings.clear();
        self.settled.clear();
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        self.budget.give_back(std::mem::take(&mut self.bookings), std::mem::take(&mut self.settled));
    }
}

/// The most calls that are remembered until somebody asks.
const MOST_ENDED: usize = 64;

/// Remembers a call that ended. One without a model was never sent.
pub(super) fn note(ended: &mut Vec<Ended>, booking: &Booking, took: std::time::Duration, refused: bool) {
    if booking.role != CallRole::Research && !booking.model.is_empty() && ended.len() < MOST_ENDED {
        ended.push(Ended { booking: booking.clone(), took, refused });
    }
}

impl Budget {
    /// The calls of a conversation that ended since this was last asked, oldest first; those of background tasks are
    /// theirs to tell.
    pub fn take_ended(&self) -> Vec<Ended> {
        self.with_ended(std::mem::take)
    }

    /// Takes out the last call of a role that was answered: the one whose reply the caller has.
    pub fn take_last(&self, role: CallRole) -> Option<Ended> {
        self.with_ended(|ended| {
            let at = ended.iter().rposition(|call| call.booking.role == role && !call.refused)?;
            Some(ended.remove(at))
        })
    }

    /// Takes out everything that was booked and not kept yet.
    pub fn owed(self: &Arc<Self>) -> Owed {
        let (bookings, settled) = self.take_bookings();
        Owed { budget: Arc::clone(self), bookings, settled }
    }
}
