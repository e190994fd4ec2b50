//! Endpoints as the file describes them: `profile`, `[profiles.NAME]` and `[roles.ROLE]`.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::llm::{CallRole, Endpoint};

use super::origin::{Explained, Resolved};
use super::reader::{Found, Section};

/// The endpoints of a session.
#[derive(Debug)]
pub struct Endpoints {
    /// The one for every role that has none of its own.
    pub default: ResolvedEndpoint,
    /// Those of single roles.
    pub by_role: Vec<(CallRole, ResolvedEndpoint)>,
}

impl Endpoints {
    pub(super) fn explain(&self) -> Vec<Explained> {
        let roles = self.by_role.iter().flat_map(|(role, resolved)| {
            let rename = |explained: &Explained| Explained {
                key: format!("roles.{}.{}", role.name(), explained.key),
                ..explained.clone()
            };
            resolved.explained.iter().map(rename)
        });
        self.default.explained.iter().cloned().chain(roles).collect()
    }
}

/// An endpoint, and where its parts came from.
#[derive(Debug)]
pub struct ResolvedEndpoint {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// Where its parts came from.
    pub explained: Vec<Explained>,
}

/// Everything the file says about endpoints.
#[derive(Debug, Default)]
pub(super) struct RawProfiles {
    pub profile: Option<Found<String>>,
    pub profiles: IndexMap<String, (Found<String>, RawProfile)>,
    pub roles: Vec<(CallRole, RawRole)>,
}

/// `[profiles.NAME]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawProfile {
    pub provider: Option<Found<String>>,
    pub endpoint: Option<Found<String>>,
    pub model: Option<Found<String>>,
    pub key_env: Option<Found<String>>,
    pub key_keyring: Option<Found<String>>,
    pub headers: Option<Found<Vec<(String, String)>>>,
    pub proxy: Option<Found<String>>,
    pub context_window: Option<Found<u64>>,
    pub max_output_tokens: Option<Found<u64>>,
    pub attempts: Option<Found<u64>>,
    pub extra: Option<Found<Map<String, Value>>>,
    pub price: RawPrice,
    pub timeouts: RawTimeouts,
}

/// `price = { input, cached, output }`, in USD per million tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct RawPrice {
    pub input: Option<Found<f64>>,
    pub cached: Option<Found<f64>>,
    pub output: Option<Found<f64>>,
}

/// `timeouts = { connect, first_byte, stall, total }`, in seconds.
#[derive(Debug, Clone, Default)]
pub(super) struct RawTimeouts {
    pub connect: Option<Found<f64>>,
    pub first_byte: Option<Found<f64>>,
    pub stall: Option<Found<f64>>,
    pub total: Option<Found<f64>>,
}

/// `[roles.ROLE]`: another profile, another model, or both.
#[derive(Debug, Default)]
pub(super) struct RawRole {
    pub profile: Option<Found<String>>,
    pub model: Option<Found<String>>,
}

pub(super) fn read(root: &Section<'_>) -> RawProfiles {
    let profile = root.string("profile");
    let sections = root.named_sections("profiles").into_iter();
    let profiles = sections.map(|(name, section)| (name.value.clone(), (name, read_profile(section)))).collect();
    let mut roles = Vec::new();
    if let Some(section) = root.section("roles") {
        for role in CallRole::ALL {
            if let Some(section) = section.section(role.name()) {
                roles.push((role, RawRole { profile: section.string("profile"), model: section.string("model") }));
                section.close();
            }
        }
        section.close();
    }
    RawProfiles { profile, profiles, roles }
}

fn read_profile(section: Section<'_>) -> RawProfile {
    let profile = RawProfile {
        provider: section.string("provider"),
        endpoint: section.string("endpoint"),
        model: section.string("model"),
        key_env: section.string("key_env"),
        key_keyring: section.string("key_keyring"),
        headers: section.strings("headers"),
        proxy: section.string("proxy"),
        context_window: section.count("context_window"),
        max_output_tokens: section.count("max_output_tokens"),
        attempts: section.count("attempts"),
        extra: section.json("extra"),
        price: read_price(&section),
        timeouts: read_timeouts(&section),
    };
    section.close();
    profile
}

fn read_price(profile: &Section<'_>) -> RawPrice {
    let Some(section) = profile.section("price") else { return RawPrice::default() };
    let price =
        RawPrice { input: section.number("input"), cached: section.number("cached"), output: section.number("output") };
    section.close();
    price
}

fn read_timeouts(profile: &Section<'_>) -> RawTimeouts {
    let Some(section) = profile.section("timeouts") else { return RawTimeouts::default() };
    let timeouts = RawTimeouts {
        connect: section.number("connect"),
        first_byte: section.number("first_byte"),
        stall: section.number("stall"),
        total: section.number("total"),
    };
    section.close();
    timeouts
}

/// The value of a found string with its origin.
pub(super) fn stated(found: Option<&Found<String>>) -> Option<Resolved<String>> {
    found.map(Found::resolved)
}
