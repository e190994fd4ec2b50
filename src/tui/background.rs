//! Whether the terminal's ground is light or dark: it is asked after the first frame, and its answer is taken out of the keys
//! among which it arrives. Nothing waits for it.

use std::env;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The question for the ground (OSC 11).
pub(super) const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";

/// What an answer begins with, after the key that it seems to be.
const BEGINS: &str = "11;";

/// The longest answer.
const LONGEST: usize = 48;

/// What came of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It may be part of an answer.
    Nothing,
    /// It was a key, and so were those before it.
    Keys(Vec<KeyEvent>),
    Ground {
        light: bool,
    },
}

/// Takes the terminal's answer out of the keys: to those who read keys it begins with Alt-], and its letters follow.
#[derive(Debug, Default)]
pub(super) struct Listener {
    held: Vec<KeyEvent>,
    text: String,
}

impl Listener {
    pub fn take(&mut self, key: KeyEvent) -> Heard {
        let KeyCode::Char(letter) = key.code else { return self.let_go(key) };
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        if self.held.is_empty() {
            if !alt || letter != ']' {
                return Heard::Keys(vec![key]);
            }
            self.held.push(key);
            return Heard::Nothing;
        }
        let ends = (alt && letter == '\\') || (key.modifiers.contains(KeyModifiers::CONTROL) && letter == 'g');
        if ends {
            let light = self.text.strip_prefix(BEGINS).and_then(colour).map(is_light);
            let Some(light) = light else { return self.let_go(key) };
            *self = Self::default();
            return Heard::Ground { light };
        }
        self.text.push(letter);
        let begins = BEGINS.starts_with(&self.text) || self.text.starts_with(BEGINS);
        let is_of_colours = letter.is_ascii_hexdigit() || "rgb:/#;a".contains(letter);
        if alt || !begins || !is_of_colours || self.text.len() > LONGEST {
            return self.let_go(key);
        }
        self.held.push(key);
        Heard::Nothing
    }

    fn let_go(&mut self, key: KeyEvent) -> Heard {
        let mut keys = std::mem::take(self).held;
        keys.push(key);
        Heard::Keys(keys)
    }
}

/// What the surroundings say: the colours of text and ground that some terminals tell by their numbers.
pub(super) fn of_environment() -> Option<bool> {
    judge(&env::var("COLORFGBG").ok()?)
}

fn judge(colours: &str) -> Option<bool> {
    let ground: u8 = colours.rsplit(';').next()?.trim().parse().ok()?;
    Some(ground == 7 || (9..=15).contains(&ground))
}

/// Whether a ground of so much red, green and blue (each from 0 to 1) is light.
fn is_light([red, green, blue]: [f64; 3]) -> bool {
    0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5
}

/// Reads `rgb:ffff/ffff/ffff`, each part of one to four digits, or `#ffffff`.
fn colour(text: &str) -> Option<[f64; 3]> {
    let part = |digits: &str| {
        let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        Some(f64::from(u32::from_str_radix(digits, 16).ok()?) / f64::from(most))
    };
    if let Some(hex) = text.strip_prefix('#') {
        let third = hex.len() / 3;
        let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit()) && matches!(hex.len(), 3 | 6 | 12);
        return is_hex
            .then(|| Some([part(&hex[..third])?, part(&hex[third..2 * third])?, part(&hex[2 * third..])?]))?;
    }
    let parts: Vec<&str> = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?.split('/').collect();
    let [red, green, blue, ..] = parts[..] else { return None };
    Some([part(red)?, part(green)?, part(blue)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Vec<KeyEvent> {
        let mut keys = Vec::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let (code, modifiers) = match c {
                '\x1b' => (chars.next().unwrap_or('\x1b'), KeyModifiers::ALT),
                '\x07' => ('g', KeyModifiers::CONTROL),
                other => (other, KeyModifiers::NONE),
            };
            keys.push(KeyEvent::new(KeyCode::Char(code), modifiers));
        }
        keys
    }

    fn heard(text: &str) -> (Vec<KeyEvent>, Option<bool>) {
        let (mut listener, mut keys, mut light) = (Listener::default(), Vec::new(), None);
        for key in typed(text) {
            match listener.take(key) {
                Heard::Keys(all) => keys.extend(all),
                Heard::Ground { light: told } => light = Some(told),
                Heard::Nothing => {}
            }
        }
        (keys, light)
    }

    #[test]
    fn an_answer_is_told_from_the_keys_around_it() {
        assert_eq!(heard("a\x1b]11;rgb:ffff/ffff/ffff\x1b\\b"), (typed("ab"), Some(true)));
        assert_eq!(heard("\x1b]11;rgb:1e1e/1e1e/2e2e\x07c"), (typed("c"), Some(false)));
    }

    #[test]
    fn keys_that_only_begin_like_an_answer_are_keys() {
        for text in ["\x1b]a", "\x1b]12", "\x1b]11;rgb:x", "\x1b]11;\x1b\\", "hello \x07"] {
            assert_eq!(heard(text), (typed(text), None), "{text:?}");
        }
    }

    #[test]
    fn colours_are_read_in_every_form_and_nothing_else_is_one() {
        assert_eq!(colour("rgb:ff/80/00").map(is_light), Some(true));
        assert_eq!(colour("rgba:0000/0000/0000/ffff").map(is_light), Some(false));
        assert_eq!(colour("#fff").map(is_light), Some(true));
        assert_eq!(colour("#1e1e2e").map(is_light), Some(false));
        for none in ["", "rgb:", "rgb:1/2", "rgb:x/y/z", "#12345", "#12é", "rgb:fffffffff/0/0", "rgb:-1/0/0"] {
            assert_eq!(colour(none), None, "{none}");
        }
    }

    #[test]
    fn the_numbers_of_the_environment_say_which_ground_it_is() {
        assert_eq!(judge("15;0"), Some(false));
        assert_eq!(judge("0;15"), Some(true));
        assert_eq!(judge("0;default;15"), Some(true));
        assert_eq!(judge("12;8"), Some(false));
        assert_eq!(judge("default;default"), None);
    }
}
