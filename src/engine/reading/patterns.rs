//! Many patterns together, found by the word they can begin with.

use super::pattern::{Edge, Pattern, Slot};
use super::tables::Table;

/// Which of many patterns can begin at a token.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    by_word: Table<String, Vec<usize>>,
    by_slot: Vec<(Slot, Vec<usize>)>,
    others: Vec<usize>,
}

impl Index {
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p Pattern>) -> Self {
        Self::of_edges(patterns.into_iter().map(Pattern::firsts))
    }

    /// The same by what each of them can begin with.
    pub fn of_edges(edges: impl IntoIterator<Item = Vec<Edge>>) -> Self {
        let mut index = Self::default();
        for (at, edges) in edges.into_iter().enumerate() {
            let words = edges.iter().all(|edge| matches!(edge, Edge::Word(_)));
            let slots = edges.iter().all(|edge| matches!(edge, Edge::Slot(_)));
            // One that can begin with both would be found twice where a word is a quantity: "ten".
            if !words && !slots {
                index.others.push(at);
                continue;
            }
            for edge in edges {
                let listed = match edge {
                    Edge::Word(word) => index.by_word.entry(word).or_default(),
                    Edge::Slot(slot) => index.listed_under(slot),
                    Edge::Other => continue,
                };
                if listed.last() != Some(&at) {
                    listed.push(at);
                }
            }
        }
        index
    }

    fn listed_under(&mut self, slot: Slot) -> &mut Vec<usize> {
        let known = self.by_slot.iter().position(|(other, _)| *other == slot);
        let at = known.unwrap_or_else(|| {
            self.by_slot.push((slot, Vec::new()));
            self.by_slot.len() - 1
        });
        &mut self.by_slot[at].1
    }

    /// Patterns that may begin at a word, where a quantity of a kind begins, or none.
    pub fn at<'i>(&'i self, word: &str, kind: Option<Slot>) -> impl Iterator<Item = usize> + use<'i> {
        let named = self.by_word.get(word).map_or(&[][..], Vec::as_slice);
        let slot = kind.and_then(|kind| self.by_slot.iter().find(|(slot, _)| *slot == kind));
        let filled = slot.map_or(&[][..], |(_, listed)| listed.as_slice());
        named.iter().chain(filled).chain(&self.others).copied()
    }

    /// Patterns that may begin at a word that could be any quantity.
    fn at_unread<'i>(&'i self, word: &str) -> impl Iterator<Item = usize> + use<'i> {
        let named = self.by_word.get(word).map_or(&[][..], Vec::as_slice);
        let filled = self.by_slot.iter().flat_map(|(_, listed)| listed);
        named.iter().chain(filled).chain(&self.others).copied()
    }
}

/// Patterns for one purpose.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    all: Vec<Pattern>,
    index: Index,
}

impl Patterns {
    /// Those that may begin at a word, where a quantity of a kind begins, or none.
    pub fn at<'p>(&'p self, word: &str, kind: Option<Slot>) -> impl Iterator<Item = &'p Pattern> + use<'p> {
        self.index.at(word, kind).map(|number| &self.all[number])
    }

    /// Those that may begin at a word before quantities are known.
    pub fn at_unread<'p>(&'p self, word: &str) -> impl Iterator<Item = &'p Pattern> + use<'p> {
        self.index.at_unread(word).map(|number| &self.all[number])
    }

    /// How early one of them is named, to tell which of several counts.
    pub fn place(&self, pattern: &Pattern) -> usize {
        self.all.iter().position(|other| std::ptr::eq(other, pattern)).unwrap_or(self.all.len())
    }
}

impl From<Vec<Pattern>> for Patterns {
    fn from(all: Vec<Pattern>) -> Self {
        Self { index: Index::new(&all), all }
    }
}
