//! The forms of commands about what was noted: words around the thing that is meant.

use std::ops::Range;

use super::clauses::Material;
use super::pattern::{Edge, Pattern};
use super::patterns::{Index, Patterns};
use super::tables::{Set, Table};
use super::text::folded;
use crate::decode::Spanned;
use crate::engine::config::Edits;

/// The slot of a form.
const THING: &str = "{thing}";

/// A form of a command: what stands before the thing, and after it.
#[derive(Clone, Debug)]
struct Form {
    before: Option<Pattern>,
    after: Option<Pattern>,
    /// Whether a thing stands in it at all: "leave it as it was" has none.
    names: bool,
    /// The words that it can end with; any where nothing stands here.
    ends: Option<Set<String>>,
}

impl Form {
    /// The tokens of the thing, where the form covers all of some tokens. None of them where it names nothing.
    fn thing(&self, material: &Material<'_, '_>, words: &Range<usize>) -> Option<Range<usize>> {
        let last = &material.text.tokens[words.clone()].last()?.word;
        if self.ends.as_ref().is_some_and(|ends| !ends.contains(last)) {
            return None;
        }
        let start = match &self.before {
            Some(before) => material.starts(before, words)?,
            None => words.start,
        };
        if !self.names {
            return (start == words.end).then_some(start..start);
        }
        let end = match &self.after {
            Some(after) => {
                (start + 1..words.end).find(|at| material.starts(after, &(*at..words.end)) == Some(words.end))?
            }
            None => words.end,
        };
        (start < end).then_some(start..end)
    }
}

/// The forms of one command, found by the word they can begin with.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    all: Vec<Form>,
    starts: Index,
}

impl Forms {
    fn new(all: Vec<Form>) -> Self {
        let begins = |form: &Form| form.before.as_ref().map_or_else(|| vec![Edge::Other], Pattern::firsts);
        Self { starts: Index::of_edges(all.iter().map(begins)), all }
    }

    /// The tokens of the thing, by the first form that covers all of some tokens.
    pub fn thing(&self, material: &Material<'_, '_>, words: &Range<usize>) -> Option<Range<usize>> {
        let first = &material.text.tokens[words.clone()].first()?.word;
        let mut may: Vec<usize> = self.starts.at(first, material.quantities.kind_at(words.start)).collect();
        may.sort_unstable();
        may.into_iter().find_map(|number| self.all[number].thing(material, words))
    }
}

/// Words of commands about what was noted.
#[derive(Clone, Debug)]
pub(super) struct EditWords {
    pub removes: Forms,
    pub drops: Forms,
    pub all_but: Forms,
    pub restores: Forms,
    pub adds: Forms,
    pub faults: Forms,
    pub no_such: Forms,
    pub unmeant: Forms,
    pub returns: Forms,
    pub reopens: Forms,
    pub idioms: Patterns,
    pub several: Patterns,
    pub not_in: Patterns,
    pub takes: Patterns,
    pub from: Patterns,
    pub before: Patterns,
    pub after: Patterns,
    pub pointers: Patterns,
    pub about: Patterns,
    pub reasons: Patterns,
    pub nouns: Set<String>,
    /// Places on a list; from its end they are negative.
    pub places: Table<String, i32>,
}

impl EditWords {
    pub fn compile(words: &Edits, patterns: &mut impl FnMut(&[Spanned<String>]) -> Vec<Pattern>) -> Self {
        let mut forms = |sources: &[Spanned<String>]| {
            Forms::new(sources.iter().filter_map(|source| form(source, patterns)).collect())
        };
        let (removes, drops, all_but) = (forms(&words.removes), forms(&words.drops), forms(&words.all_but));
        let (restores, faults, adds) = (forms(&words.restores), forms(&words.faults), forms(&words.adds));
        let (no_such, unmeant) = (forms(&words.no_such), forms(&words.unmeant));
        let (returns, reopens) = (forms(&words.returns), forms(&words.reopens));
        Self {
            removes,
            drops,
            all_but,
            restores,
            adds,
            faults,
            no_such,
            unmeant,
            returns,
            reopens,
            idioms: patterns(&words.idioms).into(),
            several: patterns(&words.several).into(),
            not_in: patterns(&words.not_in).into(),
            takes: patterns(&words.takes).into(),
            from: patterns(&words.from).into(),
            before: patterns(&words.before).into(),
            after: patterns(&words.after).into(),
            pointers: patterns(&words.pointers).into(),
            about: patterns(&words.about).into(),
            reasons: patterns(&words.reasons).into(),
            nouns: words.nouns.iter().map(|word| folded(word)).collect(),
            places: words.places.iter().map(|(word, place)| (folded(word), place.value as i32)).collect(),
        }
    }
}

/// Takes a form apart; what is wrong with its patterns is told by those who read them.
fn form(source: &Spanned<String>, patterns: &mut impl FnMut(&[Spanned<String>]) -> Vec<Pattern>) -> Option<Form> {
    // What stands last stands at the end.
    let mut side = |text: &str, end: &str| match text.trim() {
        "" => Some(None),
        words => patterns(&[Spanned { span: source.span.clone(), value: format!("{words}{end}") }]).pop().map(Some),
    };
    let (before, after, names) = match source.value.split_once(THING) {
        Some((before, after)) => (side(before, "")?, side(after, "$")?, true),
        None => (side(&source.value, "$")?, None, false),
    };
    let last = if names { after.as_ref() } else { before.as_ref() };
    Some(Form { ends: last.and_then(ends), before, after, names })
}

/// The words that a pattern can end with, where nothing else can stand there.
fn ends(pattern: &Pattern) -> Option<Set<String>> {
    let word = |edge| if let Edge::Word(word) = edge { Some(word) } else { None };
    pattern.lasts().into_iter().map(word).collect()
}
