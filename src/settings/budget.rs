//! What may be spent: `[budget]`.

use super::origin::{Explained, Origin, Resolved};
use super::values::{Amount, Count, Percentages};
use crate::decode::table;
use crate::llm::{Caps, Limits};

table! {
    /// What may be spent.
    RawBudget called "`budget`" {
        /// The most that a session may cost, in USD.
        optional session_usd: Option<Resolved<Amount>>,
        /// The most that a day may cost, in USD.
        optional day_usd: Option<Resolved<Amount>>,
        /// The most tokens of a session.
        optional session_tokens: Option<Resolved<Count>>,
        /// The most tokens of a day.
        optional day_tokens: Option<Resolved<Count>>,
        /// Per cent of a cap at which you are told.
        optional alerts: Option<Resolved<Percentages>>,
        /// Requests a minute at most.
        optional requests_per_minute: Option<Resolved<Count>>,
        /// Requests at once at most.
        optional concurrent: Option<Resolved<Count>>,
    }
}

pub(super) fn resolve(raw: &RawBudget) -> (Limits, Vec<Explained>) {
    let defaults = Limits::default();
    let usd_of = |stated: &Option<Resolved<Amount>>| stated.as_ref().map(|stated| stated.value.0);
    let tokens = |stated: &Option<Resolved<Count>>| stated.as_ref().map(|stated| stated.value.0);
    let small = |stated: &Option<Resolved<Count>>| stated.as_ref().map(|stated| stated.value.small());
    let limits = Limits {
        caps: Caps {
            session_usd: usd_of(&raw.session_usd),
            day_usd: usd_of(&raw.day_usd),
            session_tokens: tokens(&raw.session_tokens),
            day_tokens: tokens(&raw.day_tokens),
        },
        alerts: raw.alerts.as_ref().map_or(defaults.alerts, |stated| stated.value.0.clone()),
        requests_per_minute: small(&raw.requests_per_minute).or(defaults.requests_per_minute),
        concurrent: small(&raw.concurrent).or(defaults.concurrent),
    };
    let explained = vec![
        usd("budget.session_usd", raw.session_usd.as_ref()),
        usd("budget.day_usd", raw.day_usd.as_ref()),
        count("budget.session_tokens", raw.session_tokens.as_ref(), None),
        count("budget.day_tokens", raw.day_tokens.as_ref(), None),
        count("budget.requests_per_minute", raw.requests_per_minute.as_ref(), limits.requests_per_minute),
        count("budget.concurrent", raw.concurrent.as_ref(), limits.concurrent),
    ];
    (limits, explained)
}

fn usd(key: &str, stated: Option<&Resolved<Amount>>) -> Explained {
    let value = stated.map_or_else(|| "no cap".to_owned(), |stated| format!("${:.2}", stated.value.0));
    Explained { key: key.to_owned(), value, origin: origin(stated) }
}

fn count(key: &str, stated: Option<&Resolved<Count>>, default: Option<u32>) -> Explained {
    let value = stated.map(|stated| stated.value.0).or(default.map(u64::from));
    let value = value.map_or_else(|| "no cap".to_owned(), |value| value.to_string());
    Explained { key: key.to_owned(), value, origin: origin(stated) }
}

fn origin<T>(stated: Option<&Resolved<T>>) -> Origin {
    stated.map_or(Origin::Default, |stated| stated.origin.clone())
}
