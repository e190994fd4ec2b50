//! Finds out whether an endpoint serves two requests at once.
//!
//! A server with one lane takes both and begins the second when the first has ended. That shows when a call ends and
//! another that was sent before has not begun to be answered; once may be chance. One with two lanes goes on with the first
//! when it has begun the second.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// So often in a row one call has to wait for the other.
const ENOUGH: u32 = 3;

/// The calls under way at one model of one endpoint.
#[derive(Debug, Default)]
pub(super) struct Lanes(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    answers: u64,
    under_way: Vec<Under>,
    waited: u32,
    /// What was found out, until it is taken.
    found: Option<bool>,
    /// What was found out last.
    last: Option<bool>,
}

#[derive(Debug)]
struct Under {
    number: u64,
    /// The how-manieth to be answered it is, once it is.
    answered: Option<u64>,
    /// Whether another was under way when it was sent.
    beside: bool,
}

impl Inner {
    fn find(&mut self, at_once: bool) {
        (self.found, self.last) = (Some(at_once), Some(at_once));
    }
}

impl Lanes {
    /// A call is sent.
    pub fn enter(&self) -> Lane<'_> {
        let mut inner = self.inner();
        inner.next += 1;
        let (number, beside) = (inner.next, !inner.under_way.is_empty());
        inner.under_way.push(Under { number, answered: None, beside });
        Lane { lanes: self, number }
    }

    /// Whether two are served at once, if that was found out since it was last asked.
    pub fn found(&self) -> Option<bool> {
        self.inner().found.take()
    }

    /// Whether two are served at once, as was found out last.
    pub fn last_found(&self) -> Option<bool> {
        self.inner().last
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call under way; dropped, it is over.
#[derive(Debug)]
pub(super) struct Lane<'a> {
    lanes: &'a Lanes,
    number: u64,
}

impl Lane<'_> {
    /// Its answer has begun.
    pub fn answered(&self) {
        let mut inner = self.lanes.inner();
        inner.answers += 1;
        let order = inner.answers;
        if let Some(own) = inner.under_way.iter_mut().find(|call| call.number == self.number) {
            own.answered = Some(order);
        }
    }

    /// More of its answer has come. If another has begun to be answered since it has, both are being served.
    pub fn goes_on(&self) {
        let mut inner = self.lanes.inner();
        let own = inner.under_way.iter().find(|call| call.number == self.number).and_then(|own| own.answered);
        if inner.under_way.iter().any(|other| other.answered > own && own.is_some()) {
            inner.waited = 0;
            inner.find(true);
        }
    }

    /// It was refused for there being too many requests. Where another was under way, that may be the one too many.
    pub fn refused(&self) {
        let mut inner = self.lanes.inner();
        if inner.under_way.iter().any(|other| other.number != self.number) {
            inner.waited += 1;
            if inner.waited >= ENOUGH {
                inner.find(false);
            }
        }
    }

    /// Its answer is complete. Whoever was sent beside it and still waits may have waited for it.
    pub fn ended(&self) {
        let mut inner = self.lanes.inner();
        let own = inner.under_way.iter().find(|call| call.number == self.number);
        let (own_beside, answered) = own.map_or((false, false), |own| (own.beside, own.answered.is_some()));
        let mut others = inner.under_way.iter().filter(|other| other.number != self.number);
        let waits = answered && others.any(|other| other.answered.is_none() && (other.beside || own_beside));
        if waits {
            inner.waited += 1;
            if inner.waited >= ENOUGH {
                inner.find(false);
            }
        }
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        self.lanes.inner().under_way.retain(|call| call.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn two_that_are_answered_at_once_show_two_lanes() {
        let lanes = Lanes::default();
        let (one, other) = (lanes.enter(), lanes.enter());
        one.answered();
        assert_eq!(lanes.found(), None);
        other.answered();
        other.goes_on();
        assert_eq!(lanes.found(), None, "the one before may have come to its end");
        one.goes_on();
        assert_eq!(lanes.found(), Some(true));
    }

    #[test]
    fn one_that_waits_for_the_other_again_and_again_shows_one_lane() {
        let lanes = Lanes::default();
        for found in [None, None, Some(false)] {
            let (one, other) = (lanes.enter(), lanes.enter());
            one.answered();
            one.ended();
            drop(one);
            assert_eq!(lanes.found(), found);
            other.answered();
            other.ended();
        }
    }

    #[test]
    fn calls_one_after_the_other_show_nothing() {
        let lanes = Lanes::default();
        for _ in 0..5 {
            let call = lanes.enter();
            call.answered();
            call.ended();
        }
        assert_eq!(lanes.found(), None);
    }
}
