//! Whether there are colours: `--color` over `NO_COLOR` over `CLICOLOR_FORCE` over `CLICOLOR` over what the terminal can.

use std::ffi::OsString;

use clap::ValueEnum as _;

use crate::ui::theme::{ColorDepth, TerminalHints};

/// What `--color` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Colours {
    /// Where a terminal shows them.
    #[default]
    Auto,
    Always,
    Never,
}

type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The variables of the process.
pub(super) fn of_process(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Colours {
    /// What arguments say that cannot be read as a whole, or ask only for the help.
    pub fn said(given: &[OsString]) -> Self {
        let mut words = given.iter().filter_map(|word| word.to_str());
        let mut said = Self::Auto;
        while let Some(word) = words.next() {
            let value = if word == "--color" { words.next() } else { word.strip_prefix("--color=") };
            said = value.and_then(|value| Self::from_str(value, false).ok()).unwrap_or(said);
        }
        said
    }

    /// The word that was typed, where one had to be.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::Always => Some("always"),
            Self::Never => Some("never"),
        }
    }

    /// What holds, with what the variables say: `Auto` where nobody says anything.
    pub fn decided(self, variable: Variable<'_>) -> Self {
        let forced = variable("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        match self {
            Self::Auto if variable("NO_COLOR").is_some() => Self::Never,
            Self::Auto if forced => Self::Always,
            Self::Auto if variable("CLICOLOR").is_some_and(|value| value == "0") => Self::Never,
            decided => decided,
        }
    }

    /// Whether what is printed has colours.
    pub fn are_shown(self, is_terminal: bool, variable: Variable<'_>) -> bool {
        match self.decided(variable) {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => is_terminal && variable("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// How many colours the app draws with.
    pub fn depth(self, variable: Variable<'_>) -> ColorDepth {
        let decided = self.decided(variable);
        if decided == Self::Never {
            return ColorDepth::None;
        }
        let (term, colorterm) = (variable("TERM"), variable("COLORTERM"));
        let hints = TerminalHints { no_color: None, term: term.as_deref(), colorterm: colorterm.as_deref() };
        let depth = ColorDepth::detect(hints);
        if decided == Self::Always { depth.max(ColorDepth::Ansi16) } else { depth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(set: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        |name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn the_flag_goes_before_the_variables_and_a_no_before_a_yes() {
        let both = with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"), ("TERM", "xterm")]);
        assert_eq!(Colours::Auto.decided(&both), Colours::Never);
        assert_eq!(Colours::Always.decided(&both), Colours::Always);
        assert_eq!(Colours::Never.decided(&with(&[("CLICOLOR_FORCE", "1")])), Colours::Never);
        assert_eq!(Colours::Auto.decided(&with(&[("CLICOLOR", "0")])), Colours::Never);
        assert_eq!(Colours::Auto.decided(&with(&[("CLICOLOR", "0"), ("CLICOLOR_FORCE", "1")])), Colours::Always);
        assert_eq!(Colours::Auto.decided(&with(&[("CLICOLOR", "1"), ("CLICOLOR_FORCE", "0")])), Colours::Auto);
    }

    #[test]
    fn what_is_said_of_colours_holds_for_the_help_too() {
        let said = |words: &[&str]| Colours::said(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(said(&["elenchus", "--color", "always", "--help"]), Colours::Always);
        assert_eq!(said(&["elenchus", "--help", "--color=never"]), Colours::Never);
        assert_eq!(said(&["elenchus", "--help", "--color", "purple"]), Colours::Auto);
    }

    #[test]
    fn a_pipe_gets_colours_only_where_they_are_forced() {
        let plain = with(&[("TERM", "xterm")]);
        assert!(Colours::Auto.are_shown(true, &plain) && !Colours::Auto.are_shown(false, &plain));
        assert!(!Colours::Auto.are_shown(true, &with(&[("TERM", "dumb")])));
        assert!(Colours::Auto.are_shown(false, &with(&[("CLICOLOR_FORCE", "1")])));
        assert!(Colours::Always.are_shown(false, &plain) && !Colours::Never.are_shown(true, &plain));
    }

    #[test]
    fn the_app_draws_with_what_the_terminal_can_unless_colours_are_forced_or_unwanted() {
        assert_eq!(Colours::Auto.depth(&with(&[("TERM", "xterm")])), ColorDepth::Ansi16);
        assert_eq!(Colours::Auto.depth(&with(&[("TERM", "dumb")])), ColorDepth::None);
        assert_eq!(Colours::Always.depth(&with(&[("TERM", "dumb")])), ColorDepth::Ansi16);
        assert_eq!(Colours::Never.depth(&with(&[("TERM", "xterm-kitty")])), ColorDepth::None);
    }
}
