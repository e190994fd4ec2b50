//! The keyboard protocol that kitty began: with it a terminal tells Shift-Enter from Enter and Ctrl-I from Tab.
//!
//! The terminal is asked after the first frame whether it knows the protocol, and it is asked for it once it has answered:
//! what is not understood is never sent. Until then, and where nobody answers, the help promises only keys that every
//! terminal tells apart.

use std::env;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use super::outlet::Outgoing;

/// The question whether the terminal knows the protocol.
const QUESTION: &[u8] = b"\x1b[?u";

/// Keys that are ambiguous are told apart (1), and a key is also told by what it has on the standard layout (4): shortcuts
/// are found on layouts without Latin letters.
const ASK: &[u8] = b"\x1b[>5u";

/// As it was before.
const LEAVE: &[u8] = b"\x1b[<1u";

/// tmux hands on keys such as Shift-Enter in the form of xterm, where its own settings say so and a program wants it.
const ASK_TMUX: &[u8] = b"\x1b[>4;1m";
const LEAVE_TMUX: &[u8] = b"\x1b[>4;0m";

/// Whether the terminal has answered that it knows the protocol.
static KNOWN: AtomicBool = AtomicBool::new(false);

/// Whether it is in use, on the screen of the app.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// What the surroundings say of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyboard {
    /// Nothing but text may be sent to it.
    Plain,
    /// It gets its keys from tmux.
    Tmux,
    /// It can be asked what it knows.
    Asked,
}

impl Keyboard {
    /// Judges by the environment.
    pub fn of_environment() -> Self {
        Self::judge(&env::var("TERM").unwrap_or_default(), env::var_os("TMUX").is_some())
    }

    fn judge(term: &str, in_tmux: bool) -> Self {
        match term {
            "" | "dumb" | "linux" => Self::Plain,
            _ if in_tmux || term.starts_with("tmux") => Self::Tmux,
            _ => Self::Asked,
        }
    }

    /// Whether anything but text may be sent to the terminal behind it.
    pub fn takes_sequences(self) -> bool {
        self != Self::Plain
    }

    /// Asks whether it knows the protocol. The answer comes among the keys.
    pub fn ask(self, out: &mut Outgoing) -> io::Result<()> {
        if self.takes_sequences() { out.write_all(QUESTION) } else { Ok(()) }
    }

    /// Begins on the screen that is in use, each of which has a protocol of its own.
    pub fn begin(self, out: &mut Outgoing) -> io::Result<()> {
        if self == Self::Tmux {
            out.write_all(ASK_TMUX)?;
        }
        if KNOWN.load(Ordering::Relaxed) { use_protocol(out) } else { Ok(()) }
    }

    /// Gives the keyboard back as it was.
    pub fn end(self, out: &mut Outgoing) -> io::Result<()> {
        if self == Self::Tmux {
            out.write_all(LEAVE_TMUX)?;
        }
        if IN_USE.swap(false, Ordering::Relaxed) { out.write_all(LEAVE) } else { Ok(()) }
    }
}

/// The terminal has answered: the protocol is used from now on.
pub(super) fn is_known(out: &mut Outgoing) -> io::Result<()> {
    KNOWN.store(true, Ordering::Relaxed);
    use_protocol(out)
}

fn use_protocol(out: &mut Outgoing) -> io::Result<()> {
    // It is a pile, from which one is taken at the end.
    if IN_USE.swap(true, Ordering::Relaxed) { Ok(()) } else { out.write_all(ASK) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_sequences_is_asked_nothing() {
        assert_eq!(Keyboard::judge("dumb", false), Keyboard::Plain);
        assert_eq!(Keyboard::judge("linux", false), Keyboard::Plain);
        assert_eq!(Keyboard::judge("", false), Keyboard::Plain);
        assert_eq!(Keyboard::judge("xterm-256color", false), Keyboard::Asked);
    }

    #[test]
    fn tmux_is_asked_in_its_own_way() {
        assert_eq!(Keyboard::judge("tmux-256color", false), Keyboard::Tmux);
        assert_eq!(Keyboard::judge("screen-256color", true), Keyboard::Tmux);
        assert_eq!(Keyboard::judge("xterm-kitty", true), Keyboard::Tmux);
    }
}
