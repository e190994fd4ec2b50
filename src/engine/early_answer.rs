//! The answer that is begun before the analysis is in. What rules alone hear in the message stands in for the analysis;
//! once that is in, the answer is kept if it still holds, and written anew if not.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use serde_json::{Value, json};

use super::config::{Kind, Shape};
use super::extraction::{AnalysisAnswer, ChangeKind, Reading};
use super::figures::EarlyFigures;
use super::memory::{ExtractedField, FieldState, Status};
use super::obligations::refresh;
use super::ports::{CallError, Pacing, Ports, ResponseReply};
use super::qa::{FindingCode, recognised, shared, shows};
use super::replies::{Reply, plain_reply};
use super::step::{Outcome, Step};
use super::steps::{compression_check, extraction, qa_check, response_generation, tool_rounds};
use super::turn::{DECISIONS, Turn};
use super::values::brief_text;
use super::words::content_words;
use super::{completeness, phases};

/// An answer under way, and what it was begun on.
pub(super) struct EarlyAnswer<'a> {
    writing: Option<Writing<'a>>,
    written: Option<Written<'a>>,
    /// The phase it was begun for.
    phase: String,
    /// The open points that it was shown.
    may_ask: Vec<String>,
    /// Whether it is written before the analysis is asked for.
    first: bool,
    /// How long the analysis took, in milliseconds: so much later the answer would have been begun.
    saved_ms: f64,
}

type Writing<'a> = Pin<Box<dyn Future<Output = Written<'a>> + Send + 'a>>;

/// An answer with the turn that it was written for.
struct Written<'a> {
    guess: Guess<'a>,
    reply: Result<ResponseReply, CallError>,
}

/// A turn as it would be if the message said what rules alone hear in it.
struct Guess<'a> {
    turn: Turn<'a>,
    /// What the steps decided that shape the answer.
    sent: Vec<(Step, Outcome)>,
}

/// What became of an early answer.
pub(super) enum Settled {
    Kept(ResponseReply),
    /// Another has to be written, with less where it was too much for the model.
    Discarded {
        why: String,
        too_much: bool,
    },
}

impl<'a> EarlyAnswer<'a> {
    /// Begins an answer, unless there is a reason to wait for the analysis; that is noted.
    pub fn begin<P: Ports>(turn: &mut Turn<'a>, ports: &'a P) -> Option<Self> {
        let first = match ports.pacing() {
            Pacing::AtOnce => return None,
            Pacing::AnalysisFirst(why) => {
                turn.figures.early = Some(EarlyFigures::NotBegun { why: why.to_owned() });
                return None;
            }
            Pacing::AnswerFirst => true,
            Pacing::Together => false,
        };
        let guess = match guess(turn) {
            Ok(guess) => guess,
            Err(why) => {
                turn.figures.early = Some(EarlyFigures::NotBegun { why: why.to_owned() });
                return None;
            }
        };
        // Rules are there at once, and say what really changed.
        if guess.turn.is_answered_by_rules() {
            return None;
        }
        let phase = guess.turn.memory.phase.current.clone();
        let may_ask = guess.turn.candidates.iter().map(|item| item.obligation.clone()).collect();
        let writing = Box::pin(async move {
            let reply = response_generation::write(&guess.turn, ports, None).await;
            Written { guess, reply }
        });
        Some(Self { writing: Some(writing), written: None, phase, may_ask, first, saved_ms: 0.0 })
    }

    /// Waits for the analysis while the answer is being written, or after it. Without an answer there is no turn, so
    /// nothing needs to be analysed then.
    pub async fn beside<T>(
        &mut self,
        analysis: impl Future<Output = Result<T, CallError>>,
        ports: &impl Ports,
    ) -> Result<T, CallError> {
        if self.first {
            self.finish().await;
            let hopeless = |written: &mut Written<'_>| matches!(written.reply, Err(CallError::Failed { .. }));
            if let Some(Written { reply: Err(error), .. }) = self.written.take_if(hopeless) {
                return Err(error);
            }
        }
        let started = ports.now_micros();
        let mut analysis = Box::pin(analysis);
        let analysed = poll_fn(|context| {
            self.poll(context);
            analysis.as_mut().poll(context)
        })
        .await;
        self.saved_ms = ports.now_micros().saturating_sub(started) as f64 / 1000.0;
        analysed
    }

