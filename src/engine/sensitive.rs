//! Sensitive data in what people write: found before anything is sent or stored.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to do about sensitive data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SensitivePolicy {
    /// Say once that it was seen.
    #[default]
    Warn,
    /// Replace it before it goes anywhere.
    Redact,
    /// Leave it alone.
    Allow,
}

/// A kind of sensitive data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SensitiveKind {
    Email,
    Phone,
    /// A US social security number.
    Ssn,
    /// A payment card number that passes the Luhn check.
    Card,
    Password,
    ApiKey,
}

impl SensitiveKind {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "an email address",
            Self::Phone => "a phone number",
            Self::Ssn => "a social security number",
            Self::Card => "a card number",
            Self::Password => "a password",
            Self::ApiKey => "an API key",
        }
    }

    fn placeholder(self) -> &'static str {
        match self {
            Self::Email => "[email]",
            Self::Phone => "[phone]",
            Self::Ssn => "[ssn]",
            Self::Card => "[card]",
            Self::Password => "[password]",
            Self::ApiKey => "[api key]",
        }
    }
}

/// The sensitive parts of a text, in order, none overlapping.
pub fn find(text: &str) -> Vec<(SensitiveKind, Range<usize>)> {
    let mut found = Vec::new();
    passwords(text, &mut found);
    for (start, word) in tokens(text) {
        if let Some(kind) = word_kind(word) {
            found.push((kind, start..start + word.len()));
        }
    }
    digit_runs(text, &mut found);
    found.sort_by_key(|(_, range)| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    found.retain(|(_, range)| {
        let free = range.start >= end;
        end = if free { range.end } else { end };
        free
    });
    found
}

/// The text with every sensitive part replaced by what it is.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (kind, range) in find(text) {
        out.push_str(&text[at..range.start]);
        out.push_str(kind.placeholder());
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// A value with every sensitive part of its texts replaced.
pub(crate) fn redact_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(&text)),
        Value::Array(items) => items.into_iter().map(redact_value).collect(),
        Value::Object(parts) => parts.into_iter().map(|(key, value)| (key, redact_value(value))).collect(),
        other => other,
    }
}

/// Words with their places, without the punctuation around them.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '_'));
        (bare.as_ptr() as usize - text.as_ptr() as usize, bare)
    })
}

/// How keys of well-known services begin.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "pk_live_",
    "ghp_",
    "gho_",
    "github_pat_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "glpat-",
];

fn word_kind(word: &str) -> Option<SensitiveKind> {
    if let Some((name, domain)) = word.split_once('@') {
        let dotted = domain.split('.').count() >= 2 && domain.split('.').all(|part| !part.is_empty());
        let top = domain.rsplit('.').next().unwrap_or_default();
        let legal = !name.is_empty() && dotted && top.len() >= 2 && top.chars().all(|c| c.is_ascii_alphabetic());
        return legal.then_some(SensitiveKind::Email);
    }
    let body = |prefix: &str| word.strip_prefix(prefix).is_some_and(|rest| rest.len() >= 12 && mixed(rest));
    PREFIXES.iter().any(|prefix| body(prefix)).then_some(SensitiveKind::ApiKey)
}

fn mixed(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && text.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
}

/// Numbers written with separators: cards, social security numbers, phones.
fn digit_runs(text: &str, found: &mut Vec<(SensitiveKind, Range<usize>)>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let starts =
            bytes[at].is_ascii_digit() || (bytes[at] == b'+' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit));
        let inside_word = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
        if !starts || inside_word {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut last_digit = at;
        while end < bytes.len() && end - at < 40 {
            match bytes[end] {
                b if b.is_ascii_digit() => last_digit = end,
                b' ' | b'-' | b'(' | b')' | b'.' | b'/' if end - last_digit <= 2 => {}
                _ => break,
            }
            end += 1;
        }
        let run = &text[at..=last_digit];
        if let Some(kind) = number_kind(run) {
            found.push((kind, at..last_digit + 1));
        }
        at = last_digit + 1;
    }
}

fn number_kind(run: &str) -> Option<SensitiveKind> {
    let digits: Vec<u32> = run.chars().filter_map(|c| c.to_digit(10)).collect();
    let groups: Vec<usize> = run.split('-').map(str::len).collect();
    if (13..=19).contains(&digits.len()) && !run.contains(['.', '/', '+']) && luhn(&digits) {
        return Some(SensitiveKind::Card);
    }
    if groups == [3, 2, 4] && digits.len() == 9 {
        return Some(SensitiveKind::Ssn);
    }
    let date_like = run.contains('/') || (groups.len() == 3 && groups[0] == 4);
    let separated = run.contains([' ', '-', '(', '.']) && !run.contains("  ");
    let phone = (run.starts_with('+') && digits.len() >= 8)
        || (separated && (9..=13).contains(&digits.len()) && run.starts_with(['0', '(', '1']));
    (phone && !date_like && digits.len() <= 15).then_some(SensitiveKind::Phone)
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, doubled) if doubled > 9 => doubled - 9,
            (_, doubled) => doubled,
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != 0)
}

/// What follows "password is" or "password:".
fn passwords(text: &str, found: &mut Vec<(SensitiveKind, Range<usize>)>) {
    let lower = text.to_ascii_lowercase();
    for word in ["password", "passwort", "passphrase"] {
        for (at, _) in lower.match_indices(word) {
            let rest = &text[at + word.len()..];
            let after = rest.trim_start_matches([' ', '\t']);
            let after = after.strip_prefix("is ").or_else(|| after.strip_prefix([':', '='])).map(str::trim_start);
            let Some(secret) = after.and_then(|after| after.split_whitespace().next()) else { continue };
            if secret.len() >= 4 && secret.chars().any(|c| !c.is_alphabetic()) {
                let start = secret.as_ptr() as usize - text.as_ptr() as usize;
                found.push((SensitiveKind::Password, start..start + secret.len()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<SensitiveKind> {
        find(text).into_iter().map(|(kind, _)| kind).collect()
    }

    #[test]
    fn each_kind_is_found() {
        assert_eq!(kinds("write to ann.lee@example.org, please"), [SensitiveKind::Email]);
        assert_eq!(kinds("call +44 20 7946 0958 or 020 7946 0958"), [SensitiveKind::Phone, SensitiveKind::Phone]);
        assert_eq!(kinds("my SSN is 078-05-1120."), [SensitiveKind::Ssn]);
        assert_eq!(kinds("card 4111 1111 1111 1111"), [SensitiveKind::Card]);
        assert_eq!(kinds("the password is hunter2!"), [SensitiveKind::Password]);
        assert_eq!(kinds("key sk-abcDEF123456789012345"), [SensitiveKind::ApiKey]);
    }

    #[test]
    fn ordinary_figures_are_left_alone() {
        for text in [
            "reception loses 3 hours a day",
            "between 2024-01-02 and 03/04/2025",
            "a budget of 40,000 to 60,000 euros",
            "card 4111 1111 1111 1112",
            "we forgot the password again",
            "10 000 users in 2026",
            "user@ example",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn redaction_keeps_the_rest() {
        assert_eq!(redact("Mail a@b.co, Zoë: 4111111111111111!"), "Mail [email], Zoë: [card]!");
    }
}
