//! Lines of a paste and numbered items: each is a clause of its own, whatever stands on the others.

use std::ops::Range;

use super::assign::{Piece, Place, Question};
use super::clauses::Material;
use super::cues::Score;
use super::lexicon::Lexicon;
use super::list::{is_bullet, strip_bullet};
use super::pattern::Slot;
use super::reader::Tongue;
use super::settle;
use super::text::folded;
use crate::engine::config::{Act, Field, Kind};

/// The most words of a label: "budget: 5k", "needed by: June".
const A_LABEL: usize = 4;
/// The most words of a line that only says what the others are about.
const A_HEADLINE: usize = 8;
/// What has something to do with a question, at least, and what cues must say of a label.
const OWN: f64 = 0.45;

/// Lines or numbered items that stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// All of it, with the marks.
    pub whole: Range<usize>,
    /// Each line or item without its mark, in bytes of the message.
    pub items: Vec<Range<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Bullet,
    Label,
}

/// The runs of at least two lines that begin like elements of a list or with a label, and of numbered items in a line.
pub(super) fn runs(message: &str, lexicon: &Lexicon) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let mut current: Option<(Look, Run)> = None;
    let mut close = |current: &mut Option<(Look, Run)>| {
        found.extend(current.take().map(|(_, run)| run).filter(|run| run.items.len() > 1));
    };
    let mut numbered: Vec<Run> = Vec::new();
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mut items = numbered_items(line, lexicon);
        if items.is_empty() {
            items = labelled_items(line);
        }
        if !items.is_empty() {
            close(&mut current);
            let items = items.into_iter().map(|item| start + item.start..start + item.end).collect();
            numbered.push(Run { whole: start..at, items });
            continue;
        }
        let Some((look, item)) = look_of(line) else {
            if !line.trim().is_empty() {
                close(&mut current);
            }
            continue;
        };
        if current.as_ref().is_some_and(|(before, _)| *before != look) {
            close(&mut current);
        }
        let (_, run) = current.get_or_insert_with(|| (look, Run { whole: start..at, items: Vec::new() }));
        run.whole.end = at;
        run.items.push(start + item.start..start + item.end);
    }
    close(&mut current);
    found.extend(numbered);
    found.sort_by_key(|run| run.whole.start);
    found
}

/// What a line begins like, and where it stands in it without its mark.
fn look_of(line: &str) -> Option<(Look, Range<usize>)> {
    let place = |part: &str| {
        let start = part.as_ptr() as usize - line.as_ptr() as usize;
        start..start + part.len()
    };
    if is_bullet(line) {
        return Some((Look::Bullet, place(strip_bullet(line))));
    }
    let (label, value) = line.split_once(':')?;
    let words = label.split_whitespace().count();
    let labels = (1..=A_LABEL).contains(&words) && !label.ends_with(|c: char| c.is_ascii_digit());
    (labels && value.starts_with(char::is_whitespace) && !value.trim().is_empty())
        .then(|| (Look::Label, place(line.trim())))
}

/// The items of notes that stand in one line: "notes: - who: 60 volunteers - budget: 4k". Most of them have a label.
fn labelled_items(line: &str) -> Vec<Range<usize>> {
    const MARKS: [&str; 7] = ["- ", "– ", "— ", "• ", "* ", "· ", "| "];
    let begins = |at: usize| at == 0 || line[..at].ends_with(char::is_whitespace);
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.char_indices().filter(|(at, _)| begins(*at)) {
        if let Some(mark) = MARKS.iter().find(|mark| line[at..].starts_with(**mark)) {
            starts.push((at, at + mark.len()));
        }
    }
    // "Project: a loan desk - budget: 6k": the first item may have no mark before it.
    if let Some((first, _)) = starts.first().copied().filter(|(first, _)| look_of(&line[..*first]).is_some()) {
        let own = line.len() - line.trim_start().len();
        if first > own {
            starts.insert(0, (own, own));
        }
    }
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([line.len()]);
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut labels = 0;
    for (start, end) in starts.iter().map(|(_, start)| *start).zip(ends) {
        let said = &line[start..end];
        let from = start + (said.len() - said.trim_start().len());
        let item = from..(start + said.trim_end().len()).max(from);
        match look_of(&line[item.clone()]) {
            Some((Look::Label, _)) => {
                labels += 1;
                items.push(item);
            }
            // A dash within an item goes on with it.
            _ => match items.last_mut() {
                Some(last) => last.end = item.end,
                None => items.push(item),
            },
        }
    }
    if labels < 2 { Vec::new() } else { items }
}

