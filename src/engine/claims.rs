//! "I told you already": what the user says they have said is looked up in what they said, and offered.

use serde_json::Value;

use super::config::{Act, Kind};
use super::extraction::{Merger, Reading};
use super::memory::{Asked, Status};
use super::obligations::MAX_ASKED;
use super::reading::{FieldReading, Heard, Standing, read};
use super::transcript::{Message, Role};
use super::turn::Turn;

/// Messages of the user's that are looked at, newest first.
const LOOKED_AT: usize = 8;
/// The fewest words that can say two things.
const A_SENTENCE: usize = 6;
/// Nobody means more than this by "it", in bytes.
const LONGEST: usize = 300;
/// What a value is worth that was said before, as far as anybody can tell.
const CLAIMED: f64 = 0.6;
/// What an answer is worth that was given in the place of a yes to such a value.
pub(super) const SAID_INSTEAD: f64 = 0.8;

/// Whether what was offered can be what they have said already: it has to do with its field. Of anything else they have
/// not said that it is the answer.
pub(super) fn is_offered(turn: &Turn<'_>) -> bool {
    let fits = |path: &String| {
        let text = turn.memory.extraction.get(path).and_then(|field| field.doubted()).and_then(Value::as_str);
        text.is_none_or(|text| turn.engine.reader().field_of(text).as_ref() == Some(path))
    };
    turn.memory.asked.iter().any(|asked| !asked.to_confirm.is_empty() && asked.to_confirm.iter().all(fits))
}

/// Takes the user at their word: finds what they said on the question, and keeps it as a candidate that is offered
/// next. A question of which they say so twice is left open.
pub(super) fn take_in(turn: &mut Turn<'_>, merger: &mut Merger<'_>) {
    let Some(asked) = turn.memory.asked.first().map(|asked| asked.obligation.clone()) else { return };
    let number = turn.memory.turn;
    let again = turn.memory.obligations.get(&asked).is_some_and(|state| state.claimed_at.is_some());
    let found = if again { None } else { said_before(turn, &asked) };
    let meant = found.as_ref().map_or(&asked, |(obligation, _)| obligation).clone();
    if let Some((_, found)) = found {
        let reading = Reading {
            path: found.path,
            value: found.value,
            confidence: CLAIMED,
            quote: found.quote,
            reasoning: String::new(),
            doubt: Some("you said that you had told me".to_owned()),
        };
        merger.merge_all(&mut turn.memory, &[reading]);
    }
    // What was offered was not it.
    let offered: Vec<String> = turn.memory.asked.iter().flat_map(|asked| asked.to_confirm.clone()).collect();
    for path in &offered {
        let replaced = merger.changes.iter().any(|change| change.path == *path);
        if meant == asked && !replaced {
            merger.reject(&mut turn.memory, path);
        }
    }
    if let Some(state) = turn.memory.obligations.get_mut(&meant) {
        state.claimed_at = Some(number);
        if again {
            state.times_asked = MAX_ASKED;
        }
    }
}

/// Whether what was offered for a field was only a guess at what the user might have said: words in the place of a yes
/// are the answer then.
pub(super) fn was_offered(turn: &Turn<'_>, path: &str) -> bool {
    turn.before.asked.iter().any(|asked| {
        let claimed = turn.before.obligations.get(&asked.obligation).and_then(|state| state.claimed_at);
        claimed == Some(turn.before.turn) && asked.to_confirm.iter().any(|offered| offered == path)
    })
}

