//! What clauses say of what was asked: one field or several, each from the clause that fits it.

use std::ops::Range;

use serde_json::Value;

use super::FieldReading;
use super::Standing;
use super::around::is_pasted;
use super::assign::{Question, is_empty, known};
use super::clauses::Material;
use super::cues::Score;
use super::groups::Group;
use super::kinds::{self, Fits};
use super::lexicon::Lexicon;
use super::pattern::Slot;
use super::quantity::Quantities;
use super::reader::Tongue;
use super::special::{all_shown, as_shown};
use super::values::{self, GUESS, Made};
use crate::engine::config::{Field, Kind, Measure};
use crate::engine::words::content_words;

/// What speaks against an aim that says how it is now.
const NOW: f64 = 0.8;
/// From here on some words may name a choice.
const CHOICE: f64 = 0.8;

/// What the groups of clauses that were meant for the question say.
pub(super) fn of_question(
    question: &Question<'_>,
    tongue: &Tongue,
    material: &Material<'_, '_>,
    groups: &[Group],
) -> Vec<FieldReading> {
    match question.fields.as_slice() {
        [] => Vec::new(),
        [field] => single(field, question, tongue, material, groups),
        several => shared(several, tongue, material, groups),
    }
}

/// The cue score of a field among those of a group.
fn score_of<'s>(field: &Field, tongue: &Tongue, scores: &'s [Score]) -> Option<&'s Score> {
    scores
        .iter()
        .filter(|score| *tongue.cues.path(score.field) == *field.path)
        .max_by(|a, b| a.score.total_cmp(&b.score))
}

/// The choice that the best cue with a choice means.
fn option_of<'s>(field: &Field, tongue: &Tongue, scores: &'s [Score]) -> Option<&'s str> {
    let own = scores.iter().filter(|score| *tongue.cues.path(score.field) == *field.path && score.option.is_some());
    own.max_by(|a, b| a.score.total_cmp(&b.score)).and_then(|score| score.option.as_deref())
}

fn single(
    field: &Field,
    question: &Question<'_>,
    tongue: &Tongue,
    material: &Material<'_, '_>,
    groups: &[Group],
) -> Vec<FieldReading> {
    let mut found: Vec<FieldReading> = Vec::new();
    let gathers = matches!(field.shape.r#type, Kind::Array | Kind::String);
    let groups = ordered(field, material, groups);
    for group in groups {
        let score = score_of(field, tongue, &group.scores);
        let option = option_of(field, tongue, &group.scores);
        let all = all_of_shown(field, question, material, &group.tokens);
        let Some(made) = all.or_else(|| group.make(field, material, option)) else { continue };
        if is_empty(&made.value) {
            continue;
        }
        let made = Made { value: as_shown(made.value, field, &question.shown.elements, material.lexicon), ..made };
        if says_nothing_of_shown(&made.value, &question.shown.elements) {
            continue;
        }
        let how = (score.map_or(0.0, |score| score.score), score.map_or(0.0, |score| score.like));
        let fits = kinds::fits(field, material, &group.tokens, how);
        if fits == Fits::No {
            continue;
        }
        let cued = score.is_some();
        let mut reading = known(field, material, &group.quote, made);
        let beside_yes = question.agreed() && !question.shown.paths.is_empty();
        // What is an exception to the yes takes the place of what was shown; anything else adds to it.
        reading.adds = beside_yes && !group.announced;
        let rival = group.rival.map(|rival| tongue.cues.path(rival)).filter(|rival| **rival != *field.path);
        let doubt =
            if beside_yes { None } else { doubt_of(field, question, material, group, (&reading.value, cued, rival)) };
        let of_kind = || (fits == Fits::Perhaps).then(|| OTHER_KIND.to_owned());
        let doubt = doubt.or_else(of_kind);
        if doubt.is_some() {
            reading.doubt = doubt;
            reading.status = Standing::Candidate;
            reading.confidence = reading.confidence.min(GUESS);
        }
        // "Pretty sure. Medium, I guess": of two choices the later one counts, once it is confirmed.
        if field.shape.r#type == Kind::Enum
            && let Some(later) = found.first_mut()
        {
            if later.value != reading.value {
                later.doubt = Some("you said two things".to_owned());
                later.status = Standing::Candidate;
                later.confidence = GUESS;
            }
            break;
        }
        found.push(reading);
        // A list and a text gather what stands in several places; anything else is one thing that was said.
        if !gathers && field.shape.r#type != Kind::Enum {
            break;
        }
    }
    leave_statements(material.lexicon, &mut found);
    found
}

