//! Takes a message apart: sentences, and in them clauses, each without the talk around its point.

use std::ops::Range;

use super::lexicon::Lexicon;
use super::lines::runs;
use super::mail;
use super::pattern::{Field, Pattern, Slot};
use super::patterns::Patterns;
use super::quantity::Quantities;
use super::text::Text;
use crate::engine::config::Act;

/// How far after a subject its verb may stand.
const VERB_WITHIN: usize = 6;

/// The most words of an act that stands before a comma.
const SHORT_ACT: usize = 8;

/// The most words of talk after a point.
const LONGEST_TRAILER: usize = 6;

/// The most words of one breath.
const LONGEST_BREATH: usize = 200;

/// A piece of a message, in tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// All of it.
    pub whole: Range<usize>,
    /// The point, without the talk around it; empty where there is none.
    pub core: Range<usize>,
    /// Which sentence it belongs to.
    pub sentence: usize,
    /// Whether it asks.
    pub asks: bool,
    /// Whether it is a line of a list or of notes, or a numbered item.
    pub is_list: bool,
}

/// What clauses are looked for in.
#[derive(Clone, Copy)]
pub(super) struct Material<'t, 'm> {
    pub text: &'t Text<'m>,
    pub lexicon: &'t Lexicon,
    pub quantities: &'t Quantities,
}

impl Material<'_, '_> {
    /// Those of some patterns that may stand at a token.
    pub fn candidates<'p>(&self, patterns: &'p Patterns, at: usize) -> impl Iterator<Item = &'p Pattern> + use<'p> {
        patterns.at(&self.text.tokens[at].word, self.quantities.kind_at(at))
    }

    /// Where one of some patterns stands first within some tokens; of several that begin there the one named first.
    pub fn first<'p>(&self, patterns: &'p Patterns, tokens: &Range<usize>) -> Option<Range<usize>> {
        let slot = |slot: Slot, at: usize| self.quantities.slot(slot, at);
        let field = Field::of(self.text, &slot, tokens);
        tokens.clone().find_map(|at| {
            let ends = |pattern: &'p Pattern| Some((pattern, pattern.end_at(&field, at)?));
            let found = self.candidates(patterns, at).filter_map(ends);
            found.min_by_key(|(pattern, _)| patterns.place(pattern)).map(|(_, end)| at..end)
        })
    }

    /// Where a pattern that stands at the first of some tokens ends.
    pub fn starts(&self, pattern: &Pattern, tokens: &Range<usize>) -> Option<usize> {
        let slot = |slot: Slot, at: usize| self.quantities.slot(slot, at);
        let field = Field::of(self.text, &slot, tokens);
        pattern.end_at(&field, tokens.start)
    }

    /// Whether a pattern stands at one of some tokens.
    pub fn stands(&self, pattern: &Pattern, tokens: &Range<usize>, at: usize) -> bool {
        let slot = |slot: Slot, at: usize| self.quantities.slot(slot, at);
        let field = Field::of(self.text, &slot, tokens);
        pattern.end_at(&field, at).is_some()
    }

    /// Where the longest of some patterns that stands at the first of some tokens ends.
    pub fn any_starts(&self, patterns: &Patterns, tokens: &Range<usize>) -> Option<usize> {
        if tokens.is_empty() {
            return None;
        }
        self.candidates(patterns, tokens.start).filter_map(|pattern| self.starts(pattern, tokens)).max()
    }

    /// Whether one of some patterns stands within some tokens.
    pub fn has(&self, patterns: &Patterns, tokens: &Range<usize>) -> bool {
        tokens.clone().any(|at| self.candidates(patterns, at).any(|pattern| self.stands(pattern, tokens, at)))
    }

    /// Whether what stands at a token is denied by a word shortly before it, in the same breath: "not the effort".
    pub fn is_denied(&self, tokens: &Range<usize>, at: usize) -> bool {
        const NEAR: usize = 3;
        let parted = |at: &usize| self.text.before(*at).contains([',', ';', ':', '.', '!', '?', '–', '—', '…']);
        let start = (tokens.start..=at).rev().find(parted).unwrap_or(tokens.start);
        self.has(&self.lexicon.negations, &(start.max(at.saturating_sub(NEAR))..at))
    }

    /// How many of some tokens say something by themselves.
    pub fn telling(&self, tokens: &Range<usize>) -> usize {
        self.text.tokens[tokens.clone()].iter().filter(|token| !self.lexicon.stopwords.contains(&token.word)).count()
    }
}

