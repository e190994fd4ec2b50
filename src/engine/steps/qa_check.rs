//! Step 13: checks the answer, sends it back once if need be, and notes what it asks and takes up.

use std::collections::BTreeSet;

use serde_json::json;

use super::response_generation;
use crate::engine::config::{Act, Doing, Mode, Obligation};
use crate::engine::context::AssembledContext;
use crate::engine::extraction::{Change, ChangeKind};
use crate::engine::figures::EarlyFigures;
use crate::engine::handoff::verify;
use crate::engine::memory::{Asked, InboundHandoff, Status};
use crate::engine::obligations::{AgendaItem, candidates, points_ahead, to_confirm};
use crate::engine::ports::{Ports, Revision, TurnEvent};
use crate::engine::qa::{
    Finding, FindingCode, Said, asks_something, check, leaks_note, questions, recognised, shared, shows, with_questions,
};
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::transcript::Role;
use crate::engine::turn::{Cut, Turn, TurnError};
use crate::engine::wording;
use crate::engine::words::{content_words, folded, has_phrase};

/// Turns for which items of a handoff that no answer took up are put before the model again.
const REMINDERS: u32 = 3;

pub async fn run(turn: &mut Turn<'_>, ports: &impl Ports) -> Result<Outcome, TurnError> {
    let first = findings(turn, &turn.answer);
    turn.figures.findings.clone_from(&first);
    let revised = !first.is_empty() && may_revise(turn) && revise(turn, ports, &first).await?;
    leave_out_questions(turn);
    if turn.answer.is_empty() && !turn.small {
        return Err(TurnError::EmptyAnswer);
    }
    let replaced = ask_plainly(turn);
    if turn.answer.is_empty() {
        return Err(TurnError::EmptyAnswer);
    }
    if replaced || revised {
        tell_of_early_answer(turn, &first);
    }
    if turn.cut != Cut::Whole && !replaced {
        turn.warn("The model's answer ends where its limit of tokens cut it, with the last whole sentence.");
    }
    let added = !replaced && go_on_asking(turn);
    note_questions(turn);
    acknowledge_handoff(turn);
    let codes: Vec<&str> = first.iter().map(|finding| finding.code.word()).collect();
    let codes = codes.join(", ");
    let mut text = match (first.is_empty(), replaced, revised) {
        (true, true, _) => "replaced by the question of the agenda: it was cut within its first sentence".to_owned(),
        (true, ..) => "passed".to_owned(),
        (false, true, _) => format!("replaced by the question of the agenda: {codes}"),
        (false, false, true) => format!("revised: {codes}"),
        (false, false, false) => format!("kept in spite of: {codes}"),
    };
    if added {
        text.push_str("; it asked nothing, so the first question of the agenda was added");
    }
    let asked: Vec<&str> = turn.memory.asked.iter().map(|asked| asked.obligation.as_str()).collect();
    let details = json!({ "found": first, "left": turn.figures.findings, "asked": asked });
    Ok(Outcome::with(text, StepDetails::Told(details)))
}

/// Has the trace say that an answer which was begun early is not the one that counts.
fn tell_of_early_answer(turn: &mut Turn<'_>, found: &[Finding]) {
    let Some(EarlyFigures::Kept { .. }) = &turn.figures.early else { return };
    let codes: Vec<&str> = found.iter().map(|finding| finding.code.word()).collect();
    let why = if codes.is_empty() { "it was cut within its first sentence".to_owned() } else { codes.join(", ") };
    turn.figures.early_became(EarlyFigures::Replaced { why });
}

