//! Resolves endpoints: which profile, with which parts replaced by flags and variables, with which key.

use std::time::Duration;

use secrecy::SecretString;

use super::file::SettingsFile;
use super::key::{self, KeyPlaces};
use super::origin::{ChosenModel, Explained, Flags, Origin, Resolved, Surroundings};
use super::profiles::{Endpoints, RawProfile, ResolvedEndpoint};
use super::values::{Amount, Count};
use crate::decode::{Place, Problems, Spanned};
use crate::llm::presets::{PRESETS, Preset};
use crate::llm::{CallRole, Endpoint, KeySource, Price, Provider, Timeouts};

/// What a server is called that was chosen while the program runs and that no profile names.
const CHOSEN: &str = "chosen";

/// What decides how much a call can cost: caps count on it, so it has a place of its own in the settings.
const PAST_CAPS: [&str; 5] = ["max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict", "n"];

/// What flags and variables say, which goes before the profile.
#[derive(Clone, Default)]
struct Overrides {
    endpoint: Option<Resolved<String>>,
    model: Option<Resolved<String>>,
    provider: Option<Resolved<String>>,
    key_env: Option<Resolved<String>>,
    /// Whether this is the profile in use, to which `ELENCHUS_API_KEY` belongs.
    in_use: bool,
    /// The address that `ELENCHUS_API_KEY` was set for, where the settings name one beside it.
    key_home: Option<String>,
}

/// Resolves the endpoints, or `None` when none is configured.
pub(super) fn endpoints(
    raw: &SettingsFile,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<Endpoints> {
    let chosen = choose(raw, flags, surroundings, problems);
    let stated = |flag: &Option<String>, name: &'static str, variable: &str| {
        let flag = flag.clone().map(|value| Resolved::new(value, Origin::Flag(name)));
        flag.or_else(|| Some(Resolved::new(surroundings.variable(variable)?, Origin::Variable(variable.to_owned()))))
    };
    let mut overrides = Overrides {
        endpoint: stated(&flags.endpoint, "--endpoint", "ELENCHUS_ENDPOINT"),
        model: stated(&flags.model, "--model", "ELENCHUS_MODEL"),
        provider: stated(&flags.provider, "--provider", "ELENCHUS_PROVIDER"),
        key_env: flags.key_env.clone().map(|value| Resolved::new(value, Origin::Flag("--key-env"))),
        in_use: true,
        key_home: None,
    };
    let anything = overrides.endpoint.is_some() || overrides.model.is_some() || overrides.provider.is_some();
    if chosen.is_none() && !anything && flags.chosen.is_none() {
        return None;
    }
    let name = chosen.as_ref().map_or("environment", |chosen| chosen.value.as_str());
    let profile = raw.profiles.get(name).map(|profile| profile.value.clone()).unwrap_or_default();
    overrides.key_home = surroundings.variable("ELENCHUS_ENDPOINT").or_else(|| own_address(&profile));
    let configured = overrides.endpoint.as_ref().map(|url| url.value.clone()).or_else(|| own_address(&profile));
    let (name, overrides) = match &flags.chosen {
        Some(chosen) => at_runtime(raw, chosen, (name, overrides), configured.as_deref()),
        None => (name, overrides),
    };
    let profile = raw.profiles.get(name).map(|profile| profile.value.clone()).unwrap_or_default();
    let mut default = resolve(name, &profile, &overrides, surroundings, problems)?;
    if let Some(chosen) = chosen.as_ref().filter(|chosen| chosen.value == name) {
        default.explained.insert(0, chosen.explain("profile", String::clone));
    }
    let mut by_role = Vec::new();
    for (role, _) in &raw.roles.0 {
        by_role
            .extend(for_role(raw, *role, name, &overrides, surroundings, problems).map(|resolved| (*role, resolved)));
    }
    Some(Endpoints { default, by_role })
}

