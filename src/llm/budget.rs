//! The budget guard: nothing is sent that could exceed a cap.
//!
//! Before a call is sent its highest cost is reserved; afterwards the reservation is replaced by what was really
//! consumed. Calls under way thus count against the caps, however many there are at once.
//!
//! Each session has a [`Budget`] of its own, so that a background task of one session is never booked into another. What
//! all sessions of a process share (the caps of the day, the pace of calls) is their [`Day`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use uuid::Uuid;

use super::bookings::{self, Ahead, Booking, Ended, Reserved};
use super::chat::Usage;
use super::limiter::{Limiter, Permit};
use super::spend::{Alert, BudgetReached, BudgetSnapshot, CallRole, Cap, Caps, Estimate, Limits, OverBudget, Spend};

/// The share of a cap from which on it is near.
const NEAR_A_CAP: f64 = 0.8;

/// What all sessions of a process share: what today has cost, the caps of the day, and the pace of calls.
pub struct Day {
    ledger: Mutex<DayLedger>,
    /// The caps of the settings, before any was raised.
    configured: Caps,
    thresholds: Vec<u8>,
    limiter: Limiter,
    number: Box<dyn Fn() -> u64 + Send + Sync>,
}

#[derive(Debug, Default)]
struct DayLedger {
    usd_cap: Option<f64>,
    token_cap: Option<u64>,
    spent: Spend,
    /// What this process has booked and the store does not know of yet.
    unkept: Spend,
    reserved: Spend,
    number: u64,
    alerted: Vec<(Cap, u8)>,
}

impl std::fmt::Debug for Day {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Day").field("ledger", &self.ledger).finish_non_exhaustive()
    }
}

impl Day {
    /// A day of the calendar on the wall, with nothing spent.
    pub fn new(limits: Limits) -> Self {
        Self::numbered(limits, local_day)
    }

    /// A day that asks `number` which one it is: when that changes, the spend of the day starts at zero.
    pub fn numbered(limits: Limits, number: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        let Caps { day_usd, day_tokens, .. } = limits.caps;
        let ledger = DayLedger { usd_cap: day_usd, token_cap: day_tokens, number: number(), ..DayLedger::default() };
        Self {
            ledger: Mutex::new(ledger),
            configured: limits.caps,
            thresholds: limits.alerts,
            limiter: Limiter::new(limits.requests_per_minute, limits.concurrent),
            number: Box::new(number),
        }
    }

    fn ledger(&self) -> MutexGuard<'_, DayLedger> {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let number = (self.number)();
        if ledger.number != number {
            ledger.number = number;
            (ledger.spent, ledger.unkept) = (Spend::default(), Spend::default());
            ledger.alerted.clear();
        }
        ledger
    }
}

impl DayLedger {
    fn standings(&self) -> [Standing; 2] {
        let Self { usd_cap, token_cap, spent, reserved, .. } = self;
        [
            Standing { cap: Cap::DayUsd, limit: *usd_cap, spent: spent.usd, reserved: reserved.usd },
            Standing::tokens(Cap::DayTokens, *token_cap, spent, reserved),
        ]
    }

    /// Whether a call that is reserved here still fits once it is known what the store says of today: other processes
    /// spend too.
    fn check_again(&mut self, mut today: Spend, amount: Spend) -> Result<(), BudgetReached> {
        today.reserve(self.unkept);
        self.spent = self.spent.at_least(today);
        let estimate = Estimate { endpoint: String::new(), tokens: amount.tokens, usd: Some(amount.usd) };
        // Its own reservation is what is asked about.
        self.reserved.release(amount);
        let fits = self.standings().iter().try_for_each(|standing| standing.check(&estimate));
        self.reserved.reserve(amount);
        fits
    }
}

/// A cap, what is spent of it, and what calls under way may still take.
#[derive(Clone, Copy, Debug)]
struct Standing {
    cap: Cap,
    limit: Option<f64>,
    spent: f64,
    reserved: f64,
}

impl Standing {
    fn tokens(cap: Cap, limit: Option<u64>, spent: &Spend, reserved: &Spend) -> Self {
        let limit = limit.map(|tokens| tokens as f64);
        Self { cap, limit, spent: spent.tokens as f64, reserved: reserved.tokens as f64 }
    }

