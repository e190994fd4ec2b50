//! What a clause does: it greets, asks back, refuses, agrees, or answers. Rules of the language decide, in order.

use std::collections::BTreeSet;
use std::ops::Range;

use super::clauses::{self, Material, Span};
use super::lexicon::Rule;
use super::tables::Set;
use crate::engine::config::{Act, Doing};

/// The rule of a clause, if one of the language's holds. `yes_no`: whether a yes or a no can be the answer.
pub(super) fn rule_of<'r>(
    material: &Material<'r, '_>,
    core: &Range<usize>,
    asks: bool,
    yes_no: bool,
) -> Option<&'r Rule> {
    if core.is_empty() {
        return None;
    }
    let (words, lexicon) = (core.len(), material.lexicon);
    let fits = |rule: &Rule| {
        rule.max_words.is_none_or(|most| words <= most)
            && rule.question.is_none_or(|wanted| wanted == asks)
            && (!rule.yes_no || yes_no)
    };
    // Only patterns that begin with a word of the clause are looked at.
    let mut said: BTreeSet<usize> = BTreeSet::new();
    for at in core.clone() {
        for (number, pattern) in lexicon.patterns_at(&material.text.tokens[at].word, material.quantities.kind_at(at)) {
            let rule = &lexicon.rules[number];
            let told = at > core.start && is_command(rule.act) && !asks && is_told(material, &(core.start..at));
            if !said.contains(&number) && !told && fits(rule) && material.stands(pattern, core, at) {
                said.insert(number);
            }
        }
    }
    said.into_iter().map(|number| &lexicon.rules[number]).find(|rule| !material.has(&rule.unless, core))
}

/// Whether an act asks the interviewer for something.
pub(super) fn is_command(act: Act) -> bool {
    matches!(act, Act::Meta | Act::CounterQuestion)
}

/// Whether the words before those of a command say what somebody does: "I look how many come" asks for nothing.
pub(super) fn is_told(material: &Material<'_, '_>, before: &Range<usize>) -> bool {
    let lexicon = material.lexicon;
    let first = &material.text.tokens[before.start].word;
    lexicon.speaker.contains(first)
        && material.has(&lexicon.verbs, before)
        && !material.has(&lexicon.wishes, before)
        && !says_any(material, before, &lexicon.addressee)
}

/// What was made of a clause.
#[derive(Clone, Debug)]
pub(super) struct Judged<'r> {
    pub act: Act,
    /// The name of the rule that decided.
    pub name: &'r str,
    /// The rule itself, where it is one of the language's.
    pub rule: Option<&'r Rule>,
}

/// What an open question makes of clauses.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is found out by itself")]
pub(super) struct Openness {
    /// Whether a yes or a no can be the answer.
    pub yes_no: bool,
    /// Whether something was shown that is more than a yes or a no.
    pub shown: bool,
    /// Whether a question of the user's can be the answer.
    pub takes_questions: bool,
    /// Whether what the user will do can be the answer.
    pub takes_plans: bool,
}

/// The fewest words of a question that people ask themselves.
const LONG_QUESTION: usize = 5;
/// The name of the rule for such a question.
pub(super) const OWN_QUESTION: &str = "a question of their own";

/// What a clause does.
pub(super) fn judge<'r>(material: &Material<'r, '_>, span: &Span, open: Openness) -> Judged<'r> {
    let lexicon = material.lexicon;
    if span.core.is_empty() {
        // "Sure", "OK", "thanks": small talk before a point, and an act where nothing follows.
        return match rule_of(material, &span.whole, span.asks, open.yes_no) {
            Some(rule) => Judged { act: rule.act, name: &rule.name, rule: Some(rule) },
            None => Judged { act: Act::Social, name: "talk without a point", rule: None },
        };
    }
    if !span.is_list
        && let Some(rule) = rule_of(material, &span.core, span.asks, open.yes_no)
            .filter(|rule| !denies_a_thing(material, span, rule, open) && !is_plan(material, span, rule, open))
    {
        let own =
            open.takes_questions && span.asks && rule.act == Act::CounterQuestion && asks_own(material, span, rule);
        if !own || says_any(material, &span.core, &lexicon.addressee) {
            return Judged { act: rule.act, name: &rule.name, rule: Some(rule) };
        }
    }
    if !span.is_list
        && let Some(rule) = bare_no(material, span, open.yes_no)
    {
        return Judged { act: rule.act, name: &rule.name, rule: Some(rule) };
    }
    if span.asks {
        let to_the_interviewer = says_any(material, &span.core, &lexicon.addressee);
        let own = says_any(material, &span.core, &lexicon.speaker) && span.core.len() >= LONG_QUESTION;
        if to_the_interviewer || !(own || open.takes_questions) {
            return Judged { act: Act::CounterQuestion, name: "a question to the interviewer", rule: None };
        }
        return Judged { act: Act::Answer, name: OWN_QUESTION, rule: None };
    }
    Judged { act: Act::Answer, name: "no act but telling", rule: None }
}

