//! The keyboard protocol that kitty began: with it a terminal tells Shift-Enter from Enter and Ctrl-I from Tab.
//!
//! It is asked for without waiting for an answer: those that do not know it pass over the request, and the first frame
//! need not wait. What a terminal is known for decides only what the help promises.

use std::env;

use crossterm::event::{KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags};
use crossterm::queue;

use super::outlet::Outgoing;

/// Terminals that speak the protocol without being set up for it, as they name themselves in `TERM` or `TERM_PROGRAM`.
const FLUENT: &[&str] = &["kitty", "ghostty", "foot", "alacritty", "rio", "iterm.app", "contour", "warp"];

/// What the surroundings say of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyboard {
    /// Nothing but text may be sent to it.
    Plain,
    /// It may or may not know the protocol.
    Unknown,
    /// It tells all keys apart.
    Fluent,
}

impl Keyboard {
    /// Judges by the environment.
    pub fn of_environment() -> Self {
        let read = |name: &str| env::var(name).unwrap_or_default();
        Self::judge(&read("TERM"), &read("TERM_PROGRAM"), env::var_os("TMUX").is_some())
    }

    /// A terminal behind tmux gets its keys from tmux, which does not know the protocol.
    fn judge(term: &str, program: &str, in_tmux: bool) -> Self {
        let (term, program) = (term.to_ascii_lowercase(), program.to_ascii_lowercase());
        if matches!(term.as_str(), "" | "dumb" | "linux") {
            return Self::Plain;
        }
        let multiplexed = in_tmux || term.starts_with("tmux") || term.starts_with("screen");
        let known = FLUENT.iter().any(|name| term.contains(name) || program == *name);
        if known && !multiplexed { Self::Fluent } else { Self::Unknown }
    }

    /// Whether anything but text may be sent to the terminal behind it.
    pub(super) fn takes_sequences(self) -> bool {
        self != Self::Plain
    }

    /// Whether the help may promise keys that only the protocol tells apart.
    pub fn tells_all_apart(self) -> bool {
        self == Self::Fluent
    }

    /// Asks for the protocol, on the screen that is in use.
    pub(super) fn begin(self, out: &mut Outgoing) -> std::io::Result<()> {
        match self {
            Self::Plain => Ok(()),
            Self::Unknown | Self::Fluent => {
                queue!(out, PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES))
            }
        }
    }

    /// Gives the keyboard back as it was.
    pub(super) fn end(self, out: &mut Outgoing) -> std::io::Result<()> {
        match self {
            Self::Plain => Ok(()),
            Self::Unknown | Self::Fluent => queue!(out, PopKeyboardEnhancementFlags),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_known_for_it_are_promised_to_tell_keys_apart() {
        for (term, program) in
            [("xterm-kitty", ""), ("xterm-ghostty", ""), ("foot", ""), ("xterm-256color", "iTerm.app")]
        {
            assert_eq!(Keyboard::judge(term, program, false), Keyboard::Fluent, "{term} {program}");
        }
        for (term, program) in [("xterm-256color", ""), ("xterm-256color", "Apple_Terminal"), ("vt100", "")] {
            assert_eq!(Keyboard::judge(term, program, false), Keyboard::Unknown, "{term} {program}");
        }
    }

    #[test]
    fn behind_a_multiplexer_nothing_is_promised() {
        assert_eq!(Keyboard::judge("tmux-256color", "tmux", true), Keyboard::Unknown);
        assert_eq!(Keyboard::judge("xterm-kitty", "", true), Keyboard::Unknown);
        assert_eq!(Keyboard::judge("screen-256color", "kitty", false), Keyboard::Unknown);
    }

    #[test]
    fn a_terminal_without_sequences_gets_none() {
        assert_eq!(Keyboard::judge("dumb", "", false), Keyboard::Plain);
        assert_eq!(Keyboard::judge("linux", "", false), Keyboard::Plain);
    }
}