    /// Whether there will be no answer: it was to come first, and failed.
    pub fn failed(&self) -> bool {
        self.first && self.writing.is_none() && self.written.is_none()
    }

    fn poll(&mut self, context: &mut std::task::Context<'_>) {
        if let Some(writing) = &mut self.writing
            && let Poll::Ready(written) = writing.as_mut().poll(context)
        {
            self.written = Some(written);
            self.writing = None;
        }
    }

    async fn finish(&mut self) {
        if let Some(writing) = self.writing.take() {
            self.written = Some(writing.await);
        }
    }

    /// Holds the answer against what the analysis brought: the reply, if it is kept. It takes over from the guess what
    /// was really sent, so that the turn records that.
    pub async fn settle(mut self, turn: &mut Turn<'a>, ports: &impl Ports) -> Result<Settled, CallError> {
        let settled = self.hold_against(turn, ports).await;
        ports.release(matches!(settled, Ok(Settled::Kept(_))));
        settled
    }

    async fn hold_against(&mut self, turn: &mut Turn<'a>, ports: &impl Ports) -> Result<Settled, CallError> {
        let discarded = |why: String| Settled::Discarded { why, too_much: false };
        if let Some(why) = overtaken(turn, &self.phase) {
            if let Some(Written { reply: Ok(reply), .. }) = self.written.take() {
                paid_for(turn, reply);
            }
            return Ok(discarded(why));
        }
        if is_safe(turn, &self.may_ask) {
            ports.release(true);
        } else if !ports.has_shown() {
            ports.hold();
        }
        self.finish().await;
        let Some(Written { guess, reply }) = self.written.take() else {
            return Ok(discarded("it was not begun".to_owned()));
        };
        let reply = match reply {
            Ok(reply) => reply,
            // These can be mended by asking again: with less, or when nothing else is reserved.
            Err(error @ (CallError::ContextOverflow(_) | CallError::OverBudget(_))) => {
                let too_much = matches!(error, CallError::ContextOverflow(_));
                return Ok(Settled::Discarded { why: error.to_string(), too_much });
            }
            Err(error) => return Err(error),
        };
        if let Some(why) = contradicted(turn, &guess.turn, reply.text.trim()) {
            paid_for(turn, reply);
            return Ok(discarded(why));
        }
        turn.figures.early = Some(EarlyFigures::Kept { saved_ms: self.saved_ms });
        // One that asks for a tool is written on after the analysis, from what is known by then.
        if reply.calls.is_empty() {
            adopt(turn, guess);
        }
        Ok(Settled::Kept(reply))
    }
}

/// Counts an answer that is not kept: it was paid for all the same, and what it asked tools for is not done.
fn paid_for(turn: &mut Turn<'_>, reply: ResponseReply) {
    tool_rounds::drop_calls(turn, reply.calls, "it was not made, since the answer that asked for it does not hold");
    turn.spend(reply.call);
}

/// Whether an answer can be shown as it comes: all that it may ask for is open, and nothing that it may cite was replaced.
fn is_safe(turn: &Turn<'_>, may_ask: &[String]) -> bool {
    let open = |id: &String| !matches!(turn.memory.obligations.status(id), Status::Satisfied | Status::Deferred);
    let untouched = |id: &String| !qa_check::was_mentioned(turn, id, "");
    may_ask.iter().all(|id| open(id) && untouched(id)) && turn.changes.iter().all(|change| change.previous.is_none())
}

