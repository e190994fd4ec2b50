//! Estimates tokens where an endpoint has not counted them: for a budget beforehand, for missing usage afterwards.

use super::chat::ChatRequest;

/// What a message costs besides its words: role markers and separators of the chat template.
const PER_MESSAGE: u64 = 4;

/// Estimates the tokens of `text` by the kind of its characters.
///
/// No vocabulary is loaded: an exact one costs tens of megabytes, and the endpoint's own figures replace this estimate
/// as soon as they arrive.
pub fn estimate(text: &str) -> u64 {
    let (mut tokens, mut letters, mut digits) = (0_u64, 0_u64, 0_u64);
    let mut wide = 0_u64;
    for character in text.chars() {
        if !character.is_ascii_alphabetic() {
            tokens += letters.div_ceil(7);
            letters = 0;
        }
        if !character.is_ascii_digit() {
            tokens += digits.div_ceil(3);
            digits = 0;
        }
        match character {
            'a'..='z' | 'A'..='Z' => letters += 1,
            '0'..='9' => digits += 1,
            ' ' | '\t' | '\r' => {}
            '\u{80}'..='\u{24ff}' => wide += 1,
            '\u{2500}'..='\u{2e7f}' | '\u{1f000}'.. => tokens += 2,
            _ => tokens += 1,
        }
    }
    tokens + letters.div_ceil(7) + digits.div_ceil(3) + wide.div_ceil(2)
}

/// Estimates the tokens of a whole request, schema included.
pub fn estimate_request(request: &ChatRequest) -> u64 {
    let system: u64 = request.system.iter().map(|part| estimate(part) + PER_MESSAGE).sum();
    let messages: u64 = request.messages.iter().map(|message| estimate(&message.content) + PER_MESSAGE).sum();
    let schema = request.schema.as_ref().map_or(0, |schema| estimate(&schema.schema.to_string()));
    system + messages + schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_stay_near_what_tokenizers_count() {
        for (text, counted) in [
            ("Reception loses three hours a day on the phone.", 10),
            ("fn main() { let total = 1024; }", 11),
            ("予約アプリが必要です", 8),
        ] {
            let estimate = estimate(text);
            assert!(estimate >= counted * 7 / 10 && estimate <= counted * 2, "{text}: {estimate} against {counted}");
        }
    }

    #[test]
    fn nothing_costs_nothing() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate_request(&ChatRequest::default()), 0);
    }
}
