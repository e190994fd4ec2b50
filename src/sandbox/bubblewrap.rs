//! The command line of bubblewrap: a root with nothing in it but what is put there, and namespaces of its own.
//!
//! Its PID namespace is what ends everything: when bubblewrap goes, and it goes with us, the system ends every process
//! in there, whatever it did to get away.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Confined, Sandbox, helper, system};

/// Where the helper is found inside.
const HELPER: &str = "/run/elenchus";

/// Where it is installed, if it is.
pub(super) fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("bwrap")).find(|file| file.is_file())
}

/// The arguments of `bwrap` up to the helper's own.
pub(super) fn arguments(sandbox: &Sandbox, run: &Confined<'_>) -> Vec<OsString> {
    let mut line = Line(Vec::new());
    for root in system::roots(&sandbox.protected) {
        match std::fs::read_link(&root) {
            Ok(target) => line.add("--symlink", &[&target, &root]),
            Err(_) => line.add("--ro-bind", &[&root, &root]),
        }
    }
    for file in system::settings() {
        line.add("--ro-bind-try", &[&file, &file]);
    }
    line.add("--proc", &[Path::new("/proc")]);
    line.add("--dev", &[Path::new("/dev")]);
    line.add("--bind", &[run.scratch, Path::new("/tmp")]);
    line.add("--ro-bind", &[&sandbox.helper, Path::new(HELPER)]);
    for (option, path) in granted(run) {
        line.add(option, &[&path, &path]);
    }
    if let Some(own) = run.own {
        line.add("--ro-bind", &[own, own]);
    }
    line.add("--bind", &[run.home, run.home]);
    // Both are memory: without this a program could fill it.
    line.add("--remount-ro", &[Path::new("/dev")]);
    line.add("--remount-ro", &[Path::new("/")]);
    line.add("--chdir", &[run.home]);
    for flag in ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"] {
        line.add(flag, &[]);
    }
    if !run.network() {
        line.add("--unshare-net", &[]);
    }
    for word in ["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--", HELPER, helper::WORD] {
        line.add(word, &[]);
    }
    line.0
}

/// What was granted, outer folders first: a folder that is put in place later hides what it covers.
fn granted(run: &Confined<'_>) -> Vec<(&'static str, PathBuf)> {
    let read = run.grant.read.iter().map(|path| ("--ro-bind", path.clone()));
    let mut all: Vec<_> = read.chain(run.grant.write.iter().map(|path| ("--bind", path.clone()))).collect();
    all.sort_by_key(|(_, path)| path.components().count());
    all
}

struct Line(Vec<OsString>);

impl Line {
    fn add(&mut self, option: &str, paths: &[&Path]) {
        self.0.push(option.into());
        self.0.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    }
}
