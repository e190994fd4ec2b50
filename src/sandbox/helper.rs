//! Our own program, started once more to limit itself and then become another one.
//!
//! The standard library starts programs in one step, and what has to happen between that step's two halves would take
//! unsafe code. So the step is made twice: we start ourselves, the copy puts its limits on, and then replaces itself by
//! the program. On Linux without bubblewrap a second copy stays and ends whatever the program leaves (`supervisor`).

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::{Bounds, Confined, Confinement, Sandbox, seatbelt, system};
#[cfg(target_os = "linux")]
use crate::files::unlinked;

/// The first argument by which the program knows that it is the helper. It is no command for people.
pub const WORD: &str = "__confined";

/// What a confined program may reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reach {
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
}

/// Something that was granted, and which file or folder it was when the orders were given: its device and number. Another
/// program may put something else in its place before this one starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Granted {
    pub path: PathBuf,
    pub writes: bool,
    identity: (u64, u64),
}

/// What the helper is told, as its second argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orders {
    /// Whether to stay, start another helper, and end what that leaves.
    pub(super) supervise: bool,
    /// Who gives them.
    pub(super) parent: u32,
    /// The files it may reach, where Landlock is to see to that.
    pub(super) reach: Option<Reach>,
    /// What was granted of the user's files. Where Landlock does not see to it, it is looked at before the program starts.
    pub(super) granted: Vec<Granted>,
    /// The profile, where `sandbox-exec` is to see to it.
    pub(super) profile: Option<String>,
    /// Whether anything holds it at all.
    pub(super) confined: bool,
    pub(super) network: bool,
    /// What it may use; `None` for a program of the user's, which keeps its terminal too.
    pub(super) bounds: Option<Bounds>,
    /// The variable that marks its processes.
    pub(super) mark: Option<(String, String)>,
}

impl Orders {
    pub(super) fn new(sandbox: &Sandbox, confinement: Confinement, run: &Confined<'_>) -> io::Result<Self> {
        let on_linux = cfg!(target_os = "linux");
        let held = on_linux && confinement != Confinement::None;
        Ok(Self {
            parent: std::process::id(),
            supervise: on_linux && confinement != Confinement::Bubblewrap,
            reach: (confinement == Confinement::Landlock).then(|| reach(sandbox, run)),
            granted: if held { granted(sandbox, run)? } else { Vec::new() },
            profile: (confinement == Confinement::Seatbelt).then(|| seatbelt::profile(sandbox, run)),
            confined: confinement != Confinement::None,
            network: run.network(),
            bounds: Some(run.bounds),
            mark: Some((run.mark.0.to_owned(), run.mark.1.to_owned())),
        })
    }

    /// For a program of the user's: nothing is kept from it, and nothing of it stays.
    #[cfg(target_os = "linux")]
    pub(super) fn to_supervise() -> Self {
        Self {
            parent: std::process::id(),
            supervise: true,
            reach: None,
            granted: Vec::new(),
            profile: None,
            confined: false,
            network: true,
            bounds: None,
            mark: None,
        }
    }

    pub(super) fn to_argument(&self) -> io::Result<OsString> {
        Ok(serde_json::to_string(self).map_err(io::Error::other)?.into())
    }
}

fn reach(sandbox: &Sandbox, run: &Confined<'_>) -> Reach {
    let system = system::roots(&sandbox.protected).into_iter().chain(system::settings());
    let own = run.own.map(ToOwned::to_owned);
    Reach { read: system.chain(own).collect(), write: [run.home, run.scratch].map(ToOwned::to_owned).into() }
}

/// What was granted, as it is now. A path that leads through a link is refused: grants are real paths when they are
/// agreed to, so a link was put there since.
#[cfg(target_os = "linux")]
fn granted(sandbox: &Sandbox, run: &Confined<'_>) -> io::Result<Vec<Granted>> {
    let read = run.grant.read.iter().map(|path| (path, false));
    let all = read.chain(run.grant.write.iter().map(|path| (path, true)));
    all.map(|(path, writes)| {
        let identity = unlinked::hold(path).and_then(|held| unlinked::identity(&held));
        let identity = identity.map_err(|error| changed(path, &error.to_string()))?;
        match sandbox.objection(path) {
            Some(objection) => Err(io::Error::other(objection)),
            None => Ok(Granted { path: path.clone(), writes, identity }),
        }
    })
    .collect()
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps, reason = "where something is held on to, it can fail")]
fn granted(_: &Sandbox, _: &Confined<'_>) -> io::Result<Vec<Granted>> {
    Ok(Vec::new())
}

