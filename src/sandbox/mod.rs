//! The sandbox: what a program from outside may reach, and the means of this machine to hold it to that.
//!
//! Bubblewrap where it works; else Landlock and seccomp, which our own program puts on itself before it becomes the
//! other program (`helper`); on macOS `sandbox-exec`. What each of them promises stands in SECURITY.md.
//!
//! **Invariant:** a program sees the system's programs and libraries, its own folder and what was granted. It never sees
//! the database, the settings or the home folder of the user, whatever was granted.

mod bubblewrap;
mod grant;
pub mod helper;
#[cfg(target_os = "linux")]
mod landlocked;
#[cfg(target_os = "linux")]
mod processes;
mod seatbelt;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod syscalls;
mod system;

pub use grant::{Allowance, Grant, Network};
#[cfg(target_os = "linux")]
pub(crate) use processes::{descendants, threads};
#[cfg(target_os = "linux")]
pub(crate) use supervisor::END;
pub(crate) use system::holds as belongs_to_system;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long the means of this machine are tried before they count as missing.
const PATIENCE: Duration = Duration::from_secs(10);

/// Folders that are no files at all: what is written there reaches the kernel.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Keeps other programs of the user from looking into this process, where its keys are: not by `/proc`, not by a
/// debugger, not in the remains of a crash. Files that were open when it was started are for it alone: no program that
/// it starts inherits them.
pub fn close_to_others() {
    #[cfg(unix)]
    close_fds::set_fds_cloexec(3, &[]);
    // It fails only on kernels that do not know it.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// The beginning of a command line that runs a program of the user's and ends everything that it leaves, also when we are
/// killed. `program` is our own. `None` where there is no such thing.
#[cfg(target_os = "linux")]
pub fn supervised(program: &Path) -> Option<Vec<OsString>> {
    supervisor::line(program).ok()
}

#[cfg(not(target_os = "linux"))]
pub fn supervised(_: &Path) -> Option<Vec<OsString>> {
    None
}

/// Asks the process of such a line to end everything.
pub fn end_supervised(process: u32) {
    #[cfg(target_os = "linux")]
    supervisor::end(process);
    #[cfg(not(target_os = "linux"))]
    let _ = process;
}

/// What holds a program to its grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    Bubblewrap,
    /// Landlock and seccomp of the kernel.
    Landlock,
    /// `sandbox-exec` of macOS.
    Seatbelt,
    /// Nothing.
    None,
}

impl Confinement {
    /// What it is and what it comes to, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Bubblewrap => {
                "bubblewrap: programs of engines see only what you grant them, and nothing outlives them"
            }
            Self::Landlock => {
                "Landlock and seccomp: programs of engines see only what you grant them; with bubblewrap installed \
                 nothing can outlive them either"
            }
            Self::Seatbelt => "sandbox-exec: programs of engines see only what you grant them (untested)",
            Self::None => {
                "none: a program of an engine could read and change everything that you can; install bubblewrap, or \
                 agree to each such engine with care"
            }
        }
    }
}

/// What a program may use of the machine, for itself and for each of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of a file that it writes.
    pub file: u64,
    /// Seconds of work.
    pub seconds: u64,
}

/// A program to be run under a grant.
#[derive(Clone, Copy, Debug)]
pub struct Confined<'a> {
    pub program: &'a Path,
    pub args: &'a [String],
    /// The folder it works in, and may write to.
    pub home: &'a Path,
    /// Another such folder, for what it would put in `/tmp`.
    pub scratch: &'a Path,
    /// The files it brings, to be read only.
    pub own: Option<&'a Path>,
    pub grant: &'a Grant,
    pub bounds: Bounds,
    /// The variable that marks its processes.
    pub mark: (&'a str, &'a str),
}

impl Confined<'_> {
    fn network(&self) -> bool {
        self.grant.network != Network::None
    }
}

/// The means of this machine to hold a program to its grant.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// Our own program, which limits itself and then becomes the other one.
    helper: PathBuf,
    /// What no program gets to see.
    protected: Vec<PathBuf>,
    found: Arc<OnceLock<Confinement>>,
}

