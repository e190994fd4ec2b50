//! Lists as people write them: bullets, numbers, commas, "and".

use std::collections::HashSet;

use crate::engine::config::Lists;
use crate::engine::words::Folded;

/// The most words of an element.
const SHORT: usize = 10;

/// The elements of a list, as they stand in the message. `ends`: whether the dot at a place ends a sentence.
pub(super) fn elements<'m>(message: &'m str, words_of: &Lists, ends: &dyn Fn(usize) -> bool) -> Vec<&'m str> {
    let lines: Vec<&str> = message.lines().map(strip_bullet).filter(|line| !line.is_empty()).collect();
    let listed = lines.len() > 1;
    let parts: Vec<&str> = if listed {
        // A line that only announces the list is none of its elements.
        lines.into_iter().filter(|line| !line.ends_with(':')).collect()
    } else {
        let all: Vec<&str> = stops(message, ends);
        let brief = all.len() > 1 && all.iter().all(|sentence| words(sentence) <= 2 * SHORT);
        let split = |sentence| split_sentence(sentence, words_of);
        if brief { all.into_iter().flat_map(split).collect() } else { split(message) }
    };
    let mut seen = HashSet::new();
    let parts = parts.into_iter().map(|part| trim(part, words_of));
    let parts = parts.filter(|part| part.chars().any(char::is_alphanumeric));
    parts.filter(|part| seen.insert(Folded::new(part).as_str().to_owned())).collect()
}

