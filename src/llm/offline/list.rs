//! Lists as people write them: bullets, numbers, commas, "and".

use crate::engine::words::Folded;

/// The elements of a list, as they stand in the message.
pub fn elements(message: &str) -> Vec<&str> {
    let lines: Vec<&str> = message.lines().map(strip_bullet).filter(|line| !line.is_empty()).collect();
    let parts: Vec<&str> = if lines.len() > 1 { lines } else { split_sentence(message) };
    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        let part = trim(part);
        let known = kept.iter().any(|other| Folded::new(other).as_str() == Folded::new(part).as_str());
        if part.chars().any(char::is_alphanumeric) && !known {
            kept.push(part);
        }
    }
    kept
}

fn strip_bullet(line: &str) -> &str {
    let line = line.trim();
    let bare = line.trim_start_matches(['-', '*', '•', '–']).trim_start();
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    match digits.strip_prefix(['.', ')']) {
        Some(rest) if digits.len() < bare.len() => rest.trim(),
        _ => bare,
    }
}

/// A sentence is split at its commas and at the "and" before the last element, if it has the look of a list.
fn split_sentence(message: &str) -> Vec<&str> {
    let body = after_introduction(message);
    if body.contains(';') {
        return body.split(';').collect();
    }
    let mut parts: Vec<&str> = split_outside_numbers(body);
    let short = |part: &&str| part.split_whitespace().count() <= 8;
    if parts.len() > 1 && !parts.iter().all(short) {
        // Commas between clauses rather than between elements.
        return vec![message.trim()];
    }
    if let Some(last) = parts.pop() {
        let joined = [" and ", " or ", " & ", " as well as "].iter().find_map(|word| last.split_once(word));
        match joined {
            Some((a, b)) if short(&a) && short(&b) && (!parts.is_empty() || looks_like_pair(a, b)) => {
                parts.extend([a, b]);
            }
            _ => parts.push(last),
        }
    }
    parts
}

/// Two elements joined by "and" are of about the same length; a sentence with an "and" in it is not.
fn looks_like_pair(a: &str, b: &str) -> bool {
    let (a, b) = (a.split_whitespace().count(), b.split_whitespace().count());
    a <= 4 && b <= 4
}

/// What follows "there are:" or a short lead such as "mainly".
fn after_introduction(message: &str) -> &str {
    match message.split_once(':') {
        Some((lead, rest)) if lead.split_whitespace().count() <= 8 && !rest.trim().is_empty() => rest,
        _ => message,
    }
}

/// Splits at commas, but not at those inside numbers.
fn split_outside_numbers(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(',') {
        let digit = |index: Option<usize>| index.and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_digit);
        if digit(at.checked_sub(1)) && digit(Some(at + 1)) {
            continue;
        }
        parts.push(&text[start..at]);
        start = at + 1;
    }
    parts.push(&text[start..]);
    parts
}

fn trim(part: &str) -> &str {
    let part = part.trim().trim_end_matches(['.', '!', ',']).trim();
    let lower = part.to_lowercase();
    for lead in ["and ", "or ", "also ", "mainly ", "mostly ", "maybe ", "perhaps ", "then ", "finally "] {
        if lower.starts_with(lead) {
            return part[lead.len()..].trim();
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_as_people_write_them() {
        assert_eq!(elements("patients, nurses and doctors"), ["patients", "nurses", "doctors"]);
        assert_eq!(elements("- booking\n- reminders\n2) billing"), ["booking", "reminders", "billing"]);
        assert_eq!(elements("There are two: Stripe and QuickBooks."), ["Stripe", "QuickBooks"]);
        assert_eq!(elements("a budget of 1,000, a team of two"), ["a budget of 1,000", "a team of two"]);
        assert_eq!(elements("speed; price; support"), ["speed", "price", "support"]);
    }

    #[test]
    fn a_plain_sentence_is_one_element() {
        let message = "Reception has to look up the insurance number and then call the patient back, which takes ages.";
        assert_eq!(elements(message), [message.trim_end_matches('.')]);
    }
}