impl Sandbox {
    /// A sandbox whose programs never see these folders.
    pub fn new(helper: PathBuf, protected: impl IntoIterator<Item = PathBuf>) -> Self {
        let whole = |path: PathBuf| path.canonicalize().unwrap_or(path);
        Self { helper, protected: protected.into_iter().map(whole).collect(), found: Arc::default() }
    }

    /// The same with another program in the place of our own.
    #[must_use]
    pub fn with_helper(self, helper: PathBuf) -> Self {
        Self { helper, found: Arc::default(), ..self }
    }

    /// The same with means that are not looked for.
    #[must_use]
    pub fn with(&self, confinement: Confinement) -> Self {
        Self { found: Arc::new(OnceLock::from(confinement)), ..self.clone() }
    }

    /// The best means there are. They are tried once, by confining our own program with them.
    pub fn confinement(&self) -> Confinement {
        *self.found.get_or_init(|| {
            let order: &[Confinement] = if cfg!(target_os = "linux") {
                &[Confinement::Bubblewrap, Confinement::Landlock]
            } else if cfg!(target_os = "macos") {
                &[Confinement::Seatbelt]
            } else {
                &[]
            };
            order.iter().copied().find(|means| self.works(*means)).unwrap_or(Confinement::None)
        })
    }

    /// Whether these means work here.
    pub fn works(&self, confinement: Confinement) -> bool {
        let Ok(folder) = tempfile::tempdir() else { return false };
        let Ok(place) = folder.path().canonicalize() else { return false };
        let run = Confined {
            program: Path::new(""),
            args: &[],
            home: &place,
            scratch: &place,
            own: None,
            grant: &Grant::default(),
            bounds: Bounds { memory: 1 << 30, file: 1 << 20, seconds: PATIENCE.as_secs() },
            mark: ("ELENCHUS_TASK", "trial"),
        };
        let Ok(mut command) = self.line(confinement, &run) else { return false };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || tell.send(command.status().is_ok_and(|status| status.success())));
        told.recv_timeout(PATIENCE).unwrap_or(false)
    }

    /// Why a path cannot be granted, if it cannot.
    pub fn objection(&self, path: &Path) -> Option<String> {
        let shown = path.display();
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        if home.is_some_and(|home| home.starts_with(path)) {
            return Some(format!("{shown} holds your whole home; let it ask for the folder that it needs"));
        }
        if KERNEL.iter().any(|kernel| path.starts_with(kernel)) || path == Path::new("/") {
            return Some(format!("{shown} is how programs reach the kernel, its devices and other programs"));
        }
        let kept = self.protected.iter().any(|kept| kept.starts_with(path) || path.starts_with(kept));
        kept.then(|| format!("{shown} holds your sessions or your settings, which no engine gets to see"))
    }

    /// The command that runs a program by the best means there are. Its environment holds next to nothing.
    pub fn command(&self, run: &Confined<'_>) -> io::Result<Command> {
        self.line(self.confinement(), run)
    }

    fn line(&self, confinement: Confinement, run: &Confined<'_>) -> io::Result<Command> {
        let orders = helper::Orders::new(self, confinement, run)?;
        let mut tail: Vec<OsString> = vec![orders.to_argument()?];
        if !run.program.as_os_str().is_empty() {
            tail.push(run.program.as_os_str().to_owned());
            tail.extend(run.args.iter().map(OsString::from));
        }
        let mut command = match confinement {
            Confinement::Bubblewrap => {
                let missing = || io::Error::new(io::ErrorKind::NotFound, "bubblewrap is not installed");
                let mut command = Command::new(bubblewrap::program().ok_or_else(missing)?);
                command.args(bubblewrap::arguments(self, run));
                command
            }
            Confinement::Landlock | Confinement::Seatbelt | Confinement::None => {
                let mut command = Command::new(&self.helper);
                command.arg(helper::WORD);
                command
            }
        };
        command
            .args(tail)
            .env_clear()
            .env("PATH", system::search_path())
            .env("HOME", run.home)
            .env("TMPDIR", run.home)
            .env("LANG", "C.UTF-8")
            .current_dir(run.home);
        Ok(command)
    }
}
