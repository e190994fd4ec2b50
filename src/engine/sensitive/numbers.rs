//! Numbers that give people away: bank accounts, cards, social security numbers, phones.

use super::{SensitiveKind, SensitivePlaces};

/// The shortest and the longest international number of a bank account.
const IBAN: std::ops::RangeInclusive<usize> = 15..=34;

/// Numbers written with separators: bank accounts, cards, social security numbers, phones.
pub(super) fn find(text: &str, found: &mut SensitivePlaces) {
    ibans(text, found);
    separated(text, found);
}

/// Bank accounts: a country, two digits to check the rest by, and the rest, in groups or in one.
fn ibans(text: &str, found: &mut SensitivePlaces) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 4 < bytes.len() {
        let head = bytes[at..at + 2].iter().all(u8::is_ascii_uppercase)
            && bytes[at + 2..at + 4].iter().all(u8::is_ascii_digit);
        let inside_word = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
        match (head && !inside_word).then(|| iban(&bytes[at..])).flatten() {
            Some(length) => {
                found.push((SensitiveKind::Iban, at..at + length));
                at += length;
            }
            None => at += 1,
        }
    }
}

/// The length of the bank account that a text begins with.
fn iban(bytes: &[u8]) -> Option<usize> {
    let (mut signs, mut ends) = (Vec::new(), None);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => signs.push(u32::from(byte - b'0')),
            b'A'..=b'Z' => signs.push(u32::from(byte - b'A') + 10),
            b' ' if at > 0 && bytes[at - 1] != b' ' => continue,
            _ => break,
        }
        if signs.len() > *IBAN.end() {
            break;
        }
        let word_ends = bytes.get(at + 1).is_none_or(|next| !next.is_ascii_alphanumeric());
        if word_ends && IBAN.contains(&signs.len()) && checks(&signs) {
            ends = Some(at + 1);
        }
    }
    ends
}

/// Whether the number, its first four signs put last, leaves 1 when it is divided by 97.
fn checks(signs: &[u32]) -> bool {
    let turned = signs[4..].iter().chain(&signs[..4]);
    turned.fold(0, |rest, sign| (rest * if *sign > 9 { 100 } else { 10 } + sign) % 97) == 1
}

/// Numbers written with separators: cards, social security numbers, phones.
fn separated(text: &str, found: &mut SensitivePlaces) {
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
    // Dots part the groups of some cards, and everything in versions and amounts.
    let in_fours = run.split('.').all(|group| group.len() == 4);
    if (13..=19).contains(&digits.len()) && (in_fours || !run.contains(['.', '/', '+'])) && luhn(&digits) {
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
