//! What is answered to talk that is no answer: greetings, questions back, commands, objections.

use super::reply::{known_points, recent_points};
use super::speech::Speech;
use crate::engine::config::{Act, Doing, Obligation};
use crate::engine::memory::{Status, WorkingMemory};
use crate::engine::ports::ResponseRequest;
use crate::engine::reading::Clause;

/// What is said to the acts of a message, in order and each once.
pub(super) fn to_acts(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for clause in &request.heard.clauses {
        let text = match (clause.does, clause.act) {
            (Some(doing), _) => done(request, speech, doing),
            (None, Act::CounterQuestion) => explained(request, speech, "meaning"),
            (None, Act::Social | Act::OffTopic | Act::Objection | Act::Meta) => worded(request, speech, clause),
            _ => None,
        };
        said.extend(text.filter(|text| !said.contains(text)));
    }
    said
}

/// A greeting or a thank-you is returned; what stands beside an answer is passed over.
fn worded(request: &ResponseRequest<'_>, speech: &Speech<'_>, clause: &Clause) -> Option<String> {
    let beside = request.heard.tells() && clause.act != Act::Objection;
    let greets = clause.reply.as_deref() == Some("greeting");
    let reply = clause.reply.as_deref().filter(|_| !beside || greets)?;
    speech.say(reply, &[])
}

fn asked<'e>(request: &ResponseRequest<'e>) -> Option<&'e Obligation> {
    request.memory.asked.first().and_then(|asked| request.engine.obligation(&asked.obligation))
}

fn done(request: &ResponseRequest<'_>, speech: &Speech<'_>, doing: Doing) -> Option<String> {
    match doing {
        Doing::Meaning | Doing::Why | Doing::Example => explained(request, speech, doing.word()),
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
            let points = known_points(request, speech, 0, |_| true);
            if points.is_empty() {
                speech.say("list_empty", &[])
            } else {
                speech.say("list", &[("list", &Speech::list(&points))])
            }
        }
        Doing::Recall => {
            let own = asked(request).map(|obligation| request.engine.fields_of(&obligation.id)).unwrap_or_default();
            let known = own.iter().find_map(|path| Some((path, request.memory.extraction.value(path)?)));
            match known {
                Some((path, value)) => speech.say("recall", &[("value", &speech.quoted(path, value))]),
                None => speech.say("recall_none", &[]),
            }
        }
        Doing::Wrong => {
            let points = recent_points(request, speech);
            if points.is_empty() {
                speech.say("wrong_none", &[])
            } else {
                speech.say("wrong", &[("list", &Speech::list(&points))])
            }
        }
        Doing::Back => {
            let occasion = if before(request).is_some() { "back" } else { "back_none" };
            speech.say(occasion, &[])
        }
        Doing::Confirm | Doing::Deny => None,
        _ => speech.say(doing.word(), &[]),
    }
}

/// What the engine has to say on its own question.
fn explained(request: &ResponseRequest<'_>, speech: &Speech<'_>, what: &str) -> Option<String> {
    let text = asked(request).and_then(|obligation| match what {
        "why" => obligation.why.as_deref(),
        "example" => obligation.example.as_deref(),
        _ => obligation.meaning.as_deref(),
    });
    match text {
        Some(text) => speech.say(what, &[(what, text)]),
        None => speech.say(&format!("no_{what}"), &[]),
    }
}

/// How many questions are left, the one on the table included.
fn left(request: &ResponseRequest<'_>) -> usize {
    let open = |status: Status| matches!(status, Status::Pending | Status::Partial);
    request.memory.obligations.iter().filter(|(_, state)| open(state.status)).count()
}

/// The question before the last one.
pub(super) fn before<'e>(request: &ResponseRequest<'e>) -> Option<&'e Obligation> {
    let last = |memory: &WorkingMemory, id: &str| memory.obligations.get(id).and_then(|state| state.last_asked);
    let current = request.memory.asked.first().and_then(|asked| last(request.memory, &asked.obligation))?;
    let earlier = request.engine.definition().obligations.iter().filter_map(|obligation| {
        last(request.memory, &obligation.id).filter(|turn| *turn < current).map(|turn| (turn, obligation))
    });
    earlier.max_by_key(|(turn, _)| *turn).map(|(_, obligation)| obligation)
}