/// The profile and overrides of a model that was chosen while the program runs: the configured server with another
/// model, the profile that names the server, or a server that none names and that gets no secret.
fn at_runtime<'a>(
    raw: &'a SettingsFile,
    chosen: &ChosenModel,
    (name, overrides): (&'a str, Overrides),
    configured: Option<&str>,
) -> (&'a str, Overrides) {
    let stated = |value: &str| Some(Resolved::new(value.to_owned(), Origin::Chosen));
    let model = stated(&chosen.model);
    let Some(url) = &chosen.endpoint else {
        // A profile by its name: all of it is meant, and none of what stands in for the one in use.
        return match raw.profiles.get_key_value(&chosen.model) {
            Some((profile, _)) if *profile != name || overrides.endpoint.is_none() => {
                let in_use = *profile == name;
                let key_home = overrides.key_home.filter(|_| in_use);
                (profile, Overrides { in_use, key_home, ..Overrides::default() })
            }
            _ => (name, Overrides { model, ..overrides }),
        };
    };
    let endpoint = stated(url);
    let there = |other: &str| host_of(url).is_some_and(|host| host_of(other) == Some(host));
    if configured.is_some_and(there) {
        return (name, Overrides { endpoint, model, ..overrides });
    }
    let names_it = |(_, profile): &(_, &Spanned<RawProfile>)| own_address(profile).is_some_and(|own| there(&own));
    let name = raw.profiles.iter().find(names_it).map_or(CHOSEN, |(name, _)| name.as_str());
    (name, Overrides { endpoint, model, ..Overrides::default() })
}

