//! How deep an answer goes: whether it gives a reason, a real occasion or a figure.

use super::clauses::Material;
use super::lexicon::Lexicon;
use super::pattern::Slot;
use super::quantity::Quantities;
use crate::engine::config::ProbeFor;

/// Whether a text has in it what a follow-up would ask for.
pub fn carries(lexicon: &Lexicon, text: &str, wanted: ProbeFor) -> bool {
    let text = lexicon.text(text);
    let quantities = Quantities::find(&text, lexicon);
    let material = Material { text: &text, lexicon, quantities: &quantities };
    let all = 0..text.tokens.len();
    match wanted {
        ProbeFor::Reason => text.tokens.iter().any(|token| lexicon.because.contains(&token.word)),
        ProbeFor::Instance => material.has(&lexicon.occasion, &all),
        ProbeFor::Number => quantities.within(&all).any(|quantity| quantity.kind != Slot::Date),
    }
}

/// Whether all telling words of a phrase stand in a text, whatever their endings.
pub fn names(lexicon: &Lexicon, text: &str, phrase: &str) -> bool {
    let (text, phrase) = (lexicon.text(text), lexicon.text(phrase));
    let mut telling = phrase.tokens.iter().filter(|token| !lexicon.stopwords.contains(&token.word));
    telling.all(|token| text.tokens.iter().any(|other| other.stem == token.stem))
}