/// The clauses of a message in order.
/// Where several things were asked for at once (`fine`), every comma parts two of them.
pub(super) fn clauses(material: &Material<'_, '_>, fine: bool) -> Vec<Span> {
    let mut all = Vec::new();
    let mut number = 0;
    let mut run = None;
    for (at, sentence) in sentences(material).into_iter().enumerate() {
        // The lines of a run stand together like the clauses of a sentence.
        number += usize::from(at > 0 && (sentence.run.is_none() || sentence.run != run));
        run = sentence.run;
        if run.is_some() {
            all.push(span(material, sentence.tokens, number, false, true));
            continue;
        }
        let starts = clause_starts(material, &sentence.tokens, fine);
        let ends = starts.iter().skip(1).copied().chain([sentence.tokens.end]);
        for (start, end) in starts.iter().copied().zip(ends) {
            // Only the clause before the mark asks, and what leads up to it: "Sorry, going on where?"
            let asks = sentence.asks && end == sentence.tokens.end;
            all.push(span(material, start..end, number, asks, false));
        }
    }
    all
}

fn span(material: &Material<'_, '_>, whole: Range<usize>, sentence: usize, asks: bool, is_list: bool) -> Span {
    let core = match core(material, whole.clone()) {
        point if is_list && point.is_empty() => whole.clone(),
        point => point,
    };
    Span { whole, core, sentence, asks, is_list }
}

/// The point of a clause: without joints and talk before it, and talk after it.
pub(super) fn core(material: &Material<'_, '_>, whole: Range<usize>) -> Range<usize> {
    let Material { text, lexicon, .. } = material;
    let Range { mut start, mut end } = whole;
    loop {
        let rest = start..end;
        if rest.is_empty() {
            break;
        }
        if lexicon.joints.contains(&text.tokens[start].word) {
            start += 1;
        } else if let Some(after) = material.any_starts(&lexicon.fillers, &rest).filter(|_| !parted(material, start)) {
            start = after;
        } else {
            break;
        }
    }
    // The longest goes: of "as I said" nothing is left.
    let trails = |first: usize, end: usize| {
        let mut trailers = material.candidates(&lexicon.trailers, first);
        trailers.any(|pattern| material.starts(pattern, &(first..end)) == Some(end))
    };
    while let Some(first) = (end.saturating_sub(LONGEST_TRAILER).max(start)..end).find(|first| trails(*first, end)) {
        end = first;
    }
    start..end
}

struct Sentence {
    tokens: Range<usize>,
    asks: bool,
    /// The run of lines that it is one of.
    run: Option<usize>,
}

fn sentences(material: &Material<'_, '_>) -> Vec<Sentence> {
    let text = material.text;
    let runs = runs(text.message, material.lexicon);
    // The run that a token stands in, and the line of it, where it is no mark of one.
    let place = |at: usize| {
        let byte = text.tokens.get(at)?.start;
        let run = runs.partition_point(|run| run.whole.end <= byte);
        let items = &runs.get(run).filter(|run| run.whole.contains(&byte))?.items;
        let item = items.partition_point(|item| item.end <= byte);
        Some((run, items.get(item).filter(|line| line.contains(&byte)).map(|_| item)))
    };
    let mut all: Vec<Sentence> = Vec::new();
    let mut start = 0;
    let body = mail::body(material);
    for end in 1..=text.tokens.len() {
        let own = place(end - 1);
        let framed = end == body.start || end == body.end;
        let ends =
            end == text.tokens.len() || framed || own != place(end) || own.is_none() && ends_before(material, end);
        if ends {
            let asks = text.before(end).contains(['?', '？']) && own.is_none();
            if !matches!(own, Some((_, None))) {
                all.push(Sentence { tokens: start..end, asks, run: own.map(|(run, _)| run) });
            }
            start = end;
        }
    }
    all
}

