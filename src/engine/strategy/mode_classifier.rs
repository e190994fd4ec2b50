//! Tells how an answer sounds, and how far the conversation strays from the blend its phase aims at.

use crate::engine::config::{Mode, ModeBlend};
use crate::engine::memory::ModeState;
use crate::engine::words::Folded;

/// How much the newest answer counts in the average.
const NEWEST: f64 = 0.3;
/// So many words a statement beside a question has at least that explains something.
const EXPLAINS: usize = 7;

/// The shares of the modes in an answer, in per cent, by its words and punctuation.
pub fn lexical(answer: &str) -> [f64; 7] {
    let mut shares = [0.0; 7];
    let asks = sentences(answer).any(|sentence| sentence.ends_with('?'));
    for sentence in sentences(answer) {
        let words = sentence.split_whitespace().count().max(1);
        // A few words beside a question lead over to it.
        let leads_over = |mode: Mode| asks && mode == Mode::Inform && words < EXPLAINS;
        if let Some(mode) = mode_of(sentence).filter(|mode| !leads_over(*mode)) {
            shares[mode as usize] += words as f64;
        }
    }
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 { shares.map(|share| share / sum * 100.0) } else { shares }
}

fn sentences(answer: &str) -> impl Iterator<Item = &str> {
    answer.split_inclusive(['.', '?', '!', '\n']).map(str::trim).filter(|sentence| sentence.len() > 1)
}

/// Phrases that give a sentence away, folded, the telling ones first.
const SIGNS: &[(Mode, &[&str])] = &[
    (
        Mode::Deliberate,
        &[
            "trade off",
            "tradeoff",
            "on the other hand",
            "pros and cons",
            "versus",
            "speaks for",
            "speaks against",
            "weigh",
            "downside",
            "upside",
            "compared with",
            "compared to",
            "the price of",
        ],
    ),
    (Mode::Persuade, &["i would recommend", "i recommend", "i suggest", "my advice", "most teams", "you should"]),
    (
        Mode::Refine,
        &[
            "more precisely",
            "put differently",
            "sharpen",
            "reword",
            "to be exact",
            "let me rephrase",
            "narrow that down",
        ],
    ),
    (
        Mode::Validate,
        &[
            "is that right",
            "did i get",
            "have i understood",
            "so you",
            "to sum up",
            "so far",
            "in your words",
            "you said",
            "you mentioned",
            "sounds like",
            "does that match",
            "correct me",
            "if i understand",
            "let me check",
        ],
    ),
    (Mode::Explore, &["what if", "imagine", "suppose", "could it be", "another way", "what else", "how might"]),
];

/// Words that only show that somebody listens; they have no mode.
const BACKCHANNELS: &[&str] = &[
    "i see",
    "right",
    "ok",
    "okay",
    "thanks",
    "thank you",
    "noted",
    "got it",
    "understood",
    "good",
    "great",
    "mm hm",
    "of course",
    "sure",
    "all right",
    "hello",
    "thanks that helps",
];

/// The mode of a sentence; none where it only shows that somebody listens.
fn mode_of(sentence: &str) -> Option<Mode> {
    let folded = Folded::new(sentence);
    if folded.as_str().is_empty() || BACKCHANNELS.contains(&folded.as_str()) {
        return None;
    }
    let signed = SIGNS.iter().find(|(_, signs)| signs.iter().any(|sign| folded.has(sign)));
    Some(match signed {
        Some((mode, _)) => *mode,
        None if sentence.ends_with('?') => Mode::Extract,
        // A statement about the one who is spoken to gives back what they said.
        None if is_reflection(folded.as_str()) => Mode::Validate,
        None => Mode::Inform,
    })
}

/// Whether a statement has the addressee for its subject: "you lose two hours a day", "your team is small".
fn is_reflection(folded: &str) -> bool {
    const BEFORE: &[&str] = &["so", "and", "but", "then", "today", "that", "means", "ok"];
    const ORDERS: &[&str] = &["can", "could", "may", "should", "must", "will"];
    let mut words = folded.split(' ').skip_while(|word| BEFORE.contains(word));
    match (words.next(), words.next()) {
        (Some("you" | "youre" | "youve"), Some(next)) => !ORDERS.contains(&next),
        (Some("your"), Some(_)) => true,
        _ => false,
    }
}

/// Takes an answer into the average and looks for drift. An answer without a sentence says nothing.
pub(crate) fn observe(state: &mut ModeState, answer: [f64; 7], target: &ModeBlend, margin: u32) {
    if answer.iter().sum::<f64>() <= 0.0 {
        return;
    }
    let observed = match state.observed {
        Some(before) => std::array::from_fn(|at| before[at] * (1.0 - NEWEST) + answer[at] * NEWEST),
        None => answer,
    };
    state.observed = Some(observed);
    aim(state, target, margin);
}

/// Looks how far what was observed strays from a blend; a phase that has just begun has another than the last.
pub(crate) fn aim(state: &mut ModeState, target: &ModeBlend, margin: u32) {
    let Some(observed) = state.observed else { return };
    let furthest = Mode::ALL
        .iter()
        .map(|mode| (*mode, observed[*mode as usize] - f64::from(target.share(*mode))))
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    state.drift = furthest.filter(|(_, by)| by.abs() > f64::from(margin));
}

/// One sentence for the next prompt that leads back to the blend.
pub fn correction(drift: (Mode, f64)) -> String {
    let (mode, by) = drift;
    let doing = match mode {
        Mode::Extract => "asking for information",
        Mode::Explore => "exploring possibilities together",
        Mode::Inform => "explaining",
        Mode::Validate => "checking your understanding",
        Mode::Refine => "sharpening what is there",
        Mode::Persuade => "leading towards a decision",
        Mode::Deliberate => "weighing what speaks for and against",
    };
    if by > 0.0 {
        format!("You have been {doing} more than this phase calls for: do less of it now.")
    } else {
        format!("You have been {doing} less than this phase calls for: do more of it now.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reflection_validates_a_backchannel_is_nothing_and_words_count_whole() {
        assert_eq!(mode_of("You lose two hours a day."), Some(Mode::Validate));
        assert_eq!(mode_of("So your team is small."), Some(Mode::Validate));
        assert_eq!(mode_of("You can stop at any time."), Some(Mode::Inform));
        assert_eq!(mode_of("I see."), None);
        assert_eq!(mode_of("The weight is five kilos."), Some(Mode::Inform), "weight is not weigh");
        assert_eq!(mode_of("Let us weigh both."), Some(Mode::Deliberate));
        assert_eq!(mode_of("What does it cost?"), Some(Mode::Extract));
    }
}
