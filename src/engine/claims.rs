//! "I told you already": what the user says they have said is looked up in what they said, and offered.

use serde_json::Value;

use super::Engine;
use super::config::{Act, Doing, Field, Kind, Obligation};
use super::extraction::{Merger, Reading};
use super::memory::{Asked, ObligationState, WorkingMemory};
use super::obligations::MAX_ASKED;
use super::reading::{Clause, FieldReading, Heard, Names, Standing, read};
use super::transcript::{Message, Role};
use super::turn::Turn;
use super::words::content_words;

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
    // What they name and is known needs no search.
    if about_known(turn.engine, &turn.memory, &turn.heard).is_some() {
        return;
    }
    let number = turn.memory.turn;
    let again = turn.memory.obligations.get(&asked).is_some_and(|state| state.claimed_at.is_some());
    let found = if again { None } else { said_before(turn, &asked) };
    let named = about(turn).unwrap_or_else(|| asked.clone());
    let meant = found.as_ref().map_or(&named, |(obligation, _)| obligation).clone();
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

/// The question that the user says to have answered, where they name it.
fn about(turn: &Turn<'_>) -> Option<String> {
    obligation_about(turn.engine, &turn.memory, &turn.heard).map(|obligation| obligation.id.to_string())
}

/// The question for what the user names.
pub(crate) fn obligation_about<'e>(
    engine: &'e Engine,
    memory: &WorkingMemory,
    heard: &Heard,
) -> Option<&'e Obligation> {
    let words = heard.about.as_deref()?;
    let lexicon = engine.reader().lexicon(Some(&heard.language))?;
    let known = |field: &Field| heard.does.contains(&Doing::Back) && memory.extraction.is_known(&field.path);
    let field = engine.definition().fields.get(Names::of(engine, lexicon).find(engine, lexicon, words, known)?)?;
    let own = |o: &&Obligation| o.satisfied_by.iter().any(|path| **path == *field.path);
    engine.definition().obligations.iter().find(own)
}

/// The field that the user names and that is known: "you skipped my answer about the budget".
pub(crate) fn about_known<'e>(engine: &'e Engine, memory: &WorkingMemory, heard: &Heard) -> Option<&'e Field> {
    let words = heard.about.as_deref()?;
    let lexicon = engine.reader().lexicon(Some(&heard.language))?;
    let known = |field: &Field| memory.extraction.is_known(&field.path);
    let field = engine.definition().fields.get(Names::of(engine, lexicon).find(engine, lexicon, words, known)?)?;
    known(field).then_some(field)
}

/// What the user said before on what they name, or on what was asked. What is offered has to do with one of them: a guess
/// at anything else would only annoy them more.
fn said_before(turn: &Turn<'_>, asked: &str) -> Option<(String, FieldReading)> {
    let told: Vec<&Message> = turn.transcript.messages().iter().rev().filter(|m| m.role == Role::User).collect();
    let told = &told[..told.len().min(LOOKED_AT)];
    if let Some(named) = turn.heard.about.as_deref() {
        // "About the opening hours and the flour": what follows in the sentence belongs to it.
        let words = turn.message.find(named).map_or(named, |at| &turn.message[at..]);
        return told.iter().find_map(|message| on_topic(turn, asked, message, words));
    }
    let own = turn.engine.fields_of(asked);
    let by_cues = told.iter().find_map(|message| {
        let heard = reread(turn, asked, &message.text);
        let found = heard.fields.iter().find(|found| {
            let boolean = turn.engine.field(&found.path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
            let offered = turn.memory.extraction.get(&found.path).and_then(|field| field.doubted());
            let fits = own.contains(&found.path) && !found.value.is_null() && !boolean;
            fits && offered != Some(&found.value) && cues_of(&heard, found)
        });
        found.map(|found| (asked.to_owned(), found.clone()))
    });
    by_cues.or_else(|| last_figure(turn, asked, told.first()?))
}

/// What was said last, where it was a sentence with a figure in it and a text is asked for: it may have said both.
fn last_figure(turn: &Turn<'_>, asked: &str, message: &Message) -> Option<(String, FieldReading)> {
    let field = turn.engine.fields_of(asked).first().and_then(|path| turn.engine.field(path))?;
    let heard = reread(turn, asked, &message.text);
    let tells = |clause: &&Clause| matches!(clause.act, Act::Answer | Act::Volunteered);
    let told: Vec<&Clause> = heard.clauses.iter().filter(tells).collect();
    let (first, last) = (told.first()?, told.last()?);
    let quote = message.text.get(first.start..last.start + last.text.len())?;
    let counts = turn.engine.reader().lexicon(Some(&heard.language))?.number_in(quote).is_some();
    let fits = quote.split_whitespace().count() >= A_SENTENCE && quote.len() <= LONGEST;
    (counts && fits && field.shape.r#type == Kind::String).then(|| (asked.to_owned(), offer(field, quote)))
}

/// Words that were said before, as a value that is offered.
fn offer(field: &Field, quote: &str) -> FieldReading {
    FieldReading {
        path: field.path.to_string(),
        value: Value::from(quote),
        quote: quote.to_owned(),
        confidence: CLAIMED,
        status: Standing::Candidate,
        reading: "what was said before".to_owned(),
        doubt: None,
        cues: Vec::new(),
        adds: false,
    }
}

/// The clauses of a message that have words of what the user names, as an answer to the question it was said to.
fn on_topic(turn: &Turn<'_>, asked: &str, message: &Message, words: &str) -> Option<(String, FieldReading)> {
    let wanted: Vec<String> = content_words(words).collect();
    let answered = |state: &ObligationState| state.last_asked.is_some_and(|turn| turn + 1 == message.turn);
    let open = turn.memory.obligations.iter().find(|(_, state)| answered(state)).map(|(id, _)| id);
    let obligation = open.unwrap_or(asked);
    let field = turn.engine.fields_of(obligation).first().and_then(|path| turn.engine.field(path))?;
    let heard = reread(turn, obligation, &message.text);
    let says = |clause: &&Clause| content_words(&clause.text).any(|word| wanted.contains(&word));
    let told: Vec<&Clause> = heard.clauses.iter().filter(says).collect();
    let (first, last) = (told.first()?, told.last()?);
    let quote = message.text.get(first.start..last.start + last.text.len()).filter(|quote| quote.len() <= LONGEST)?;
    (field.shape.r#type == Kind::String).then(|| (obligation.to_owned(), offer(field, quote)))
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
