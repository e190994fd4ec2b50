//! Replies to "is that right?" and "I told you": the words that give the verdict or object are parted from the facts beside
//! them, so that each fact is read on its own.

use std::ops::Range;

use super::acts::{self, Judged, Openness};
use super::assign::Question;
use super::clauses::{Material, Span, core};
use super::patterns::Patterns;
use crate::engine::config::{Act, Doing, Kind};
use crate::engine::wording::option_word;

/// The name of the rule for words that agree with most of what was shown.
const ALMOST: &str = "agrees with most of it";
/// The name of the rule for words about all that was shown.
const WHOLE: &str = "about what was shown as a whole";
/// The name of the rule for keeping what was known beside what was shown.
pub(super) const BOTH: &str = "keeps both";
/// The name of the rule for keeping what was known in the place of what was shown.
pub(super) const KEPT: &str = "keeps what was known";

/// The name of the rule for a choice that was asked for.
const CHOICE: &str = "a choice by its name";

/// The name of the rule for what was told before, and is told again.
pub(super) const RETOLD: &str = "told again";

/// A clause as far as it was judged before its words are looked at.
pub(super) struct Part<'r> {
    pub span: Span,
    pub judged: Judged<'r>,
    /// Whether it says what a verdict does not hold for, or what is to stand in the place of something.
    pub excepts: bool,
}

/// Takes clauses further apart: a verdict, the exceptions to it, and what stands beside it.
pub(super) fn parts<'r>(material: &Material<'r, '_>, question: &Question<'_>, spans: Vec<Span>) -> Vec<Part<'r>> {
    let mut parts = Parts { material, question, all: Vec::new(), said: false, excepting: false };
    for span in spans {
        parts.take(span);
    }
    parts.all
}

struct Parts<'p, 'r, 'm, 'e> {
    material: &'p Material<'r, 'm>,
    question: &'p Question<'e>,
    all: Vec<Part<'r>>,
    /// Whether a verdict was given.
    said: bool,
    /// Whether what follows is an exception to it.
    excepting: bool,
}

/// Words at the beginning of a clause that are no part of what it tells.
struct Head<'r> {
    end: usize,
    judged: Option<Judged<'r>>,
    excepts: Option<bool>,
}