/// Everything that is wrong with an answer, as the memory and the conversation stand now.
pub fn findings(turn: &Turn<'_>, answer: &str) -> Vec<Finding> {
    let note = turn.context.as_ref().map(AssembledContext::note).unwrap_or_default();
    let again = [Act::CounterQuestion, Act::Meta, Act::Objection].iter().any(|act| turn.heard.has(*act));
    // A writer that says what its answer asks for knows what was said: it says it again, asks again and shows lists only
    // on purpose.
    let knows = turn.asked.is_some();
    let (message, note) = if knows { ("", "") } else { (turn.message.as_str(), &*note) };
    let said = Said { message, transcript: turn.transcript, note, asks_back: knows || again };
    let mut findings = check(turn.engine, &turn.memory, &said, answer);
    findings.extend(asked_although_said(turn, answer));
    let on_purpose = [FindingCode::ReAsked, FindingCode::TooLong, FindingCode::OtherLanguage];
    findings.retain(|finding| !(knows && on_purpose.contains(&finding.code)));
    findings
}

/// Whether the message said something of a point that only needs to be confirmed, and that an answer does not show.
pub fn was_mentioned(turn: &Turn<'_>, obligation: &str, answer: &str) -> bool {
    let fields = turn.engine.fields_of(obligation);
    let is_doubted = |change: &&Change| change.kind == ChangeKind::Candidate && change.evidence.is_some();
    let mut doubted = turn.changes.iter().filter(is_doubted);
    doubted.any(|change| fields.contains(&change.path) && !shows(&change.value, answer))
}

/// How like the question of a point a question must be that asks for it.
const LIKE: f64 = 0.6;

/// Points that an answer asks for although the message has just said something of them, of whatever part they are.
fn asked_although_said(turn: &Turn<'_>, answer: &str) -> Option<Finding> {
    let points = turn.engine.definition().obligations.iter().filter(|o| was_mentioned(turn, &o.id, answer));
    let mut points = points.peekable();
    points.peek()?;
    let asked: Vec<BTreeSet<String>> = questions(answer).iter().map(|one| content_words(one).collect()).collect();
    let asks = |obligation: &&Obligation| {
        let own = turn.engine.question_words(&obligation.id);
        let name: BTreeSet<String> = content_words(&obligation.name).collect();
        asked.iter().any(|question| shared(own, question) >= LIKE || shared(&name, question) >= 1.0)
    };
    let label = &points.find(asks)?.name;
    let message = format!("Something was just said about “{label}”: give it back and ask whether that is right.");
    Some(Finding { code: FindingCode::ReAsked, message })
}

/// Puts the agenda's own question in the place of an answer that could not be mended; says whether it did. A writer that
/// says what its answer asks for has decided that itself.
fn ask_plainly(turn: &mut Turn<'_>) -> bool {
    let unfit = |finding: &Finding| finding.code.is_unfit() || (turn.small && finding.code.is_too_much());
    let unfit = turn.cut == Cut::Broken || turn.figures.findings.iter().any(unfit);
    let next = if unfit && turn.asked.is_none() { next_question(turn) } else { None };
    let Some((question, obligation)) = next else { return false };
    turn.answer = question;
    turn.asked = Some(vec![obligation]);
    turn.figures.findings.clear();
    true
}

/// The question to ask next where there is no answer, and the obligation that it is for: of what is open now, the first
/// that was not put lately. Where all were, one is put in other words, and at last the one that was put longest ago.
pub fn next_question(turn: &Turn<'_>) -> Option<(String, String)> {
    let mut open = candidates(turn.engine, &turn.memory, &BTreeSet::new());
    let ahead =
        if open.is_empty() { Vec::new() } else { points_ahead(turn.engine, &turn.memory, &open, &BTreeSet::new()) };
    open.extend(ahead);
    let plain = || open.iter().filter(|item| !is_answered(turn, item)).map(|item| (item, plainly(turn, item)));
    let other = || open.iter().filter_map(|item| Some((item, in_other_words(turn, item)?)));
    let rest = || open.iter().map(|item| (item, plainly(turn, item)));
    let mut ways = plain().chain(other()).chain(rest());
    let fit = ways.find(|(_, question)| is_fit(turn, question));
    let longest_ago = || {
        let asked = |item: &AgendaItem| turn.memory.obligations.get(&item.obligation)?.last_asked;
        let item = open.iter().min_by_key(|item| asked(item))?;
        let said = [Some(plainly(turn, item)), in_other_words(turn, item)];
        said.into_iter().flatten().min_by_key(|question| last_put(turn, question)).map(|question| (item, question))
    };
    let (item, question) = fit.or_else(longest_ago)?;
    Some((question, item.obligation.clone()))
}

