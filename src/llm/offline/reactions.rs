//! What is answered to talk that is no answer: greetings, questions back, commands, objections.

use super::questions::listed;
use super::speech::{Speech, Told};
use super::summary::{known_points, recent_points};
use crate::engine::claims::{about_known, obligation_about};
use crate::engine::config::{Act, Doing, Obligation};
use crate::engine::memory::{Status, WorkingMemory};
use crate::engine::ports::ResponseRequest;
use crate::engine::reading::Clause;
use crate::engine::sidebar;

/// What is said to the acts of a message, in order and each once. Of greetings, thanks and apologies one is enough: that
/// for what the interviewer is asked to do, else the first.
pub(super) fn to_acts(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let mut polite: Option<(bool, String)> = None;
    for clause in &request.heard.clauses {
        let text = match (clause.does, clause.act) {
            // "You mean last Friday? A boy stood there": who has answered needs no explanation.
            (Some(Doing::Meaning) | None, Act::CounterQuestion) if is_answered(request) => None,
            // "What, next": who moves on needs no explanation.
            (Some(Doing::Meaning) | None, Act::CounterQuestion)
                if moves_on(request) && clause.reply.as_deref() == Some("meaning") =>
            {
                None
            }
            // "Where do I start, I run a bakery": who has begun needs no beginning.
            (Some(Doing::HowItWorks), _) if request.heard.tells() && !request.message.contains('?') => None,
            // "Dunno, maybe four hours": a guess leaves nothing open.
            (Some(Doing::Unknown), _) if is_guessed(request) => None,
            (None, Act::CounterQuestion) if clause.reply.is_some() => worded(request, speech, clause),
            (None, Act::CounterQuestion) => explained(request, speech, Told::Meaning),
            (Some(Doing::Left), _) if clause.reply.as_deref() == Some("still_open") => passed_over(request, speech),
            (Some(doing), _) => done(request, speech, doing),
            (None, Act::Social | Act::OffTopic | Act::Objection | Act::Meta) => worded(request, speech, clause),
            _ => None,
        };
        let Some(text) = text.filter(|text| !said.contains(text)) else { continue };
        let does = clause.does.is_some();
        if !is_polite(clause) {
            said.push(text);
        } else if polite.as_ref().is_none_or(|(before, _)| does && !before) {
            polite = Some((does, text));
        }
    }
    // Who asked for something gets that, and no phrase before it.
    if said.is_empty() || polite.as_ref().is_some_and(|(does, _)| *does) {
        said.splice(0..0, polite.map(|(_, text)| text));
    }
    said
}

/// What is said to the questions back of an aside. Whatever else it asks for would change something, or claim to.
pub(super) fn to_questions(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for clause in &request.heard.clauses {
        let text = match (clause.does, clause.act) {
            (
                Some(
                    doing @ (Doing::Meaning
                    | Doing::Why
                    | Doing::Example
                    | Doing::YourPart
                    | Doing::Left
                    | Doing::List
                    | Doing::Recall
                    | Doing::Export
                    | Doing::WhoReads
                    | Doing::HowItWorks),
                ),
                _,
            ) => done(request, speech, doing),
            (None, Act::CounterQuestion) => explained(request, speech, Told::Meaning),
            _ => None,
        };
        said.extend(text.filter(|text| !said.contains(text)));
    }
    said
}

/// Whether what is answered to a clause is a phrase and tells nothing.
fn is_polite(clause: &Clause) -> bool {
    match clause.does {
        Some(doing) => {
            matches!(doing, Doing::SaidAlready | Doing::Unknown | Doing::Skip | Doing::Decline | Doing::YourPart)
        }
        None => matches!(clause.act, Act::Social | Act::OffTopic | Act::Objection),
    }
}

/// Whether the message leaves the question.
fn moves_on(request: &ResponseRequest<'_>) -> bool {
    request.heard.does.iter().any(|doing| matches!(doing, Doing::Skip | Doing::Decline))
}

/// Whether the message has answered what was asked.
fn is_answered(request: &ResponseRequest<'_>) -> bool {
    let settled = |o: &Obligation| request.memory.obligations.status(&o.id) == Status::Satisfied;
    request.heard.tells() && asked(request).is_some_and(settled)
}

