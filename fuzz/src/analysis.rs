//! What a model says it found: repaired, brought into shape, proven, merged, kept, whatever it is.

use super::{Outside, Talk};

const SAID: &str = "We want to walk in the Alps in June with 3 children, for 2,500 euros, not in winter. No dogs.";

pub fn try_input(text: &str) {
    // What follows a line of three equals signs is the second analysis.
    let (first, second) = text.split_once("\n===\n").unwrap_or((text, text));
    let mut talk = Talk::new();
    talk.say(SAID, &Outside { analysis: Some(first), answer: None });
    talk.say(
        "No, it is forty thousand, and not June but July.",
        &Outside { analysis: Some(second), answer: Some(first) },
    );
    talk.say(first, &Outside { analysis: Some(second), answer: Some(second) });
}