    fn check(&self, estimate: &Estimate) -> Result<(), BudgetReached> {
        let Some(limit) = self.limit else { return Ok(()) };
        let needed = match self.cap {
            Cap::SessionUsd | Cap::DayUsd => {
                estimate.usd.ok_or_else(|| BudgetReached::PriceUnknown { endpoint: estimate.endpoint.clone() })?
            }
            Cap::SessionTokens | Cap::DayTokens => estimate.tokens as f64,
        };
        let spent = self.spent + self.reserved;
        // The tolerance is far below a cent: sums of cents are not exact.
        if spent + needed > limit + 1e-9 {
            return Err(OverBudget { cap: self.cap, limit, spent, needed }.into());
        }
        Ok(())
    }

    fn crossed(self, thresholds: &[u8]) -> impl Iterator<Item = Alert> {
        let Self { cap, limit, spent, .. } = self;
        let reached = move |percent: &u8| {
            let limit = limit?;
            (spent * 100.0 >= limit * f64::from(*percent)).then_some(Alert { cap, percent: *percent, spent, limit })
        };
        thresholds.iter().filter_map(reached)
    }
}

/// The thresholds that were crossed and not told yet; they count as told from now on.
fn untold(standings: &[Standing], thresholds: &[u8], told: &mut Vec<(Cap, u8)>) -> Vec<Alert> {
    let crossed = standings.iter().flat_map(|standing| standing.crossed(thresholds));
    let new: Vec<Alert> = crossed.filter(|alert| !told.contains(&(alert.cap, alert.percent))).collect();
    told.extend(new.iter().map(|alert| (alert.cap, alert.percent)));
    new
}

/// Forgets what was told of a cap that has been raised since.
fn forget_uncrossed(standings: &[Standing], thresholds: &[u8], told: &mut Vec<(Cap, u8)>) {
    let crossed: Vec<Alert> = standings.iter().flat_map(|standing| standing.crossed(thresholds)).collect();
    told.retain(|mark| crossed.iter().any(|alert| (alert.cap, alert.percent) == *mark));
}

/// The guard of one session, shared by every client that works for it.
#[derive(Debug)]
pub struct Budget {
    ledger: Mutex<Ledger>,
    day: Arc<Day>,
    ahead: Option<Ahead>,
}

#[derive(Debug, Default)]
struct Ledger {
    usd_cap: Option<f64>,
    token_cap: Option<u64>,
    spent: Spend,
    by_role: [Spend; 4],
    reserved: Spend,
    alerted: Vec<(Cap, u8)>,
    alerts: Vec<Alert>,
    /// What is not kept yet.
    bookings: Vec<Booking>,
    /// What nobody has asked for yet.
    ended: Vec<Ended>,
    /// Calls that are over and were written ahead.
    settled: Vec<Uuid>,
}

impl Ledger {
    fn standings(&self) -> [Standing; 2] {
        let Self { usd_cap, token_cap, spent, reserved, .. } = self;
        [
            Standing { cap: Cap::SessionUsd, limit: *usd_cap, spent: spent.usd, reserved: reserved.usd },
            Standing::tokens(Cap::SessionTokens, *token_cap, spent, reserved),
        ]
    }
}

impl Budget {
    /// The guard of a session that shares its day with no other.
    pub fn new(limits: Limits) -> Self {
        Self::of_session(Arc::new(Day::new(limits)))
    }

    /// The guard of a session, with nothing spent and the caps of the settings.
    pub fn of_session(day: Arc<Day>) -> Self {
        let Caps { session_usd, session_tokens, .. } = day.configured;
        let ledger = Ledger { usd_cap: session_usd, token_cap: session_tokens, ..Ledger::default() };
        Self { ledger: Mutex::new(ledger), day, ahead: None }
    }

    /// Has what every call may cost written down before it is sent.
    #[must_use]
    pub fn writing_ahead(self, ahead: Ahead) -> Self {
        Self { ahead: Some(ahead), ..self }
    }

    /// Takes in what the store says was spent before. What this process has counted itself is never forgotten: where
    /// the store says less, it has not been told yet.
    pub fn resume(&self, session: Spend, today: Spend) {
        let (mut ledger, mut day) = (self.ledger(), self.day.ledger());
        ledger.spent = ledger.spent.at_least(session);
        day.spent = day.spent.at_least(today);
        // What was crossed before is no news.
        let standings = ledger.standings();
        untold(&standings, &self.day.thresholds, &mut ledger.alerted);
        let standings = day.standings();
        untold(&standings, &self.day.thresholds, &mut day.alerted);
    }