/// The items of a line that numbers several: "1. search 2. reviews", "the ideas: a) cards b) a raffle".
fn numbered_items(line: &str, lexicon: &Lexicon) -> Vec<Range<usize>> {
    let place = |part: &str| part.as_ptr() as usize - line.as_ptr() as usize;
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut before: Option<&str> = None;
    let mut mark: Option<(u32, bool)> = None;
    for word in line.split_whitespace() {
        let opens = before.is_none_or(|before| before.ends_with([':', '.', ',', ';', '!', '?', '-', '–']));
        let next = marker(word).filter(|new| match mark {
            None => new.0 == 1 && opens,
            Some((number, lettered)) => *new == (number + 1, lettered),
        });
        if let Some(next) = next {
            if let Some(last) = items.last_mut() {
                last.end = place(word);
            }
            items.push(place(word) + word.len()..line.len());
            mark = Some(next);
        } else if before.is_some_and(|before| marker(before).is_some()) && lexicon.months.contains(&folded(word)) {
            // "1. Mai oder 2. Juni".
            return Vec::new();
        }
        before = Some(word);
    }
    if items.len() < 2 {
        return Vec::new();
    }
    let items: Vec<Range<usize>> = items.into_iter().map(|item| trimmed(line, item, lexicon)).collect();
    let told = |item: &Range<usize>| line[item.clone()].chars().any(char::is_alphanumeric);
    if items.iter().all(told) { items } else { Vec::new() }
}

/// An item without the marks and the joint that lead to the next one.
fn trimmed(line: &str, item: Range<usize>, lexicon: &Lexicon) -> Range<usize> {
    let said = &line[item.clone()];
    let mut rest = said.trim_end().trim_end_matches([',', ';']);
    if let Some((head, last)) = rest.rsplit_once(char::is_whitespace)
        && lexicon.lists.joints.iter().any(|joint| *joint == last.to_lowercase())
    {
        rest = head.trim_end().trim_end_matches([',', ';']);
    }
    let start = item.start + (rest.len() - rest.trim_start().len());
    start..item.start + rest.len()
}

/// The number of a word that numbers an item, and whether it does so by a letter: "2.", "2)", "(2)", "b)".
fn marker(word: &str) -> Option<(u32, bool)> {
    let inner = word.strip_prefix('(').unwrap_or(word);
    let bare = inner.strip_suffix(')').or_else(|| inner.strip_suffix('.'))?;
    if let Ok(number) = bare.parse::<u32>() {
        return (bare.len() <= 2).then_some((number, false));
    }
    let mut letters = bare.chars();
    let letter = letters.next().filter(|letter| letter.is_ascii_lowercase() && inner.ends_with(')'))?;
    letters.next().is_none().then(|| (letter as u32 - 'a' as u32 + 1, true))
}

