//! What the guard has counted and nobody has kept yet, call by call.
//!
//! Every call that was sent leaves a booking, however it ended. Whoever keeps them takes them out, so that what is kept
//! adds up to what was counted: none is kept twice, and none is lost while the session lives.

use std::sync::Arc;

use jiff::Timestamp;

use super::budget::Budget;
use super::chat::Usage;
use super::spend::CallRole;

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

/// Bookings on their way to where they are kept. Dropping this gives back those that did not arrive.
#[derive(Debug)]
pub struct Owed {
    budget: Arc<Budget>,
    bookings: Vec<Booking>,
}

impl Owed {
    /// What is to be kept, oldest first.
    pub fn bookings(&self) -> &[Booking] {
        &self.bookings
    }

    /// Says that all of it has been kept.
    pub fn kept(mut self) {
        self.bookings.clear();
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        self.budget.give_back(std::mem::take(&mut self.bookings));
    }
}

impl Budget {
    /// Takes out everything that was booked and not kept yet.
    pub fn owed(self: &Arc<Self>) -> Owed {
        Owed { budget: Arc::clone(self), bookings: self.take_bookings() }
    }
}