    /// Raises a cap, after the person decided so. One that is not set, or not below, stays as it is.
    pub fn raise(&self, cap: Cap, limit: f64) {
        let mut caps = self.caps();
        if caps.get(cap).is_some_and(|now| now < limit) {
            caps.set(cap, limit);
            self.set_caps(caps);
        }
    }

    /// Replaces the caps.
    pub fn set_caps(&self, caps: Caps) {
        let (mut ledger, mut day) = (self.ledger(), self.day.ledger());
        (ledger.usd_cap, ledger.token_cap) = (caps.session_usd, caps.session_tokens);
        (day.usd_cap, day.token_cap) = (caps.day_usd, caps.day_tokens);
        let standings = ledger.standings();
        forget_uncrossed(&standings, &self.day.thresholds, &mut ledger.alerted);
        let standings = day.standings();
        forget_uncrossed(&standings, &self.day.thresholds, &mut day.alerted);
    }

    /// The caps in force.
    pub fn caps(&self) -> Caps {
        let (ledger, day) = (self.ledger(), self.day.ledger());
        Caps {
            session_usd: ledger.usd_cap,
            session_tokens: ledger.token_cap,
            day_usd: day.usd_cap,
            day_tokens: day.token_cap,
        }
    }

    /// Reserves what a call may consume, or says why it must not be sent.
    pub fn reserve(self: &Arc<Self>, role: CallRole, estimate: &Estimate) -> Result<Reservation, BudgetReached> {
        let (mut ledger, mut day) = (self.ledger(), self.day.ledger());
        let standings = ledger.standings().into_iter().chain(day.standings());
        for standing in standings {
            standing.check(estimate)?;
        }
        let amount = Spend { usd: estimate.usd.unwrap_or_default(), tokens: estimate.tokens, calls: 1 };
        ledger.reserved.reserve(amount);
        day.reserved.reserve(amount);
        let (budget, began) = (Arc::clone(self), Instant::now());
        Ok(Reservation { budget, role, amount, model: String::new(), consumed: None, ahead: None, began })
    }

    /// Whether calls that may consume so much all fit under the caps, beside those under way.
    pub fn fits(&self, calls: &[Estimate]) -> bool {
        self.check(calls).is_ok()
    }

    /// The same, with what stands in the way.
    pub fn check(&self, calls: &[Estimate]) -> Result<(), BudgetReached> {
        let (ledger, day) = (self.ledger(), self.day.ledger());
        let sum = Estimate {
            endpoint: calls.first().map(|call| call.endpoint.clone()).unwrap_or_default(),
            tokens: calls.iter().map(|call| call.tokens).sum(),
            usd: calls.iter().map(|call| call.usd).sum(),
        };
        ledger.standings().into_iter().chain(day.standings()).try_for_each(|standing| standing.check(&sum))
    }

    /// Whether so much of a cap is used up that nothing should be sent which may have to be thrown away.
    pub fn is_near_a_cap(&self) -> bool {
        let (ledger, day) = (self.ledger(), self.day.ledger());
        let near = |standing: Standing| {
            standing.limit.is_some_and(|limit| standing.spent + standing.reserved >= limit * NEAR_A_CAP)
        };
        ledger.standings().into_iter().chain(day.standings()).any(near)
    }

    /// Whether no two calls may be under way at once.
    pub fn is_one_at_a_time(&self) -> bool {
        self.day.limiter.is_one_at_a_time()
    }

    pub(super) fn with_ended<T>(&self, look: impl FnOnce(&mut Vec<Ended>) -> T) -> T {
        look(&mut self.ledger().ended)
    }

    /// Waits for the call's turn under the limits per minute and at once.
    pub(super) async fn admit(&self, on_wait: &mut (dyn FnMut(Option<Duration>) + Send)) -> Permit {
        self.day.limiter.admit(on_wait).await
    }

    /// Says whether a call needs a bound on its answer.
    pub(super) fn is_capped(&self) -> bool {
        self.caps().any()
    }

    /// Where the budget stands.
    pub fn snapshot(&self) -> BudgetSnapshot {
        let caps = self.caps();
        let (ledger, day) = (self.ledger(), self.day.ledger());
        BudgetSnapshot {
            caps,
            session: ledger.spent,
            today: day.spent,
            by_role: CallRole::ALL.iter().map(|role| (*role, ledger.by_role[*role as usize])).collect(),
            reserved: ledger.reserved,
        }
    }

