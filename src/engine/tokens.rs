//! How many tokens a text has, near enough to share out a context window without the vocabulary of any one model.

/// Estimates the tokens of a text from the kinds of characters it has.
///
/// Common words are one token, long ones one for about every six letters; digits go in threes; signs and the
/// characters of scripts without spaces count singly; other letters outside ASCII go in pairs.
pub fn estimate(text: &str) -> u32 {
    let mut tokens = 0;
    let (mut kind, mut run) = (Kind::Space, 0u32);
    let mut next = |character: Kind, tokens: &mut u32| {
        if character == kind {
            run += 1;
        } else {
            *tokens += count(kind, run);
            (kind, run) = (character, 1);
        }
    };
    // Most of what people write is ASCII, and every turn counts a good deal of it.
    if text.is_ascii() {
        text.bytes().for_each(|byte| next(Kind::of_ascii(byte), &mut tokens));
    } else {
        text.chars().for_each(|character| next(Kind::of(character), &mut tokens));
    }
    tokens + count(kind, run)
}

/// Characters that are counted together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Foreign,
    Break,
    Space,
    Sign,
}

impl Kind {
    fn of_ascii(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Self::Letter,
            b'0'..=b'9' => Self::Digit,
            b'\n' => Self::Break,
            b' ' | b'\t' | b'\r' | 0x0B | 0x0C => Self::Space,
            _ => Self::Sign,
        }
    }

    fn of(character: char) -> Self {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => Self::of_ascii(byte),
            _ if character.is_alphabetic() && !is_dense(character) => Self::Foreign,
            _ if character.is_whitespace() => Self::Space,
            _ => Self::Sign,
        }
    }
}

/// The tokens of a run of one kind.
fn count(kind: Kind, run: u32) -> u32 {
    match kind {
        Kind::Letter => word(run),
        Kind::Digit => run.div_ceil(3),
        Kind::Foreign => run.div_ceil(2),
        // A space belongs to the word after it, and a few of them are one token; very many are not nothing.
        Kind::Break => run.div_ceil(16),
        Kind::Space => run / 16,
        Kind::Sign => run,
    }
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

/// The beginning of a text that has at most `limit` tokens, cut after a word; within a word that is longer by itself.
pub fn cut(text: &str, limit: u32) -> &str {
    // A token has a character at least, so a short text need not be counted.
    if text.len() <= limit as usize || estimate(text) <= limit {
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
    if end == 0 {
        // A token has a character at least.
        return &text[..text.char_indices().nth(limit as usize).map_or(text.len(), |(at, _)| at)];
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
        let unbreakable = "ü".repeat(1_000);
        assert_eq!(cut(&unbreakable, 100), &unbreakable[..200]);
    }
}