/// So many answers back a question is not put in the same words.
const LATELY: usize = 6;

/// How recently a question was put in these words: the more, the more recently; 0 where it was not.
fn last_put(turn: &Turn<'_>, question: &str) -> usize {
    put_within(turn, question, FAR_BACK).map_or(0, |back| FAR_BACK - back)
}

/// So many answers back nobody remembers the words of a question.
const FAR_BACK: usize = 100;

/// How many answers ago a question was put in these words, among the last ones.
fn put_within(turn: &Turn<'_>, question: &str, last: usize) -> Option<usize> {
    let question = folded(question);
    let answers = turn.transcript.messages().iter().rev().filter(|message| message.role == Role::Assistant);
    answers.take(last).position(|said| has_phrase(&folded(&said.text), &question))
}

/// Whether the question of an item was put lately in the words of the engine.
pub fn was_put_lately(turn: &Turn<'_>, item: &AgendaItem) -> bool {
    put_within(turn, &plainly(turn, item), LATELY).is_some()
}

/// Whether what was just said is an answer to the question of an item.
fn is_answered(turn: &Turn<'_>, item: &AgendaItem) -> bool {
    was_asked(&turn.before.asked, &item.obligation) && turn.heard.tells()
}

/// Whether a question can be put as it is: it asks something, and it was not put lately.
fn is_fit(turn: &Turn<'_>, question: &str) -> bool {
    let lately = put_within(turn, question, LATELY).is_some();
    let again = || findings(turn, question).iter().any(|finding| finding.code.is_unfit());
    asks_something(question) && !lately && !again()
}

/// The question of an item after what it is about, where that is told.
fn in_other_words(turn: &Turn<'_>, item: &AgendaItem) -> Option<String> {
    let language = language(turn);
    let definition = turn.engine.obligation(&item.obligation)?;
    let own = || definition.meaning.clone().filter(|_| language == turn.engine.definition().language());
    let meaning = definition.meaning_in.get(language).map(|text| text.value.clone()).or_else(own)?;
    let lexicon = turn.engine.reader().lexicon(Some(language))?;
    let wording = lexicon.reply("again", turn.memory.turn).filter(|_| !meaning.trim().is_empty())?;
    Some(format!("{} {}", wording.replace("{meaning}", meaning.trim()), plainly(turn, item)))
}

/// The language of the conversation.
fn language<'t>(turn: &'t Turn<'_>) -> &'t str {
    turn.memory.language.current.as_deref().unwrap_or(&turn.heard.language)
}

/// The question of an item in the language of the conversation. What only needs to be confirmed is shown and asked for.
fn plainly(turn: &Turn<'_>, item: &AgendaItem) -> String {
    let (engine, memory, language) = (turn.engine, &turn.memory, language(turn));
    let shown = wording::confirmation(engine, memory, language, item);
    shown.unwrap_or_else(|| wording::question(engine, memory, language, item))
}

/// Whether an answer may be sent back. A small model seldom mends what it is told of, and the plain question is there at
/// once. Where an answer that was begun early was written anew already, a third would cost too much.
fn may_revise(turn: &Turn<'_>) -> bool {
    !turn.small && !matches!(turn.figures.early, Some(EarlyFigures::Discarded { .. }))
}

