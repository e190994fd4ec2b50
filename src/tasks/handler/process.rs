//! Runs a program that is not trusted: in the sandbox, without a shell, with a clean environment, a folder of its own,
//! limits on everything, and no process left behind.
//!
//! What ends its processes depends on the sandbox: bubblewrap's namespace, or the supervisor that stays beside it. Those
//! that got away from a supervisor are found by a mark in their environment, where the system shows it (Linux).

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::{Progress, disk_use};
use crate::sandbox::{Bounds, Confined, Confinement, Grant, Sandbox};
use crate::tasks::failure::{AttemptFailure, FailureKind};
use crate::tasks::sanitise;

/// The variable that marks a process as part of a task.
const MARK: &str = "ELENCHUS_TASK";
/// Lines of progress beyond this are read and dropped.
const MAX_PROGRESS: usize = 200;
/// The longest line of progress, in bytes as it comes.
const MAX_LINE: u64 = 2_000;
/// How often it is looked at how many processes there are and how much they have written.
const LOOK: Duration = Duration::from_millis(100);

/// What a program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of output.
    pub output: usize,
    /// Bytes of memory, for it and for each of its children (Linux).
    pub memory: u64,
    /// Bytes of a file that it writes (Linux).
    pub file: u64,
    /// Bytes of all files that it writes in its folder.
    pub disk: u64,
    /// Processes at once, with those of the sandbox and those that have ended and were not collected (Linux).
    pub processes: usize,
    /// Threads of all of them (Linux).
    pub threads: usize,
    /// Time between asking it to end and ending it.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            output: 256 * 1024,
            memory: 1 << 30,
            file: 64 << 20,
            disk: 256 << 20,
            processes: 64,
            threads: 512,
            grace: Duration::from_secs(2),
        }
    }
}

/// A program to be run once.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    pub program: &'a Path,
    pub args: &'a [String],
    pub place: Place<'a>,
    pub sandbox: &'a Sandbox,
    pub grant: &'a Grant,
    /// What its processes are marked with.
    pub mark: &'a str,
    pub input: &'a [u8],
    pub time: Duration,
    /// What else it may use.
    pub limits: &'a Limits,
}

/// The folders of a program.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Where it works.
    pub home: &'a Path,
    /// What it finds as `/tmp`, where the sandbox can do that.
    pub scratch: &'a Path,
    /// The files it brings.
    pub own: Option<&'a Path>,
}

/// Runs a program to its end and returns what it wrote. Dropping the future ends it at once.
pub async fn run(invocation: Invocation<'_>, progress: Progress<'_>) -> Result<Vec<u8>, AttemptFailure> {
    let mut child = spawn(&invocation)?;
    let group = Group::of(&child, &invocation);
    let outcome = tokio::select! {
        outcome = converse(&mut child, &group, &invocation, progress) => outcome,
        failure = watch(&group, &invocation) => Err(failure),
        () = sleep(invocation.time) => Err(AttemptFailure {
            kind: FailureKind::Stuck,
            message: format!("it did not finish within {} s", invocation.time.as_secs()),
        }),
    };
    if outcome.is_err() && !group.is_over() {
        group.ask_to_end();
        // Whether it went by itself makes no difference: the rest is ended either way.
        group.note_end(timeout(invocation.limits.grace, child.wait()).await.is_ok());
    }
    group.end();
    // Collects the process; the signal that ended it was sent above.
    group.note_end(timeout(invocation.limits.grace, child.wait()).await.is_ok());
    outcome
}

fn spawn(invocation: &Invocation<'_>) -> Result<Child, AttemptFailure> {
    let Invocation { program, args, place, grant, limits, .. } = *invocation;
    let seconds = invocation.time.as_secs().saturating_add(limits.grace.as_secs()).saturating_add(1);
    let run = Confined {
        program,
        args,
        home: place.home,
        scratch: place.scratch,
        own: place.own,
        grant,
        bounds: Bounds { memory: limits.memory, file: limits.file, seconds },
        mark: (MARK, invocation.mark),
    };
    let unable = |error: std::io::Error| {
        AttemptFailure::hopeless(format!(
            "{} cannot be started: {error}",
            sanitise::line(&program.to_string_lossy(), 200)
        ))
    };
    let mut command = Command::from(invocation.sandbox.command(&run).map_err(unable)?);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Its own group, so that keys pressed at our terminal do not reach it.
    #[cfg(unix)]
    command.process_group(0);
    // On Linux its supervisor is asked to end, and must live until it has ended the others.
    command.kill_on_drop(!cfg!(target_os = "linux"));
    command.spawn().map_err(unable)
}

