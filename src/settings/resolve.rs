//! Resolves endpoints: which profile, with which parts replaced by flags and variables, with which key.

use std::time::Duration;

use secrecy::SecretString;

use crate::llm::{CallRole, Endpoint, KeySource, Price, Provider, Timeouts};

use super::key::{self, KeyPlaces};
use super::origin::{Explained, Flags, Origin, Resolved, Surroundings};
use super::problem::Problem;
use super::profiles::{Endpoints, RawProfile, RawProfiles, ResolvedEndpoint, stated};
use super::reader::Found;

/// What flags and variables say, which goes before the profile.
#[derive(Clone, Default)]
struct Overrides {
    endpoint: Option<Resolved<String>>,
    model: Option<Resolved<String>>,
    provider: Option<Resolved<String>>,
    key_env: Option<Resolved<String>>,
    /// Whether this is the profile in use, to which `ELENCHUS_API_KEY` belongs.
    in_use: bool,
}

/// Resolves the endpoints, or `None` when nobody configured one.
pub(super) fn endpoints(
    raw: &RawProfiles,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Endpoints> {
    let chosen = choose(raw, flags, surroundings, problems);
    let stated = |flag: &Option<String>, name: &'static str, variable: &str| {
        let flag = flag.clone().map(|value| Resolved::new(value, Origin::Flag(name)));
        flag.or_else(|| Some(Resolved::new(surroundings.variable(variable)?, Origin::Variable(variable.to_owned()))))
    };
    let overrides = Overrides {
        endpoint: stated(&flags.endpoint, "--endpoint", "ELENCHUS_ENDPOINT"),
        model: stated(&flags.model, "--model", "ELENCHUS_MODEL"),
        provider: stated(&flags.provider, "--provider", "ELENCHUS_PROVIDER"),
        key_env: flags.key_env.clone().map(|value| Resolved::new(value, Origin::Flag("--key-env"))),
        in_use: true,
    };
    let anything = overrides.endpoint.is_some() || overrides.model.is_some() || overrides.provider.is_some();
    if chosen.is_none() && !anything {
        return None;
    }
    let name = chosen.as_ref().map_or("environment", |chosen| chosen.value.as_str());
    let profile = raw.profiles.get(name).map(|(_, profile)| profile.clone()).unwrap_or_default();
    let mut default = resolve(name, &profile, &overrides, surroundings, problems)?;
    if let Some(chosen) = &chosen {
        default.explained.insert(0, chosen.explain("profile", String::clone));
    }
    let mut by_role = Vec::new();
    for (role, _) in &raw.roles {
        by_role
            .extend(for_role(raw, *role, name, &overrides, surroundings, problems).map(|resolved| (*role, resolved)));
    }
    Some(Endpoints { default, by_role })
}