/// "All of them": what stands with the question, with no elements where nothing does: then it names nothing.
fn all_of_shown(
    field: &Field,
    question: &Question<'_>,
    material: &Material<'_, '_>,
    tokens: &Range<usize>,
) -> Option<Made> {
    let texts = field.shape.items.as_deref().is_some_and(|items| items.r#type == Kind::String);
    let all = &material.lexicon.answering.all;
    if !texts || material.any_starts(all, tokens) != Some(tokens.end) {
        return None;
    }
    let shown = &question.shown.elements;
    let value = Value::Array(shown.iter().cloned().map(Value::from).collect());
    let made = Made { value, confidence: values::CLEAR, reading: "all that stands with the question", from: None };
    Some(made)
}

/// Whether records only name something, and nothing of what stood with the question: there is nothing in them to keep.
fn says_nothing_of_shown(value: &Value, shown: &[String]) -> bool {
    let Some(items) = value.as_array().filter(|items| !shown.is_empty() && !items.is_empty()) else { return false };
    items.iter().all(|item| {
        let name = item.as_object().filter(|record| record.len() == 1).and_then(|record| record.values().next());
        name.and_then(Value::as_str).is_some_and(|name| {
            let words: Vec<String> = content_words(name).collect();
            !shown.iter().any(|shown| content_words(shown).any(|word| words.contains(&word)))
        })
    })
}

/// What was meant for a question, in the order in which it is looked at.
fn ordered<'g>(field: &Field, material: &Material<'_, '_>, groups: &'g [Group]) -> Vec<&'g Group> {
    let mut groups: Vec<&Group> = groups.iter().collect();
    match field.shape.r#type {
        // Of a pasted text the sentence comes first that has most to do with the question.
        Kind::String if is_pasted(material) => groups.sort_by(|a, b| b.asked.total_cmp(&a.asked)),
        Kind::Array | Kind::String => {}
        // Of several things that were said, the one that points to the question; else the first. Of choices that were
        // named one after the other the last is meant: "pretty sure. Medium, I guess".
        Kind::Enum => {
            groups.reverse();
            groups.sort_by(|a, b| b.asked.min(CHOICE).total_cmp(&a.asked.min(CHOICE)));
        }
        _ => groups.sort_by(|a, b| b.asked.total_cmp(&a.asked)),
    }
    groups
}

/// Why an answer does not count that may be talk.
pub(super) const UNSURE: &str = "it may not be an answer";
/// Why an answer does not count that can hardly be one.
const OTHER_KIND: &str = "it is of another kind than what was asked for";

/// Why an answer does not count yet. With its value: whether it has cues of its field, and the field that it may be about.
fn doubt_of(
    field: &Field,
    question: &Question<'_>,
    material: &Material<'_, '_>,
    group: &Group,
    (value, cued, rival): (&Value, bool, Option<&str>),
) -> Option<String> {
    let sure = judges_each(value) || all_shown(value, &question.shown.elements);
    // Several things in a row are the list that was asked for.
    if let Some(rival) = rival.filter(|_| !made_of_several(value)) {
        Some(format!("it may be about `{rival}`"))
    } else if question.confirming && !cued && !sure {
        Some("it was said instead of a yes or a no".to_owned())
    } else if group.unsure && !sure {
        Some(UNSURE.to_owned())
    } else if !is_of_kind(field, material, &group.tokens) {
        Some(OTHER_KIND.to_owned())
    } else {
        None
    }
}

fn made_of_several(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.len() > 1)
}

/// The fewest names that make a list, beside which a sentence is no element of it.
const A_LIST: usize = 3;

/// Who lists several things in a sentence says something else in the others: "we make software for labs", "the stock is
/// the hard one". These are no elements of the list.
fn leave_statements(lexicon: &Lexicon, found: &mut Vec<FieldReading>) {
    fn items(reading: &FieldReading) -> &[Value] {
        reading.value.as_array().map_or(&[], Vec::as_slice)
    }
    for reading in found.iter_mut() {
        if let Value::Array(items) = &mut reading.value {
            leave_announcement(lexicon, items);
        }
    }
    let first = |reading: &FieldReading| items(reading).first().and_then(Value::as_str).map(str::to_owned);
    let states = |reading: &FieldReading| first(reading).is_some_and(|text| is_statement(&text, lexicon));
    if found.iter().any(|reading| items(reading).len() >= A_LIST && !states(reading)) {
        found.retain(|reading| !states(reading));
    }
}

