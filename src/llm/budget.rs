//! The budget guard: nothing is sent that could exceed a cap.
//!
//! Before a call is sent its highest cost is reserved; afterwards the reservation is replaced by what was really
//! consumed. Calls under way thus count against the caps, however many there are at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::chat::Usage;
use super::limiter::{Limiter, Permit};
use super::spend::{Alert, BudgetReached, BudgetSnapshot, CallRole, Cap, Caps, Estimate, Limits, OverBudget, Spend};

#[derive(Debug, Default)]
struct Ledger {
    caps: Caps,
    session: Spend,
    today: Spend,
    by_role: [Spend; 4],
    reserved: Spend,
    day: u64,
    alerted: Vec<(Cap, u8)>,
    alerts: Vec<Alert>,
}

/// The guard, shared by every client.
pub struct Budget {
    ledger: Mutex<Ledger>,
    /// The caps of the settings, before anybody raised one.
    configured: Caps,
    thresholds: Vec<u8>,
    limiter: Limiter,
    day: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Budget").field("ledger", &self.ledger).finish_non_exhaustive()
    }
}

impl Budget {
    /// Builds a guard with nothing spent, whose days are those of the calendar on the wall.
    pub fn new(limits: Limits) -> Self {
        Self::with_days(limits, local_day)
    }

    /// Builds a guard that asks `day` for the number of the current day: when it changes, today's spend starts at zero.
    pub fn with_days(limits: Limits, day: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        let ledger = Ledger { caps: limits.caps, day: day(), ..Ledger::default() };
        Self {
            ledger: Mutex::new(ledger),
            configured: limits.caps,
            thresholds: limits.alerts,
            limiter: Limiter::new(limits.requests_per_minute, limits.concurrent),
            day: Box::new(day),
        }
    }

    /// Begins or resumes a session, with what the store says was consumed before. What was raised for another session
    /// does not hold for this one.
    pub fn start_session(&self, session: Spend, by_role: &[(CallRole, Spend)], today: Spend) {
        let mut ledger = self.ledger();
        ledger.caps.session_usd = self.configured.session_usd;
        ledger.caps.session_tokens = self.configured.session_tokens;
        ledger.session = session;
        ledger.today = today;
        ledger.by_role = [Spend::default(); 4];
        for (role, spend) in by_role {
            ledger.by_role[*role as usize] = *spend;
        }
        ledger.alerted.clear();
        // What was crossed before this session began is no news.
        ledger.note_alerts(&self.thresholds);
        ledger.alerts.clear();
    }

    /// Raises a cap, after the person decided so. One that is not set, or not below, stays as it is.
    pub fn raise(&self, cap: Cap, limit: f64) {
        let mut caps = self.ledger().caps;
        if caps.get(cap).is_some_and(|now| now < limit) {
            caps.set(cap, limit);
            self.set_caps(caps);
        }
    }

    /// Replaces the caps.
    pub fn set_caps(&self, caps: Caps) {
        let mut ledger = self.ledger();
        ledger.caps = caps;
        let crossed = ledger.crossed(&self.thresholds);
        ledger.alerted.retain(|mark| crossed.iter().any(|alert| (alert.cap, alert.percent) == *mark));
    }

    /// Reserves what a call may consume, or says why it must not be sent.
    pub fn reserve(self: &Arc<Self>, role: CallRole, estimate: &Estimate) -> Result<Reservation, BudgetReached> {
        let mut ledger = self.ledger();
        ledger.check(estimate)?;
        let amount = Spend { usd: estimate.usd.unwrap_or_default(), tokens: estimate.tokens, calls: 1 };
        ledger.reserved.usd += amount.usd;
        ledger.reserved.tokens += amount.tokens;
        ledger.reserved.calls += 1;
        drop(ledger);
        Ok(Reservation { budget: Arc::clone(self), role, amount, consumed: None })
    }

    /// Waits for the call's turn under the limits per minute and at once.
    pub(super) async fn admit(&self, on_wait: &mut (dyn FnMut(Option<Duration>) + Send)) -> Permit {
        self.limiter.admit(on_wait).await
    }

    /// Says whether a call needs a bound on its answer.
    pub(super) fn is_capped(&self) -> bool {
        self.ledger().caps.any()
    }