/// Why an answer that was begun on a guess cannot hold, whatever it says.
fn overtaken(turn: &Turn<'_>, phase: &str) -> Option<String> {
    let (engine, now) = (turn.engine, &turn.memory.phase.current);
    let name = |id: &str| engine.phase(id).map_or_else(|| id.to_owned(), |phase| phase.name.clone());
    if now != phase {
        return Some(format!("it was begun for “{}”, and this is “{}”", name(phase), name(now)));
    }
    if turn.checkpoint.is_some() {
        return Some("the history was compressed".to_owned());
    }
    let declined = turn.changes.iter().any(|change| change.kind == ChangeKind::Declined);
    declined.then(|| "something was declined".to_owned())
}

/// What an answer says or asks that no longer holds.
fn contradicted(turn: &Turn<'_>, guess: &Turn<'_>, answer: &str) -> Option<String> {
    let settled = |id: &String| matches!(turn.memory.obligations.status(id), Status::Satisfied | Status::Deferred);
    let was_open = |id: &String| !matches!(guess.memory.obligations.status(id), Status::Satisfied | Status::Deferred);
    let asked = recognised(turn.engine, &guess.candidates, answer);
    if let Some(id) = asked.iter().find(|id| settled(id) && was_open(id)) {
        let label = turn.engine.obligation(id).map_or(id.as_str(), |obligation| obligation.name.as_str());
        return Some(format!("it asks about “{label}”, which is settled"));
    }
    let replaced = turn.changes.iter().find(|change| {
        let old = change.previous.as_ref().filter(|old| cites(old, answer));
        old.is_some() && !cites(&change.value, answer)
    });
    if let Some(change) = replaced {
        return Some(format!("it goes by what `{}` was before", change.path));
    }
    let findings = qa_check::findings(turn, answer);
    let found = findings.into_iter().find(|finding| finding.code == FindingCode::ReAsked)?;
    // What a model is told to do about it does not belong here.
    let what = found.message.split([';', ':']).next().unwrap_or_default();
    Some(format!("it asks again: {what}"))
}

/// Whether an answer goes by a value: nearly all of its telling words stand there, and not only words of any question.
fn cites(value: &Value, answer: &str) -> bool {
    let wanted: BTreeSet<String> = content_words(&brief_text(value)).collect();
    let said: BTreeSet<String> = content_words(answer).collect();
    shows(value, answer) && shared(&wanted, &said) >= CITED
}

/// The share of a value's telling words that an answer which goes by it has.
const CITED: f64 = 0.8;

/// Records what was really sent instead of what would have been.
fn adopt<'a>(turn: &mut Turn<'a>, guess: Guess<'a>) {
    let Guess { turn: guess, sent } = guess;
    let number = turn.memory.turn;
    let (techniques, before) = (&mut turn.memory.techniques, &turn.before.techniques);
    for id in std::mem::take(&mut techniques.active) {
        if techniques.last_used.get(&id) == Some(&number) {
            techniques.last_used.remove(&id);
            techniques.last_used.extend(before.last_used.get_key_value(&id).map(|(id, turn)| (id.clone(), *turn)));
        }
    }
    let used = guess.memory.techniques.last_used.iter().filter(|(_, turn)| **turn == number);
    techniques.last_used.extend(used.map(|(id, turn)| (id.clone(), *turn)));
    techniques.active = guess.memory.techniques.active;
    turn.techniques = guess.techniques;
    turn.agenda = guess.agenda;
    turn.candidates = guess.candidates;
    turn.memory.context.tokens = guess.memory.context.tokens;
    turn.memory.context.sections = guess.memory.context.sections;
    turn.context = guess.context;
    for (step, outcome) in sent {
        turn.figures.replace(step, outcome);
    }
}