/// The profile in use: named, or the only one, or the one called `default`.
fn choose(
    raw: &RawProfiles,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Resolved<String>> {
    let flag = flags.profile.clone().map(|name| Resolved::new(name, Origin::Flag("--profile")));
    let variable = || {
        let name = "ELENCHUS_PROFILE";
        Some(Resolved::new(surroundings.variable(name)?, Origin::Variable(name.to_owned())))
    };
    if let Some(named) = flag.or_else(variable).or_else(|| stated(raw.profile.as_ref())) {
        return known(raw, named, problems);
    }
    if let Some((name, _)) = raw.profiles.get("default") {
        return Some(name.resolved());
    }
    let (name, _) = raw.profiles.values().next()?;
    if raw.profiles.len() > 1 {
        let message = "there are several profiles and none is chosen; name one with `profile = \"…\"`";
        problems.push(Problem::new(name.file.clone(), message));
    }
    Some(name.resolved())
}

fn known(raw: &RawProfiles, named: Resolved<String>, problems: &mut Vec<Problem>) -> Option<Resolved<String>> {
    if raw.profiles.contains_key(&named.value) {
        return Some(named);
    }
    let problem = Problem::new(named.origin.to_string(), format!("there is no profile `{}`", named.value));
    problems.push(problem.suggesting(&named.value, raw.profiles.keys().map(String::as_str)));
    None
}

/// A role's endpoint: its own profile, or the profile in use with another model.
fn for_role(
    raw: &RawProfiles,
    role: CallRole,
    in_use: &str,
    overrides: &Overrides,
    surroundings: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> Option<ResolvedEndpoint> {
    let (_, wanted) = raw.roles.iter().find(|(name, _)| *name == role)?;
    let model = stated(wanted.model.as_ref());
    let (name, overrides) = if let Some(named) = stated(wanted.profile.as_ref()) {
        (known(raw, named, problems)?.value, Overrides { model, ..Overrides::default() })
    } else {
        // A model that a flag or variable names is for every role.
        let model = overrides.model.clone().or(model);
        (in_use.to_owned(), Overrides { model, ..overrides.clone() })
    };
    let profile = raw.profiles.get(&name).map(|(_, profile)| profile.clone()).unwrap_or_default();
    resolve(&name, &profile, &overrides, surroundings, problems)
}

fn resolve(
    name: &str,
    profile: &RawProfile,
    overrides: &Overrides,
    surroundings: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> Option<ResolvedEndpoint> {
    let provider = provider(profile, overrides, problems)?;
    let own_url = stated(profile.endpoint.as_ref());
    let default_url = || Resolved::new(provider.value.default_url().to_owned(), Origin::Default);
    let url = overrides.endpoint.clone().or_else(|| own_url.clone()).unwrap_or_else(default_url);
    let model = overrides.model.clone().or_else(|| stated(profile.model.as_ref()));
    let Some(model) = model else {
        let message = format!("the endpoint `{name}` has no model; set `model`, ELENCHUS_MODEL or --model");
        problems.push(Problem::new(url.origin.to_string(), message));
        return None;
    };
    let mut endpoint = match Endpoint::new(name, provider.value, &url.value, &model.value) {
        Ok(endpoint) => endpoint,
        Err(error) => {
            problems.push(Problem::new(url.origin.to_string(), error.to_string().trim_end_matches('.')));
            return None;
        }
    };
    // A profile's secrets are for the profile's own address; a flag or variable that leads elsewhere leaves them behind.
    let trusted = overrides.endpoint.is_none() || own_url.is_some_and(|own| has_host(&endpoint, &own.value));
    fill(&mut endpoint, profile, trusted, surroundings, problems);
    let places = KeyPlaces {
        own_variable: overrides.in_use,
        variable: overrides.key_env.clone().or_else(|| stated(profile.key_env.as_ref()).filter(|_| trusted)),
        keyring: stated(profile.key_keyring.as_ref()).filter(|_| trusted && overrides.key_env.is_none()),
    };
    let key_origin = key::find(&places, &mut endpoint, surroundings, problems);
    let explained = vec![
        url.explain("endpoint", |_| endpoint.base_url().to_string()),
        model.explain("model", String::clone),
        provider.explain("provider", |provider| provider.name().to_owned()),
        Explained { key: "key".to_owned(), value: in_words(&endpoint.key_source()), origin: key_origin },
    ];
    Some(ResolvedEndpoint { endpoint, explained })
}

fn in_words(key: &KeySource) -> String {
    if *key == KeySource::Missing { "none".to_owned() } else { key.to_string() }
}

fn has_host(endpoint: &Endpoint, url: &str) -> bool {
    let other = Endpoint::new(&endpoint.name, endpoint.provider, url, &endpoint.model);
    other.is_ok_and(|other| other.host() == endpoint.host())
}

fn provider(profile: &RawProfile, overrides: &Overrides, problems: &mut Vec<Problem>) -> Option<Resolved<Provider>> {
    let named = overrides.provider.clone().or_else(|| stated(profile.provider.as_ref()));
    let Some(named) = named else {
        let url = overrides.endpoint.clone().or_else(|| stated(profile.endpoint.as_ref()));
        let anthropic = url.is_some_and(|url| url.value.starts_with(Provider::Anthropic.default_url()));
        let provider = if anthropic { Provider::Anthropic } else { Provider::OpenAi };
        return Some(Resolved::new(provider, Origin::Default));
    };
    if let Some(provider) = Provider::from_name(&named.value) {
        return Some(Resolved::new(provider, named.origin));
    }
    let message = format!("`provider` is openai or anthropic, not `{}`", named.value);
    problems.push(Problem::new(named.origin.to_string(), message).suggesting(&named.value, Provider::NAMES));
    None
}

/// Takes over what only the profile says.
fn fill(
    endpoint: &mut Endpoint,
    profile: &RawProfile,
    trusted: bool,
    surroundings: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) {
    let small = |found: &Found<u64>| u32::try_from(found.value).unwrap_or(u32::MAX);
    endpoint.timeouts = timeouts(profile);
    endpoint.price = price(profile, problems);
    endpoint.context_window = profile.context_window.as_ref().map(small);
    endpoint.max_output_tokens = profile.max_output_tokens.as_ref().map_or(endpoint.max_output_tokens, small);
    endpoint.retry.attempts = profile.attempts.as_ref().map_or(endpoint.retry.attempts, small);
    endpoint.proxy = profile.proxy.as_ref().map(|found| SecretString::from(found.value.clone()));
    endpoint.extra_body = profile.extra.as_ref().map(|found| found.value.clone()).unwrap_or_default();
    let Some(headers) = profile.headers.as_ref().filter(|_| trusted) else { return };
    for (name, value) in &headers.value {
        // `$NAME` takes the value from the environment, so that a secret need not stand in the file.
        let value = match value.strip_prefix('$') {
            None => value.clone(),
            Some(variable) => surroundings.variable(variable).unwrap_or_else(|| {
                problems.push(Problem::new(
                    headers.place(),
                    format!("the header `{name}` needs {variable}, which is not set"),
                ));
                String::new()
            }),
        };
        endpoint.headers.push((name.clone(), SecretString::from(value)));
    }
}

fn timeouts(profile: &RawProfile) -> Timeouts {
    let (raw, defaults) = (&profile.timeouts, Timeouts::default());
    let seconds = |found: &Option<Found<f64>>, default: Duration| {
        let stated = found.as_ref().filter(|found| found.value > 0.0);
        stated.and_then(|found| Duration::try_from_secs_f64(found.value).ok()).unwrap_or(default)
    };
    Timeouts {
        connect: seconds(&raw.connect, defaults.connect),
        first_byte: seconds(&raw.first_byte, defaults.first_byte),
        stall: seconds(&raw.stall, defaults.stall),
        total: seconds(&raw.total, defaults.total),
    }
}

fn price(profile: &RawProfile, problems: &mut Vec<Problem>) -> Option<Price> {
    let raw = &profile.price;
    let cached = raw.cached.as_ref().map(|found| found.value);
    match (&raw.input, &raw.output) {
        (Some(input), Some(output)) => Some(Price { input: input.value, cached, output: output.value }),
        (None, None) if cached.is_none() => None,
        (input, output) => {
            let place = input.as_ref().or(output.as_ref()).or(raw.cached.as_ref()).map(Found::place);
            problems.push(Problem::new(place.unwrap_or_default(), "`price` needs both `input` and `output`"));
            None
        }
    }
}