/// Leaves out the questions of an answer that are too many, where it is else fit to be shown: the first ones are asked.
fn leave_out_questions(turn: &mut Turn<'_>) {
    let found = &turn.figures.findings;
    let too_many = |finding: &Finding| finding.code == FindingCode::TooManyQuestions;
    let unfit = turn.small || turn.asked.is_some() || found.iter().any(|finding| finding.code.is_unfit());
    if unfit || !found.iter().any(too_many) {
        return;
    }
    let most = turn.engine.definition().agenda.max_questions as usize;
    let kept = with_questions(&turn.answer, most);
    if kept != turn.answer {
        turn.answer = kept;
        turn.figures.findings = findings(turn, &turn.answer);
    }
}

/// Has the answer written once more; says whether the second is the one that counts. A draft is better than no turn: when
/// the second cannot be had, the first is kept.
async fn revise(turn: &mut Turn<'_>, ports: &impl Ports, first: &[Finding]) -> Result<bool, TurnError> {
    ports.emit(TurnEvent::Revising(first));
    let draft = turn.answer.clone();
    let revision = Revision { draft: &draft, findings: first };
    let written = response_generation::write(turn, ports, Some(revision)).await;
    turn.account(ports);
    let reply = match written {
        Ok(reply) => reply,
        Err(error) if draft.is_empty() => return Err(error.into()),
        Err(error) => {
            turn.warn(format!("The answer could not be revised: {error}"));
            return Ok(false);
        }
    };
    let mut second = findings(turn, reply.text.trim());
    // What was wrong is told to the model alone.
    let told: Vec<&str> = first.iter().map(|finding| finding.message.as_str()).collect();
    if leaks_note(&told.join("\n"), &reply.text) {
        let message = "The answer repeats what it was told to do better.".to_owned();
        second.push(Finding { code: FindingCode::LeakedNote, message });
    }
    let better = !reply.text.trim().is_empty() && (second.len() < first.len() || draft.is_empty());
    if better {
        response_generation::accept(turn, reply);
        turn.figures.findings = second;
    } else {
        turn.spend(reply.call);
    }
    Ok(better)
}

/// An answer that asks nothing while there is something to ask leaves the user with nothing to say. The question is
/// known, so it costs no further call: it is added. Says whether it was.
fn go_on_asking(turn: &mut Turn<'_>) -> bool {
    // A writer that says what its answer asks for has decided that itself: nothing is added.
    if turn.asked.is_some() || turn.agenda.is_empty() {
        return false;
    }
    let blend = turn.engine.target_blend(&turn.memory);
    let is_for_asking = blend.share(Mode::Extract) + blend.share(Mode::Validate) > 0;
    if !is_for_asking || asks_something(&turn.answer) || wants_no_question(turn) {
        return false;
    }
    let Some((question, obligation)) = next_question(turn) else { return false };
    // What a small model says without a question is no answer that a question could follow.
    turn.answer = if turn.small { question } else { format!("{}\n\n{question}", turn.answer.trim_end()) };
    turn.asked = Some(vec![obligation]);
    true
}

/// So much resistance in a message is impatience.
const IMPATIENT: f64 = 0.6;

/// Whether nothing is to be asked now: the user wants to stop, to read, or has had enough, or the answer offers to stop.
fn wants_no_question(turn: &Turn<'_>) -> bool {
    let heard = &turn.heard;
    let impatient = turn.signals.friction.is_some_and(|friction| friction >= IMPATIENT);
    let lexicon = turn.engine.reader().lexicon(Some(language(turn)));
    let offered = lexicon.is_some_and(|lexicon| {
        let answer = folded(&turn.answer);
        lexicon.probes().stops.iter().any(|sign| has_phrase(&answer, &folded(sign)))
    });
    heard.wants_no_question() || impatient || heard.has(Act::Objection) || offered
}

