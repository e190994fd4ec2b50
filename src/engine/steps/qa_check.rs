//! Step 13: checks the answer, sends it back once if need be, and notes what it asks and takes up.

use serde_json::json;

use super::response_generation;
use crate::engine::config::{Act, Doing, Mode};
use crate::engine::context::AssembledContext;
use crate::engine::handoff::verify;
use crate::engine::memory::{Asked, InboundHandoff, Status};
use crate::engine::obligations::{AgendaItem, to_confirm};
use crate::engine::ports::{Ports, Revision, TurnEvent};
use crate::engine::qa::{Finding, FindingCode, Said, asks_something, check, recognised, shows};
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::turn::{Turn, TurnError};
use crate::engine::values::brief_text;

/// How often a question is put again for a question of the user's own before that counts as asking.
const MAX_PUT_AGAIN: u32 = 4;
/// Turns for which items of a handoff that no answer took up are put before the model again.
const REMINDERS: u32 = 3;

pub async fn run(turn: &mut Turn<'_>, ports: &impl Ports) -> Result<Outcome, TurnError> {
    let first = findings(turn, &turn.answer);
    turn.figures.findings.clone_from(&first);
    // A small model seldom mends what it is told of, and the plain question is there at once.
    let hopeless = turn.small && first.iter().any(|finding| finding.code.is_unfit());
    let revised = !first.is_empty() && !hopeless && revise(turn, ports, &first).await?;
    if turn.answer.is_empty() {
        return Err(TurnError::EmptyAnswer);
    }
    let replaced = ask_plainly(turn);
    let added = !replaced && go_on_asking(turn);
    note_questions(turn);
    acknowledge_handoff(turn);
    let codes: Vec<&str> = first.iter().map(|finding| finding.code.word()).collect();
    let codes = codes.join(", ");
    let mut text = match (first.is_empty(), replaced, revised) {
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
    findings.retain(|finding| !(knows && matches!(finding.code, FindingCode::ReAsked | FindingCode::TooLong)));
    findings
}

/// Puts the agenda's own question in the place of an answer that could not be mended; says whether it did. A writer that
/// says what its answer asks for has decided that itself.
fn ask_plainly(turn: &mut Turn<'_>) -> bool {
    let unfit = turn.figures.findings.iter().any(|finding| finding.code.is_unfit());
    let last = turn.transcript.messages().last().map_or("", |message| &*message.text);
    let new = |item: &&AgendaItem| !last.contains(item.question.as_str());
    let item = turn.candidates.iter().find(new).or(turn.candidates.first());
    let Some(item) = item.filter(|_| unfit && turn.asked.is_none()) else { return false };
    let (question, obligation) = (plainly(turn, item), item.obligation.clone());
    turn.answer = question;
    turn.asked = Some(vec![obligation]);
    turn.figures.findings.clear();
    true
}

/// The question of an item in the language of the conversation. What only needs to be confirmed is shown and asked for.
fn plainly(turn: &Turn<'_>, item: &AgendaItem) -> String {
    let engine = turn.engine;
    let language = turn.memory.language.current.as_deref().unwrap_or(&turn.heard.language);
    let shown = item.to_confirm.first().and_then(|(path, value)| {
        let lexicon = engine.reader().lexicon(Some(language))?;
        let name = engine.field(path).map_or(path.as_str(), |field| field.name.as_str());
        let (value, name) = (lexicon.quoted(&brief_text(value)), lexicon.quoted(name));
        Some(lexicon.reply("confirm_candidate", turn.memory.turn)?.replace("{value}", &value).replace("{name}", &name))
    });
    let own = || engine.obligation(&item.obligation)?.question_in.get(language).map(|question| question.value.clone());
    shown.or_else(own).unwrap_or_else(|| item.question.clone())
}

/// Has the answer written once more; says whether the second is the one that counts. A draft is better than no turn: when
/// the second cannot be had, the first is kept.
async fn revise(turn: &mut Turn<'_>, ports: &impl Ports, first: &[Finding]) -> Result<bool, TurnError> {
    ports.emit(TurnEvent::Revising(first));
    let draft = turn.answer.clone();
    let revision = Revision { draft: &draft, findings: first };
    let reply = match response_generation::write(turn, ports, Some(revision)).await {
        Ok(reply) => reply,
        Err(error) if draft.is_empty() => return Err(error.into()),
        Err(error) => {
            turn.warn(format!("The answer could not be revised: {error}"));
            return Ok(false);
        }
    };
    turn.account(ports);
    let second = findings(turn, reply.text.trim());
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
    let Some(item) = turn.agenda.first().filter(|_| turn.asked.is_none()) else { return false };
    let blend = turn.engine.target_blend(&turn.memory);
    let is_for_asking = blend.share(Mode::Extract) + blend.share(Mode::Validate) > 0;
    if !is_for_asking || asks_something(&turn.answer) {
        return false;
    }
    turn.answer = format!("{}\n\n{}", turn.answer.trim_end(), plainly(turn, item));
    true
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
    let goes_back = turn.heard.does.contains(&Doing::Back);
    let together = asked.len() > 1 && knows;
    for obligation in asked {
        let definition = turn.engine.obligation(&obligation);
        let doubt = turn.candidates.iter().find(|item| item.obligation == obligation).and_then(|item| item.doubt);
        let offered = definition.map(|definition| to_confirm(turn.engine, &turn.memory, definition));
        // Only what the answer shows can be confirmed by a yes to it.
        let shown = offered.into_iter().flatten().filter(|(_, value)| knows || shows(value, &turn.answer));
        let to_confirm: Vec<String> = shown.map(|(path, _)| path).collect();
        let number = turn.memory.turn;
        if let Some(state) = turn.memory.obligations.get_mut(&obligation) {
            let settled = state.status == Status::Satisfied && !goes_back && to_confirm.is_empty();
            let follows_up = settled && doubt.is_none();
            state.doubts_asked.extend(doubt);
            state.probes += u32::from(follows_up);
            state.reviewed |= state.status == Status::Deferred;
            // A question that is only put again, after one of the user's own, was not asked in vain; not for ever, though.
            if again && state.put_again < MAX_PUT_AGAIN && was_asked(&turn.before.asked, &obligation) {
                state.put_again += 1;
            } else {
                state.times_asked += 1;
            }
            state.last_asked = Some(number);
            turn.memory.asked.push(Asked { obligation, to_confirm, follows_up, together });
        }
    }
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
