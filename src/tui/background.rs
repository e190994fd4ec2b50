//! Whether the terminal's ground is light or dark: it is asked after the first frame, and its answer is waited for a moment.

use std::env;
use std::time::{Duration, Instant};

/// The question for the ground (OSC 11), and one that every terminal answers (DA1): when the answer to the second is
/// there, the one to the first will not come any more.
pub(super) const QUESTION: &[u8] = b"\x1b]11;?\x07\x1b[c";

/// The answer is not waited for longer than this; of the keys that are typed meanwhile, letters are handed on.
pub(super) const PATIENCE: Duration = Duration::from_millis(150);

/// What came while the answer was waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    pub light: Option<bool>,
    /// What was no answer: keys, as they were sent.
    pub typed: Vec<u8>,
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

/// Whether a ground is light that an answer tells in these words.
pub(super) fn light_by(words: &str) -> Option<bool> {
    colour(words).map(is_light)
}

/// Takes the answers out of what was read. Tells whether the last of them has come.
pub(super) fn read(bytes: &[u8]) -> (Heard, bool) {
    let mut heard = Heard::default();
    let mut ended = false;
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        if let Some(body) = rest.strip_prefix(b"\x1b]11;") {
            let end = body.iter().position(|byte| matches!(byte, 0x07 | 0x1b));
            let text = String::from_utf8_lossy(&body[..end.unwrap_or(body.len())]).into_owned();
            heard.light = light_by(&text).or(heard.light);
            rest = end.map_or(&[][..], |end| &body[end..]);
            rest = rest.strip_prefix(b"\x07").or_else(|| rest.strip_prefix(b"\x1b\\")).unwrap_or(rest);
        } else if let Some(body) = rest.strip_prefix(b"\x1b[?")
            && let Some(end) = body.iter().position(|byte| *byte == b'c')
            && body[..end].iter().all(|byte| byte.is_ascii_digit() || *byte == b';')
        {
            ended = true;
            rest = &body[end + 1..];
        } else {
            heard.typed.push(*first);
            rest = after;
        }
    }
    (heard, ended)
}

/// Reads from the terminal until the last answer is there, or patience ends.
#[cfg(unix)]
pub(super) fn listen() -> Heard {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::read as read_bytes;

    let input = std::io::stdin();
    let (mut bytes, until) = (Vec::new(), Instant::now() + PATIENCE);
    loop {
        let (heard, ended) = read(&bytes);
        let left = until.saturating_duration_since(Instant::now());
        if ended || left.is_zero() {
            return heard;
        }
        let mut waits = [PollFd::new(&input, PollFlags::IN)];
        let Ok(limit) = rustix::event::Timespec::try_from(left) else { return heard };
        match poll(&mut waits, Some(&limit)) {
            Ok(0) | Err(_) => return heard,
            Ok(_) => {}
        }
        let mut part = [0_u8; 256];
        match read_bytes(&input, &mut part) {
            Ok(0) | Err(_) => return heard,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
    }
}

#[cfg(not(unix))]
pub(super) fn listen() -> Heard {
    Heard::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_what_is_typed_meanwhile() {
        let answer = b"a\x1b]11;rgb:ffff/ffff/ffff\x1b\\b\x1b[?64;1;2cc";
        let (heard, ended) = read(answer);
        assert_eq!(heard, Heard { light: Some(true), typed: b"abc".to_vec() });
        assert!(ended);
        let (heard, ended) = read(b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07");
        assert_eq!((heard.light, ended), (Some(false), false));
        let (heard, _) = read(b"\x1b[A\x1b[?25h");
        assert_eq!((heard.light, heard.typed), (None, b"\x1b[A\x1b[?25h".to_vec()));
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
