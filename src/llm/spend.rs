//! The words of the budget: what may be consumed, what has been, and for what.

use serde::{Deserialize, Serialize};

use super::chat::Usage;
pub use crate::engine::budget::{Cap, OverBudget};

/// What a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallRole {
    /// Talking to the person.
    Respond,
    /// Extracting what was said.
    Analyse,
    /// Compressing history.
    Summarise,
    /// Background tasks.
    Research,
}

impl CallRole {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Respond, Self::Analyse, Self::Summarise, Self::Research];

    /// The role's name in settings and figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Respond => "respond",
            Self::Analyse => "analyse",
            Self::Summarise => "summarise",
            Self::Research => "research",
        }
    }
}

/// The most that may be consumed. `None` means no cap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Caps {
    /// USD per session.
    pub session_usd: Option<f64>,
    /// USD per day.
    pub day_usd: Option<f64>,
    /// Tokens per session.
    pub session_tokens: Option<u64>,
    /// Tokens per day.
    pub day_tokens: Option<u64>,
}

impl Caps {
    /// One of them, in USD or tokens.
    pub fn get(&self, cap: Cap) -> Option<f64> {
        match cap {
            Cap::SessionUsd => self.session_usd,
            Cap::DayUsd => self.day_usd,
            Cap::SessionTokens => self.session_tokens.map(|tokens| tokens as f64),
            Cap::DayTokens => self.day_tokens.map(|tokens| tokens as f64),
        }
    }

    /// Sets one of them, in USD or tokens.
    pub fn set(&mut self, cap: Cap, limit: f64) {
        match cap {
            Cap::SessionUsd => self.session_usd = Some(limit),
            Cap::DayUsd => self.day_usd = Some(limit),
            Cap::SessionTokens => self.session_tokens = Some(limit as u64),
            Cap::DayTokens => self.day_tokens = Some(limit as u64),
        }
    }

    /// Says whether anything is capped at all.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// Everything the guard is configured with.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The caps.
    pub caps: Caps,
    /// Shares of a cap, in percent, at which an alert is due.
    pub alerts: Vec<u8>,
    /// Requests per minute.
    pub requests_per_minute: Option<u32>,
    /// Calls under way at once.
    pub concurrent: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { caps: Caps::default(), alerts: vec![50, 80, 95], requests_per_minute: None, concurrent: Some(4) }
    }
}

/// What has been consumed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spend {
    /// USD, as far as prices are known.
    pub usd: f64,
    /// Tokens, prompt and answer.
    pub tokens: u64,
    /// Calls.
    pub calls: u64,
}

impl Spend {
    pub(super) fn add(&mut self, usage: &Usage) {
        self.usd += usage.cost_usd.unwrap_or_default();
        self.tokens = self.tokens.saturating_add(usage.total_tokens());
        self.calls = self.calls.saturating_add(1);
    }

    /// Sets an amount aside.
    pub(super) fn reserve(&mut self, amount: Self) {
        self.usd += amount.usd;
        self.tokens = self.tokens.saturating_add(amount.tokens);
        self.calls = self.calls.saturating_add(amount.calls);
    }

    /// Gives back what was set aside.
    pub(super) fn release(&mut self, amount: Self) {
        self.usd = (self.usd - amount.usd).max(0.0);
        self.tokens = self.tokens.saturating_sub(amount.tokens);
        self.calls = self.calls.saturating_sub(amount.calls);
    }

    /// The greater of two counts of the same spend, each of which may not know of everything.
    pub(super) fn at_least(self, other: Self) -> Self {
        Self { usd: self.usd.max(other.usd), tokens: self.tokens.max(other.tokens), calls: self.calls.max(other.calls) }
    }
}

/// Why a call was not sent. The caller asks the person: raise the cap, go on offline, or stop.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BudgetReached {
    /// The call could exceed a cap.
    #[error(transparent)]
    Cap(#[from] OverBudget),
    /// There is a cap in USD but no price to count with.
    #[error(
        "The budget is in USD but the endpoint `{endpoint}` has no price: set `price` in its profile, or cap tokens instead."
    )]
    PriceUnknown {
        /// The endpoint.
        endpoint: String,
    },
}

/// A threshold that was crossed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Alert {
    /// The cap.
    pub cap: Cap,
    /// The threshold in percent.
    pub percent: u8,
    /// What is consumed, in USD or tokens.
    pub spent: f64,
    /// The cap's value.
    pub limit: f64,
}

impl std::fmt::Display for Alert {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cap, percent, spent, limit } = self;
        let (spent, limit) = (cap.amount(*spent), cap.amount(*limit));
        write!(formatter, "{percent} % of the budget for the {cap} is used up: {spent} of {limit}.")
    }
}

/// The most a call can consume.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The endpoint's name, for messages.
    pub endpoint: String,
    /// Tokens, prompt and answer.
    pub tokens: u64,
    /// USD, when the price is known.
    pub usd: Option<f64>,
}

/// Where the budget stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetSnapshot {
    /// The caps in force.
    pub caps: Caps,
    /// This session.
    pub session: Spend,
    /// Today.
    pub today: Spend,
    /// This session by role.
    pub by_role: Vec<(CallRole, Spend)>,
    /// What calls under way may still consume.
    pub reserved: Spend,
}