/// Whether the message has said something of what was asked, sure or not.
fn is_guessed(request: &ResponseRequest<'_>) -> bool {
    let fields = asked(request).map(|obligation| request.engine.fields_of(&obligation.id)).unwrap_or_default();
    request.changes.iter().any(|change| fields.contains(&change.path) && !change.value.is_null())
}

/// A greeting or a thank-you is returned; what stands beside an answer is passed over.
fn worded(request: &ResponseRequest<'_>, speech: &Speech<'_>, clause: &Clause) -> Option<String> {
    let beside = request.heard.tells() && !matches!(clause.act, Act::Objection | Act::CounterQuestion);
    let greets = clause.reply.as_deref() == Some("greeting");
    let reply = clause.reply.as_deref().filter(|_| !beside || greets)?;
    speech.say(reply, &[])
}

fn asked<'e>(request: &ResponseRequest<'e>) -> Option<&'e Obligation> {
    request.memory.asked.first().and_then(|asked| request.engine.obligation(&asked.obligation))
}

fn done(request: &ResponseRequest<'_>, speech: &Speech<'_>, doing: Doing) -> Option<String> {
    match doing {
        Doing::Meaning => explained(request, speech, Told::Meaning),
        Doing::Why => explained(request, speech, Told::Why),
        Doing::Example => explained(request, speech, Told::Example),
        Doing::YourPart => your_part(request, speech),
        Doing::SaidAlready => said_already(request, speech),
        Doing::Left => {
            let count = left(request);
            let occasion = match count {
                0 => "left_none",
                1 => "left_one",
                _ => "left",
            };
            speech.say(occasion, &[("count", &count.to_string())])
        }
        Doing::List => {
            // The list that the question is about; else all of it.
            let own = asked(request).map(|obligation| listed(request, speech, obligation)).unwrap_or_default();
            let points = if own.is_empty() { known_points(request, speech, 0, |_| true) } else { own };
            if points.is_empty() {
                speech.say("list_empty", &[])
            } else {
                speech.say("list", &[("list", &Speech::list(&points))])
            }
        }
        Doing::Recall => {
            let asked = asked(request).map(|obligation| request.engine.fields_of(&obligation.id)).unwrap_or_default();
            let value = |path: &str| request.memory.extraction.value(path);
            let fields = request.engine.definition().fields.iter().filter(|field| value(&field.path).is_some());
            // What they name themselves, or what was asked.
            let named = fields.map(|field| field.path.as_str()).find(|path| speech.names_field(request.message, path));
            let own = named.into_iter().chain(asked.iter().map(String::as_str));
            let known = own.into_iter().find_map(|path| Some((path, value(path)?)));
            match known {
                Some((path, value)) => speech.say("recall", &[("value", &speech.quoted(path, value))]),
                None => speech.say("recall_none", &[]),
            }
        }
        // Of what is shown together it is asked below.
        Doing::Wrong if request.memory.asked.iter().any(|asked| asked.together) => None,
        // What is wrong and how it should be was said in one breath.
        Doing::Wrong if request.heard.tells() && !request.changes.is_empty() => None,
        // What it should be instead is asked below.
        Doing::Wrong if meant(request).is_some() => speech.say("sorry", &[]),
        Doing::Wrong => {
            let points = recent_points(request, speech);
            if points.is_empty() {
                speech.say("wrong_none", &[])
            } else {
                speech.say("wrong", &[("list", &Speech::list(&points))])
            }
        }
        Doing::Back => {
            let occasion = if before(request, speech).is_some() { "back" } else { "back_none" };
            speech.say(occasion, &[])
        }
        Doing::Confirm | Doing::Deny | Doing::Rest => None,
        _ => speech.say(doing.word(), &[]),
    }
}

/// What "that's wrong" is most likely about: the answer that was gone back to, or the only one that was just told.
pub(super) fn meant<'e>(request: &ResponseRequest<'e>) -> Option<(&'e Obligation, &'e str)> {
    let known = |path: &&String| request.memory.extraction.is_known(path);
    let path = |o: &'e Obligation| request.engine.fields_of(&o.id).iter().find(known).map(|path| (o, path.as_str()));
    if let Some(found) = asked(request).and_then(path) {
        return Some(found);
    }
    let just = |path: &str| {
        let field = request.memory.extraction.get(path);
        field.is_some_and(|field| field.value.is_some() && field.last_updated_at_turn + 1 == request.memory.turn)
    };
    let mut told = request.engine.definition().fields.iter().filter(|field| just(&field.path));
    let field = told.next().filter(|_| told.next().is_none())?;
    let own = |o: &&Obligation| o.satisfied_by.iter().any(|path| **path == *field.path);
    request.engine.definition().obligations.iter().find(own).map(|obligation| (obligation, field.path.as_str()))
}