/// "Candidates are maps, tickets and refunds": what announces the list is no part of its first element.
fn leave_announcement(lexicon: &Lexicon, items: &mut [Value]) {
    const A_NAME: usize = 3;
    let states = |item: &Value| item.as_str().is_some_and(|text| is_statement(text, lexicon));
    let [first, others @ ..] = items else { return };
    if others.is_empty() || others.iter().any(states) {
        return;
    }
    let Some(said) = first.as_str() else { return };
    let text = lexicon.text(said);
    let quantities = Quantities::find(&text, lexicon);
    let material = Material { text: &text, lexicon, quantities: &quantities };
    let all = 0..text.tokens.len();
    let after = |at: usize| material.any_starts(&lexicon.notes.copulas, &(at..all.end)).filter(|end| *end < all.end);
    let asks = |at: &usize| lexicon.question_words.contains(&text.tokens[*at].word);
    let last = A_NAME.min(all.len().saturating_sub(1));
    let end = (1..=last).find_map(after);
    // "See which shifts are theirs" announces nothing.
    if let Some(end) = end.filter(|_| {
        !(0..last).any(|at| asks(&at) && material.any_starts(&lexicon.notes.copulas, &(at..all.end)).is_none())
    }) {
        *first = Value::from(text.slice(&(end..all.end)));
    }
}

/// Whether a text says something of somebody or something, and is no name.
pub(super) fn is_statement(text: &str, lexicon: &Lexicon) -> bool {
    let text = lexicon.text(text);
    let quantities = Quantities::find(&text, lexicon);
    let material = Material { text: &text, lexicon, quantities: &quantities };
    let all = 0..text.tokens.len();
    // "We build an app", but not "our own app".
    let speaks = |word: &String| lexicon.speaker.contains(word) && !lexicon.determiners.contains(word);
    let speaks = text.tokens.first().is_some_and(|first| speaks(&first.word)) && all.len() > 2;
    let says = |at: usize| material.any_starts(&lexicon.notes.copulas, &(at..all.end)).is_some_and(|end| end < all.end);
    speaks || all.clone().skip(1).any(says)
}

/// Whether something is said of each of some names: nobody does that by chance.
fn judges_each(value: &Value) -> bool {
    let said = |item: &Value| item.as_object().is_some_and(|record| record.len() > 1);
    value.as_array().is_some_and(|items| items.len() > 1 && items.iter().all(said))
}

/// Whether what was said can be what a text field is about: a sum is no date, and a bare number is no reason.
pub(super) fn is_of_kind(field: &Field, material: &Material<'_, '_>, tokens: &Range<usize>) -> bool {
    let listed = field.shape.items.as_deref().is_some_and(|items| items.r#type == Kind::String);
    if field.shape.r#type != Kind::String && !listed {
        return true;
    }
    let kinds: Vec<Slot> = material.quantities.within(tokens).map(|quantity| quantity.kind).collect();
    let covered: usize = material.quantities.within(tokens).map(|quantity| quantity.tokens.len()).sum();
    match field.shape.measure {
        Some(Measure::Date) => !kinds.contains(&Slot::Money) || kinds.contains(&Slot::Date),
        Some(Measure::Money) => !(kinds == [Slot::Date] && covered == tokens.len()),
        Some(_) => true,
        // "Last saturday 4 of 9" tells what happened on a day.
        None => kinds.is_empty() || kinds.len() > 1 && kinds[0] == Slot::Date || says_more(material, tokens),
    }
}

/// Whether some words say more than figures: "40 now, 55 next year" does not.
fn says_more(material: &Material<'_, '_>, tokens: &Range<usize>) -> bool {
    let lexicon = material.lexicon;
    let figures: Vec<&Range<usize>> = material.quantities.within(tokens).map(|quantity| &quantity.tokens).collect();
    tokens.clone().any(|at| {
        let counted = figures.iter().any(|figure| figure.contains(&at));
        let small = lexicon.stopwords.contains(&material.text.tokens[at].word);
        let verb = material.has(&lexicon.verbs, &(at..at + 1));
        !counted && !small && !verb && material.any_starts(&lexicon.guesses, &(at..tokens.end)).is_none()
    })
}

