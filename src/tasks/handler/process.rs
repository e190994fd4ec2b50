//! Runs a program that is not trusted: no shell, a clean environment, a folder of its own, limits on everything,
//! and no process left behind.
//!
//! A program and its children form a process group, which is ended as a whole. Children that leave the group are found
//! by a mark in their environment, where the system shows it (Linux).

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::time::{sleep, timeout};

use super::Progress;
use crate::tasks::failure::{AttemptFailure, FailureKind};
use crate::tasks::sanitise;

/// The variable that marks a process as part of a task.
const MARK: &str = "ELENCHUS_TASK";
/// Lines of progress beyond this are read and dropped.
const MAX_PROGRESS: usize = 200;
/// The longest line of progress, in bytes as it comes.
const MAX_LINE: u64 = 2_000;

/// What a program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of output.
    pub output: usize,
    /// Bytes of memory, for it and for each of its children (Linux).
    pub memory: u64,
    /// Bytes of a file that it writes (Linux).
    pub file: u64,
    /// Time between asking it to end and ending it.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { output: 256 * 1024, memory: 1 << 30, file: 64 << 20, grace: Duration::from_secs(2) }
    }
}

/// A program to be run once.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    pub program: &'a Path,
    pub args: &'a [String],
    pub folder: &'a Path,
    /// What its processes are marked with.
    pub mark: &'a str,
    pub input: &'a [u8],
    pub time: Duration,
    /// What else it may use.
    pub limits: &'a Limits,
}

/// Runs a program to its end and returns what it wrote. Dropping the future ends it at once.
pub async fn run(invocation: Invocation<'_>, progress: Progress<'_>) -> Result<Vec<u8>, AttemptFailure> {
    let mut child = spawn(&invocation)?;
    let group = Group { leader: child.id(), mark: invocation.mark };
    group.limit(&invocation);
    let outcome = tokio::select! {
        outcome = converse(&mut child, &group, &invocation, progress) => outcome,
        () = sleep(invocation.time) => Err(AttemptFailure {
            kind: FailureKind::Stuck,
            message: format!("it did not finish within {} s", invocation.time.as_secs()),
        }),
    };
    if outcome.is_err() {
        group.ask_to_end();
        // Whether it went by itself makes no difference: the group is ended either way.
        let _ = timeout(invocation.limits.grace, child.wait()).await;
    }
    drop(group);
    // Collects the process; the signal that ended it was sent above.
    let _ = timeout(invocation.limits.grace, child.wait()).await;
    outcome
}

fn spawn(invocation: &Invocation<'_>) -> Result<Child, AttemptFailure> {
    let mut command = Command::new(invocation.program);
    command
        .args(invocation.args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()))
        .env("HOME", invocation.folder)
        .env("TMPDIR", invocation.folder)
        .env("LANG", "C.UTF-8")
        .env(MARK, invocation.mark)
        .current_dir(invocation.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().map_err(|error| {
        AttemptFailure::hopeless(format!(
            "{} cannot be started: {error}",
            sanitise::line(&invocation.program.to_string_lossy(), 200)
        ))
    })
}

/// Feeds the program, follows its progress and reads its output until it ends.
async fn converse(
    child: &mut Child,
    group: &Group<'_>,
    invocation: &Invocation<'_>,
    progress: Progress<'_>,
) -> Result<Vec<u8>, AttemptFailure> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ended = async {
        let status =
            child.wait().await.map_err(|error| AttemptFailure::failed(format!("it could not be awaited: {error}")))?;
        // Children that still hold its output would keep the reading from coming to an end.
        group.end();
        Ok(status)
    };
    let (status, output, last_words, ()) = tokio::try_join!(
        ended,
        read_capped(stdout, invocation.limits.output),
        follow(stderr, progress),
        feed(stdin, invocation.input),
    )?;
    if status.success() { Ok(output) } else { Err(AttemptFailure::failed(ending(status, &last_words))) }
}

/// Gives the program its input. One that does not read it is none the worse for it.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) -> Result<(), AttemptFailure> {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input).await;
        let _ = stdin.shutdown().await;
    }
    Ok(())
}

