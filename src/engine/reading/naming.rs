//! Which field some words name: by its own name, that of its question, or the way it is asked for.

use std::collections::HashSet;

use super::clauses::Material;
use super::lexicon::Lexicon;
use super::quantity::Quantities;
use crate::engine::Engine;
use crate::engine::config::{Field, Obligation};

/// No name is longer than this, in bytes: longer words tell something.
const LONGEST: usize = 100;

/// What the fields of an engine are called in a language.
pub(crate) struct Names(Vec<Name>);

struct Name {
    /// The words of all its names.
    words: HashSet<String>,
    /// Those of its own name.
    own: Vec<String>,
    /// Its own name, and that of a question for nothing else, each by its words and whether it denies something.
    labels: Vec<(Vec<String>, bool)>,
    /// The same as they are written, in lower case.
    written: Vec<String>,
}

impl Names {
    pub fn of(engine: &Engine, lexicon: &Lexicon) -> Self {
        let fields = engine.definition().fields.iter();
        let name = |field| Name {
            words: names_of(engine, lexicon, field),
            own: telling(lexicon, &field.name),
            labels: labels_of(engine, lexicon, field)
                .iter()
                .map(|text| (telling(lexicon, text), denies(lexicon, text)))
                .collect(),
            written: labels_of(engine, lexicon, field).iter().map(|text| text.to_lowercase()).collect(),
        };
        Self(fields.map(name).collect())
    }

    /// The field that some words name. Where several are named alike it is the first of those that `likelier` prefers.
    pub fn find(
        &self,
        engine: &Engine,
        lexicon: &Lexicon,
        words: &str,
        likelier: impl Fn(&Field) -> bool,
    ) -> Option<usize> {
        if words.len() > LONGEST {
            return None;
        }
        let said = telling(lexicon, words);
        let fields = engine.definition().fields.iter().zip(&self.0).enumerate();
        let ranked = fields.filter_map(|(at, (field, name))| {
            let shared = said.iter().filter(|word| name.words.contains(*word)).count();
            let whole = !name.own.is_empty() && name.own.iter().all(|word| said.contains(word));
            // Most of what they say must be the name: "the budget", not "the budget of the neighbour's club".
            let fits = shared > 0 && shared * 2 >= said.len();
            fits.then(|| ((likelier(field), shared, whole, std::cmp::Reverse(name.words.len())), at))
        });
        ranked.max_by(|(a, first), (b, second)| a.cmp(b).then(second.cmp(first))).map(|(_, at)| at)
    }

    /// The only field that some words are the name of, no word more and no word less.
    pub fn only(&self, lexicon: &Lexicon, words: &str) -> Option<usize> {
        if words.len() > LONGEST {
            return None;
        }
        // "What changes" is not "what must not change".
        let (said, text) = ((telling(lexicon, words), denies(lexicon, words)), words.to_lowercase());
        let only = |is: &dyn Fn(&Name) -> bool| {
            let mut fields = self.0.iter().enumerate().filter(|(_, name)| is(name));
            let (at, _) = fields.next().filter(|_| !said.0.is_empty())?;
            fields.next().is_none().then_some(at)
        };
        // Names that differ in small words alone are told apart by them: "Who works with you", "What you work with".
        only(&|name| name.labels.contains(&said)).or_else(|| only(&|name| name.written.contains(&text)))
    }

    /// The only field whose own name has all of some words: "the trigger" of "Trigger event".
    pub fn part(&self, lexicon: &Lexicon, words: &str) -> Option<usize> {
        if words.len() > LONGEST {
            return None;
        }
        let said = telling(lexicon, words);
        let has = |label: &Vec<String>| said.iter().all(|word| label.contains(word));
        let only = |has: &dyn Fn(&Name) -> bool| {
            let mut fields = self.0.iter().enumerate().filter(|(_, name)| has(name));
            let (at, _) = fields.next().filter(|_| !said.is_empty())?;
            fields.next().is_none().then_some(at)
        };
        only(&|name| has(&name.own)).or_else(|| only(&|name| name.labels.iter().any(|(label, _)| has(label))))
    }

    /// Whether some words say nothing but the name of a field.
    pub fn is_name(&self, lexicon: &Lexicon, at: usize, words: &str) -> bool {
        let said = telling(lexicon, words);
        !said.is_empty() && self.0.get(at).is_some_and(|name| said.iter().all(|word| name.words.contains(word)))
    }
}

/// Whether a text denies something.
fn denies(lexicon: &Lexicon, text: &str) -> bool {
    let text = lexicon.text(text);
    let quantities = Quantities::find(&text, lexicon);
    let material = Material { text: &text, lexicon, quantities: &quantities };
    material.has(&lexicon.negations, &(0..text.tokens.len()))
}

fn labels_of<'e>(engine: &'e Engine, lexicon: &Lexicon, field: &'e Field) -> Vec<&'e str> {
    // What is asked for together is called like the first of it.
    let alone = |o: &&Obligation| o.satisfied_by.first().is_some_and(|path| **path == *field.path);
    let own = lexicon.id() == engine.definition().language();
    let labels = engine.definition().obligations.iter().filter(alone).flat_map(|o| {
        let other = o.name_in.get(lexicon.id()).map(|text| text.value.as_str());
        [Some(o.name.as_str()).filter(|_| own), other]
    });
    [Some(field.name.as_str()).filter(|_| own)].into_iter().chain(labels).flatten().collect()
}

fn names_of(engine: &Engine, lexicon: &Lexicon, field: &Field) -> HashSet<String> {
    let own = lexicon.id() == engine.definition().language();
    let asked_as = field.asked_as.as_deref().filter(|_| own);
    let in_language = field.asked_as_in.get(lexicon.id()).map(|text| text.value.as_str());
    let obligations = engine.definition().obligations.iter();
    let of = obligations.filter(|o: &&Obligation| o.satisfied_by.iter().any(|path| **path == *field.path));
    let labels = of.flat_map(|o| {
        let other = o.name_in.get(lexicon.id()).map(|text| text.value.as_str());
        [Some(o.name.as_str()).filter(|_| own), other]
    });
    let path: String = field.path.rsplit('.').next().unwrap_or_default().replace('_', " ");
    let texts = [Some(field.name.as_str()), asked_as, in_language];
    let named = texts.into_iter().chain(labels).flatten().flat_map(|text| telling(lexicon, text));
    named.chain(telling(lexicon, &path)).collect()
}

/// The telling words of a text, whatever their endings.
fn telling(lexicon: &Lexicon, text: &str) -> Vec<String> {
    let tokens = lexicon.text(text).tokens;
    tokens.into_iter().filter(|token| !lexicon.stopwords.contains(&token.word)).map(|token| token.stem).collect()
}