/// The profile in use: named, or the only one, or the one called `default`.
fn choose(
    raw: &SettingsFile,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<Resolved<String>> {
    let flag = flags.profile.clone().map(|name| Resolved::new(name, Origin::Flag("--profile")));
    let variable = || {
        let name = "ELENCHUS_PROFILE";
        Some(Resolved::new(surroundings.variable(name)?, Origin::Variable(name.to_owned())))
    };
    if let Some(named) = flag.or_else(variable).or_else(|| raw.profile.clone()) {
        return known(raw, named, problems);
    }
    let (name, profile) = raw.profiles.get_key_value("default").or_else(|| raw.profiles.first())?;
    let place = problems.place(profile.span.clone());
    if raw.profiles.len() > 1 && name != "default" {
        let file = Place { span: None, ..place.clone() };
        let message = "there are several profiles and none is chosen";
        problems.error_at(&file, "no-profile", message).help("name one with `profile = \"…\"`");
    }
    Some(Resolved::new(name.clone(), Origin::File(place)))
}

fn known(raw: &SettingsFile, named: Resolved<String>, problems: &mut Problems) -> Option<Resolved<String>> {
    if raw.profiles.contains_key(&named.value) {
        return Some(named);
    }
    problems
        .error_at(&named.origin.place(), "bad-reference", format!("there is no profile `{}`", named.value))
        .suggest(&named.value, raw.profiles.keys().map(String::as_str));
    None
}

/// A role's endpoint: its own profile, or the profile in use with another model.
fn for_role(
    raw: &SettingsFile,
    role: CallRole,
    in_use: &str,
    overrides: &Overrides,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<ResolvedEndpoint> {
    let (_, wanted) = raw.roles.0.iter().find(|(name, _)| *name == role)?;
    let model = wanted.model.clone();
    let (name, overrides) = if let Some(named) = wanted.profile.clone() {
        (known(raw, named, problems)?.value, Overrides { model, ..Overrides::default() })
    } else {
        // A model that a flag or variable names is for every role.
        let model = overrides.model.clone().or(model);
        (in_use.to_owned(), Overrides { model, ..overrides.clone() })
    };
    let profile = raw.profiles.get(&name).map(|profile| profile.value.clone()).unwrap_or_default();
    resolve(&name, &profile, &overrides, surroundings, problems)
}

fn resolve(
    name: &str,
    profile: &RawProfile,
    overrides: &Overrides,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<ResolvedEndpoint> {
    let provider = provider(profile, overrides, problems)?;
    let own_url = profile.endpoint.clone();
    // Who names a provider means its own address. Who names nothing has not said where their words may go.
    let named = provider.origin != Origin::Default;
    let default_url = || {
        let address = provider.value.address.filter(|_| named)?;
        Some(Resolved::new(address.to_owned(), Origin::Default))
    };
    let url = overrides.endpoint.clone().or(own_url).or_else(default_url);
    let model = overrides.model.clone().or_else(|| profile.model.clone());
    let (url, model) = match (url, model) {
        (Some(url), Some(model)) => (url, model),
        (None, model) => {
            let place = model.as_ref().map_or_else(Place::default, |model| model.origin.place());
            let what =
                model.map_or_else(|| format!("the profile `{name}`"), |model| format!("the model `{}`", model.value));
            problems.error_at(&place, "missing-key", format!("{what} has no address")).help(address_help(&provider));
            return None;
        }
        (Some(url), None) => {
            let message = format!("the endpoint `{name}` has no model");
            let help = "set `model`, ELENCHUS_MODEL or --model";
            problems.error_at(&url.origin.place(), "missing-key", message).help(help);
            return None;
        }
    };
    let mut endpoint = match Endpoint::new(name, provider.value.protocol, &url.value, &model.value) {
        Ok(endpoint) => endpoint,
        Err(error) => {
            problems.error_at(&url.origin.place(), "bad-url", error.to_string().trim_end_matches('.'));
            return None;
        }
    };
    // A profile's secrets are for the profile's own address; a flag or variable that leads elsewhere leaves them behind.
    let trusted = match own_address(profile) {
        Some(own) => has_host(&endpoint, &own),
        None => overrides.endpoint.is_none() && overrides.provider.is_none(),
    };
    fill(&mut endpoint, profile, trusted, surroundings, problems);
    let foreign = overrides.key_home.as_ref().filter(|home| !has_host(&endpoint, home));
    let of_profile = trusted && overrides.key_env.is_none();
    // Who names a provider and an address of their own there means the provider's usual key.
    let usual = provider.value.key_variable.filter(|_| trusted && profile.provider.is_some());
    let usual = usual.map(|name| Resolved::new(name.to_owned(), Origin::Default));
    let stated = overrides.key_env.clone().or_else(|| profile.key_env.clone().filter(|_| trusted));
    // A server on this machine that is named by its provider wants no key: one that is set is for another endpoint.
    let keyless = overrides.provider.is_some() && provider.value.key_variable.is_none();
    let places = KeyPlaces {
        own_variable: overrides.in_use && foreign.is_none() && !keyless,
        variable: stated.or_else(|| usual.filter(|_| provider.value.address.is_none())),
        keyring: profile.key_keyring.clone().filter(|_| of_profile),
        command: profile.key_command.clone().filter(|_| of_profile),
    };
    let key_origin = key::find(&places, &mut endpoint, surroundings, problems);
    let key = Explained { key: "key".to_owned(), value: in_words(&endpoint.key_source()), origin: key_origin };
    let belongs = Explained { key: "key_host".to_owned(), value: endpoint.host(), origin: url.origin.clone() };
    let mut explained = vec![
        url.explain("endpoint", |_| endpoint.address()),
        model.explain("model", String::clone),
        provider.explain("provider", |provider| provider.name.to_owned()),
        key,
    ];
    explained.extend((endpoint.key_source() != KeySource::Missing).then_some(belongs));
    explained.extend(profile.explain(&endpoint));
    Some(ResolvedEndpoint { endpoint, explained })
}

/// What to do about a missing address.
fn address_help(provider: &Resolved<&'static Preset>) -> String {
    if provider.origin != Origin::Default && provider.value.address.is_none() {
        let name = provider.value.name;
        return format!(
            "every customer of {name} has an address of their own: set `endpoint` in the profile, ELENCHUS_ENDPOINT or \
             --endpoint to yours"
        );
    }
    "name it: `endpoint` in a profile, ELENCHUS_ENDPOINT or --endpoint; in the app `/model http://127.0.0.1:11434/v1 NAME`"
        .to_owned()
}

fn in_words(key: &KeySource) -> String {
    if *key == KeySource::Missing { "none".to_owned() } else { key.to_string() }
}

fn has_host(endpoint: &Endpoint, url: &str) -> bool {
    host_of(url).is_some_and(|host| host == endpoint.host())
}

/// Host and port of an address.
fn host_of(url: &str) -> Option<String> {
    Endpoint::new("", Provider::OpenAi, url, "").ok().map(|endpoint| endpoint.host())
}

/// The profiles, each with its model and where that is.
pub(super) fn profiles(raw: &SettingsFile) -> Vec<(String, String)> {
    let leads_to = |profile: &RawProfile| {
        let model = profile.model.as_ref().map(|model| model.value.clone());
        let host = own_address(profile).and_then(|address| host_of(&address));
        [model, host].into_iter().flatten().collect::<Vec<_>>().join(" at ")
    };
    raw.profiles.iter().map(|(name, profile)| (name.clone(), leads_to(profile))).collect()
}

/// Every host that a profile names.
pub(super) fn hosts(raw: &SettingsFile) -> Vec<String> {
    raw.profiles.iter().filter_map(|(_, profile)| host_of(&own_address(profile)?)).collect()
}

/// The address that a profile names: in full, or by the name of a provider.
fn own_address(profile: &RawProfile) -> Option<String> {
    let provider = || Preset::named(&profile.provider.as_ref()?.value)?.address.map(str::to_owned);
    profile.endpoint.as_ref().map(|own| own.value.clone()).or_else(provider)
}

fn provider(profile: &RawProfile, overrides: &Overrides, problems: &mut Problems) -> Option<Resolved<&'static Preset>> {
    let named = overrides.provider.clone().or_else(|| profile.provider.clone());
    let Some(named) = named else {
        let url = overrides.endpoint.clone().or_else(|| profile.endpoint.clone());
        let anthropic = Preset::named("anthropic")?;
        let is_anthropic = url.is_some_and(|url| anthropic.address.is_some_and(|own| url.value.starts_with(own)));
        let preset = if is_anthropic { anthropic } else { Preset::named("openai")? };
        return Some(Resolved::new(preset, Origin::Default));
    };
    if let Some(preset) = Preset::named(&named.value) {
        return Some(Resolved::new(preset, named.origin));
    }
    let known = PRESETS.iter().map(|preset| preset.name);
    let all = format!("the providers are {}", known.clone().collect::<Vec<_>>().join(", "));
    let message = format!("there is no provider `{}`", named.value);
    problems.error_at(&named.origin.place(), "unknown-word", message).suggest_or(&named.value, known, all);
    None
}

/// Takes over what only the profile says.
fn fill(
    endpoint: &mut Endpoint,
    profile: &RawProfile,
    trusted: bool,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) {
    let small = |stated: &Resolved<Count>| stated.value.small();
    endpoint.timeouts = timeouts(profile);
    endpoint.price = price(profile, problems);
    endpoint.context_window = profile.context_window.as_ref().map(small);
    endpoint.warm_up = profile.warm_up.as_ref().map(|stated| stated.value);
    endpoint.small_model = profile.small_model.as_ref().map(|stated| stated.value);
    endpoint.max_output_tokens = profile.max_output_tokens.as_ref().map(small);
    endpoint.retry.attempts = profile.attempts.as_ref().map_or(endpoint.retry.attempts, small);
    endpoint.proxy = profile.proxy.as_ref().map(|stated| SecretString::from(stated.value.clone()));
    endpoint.insecure_http = trusted && profile.insecure_http.as_ref().is_some_and(|stated| stated.value);
    let extra = profile.extra.as_ref().filter(|_| trusted);
    for (stated, name) in extra.into_iter().flat_map(|stated| PAST_CAPS.map(|name| (stated, name))) {
        if stated.value.0.contains_key(name) {
            let message = format!("`{name}` in `extra` would get past the caps");
            problems.error_at(&stated.origin.place(), "bad-value", message).help("set `max_output_tokens`");
        }
    }
    endpoint.extra_body = extra.map(|stated| stated.value.0.clone()).unwrap_or_default();
    let Some(headers) = profile.headers.as_ref().filter(|_| trusted) else { return };
    for (name, value) in &headers.value.0 {
        // `$NAME` takes the value from the environment, so that a secret need not stand in the file.
        endpoint.headers_from_environment |= value.starts_with('$');
        let value = match value.strip_prefix('$') {
            None => value.clone(),
            Some(variable) => surroundings.variable(variable).unwrap_or_else(|| {
                let message = format!("the header `{name}` needs {variable}, which is not set");
                problems.error_at(&headers.origin.place(), "not-set", message);
                String::new()
            }),
        };
        endpoint.headers.push((name.clone(), SecretString::from(value)));
    }
}

fn timeouts(profile: &RawProfile) -> Timeouts {
    let (raw, defaults) = (&profile.timeouts, Timeouts::default());
    let seconds = |stated: &Option<Resolved<Amount>>, default: Duration| {
        let stated = stated.as_ref().filter(|stated| stated.value.0 > 0.0);
        stated.and_then(|stated| Duration::try_from_secs_f64(stated.value.0).ok()).unwrap_or(default)
    };
    Timeouts {
        connect: seconds(&raw.connect, defaults.connect),
        first_byte: seconds(&raw.first_byte, defaults.first_byte),
        stall: seconds(&raw.stall, defaults.stall),
        total: seconds(&raw.total, defaults.total),
    }
}

fn price(profile: &RawProfile, problems: &mut Problems) -> Option<Price> {
    let raw = &profile.price;
    let cached = raw.cached.as_ref().map(|stated| stated.value.0);
    match (&raw.input, &raw.output) {
        (Some(input), Some(output)) => Some(Price { input: input.value.0, cached, output: output.value.0 }),
        (None, None) if cached.is_none() => None,
        (input, output) => {
            let stated = input.as_ref().or(output.as_ref()).or(raw.cached.as_ref());
            let place = stated.map_or_else(Place::default, |stated| stated.origin.place());
            problems.error_at(&place, "missing-key", "`price` needs both `input` and `output`");
            None
        }
    }
}
