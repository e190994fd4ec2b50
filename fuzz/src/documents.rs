//! What goes out for others to read and what comes back from them: briefs as pages and documents, and forms that somebody
//! has filled in.

use elenchus::engine::brief::Proof;
use elenchus::host::export::{document, page};
use elenchus::host::form;

/// The most that a form may bring, as SECURITY.md says.
const MOST_ANSWERS: usize = 200;
const LONGEST_ANSWER: usize = 32 * 1024;

pub fn try_input(bytes: &[u8]) {
    let Some((which, text)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    match which {
        b'f' => filled_in(&text),
        _ => written_out(&text),
    }
}

fn filled_in(text: &str) {
    match form::read(text) {
        Ok(filled) => {
            assert!(filled.answers.len() + filled.empty <= MOST_ANSWERS);
            for answer in &filled.answers {
                assert!(answer.text.len() <= LONGEST_ANSWER && !answer.text.trim().is_empty());
                let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
                assert!(answer.question.chars().all(is_name), "{:?}", answer.question);
            }
            let mut questions: Vec<&str> = filled.answers.iter().map(|answer| answer.question.as_str()).collect();
            questions.sort_unstable();
            questions.dedup();
            assert_eq!(questions.len(), filled.answers.len(), "each question is answered once");
        }
        Err(why) => assert!(!why.to_string().is_empty()),
    }
}

/// What follows a line of three equals signs is quoted as a proof.
fn written_out(text: &str) {
    let (text, quote) = text.split_once("\n===\n").unwrap_or((text, text));
    let proof = Proof {
        path: "a".to_owned(),
        name: quote.chars().take(40).collect(),
        value: quote.to_owned(),
        quote: Some(quote.to_owned()),
        turn: 1,
        by_hand: false,
        speaker: None,
    };
    // Proofs and titles are made harmless before; the text is too, but for signs that are written as numbers.
    let safe = |text: &str| elenchus::text::printable(text).into_owned();
    let proof = proof.with_texts(|text| safe(&text));
    let written = page(&safe(text), &safe(quote), "en", std::slice::from_ref(&proof));
    assert!(!written.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')), "{written:?}");
    for obeyed in ["<script", "<img", "<iframe", "<object", "<form", " src=", "href=\"javascript:", "href=\"data:"] {
        // Words of that kind are escaped, so the sign before them is not there.
        let found = written.match_indices(obeyed).any(|(at, _)| !inside_text(&written, at));
        assert!(!found, "{obeyed}: {written}");
    }
    assert!(document(&safe(text), 1).is_ok());
}

/// Whether a place stands between tags: there a space before a word means nothing.
fn inside_text(page: &str, at: usize) -> bool {
    if page.as_bytes()[at] == b'<' {
        return false;
    }
    let before = &page[..at];
    before.rfind('>').unwrap_or(0) >= before.rfind('<').unwrap_or(0)
}
