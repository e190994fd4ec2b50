//! Takes keys out of an answer that comes in pieces: what may be the beginning of one is held back until it is decided.

use std::sync::Arc;

use super::scrub::{Scrubber, marked};

/// Words on their way through.
#[derive(Debug)]
pub(super) struct StreamScrubber {
    scrubber: Arc<Scrubber>,
    held: String,
}

impl StreamScrubber {
    pub fn new(scrubber: &Arc<Scrubber>) -> Self {
        Self { scrubber: Arc::clone(scrubber), held: String::new() }
    }

    /// Takes more words and returns those that are certain by now.
    pub fn push(&mut self, words: &str) -> String {
        if self.scrubber.is_empty() {
            return words.to_owned();
        }
        self.held.push_str(words);
        let lower = self.held.to_ascii_lowercase();
        let mut spans = self.scrubber.spans(lower.as_bytes());
        let mut certain = lower.len() - self.scrubber.open_end(lower.as_bytes());
        // A secret that reaches into what is held back is held back whole: it may be the beginning of a longer one.
        while let Some(span) = spans.iter().find(|span| span.start < certain && certain < span.end) {
            certain = span.start;
        }
        spans.retain(|span| span.end <= certain);
        let rest = self.held.split_off(certain);
        marked(&std::mem::replace(&mut self.held, rest), spans)
    }

    /// Returns what was held back, now that nothing follows.
    pub fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        if self.scrubber.is_empty() { held } else { self.scrubber.clean_secrets(&held) }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;
    use crate::llm::endpoint::Endpoint;
    use crate::llm::key::KeySource;

    const KEY: &str = "sk-very-secret-key-1";

    fn scrubber() -> Arc<Scrubber> {
        let endpoint = Endpoint::local_for_tests().with_key(KEY, KeySource::Variable("KEY".to_owned()));
        Arc::new(Scrubber::of_answers(&endpoint))
    }

    fn through(pieces: &[&str]) -> String {
        let mut stream = StreamScrubber::new(&scrubber());
        let mut out: String = pieces.iter().map(|piece| stream.push(piece)).collect();
        out.push_str(&stream.finish());
        out
    }

    #[test]
    fn a_key_is_taken_out_wherever_it_is_cut() {
        let text = format!("Your key {KEY}, SK-VERY-SECRET-KEY-1 and {KEY}{KEY}: is it süß?");
        let clean = "Your key [key], [key] and [key][key]: is it süß?";
        for first in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            for second in (first..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                assert_eq!(through(&[&text[..first], &text[first..second], &text[second..]]), clean);
            }
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(through(&letters), clean);
    }

    #[test]
    fn words_that_only_begin_like_a_key_come_through_in_time() {
        let mut stream = StreamScrubber::new(&scrubber());
        assert_eq!(stream.push("It is s"), "It is ");
        assert_eq!(stream.push("k"), "");
        assert_eq!(stream.push("iing"), "skiing");
        assert_eq!(stream.push(" or sk-ve"), " or ");
        assert_eq!(stream.finish(), "sk-ve");
        assert_eq!(through(&["Cut off: sk-very-sec"]), "Cut off: [key]");
    }

    proptest! {
        #[test]
        fn no_key_comes_through_and_nothing_else_is_lost(
            parts in prop::collection::vec(prop_oneof![Just(KEY.to_owned()), "[a-z ]{0,6}", "sk-very-", "[süß€🌞-]{0,3}"], 0..12),
            cuts in prop::collection::vec(1usize..9, 1..20),
        ) {
            let text = parts.concat();
            let mut stream = StreamScrubber::new(&scrubber());
            let (mut out, mut rest) = (String::new(), text.as_str());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let at = rest.ceil_char_boundary((*cut).min(rest.len()));
                out.push_str(&stream.push(&rest[..at]));
                rest = &rest[at..];
            }
            out.push_str(&stream.finish());
            prop_assert!(!out.contains(KEY), "{}", out);
            let whole = through(&[&text]);
            prop_assert_eq!(&out, &whole);
            // The beginning of a key at the very end is one that was cut off.
            let cut_off = (6..KEY.len()).any(|length| text.ends_with(&KEY[..length]));
            if !text.contains(KEY) && !cut_off {
                prop_assert_eq!(out, text);
            }
        }
    }
}
