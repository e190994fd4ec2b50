//! How many tokens a text has, near enough to share out a context window without the vocabulary of any one model.

/// Estimates the tokens of a text from the kinds of characters it has.
///
/// Common words are one token, long ones one for about every six letters; digits go in threes; signs and the
/// characters of scripts without spaces count singly; other letters outside ASCII go in pairs.
pub fn estimate(text: &str) -> u32 {
    let mut tokens = 0u32;
    let (mut letters, mut digits, mut foreign, mut breaks) = (0u32, 0u32, 0u32, 0u32);
    for character in text.chars() {
        let (letter, digit, other, newline) = (
            character.is_ascii_alphabetic(),
            character.is_ascii_digit(),
            !character.is_ascii() && character.is_alphabetic() && !is_dense(character),
            character == '\n',
        );
        tokens += flush(&mut letters, letter, word) + flush(&mut digits, digit, |n| n.div_ceil(3));
        tokens += flush(&mut foreign, other, |n| n.div_ceil(2)) + flush(&mut breaks, newline, |_| 1);
        let counted = letter || digit || other || newline;
        if !counted && !character.is_whitespace() {
            tokens += 1;
        }
    }
    tokens + word(letters) + digits.div_ceil(3) + foreign.div_ceil(2) + u32::from(breaks > 0)
}

/// Lengthens a run, or closes it and counts it.
fn flush(run: &mut u32, goes_on: bool, count: impl Fn(u32) -> u32) -> u32 {
    if goes_on {
        *run += 1;
        return 0;
    }
    let closed = std::mem::take(run);
    if closed == 0 { 0 } else { count(closed) }
}

fn word(letters: u32) -> u32 {
    match letters {
        0 => 0,
        1..=8 => 1,
        more => more.div_ceil(6),
    }
}

/// Scripts that write about a word per character or two.
fn is_dense(character: char) -> bool {
    matches!(u32::from(character), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// The beginning of a text that has at most `limit` tokens, cut after a word.
pub fn cut(text: &str, limit: u32) -> &str {
    if estimate(text) <= limit {
        return text;
    }
    let mut tokens = 0u32;
    let mut end = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        tokens += estimate(piece).max(1);
        if tokens > limit {
            break;
        }
        end += piece.len();
    }
    text[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_counts_about_a_token_a_word() {
        assert_eq!(estimate("We need a booking app for our clinic."), 9);
        assert_eq!(estimate("internationalisation"), 4);
        assert_eq!(estimate("1234567 人人"), 5);
        assert_eq!(estimate(""), 0);
    }

    #[test]
    fn a_cut_text_is_never_longer_than_its_limit() {
        let text = "one two three four five six seven";
        assert_eq!(cut(text, 3), "one two three");
        assert_eq!(cut(text, 100), text);
        assert_eq!(cut("unbreakable", 0), "");
    }
}
