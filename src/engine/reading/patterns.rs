//! Many patterns together, found by the word they can begin with.

use super::pattern::{First, Pattern};
use super::tables::Table;

/// Which of many patterns can begin with a word.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    by_word: Table<String, Vec<usize>>,
    others: Vec<usize>,
}

impl Index {
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p Pattern>) -> Self {
        let mut index = Self::default();
        for (at, pattern) in patterns.into_iter().enumerate() {
            let firsts = pattern.firsts();
            if firsts.contains(&First::Other) {
                index.others.push(at);
                continue;
            }
            for first in firsts {
                if let First::Word(word) = first {
                    let listed = index.by_word.entry(word).or_default();
                    if listed.last() != Some(&at) {
                        listed.push(at);
                    }
                }
            }
        }
        index
    }

    /// Patterns that may begin at a word.
    pub fn at<'i>(&'i self, word: &str) -> impl Iterator<Item = usize> + use<'i> {
        let named = self.by_word.get(word).map_or(&[][..], Vec::as_slice);
        named.iter().chain(&self.others).copied()
    }
}

/// Patterns for one purpose.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    all: Vec<Pattern>,
    index: Index,
}

impl Patterns {
    pub fn iter(&self) -> std::slice::Iter<'_, Pattern> {
        self.all.iter()
    }

    /// Those that may begin at a word.
    pub fn at<'p>(&'p self, word: &str) -> impl Iterator<Item = &'p Pattern> + use<'p> {
        self.index.at(word).map(|number| &self.all[number])
    }
}

impl From<Vec<Pattern>> for Patterns {
    fn from(all: Vec<Pattern>) -> Self {
        Self { index: Index::new(&all), all }
    }
}
