//! Faults of questions: two in one, an answer put into the user's mouth, a supposition instead of an occasion.

use super::lexicon::Lexicon;
use super::text::Text;

/// What is wrong with a question, in words for its author.
pub(super) fn of_question(lexicon: &Lexicon, question: &str) -> Vec<String> {
    let words = plain(after_nod(question));
    // "And what does it cost?" goes on with a conversation and asks for one thing.
    let goes_on = words.split_once(' ').filter(|(first, _)| lexicon.joints.contains(*first));
    let words = format!(" {} ", goes_on.map_or(words.as_str(), |(_, rest)| rest));
    let says = |kind: &str| {
        let signs = lexicon.probes().faults.get(kind).map(|signs| signs.value.as_slice()).unwrap_or_default();
        signs.iter().find(|sign| words.contains(&format!(" {} ", plain(sign))))
    };
    let mut faults = Vec::new();
    if question.matches('?').count() > 1 {
        faults.push("this asks two questions; people answer one of them".to_owned());
    } else if let Some(sign) = says("double") {
        faults.push(format!("“{sign}” asks for a second thing; people answer one of them"));
    }
    if let Some(sign) = says("leading") {
        faults.push(format!("“{sign}” puts the answer into people's mouths"));
    }
    if let Some(sign) = says("hypothetical") {
        faults.push(format!("“{sign}” asks people to imagine; ask for an occasion that was"));
    }
    faults
}

/// So many words before a comma are only a nod: "Got it, and who pays?"
const NOD: usize = 2;

/// A question without the nod that it begins with.
fn after_nod(question: &str) -> &str {
    let nod = question.split_once(',').filter(|(nod, _)| nod.split_whitespace().count() <= NOD);
    nod.map_or(question, |(_, rest)| rest)
}

fn plain(text: &str) -> String {
    let tokens = Text::new(text, str::to_owned).tokens;
    tokens.into_iter().map(|token| token.word).collect::<Vec<_>>().join(" ")
}
