//! What of the system every program gets to see: programs, libraries and the settings they need. Nothing of the user.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where systems keep programs and libraries.
const ROOTS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
];

/// Settings of the system that programs read and that hold no secret.
const SETTINGS: &[&str] = &[
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
];

/// Where programs are looked for when the user's own path names no folder that a program gets to see.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The folders of programs and libraries that are there. One that holds something protected is left out: what is
/// protected stays so, and a program that needs the folder fails.
pub fn roots(protected: &[PathBuf]) -> Vec<PathBuf> {
    let there = ROOTS.iter().map(PathBuf::from).filter(|root| root.exists());
    there.filter(|root| !protected.iter().any(|path| path.starts_with(resolved(root)))).collect()
}

/// The settings of the system that are there.
pub fn settings() -> Vec<PathBuf> {
    SETTINGS.iter().map(PathBuf::from).filter(|path| path.exists()).collect()
}

/// Whether a file belongs to the system: its own place does, and the place that links lead to.
pub fn holds(file: &Path) -> bool {
    let within = |path: &Path| ROOTS.iter().any(|root| path.starts_with(root));
    within(file) && file.canonicalize().is_ok_and(|file| within(&file))
}

/// The user's search path as far as programs get to see it.
pub fn search_path() -> OsString {
    let named = std::env::var_os("PATH").unwrap_or_default();
    let seen = std::env::split_paths(&named).filter(|folder| holds(folder));
    std::env::join_paths(seen).ok().filter(|path| !path.is_empty()).unwrap_or_else(|| PATH.into())
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_that_holds_something_protected_is_left_out() {
        let protected = [PathBuf::from("/usr/local/share/elenchus")];
        assert!(roots(&[]).contains(&PathBuf::from("/usr")));
        assert!(!roots(&protected).contains(&PathBuf::from("/usr")));
    }

    #[test]
    fn what_a_link_leads_to_counts() {
        let folder = tempfile::tempdir().unwrap();
        assert!(holds(Path::new("/bin/sh")));
        assert!(!holds(folder.path()));
    }
}