/// Steps 2 to 10 on a copy, with a stand-in for the analysis; or why that is no good.
fn guess<'a>(turn: &Turn<'a>) -> Result<Guess<'a>, &'static str> {
    let reply = plain_reply(&turn.heard);
    if matches!(reply, Some(Reply::Declines | Reply::Parks)) {
        return Err("something was declined or put off");
    }
    let mut guess = Turn { guessing: true, ..turn.clone() };
    let stand_in = AnalysisAnswer { readings: heard(turn), ..AnalysisAnswer::default() };
    extraction::apply(&mut guess, stand_in, false);
    if turn.heard.tells() || turn.heard.clauses.is_empty() {
        let by_rules = next_phase(&guess);
        count_as_answered(&mut guess);
        // Where the phase ends only if everything that was asked has been answered, nobody can tell yet.
        if next_phase(&guess) != by_rules {
            return Err("whether this part ends depends on the analysis");
        }
    }
    guess.perhaps_said = perhaps_said(turn);
    let mut sent = Vec::new();
    for (step, run) in DECISIONS {
        let outcome = run(&mut guess);
        if matches!(step, Step::TechniqueSelection | Step::ContextAssembly) {
            sent.push((*step, outcome));
        }
    }
    if compression_check::is_due(&guess) {
        return Err("the history has to be compressed first");
    }
    // What rules heard is only a guess: the model reads the message itself.
    guess.changes.clear();
    Ok(Guess { turn: guess, sent })
}

/// So much a clause has to do with a field at least, if it may be about it.
const PERHAPS: f64 = 0.4;

/// Points that the message may be about although rules alone cannot tell: others are asked for first.
fn perhaps_said(turn: &Turn<'_>) -> BTreeSet<String> {
    let clauses = turn.heard.clauses.iter().flat_map(|clause| &clause.best);
    let paths: BTreeSet<&str> = clauses.filter(|fit| fit.score >= PERHAPS).map(|fit| fit.field.as_str()).collect();
    let about = |id: &str| turn.engine.fields_of(id).iter().any(|path| paths.contains(path.as_str()));
    let obligations = turn.engine.definition().obligations.iter();
    obligations.filter(|obligation| about(&obligation.id)).map(|obligation| obligation.id.to_string()).collect()
}

/// The phase that a turn would move to as it stands.
fn next_phase(turn: &Turn<'_>) -> Option<String> {
    let mut memory = turn.memory.clone();
    refresh(turn.engine, &mut memory);
    memory.completeness = completeness::evaluate(turn.engine, &memory).0;
    phases::evaluate(turn.engine, &memory).target
}

/// What rules heard, taken as said: what a model would find is not asked for.
fn heard(turn: &Turn<'_>) -> Vec<Reading> {
    let kept = turn.heard.kept(&turn.message);
    let readings = kept.iter().map(|found| Reading {
        path: found.path.clone(),
        value: found.value.clone(),
        confidence: 1.0,
        quote: found.quote.clone(),
        reasoning: String::new(),
        doubt: None,
    });
    readings.collect()
}

/// What was asked counts as answered by whatever was said.
fn count_as_answered(guess: &mut Turn<'_>) {
    let (engine, number) = (guess.engine, guess.memory.turn);
    let asked = guess.memory.asked.clone();
    for path in asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation)) {
        let Some(field) = engine.field(path) else { continue };
        let open = |known: &ExtractedField<Value>| matches!(known.state, FieldState::Candidate | FieldState::Stale);
        if guess.memory.extraction.get(path).is_none_or(open) {
            let entry = guess.memory.extraction.entry(path);
            entry.state = FieldState::Known;
            entry.value = Some(some_value(&field.shape, &guess.message));
            entry.confidence = 1.0;
            entry.candidate = None;
            entry.touch(number);
        }
    }
}

/// A value of a shape that stands for one that is not known yet.
fn some_value(shape: &Shape, message: &str) -> Value {
    match shape.r#type {
        Kind::String => json!(message),
        Kind::Number => json!(1),
        Kind::Boolean => json!(true),
        Kind::Enum => json!(shape.options.first()),
        Kind::Array => json!([shape.items.as_ref().map(|items| some_value(items, message))]),
        Kind::Object => {
            let parts = shape.properties.iter().map(|(name, part)| (name.clone(), some_value(part, message)));
            Value::Object(parts.collect())
        }
    }
}
