//! A key, and the name of the place it came from.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};
use tokio::process::Command;
use tokio::time::timeout;

use super::status::legible;

/// How long a command may take that yields a key: some ask a person to unlock them first.
const PATIENCE: Duration = Duration::from_mins(1);
/// The longest key in bytes: tokens of clouds have some thousands.
const LONGEST: usize = 16 << 10;
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
    /// The key itself, wiped from memory when dropped and never printed, and since when it is here.
    held: Arc<Mutex<Option<(SecretString, Instant)>>>,
}

impl Key {
    /// A key that is here.
    pub fn new(secret: impl Into<String>, source: KeySource) -> Self {
        let secret = SecretString::from(secret.into());
        Self { source, command: Vec::new(), held: Arc::new(Mutex::new(Some((secret, Instant::now())))) }
    }

    /// A key that a program prints.
    pub fn printed_by(command: Vec<String>) -> Self {
        let program = command.first().cloned().unwrap_or_default();
        Self { source: KeySource::Command(program), command, held: Arc::default() }
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
        let secret = printed(&self.command).await?;
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

/// What a program prints, without the white space around it.
async fn printed(command: &[String]) -> Result<SecretString, String> {
    let Some((program, arguments)) = command.split_first() else { return Err("`key_command` is empty".to_owned()) };
    let failed = |why: String| format!("`key_command`: `{program}` {why}");
    let mut run = Command::new(program);
    run.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let output = match timeout(PATIENCE, run.output()).await {
        Err(_) => return Err(failed(format!("took longer than {} seconds", PATIENCE.as_secs()))),
        Ok(Err(error)) => return Err(failed(format!("cannot be started: {error}"))),
        Ok(Ok(output)) => output,
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it does not say why");
        return Err(failed(format!("failed: {}", legible(first))));
    }
    let key = String::from_utf8(output.stdout).ok().map(SecretString::from);
    let usable = |key: &SecretString| (1..=LONGEST).contains(&key.expose_secret().trim().len());
    let key = key.filter(usable).ok_or_else(|| failed("printed no key".to_owned()))?;
    Ok(SecretString::from(key.expose_secret().trim().to_owned()))
}