async fn read_capped(stdout: Option<impl AsyncRead + Unpin>, limit: usize) -> Result<Vec<u8>, AttemptFailure> {
    let Some(mut stdout) = stdout else { return Ok(Vec::new()) };
    let mut output = Vec::new();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match stdout.read(&mut buffer).await {
            Ok(0) => return Ok(output),
            Ok(count) => output.extend_from_slice(&buffer[..count]),
            Err(error) => return Err(AttemptFailure::failed(format!("its output cannot be read: {error}"))),
        }
        if output.len() > limit {
            return Err(AttemptFailure::failed(format!("it wrote more than {} KiB", limit / 1024)));
        }
    }
}

/// Passes on the lines of the error output as progress, and returns the last.
async fn follow(stderr: Option<ChildStderr>, progress: Progress<'_>) -> Result<String, AttemptFailure> {
    let Some(stderr) = stderr else { return Ok(String::new()) };
    let (mut reader, mut last, mut told) = (BufReader::new(stderr), String::new(), 0);
    loop {
        let mut line = Vec::new();
        let mut piece = (&mut reader).take(MAX_LINE);
        if !matches!(piece.read_until(b'\n', &mut line).await, Ok(count) if count > 0) {
            return Ok(last);
        }
        let clean = sanitise::line(&String::from_utf8_lossy(&line), 160);
        if !clean.is_empty() {
            if told < MAX_PROGRESS && clean != last {
                told += 1;
                progress(&clean);
            }
            last = clean;
        }
    }
}

/// How the program ended, in words.
fn ending(status: ExitStatus, last_words: &str) -> String {
    let said = if last_words.is_empty() { String::new() } else { format!(": {last_words}") };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("it was ended by signal {signal}{said}");
    }
    format!("it ended with status {}{said}", status.code().unwrap_or(-1))
}

/// The processes of one program. Dropping it ends all of them.
struct Group<'a> {
    leader: Option<u32>,
    mark: &'a str,
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
impl Group<'_> {
    fn pid(&self) -> Option<rustix::process::Pid> {
        self.leader.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw)
    }

    fn ask_to_end(&self) {
        if let Some(pid) = self.pid() {
            // It fails where the group has ended already.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::TERM);
        }
    }

    /// Ends the whole group, and the processes that have left it.
    fn end(&self) {
        if let Some(pid) = self.pid() {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        sweep(self.mark);
    }

    /// Limits the program as long as it runs, and the children it starts from now on.
    #[cfg(target_os = "linux")]
    fn limit(&self, invocation: &Invocation<'_>) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let Some(pid) = self.pid() else { return };
        let seconds = invocation.time.as_secs().saturating_add(invocation.limits.grace.as_secs()).saturating_add(1);
        let limits = [
            (Resource::Data, invocation.limits.memory),
            (Resource::Fsize, invocation.limits.file),
            (Resource::Cpu, seconds),
            (Resource::Core, 0),
            (Resource::Nofile, 256),
        ];
        for (resource, most) in limits {
            // It fails where the program has ended already, or where the system allows still less than this.
            let _ = prlimit(Some(pid), resource, Rlimit { current: Some(most), maximum: Some(most) });
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn limit(&self, _: &Invocation<'_>) {}
}

#[cfg(not(unix))]
impl Group<'_> {
    fn ask_to_end(&self) {}
    fn end(&self) {}
    fn limit(&self, _: &Invocation<'_>) {}
}

/// Ends every process that carries a mark, among them those that a killed process of ours left behind.
#[cfg(target_os = "linux")]
pub(crate) fn sweep(mark: &str) {
    let wanted = format!("{MARK}={mark}");
    // A process may fork while the list is read; what it forked carries the mark too.
    for _ in 0..3 {
        let marked = marked(wanted.as_bytes());
        if marked.is_empty() {
            return;
        }
        for pid in marked {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(target_os = "linux")]
fn marked(wanted: &[u8]) -> Vec<rustix::process::Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let carries = |id: &i32| {
        std::fs::read(format!("/proc/{id}/environ"))
            .is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == wanted))
    };
    ids.filter(carries).filter_map(rustix::process::Pid::from_raw).collect()
}

/// Where the system does not show environments, the group is all that can be ended.
#[cfg(not(target_os = "linux"))]
pub(crate) fn sweep(_: &str) {}
