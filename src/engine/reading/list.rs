//! Lists as people write them: bullets, numbers, commas, "and".

use std::collections::HashSet;

use super::lexicon::Lexicon;
use super::tables::Set;
use crate::engine::config::Lists;
use crate::engine::words::Folded;

/// The most words of an element.
const SHORT: usize = 10;

/// How a language writes lists.
#[derive(Clone, Copy)]
pub(super) struct Manner<'l> {
    pub lists: &'l Lists,
    /// Words after which a stop ends no sentence.
    pub abbreviations: &'l Set<String>,
    pub months: &'l Set<String>,
    /// Whether a dot at a place of the message ends a sentence, where that is known better.
    pub ends: Option<&'l dyn Fn(usize) -> bool>,
}

impl<'l> Manner<'l> {
    pub fn of(lexicon: &'l Lexicon) -> Self {
        Self { lists: &lexicon.lists, abbreviations: &lexicon.abbreviations, months: &lexicon.months, ends: None }
    }
}

/// The elements of a list, as they stand in the message.
pub(super) fn elements<'m>(message: &'m str, manner: Manner<'_>) -> Vec<&'m str> {
    let parts = lines(message).unwrap_or_else(|| {
        let all: Vec<&str> = stops(message, manner);
        let brief = all.len() > 1 && all.iter().all(|sentence| words(sentence) <= 2 * SHORT);
        let split = |sentence| split_sentence(sentence, manner.lists);
        if brief { all.into_iter().flat_map(split).collect() } else { split(message) }
    });
    distinct(parts, manner.lists)
}

/// What is said of each of several things, as it stands in the message: "renting: never, too dear. Buying: if it lasts".
/// What follows a comma and names nothing anew belongs to what stands before it.
pub(super) fn remarks<'m>(message: &'m str, manner: Manner<'_>) -> Vec<&'m str> {
    let Some(parts) = lines(message) else {
        let sentences = stops(message, manner).into_iter().flat_map(|sentence| sentence.split(';'));
        let parts = sentences.flat_map(|sentence| {
            let commas = split_at_commas(sentence, manner.lists);
            if commas.iter().any(|part| named(part).is_some()) {
                rejoined(sentence, &commas)
            } else {
                split_sentence(sentence, manner.lists)
            }
        });
        return distinct(parts.collect(), manner.lists);
    };
    distinct(parts, manner.lists)
}

/// The name and what is said of it: "vouchers: high".
pub(super) fn named(part: &str) -> Option<(&str, &str)> {
    [": ", " - ", " – ", " = "].iter().find_map(|mark| part.split_once(mark))
}

/// Parts of a sentence, each from one name to the next.
fn rejoined<'m>(sentence: &'m str, commas: &[&'m str]) -> Vec<&'m str> {
    let place = |part: &str| part.as_ptr() as usize - sentence.as_ptr() as usize;
    let mut starts: Vec<usize> = commas.iter().filter(|part| named(part).is_some()).map(|part| place(part)).collect();
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    let ends = starts.iter().skip(1).copied().chain([sentence.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| &sentence[start..end]).collect()
}

/// The lines of a message that has several; one that only announces the list is none of its elements.
fn lines(message: &str) -> Option<Vec<&str>> {
    let lines: Vec<&str> = message.lines().map(strip_bullet).filter(|line| !line.is_empty()).collect();
    (lines.len() > 1).then(|| lines.into_iter().filter(|line| !line.ends_with(':')).collect())
}

/// What is left of some parts once talk around them and doubles are gone.
fn distinct<'m>(parts: Vec<&'m str>, words_of: &Lists) -> Vec<&'m str> {
    let mut seen = HashSet::new();
    let parts = parts.into_iter().map(|part| trim(part, words_of));
    let parts = parts.filter(|part| part.chars().any(char::is_alphanumeric));
    parts.filter(|part| seen.insert(Folded::new(part).as_str().to_owned())).collect()
}

