//! Finds out whether an endpoint serves two requests at once.
//!
//! A server with one lane takes both and begins the second when the first has ended. That a call begins only after another
//! has ended is no proof: it may just be slower to begin. So how long a call takes to begin beside another is held against
//! how long one of its kind takes alone; until that is known, one lane is only suspected. One that goes on with the first
//! when it has begun the second has two lanes.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So often in a row one call has to wait for the other.
const ENOUGH: usize = 3;
/// A wait shorter than this is no sign of two lanes: where all is quick, a queue passes as quickly.
const TELLING: Duration = Duration::from_millis(250);
/// Of two calls that ask for the same, one that begins within this share of what the other took to begin after that has
/// ended came with it, in one burst.
const BURST_SHARE: u32 = 10;

/// The calls under way at one model of one endpoint.
#[derive(Debug, Default)]
pub(super) struct Lanes(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    answers: u64,
    under_way: Vec<Under>,
    /// Calls in a row that began only after another had ended, and could not be judged when they did.
    unjudged: Vec<Late>,
    /// Calls in a row that had to wait for another.
    waited: usize,
    /// How long a call takes to begin alone, for words and for data.
    alone: [Option<Duration>; 2],
    /// What was found out, until it is taken.
    found: Option<bool>,
    /// What was found out last.
    last: Option<bool>,
}

#[derive(Debug)]
struct Under {
    number: u64,
    /// Whether it asks for data: that may take another time to begin.
    data: bool,
    sent: Instant,
    /// The how-manieth to be answered it is, once it is.
    answered: Option<u64>,
    /// How long it took to begin, once it has.
    took: Duration,
    /// Whether another was under way before its answer began.
    beside: bool,
    /// How long it had waited when another ended, and how long that one took to begin if it asked for the same.
    waited: Option<(Duration, Option<Duration>)>,
}

/// A call that began after another had ended.
#[derive(Clone, Copy, Debug)]
struct Late {
    data: bool,
    /// How long it took to begin.
    took: Duration,
    /// How much of that the other was under way.
    waited: Duration,
    /// How long the other took to begin, if it asked for the same.
    other: Option<Duration>,
}

impl Inner {
    fn find(&mut self, at_once: bool) {
        (self.found, self.last, self.waited) = (Some(at_once), Some(at_once), 0);
        self.unjudged.clear();
    }

    /// Another wait that speaks for one lane.
    fn suspect(&mut self) {
        self.waited += 1;
        if self.waited >= ENOUGH {
            self.find(false);
        }
    }

    /// Holds a call that began late against the other if that asked for the same, else against how long one of its kind
    /// takes alone, where that is known.
    fn judge(&mut self, late: Late) {
        if let Some(other) = late.other {
            let after = late.took.saturating_sub(late.waited);
            let is_burst = late.waited >= TELLING && after < other / BURST_SHARE;
            return if is_burst { self.find(true) } else { self.suspect() };
        }
        let Some(alone) = self.alone[usize::from(late.data)] else { return self.unjudged.push(late) };
        let more = late.took.saturating_sub(alone);
        if more * 2 >= late.waited {
            self.suspect();
        } else if late.waited >= TELLING {
            self.find(true);
        }
    }

    /// A call has begun alone: those that were late are judged by it.
    fn began_alone(&mut self, data: bool, took: Duration) {
        self.alone[usize::from(data)] = Some(took);
        let (own, others) = std::mem::take(&mut self.unjudged).into_iter().partition(|late| late.data == data);
        self.unjudged = others;
        let own: Vec<Late> = own;
        for late in own {
            self.judge(late);
        }
    }
}