/// Several fields were asked for at once: each clause goes to the one it fits, and what is left open looks at all.
fn shared(fields: &[&Field], tongue: &Tongue, material: &Material<'_, '_>, groups: &[Group]) -> Vec<FieldReading> {
    let mut spans: Vec<Vec<Range<usize>>> = vec![Vec::new(); fields.len()];
    for group in groups {
        for core in &group.cores {
            let best = (0..fields.len())
                .max_by(|a, b| {
                    let affinity = |at: usize| affinity(fields, at, &spans, tongue, material, core);
                    affinity(*a).total_cmp(&affinity(*b)).then(b.cmp(a))
                })
                .unwrap_or(0);
            let joins = spans[best].last_mut().filter(|last| adjoin(groups, last, core));
            match joins {
                Some(last) => last.end = core.end,
                None => spans[best].push(core.clone()),
            }
        }
    }
    let cores: Vec<Range<usize>> = groups.iter().flat_map(|group| group.cores.iter().cloned()).collect();
    let mut found = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        let own =
            spans[at].iter().find_map(|span| read(field, tongue, material, span).map(|made| (span.clone(), made)));
        let open_choice = || {
            cores.iter().find_map(|span| {
                let made = read(field, tongue, material, span).filter(|_| field.shape.r#type != Kind::String)?;
                (made.confidence > GUESS).then(|| (span.clone(), made))
            })
        };
        // A text of which nothing is left takes all that was said, where that is more than a choice by its name.
        let all = || {
            let group = groups
                .first()
                .filter(|group| at == 0 && field.shape.r#type == Kind::String && group.tokens.len() >= 3)?;
            read(field, tongue, material, &group.tokens).map(|made| (group.quote.clone(), made))
        };
        if let Some((span, made)) = own.or_else(open_choice).or_else(all) {
            let scores = tongue.cues.score(material, &span);
            let cued = score_of(field, tongue, &scores).map_or(0.0, |score| score.score);
            let fits = kinds::fits(field, material, &span, (cued, 0.0));
            let mut reading = known(field, material, &span, made);
            let of = groups.iter().find(|group| group.tokens.start <= span.start && span.end <= group.tokens.end);
            let unsure = field.shape.r#type == Kind::Number && of.is_some_and(|group| group.unsure);
            if fits == Fits::Perhaps || unsure {
                reading.doubt = Some(OTHER_KIND.to_owned());
                (reading.status, reading.confidence) = (Standing::Candidate, reading.confidence.min(GUESS));
            }
            found.extend(Some(reading).filter(|_| fits != Fits::No));
        }
    }
    found
}

fn read(field: &Field, tongue: &Tongue, material: &Material<'_, '_>, span: &Range<usize>) -> Option<Made> {
    let scores = tongue.cues.score(material, span);
    let option = option_of(field, tongue, &scores);
    values::make(field, material, span, option)
}

/// Whether two clauses of a field stand one after the other.
fn adjoin(groups: &[Group], last: &Range<usize>, core: &Range<usize>) -> bool {
    let group = groups.iter().find(|group| group.tokens.start <= last.start && core.end <= group.tokens.end);
    group.is_some_and(|group| {
        let place = |end: bool, at: usize| {
            group.cores.iter().position(|core| if end { core.end == at } else { core.start == at })
        };
        matches!((place(true, last.end), place(false, core.start)), (Some(a), Some(b)) if b == a + 1)
    })
}

/// How well a clause fits one of the fields that were asked for together.
fn affinity(
    fields: &[&Field],
    at: usize,
    spans: &[Vec<Range<usize>>],
    tongue: &Tongue,
    material: &Material<'_, '_>,
    core: &Range<usize>,
) -> f64 {
    let field = fields[at];
    let scores = tongue.cues.score(material, core);
    let cued = score_of(field, tongue, &scores).map_or(0.0, |score| score.score);
    let filled = !spans[at].is_empty();
    let has = |wanted: &[Slot]| material.quantities.within(core).any(|quantity| wanted.contains(&quantity.kind));
    let fits = match field.shape.r#type {
        Kind::Number => f64::from(u8::from(!filled && values::make(field, material, core, None).is_some())),
        Kind::Enum | Kind::Boolean => {
            let made = read(field, tongue, material, core);
            let fits = made.is_some_and(|made| made.confidence > GUESS);
            if fits { if filled { 0.5 } else { 0.9 } } else { -1.0 }
        }
        _ => {
            let wanted: &[Slot] = match field.shape.measure {
                Some(Measure::Money) => &[Slot::Money],
                Some(Measure::Date) => &[Slot::Date, Slot::Duration],
                Some(Measure::Duration) => &[Slot::Duration],
                Some(Measure::Percent) => &[Slot::Percent],
                Some(Measure::Count) => &[Slot::Number, Slot::Percent, Slot::Money, Slot::Duration],
                None => &[],
            };
            // A date is not told without one: "first the map, then the search" is none.
            let exact = matches!(field.shape.measure, Some(Measure::Date | Measure::Money));
            let measured = match has(wanted) {
                true => 0.5,
                false if exact && cued == 0.0 => -1.0,
                false => 0.0,
            };
            // Among texts the next one is likelier than the one before it.
            let next = if filled { -0.15 } else { 0.0 };
            // How it is now is no aim: "now 15, I want three at most".
            let aims = field.depends_on.iter().any(|on| fields.iter().any(|other| *other.path == **on));
            let is_now = aims && material.has(&material.lexicon.answering.present, core);
            0.3 + measured + next - if is_now { NOW } else { 0.0 }
        }
    };
    cued + fits
}
