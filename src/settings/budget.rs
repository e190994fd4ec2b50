//! What may be spent: `[budget]`.

use crate::llm::{Caps, Limits};

use super::origin::{Explained, Origin};
use super::reader::{Found, Section};

/// The section as it stands in the file.
#[derive(Debug, Default)]
pub(super) struct RawBudget {
    session_usd: Option<Found<f64>>,
    day_usd: Option<Found<f64>>,
    session_tokens: Option<Found<u64>>,
    day_tokens: Option<Found<u64>>,
    alerts: Option<Found<Vec<u8>>>,
    requests_per_minute: Option<Found<u64>>,
    concurrent: Option<Found<u64>>,
}

pub(super) fn read(root: &Section<'_>) -> RawBudget {
    let Some(section) = root.section("budget") else { return RawBudget::default() };
    let raw = RawBudget {
        session_usd: section.number("session_usd"),
        day_usd: section.number("day_usd"),
        session_tokens: section.count("session_tokens"),
        day_tokens: section.count("day_tokens"),
        alerts: section.percentages("alerts"),
        requests_per_minute: section.count("requests_per_minute"),
        concurrent: section.count("concurrent"),
    };
    section.close();
    raw
}

pub(super) fn resolve(raw: &RawBudget) -> (Limits, Vec<Explained>) {
    let defaults = Limits::default();
    let small = |found: &Option<Found<u64>>| found.as_ref().map(|found| u32::try_from(found.value).unwrap_or(u32::MAX));
    let limits = Limits {
        caps: Caps {
            session_usd: raw.session_usd.as_ref().map(|found| found.value),
            day_usd: raw.day_usd.as_ref().map(|found| found.value),
            session_tokens: raw.session_tokens.as_ref().map(|found| found.value),
            day_tokens: raw.day_tokens.as_ref().map(|found| found.value),
        },
        alerts: raw.alerts.as_ref().map_or(defaults.alerts, |found| found.value.clone()),
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

fn usd(key: &str, found: Option<&Found<f64>>) -> Explained {
    let value = found.map_or_else(|| "no cap".to_owned(), |found| format!("${:.2}", found.value));
    Explained { key: key.to_owned(), value, origin: found.map_or(Origin::Default, Found::origin) }
}

fn count(key: &str, found: Option<&Found<u64>>, default: Option<u32>) -> Explained {
    let value = found.map(|found| found.value).or(default.map(u64::from));
    let value = value.map_or_else(|| "no cap".to_owned(), |value| value.to_string());
    Explained { key: key.to_owned(), value, origin: found.map_or(Origin::Default, Found::origin) }
}
