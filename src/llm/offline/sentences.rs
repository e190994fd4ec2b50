//! Where one sentence ends and the next begins: not after "Dr.", not inside "3.5", not inside "e.g.".

/// Words that end with a full stop in the middle of a sentence.
const ABBREVIATIONS: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "st", "approx", "ca", "vs", "no", "nr", "inc", "ltd", "co", "dept", "jan", "feb",
    "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "e.g", "i.e", "z.b", "incl", "max", "min",
];

/// The sentences of a text with the marks that end them, without the space between them.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, mark) in text.char_indices() {
        let after = at + mark.len_utf8();
        if ends(text, at, mark) {
            push(&mut found, &text[start..after]);
            start = after;
        }
    }
    push(&mut found, &text[start..]);
    found
}

fn push<'a>(found: &mut Vec<&'a str>, sentence: &'a str) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

fn ends(text: &str, at: usize, mark: char) -> bool {
    match mark {
        '\n' | '。' | '！' | '？' => true,
        '!' | '?' | '.' => {
            let next = text[at + 1..].chars().next();
            let closed = next.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '”' | '’' | ')'));
            closed && (mark != '.' || !is_abbreviated(&text[..at], &text[at + 1..]))
        }
        _ => false,
    }
}

/// Whether the stop after `before` belongs to an abbreviation or an initial.
fn is_abbreviated(before: &str, after: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let lower = word.to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    // "No." before a number is a number; before anything else it is an answer.
    if matches!(lower.as_str(), "no" | "nr" | "min" | "max" | "co") {
        return after.trim_start().starts_with(|c: char| c.is_ascii_digit());
    }
    initial || ABBREVIATIONS.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_ends_a_sentence_only_where_people_would_pause() {
        assert_eq!(sentences("Dr. Weber decides. It takes 3.5 hours."), ["Dr. Weber decides.", "It takes 3.5 hours."]);
        assert_eq!(sentences("Tools, e.g. Outlook! And J. Doe?"), ["Tools, e.g. Outlook!", "And J. Doe?"]);
        assert_eq!(sentences("No. It is no. 5."), ["No.", "It is no. 5."]);
        assert_eq!(sentences("予約が必要です。電話が多い。"), ["予約が必要です。", "電話が多い。"]);
        assert_eq!(sentences(" \n… "), Vec::<&str>::new());
    }
}