/// Finds out which items of the agenda the answer asks for, so that the next message can be read as an answer.
fn note_questions(turn: &mut Turn<'_>) {
    let knows = turn.asked.is_some();
    let asked = turn.asked.take().unwrap_or_else(|| recognised(turn.engine, &turn.candidates, &turn.answer));
    let asks_back = turn.heard.has(Act::CounterQuestion) || turn.heard.has(Act::Meta);
    // Who puts something else right has not failed to answer either.
    let corrects = turn.heard.has(Act::Correction) && !turn.heard.has(Act::Answer);
    let again = corrects || asks_back && !turn.heard.tells() && turn.changes.is_empty();
    turn.memory.asked.clear();
    // Who goes back to an answer, or says that it is wrong, is asked for all of it and not for more.
    let goes_back = [Doing::Back, Doing::Wrong].iter().any(|doing| turn.heard.does.contains(doing));
    let together = asked.len() > 1 && knows;
    for obligation in asked {
        let definition = turn.engine.obligation(&obligation);
        let doubt = turn.candidates.iter().find(|item| item.obligation == obligation).and_then(|item| item.doubt);
        let offered = definition.map(|definition| to_confirm(turn.engine, &turn.memory, definition));
        // Only what the answer shows can be confirmed by a yes to it.
        let shown = offered.into_iter().flatten().filter(|(_, value)| knows || shows(value, &turn.answer));
        let to_confirm: Vec<String> = shown.map(|(path, _)| path).collect();
        let sure = knows || is_surely_asked(turn, &obligation, &to_confirm);
        let number = turn.memory.turn;
        if let Some(state) = turn.memory.obligations.get_mut(&obligation) {
            let settled = state.status == Status::Satisfied && !goes_back && to_confirm.is_empty();
            let follows_up = settled && doubt.is_none();
            state.doubts_asked.extend(doubt);
            state.probes += u32::from(follows_up);
            state.reviewed |= state.status == Status::Deferred;
            // A question that is only put again, after one of the user's own, was not asked in vain.
            let put_again = again && was_asked(&turn.before.asked, &obligation);
            state.times_asked += u32::from(!put_again);
            state.last_asked = Some(number);
            turn.memory.asked.push(Asked { obligation, to_confirm, follows_up, together, sure });
        }
    }
}

/// How like the question of a point the one question of an answer must be for it to be sure that it asks for that.
const SURELY: f64 = 0.75;

/// Whether a model's answer surely asks for a point and nothing else: it has one question, which shows what is to be
/// confirmed, or has nearly all the words of the engine's own. What a part is known of is asked for in other words.
fn is_surely_asked(turn: &Turn<'_>, obligation: &str, to_confirm: &[String]) -> bool {
    let [question] = &questions(&turn.answer)[..] else { return false };
    let memory = &turn.memory.extraction;
    if !to_confirm.is_empty() {
        let shown = |path: &String| {
            memory.get(path).and_then(|field| field.doubted()).is_some_and(|value| shows(value, question))
        };
        return to_confirm.iter().all(shown);
    }
    let Some(point) = turn.engine.obligation(obligation) else { return false };
    let own = point.question_in.get(language(turn)).map_or(point.question.as_str(), |text| text.value.as_str());
    let (own, asked) = (content_words(own).collect(), content_words(question).collect());
    let known = turn.engine.fields_of(obligation).iter().any(|path| memory.is_known(path));
    !known && shared(&own, &asked) >= SURELY
}

fn was_asked(before: &[Asked], obligation: &str) -> bool {
    before.iter().any(|asked| asked.obligation == obligation)
}

/// Verifies the first answer after a handoff; later ones may take up what it left.
fn acknowledge_handoff(turn: &mut Turn<'_>) {
    let Some(InboundHandoff { handoff, verification, unacknowledged, reminders_left, .. }) =
        &mut turn.memory.inbound_handoff
    else {
        return;
    };
    let result = verify(handoff, &turn.memory.engine_id, &turn.answer);
    if verification.is_none() {
        unacknowledged.clone_from(&result.missing);
        *reminders_left = REMINDERS;
        *verification = Some(result);
    } else if *reminders_left > 0 {
        unacknowledged.retain(|item| result.missing.contains(item));
        *reminders_left -= 1;
    }
}
