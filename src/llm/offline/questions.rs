//! How a question is put: the engine's own, one whether something that was said is meant, or one for what is missing.

use serde_json::Value;

use super::corrected::how_instead;
use super::speech::{Speech, Told};
use super::summary::known_points;
use crate::engine::config::{Act, Doing, Kind, Merge, Obligation};
use crate::engine::memory::Status;
use crate::engine::obligations::AgendaItem;
use crate::engine::ports::ResponseRequest;

/// The question of an item: for what was said already it asks whether that was meant, else it is the engine's own.
pub(super) fn question(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> String {
    if let Some((path, value)) = item.to_confirm.first() {
        return confirmation(request, speech, item, (path, value));
    }
    if let Some(doubt) = item.doubt {
        return speech.doubt(&item.obligation, doubt).unwrap_or_else(|| item.question.clone());
    }
    if let Some(instead) = gone_back_to(request, speech, item) {
        return instead;
    }
    let plain = format!("{}{}", speech.question(&item.obligation, &item.question), options(request, speech, item));
    if is_claimed(request, &item.obligation) {
        return asked_once_more(request, speech, item).unwrap_or(plain);
    }
    if let Some(otherwise) = put_otherwise(request, speech, item) {
        return otherwise;
    }
    if let Some(rest) = missing_part(request, speech, item) {
        return rest;
    }
    let Some(obligation) = request.engine.obligation(&item.obligation) else { return plain };
    if request.memory.obligations.status(&item.obligation) == Status::Deferred {
        return reviewed(request, speech, obligation).unwrap_or(plain);
    }
    if confirms_all(request, obligation) && item.times_asked == 0 {
        let all = known_points(request, speech, 0, |_| true);
        let shown = speech.say("all", &[("list", &Speech::list(&all))]).filter(|_| all.len() >= 2);
        return shown.map_or_else(|| plain.clone(), |shown| format!("{shown}\n\n{plain}"));
    }
    let shown = shown(request, speech, obligation).filter(|_| !request.heard.does.contains(&Doing::List));
    let explains = request.heard.does.contains(&Doing::Meaning);
    let same = request.memory.asked.first().is_some_and(|asked| asked.obligation == item.obligation);
    let again = same && item.times_asked > 0 && !explains && request.heard.has(Act::Answer);
    let meaning = speech.told(obligation, Told::Meaning).filter(|_| again);
    let lead = meaning.and_then(|meaning| speech.say("again", &[("meaning", meaning)]));
    [lead, shown, Some(plain)].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// The question in other words, for who asked for them.
fn put_otherwise(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> Option<String> {
    let wanted = request.heard.clauses.iter().any(|clause| clause.reply.as_deref() == Some("rephrase"));
    let same = request.memory.asked.first().is_some_and(|asked| asked.obligation == item.obligation);
    let name = open_part(request, speech, &item.obligation).filter(|_| wanted && same)?;
    speech.say("rephrase", &[("name", name)])
}

/// What is known of something that the user named to go back to: how should it be?
fn gone_back_to(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> Option<String> {
    let named = request.heard.does.contains(&Doing::Back) && request.heard.about.is_some();
    let known = |path: &&String| request.memory.extraction.is_known(path);
    let path = request.engine.fields_of(&item.obligation).iter().find(known).filter(|_| named)?;
    how_instead(request, speech, path)
}

/// Whether a question asks for a yes to everything that was said.
fn confirms_all(request: &ResponseRequest<'_>, obligation: &Obligation) -> bool {
    let boolean = |path: &String| request.engine.field(path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
    obligation.when.is_some()
        && obligation.shows.is_empty()
        && request.engine.fields_of(&obligation.id).first().is_some_and(boolean)
}

/// Whether the user has just said that they had answered it.
fn is_claimed(request: &ResponseRequest<'_>, obligation: &str) -> bool {
    let state = request.memory.obligations.get(obligation);
    state.is_some_and(|state| state.claimed_at == Some(request.memory.turn))
}

/// What an obligation asks for, as far as it is open: "what the problem costs you".
pub(super) fn open_part<'a>(request: &ResponseRequest<'_>, speech: &Speech<'a>, obligation: &str) -> Option<&'a str> {
    let open = |path: &&String| !request.memory.extraction.is_known(path);
    speech.asked_as(request.engine.fields_of(obligation).iter().find(open)?)
}

/// "I have nothing on that yet": asks for it again in a few words, and offers to leave it.
fn asked_once_more(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> Option<String> {
    match open_part(request, speech, &item.obligation) {
        Some(name) => speech.say("said_missing", &[("name", name)]),
        None => speech.say("said_missing_plain", &[]),
    }
}

/// Offers what was left open once more, at the end.
fn reviewed(request: &ResponseRequest<'_>, speech: &Speech<'_>, obligation: &Obligation) -> Option<String> {
    match open_part(request, speech, &obligation.id) {
        Some(name) => speech.say("review_open", &[("name", name)]),
        None => speech.say("review_named", &[("name", speech.label(obligation))]),
    }
}

/// "You said 15,000 €. Is that the budget?"
fn confirmation(
    request: &ResponseRequest<'_>,
    speech: &Speech<'_>,
    item: &AgendaItem,
    (path, value): (&str, &Value),
) -> String {
    let said = speech.quoted(path, value);
    let gathers = request.engine.field(path).is_some_and(|field| field.merge != Merge::Replace);
    if let Some(old) = request.memory.extraction.value(path) {
        let old = speech.quoted(path, old);
        // What is gathered is no contradiction to what was gathered before.
        let speaker = request.memory.says_otherwise(path);
        let occasion = match speaker {
            _ if gathers => "addition",
            Some(_) => "contradiction_by",
            None => "contradiction",
        };
        let gaps = [("speaker", speaker.unwrap_or_default()), ("old", &old), ("value", &said)];
        return speech.say(occasion, &gaps).unwrap_or(said);
    }
    let now = request.memory.extraction.get(path).and_then(|field| field.candidate.as_ref());
    let just = now.is_some_and(|candidate| candidate.turn == request.memory.turn);
    let worded = match speech.asked_as(path) {
        Some(name) => {
            let occasion = match (is_claimed(request, &item.obligation), just) {
                (true, _) => "said_offered",
                (false, true) => "confirm_said",
                (false, false) => "confirm_earlier",
            };
            speech.say(occasion, &[("value", &said), ("name", name)])
        }
        None => speech.say("confirm_named", &[("value", &said), ("name", &speech.name(path))]),
    };
    worded.unwrap_or(said)
}

/// Lists of so many elements stand in one line, unless one of them is longer than a few words.
const IN_A_LINE: usize = 8;
const FEW_WORDS: usize = 6;

/// What a question is about, shown with it.
fn shown(request: &ResponseRequest<'_>, speech: &Speech<'_>, obligation: &Obligation) -> Option<String> {
    let points = listed(request, speech, obligation);
    let short = points.len() <= IN_A_LINE && points.iter().all(|point| point.split_whitespace().count() <= FEW_WORDS);
    match points.as_slice() {
        [] => None,
        few if short => speech.say("list_line", &[("list", &few.join(", "))]),
        many => speech.say("list", &[("list", &Speech::list(many))]),
    }
}

/// The elements of the lists that a question is about.
pub(super) fn listed(request: &ResponseRequest<'_>, speech: &Speech<'_>, obligation: &Obligation) -> Vec<String> {
    let mut points: Vec<String> = Vec::new();
    for path in &obligation.shows {
        let Some((value, field)) = request.memory.extraction.value(path).zip(request.engine.field(path)) else {
            continue;
        };
        let texts = match (value, field.shape.items.as_deref()) {
            (Value::Array(items), Some(part)) => {
                items.iter().map(|item| speech.shaped(item, Some(&part.shape))).collect()
            }
            _ => vec![speech.shaped(value, Some(&field.shape))],
        };
        for text in texts {
            if !points.contains(&text) {
                points.push(text);
            }
        }
    }
    points
}

/// Asks for what is left of an answer of which a part is known.
fn missing_part(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> Option<String> {
    let paths = request.engine.fields_of(&item.obligation);
    let known = |path: &&String| request.memory.extraction.is_known(path);
    let open = paths.iter().find(|path| !known(path)).filter(|_| paths.iter().any(|path| known(&path)))?;
    let (field, name) = (request.engine.field(open)?, speech.asked_as(open)?);
    if field.shape.options.is_empty() {
        speech.say("missing_part", &[("name", name)])
    } else {
        speech.say("missing_choice", &[("name", name), ("choices", &speech.choices(&field.shape))])
    }
}

/// The choices of a question that has them and does not name them.
fn options(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> String {
    let field = request.engine.fields_of(&item.obligation).first().and_then(|path| request.engine.field(path));
    let Some(field) = field.filter(|field| field.shape.r#type == Kind::Enum) else { return String::new() };
    let asked = speech.question(&item.obligation, &item.question).to_lowercase();
    // Of choices that are several words the telling ones stand in the question: "does it lose money".
    let named = field.shape.options.iter().all(|option| speech.names(&asked, &speech.choice(&field.shape, option)));
    if named { String::new() } else { format!(" ({})", speech.choices(&field.shape)) }
}
