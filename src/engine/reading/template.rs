//! How corrections are worded: literal words around what is taken back and what holds.

use std::ops::Range;

use super::clauses::Material;
use super::text::Text;

/// The most words that are taken back.
const MOST_OLD: usize = 10;

/// How a correction is worded: literal words around what is taken back and what holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Words(Vec<String>),
    Old,
    New,
    Value,
}

/// What a template found, in tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Match {
    /// Where its first literal words stand.
    pub words: usize,
    pub old: Option<Range<usize>>,
    pub new: Range<usize>,
    /// A value that is named besides.
    pub value: Option<Range<usize>>,
}

impl Template {
    /// `None` where there is no slot, or nothing but slots.
    pub fn parse(source: &str) -> Option<Self> {
        let mut segments: Vec<Segment> = Vec::new();
        for word in source.split_whitespace() {
            match word.trim_matches([',', '.']) {
                "{old}" => segments.push(Segment::Old),
                "{new}" => segments.push(Segment::New),
                "{value}" => segments.push(Segment::Value),
                _ => {
                    let words = Text::new(word, str::to_owned).tokens.into_iter().map(|token| token.word);
                    match segments.last_mut() {
                        Some(Segment::Words(before)) => before.extend(words),
                        _ => segments.push(Segment::Words(words.collect())),
                    }
                }
            }
        }
        let slot = segments.contains(&Segment::New) || segments.contains(&Segment::Old);
        let wanted = slot && segments.iter().any(|s| matches!(s, Segment::Words(_)));
        wanted.then_some(Self(segments))
    }

    /// Where it stands in a sentence.
    pub fn find(&self, material: &Material<'_, '_>, sentence: &Range<usize>) -> Option<Match> {
        let literal = |words: &[String], at: usize| {
            let fits = |(n, word): (usize, &String)| {
                // No pause parts who speaks from what they do: "Ich, meine Schwester" is no "ich meine".
                let parted = n == 1 && material.lexicon.speaker.contains(&words[0]) && pauses(material, at + 1);
                let said = material.text.tokens.get(at + n).is_some_and(|token| token.word == *word);
                said && at + n < sentence.end && !parted
            };
            words.iter().enumerate().all(fits)
        };
        let place_of = |words: &[String], from: usize| (from..sentence.end).find(|at| literal(words, *at));
        let mut found = Match::default();
        let mut at = sentence.start;
        let mut open: Option<&Segment> = None;
        let mut first_words = None;
        for segment in &self.0 {
            let Segment::Words(words) = segment else {
                open = Some(segment);
                continue;
            };
            // A slot before literal words has at least one word of its own.
            let from = at + usize::from(open.is_some());
            let place = place_of(words, from)?;
            if let Some(slot) = open.take() {
                let first = at == sentence.start && self.0.first() == Some(slot);
                let start = if first { breath_start(material, at, place) } else { at };
                found.fill(slot, start..place);
            }
            first_words.get_or_insert(place);
            at = place + words.len();
        }
        found.words = first_words.unwrap_or(sentence.start);
        if let Some(slot) = open {
            let breath = breath_end(material, at, sentence.end);
            // "I said 60, it's 160, missed a digit": where a figure is put right, the figure is what holds.
            let figure = material.quantities.within(&(at..breath)).next().is_some();
            let end = if *slot == Segment::Old || figure { breath } else { sentence.end };
            found.fill(slot, at..end);
        }
        let filled = self.0.contains(&Segment::New) != found.new.is_empty();
        let sound = filled && found.old.as_ref().is_none_or(|old| !old.is_empty() && old.len() <= MOST_OLD);
        sound.then_some(found)
    }
}

impl Match {
    fn fill(&mut self, slot: &Segment, tokens: Range<usize>) {
        match slot {
            Segment::Old => self.old = Some(tokens),
            Segment::New => self.new = tokens,
            Segment::Value => self.value = Some(tokens),
            Segment::Words(_) => {}
        }
    }
}

pub(super) fn pauses(material: &Material<'_, '_>, at: usize) -> bool {
    material.text.before(at).contains([',', ';', ':', '–', '—', '…'])
}

/// After the last comma before a place, so that only the words that belong to it are taken.
pub(super) fn breath_start(material: &Material<'_, '_>, from: usize, to: usize) -> usize {
    (from + 1..to).rev().find(|at| pauses(material, *at)).unwrap_or(from)
}

pub(super) fn breath_end(material: &Material<'_, '_>, from: usize, to: usize) -> usize {
    (from + 1..to).find(|at| pauses(material, *at)).unwrap_or(to)
}
