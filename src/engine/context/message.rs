//! A message that is longer than there is room for: shortened in the same way in every request, and marked.

use std::borrow::Cow;

use crate::engine::tokens;

/// What stands where a message was shortened.
const MARK: &str = "[The message goes on here; the rest was too long to be shown.]";
/// What the mark takes, in tokens.
const MARK_TOKENS: u32 = 18;

/// The part of a message that is shown: as many whole sentences as fit.
pub fn kept(text: &str, budget: u32) -> &str {
    // A token has a character at least, so a short text need not be counted.
    if text.len() <= budget as usize || tokens::estimate(text) <= budget {
        return text;
    }
    let cut = tokens::cut(text, budget.saturating_sub(MARK_TOKENS));
    let ends = [". ", "? ", "! ", "\n"].iter().filter_map(|end| cut.rfind(end)).max();
    match ends {
        Some(end) if end * 2 >= cut.len() => cut[..=end].trim_end(),
        _ => cut,
    }
}

/// The same, with a mark where something was left out.
pub fn shortened(text: &str, budget: u32) -> Cow<'_, str> {
    let kept = kept(text, budget);
    if kept.len() == text.len() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(if budget > MARK_TOKENS { format!("{kept}\n{MARK}") } else { kept.to_owned() })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_long_message_ends_with_a_whole_sentence_and_says_that_it_goes_on() {
        let text = "We run a library. It has an index on paper. Nobody finds anything in it, because every volunteer has \
                    written cards in a way of their own, with words that the others would never have looked for, since \
                    the year in which the house was opened.";
        assert_eq!(shortened(text, 100), text);
        let shown = shortened(text, 12 + MARK_TOKENS);
        assert_eq!(shown, format!("We run a library. It has an index on paper.\n{MARK}"));
        assert!(tokens::estimate(&shown) <= 12 + MARK_TOKENS, "{}", tokens::estimate(MARK));
    }
}