/// Where each line of a run goes, and why; nothing for what is no line of one. Each goes by its own label, cues and
/// likeness. Where a list was asked for the others are its elements; where a text was asked for they are the answer, unless
/// some of them are about something else: then they are notes, and a line that fits nothing is left.
pub(super) fn places(
    question: &Question<'_>,
    tongue: &Tongue,
    material: &Material<'_, '_>,
    fields: &[Field],
    label: &dyn Fn(&str) -> Option<usize>,
    pieces: &mut [Piece<'_>],
) -> Vec<Option<(Place, &'static str)>> {
    let mut places: Vec<Option<(Place, &'static str)>> = vec![None; pieces.len()];
    let is_line = |piece: &Piece<'_>| piece.span.is_list && piece.judged.act == Act::Answer;
    let asked = |at: usize| question.fields.iter().any(|field| *field.path == *tongue.cues.path(at));
    let lists = question.fields.iter().any(|field| field.shape.r#type == Kind::Array);
    let texts = question.fields.iter().any(|field| field.shape.r#type == Kind::String);
    let mut first = 0;
    while first < pieces.len() {
        let sentence = pieces[first].span.sentence;
        let same = |piece: &Piece<'_>| is_line(piece) && piece.span.sentence == sentence;
        let end = first + pieces[first..].iter().take_while(|piece| same(piece)).count();
        if end == first {
            first += 1;
            continue;
        }
        let all = announced(material, pieces, first, label);
        let mut claimed = false;
        for at in first..end {
            let own = labelled(material, tongue, &pieces[at], label);
            let field = own.as_ref().map(|(field, _)| *field).or(all).or_else(|| {
                let lead = settle::lead_of_line(question, tongue, fields, &pieces[at], lists);
                lead.map(|score: &Score| score.field)
            });
            if let Some((_, value)) = own {
                pieces[at].span.core = value;
            }
            if let Some(field) = field.filter(|field| !asked(*field)) {
                claimed = true;
                places[at] = Some((Place::Other(field), "a line of its own"));
            } else if field.is_some() {
                places[at] = Some((Place::Asked, "a line on what was asked"));
            }
        }
        let open = !question.fields.is_empty() && !question.confirming && !question.shown.together;
        for at in first..end {
            let own = pieces[at].asked > OWN;
            let rest = open && (lists || own || texts && !claimed);
            let left = if rest {
                (Place::Asked, "a line of the answer")
            } else {
                (Place::Nowhere, "a line that fits nothing")
            };
            places[at].get_or_insert(left);
        }
        if claimed {
            for at in headline(material, pieces, first) {
                places[at] = Some((Place::Nowhere, "a headline"));
            }
        }
        first = end;
    }
    places
}

/// The field that the words before a run name, where they announce it: "must have:".
fn announced(
    material: &Material<'_, '_>,
    pieces: &[Piece<'_>],
    first: usize,
    label: &dyn Fn(&str) -> Option<usize>,
) -> Option<usize> {
    let lead = &pieces[first.checked_sub(1)?];
    let between = &material.text.message[material.text.bytes(&lead.span.whole).end..];
    let short = lead.span.whole.len() <= A_LABEL && between.trim_start().starts_with(':');
    label(material.text.slice(&lead.span.whole)).filter(|_| short)
}

/// The field that the label of a line names, and what stands after it.
fn labelled(
    material: &Material<'_, '_>,
    tongue: &Tongue,
    piece: &Piece<'_>,
    label: &dyn Fn(&str) -> Option<usize>,
) -> Option<(usize, Range<usize>)> {
    let whole = piece.span.whole.clone();
    let mut places = whole.clone().skip(1).take(A_LABEL);
    let at = places.find(|at| material.text.before(*at).contains([':', '=']))?;
    let scores = tongue.cues.score(material, &(whole.start..at));
    // What an engine knows as a label comes before names that have the word in them.
    let whole_cue = |score: &&Score| score.cues.iter().any(|cue| cue.starts_with('^') && cue.ends_with('$'));
    let known = scores.iter().find(whole_cue).map(|score| score.field);
    let named = known.or_else(|| label(material.text.slice(&(whole.start..at)))).or_else(|| {
        let lead = |best: &Score| best.score - scores.get(1).map_or(0.0, |second| second.score);
        scores.first().filter(|best| best.score >= OWN && lead(best) >= 0.2).map(|best| best.field)
    })?;
    Some((named, at..piece.span.core.end))
}

/// The clauses of a line by itself before a run, where it only says what the lines are about: "notes from the meeting".
fn headline(material: &Material<'_, '_>, pieces: &[Piece<'_>], first: usize) -> Range<usize> {
    let Some(last) = first.checked_sub(1).map(|last| &pieces[last].span) else { return 0..0 };
    let start = pieces[..first].partition_point(|piece| piece.span.sentence < last.sentence);
    let words = pieces[start].span.whole.start..last.whole.end;
    let text = material.text;
    let between = &text.message[text.bytes(&words).end..text.bytes(&pieces[first].span.whole).start];
    let own_line = words.start == 0 || text.before(words.start).contains('\n');
    let counts = material.quantities.within(&words).any(|quantity| quantity.kind != Slot::Date);
    let tells = pieces[start..first].iter().any(|piece| piece.judged.act == Act::Answer && piece.asked > OWN);
    let is_one = own_line && between.contains(['\n', ':']) && words.len() <= A_HEADLINE && !counts && !tells;
    if is_one { start..first } else { 0..0 }
}