#[cfg(target_os = "linux")]
impl Granted {
    /// The very file or folder that was granted, held on to; refused if something else is in its place.
    pub fn hold(&self) -> io::Result<std::fs::File> {
        let held = unlinked::hold(&self.path).map_err(|error| changed(&self.path, &error.to_string()))?;
        if unlinked::identity(&held)? == self.identity {
            Ok(held)
        } else {
            Err(changed(&self.path, "something else is in its place"))
        }
    }
}

#[cfg(target_os = "linux")]
fn changed(path: &std::path::Path, why: &str) -> io::Error {
    io::Error::other(format!("{}, which it was granted, was changed at this very moment: {why}", path.display()))
}

/// Does what the arguments after [`WORD`] say: limits this process and becomes the program that they name. It comes
/// back only if that fails, or if there is no program because it was only a trial.
pub fn become_confined(mut arguments: impl Iterator<Item = OsString>) -> Result<(), String> {
    let orders = arguments.next().unwrap_or_default();
    let orders: Orders = serde_json::from_str(&orders.to_string_lossy())
        .map_err(|error| format!("the sandbox has no orders: {error}"))?;
    let line: Vec<OsString> = arguments.collect();
    #[cfg(target_os = "linux")]
    if orders.supervise {
        return super::supervisor::run(&orders, &line).map_err(|error| format!("the sandbox failed: {error}"));
    }
    restrict(&orders).map_err(|error| format!("the sandbox cannot be set up: {error}"))?;
    match line.split_first() {
        None => Ok(()),
        Some((program, args)) => match replace(&orders, program, args) {
            Err(error) => {
                let place = if orders.confined { " in the sandbox" } else { "" };
                Err(format!("{} cannot be started{place}: {error}", program.to_string_lossy()))
            }
        },
    }
}

#[cfg(target_os = "linux")]
fn restrict(orders: &Orders) -> Result<(), String> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| error.to_string())?;
    if let Some(bounds) = orders.bounds {
        limit(bounds);
    }
    if !orders.confined {
        return Ok(());
    }
    // In bubblewrap's namespace this finds what was put there, which is what the program would see.
    let held = orders.granted.iter().map(|granted| Ok((granted.hold()?, granted.writes)));
    let held = held.collect::<io::Result<Vec<_>>>().map_err(|error| error.to_string())?;
    give_up_powers();
    if let Some(reach) = &orders.reach {
        super::landlocked::restrict(reach, held, orders.network)?;
    }
    super::syscalls::restrict(orders.network, orders.reach.is_some())
}

/// Takes the terminal from this process, and bounds what it may use.
#[cfg(target_os = "linux")]
fn limit(bounds: Bounds) {
    use rustix::process::{Resource, Rlimit, setrlimit, setsid};
    // Without a terminal of its own it cannot type into ours. It fails where bubblewrap has seen to it already.
    let _ = setsid();
    let limits = [
        (Resource::Data, bounds.memory),
        (Resource::Fsize, bounds.file),
        (Resource::Cpu, bounds.seconds),
        (Resource::Core, 0),
        (Resource::Nofile, 256),
    ];
    for (resource, most) in limits {
        // It fails where the system allows still less than this.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

/// A program that runs as root has powers that reach past files and networks.
#[cfg(target_os = "linux")]
fn give_up_powers() {
    use rustix::thread::{CapabilitySet, CapabilitySets};
    // All of it fails for those who have no such powers, and is of no use to them.
    let _ = rustix::thread::clear_ambient_capability_set();
    for bit in 0..63 {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        let _ = rustix::thread::remove_capability_from_bounding_set(one);
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    let _ = rustix::thread::set_capabilities(None, sets);
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps, reason = "where there is something to limit, it can fail")]
fn restrict(_: &Orders) -> Result<(), String> {
    Ok(())
}

/// Replaces this process by the program.
#[cfg(unix)]
fn replace(orders: &Orders, program: &OsString, args: &[OsString]) -> io::Result<Infallible> {
    use std::os::unix::process::CommandExt;
    let mut command = match &orders.profile {
        Some(profile) => {
            let mut command = Command::new(seatbelt::PROGRAM);
            command.arg("-p").arg(profile).arg(program);
            command
        }
        None => Command::new(program),
    };
    Err(command.args(args).envs(orders.mark.clone()).exec())
}

#[cfg(not(unix))]
fn replace(orders: &Orders, program: &OsString, args: &[OsString]) -> io::Result<Infallible> {
    let status = Command::new(program).args(args).envs(orders.mark.clone()).status()?;
    std::process::exit(status.code().unwrap_or(1))
}
