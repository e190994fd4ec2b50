//! Runs the command that prints a key. Nothing of it is left when it has ended, when it takes too long, or when it is no
//! longer waited for.

use std::ffi::OsString;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::timeout;

use super::status::legible;
use crate::engine::sensitive::redact;

/// How long a command may take that yields a key: some ask a person to unlock them first.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest key in bytes: tokens of clouds have some thousands.
const LONGEST: usize = 16 << 10;

/// A process that stays beside the command, ends what it leaves, and ends all of it when we are gone.
#[derive(Debug, Clone)]
pub struct Supervisor {
    /// The beginning of its command line; the command follows.
    pub line: Vec<OsString>,
    /// Asks the one with that process id to end everything.
    pub end: fn(u32),
}

/// What a program prints, without the white space around it.
pub(super) async fn printed(
    command: &[String],
    withheld: &[String],
    supervisor: Option<&Supervisor>,
) -> Result<SecretString, String> {
    let Some(program) = command.first() else { return Err("`key_command` is empty".to_owned()) };
    let failed = |why: String| format!("`key_command`: `{program}` {why}");
    let run = line(command, withheld, supervisor);
    let (succeeded, key, said) = match timeout(PATIENCE, output(run, supervisor)).await {
        Err(_) => return Err(failed(format!("took longer than {} seconds", PATIENCE.as_secs()))),
        Ok(Err(error)) => return Err(failed(format!("cannot be started: {error}"))),
        Ok(Ok(output)) => output,
    };
    if key.len() > LONGEST {
        return Err(failed(format!("prints more than a key: {} KiB are allowed", LONGEST >> 10)));
    }
    if !succeeded || said.len() > LONGEST {
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

/// The command line, behind that of the supervisor where there is one.
fn line(command: &[String], withheld: &[String], supervisor: Option<&Supervisor>) -> Command {
    let before = supervisor.map(|supervisor| supervisor.line.as_slice()).unwrap_or_default();
    let mut words = before.iter().cloned().chain(command.iter().map(OsString::from));
    let mut run = Command::new(words.next().unwrap_or_default());
    run.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A supervisor must live until it has ended the others.
    run.kill_on_drop(supervisor.is_none());
    // Its own group, so that all of it can be ended. Under a supervisor it keeps ours, and may ask at the terminal.
    #[cfg(unix)]
    if supervisor.is_none() {
        run.process_group(0);
    }
    for variable in withheld {
        run.env_remove(variable);
    }
    run
}

/// Runs a program: whether it succeeded, and the beginning of what it printed and said. One that prints without end is
/// not waited for.
async fn output(mut run: Command, supervisor: Option<&Supervisor>) -> std::io::Result<(bool, Vec<u8>, Vec<u8>)> {
    let mut child = run.spawn()?;
    let processes = Processes { id: child.id(), supervisor, over: AtomicBool::new(false) };
    let (mut key, mut said) = (Vec::new(), Vec::new());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ended = async {
        let status = child.wait().await?;
        // Children that still hold its output would keep the reading from coming to an end.
        processes.note_end();
        Ok(status)
    };
    let (status, (), ()) =
        tokio::try_join!(ended, beginning(stdout, &mut key, &processes), beginning(stderr, &mut said, &processes))?;
    Ok((status.success(), key, said))
}

/// Reads up to a byte more than a key may have; a program that prints more is ended.
async fn beginning(
    from: Option<impl AsyncRead + Unpin>,
    into: &mut Vec<u8>,
    processes: &Processes<'_>,
) -> std::io::Result<()> {
    if let Some(from) = from {
        from.take(LONGEST as u64 + 1).read_to_end(into).await?;
    }
    if into.len() > LONGEST {
        processes.end();
    }
    Ok(())
}

/// The processes of the command. Dropping it ends all of them.
struct Processes<'a> {
    id: Option<u32>,
    supervisor: Option<&'a Supervisor>,
    /// Whether all of them are gone: their numbers may be those of others by now.
    over: AtomicBool,
}

impl Processes<'_> {
    fn end(&self) {
        let Some(id) = self.id.filter(|_| !self.over.load(Ordering::Relaxed)) else { return };
        match self.supervisor {
            Some(supervisor) => (supervisor.end)(id),
            None => end_group(id),
        }
    }

    /// The command has ended: a supervisor has ended the rest by then, a group is ended now.
    fn note_end(&self) {
        if self.supervisor.is_none() {
            self.end();
        }
        self.over.store(true, Ordering::Relaxed);
    }
}

impl Drop for Processes<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn end_group(leader: u32) {
    if let Some(group) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) {
        // It fails where all of them have ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: u32) {}
