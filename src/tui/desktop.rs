//! Programs of the desktop that are asked for something small: they get what they need to reach it, and none of our keys.

use std::env;
use std::process::{Command, Stdio};

/// What a program needs to find the desktop and to speak its language.
const NEEDED: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "DISPLAY",
    "XAUTHORITY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// A program that says nothing and hears nothing, unless it is given an input.
pub(super) fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    for variable in NEEDED {
        command.envs(env::var_os(variable).map(|value| (variable, value)));
    }
    command
}
