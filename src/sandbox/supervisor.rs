//! The supervisor: stays beside a program that has no PID namespace and ends what it leaves.
//!
//! Processes that lose their parent become children of the supervisor, however they tried to get away, so it finds all
//! of them. It outlives us for as long as it takes to end them: the system tells it when we die.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, set_child_subreaper,
    set_parent_process_death_signal, wait,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

use super::helper::{Orders, WORD};
use super::processes::descendants;

/// The signal that asks for everything to be ended.
pub(crate) const END: Signal = Signal::USR1;

/// Runs the program under another helper, waits for it, and ends what it leaves. It ends as the program did.
pub(super) fn run(orders: &Orders, line: &[OsString]) -> io::Result<()> {
    // Those that the whole group gets are for the program; taken here, they only do not end the supervisor.
    let mut signals = Signals::new([SIGCHLD, SIGUSR1, SIGTERM, SIGINT, SIGHUP, SIGQUIT])?;
    set_child_subreaper(Some(getpid()))?;
    set_parent_process_death_signal(Some(END))?;
    // Who started this may have died before the line above.
    if getppid().map(|parent| parent.as_raw_nonzero().get().unsigned_abs()) != Some(orders.parent) {
        return Ok(());
    }
    let inner = Orders { supervise: false, ..orders.clone() }.to_argument()?;
    let child = Command::new(std::env::current_exe()?).arg(WORD).arg(inner).args(line).spawn()?;
    let program = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    for signal in signals.forever() {
        let ended = collect(program);
        if signal == SIGUSR1 || ended.is_some() {
            end_all();
            match ended {
                Some(status) => end_like(status),
                None => return Ok(()),
            }
        }
    }
    Ok(())
}

/// The beginning of a command line that runs a program of the user's under a supervisor: `program` is our own. Nothing is
/// kept from it.
pub(super) fn line(program: &Path) -> io::Result<Vec<OsString>> {
    Ok(vec![program.as_os_str().to_owned(), WORD.into(), Orders::to_supervise().to_argument()?])
}

/// Asks a supervisor, by its process id, to end everything and then itself.
pub(super) fn end(supervisor: u32) {
    if let Some(pid) = i32::try_from(supervisor).ok().and_then(Pid::from_raw) {
        // It fails where it has ended already.
        let _ = kill_process(pid, END);
    }
}

/// Collects the processes that have ended, and says how the program did if it is one of them.
fn collect(program: Option<Pid>) -> Option<WaitStatus> {
    let mut ended = None;
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if Some(pid) == program {
            ended = Some(status);
        }
    }
    ended
}

/// Ends every process that stems from this one.
fn end_all() {
    loop {
        for pid in descendants(getpid()) {
            let _ = kill_process(pid, Signal::KILL);
        }
        // Each that ends hands its own children on to us, so they are looked for again until there are none.
        if wait(WaitOptions::empty()).is_err() {
            return;
        }
    }
}

/// Ends as the program did, so that the reason is seen from outside.
fn end_like(status: WaitStatus) -> ! {
    if let Some(signal) = status.terminating_signal() {
        // It comes back only from a signal that it does not know.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        std::process::exit(signal.saturating_add(128));
    }
    std::process::exit(status.exit_status().unwrap_or(1))
}
