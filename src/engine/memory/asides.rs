//! What was said beside the conversation (`/btw`) and what was answered. It stands here and not among the messages, so that
//! nothing that looks for evidence, words or questions ever comes across it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// So many are remembered, the latest.
pub const MAX_ASIDES: usize = 20;

/// The longest aside, in bytes.
pub const MAX_ASIDE: usize = 2_000;

/// The longest answer to one that is remembered, in bytes.
const MAX_ANSWER: usize = 4_000;

/// Something said beside the conversation, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aside {
    /// The turn after which it was said.
    pub after: u32,
    pub said: Arc<str>,
    pub answer: Arc<str>,
}

impl Aside {
    /// An aside with its answer, which is cut where it is too long to be remembered.
    pub fn new(after: u32, said: &str, answer: &str) -> Self {
        let answer = answer.trim();
        let kept = &answer[..answer.floor_char_boundary(MAX_ANSWER)];
        let cut = if kept.len() < answer.len() { " …" } else { "" };
        Self { after, said: said.trim().into(), answer: format!("{kept}{cut}").into() }
    }
}

/// The latest asides, oldest first. Copies share them until one is added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Asides(Arc<Vec<Aside>>);

impl Asides {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Remembers one; the oldest goes where there are too many.
    pub fn note(&mut self, aside: Aside) {
        let all = Arc::make_mut(&mut self.0);
        if all.len() >= MAX_ASIDES {
            all.remove(0);
        }
        all.push(aside);
    }

    /// Those that were said after a turn and before the next.
    pub fn after(&self, turn: u32) -> impl Iterator<Item = &Aside> {
        self.0.iter().filter(move |aside| aside.after == turn)
    }

    pub fn last(&self) -> Option<&Aside> {
        self.0.last()
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn the_latest_are_remembered_and_none_is_longer_than_it_may_be() {
        let mut asides = Asides::default();
        let long = "ä".repeat(MAX_ANSWER);
        (0..50).for_each(|turn| asides.note(Aside::new(turn, " what? ", &long)));
        assert_eq!((asides.0.len(), asides.after(29).count(), asides.after(30).count()), (MAX_ASIDES, 0, 1));
        let last = asides.last().unwrap();
        assert_eq!(&*last.said, "what?");
        assert!(last.answer.len() <= MAX_ANSWER + 4 && last.answer.ends_with('…'), "{}", last.answer.len());
    }
}