/// Whether a no is part of what is told, where something was shown that a bare yes or no is no value of: "no stock keeping",
/// but not "no, it's 40" and not "no wrong".
fn denies_a_thing(material: &Material<'_, '_>, span: &Span, rule: &Rule, open: Openness) -> bool {
    let Span { core, .. } = span;
    if !(open.shown && rule.yes_no && rule.act == Act::Deny) || core.len() < 2 {
        return false;
    }
    let next = core.start + 1..core.end;
    let word = &material.text.tokens[core.start].word;
    let thing = material.telling(&(next.start..next.start + 1)) > 0
        && !material.has(&material.lexicon.verbs, &(next.start..next.start + 1))
        && material.text.before(next.start).chars().all(char::is_whitespace)
        && material.quantities.within(&next).next().is_none_or(|figure| figure.tokens.start > next.start);
    material.lexicon.verdicts.none.contains(word) && thing && rule_of(material, &next, false, true).is_none()
}

/// Whether a question is one that people ask of themselves: "why are our guests leaving", but not "an example, please".
fn asks_own(material: &Material<'_, '_>, span: &Span, rule: &Rule) -> bool {
    const LEAST: usize = 3;
    let why = rule.does == Some(Doing::Why) && span.core.len() > LEAST;
    why || span.core.len() >= LEAST && says_any(material, &span.core, &material.lexicon.speaker)
}

/// Whether somebody says what they will do, where that was asked for: "I'll ask two agencies" leaves nothing open then.
fn is_plan(material: &Material<'_, '_>, span: &Span, rule: &Rule, open: Openness) -> bool {
    const LEAST: usize = 4;
    let lexicon = material.lexicon;
    let own = material.any_starts(&lexicon.subjects, &span.core).is_some();
    let plain = !material.has(&lexicon.negations, &span.core) && span.core.len() >= LEAST;
    open.takes_plans && rule.act == Act::DontKnow && own && plain
}

/// A no with nothing but talk behind it: "nein, halt", "no, hang on".
fn bare_no<'r>(material: &Material<'r, '_>, span: &Span, yes_no: bool) -> Option<&'r Rule> {
    let Span { core, .. } = span;
    let first = core.start..core.start + 1;
    let rest = first.end..core.end;
    let plain = material.lexicon.plain_replies.contains(&material.text.tokens[core.start].word);
    let talk = plain && !rest.is_empty() && clauses::core(material, rest).is_empty();
    talk.then(|| rule_of(material, &first, false, yes_no)).flatten().filter(|rule| rule.act == Act::Deny)
}

fn says_any(material: &Material<'_, '_>, tokens: &Range<usize>, words: &Set<String>) -> bool {
    material.text.tokens[tokens.clone()].iter().any(|token| words.contains(&token.word))
}

/// Whether an act leaves nothing to keep of the clause.
pub(super) fn tells(act: Act) -> bool {
    matches!(act, Act::Answer | Act::Volunteered | Act::Correction)
}

/// How acts are ranked when one has to stand for a message: what tells something first.
pub(super) fn rank(act: Act) -> usize {
    const ORDER: [Act; 12] = [
        Act::Correction,
        Act::Answer,
        Act::Volunteered,
        Act::Refuse,
        Act::DontKnow,
        Act::Objection,
        Act::CounterQuestion,
        Act::Meta,
        Act::Confirm,
        Act::Deny,
        Act::OffTopic,
        Act::Social,
    ];
    ORDER.iter().position(|other| *other == act).unwrap_or(ORDER.len())
}