/// Whether a sentence ends before a token.
pub(super) fn ends_before(material: &Material<'_, '_>, at: usize) -> bool {
    let text = material.text;
    let between = text.before(at);
    if between.contains(['\n', '!', '?', '。', '！', '？']) {
        return true;
    }
    // "14… no wait" goes on.
    if between.contains('…') || between.contains("..") || !between.contains('.') {
        return false;
    }
    let before = &text.tokens[at - 1];
    if is_ordinal(material, at - 1) {
        return false;
    }
    let initial =
        before.end - before.start == 1 && text.message[before.start..before.end] != *"I" && before.word != "i";
    let number = text.tokens[at].word.starts_with(|c: char| c.is_ascii_digit());
    let short = material.lexicon.abbreviations.contains(&before.word);
    // "No. 5" is a number, "No. It is" is an answer.
    let says_no = material.has(&material.lexicon.negations, &(at - 1..at)) && !number;
    let ordinal = before.word.starts_with(|c: char| c.is_ascii_digit());
    // "Am 15. März".
    let dated = ordinal && material.lexicon.months.contains(&text.tokens[at].word);
    between.chars().any(char::is_whitespace) && (!short || says_no) && (!initial || ordinal) && !dated
}

/// Whether a number is made an ordinal by the dot after it: "am 15. März", "im 2. Stock". What begins a sentence rather
/// than names something speaks against it: "Wir sind zum 3. fertig" goes on, "Das war am 3. Danach kam nichts" does not.
fn is_ordinal(material: &Material<'_, '_>, at: usize) -> bool {
    let Material { text, lexicon, quantities } = material;
    let short = |token: &super::text::Token| token.word.len() <= 2 && token.word.chars().all(|c| c.is_ascii_digit());
    let Some(next) = text.tokens.get(at + 1).filter(|_| short(&text.tokens[at])) else { return false };
    let in_date =
        (at.saturating_sub(3)..=at).any(|start| quantities.slot(Slot::Date, start).is_some_and(|end| end > at + 1));
    let announced = at > 0 && lexicon.before_ordinals.contains(&text.tokens[at - 1].word);
    let begins = lexicon.stopwords.contains(&next.word) && text.message[next.start..].starts_with(char::is_uppercase);
    in_date || announced && !begins
}

/// The tokens with which the clauses of a sentence begin.
pub(super) fn clause_starts(material: &Material<'_, '_>, sentence: &Range<usize>, fine: bool) -> Vec<usize> {
    let mut starts = vec![sentence.start];
    for at in sentence.start + 1..sentence.end {
        let last = starts.last().copied().unwrap_or(sentence.start);
        let comma = fine && material.text.before(at).contains(',');
        if at > last && (comma || begins_clause(material, sentence, last, at)) {
            starts.push(at);
        }
    }
    starts
}

