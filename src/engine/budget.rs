//! What a session may cost, and what happens where it would cost more: the turn waits for the user's decision.

use serde::{Deserialize, Serialize};

/// The most tokens that one call can have read or written. A larger figure is a mistake or a lie: it would exhaust every
/// cap at once, and sums of such figures overflow.
pub const MOST_TOKENS: u64 = 100_000_000;

/// The most that one call can have cost, in USD.
pub const MOST_USD: f64 = 1_000.0;

/// A sum of USD as it was written down once. What is no amount of money (JSON has no infinity and writes `null`) counts
/// as nothing, so that a session with a bad figure in it can still be opened.
pub fn read_usd<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let amount = Option::<f64>::deserialize(from)?;
    Ok(amount.filter(|amount| amount.is_finite() && *amount >= 0.0).unwrap_or(0.0))
}

/// One of the four caps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    SessionUsd,
    DayUsd,
    SessionTokens,
    DayTokens,
}

impl Cap {
    /// Its key in `[budget]` of the settings.
    pub fn key(self) -> &'static str {
        match self {
            Self::SessionUsd => "session_usd",
            Self::DayUsd => "day_usd",
            Self::SessionTokens => "session_tokens",
            Self::DayTokens => "day_tokens",
        }
    }

    /// An amount, where it is clear what is counted.
    pub fn figure(self, amount: f64) -> String {
        match self {
            Self::SessionUsd | Self::DayUsd => self.amount(amount),
            Self::SessionTokens | Self::DayTokens => format!("{amount:.0}"),
        }
    }

    /// An amount in what it counts.
    pub fn amount(self, amount: f64) -> String {
        match self {
            // Fractions of a cent matter while little is spent.
            Self::SessionUsd | Self::DayUsd if amount > 0.0 && amount < 0.1 => format!("${amount:.4}"),
            Self::SessionUsd | Self::DayUsd => format!("${amount:.2}"),
            Self::SessionTokens | Self::DayTokens => format!("{amount:.0} tokens"),
        }
    }
}

impl std::fmt::Display for Cap {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::SessionUsd => "cost of this session",
            Self::DayUsd => "cost of today",
            Self::SessionTokens => "tokens of this session",
            Self::DayTokens => "tokens of today",
        })
    }
}

/// A call that was not made, because it could exceed a cap. The user decides: raise the cap, go on offline, or stop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error(
    "The budget for the {cap} is reached ({} of {} spent; this call may need {}): raise it, go on offline, or stop.",
    .cap.amount(*.spent), .cap.amount(*.limit), .cap.amount(*.needed)
)]
pub struct OverBudget {
    pub cap: Cap,
    /// Its value, in USD or tokens.
    pub limit: f64,
    /// What is spent already, calls under way included.
    pub spent: f64,
    /// What this call may need at most.
    pub needed: f64,
}

impl OverBudget {
    /// The lowest cap under which the call could be made.
    pub fn enough(&self) -> f64 {
        self.spent + self.needed
    }
}

/// Caps that the user has raised for one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RaisedCaps {
    pub session_usd: Option<f64>,
    pub session_tokens: Option<u64>,
}

impl RaisedCaps {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
