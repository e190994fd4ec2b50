//! A key, and the name of the place it came from.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::timeout;

use super::status::legible;
use crate::engine::sensitive::redact;

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
    /// Variables that the program is not given: they hold other keys.
    withheld: Vec<String>,
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
            held: Arc::new(Mutex::new(Some((secret, Instant::now())))),
        }
    }

    /// A key that a program prints.
    pub fn printed_by(command: Vec<String>) -> Self {
        let program = command.first().cloned().unwrap_or_default();
        Self { source: KeySource::Command(program), command, withheld: Vec::new(), held: Arc::default() }
    }

    /// Keeps variables from the program that prints it.
    pub fn without(&mut self, variables: &[String]) {
        variables.clone_into(&mut self.withheld);
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
        let secret = printed(&self.command, &self.withheld).await?;
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
async fn printed(command: &[String], withheld: &[String]) -> Result<SecretString, String> {
    let Some((program, arguments)) = command.split_first() else { return Err("`key_command` is empty".to_owned()) };
    let failed = |why: String| format!("`key_command`: `{program}` {why}");
    let mut run = Command::new(program);
    run.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    for variable in withheld {
        run.env_remove(variable);
    }
    let (succeeded, key, said) = match timeout(PATIENCE, output(run)).await {
        Err(_) => return Err(failed(format!("took longer than {} seconds", PATIENCE.as_secs()))),
        Ok(Err(error)) => return Err(failed(format!("cannot be started: {error}"))),
        Ok(Ok(output)) => output,
    };
    if key.len() > LONGEST {
        return Err(failed(format!("prints more than a key: {} KiB are allowed", LONGEST >> 10)));
    }
    if !succeeded {
        // A script that shows what it does may show the key as well.
        let said = redact(&String::from_utf8_lossy(&said));
        let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it does not say why");
        return Err(failed(format!("failed: {}", legible(first))));
    }
    let key = String::from_utf8(key).ok().map(SecretString::from);
    let key = key.filter(|key| !key.expose_secret().trim().is_empty());
    let key = key.ok_or_else(|| failed("printed no key".to_owned()))?;
    Ok(SecretString::from(key.expose_secret().trim().to_owned()))
}

/// Runs a program: whether it succeeded, and the beginning of what it printed and said. One that prints without end is
/// not waited for.
async fn output(mut run: Command) -> std::io::Result<(bool, Vec<u8>, Vec<u8>)> {
    let mut child = run.spawn()?;
    let (mut key, mut said) = (Vec::new(), Vec::new());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    tokio::try_join!(beginning(stdout, &mut key), beginning(stderr, &mut said))?;
    if key.len() > LONGEST || said.len() > LONGEST {
        child.kill().await?;
    }
    Ok((child.wait().await?.success(), key, said))
}

/// Reads up to a byte more than a key may have.
async fn beginning(from: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) -> std::io::Result<()> {
    if let Some(from) = from {
        from.take(LONGEST as u64 + 1).read_to_end(into).await?;
    }
    Ok(())
}
