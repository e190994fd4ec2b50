//! A key, and the name of the place it came from.

use secrecy::SecretString;

/// Where a key came from, so that messages can name the place without the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A variable of the environment.
    Variable(String),
    /// An entry of the system keyring.
    Keyring(String),
    /// The variable that should hold the key is not set.
    Unset(String),
    /// There is no key.
    Missing,
}

impl std::fmt::Display for KeySource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Variable(name) => write!(formatter, "the key in {name}"),
            Self::Keyring(name) => write!(formatter, "the key `{name}` of the keyring"),
            Self::Unset(name) => write!(formatter, "the key in {name}, which is not set"),
            Self::Missing => formatter.write_str("a request without a key"),
        }
    }
}

/// A key and where it came from.
#[derive(Debug, Clone)]
pub struct Key {
    /// The key itself, wiped from memory when dropped and never printed.
    pub secret: SecretString,
    /// Where it came from.
    pub source: KeySource,
}
