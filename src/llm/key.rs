//! A key, and the name of the place it came from.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use secrecy::SecretString;

use super::key_command::{self, Supervisor};

/// A key that was refused is asked for again if it is older than this: it may have run out.
const RUN_OUT: Duration = Duration::from_secs(20);

/// Where a key came from, so that messages can name the place without the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A variable of the environment.
    Variable(String),
    /// An entry of the system keyring.
    Keyring(String),
    /// What a program prints, by the name of the program.
    Command(String),
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
            Self::Command(program) => write!(formatter, "the key that `{program}` prints"),
            Self::Unset(name) => write!(formatter, "the key in {name}, which is not set"),
            Self::Missing => formatter.write_str("a request without a key"),
        }
    }
}

/// A key and where it came from. One that a command prints is asked for when it is first needed. Clones share it.
#[derive(Debug, Clone)]
pub struct Key {
    /// Where it came from.
    pub source: KeySource,
    /// The program and its arguments that print it.
    command: Vec<String>,
    /// Variables that the program is not given: they hold other keys.
    withheld: Vec<String>,
    /// What ends everything that the program leaves.
    supervisor: Option<Supervisor>,
    /// The key itself, wiped from memory when dropped and never printed, and since when it is here.
    held: Arc<Mutex<Option<(SecretString, Instant)>>>,
}

impl Key {
    /// A key that is here.
    pub fn new(secret: impl Into<String>, source: KeySource) -> Self {
        let secret = SecretString::from(secret.into());
        Self {
            source,
            command: Vec::new(),
            withheld: Vec::new(),
            supervisor: None,
            held: Arc::new(Mutex::new(Some((secret, Instant::now())))),
        }
    }

    /// A key that a program prints.
    pub fn printed_by(command: Vec<String>) -> Self {
        let program = command.first().cloned().unwrap_or_default();
        Self {
            source: KeySource::Command(program),
            command,
            withheld: Vec::new(),
            supervisor: None,
            held: Arc::default(),
        }
    }

    /// Keeps variables from the program that prints it.
    pub fn without(&mut self, variables: &[String]) {
        variables.clone_into(&mut self.withheld);
    }

    /// Has something stay beside the program that prints it, which ends all that the program leaves.
    pub fn supervised_by(&mut self, supervisor: Supervisor) {
        self.supervisor = Some(supervisor);
    }

    /// The key, if it is here already.
    pub fn secret(&self) -> Option<SecretString> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map(|(secret, _)| secret.clone())
    }

    /// Has a command print the key, unless it is here.
    pub(super) async fn fetch(&self) -> Result<(), String> {
        if self.secret().is_some() {
            return Ok(());
        }
        let secret = key_command::printed(&self.command, &self.withheld, self.supervisor.as_ref()).await?;
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some((secret, Instant::now()));
        Ok(())
    }

    /// Forgets a key that was refused, if it may have run out and can be asked for again.
    pub(super) fn run_out(&self) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let old = held.as_ref().is_some_and(|(_, since)| since.elapsed() > RUN_OUT);
        if old && !self.command.is_empty() {
            *held = None;
        }
        held.is_none()
    }
}