/// What the user said before on what was asked, or on a question that was asked before and is still open: first what
/// has cues of it, then what answered an earlier question, at last what they said last and nothing was made of.
fn said_before(turn: &Turn<'_>, asked: &str) -> Option<(String, FieldReading)> {
    let told: Vec<&Message> = turn.transcript.messages().iter().rev().filter(|m| m.role == Role::User).collect();
    let told = &told[..told.len().min(LOOKED_AT)];
    let of = |obligation: &str, message: &Message, cued: bool| {
        let own = turn.engine.fields_of(obligation);
        let heard = reread(turn, obligation, &message.text);
        let points = |found: &FieldReading| !cued || cues_of(&heard, found);
        let found = heard.fields.iter().find(|found| {
            let boolean = turn.engine.field(&found.path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
            let offered = turn.memory.extraction.get(&found.path).and_then(|field| field.doubted());
            own.contains(&found.path)
                && offered != Some(&found.value)
                && !found.value.is_null()
                && !boolean
                && points(found)
        });
        found.map(|found| (obligation.to_owned(), found.clone()))
    };
    let by_cues = || told.iter().find_map(|message| of(asked, message, true));
    let earlier = || {
        told.iter().find_map(|message| {
            let open = turn.memory.obligations.iter().find(|(id, state)| {
                let unanswered = matches!(state.status, Status::Pending | Status::Partial);
                *id != asked && unanswered && state.last_asked.is_some_and(|turn| turn + 1 == message.turn)
            });
            of(open?.0, message, false)
        })
    };
    let last = || told.iter().find_map(|message| of(asked, message, false));
    let sentence = || last_sentence(turn, asked, told.first()?);
    let free = |(_, found): &(String, FieldReading)| !is_taken(turn, found);
    by_cues().or_else(earlier).or_else(|| last().filter(free)).or_else(|| sentence().filter(free))
}

/// Whether words have their place already. A few words that answered another question are hardly meant; a sentence may
/// well have said both, but not where the very same words stand elsewhere.
fn is_taken(turn: &Turn<'_>, found: &FieldReading) -> bool {
    let few = found.quote.split_whitespace().count() < A_SENTENCE;
    let overlaps = |quote: &str| quote.contains(&found.quote) || found.quote.contains(quote);
    turn.memory.extraction.iter().any(|(_, field)| {
        let offered = field.candidate.as_ref().and_then(|candidate| candidate.evidence.as_ref());
        let mut elsewhere = field.further.iter().chain(offered);
        let own = field.evidence.as_ref().is_some_and(|evidence| few && overlaps(&evidence.quote));
        own || elsewhere.any(|evidence| overlaps(&evidence.quote))
    })
}

/// What was said last, where it was a sentence and a text is asked for: it may have said both.
fn last_sentence(turn: &Turn<'_>, asked: &str, message: &Message) -> Option<(String, FieldReading)> {
    let field = turn.engine.fields_of(asked).first().and_then(|path| turn.engine.field(path))?;
    let heard = reread(turn, asked, &message.text);
    let told: Vec<_> =
        heard.clauses.iter().filter(|clause| matches!(clause.act, Act::Answer | Act::Volunteered)).collect();
    let (first, last) = (told.first()?, told.last()?);
    let quote = message.text.get(first.start..last.start + last.text.len())?;
    let long = quote.split_whitespace().count() >= A_SENTENCE && quote.len() <= LONGEST;
    let found = FieldReading {
        path: field.path.to_string(),
        value: Value::from(quote),
        quote: quote.to_owned(),
        confidence: CLAIMED,
        status: Standing::Candidate,
        reading: "what was said last".to_owned(),
        doubt: None,
        cues: Vec::new(),
    };
    (long && field.shape.r#type == Kind::String).then(|| (asked.to_owned(), found))
}

/// What a message would have said to a question.
fn reread(turn: &Turn<'_>, obligation: &str, message: &str) -> Heard {
    let mut memory = turn.memory.clone();
    memory.asked = vec![Asked { obligation: obligation.to_owned(), ..Asked::default() }];
    read(turn.engine, &memory, message)
}

/// Whether what was read has cues of its own field.
fn cues_of(heard: &Heard, found: &FieldReading) -> bool {
    heard.clauses.iter().any(|clause| {
        clause.best.iter().any(|fit| fit.field == found.path && fit.score > 0.0)
            && (found.quote.contains(&clause.text) || clause.text.contains(&found.quote))
    })
}