/// Whether a new clause begins at a token: after a strong mark, or after a comma or a joint where what follows has a
/// subject and a verb, a new quantity, or is an act of its own.
fn begins_clause(material: &Material<'_, '_>, sentence: &Range<usize>, last: usize, at: usize) -> bool {
    let Material { text, lexicon, quantities } = material;
    let between = text.before(at);
    let dash = between.contains(" – ") || between.contains(" - ") || between.contains('—');
    if between.contains([';', '…']) || between.contains("..") || dash {
        return true;
    }
    if follows_reply(material, sentence, at) {
        return true;
    }
    if gives_reason(material, &(at..sentence.end)) || wishes_on(material, last, at) {
        return true;
    }
    let comma = between.contains([',', ':', '，', '、']);
    let joint = |at: usize| lexicon.joints.contains(&text.tokens[at].word);
    if !comma && !joint(at) {
        return false;
    }
    // A joint right after a joint or a comma belongs to what began there.
    if !comma && at > sentence.start && joint(at - 1) {
        return false;
    }
    let Some(first) = (at..sentence.end).find(|at| !joint(*at)) else { return false };
    if parts_facts(material, last..at, first..sentence.end, comma) {
        return true;
    }
    if comma && completes_condition(material, last, at) {
        return false;
    }
    let rest = first..sentence.end;
    let breath = first..breath_end(material, &rest);
    // "I'm", "that's": the verb may stand in the word of the subject.
    let reach = first..(first + VERB_WITHIN).min(sentence.end);
    if !comma && is_one_subject(material, &(last..at), &reach) {
        return false;
    }
    if material.any_starts(&lexicon.subjects, &rest).is_some() && material.has(&lexicon.verbs, &reach) {
        return true;
    }
    let quantity = [Slot::Number, Slot::Money, Slot::Percent, Slot::Duration, Slot::Date, Slot::Time]
        .iter()
        .any(|slot| (first..(first + 3).min(breath.end)).any(|at| quantities.slot(*slot, at).is_some()));
    // "…, budget is 15k": what follows says of something how much it is.
    let figure = || material.has(&lexicon.verbs, &breath) && quantities.within(&breath).next().is_some();
    // A single word after a comma is an element of a list, unless it is a yes, a no or a greeting.
    let own_act = || {
        let rule = super::acts::rule_of(material, &core(material, breath.clone()), false, true);
        let plain = |act: Act| matches!(act, Act::Confirm | Act::Deny | Act::Social);
        // "Renting: never" says no to nothing.
        let said_of = between.contains(':') && breath.len() == 1;
        first == at && !said_of && rule.is_some_and(|rule| breath.len() > 1 || plain(rule.act))
    };
    // What comes before the comma may be an act of its own: "Not sure, maybe the nurses".
    let act_before =
        || at - last <= SHORT_ACT && super::acts::rule_of(material, &core(material, last..at), false, true).is_some();
    let left_out = || material.has(&lexicon.excludes, &breath);
    // "…, the rest is right" is said of all of it.
    let whole = || material.any_starts(&lexicon.verdicts.whole, &rest).is_some();
    let told = || quantity || figure() || left_out() || whole() || material.has(&lexicon.repairs, &breath);
    comma && (told() || own_act() || act_before())
}

/// Whether a reason with a figure begins at a token: "an app, because we lose 40 cakes a month".
fn gives_reason(material: &Material<'_, '_>, rest: &Range<usize>) -> bool {
    let Material { text, lexicon, quantities } = material;
    // Told first: looking for the end of the breath at every word would cost the square of a long one.
    if !lexicon.because.contains(&text.tokens[rest.start].word) {
        return false;
    }
    let breath = rest.start + 1..breath_end(material, rest);
    breath.len() > 2
        && material.any_starts(&lexicon.subjects, &breath).is_some()
        && material.has(&lexicon.verbs, &breath)
        && quantities.within(&breath).next().is_some()
}

/// Whether what stands before a joint or a comma and what follows are two facts: a sum and a date, a figure and what
/// somebody does, a statement and the doubt about it.
fn parts_facts(material: &Material<'_, '_>, before: Range<usize>, after: Range<usize>, comma: bool) -> bool {
    const NEAR: usize = 3;
    let Material { text, lexicon, quantities } = material;
    let at = before.end;
    let joint = at < after.start;
    if joint && figures_apart(material, before.clone(), after.clone()) {
        return true;
    }
    // "Easter at the latest, and Mo does the coding".
    let figure = || quantities.within(&before).any(|own| matches!(own.kind, Slot::Date | Slot::Money));
    if comma && joint && figure() && material.has(&lexicon.verbs, &(after.start..after.end.min(after.start + NEAR))) {
        return true;
    }
    // "Push is low, or should it be medium?"
    let next = text.tokens.get(at + 1).filter(|_| at + 1 < after.end);
    let or = !joint && lexicon.lists.joints.contains(&text.tokens[at].word);
    comma && or && next.is_some_and(|next| lexicon.question_words.contains(&next.word))
}