impl Lanes {
    /// A call is sent, for words or for data.
    pub fn enter(&self, data: bool) -> Lane<'_> {
        self.enter_at(data, Instant::now())
    }

    fn enter_at(&self, data: bool, now: Instant) -> Lane<'_> {
        let mut inner = self.inner();
        inner.next += 1;
        let (number, beside) = (inner.next, !inner.under_way.is_empty());
        for other in inner.under_way.iter_mut().filter(|other| other.answered.is_none()) {
            other.beside = true;
        }
        let took = Duration::ZERO;
        inner.under_way.push(Under { number, data, sent: now, answered: None, took, beside, waited: None });
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

    /// Whether it looks as if one were served at a time: then the next calls are sent one after the other, which shows.
    pub fn is_suspected(&self) -> bool {
        self.inner().unjudged.len() >= ENOUGH
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
        self.answered_at(Instant::now());
    }

    fn answered_at(&self, now: Instant) {
        let mut inner = self.lanes.inner();
        inner.answers += 1;
        let order = inner.answers;
        let Some(own) = inner.under_way.iter_mut().find(|call| call.number == self.number) else { return };
        let (data, took) = (own.data, now.saturating_duration_since(own.sent));
        (own.answered, own.took) = (Some(order), took);
        match (own.beside, own.waited) {
            (false, _) => inner.began_alone(data, took),
            (true, Some((waited, other))) => inner.judge(Late { data, took, waited, other }),
            (true, None) => {}
        }
    }

    /// More of its answer has come. If another has begun to be answered since it has, both are being served.
    pub fn goes_on(&self) {
        let mut inner = self.lanes.inner();
        let own = inner.under_way.iter().find(|call| call.number == self.number).and_then(|own| own.answered);
        if inner.under_way.iter().any(|other| other.answered > own && own.is_some()) {
            inner.find(true);
        }
    }

    /// It was refused for there being too many requests. Where another was under way, that may be the one too many.
    pub fn refused(&self) {
        let mut inner = self.lanes.inner();
        if inner.under_way.iter().any(|other| other.number != self.number) {
            inner.suspect();
        }
    }

    /// Its answer is complete. A call that still waits may have waited for it.
    pub fn ended(&self) {
        self.ended_at(Instant::now());
    }

    fn ended_at(&self, now: Instant) {
        let mut inner = self.lanes.inner();
        let own = inner.under_way.iter().find(|call| call.number == self.number && call.answered.is_some());
        let Some((data, took)) = own.map(|own| (own.data, own.took)) else { return };
        let number = self.number;
        let waits = |other: &&mut Under| other.number != number && other.answered.is_none();
        for other in inner.under_way.iter_mut().filter(waits) {
            let same = (other.data == data).then_some(took);
            other.waited = Some((now.saturating_duration_since(other.sent), same));
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

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn two_that_are_answered_at_once_show_two_lanes() {
        let lanes = Lanes::default();
        let (one, other) = (lanes.enter(false), lanes.enter(true));
        one.answered();
        assert_eq!(lanes.found(), None);
        other.answered();
        other.goes_on();
        assert_eq!(lanes.found(), None, "the one before may have come to its end");
        one.goes_on();
        assert_eq!(lanes.found(), Some(true));
    }

    /// An answer of half a second, and an analysis beside it that begins after so long.
    fn pair(lanes: &Lanes, start: Instant, begins: u64) {
        let (answer, analysis) = (lanes.enter_at(false, start), lanes.enter_at(true, start));
        answer.answered_at(start + ms(200));
        answer.ended_at(start + ms(500));
        drop(answer);
        analysis.answered_at(start + ms(begins));
        analysis.ended_at(start + ms(begins + 300));
    }

    /// An analysis with nothing beside it.
    fn alone(lanes: &Lanes, start: Instant, begins: u64) {
        let analysis = lanes.enter_at(true, start);
        analysis.answered_at(start + ms(begins));
        analysis.ended_at(start + ms(begins + 300));
    }

    #[test]
    fn one_that_waits_for_the_other_is_suspected_until_it_is_seen_alone() {
        let (lanes, start) = (Lanes::default(), Instant::now());
        for suspected in [false, false, true] {
            pair(&lanes, start, 1_000);
            assert_eq!((lanes.found(), lanes.is_suspected()), (None, suspected));
        }
        alone(&lanes, start, 500);
        assert_eq!((lanes.found(), lanes.is_suspected()), (Some(false), false), "alone it takes half as long");
    }

    #[test]
    fn one_that_is_only_slow_to_begin_waits_for_nobody() {
        let (lanes, start) = (Lanes::default(), Instant::now());
        for _ in 0..3 {
            pair(&lanes, start, 1_000);
        }
        alone(&lanes, start, 950);
        assert_eq!((lanes.found(), lanes.is_suspected()), (Some(true), false));
    }

    #[test]
    fn equal_answers_that_come_in_one_burst_show_two_lanes() {
        let (lanes, start) = (Lanes::default(), Instant::now());
        let (one, other) = (lanes.enter_at(true, start), lanes.enter_at(true, start));
        one.answered_at(start + ms(1_005));
        one.ended_at(start + ms(1_006));
        drop(one);
        other.answered_at(start + ms(1_007));
        assert_eq!(lanes.found(), Some(true));
        for found in [None, None, Some(false)] {
            let (one, other) = (lanes.enter_at(true, start), lanes.enter_at(true, start));
            one.answered_at(start + ms(1_005));
            one.ended_at(start + ms(1_006));
            drop(one);
            other.answered_at(start + ms(2_007));
            assert_eq!(lanes.found(), found);
        }
    }

    #[test]
    fn calls_one_after_the_other_show_nothing() {
        let lanes = Lanes::default();
        for _ in 0..5 {
            let call = lanes.enter(false);
            call.answered();
            call.ended();
        }
        assert_eq!(lanes.found(), None);
    }
}
