//! What comes from a handler is data: nothing in it moves a cursor, hides a word or outgrows the memory.

use serde_json::{Map, Value};

use crate::text::deceives;

/// The longest text of a result.
const MAX_TEXT: usize = 4_000;
/// The longest list of a result, and the most parts of a record.
const MAX_ITEMS: usize = 100;
/// Deeper results are cut.
const MAX_DEPTH: usize = 12;
/// The most characters of all texts of a result together.
const MAX_TOTAL: usize = 64 * 1024;

/// A text without escape sequences, control characters and characters that hide or reorder others.
pub fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut rest),
            '\n' | '\t' => out.push(character),
            _ if deceives(character) => {}
            _ => out.push(character),
        }
    }
    out
}

/// One line of at most `limit` characters, for a status.
pub fn line(raw: &str, limit: usize) -> String {
    let clean = text(raw);
    let flat = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&flat, limit)
}

/// A result with clean texts and keys, cut to what a memory can hold.
pub fn value(raw: &Value) -> Value {
    let mut room = MAX_TOTAL;
    cleaned(raw, MAX_DEPTH, &mut room)
}

fn cleaned(raw: &Value, depth: usize, room: &mut usize) -> Value {
    match raw {
        Value::String(raw) => {
            let limit = MAX_TEXT.min(*room);
            let text = cut(&text(raw), limit);
            *room = room.saturating_sub(text.len());
            Value::String(text)
        }
        Value::Array(_) | Value::Object(_) if depth == 0 || *room == 0 => Value::Null,
        Value::Array(items) => items.iter().take(MAX_ITEMS).map(|item| cleaned(item, depth - 1, room)).collect(),
        Value::Object(parts) => {
            let mut clean = Map::new();
            for (name, part) in parts.iter().take(MAX_ITEMS) {
                let name = line(name, 80);
                *room = room.saturating_sub(name.len());
                clean.insert(name, cleaned(part, depth - 1, room));
            }
            Value::Object(clean)
        }
        other => other.clone(),
    }
}

fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.push('…');
    short
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips what follows an escape character.
fn skip_sequence(rest: &mut Rest<'_>) {
    match rest.next_if(|next| !next.is_control()) {
        Some('[') => skip_control_sequence(rest),
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(rest),
        // Intermediate characters come before the final one.
        Some(' '..='/') => {
            while rest.next_if(|next| matches!(next, ' '..='/')).is_some() {}
            rest.next_if(|next| !next.is_control());
        }
        _ => {}
    }
}

/// Skips parameters and the final character of a control sequence.
fn skip_control_sequence(rest: &mut Rest<'_>) {
    while rest.next_if(|next| matches!(next, ' '..='?')).is_some() {}
    rest.next_if(|next| matches!(next, '@'..='~'));
}

/// Skips a string up to its terminator. One without an end takes its line with it and no more.
fn skip_string(rest: &mut Rest<'_>) {
    while let Some(next) = rest.next_if(|next| *next != '\n') {
        match next {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn escape_sequences_go_whole() {
        assert_eq!(text("\u{1b}[31mred\u{1b}[0m and \u{1b}]0;title\u{7}plain"), "red and plain");
        assert_eq!(text("a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\b"), "alinkb");
        assert_eq!(text("a\u{9b}2Jb\u{1b}(0c\r\u{8}d"), "abcd");
        assert_eq!(text("\u{202e}right\u{200b}ly"), "rightly");
    }

    #[test]
    fn a_sequence_without_an_end_takes_no_more_than_its_line() {
        assert_eq!(text("\u{1b}]0;never ends\nstill here"), "\nstill here");
    }

    #[test]
    fn results_are_cut_in_every_direction() {
        let mut deep = json!("bottom");
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let long = json!({ "text": "x".repeat(100_000), "list": vec![1; 10_000], "deep": deep });
        let clean = value(&long);
        assert_eq!(clean["text"].as_str().map(|text| text.chars().count()), Some(MAX_TEXT));
        assert_eq!(clean["list"].as_array().map(Vec::len), Some(MAX_ITEMS));
        assert!(!clean.to_string().contains("bottom"));
    }

    proptest! {
        #[test]
        fn no_text_keeps_a_control_character(raw in any::<String>()) {
            prop_assert!(text(&raw).chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
        }

        #[test]
        fn cleaning_twice_changes_nothing(raw in any::<String>()) {
            let once = text(&raw);
            prop_assert_eq!(text(&once), once);
        }
    }
}
