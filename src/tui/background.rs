//! Whether the terminal's ground is light or dark: it is asked after the first frame, and its answer arrives among the keys.
//! Nothing waits for it.

use std::env;

/// The question for the ground (OSC 11).
pub(super) const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";

/// Whether the ground is light, from the text of an answer; none where it answers something else, or nothing that can be
/// read.
pub(super) fn answer(text: &str) -> Option<bool> {
    text.strip_prefix("11;").and_then(colour).map(is_light)
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