/// The sentences of a text: at a stop with a space after it and a word before it that is no abbreviation.
fn stops<'m>(text: &'m str, ends: &dyn Fn(usize) -> bool) -> Vec<&'m str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(['.', '!', '?']) {
        let word = text[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
        let closed = text[at + 1..].starts_with(char::is_whitespace);
        let abbreviated = word.contains('.') || (word.chars().count() <= 2 && word.starts_with(char::is_uppercase));
        if closed && !abbreviated && ends(at) {
            found.push(text[start..at].trim());
            start = at + 1;
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Whether a line begins like an element of a list.
pub(super) fn is_bullet(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && strip_bullet(line).len() < line.len()
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn strip_bullet(line: &str) -> &str {
    let line = line.trim();
    let bare = line.trim_start_matches(['-', '*', '•', '–', '—', '·', '▪', '◦', '→', '+', '☐', '✓']).trim_start();
    let bare = ["[ ]", "[x]", "[X]"].iter().find_map(|tick| bare.strip_prefix(tick)).unwrap_or(bare).trim_start();
    let mark = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let lettered = bare.starts_with(|c: char| c.is_ascii_lowercase()).then(|| &bare[1..]);
    let after = if mark.len() < bare.len() {
        mark.strip_prefix(['.', ')'])
    } else {
        lettered.and_then(|rest| rest.strip_prefix(')'))
    };
    // "3.5 hours" is no numbered line.
    match after {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim(),
        _ => bare,
    }
}

/// A sentence is split at its commas and at the "and" before the last element, if it has the look of a list.
fn split_sentence<'m>(sentence: &'m str, words_of: &Lists) -> Vec<&'m str> {
    let body = after_introduction(sentence);
    if body.contains(';') {
        return body.split(';').collect();
    }
    let mut parts: Vec<&str> = split_at_commas(body, words_of);
    let short = |part: &&str| words(part) <= SHORT;
    if parts.len() > 1 && !parts.iter().all(short) {
        // Commas between clauses rather than between elements.
        return vec![sentence.trim()];
    }
    if let Some(last) = parts.pop() {
        let joined = words_of.joints.iter().find_map(|word| last.split_once(&format!(" {word} ")));
        match joined {
            Some((a, b))
                if short(&a) && short(&b) && !a.trim().is_empty() && (!parts.is_empty() || looks_like_pair(a, b)) =>
            {
                parts.extend([a, b]);
            }
            _ => parts.push(last),
        }
    }
    parts
}

/// Two elements joined by "and" are of about the same length; a sentence with an "and" in it is not.
fn looks_like_pair(a: &str, b: &str) -> bool {
    words(a) <= 4 && words(b) <= 4
}

/// What follows "there are:" or a short lead such as "mainly".
fn after_introduction(message: &str) -> &str {
    match message.split_once(':') {
        Some((lead, rest)) if words(lead) <= 8 && rest.starts_with(char::is_whitespace) && !rest.trim().is_empty() => {
            rest
        }
        _ => message,
    }
}

/// Splits at commas, but not at those inside numbers or brackets, nor before a clause that belongs to what precedes it.
fn split_at_commas<'m>(text: &'m str, words_of: &Lists) -> Vec<&'m str> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (at, mark) in text.char_indices() {
        match mark {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | '、' | '，' if depth == 0 => {
                let digit = |index: Option<usize>| index.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
                let after = at + mark.len_utf8();
                if (digit(at.checked_sub(1)) && digit(Some(after))) || continues(&text[after..], words_of) {
                    continue;
                }
                parts.push(&text[start..at]);
                start = after;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Whether a clause says more of what stands before it.
fn continues(text: &str, words_of: &Lists) -> bool {
    let word: String = text.trim_start().chars().take_while(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    words_of.continues.contains(&word)
}

fn trim<'m>(part: &'m str, words_of: &Lists) -> &'m str {
    let mut part = part.trim().trim_end_matches(['.', '!', ',']).trim();
    let leads = |part: &str| {
        let mut all = words_of.leads.iter().chain(&words_of.joints);
        all.find(|lead| {
            let head = part.get(..lead.len()).filter(|head| head.to_lowercase() == **lead);
            head.is_some() && part[lead.len()..].starts_with(' ')
        })
    };
    while let Some(lead) = leads(part) {
        part = part[lead.len()..].trim();
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(message: &str) -> Vec<&str> {
        let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect();
        let lists = Lists {
            joints: words(&["and", "or"]),
            leads: words(&["mainly"]),
            continues: words(&["who", "which", "because"]),
            ..Lists::default()
        };
        super::elements(message, &lists, &|_| true)
    }

    #[test]
    fn lists_are_split_as_people_write_them() {
        assert_eq!(elements("patients, nurses and doctors"), ["patients", "nurses", "doctors"]);
        assert_eq!(elements("- booking\n- reminders\n2) billing"), ["booking", "reminders", "billing"]);
        assert_eq!(elements("There are two: Stripe and QuickBooks."), ["Stripe", "QuickBooks"]);
        assert_eq!(elements("a budget of 1,000, a team of two"), ["a budget of 1,000", "a team of two"]);
        assert_eq!(elements("speed; price; support"), ["speed", "price", "support"]);
    }

    #[test]
    fn pasted_lists_and_short_sentences_are_lists() {
        assert_eq!(
            elements("We need:\n\n• booking\n☐ billing\na) 3.5 hours of peace\n"),
            ["booking", "billing", "3.5 hours of peace"]
        );
        assert_eq!(elements("No online payment. No video calls."), ["No online payment", "No video calls"]);
        assert_eq!(elements("予約、変更、取消"), ["予約", "変更", "取消"]);
    }

    #[test]
    fn a_clause_stays_with_what_it_speaks_of() {
        assert_eq!(
            elements("Dr. Weber, who pays for it, and our billing service"),
            ["Dr. Weber, who pays for it", "our billing service"]
        );
        assert_eq!(elements("tools (Outlook, Excel), paper"), ["tools (Outlook, Excel)", "paper"]);
        assert_eq!(
            elements("Our practice system Medistar, Outlook and the SMS gateway of our phone provider."),
            ["Our practice system Medistar", "Outlook", "the SMS gateway of our phone provider"]
        );
    }

    #[test]
    fn a_plain_sentence_is_one_element() {
        let message = "Reception has to look up the insurance number and then call the patient back, which takes ages.";
        assert_eq!(elements(message), [message.trim_end_matches('.')]);
    }
}