    /// Where the budget stands.
    pub fn snapshot(&self) -> BudgetSnapshot {
        let ledger = self.ledger();
        BudgetSnapshot {
            caps: ledger.caps,
            session: ledger.session,
            today: ledger.today,
            by_role: CallRole::ALL.iter().map(|role| (*role, ledger.by_role[*role as usize])).collect(),
            reserved: ledger.reserved,
        }
    }

    /// The alerts since the last time; each threshold of each cap is reported once.
    pub fn take_alerts(&self) -> Vec<Alert> {
        std::mem::take(&mut self.ledger().alerts)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let day = (self.day)();
        if ledger.day != day {
            ledger.day = day;
            ledger.today = Spend::default();
            ledger.alerted.retain(|(cap, _)| matches!(cap, Cap::SessionUsd | Cap::SessionTokens));
        }
        ledger
    }
}

impl Ledger {
    /// Every cap that is set, with its limit, what is spent and what is reserved.
    fn standings(&self) -> Vec<(Cap, f64, f64, f64)> {
        let (caps, reserved) = (&self.caps, &self.reserved);
        let all = [
            (Cap::SessionUsd, caps.session_usd, self.session.usd, reserved.usd),
            (Cap::DayUsd, caps.day_usd, self.today.usd, reserved.usd),
            (
                Cap::SessionTokens,
                caps.session_tokens.map(|n| n as f64),
                self.session.tokens as f64,
                reserved.tokens as f64,
            ),
            (Cap::DayTokens, caps.day_tokens.map(|n| n as f64), self.today.tokens as f64, reserved.tokens as f64),
        ];
        all.into_iter().filter_map(|(cap, limit, spent, reserved)| Some((cap, limit?, spent, reserved))).collect()
    }

    fn check(&self, estimate: &Estimate) -> Result<(), BudgetReached> {
        for (cap, limit, spent, reserved) in self.standings() {
            let needed = match cap {
                Cap::SessionUsd | Cap::DayUsd => {
                    estimate.usd.ok_or_else(|| BudgetReached::PriceUnknown { endpoint: estimate.endpoint.clone() })?
                }
                Cap::SessionTokens | Cap::DayTokens => estimate.tokens as f64,
            };
            // The tolerance is far below a cent: sums of cents are not exact.
            if spent + reserved + needed > limit + 1e-9 {
                return Err(OverBudget { cap, limit, spent: spent + reserved, needed }.into());
            }
        }
        Ok(())
    }

    fn crossed(&self, thresholds: &[u8]) -> Vec<Alert> {
        let reached = |(cap, limit, spent, _): (Cap, f64, f64, f64)| {
            let percents = thresholds.iter().filter(move |percent| spent * 100.0 >= limit * f64::from(**percent));
            percents.map(move |percent| Alert { cap, percent: *percent, spent, limit })
        };
        self.standings().into_iter().flat_map(reached).collect()
    }

    fn note_alerts(&mut self, thresholds: &[u8]) {
        for alert in self.crossed(thresholds) {
            if !self.alerted.contains(&(alert.cap, alert.percent)) {
                self.alerted.push((alert.cap, alert.percent));
                self.alerts.push(alert);
            }
        }
    }
}

/// A call's claim on the budget. Dropping it, however the call ended, books what was consumed and frees the rest.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<Budget>,
    role: CallRole,
    amount: Spend,
    consumed: Option<Usage>,
}

impl Reservation {
    /// Notes what the call has consumed so far; the last word counts. Until this is called, nothing was consumed.
    pub fn consume(&mut self, usage: Usage) {
        self.consumed = Some(usage);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut ledger = self.budget.ledger();
        ledger.reserved.usd = (ledger.reserved.usd - self.amount.usd).max(0.0);
        ledger.reserved.tokens = ledger.reserved.tokens.saturating_sub(self.amount.tokens);
        ledger.reserved.calls = ledger.reserved.calls.saturating_sub(1);
        if let Some(usage) = &self.consumed {
            ledger.session.add(usage);
            ledger.today.add(usage);
            ledger.by_role[self.role as usize].add(usage);
            ledger.note_alerts(&self.budget.thresholds);
        }
    }
}

/// A number for the day as the user counts days; the store counts them so too.
fn local_day() -> u64 {
    let date = jiff::Zoned::now().date();
    u64::from(date.year().unsigned_abs()) * 1000 + u64::from(date.day_of_year().unsigned_abs())
}