    /// The alerts since the last time; each threshold of each cap is reported once.
    pub fn take_alerts(&self) -> Vec<Alert> {
        std::mem::take(&mut self.ledger().alerts)
    }

    pub(super) fn take_bookings(&self) -> (Vec<Booking>, Vec<Uuid>) {
        let mut ledger = self.ledger();
        (std::mem::take(&mut ledger.bookings), std::mem::take(&mut ledger.settled))
    }

    /// Notes that the store knows of these bookings now.
    pub(super) fn have_kept(&self, bookings: &[Booking]) {
        let mut sum = Spend::default();
        for booking in bookings {
            sum.add(&booking.usage);
        }
        self.day.ledger().unkept.release(sum);
    }

    /// Takes bookings back that could not be kept; they are older than what has come since.
    pub(super) fn give_back(&self, mut bookings: Vec<Booking>, settled: Vec<Uuid>) {
        let mut ledger = self.ledger();
        ledger.settled.extend(settled);
        bookings.append(&mut ledger.bookings);
        ledger.bookings = bookings;
    }

    // Locked before the ledger of the day wherever both are needed.
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call's claim on the budget. Dropping it, however the call ended, books what was consumed and frees the rest.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<Budget>,
    role: CallRole,
    amount: Spend,
    model: String,
    consumed: Option<Usage>,
    /// The name it was written ahead under.
    ahead: Option<Uuid>,
    began: Instant,
}

impl Reservation {
    /// Writes down what the call may cost, where that is wanted, unless the caps of the day leave no room for it once
    /// it is known what other processes have spent. To be awaited before anything is sent.
    pub(super) async fn write_ahead(&mut self, model: &str, most: Usage) -> Result<(), BudgetReached> {
        let Some(ahead) = &self.budget.ahead else { return Ok(()) };
        let (call, at) = (Uuid::now_v7(), Timestamp::now());
        // Noted first: a call that is broken off while this is written is settled all the same.
        self.ahead = Some(call);
        let most = Booking { role: self.role, model: model.to_owned(), usage: most.bounded(), at };
        let verdict = Arc::new(Mutex::new(Ok(())));
        let (budget, amount, said) = (Arc::clone(&self.budget), self.amount, Arc::clone(&verdict));
        let fits = move |today: Spend| {
            let checked = budget.day.ledger().check_again(today, amount);
            let fits = checked.is_ok();
            *said.lock().unwrap_or_else(PoisonError::into_inner) = checked;
            fits
        };
        ahead.write(Reserved { call, most }, Box::new(fits)).await;
        verdict.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says whether a cap depends on what the call has consumed.
    pub(super) fn is_capped(&self) -> bool {
        self.budget.is_capped()
    }

    /// Notes what the call has consumed so far; the last word counts. Until this is called, nothing was consumed.
    pub fn consume(&mut self, usage: Usage) {
        self.consumed = Some(usage.bounded());
    }

    /// Notes the model that was asked, and what it has consumed; nothing, where it turned the request down.
    pub(super) fn consume_by(&mut self, model: String, usage: Option<Usage>) {
        self.model = model;
        self.consumed = usage.map(Usage::bounded);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let (mut ledger, mut day) = (self.budget.ledger(), self.budget.day.ledger());
        ledger.reserved.release(self.amount);
        day.reserved.release(self.amount);
        ledger.settled.extend(self.ahead);
        let (model, consumed) = (std::mem::take(&mut self.model), self.consumed.take());
        let usage = consumed.clone().unwrap_or_default();
        let booking = Booking { role: self.role, model, usage, at: Timestamp::now() };
        bookings::note(&mut ledger.ended, &booking, self.began.elapsed(), consumed.is_none());
        let Some(usage) = consumed else { return };
        ledger.spent.add(&usage);
        ledger.by_role[self.role as usize].add(&usage);
        day.spent.add(&usage);
        day.unkept.add(&usage);
        ledger.bookings.push(booking);
        let thresholds = &self.budget.day.thresholds;
        let standings = ledger.standings();
        let mut alerts = untold(&standings, thresholds, &mut ledger.alerted);
        let standings = day.standings();
        alerts.extend(untold(&standings, thresholds, &mut day.alerted));
        ledger.alerts.extend(alerts);
    }
}

/// A number for the day as the user counts days; the store counts them so too.
fn local_day() -> u64 {
    let date = jiff::Zoned::now().date();
    u64::from(date.year().unsigned_abs()) * 1000 + u64::from(date.day_of_year().unsigned_abs())
}
