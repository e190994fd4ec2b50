//! Words that are more than a rule: verdicts on what was shown, "I told you", changes of what is known, what introduces a value.

use super::pattern::Pattern;
use super::patterns::Patterns;
use super::tables::Set;
use super::template::Template;
use super::text::folded;
use crate::decode::Spanned;
use crate::engine::config::{Answering, Corrections, Moves, Notes, Retold, Verdicts};

/// Corrections that name a field, an element of a list, or a figure that was said before.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    pub heads: Patterns,
    pub recalls: Patterns,
    pub denials: Patterns,
    pub removals: Vec<Template>,
    pub additions: Vec<Template>,
    pub moves: Vec<Template>,
    pub placings: Vec<Template>,
}

impl Changes {
    pub fn compile(words: &Corrections, patterns: &mut impl FnMut(&[Spanned<String>]) -> Vec<Pattern>) -> Self {
        Self {
            heads: patterns(&words.heads).into(),
            recalls: patterns(&words.recalls).into(),
            denials: patterns(&words.denials).into(),
            removals: templates(&words.removals),
            additions: templates(&words.additions),
            moves: templates(&words.moves),
            placings: templates(&words.placings),
        }
    }
}

/// Words around a value that are no part of it.
#[derive(Clone, Debug)]
pub(super) struct NoteWords {
    /// What introduces a value, of any field and of a list.
    pub openings: Patterns,
    pub of_lists: Patterns,
    /// What says how sure somebody is.
    pub hedges: Patterns,
    /// What stands between the name of something and what it is.
    pub copulas: Patterns,
    /// Words before a figure that belong to it.
    pub qualifiers: Set<String>,
}

impl NoteWords {
    pub fn compile(words: &Notes, patterns: &mut impl FnMut(&[Spanned<String>]) -> Vec<Pattern>) -> Self {
        Self {
            openings: patterns(&words.openings).into(),
            of_lists: patterns(&words.of_lists).into(),
            hedges: patterns(&words.hedges).into(),
            copulas: patterns(&words.copulas).into(),
            qualifiers: words.qualifiers.iter().map(|word| folded(word.trim())).collect(),
        }
    }
}

/// Words of a reply to "is that right?".
#[derive(Clone, Debug)]
pub(super) struct VerdictWords {
    /// Words before what there is none of: "no money".
    pub none: Set<String>,
    pub yes: Patterns,
    pub agreed: Patterns,
    pub no: Patterns,
    pub almost: Patterns,
    pub except: Patterns,
    pub whole: Patterns,
    pub both: Patterns,
    pub keeps: Patterns,
    pub unless: Patterns,
    pub exchanges: Vec<Template>,
}

impl VerdictWords {
    pub fn compile(words: &Verdicts, patterns: &mut impl FnMut(&[Spanned<String>]) -> Vec<Pattern>) -> Self {
        Self {
            none: words.none.iter().map(|word| folded(word)).collect(),
            yes: patterns(&words.yes).into(),
            agreed: patterns(&words.agreed).into(),
            no: patterns(&words.no).into(),
            almost: patterns(&words.almost).into(),
            except: patterns(&words.except).into(),
            whole: patterns(&words.whole).into(),
            both: patterns(&words.both).into(),
            keeps: patterns(&words.keeps).into(),
            unless: patterns(&words.unless).into(),
            exchanges: templates(&words.exchanges),
        }
    }
}

/// Words of "I told you".
#[derive(Clone, Debug)]
pub(super) struct RetoldWords {
    pub heads: Patterns,
    pub unless: Patterns,
    pub facts: Patterns,
    pub about: Patterns,
}

impl RetoldWords {
    pub fn compile(words: &Retold, patterns: &mut impl FnMut(&[Spanned<String>]) -> Vec<Pattern>) -> Self {
        Self {
            heads: patterns(&words.heads).into(),
            unless: patterns(&words.unless).into(),
            facts: patterns(&words.facts).into(),
            about: patterns(&words.about).into(),
        }
    }
}

/// Words beside the point of an answer.
#[derive(Clone, Debug)]
pub(super) struct AnsweringWords {
    pub points_back: Patterns,
    pub present: Patterns,
    pub sums: Patterns,
    pub times: Patterns,
    pub all: Patterns,
    pub estimates: Patterns,
    pub then: Patterns,
    pub jokes: Patterns,
    pub moves: MoveForms,
    pub mail_heads: Set<String>,
    pub mail_greetings: Patterns,
    pub mail_ends: Patterns,
}

impl AnsweringWords {
    pub fn compile(words: &Answering, patterns: &mut impl FnMut(&[Spanned<String>]) -> Vec<Pattern>) -> Self {
        Self {
            points_back: patterns(&words.points_back).into(),
            present: patterns(&words.present).into(),
            sums: patterns(&words.sums).into(),
            times: patterns(&words.times).into(),
            all: patterns(&words.all).into(),
            estimates: patterns(&words.estimates).into(),
            then: patterns(&words.then).into(),
            jokes: patterns(&words.jokes).into(),
            moves: MoveForms::compile(&words.moves),
            mail_heads: words.mail_heads.iter().map(|word| folded(word.trim())).collect(),
            mail_greetings: patterns(&words.mail_greetings).into(),
            mail_ends: patterns(&words.mail_ends).into(),
        }
    }
}

/// Where something goes in an order.
#[derive(Clone, Debug)]
pub(super) struct MoveForms {
    pub up: Vec<Template>,
    pub down: Vec<Template>,
    pub first: Vec<Template>,
    pub last: Vec<Template>,
    pub before: Vec<Template>,
    pub after: Vec<Template>,
}

impl MoveForms {
    fn compile(forms: &Moves) -> Self {
        Self {
            up: templates(&forms.up),
            down: templates(&forms.down),
            first: templates(&forms.first),
            last: templates(&forms.last),
            before: templates(&forms.before),
            after: templates(&forms.after),
        }
    }
}

pub(super) fn templates(sources: &[String]) -> Vec<Template> {
    sources.iter().filter_map(|source| Template::parse(source)).collect()
}
