//! The clipboard: by a sequence that the terminal understands, or by a program of the desktop; and a word where neither
//! can be.

use std::env;
use std::io::{self, Write as _};
use std::process::Stdio;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::desktop;
use super::outlet::Outgoing;
use crate::text::printable;

/// Terminals take no more than this through the clipboard sequence.
const MAX_SEQUENCE: usize = 74_000;

/// Programs that take the clipboard from their input, the variable without which each is of no use, and their arguments.
const PROGRAMS: &[(&str, Option<&str>, &[&str])] = &[
    ("wl-copy", Some("WAYLAND_DISPLAY"), &[]),
    ("xclip", Some("DISPLAY"), &["-selection", "clipboard"]),
    ("xsel", Some("DISPLAY"), &["--clipboard", "--input"]),
    ("pbcopy", None, &[]),
];

/// What is between the program and the terminal, as far as the clipboard is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Direct,
    /// tmux takes the sequence itself or hands it on in an envelope, as its settings say.
    Tmux,
    /// screen hands it on in envelopes of another kind.
    Screen,
    /// It knows no sequences.
    None,
}

/// A multiplexer can call itself what it likes; what it is shows in a variable of its own.
fn way(term: &str, in_tmux: bool, in_screen: bool) -> Way {
    match term {
        "" | "dumb" | "linux" => Way::None,
        _ if in_tmux => Way::Tmux,
        term if in_screen || term.starts_with("screen") => Way::Screen,
        term if term.starts_with("tmux") => Way::Tmux,
        _ => Way::Direct,
    }
}

/// screen takes no longer envelope.
const SCREEN_ENVELOPE: usize = 240;

/// The sequence that puts a text on the clipboard (OSC 52).
fn sequence(text: &str, way: Way) -> Option<String> {
    let payload = BASE64_STANDARD.encode(text);
    let plain = format!("\x1b]52;c;{payload}\x07");
    match way {
        Way::Direct => Some(plain),
        // It may take only the one or only the other.
        Way::Tmux => Some(format!("{plain}\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b"))),
        Way::Screen => {
            let parts = plain.as_bytes().chunks(SCREEN_ENVELOPE).map(String::from_utf8_lossy);
            Some(parts.flat_map(|part| ["\x1bP".into(), part, "\x1b\\".into()]).collect())
        }
        Way::None => None,
    }
}

/// Terminals of which it is known that they take the clipboard sequence, by what they say of themselves.
const KNOWN: &[&str] =
    &["kitty", "wezterm", "alacritty", "foot", "ghostty", "iterm", "contour", "rio", "windows-terminal"];

/// Whether the terminal is known to take the sequence. Within a multiplexer that is for its settings to say.
fn is_known(way: Way, names: &[String]) -> bool {
    let is_one = |known: &str| names.iter().any(|name| name.to_lowercase().contains(known));
    way == Way::Direct && KNOWN.iter().any(|known| is_one(known))
}

/// What the terminal says of itself.
fn names() -> Vec<String> {
    let windows = env::var_os("WT_SESSION").map(|_| "windows-terminal".to_owned());
    ["TERM", "TERM_PROGRAM", "LC_TERMINAL"].into_iter().filter_map(|name| env::var(name).ok()).chain(windows).collect()
}

/// What became of a text for the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// A program has taken it, or a terminal that is known to.
    Taken,
    /// It was sent to the terminal, and nobody learns whether it took it.
    NotSure,
}