/// Comes back once the program has too many processes, shares too much memory among them, or has written too much.
async fn watch(group: &Group<'_>, invocation: &Invocation<'_>) -> AttemptFailure {
    let Limits { processes, threads, disk, memory, file, .. } = *invocation.limits;
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let living = group.living();
        if living.len() > processes {
            return AttemptFailure::failed(format!("it started more than {processes} processes"));
        }
        if threads_of(&living) > threads {
            return AttemptFailure::failed(format!("it started more than {threads} threads"));
        }
        let nameless = disk_use::nameless(&living, file);
        if nameless.memory > memory {
            return AttemptFailure::failed(format!("it shared more than {} MiB of memory", memory >> 20));
        }
        let folders = [invocation.place.home, invocation.place.scratch];
        let written = disk_use::in_folders(&folders).map(|bytes| bytes.saturating_add(nameless.files));
        if written.is_none_or(|bytes| bytes > disk) {
            return AttemptFailure::failed(format!("it wrote more than {} MiB", disk >> 20));
        }
    }
}

/// The threads of these processes.
#[cfg(target_os = "linux")]
fn threads_of(processes: &[u32]) -> usize {
    processes.iter().map(|process| crate::sandbox::threads(*process)).sum()
}

#[cfg(not(target_os = "linux"))]
fn threads_of(_: &[u32]) -> usize {
    0
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
        group.note_end(true);
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
    #[cfg_attr(not(unix), allow(dead_code, reason = "there are no signals to send it"))]
    leader: Option<u32>,
    /// What is beside the program and ends its processes.
    by: Confinement,
    mark: &'a str,
    /// Whether the leader has been collected: its number may be another process's by now.
    over: AtomicBool,
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<'a> Group<'a> {
    fn of(child: &Child, invocation: &Invocation<'a>) -> Self {
        let by = invocation.sandbox.confinement();
        Self { leader: child.id(), by, mark: invocation.mark, over: AtomicBool::new(false) }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn note_end(&self, ended: bool) {
        self.over.fetch_or(ended, Ordering::Relaxed);
    }

    /// Ends all of them, those too that have left the group.
    fn end(&self) {
        self.end_leader();
        sweep(self.mark);
    }
}

#[cfg(unix)]
impl Group<'_> {
    fn pid(&self) -> Option<rustix::process::Pid> {
        let leader = self.leader.filter(|_| !self.is_over())?;
        rustix::process::Pid::from_raw(i32::try_from(leader).ok()?)
    }
}

#[cfg(target_os = "linux")]
impl Group<'_> {
    /// Those that are there, without the leader.
    fn living(&self) -> Vec<u32> {
        let all = self.pid().map(crate::sandbox::descendants).unwrap_or_default();
        all.iter().map(|pid| pid.as_raw_nonzero().get().unsigned_abs()).collect()
    }

    /// Asks the program and its children, not what is beside them.
    fn ask_to_end(&self) {
        for pid in self.pid().map(crate::sandbox::descendants).unwrap_or_default() {
            // It fails where one has ended already.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
    }

    /// Everything in bubblewrap's namespace ends with it; a supervisor is asked to end everything and then itself.
    fn end_leader(&self) {
        let signal = match self.by {
            Confinement::Bubblewrap => rustix::process::Signal::KILL,
            _ => crate::sandbox::END,
        };
        if let Some(pid) = self.pid() {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
impl Group<'_> {
    fn living(&self) -> Vec<u32> {
        Vec::new()
    }

    fn ask_to_end(&self) {
        if let Some(pid) = self.pid() {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::TERM);
        }
    }

    /// The number of a group stays its own as long as one of its processes lives.
    fn end_leader(&self) {
        let leader = self.leader.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = leader {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
impl Group<'_> {
    fn living(&self) -> Vec<u32> {
        Vec::new()
    }
    fn ask_to_end(&self) {}
    fn end_leader(&self) {}
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