/// The sentences of a text: at a stop with a space after it and a word before it that is no abbreviation.
fn stops<'m>(text: &'m str, manner: Manner<'_>) -> Vec<&'m str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(['.', '!', '?']) {
        let word = text[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
        let closed = text[at + 1..].starts_with(char::is_whitespace);
        let next = text[at + 1..].split_whitespace().next().unwrap_or_default().to_lowercase();
        let dated = word.chars().all(|c| c.is_ascii_digit()) && manner.months.contains(&super::text::folded(&next));
        let abbreviated = word.contains('.')
            || (word.chars().count() <= 2 && word.starts_with(char::is_uppercase))
            || manner.abbreviations.contains(&word.to_lowercase());
        if closed && !abbreviated && !dated && manner.ends.is_none_or(|ends| ends(at)) {
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

pub(super) fn strip_bullet(line: &str) -> &str {
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
    join_asides(body, &mut parts, words_of);
    // "The options are buying, leasing": what introduces several elements is no part of the first.
    if parts.len() > 1 {
        parts[0] = without(parts[0].trim(), &words_of.introductions);
    }
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

/// What follows "there are:" or a short lead such as "mainly". Before several elements it may be a whole sentence.
fn after_introduction(message: &str) -> &str {
    let most = |rest: &str| if rest.contains([',', ';', '、']) { 2 * SHORT } else { 8 };
    match message.split_once(':') {
        Some((lead, rest))
            if words(lead) <= most(rest) && rest.starts_with(char::is_whitespace) && !rest.trim().is_empty() =>
        {
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

/// Clauses about what was named before stay with it: "the supermarket, it is cheaper, and the baker". Where the first one
/// is such a clause too, they are what is listed: "we call, we write it down".
fn join_asides<'m>(body: &'m str, parts: &mut Vec<&'m str>, words_of: &Lists) {
    let is_aside = |part: &str| {
        let first = part.split_whitespace().next().unwrap_or_default();
        let word: String = first.to_lowercase().chars().filter(|c| c.is_alphabetic()).collect();
        words_of.asides.contains(&word) && words(part) > 1
    };
    if parts.first().is_none_or(|first| is_aside(first)) {
        return;
    }
    let place = |part: &str| part.as_ptr() as usize - body.as_ptr() as usize;
    let mut joined: Vec<&str> = Vec::with_capacity(parts.len());
    for part in parts.drain(..) {
        match joined.last_mut().filter(|_| is_aside(part)) {
            Some(before) => *before = &body[place(before)..place(part) + part.len()],
            None => joined.push(part),
        }
    }
    *parts = joined;
}

/// Whether a clause says more of what stands before it.
fn continues(text: &str, words_of: &Lists) -> bool {
    let word: String = text.trim_start().chars().take_while(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    words_of.continues.contains(&word) && !(words_of.articles.contains(&word) && names_something(text, words_of))
}

/// Whether an article is followed by a name and nothing is said of it, where names begin with a capital: "die Kette am
/// Bahnhof", and not "die uns beliefert".
fn names_something(text: &str, words_of: &Lists) -> bool {
    let is_name = |word: &&str| word.starts_with(char::is_uppercase);
    let part = text.split([',', ';']).next().unwrap_or_default();
    let joined = |word: &str| words_of.joints.iter().any(|joint| joint == word);
    let words: Vec<&str> = part.split_whitespace().take_while(|word| !joined(word)).collect();
    words.iter().skip(1).take(2).any(is_name) && words.last().is_some_and(is_name)
}

pub(super) fn trim<'m>(part: &'m str, words_of: &Lists) -> &'m str {
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

/// A text without the first of some words that it begins with.
fn without<'m>(text: &'m str, leads: &[String]) -> &'m str {
    for lead in leads {
        let head = text.get(..lead.len()).filter(|head| head.to_lowercase() == *lead);
        if head.is_some() && text[lead.len()..].starts_with(' ') {
            return text[lead.len()..].trim();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'m>(message: &'m str, by: fn(&'m str, Manner<'_>) -> Vec<&'m str>) -> Vec<&'m str> {
        let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect();
        let lists = Lists {
            joints: words(&["and", "or"]),
            leads: words(&["mainly"]),
            continues: words(&["who", "which", "because"]),
            introductions: words(&["the options are"]),
            asides: words(&["it", "its", "hes", "we"]),
            ..Lists::default()
        };
        let (abbreviations, months) = (Set::from_iter(["ca".to_owned()]), Set::from_iter(["may".to_owned()]));
        by(message, Manner { lists: &lists, abbreviations: &abbreviations, months: &months, ends: None })
    }

    fn elements(message: &str) -> Vec<&str> {
        read(message, super::elements)
    }

    fn remarks(message: &str) -> Vec<&str> {
        read(message, super::remarks)
    }

    #[test]
    fn what_is_said_of_an_element_is_no_element() {
        assert_eq!(
            elements("the supermarket, it's cheaper, and another baker, hes retiring"),
            ["the supermarket, it's cheaper", "another baker, hes retiring"]
        );
        assert_eq!(elements("we call them, we write it down"), ["we call them", "we write it down"]);
        assert_eq!(elements("20 calls ca. 5 mails. Done by 15. May"), ["20 calls ca. 5 mails", "Done by 15. May"]);
    }

    #[test]
    fn remarks_belong_to_the_name_before_them() {
        assert_eq!(remarks("vouchers: high, chat: low"), ["vouchers: high", "chat: low"]);
        assert_eq!(
            remarks("lease: high, if it lasts. renting: never, too dear"),
            ["lease: high, if it lasts", "renting: never, too dear"]
        );
    }

    #[test]
    fn lists_are_split_as_people_write_them() {
        assert_eq!(elements("patients, nurses and doctors"), ["patients", "nurses", "doctors"]);
        assert_eq!(elements("- booking\n- reminders\n2) billing"), ["booking", "reminders", "billing"]);
        assert_eq!(elements("There are two: Stripe and QuickBooks."), ["Stripe", "QuickBooks"]);
        assert_eq!(elements("a budget of 1,000, a team of two"), ["a budget of 1,000", "a team of two"]);
        assert_eq!(elements("the options are buying, leasing and renting"), ["buying", "leasing", "renting"]);
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
