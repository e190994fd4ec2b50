//! How the program behaves in a terminal: lines or panes, whether anything moves, whose the mouse is, how it calls.

use super::origin::{Explained, Flags, Origin, Resolved, Surroundings};
use crate::decode::Problems;

pub(super) const PLAIN: &str = "ELENCHUS_PLAIN";
pub(super) const REDUCED_MOTION: &str = "ELENCHUS_REDUCED_MOTION";

/// How somebody who looks elsewhere is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notices {
    Off,
    Bell,
    /// The bell, and a notice of the terminal's own (OSC 9) where it has such.
    #[default]
    Terminal,
    /// A notice of the desktop.
    Desktop,
}

impl Notices {
    pub(super) const ALL: [Self; 4] = [Self::Off, Self::Bell, Self::Terminal, Self::Desktop];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Bell => "bell",
            Self::Terminal => "terminal",
            Self::Desktop => "desktop",
        }
    }
}

/// What was said of it; what was not follows from the surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manners {
    /// Whether lines are told instead of frames drawn.
    pub plain: Option<Resolved<bool>>,
    pub reduced_motion: Option<Resolved<bool>>,
    /// Whether the program takes the mouse.
    pub mouse: Option<Resolved<bool>>,
    /// Whether what was said stays on the terminal when the program has left.
    pub leave_transcript: Option<Resolved<bool>>,
    /// Whether answers are offered to be chosen.
    pub answer_cards: Option<Resolved<bool>>,
    pub notices: Option<Resolved<Notices>>,
}

/// What the file says.
pub(super) struct Stated {
    pub plain: Option<Resolved<bool>>,
    pub reduced_motion: Option<Resolved<bool>>,
    pub mouse: Option<Resolved<bool>>,
    pub leave_transcript: Option<Resolved<bool>>,
    pub answer_cards: Option<Resolved<bool>>,
    pub notices: Option<Resolved<String>>,
}

impl Manners {
    pub(super) fn resolve(
        stated: Stated,
        flags: &Flags,
        surroundings: &Surroundings<'_>,
        problems: &mut Problems,
    ) -> Self {
        let mut variable = |name: &str| {
            let (value, origin) = (surroundings.variable(name)?, Origin::Variable(name.to_owned()));
            let on = switched(&value);
            if on.is_none() {
                let message = format!("`{name}` is true or false, not `{value}`");
                problems.error_at(&origin.place(), "unknown-word", message);
            }
            on.map(|on| Resolved::new(on, origin))
        };
        let (plain_here, still_here) = (variable(PLAIN), variable(REDUCED_MOTION));
        let plain = flags.plain.map(|plain| Resolved::new(plain, Origin::Flag("--plain")));
        Self {
            plain: plain.or(plain_here).or(stated.plain),
            reduced_motion: still_here.or(stated.reduced_motion),
            mouse: stated.mouse,
            leave_transcript: stated.leave_transcript,
            answer_cards: stated.answer_cards,
            notices: stated.notices.and_then(|named| notices(named, problems)),
        }
    }

    pub(super) fn explain(&self) -> impl Iterator<Item = Explained> {
        let flag =
            |value: &Option<Resolved<bool>>, name| value.as_ref().map(|value| value.explain(name, bool::to_string));
        let flags = [
            flag(&self.plain, "plain"),
            flag(&self.reduced_motion, "reduced_motion"),
            flag(&self.mouse, "mouse"),
            flag(&self.leave_transcript, "leave_transcript"),
            flag(&self.answer_cards, "answer_cards"),
        ];
        let notices = self.notices.as_ref().map(|value| value.explain("notices", |value| value.name().to_owned()));
        flags.into_iter().flatten().chain(notices)
    }

    /// Whether nothing on the screen is to move by itself.
    pub fn is_still(&self) -> bool {
        self.reduced_motion.as_ref().is_some_and(|still| still.value)
    }

    /// Whether the program takes the mouse.
    pub fn has_mouse(&self) -> bool {
        self.mouse.as_ref().is_none_or(|mouse| mouse.value)
    }

    /// Whether answers are offered to be chosen.
    pub fn has_cards(&self) -> bool {
        self.answer_cards.as_ref().is_none_or(|cards| cards.value)
    }

    pub fn leaves_transcript(&self) -> bool {
        self.leave_transcript.as_ref().is_some_and(|leaves| leaves.value)
    }

    pub fn notices(&self) -> Notices {
        self.notices.as_ref().map(|notices| notices.value).unwrap_or_default()
    }
}

/// What a variable that switches something on or off says; none where it is no such word.
pub(super) fn switched(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn notices(named: Resolved<String>, problems: &mut Problems) -> Option<Resolved<Notices>> {
    let known = Notices::ALL.into_iter().find(|known| known.name() == named.value);
    if known.is_none() {
        let words = Notices::ALL.map(Notices::name);
        let message = format!("`notices` is one of {}, not `{}`", words.join(", "), named.value);
        problems.error_at(&named.origin.place(), "unknown-word", message).suggest_or(
            &named.value,
            words.to_vec(),
            None,
        );
    }
    known.map(|known| Resolved::new(known, named.origin))
}

#[cfg(test)]
mod tests {
    use super::switched;

    #[test]
    fn a_variable_switches_only_by_a_word_that_says_so() {
        for (value, on) in [("1", Some(true)), ("YES", Some(true)), ("off", Some(false)), ("0", Some(false))] {
            assert_eq!(switched(value), on, "{value}");
        }
        assert_eq!(switched("banana"), None);
    }
}
