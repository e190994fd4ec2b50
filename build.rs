//! What `elenchus --version --verbose` says of how the program was built. Nothing of it is needed, and no git: the commit
//! is what `ELENCHUS_COMMIT` says, else what the packaged crate was made from, else it is not known.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

/// What `cargo package` writes down of the commit.
const PACKAGED: &str = ".cargo_vcs_info.json";

fn main() -> io::Result<()> {
    let mut cargo = io::stdout().lock();
    writeln!(cargo, "cargo:rerun-if-changed=build.rs")?;
    writeln!(cargo, "cargo:rerun-if-env-changed=ELENCHUS_COMMIT")?;
    // A file that is not there would have this run every time.
    if Path::new(PACKAGED).exists() {
        writeln!(cargo, "cargo:rerun-if-changed={PACKAGED}")?;
    }
    for (name, value) in [("COMMIT", commit()), ("TARGET", env::var("TARGET").ok()), ("RUSTC", rustc())] {
        let value = value.as_deref().and_then(|value| value.lines().next()).unwrap_or("not known");
        writeln!(cargo, "cargo:rustc-env=ELENCHUS_BUILT_{name}={value}")?;
    }
    Ok(())
}

fn commit() -> Option<String> {
    let said = env::var("ELENCHUS_COMMIT").ok().filter(|commit| !commit.is_empty());
    said.or_else(|| {
        let text = fs::read_to_string(PACKAGED).ok()?;
        let (_, rest) = text.split_once("\"sha1\"")?;
        let commit = rest.split('"').nth(1)?;
        let changed = if text.contains("\"dirty\": true") { ", with changes" } else { "" };
        Some(format!("{commit}{changed}"))
    })
}

fn rustc() -> Option<String> {
    let told = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    String::from_utf8(told.stdout).ok()
}
