//! How somebody who looks elsewhere is called.

use std::env;
use std::io::{self, Write as _};

use super::desktop;
use super::outlet::Outgoing;
use crate::settings::Notices;
use crate::text::sanitise_line;

/// Calls in the way that the settings name. A notice of the desktop that cannot be had is a bell.
pub(super) fn call(how: Notices, text: &str) -> io::Result<()> {
    let text = sanitise_line(text);
    match how {
        Notices::Off => Ok(()),
        Notices::Desktop if on_desktop(&text) => Ok(()),
        Notices::Bell | Notices::Desktop => send("\x07"),
        Notices::Terminal => send(&format!("\x07{}", sequence(&text, env::var_os("TMUX").is_some()))),
    }
}

/// The notice that terminals know (OSC 9); tmux hands it on only in an envelope.
fn sequence(text: &str, in_tmux: bool) -> String {
    let plain = format!("\x1b]9;Elenchus: {text}\x07");
    if in_tmux { format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b")) } else { plain }
}

fn send(sequence: &str) -> io::Result<()> {
    let mut out = Outgoing::default();
    out.write_all(sequence.as_bytes())?;
    out.flush()
}

/// Has the desktop show a notice; tells whether there is a program for it. Nothing waits for it to be read.
fn on_desktop(text: &str) -> bool {
    let command = |program: &str, arguments: &[&str]| {
        desktop::program(program).args(arguments).status().is_ok_and(|status| status.success())
    };
    if cfg!(target_os = "macos") {
        // Handed over as an argument: nothing of it is read as a script.
        let script = "on run words\ndisplay notification (item 1 of words) with title \"Elenchus\"\nend run";
        return command("osascript", &["-e", script, text]);
    }
    command("notify-send", &["--app-name=Elenchus", "--", "Elenchus", text])
}

#[cfg(test)]
mod tests {
    use super::sequence;

    #[test]
    fn a_notice_goes_through_tmux_in_its_envelope() {
        assert_eq!(sequence("the answer is there", false), "\x1b]9;Elenchus: the answer is there\x07");
        assert_eq!(sequence("done", true), "\x1bPtmux;\x1b\x1b]9;Elenchus: done\x07\x1b\\");
    }
}