/// What the engine has to say on its own question.
fn explained(request: &ResponseRequest<'_>, speech: &Speech<'_>, what: Told) -> Option<String> {
    let occasion = match what {
        Told::Meaning => "meaning",
        Told::Why => "why",
        Told::Example => "example",
    };
    match asked(request).and_then(|obligation| speech.told(obligation, what)) {
        Some(text) => speech.say(occasion, &[(occasion, text)]),
        None => speech.say(&format!("no_{occasion}"), &[]),
    }
}

/// What the interviewer cannot decide for anybody, with an example, and that it may stay open. Where the user leaves it
/// open anyhow there is nothing to say.
fn your_part(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    if request.heard.does.iter().any(|doing| matches!(doing, Doing::Skip | Doing::Decline | Doing::Unknown)) {
        return None;
    }
    match asked(request).and_then(|obligation| speech.told(obligation, Told::Example)) {
        Some(example) => speech.say("your_part", &[("example", example)]),
        None => speech.say("your_part_plain", &[]),
    }
}

/// What is said to "I told you already". What they said before is offered by the question that follows.
fn said_already(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let claimed = |status: Status| {
        let here = request.memory.obligations.iter().find(|(_, state)| state.claimed_at == Some(request.memory.turn));
        here.is_some_and(|(_, state)| state.status == status)
    };
    let known = about_known(request.engine, request.memory, request.heard);
    if let Some((field, value)) = known.and_then(|field| Some((field, request.memory.extraction.value(&field.path)?))) {
        speech.say("said_known", &[("value", &speech.quoted(&field.path, value))])
    } else if claimed(Status::Deferred) {
        speech.say("said_left", &[])
    } else if claimed(Status::Pending) || claimed(Status::Partial) || request.memory.asked.is_empty() {
        None
    } else {
        speech.say("said_already", &[])
    }
}

/// What was asked for and is open still; where nothing is, all that is missing.
fn passed_over(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let asked = |o: &&Obligation| {
        let state = request.memory.obligations.get(&o.id);
        state.is_some_and(|state| state.last_asked.is_some() && state.status != Status::Satisfied)
    };
    let open: Vec<String> =
        request.engine.definition().obligations.iter().filter(asked).map(|o| speech.label(o).to_owned()).collect();
    let list = if open.is_empty() { speech.gaps(request) } else { open };
    if list.is_empty() { speech.say("left_none", &[]) } else { speech.say("still_open", &[("list", &list.join(", "))]) }
}

/// How many questions are left, the one on the table included.
fn left(request: &ResponseRequest<'_>) -> usize {
    sidebar::left(request.engine, request.memory).questions as usize
}

/// The question that the user names, the one before the last one, or as many before it as they say.
pub(super) fn before<'e>(request: &ResponseRequest<'e>, speech: &Speech<'_>) -> Option<&'e Obligation> {
    const MOST: f64 = 9.0;
    if let Some(named) = obligation_about(request.engine, request.memory, request.heard) {
        return Some(named);
    }
    let last = |memory: &WorkingMemory, id: &str| memory.obligations.get(id).and_then(|state| state.last_asked);
    let current = request.memory.asked.first().and_then(|asked| last(request.memory, &asked.obligation))?;
    let mut earlier: Vec<(u32, &Obligation)> = request
        .engine
        .definition()
        .obligations
        .iter()
        .filter_map(|o| last(request.memory, &o.id).filter(|turn| *turn < current).map(|turn| (turn, o)))
        .collect();
    earlier.sort_by_key(|(turn, _)| std::cmp::Reverse(*turn));
    let command = request.heard.clauses.iter().find(|clause| clause.does == Some(Doing::Back));
    let steps = command.and_then(|clause| speech.number_in(&clause.text)).filter(|steps| (1.0..=MOST).contains(steps));
    let wanted = steps.map_or(0, |steps| steps as usize - 1).min(earlier.len().checked_sub(1)?);
    earlier.get(wanted).map(|(_, obligation)| *obligation)
}
