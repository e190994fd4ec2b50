//! What a model looked up while it answered: what its answers rest on, for people who come back to the session.

use serde::{Deserialize, Serialize};

/// So many are remembered, the latest: the figures of each turn have them all.
pub const MAX_LOOKUPS: usize = 60;

/// Something that was looked up for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    pub turn: u32,
    /// What came of it, as it was told.
    pub words: String,
}

/// The latest of what was looked up, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lookups(Vec<Lookup>);

impl Lookups {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Remembers what was looked up in a turn; the oldest goes where there are too many.
    pub fn note(&mut self, turn: u32, words: String) {
        if self.0.len() >= MAX_LOOKUPS {
            self.0.remove(0);
        }
        self.0.push(Lookup { turn, words });
    }

    /// What was looked up for the answer of a turn.
    pub fn of(&self, turn: u32) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |lookup| lookup.turn == turn).map(|lookup| lookup.words.as_str())
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn the_latest_are_remembered() {
        let mut lookups = Lookups::default();
        (0..100).for_each(|turn| lookups.note(turn, format!("looked up {turn}")));
        assert_eq!(lookups.0.len(), MAX_LOOKUPS);
        assert_eq!((lookups.of(39).count(), lookups.of(99).collect::<Vec<_>>()), (0, vec!["looked up 99"]));
    }
}