impl<'r> Parts<'_, 'r, '_, '_> {
    fn take(&mut self, span: Span) {
        let replies = self.question.asks_for_verdict();
        if span.is_list || (replies && self.is_verdict_alone(&span)) {
            self.said |= !span.is_list;
            return self.push(span, None);
        }
        // "Best customer stays the commuter", in answer to "is it the school now?": a no, and no new value.
        if self.question.shown.renews() && self.material.has(&self.material.lexicon.verdicts.keeps, &span.whole) {
            self.said = true;
            return self.push(span, Some(Judged { act: Act::Deny, name: KEPT, rule: None }));
        }
        let Range { start: mut at, end } = span.whole.clone();
        while at < end {
            let Some((from, head)) = self.head_from(at, end, span.sentence) else { break };
            if let Some(judged) = head.judged {
                let words = from..head.end;
                let part = Span { whole: words.clone(), core: words, asks: false, ..span.clone() };
                self.push(part, Some(judged));
            }
            self.excepting = head.excepts.unwrap_or(self.excepting);
            at = head.end;
        }
        if at == span.whole.start {
            self.push(span, None);
        } else if at < end {
            let point = core(self.material, at..end);
            self.push(Span { whole: at..end, core: point, ..span }, None);
        }
    }

    fn push(&mut self, span: Span, judged: Option<Judged<'r>>) {
        let excepts = self.excepting && judged.is_none();
        let named = || self.names_choice(&span).then_some(Judged { act: Act::Answer, name: CHOICE, rule: None });
        let judged = judged.or_else(named);
        // What makes an exception to a yes is no second one: "yes, but two of them are part-time".
        let open = Openness { yes_no: self.question.open.yes_no && !excepts, ..self.question.open };
        let judged = judged.unwrap_or_else(|| acts::judge(self.material, &span, open));
        self.all.push(Part { span, judged, excepts });
    }

    /// Whether it is one of the choices that were asked for, and nothing else: "open" leaves nothing open where it was asked
    /// whether a date is fixed, a target or open.
    fn names_choice(&self, span: &Span) -> bool {
        let said = || self.material.text.tokens[span.whole.clone()].iter().map(|token| token.word.as_str());
        let asked = self.question.fields.iter().filter(|field| field.shape.r#type == Kind::Enum);
        let mut choices = asked.flat_map(|field| field.shape.options.iter().map(|option| (&field.shape, option)));
        choices.any(|(shape, option)| {
            let choice = option_word(shape, &self.material.lexicon.id, option).to_lowercase();
            choice.split_whitespace().eq(said())
        })
    }

    /// "Yes, it is": a rule that needs no question knows all of it.
    fn is_verdict_alone(&self, span: &Span) -> bool {
        let point = if span.core.is_empty() { &span.whole } else { &span.core };
        let rule = acts::rule_of(self.material, point, span.asks, false);
        rule.is_some_and(|rule| matches!(rule.act, Act::Confirm | Act::Deny))
    }

    /// The head that stands at a place, or after the talk there; with the place.
    fn head_from(&mut self, at: usize, end: usize, sentence: usize) -> Option<(usize, Head<'r>)> {
        if let Some(head) = self.head(&(at..end), sentence) {
            return Some((at, head));
        }
        let (text, lexicon) = (self.material.text, self.material.lexicon);
        let mut from = at;
        while from < end {
            if lexicon.joints.contains(&text.tokens[from].word) {
                from += 1;
            } else {
                from = self.material.any_starts(&lexicon.fillers, &(from..end)).filter(|after| *after > from)?;
            }
            if let Some(head) = self.head(&(from..end), sentence) {
                return Some((from, head));
            }
        }
        None
    }

    fn head(&mut self, rest: &Range<usize>, sentence: usize) -> Option<Head<'r>> {
        if rest.is_empty() {
            return None;
        }
        if self.question.asks_for_verdict()
            && let Some(head) = self.verdict(rest)
        {
            return Some(head);
        }
        let lexicon = self.material.lexicon;
        let first = self.all.last().is_none_or(|part| part.span.sentence != sentence);
        if first && let Some(end) = self.starts(&lexicon.changes.heads, rest).filter(|end| *end < rest.end) {
            return Some(Head { end, judged: None, excepts: Some(true) });
        }
        let end = self.starts(&lexicon.retold.heads, rest).filter(|end| *end < rest.end)?;
        if self.starts(&lexicon.retold.unless, &(end..rest.end)).is_some() {
            return None;
        }
        let rule = lexicon.rules.iter().find(|rule| rule.does == Some(Doing::SaidAlready))?;
        Some(Head { end, judged: Some(Judged { act: rule.act, name: &rule.name, rule: Some(rule) }), excepts: None })
    }

    /// Words that give a verdict, or part an exception from it.
    fn verdict(&mut self, rest: &Range<usize>) -> Option<Head<'r>> {
        let words = &self.material.lexicon.verdicts;
        let judged = |act: Act, name: &'r str| Some(Judged { act, name, rule: None });
        if self.starts(&words.unless, rest).is_some() {
            return None;
        }
        if self.question.shown.renews()
            && let Some(end) = self.starts(&words.both, rest).filter(|end| self.pauses(*end, rest.end))
        {
            return Some(Head { end, judged: judged(Act::Confirm, BOTH), excepts: None });
        }
        if let Some(end) = self.starts(&words.whole, rest).filter(|end| self.pauses(*end, rest.end)) {
            self.said = true;
            return Some(Head { end, judged: judged(Act::Confirm, WHOLE), excepts: Some(false) });
        }
        if let Some(end) = self.starts(&words.except, rest).filter(|_| self.said) {
            return Some(Head { end, judged: None, excepts: Some(true) });
        }
        let together = self.question.shown.together;
        // "Ok so" leads up to something and agrees to nothing.
        let talk = self.starts(&self.material.lexicon.fillers, rest).unwrap_or_default();
        let agreed = || self.starts(&words.agreed, rest).filter(|end| *end >= talk && self.pauses(*end, rest.end));
        if let Some(end) = self.starts(&words.yes, rest).or_else(agreed) {
            self.said = true;
            return Some(Head { end, judged: judged(Act::Confirm, "a verdict: yes"), excepts: None });
        }
        if let Some(end) = self.starts(&words.almost, rest).filter(|end| self.pauses(*end, rest.end)) {
            self.said = true;
            return Some(Head { end, judged: judged(Act::Deny, ALMOST), excepts: together.then_some(true) });
        }
        let end =
            self.starts(&words.no, rest).filter(|end| self.pauses(*end, rest.end) || self.tells(*end, rest.end))?;
        self.said = true;
        Some(Head { end, judged: judged(Act::Deny, "a verdict: no"), excepts: together.then_some(true) })
    }

    /// Whether something of its own begins at a token: "no the members are 140", but not "no money".
    fn tells(&self, at: usize, end: usize) -> bool {
        let Material { text, lexicon, quantities } = self.material;
        let subject = lexicon.stopwords.contains(&text.tokens[at].word)
            && self.material.any_starts(&lexicon.subjects, &(at..end)).is_some();
        subject || quantities.within(&(at..end)).next().is_some_and(|figure| figure.tokens.start == at)
    }

    fn starts(&self, patterns: &Patterns, rest: &Range<usize>) -> Option<usize> {
        self.material.any_starts(patterns, rest).filter(|end| *end > rest.start)
    }

    /// Whether words end before a token: with the clause, at a mark, or where something new begins.
    fn pauses(&self, at: usize, end: usize) -> bool {
        let Material { text, lexicon, .. } = self.material;
        let joins = || lexicon.joints.contains(&text.tokens[at].word);
        let marked = || text.before(at).contains([',', ';', ':', '.', '!', '?', '–', '—', '…', '(']);
        at >= end || marked() || joins() || self.starts(&lexicon.verdicts.except, &(at..end)).is_some()
    }
}