/// Puts a text on the clipboard in every way there is: of the sequence nobody learns whether the terminal took it, so a
/// program of the desktop is asked as well where one is there. Says what is in the way where there is none.
pub(crate) fn copy(text: &str) -> Result<Sent, String> {
    let text = printable(text);
    let term = env::var("TERM").unwrap_or_default();
    let way = way(&term, env::var_os("TMUX").is_some(), env::var_os("STY").is_some());
    let fits = text.len() <= MAX_SEQUENCE;
    let written = sequence(&text, way).filter(|_| fits).map(|sequence| send(&sequence));
    let by_sequence = matches!(written, Some(Ok(())));
    let sent = if is_known(way, &names()) { Sent::Taken } else { Sent::NotSure };
    // What tmux has can be put in with its own key, and tmux hands it on where it may.
    let in_tmux = way == Way::Tmux && hand_over("tmux", &["load-buffer", "-w", "-"], &text).is_ok();
    // Over ssh the clipboard of the other machine is nobody's.
    let remote = env::var_os("SSH_TTY").is_some() || env::var_os("SSH_CONNECTION").is_some();
    if (by_sequence || in_tmux) && remote {
        return Ok(sent);
    }
    match by_program(&text) {
        Err(_) if by_sequence || in_tmux => Ok(sent),
        Err(_) if !fits => Err("that is too long for the terminal's clipboard; /export writes a file".to_owned()),
        outcome => outcome.map(|()| Sent::Taken),
    }
}

fn send(sequence: &str) -> io::Result<()> {
    let mut out = Outgoing::default();
    out.write_all(sequence.as_bytes())?;
    out.flush()
}

/// Puts a text on the clipboard by the first program of the desktop that does it.
pub(crate) fn by_program(text: &str) -> Result<(), String> {
    let usable = PROGRAMS.iter().filter(|(_, needs, _)| needs.is_none_or(|name| env::var_os(name).is_some()));
    let mut problem = None;
    for (program, _, arguments) in usable {
        match hand_over(program, arguments, text) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => problem = Some(format!("{program} did not take the text: {error}")),
        }
    }
    Err(problem.unwrap_or_else(|| {
        "no clipboard was found: neither the terminal nor wl-copy, xclip, xsel or pbcopy took the text; /export writes a file"
            .to_owned()
    }))
}

fn hand_over(program: &str, arguments: &[&str], text: &str) -> io::Result<()> {
    let mut child = desktop::program(program).args(arguments).stdin(Stdio::piped()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    // They stay behind by themselves to serve the text; what was started ends at once.
    let status = child.wait()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_a_multiplexer_the_sequence_goes_in_its_envelope() {
        assert_eq!(sequence("hé", Way::Direct).unwrap(), "\x1b]52;c;aMOp\x07");
        let tmux = "\x1b]52;c;aMOp\x07\x1bPtmux;\x1b\x1b]52;c;aMOp\x07\x1b\\";
        assert_eq!(sequence("hé", Way::Tmux).unwrap(), tmux, "by itself and in the envelope");
        assert_eq!(sequence("hé", Way::Screen).unwrap(), "\x1bP\x1b]52;c;aMOp\x07\x1b\\");
        assert_eq!(sequence("hé", Way::None), None);
        let long = sequence(&"x".repeat(1_000), Way::Screen).unwrap();
        assert!(long.split("\x1b\\").all(|envelope| envelope.len() <= SCREEN_ENVELOPE + 2));
    }

    #[test]
    fn only_a_terminal_that_is_known_to_take_it_is_believed_to() {
        let names = |name: &str| vec![name.to_owned()];
        assert!(is_known(Way::Direct, &names("xterm-kitty")) && is_known(Way::Direct, &names("WezTerm")));
        assert!(!is_known(Way::Direct, &names("xterm-256color")));
        assert!(!is_known(Way::Tmux, &names("WezTerm")), "tmux may keep it to itself");
    }

    #[test]
    fn the_way_is_told_by_what_the_terminal_calls_itself() {
        assert_eq!(way("xterm-256color", false, false), Way::Direct);
        assert_eq!(way("tmux-256color", true, false), Way::Tmux);
        assert_eq!(way("screen-256color", true, false), Way::Tmux);
        assert_eq!(way("screen", false, false), Way::Screen);
        assert_eq!(way("xterm-256color", false, true), Way::Screen);
        assert_eq!(way("dumb", false, false), Way::None);
        assert_eq!(way("linux", false, false), Way::None);
    }
}
