//! Finds an endpoint's key: in the environment, the system keyring or what a program prints, never in a file.

use crate::llm::presets::Preset;
use crate::llm::{Endpoint, Key, KeySource};

use super::origin::{Origin, Resolved, Surroundings};
use crate::decode::Problems;

/// Goes before every source but a flag, for the profile in use.
pub(super) const OWN_VARIABLE: &str = "ELENCHUS_API_KEY";

/// Where a key may be, as far as settings say.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyPlaces {
    /// Whether `ELENCHUS_API_KEY` applies: only to the profile in use, not to those that roles name.
    pub own_variable: bool,
    /// A variable named by flag or profile.
    pub variable: Option<Resolved<String>>,
    /// An entry of the keyring.
    pub keyring: Option<Resolved<String>>,
    /// A program that prints it.
    pub command: Option<Resolved<Vec<String>>>,
}

/// Puts the key into the endpoint and says where it was found.
pub(super) fn find(
    places: &KeyPlaces,
    endpoint: &mut Endpoint,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) -> Origin {
    // A flag goes before every variable: the key that it names is meant for this address, and the other one is not.
    let flagged = places.variable.as_ref().is_some_and(|named| matches!(named.origin, Origin::Flag(_)));
    let own = (places.own_variable && !flagged).then(|| surroundings.variable(OWN_VARIABLE)).flatten();
    if let Some(secret) = own {
        endpoint.key = Some(from_variable(secret, OWN_VARIABLE));
        return Origin::Variable(OWN_VARIABLE.to_owned());
    }
    if let Some(entry) = &places.keyring {
        match (surroundings.keyring)(&entry.value) {
            Ok(secret) => {
                endpoint.key = Some(Key::new(secret, KeySource::Keyring(entry.value.clone())));
            }
            Err(why) => {
                problems.error_at(&entry.origin.place(), "no-key", format!("no key `{}`: {why}", entry.value));
            }
        }
        return entry.origin.clone();
    }
    if let Some(command) = &places.command {
        if command.value.first().is_none_or(|program| program.trim().is_empty()) {
            problems.error_at(&command.origin.place(), "no-key", "`key_command` names no program");
        }
        endpoint.key = Some(Key::printed_by(command.value.clone()));
        return command.origin.clone();
    }
    let Some(variable) = places.variable.clone().or_else(|| usual_variable(endpoint)) else { return Origin::Default };
    match surroundings.variable(&variable.value) {
        Some(secret) => endpoint.key = Some(from_variable(secret, &variable.value)),
        // No failure yet: doctor and the offline interviewer work without it, and a request will say what is missing.
        None => endpoint.key_variable = Some(variable.value),
    }
    variable.origin
}

fn from_variable(secret: String, name: &str) -> Key {
    Key::new(secret, KeySource::Variable(name.to_owned()))
}

/// The provider's usual variable, but only for the provider's own address: a key must not go to a server that it was
/// not meant for.
fn usual_variable(endpoint: &Endpoint) -> Option<Resolved<String>> {
    let name = Preset::at(endpoint.base_url().host_str()?)?.key_variable?;
    Some(Resolved::new(name.to_owned(), Origin::Default))
}

/// Reads an entry of the system keyring, of the service `elenchus`.
#[cfg(feature = "keyring")]
pub(super) fn from_keyring(entry: &str) -> Result<String, String> {
    let password = keyring::Entry::new("elenchus", entry).and_then(|entry| entry.get_password());
    password.map_err(|error| error.to_string())
}

/// Says that this build cannot read the keyring.
#[cfg(not(feature = "keyring"))]
pub(super) fn from_keyring(_entry: &str) -> Result<String, String> {
    Err("this build cannot read the keyring; build it with `--features keyring` or use `key_env`".to_owned())
}