/// Whether a sum and a date are joined, which are said of two things: "20k at most and ready by Easter".
fn figures_apart(material: &Material<'_, '_>, before: Range<usize>, after: Range<usize>) -> bool {
    const NEAR: usize = 5;
    let one_of = |tokens: &Range<usize>, kind: Slot| material.quantities.within(tokens).any(|own| own.kind == kind);
    let near = after.start..after.end.min(after.start + NEAR);
    [(Slot::Money, Slot::Date), (Slot::Date, Slot::Money)]
        .iter()
        .any(|(first, then)| one_of(&before, *first) && !one_of(&before, *then) && one_of(&near, *then))
}

/// Whether at a joint the same subject goes on with what it wants: "we run a bakery and want to build an app".
fn wishes_on(material: &Material<'_, '_>, last: usize, at: usize) -> bool {
    let Material { text, lexicon, .. } = material;
    let wish = at + 1..at + 2;
    let before = last..at;
    lexicon.joints.contains(&text.tokens[at].word)
        && text.tokens.len() > at + 3
        && text.before(at + 1).trim().is_empty()
        && material.has(&lexicon.wishes, &wish)
        && material.has(&lexicon.verbs, &wish)
        && before.len() > 3
        && lexicon.speaker.contains(&text.tokens[core(material, before.clone()).start.min(at - 1)].word)
        && material.has(&lexicon.verbs, &before)
}

/// Whether a sentence goes on at a token after a plain yes or no: "No the budget is 18k".
fn follows_reply(material: &Material<'_, '_>, sentence: &Range<usize>, at: usize) -> bool {
    let Material { text, lexicon, .. } = material;
    let rest = at..sentence.end;
    let reach = at..(at + VERB_WITHIN).min(sentence.end);
    at > sentence.start
        && rest.len() > 2
        && lexicon.plain_replies.contains(&text.tokens[at - 1].word)
        && (sentence.start..at - 1).all(|before| lexicon.joints.contains(&text.tokens[before].word))
        && material.any_starts(&lexicon.subjects, &rest).is_some()
        && material.has(&lexicon.verbs, &reach)
}

/// Whether what stands before a joint and what follows it are one subject: "Reception and the nurses see it".
fn is_one_subject(material: &Material<'_, '_>, before: &Range<usize>, after: &Range<usize>) -> bool {
    let Material { text, lexicon, quantities } = material;
    let verb = after.clone().find(|at| material.has(&lexicon.verbs, &(*at..*at + 1)));
    let several = verb.is_some_and(|at| lexicon.plural_verbs.contains(&text.tokens[at].word));
    several
        && lexicon.determiners.contains(&text.tokens[after.start].word)
        // "The open evening": after such a word stands no verb.
        && !before.clone().any(|at| {
            let noun = at > before.start && lexicon.determiners.contains(&text.tokens[at - 1].word);
            !noun && material.has(&lexicon.verbs, &(at..at + 1))
        })
        && quantities.within(before).next().is_none()
}

/// Whether a comma stands between a condition and what holds under it: "If they fail, we drive to the next city".
fn completes_condition(material: &Material<'_, '_>, last: usize, at: usize) -> bool {
    let Material { text, lexicon, .. } = material;
    let point = core(material, last..at);
    let is_first = (last + 1..at).all(|between| !text.before(between).contains(','));
    is_first && !point.is_empty() && lexicon.conditions.contains(&text.tokens[point.start].word)
}

/// Whether a pause parts who speaks from the next word: "Ich, meine Schwester" is no "ich meine".
fn parted(material: &Material<'_, '_>, at: usize) -> bool {
    material.lexicon.speaker.contains(&material.text.tokens[at].word) && material.text.before(at + 1).contains(',')
}

/// Where the words up to the next comma end. A breath has an end without one too: looking further at every word would
/// cost the square of a long text that has no commas.
pub(super) fn breath_end(material: &Material<'_, '_>, rest: &Range<usize>) -> usize {
    let comma = |at: &usize| material.text.before(*at).contains([',', ';', ':', '–', '—', '(', ')']);
    let end = rest.end.min(rest.start + LONGEST_BREATH);
    (rest.start + 1..end).find(comma).unwrap_or(end)
}
