//! The profile for `sandbox-exec` of macOS. Written by its manual and never tried on a Mac: SECURITY.md says so.

use std::fmt::Write as _;
use std::path::Path;

use super::{Confined, Sandbox};

pub(super) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What the program may do. Of two rules that fit, the later one counts.
pub(super) fn profile(sandbox: &Sandbox, run: &Confined<'_>) -> String {
    let mut text = "(version 1)\n(allow default)\n(deny file-write*)\n(deny signal (target others))\n".to_owned();
    let hidden = [Path::new("/Users"), Path::new("/Volumes"), Path::new("/private/var/root")];
    rule(&mut text, "deny file-read*", hidden.into_iter().chain(sandbox.protected.iter().map(AsRef::as_ref)));
    if !run.network() {
        text.push_str("(deny network*)\n");
    }
    rule(&mut text, "allow file-read*", run.grant.read.iter().map(AsRef::as_ref).chain(run.own));
    let written = || run.grant.write.iter().map(AsRef::as_ref).chain([run.home, run.scratch]);
    rule(&mut text, "allow file-read*", written());
    rule(&mut text, "allow file-write*", written());
    text.push_str("(allow file-write* (literal \"/dev/null\"))\n");
    text
}

fn rule<'a>(text: &mut String, what: &str, paths: impl Iterator<Item = &'a Path>) {
    for path in paths {
        let quoted = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "({what} (subpath \"{quoted}\"))");
    }
}
