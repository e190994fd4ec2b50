//! Obligations at work: their status follows from the fields, and the open ones make the agenda of a turn.

use std::collections::BTreeSet;

use super::Engine;
use super::config::{Definition, Expr, Field, Kind, Obligation};
use super::expression::{Fault, MemoryView, fields_read};
use super::memory::{Extraction, FieldState, ObligationState, Status, WorkingMemory};

/// After this many questions without an answer an obligation is left alone.
pub(crate) const MAX_ASKED: u32 = 3;

/// Brings every obligation's status up to date with the fields; returns those whose status changed, and faults.
pub fn refresh(engine: &Engine, memory: &mut WorkingMemory) -> (Vec<(String, Status)>, Vec<Fault>) {
    let mut changed = Vec::new();
    let mut faults = Vec::new();
    let (conditional, plain): (Vec<&Obligation>, Vec<&Obligation>) =
        engine.definition().obligations.iter().partition(|obligation| obligation.when.is_some());
    for obligation in plain {
        changed.extend(settle(engine, obligation, None, memory, &mut faults));
    }
    if !conditional.is_empty() {
        // Conditions may ask for the status of obligations, and mean the one that follows from what was just said.
        let view = engine.view(memory);
        for obligation in conditional {
            let held = obligation.when.as_ref().map(|when| holds(engine, when, &view, &mut faults));
            changed.extend(settle(engine, obligation, held, memory, &mut faults));
        }
    }
    at_odds(engine, memory, &mut faults);
    (changed, faults)
}

/// Whether a condition holds. One that fails does not, and its fault is told.
fn holds(engine: &Engine, when: &Expr, view: &MemoryView, faults: &mut Vec<Fault>) -> bool {
    engine.program().holds(&when.0.text, view).unwrap_or_else(|fault| {
        faults.push(Fault { message: format!("`{}`: {}", when.0.text, fault.message), range: None });
        false
    })
}

/// Brings one obligation up to date; returns it if its status changed.
fn settle(
    engine: &Engine,
    obligation: &Obligation,
    held: Option<bool>,
    memory: &mut WorkingMemory,
    faults: &mut Vec<Fault>,
) -> Option<(String, Status)> {
    if held != Some(false) && engine.fields_of(&obligation.id).iter().any(|path| was_told(memory, path)) {
        // Only questions that stay without an answer wear the user out. What does not meet a condition is no answer to it.
        memory.obligations.get_mut(&obligation.id)?.times_asked = 0;
    }
    let (status, confidence, deferred) = judge(engine, obligation, held, memory, faults);
    let turn = memory.turn;
    let state = memory.obligations.get_mut(&obligation.id)?;
    let before = std::mem::replace(&mut state.status, status);
    state.confidence = confidence;
    if state.deferred != deferred {
        state.deferred_at = deferred.as_ref().map(|_| turn);
    }
    state.deferred = deferred;
    (before != status).then(|| (obligation.id.to_string(), status))
}

/// Whether the current turn brought an accepted value.
fn was_told(memory: &WorkingMemory, path: &str) -> bool {
    memory.extraction.is_known(path)
        && memory.extraction.get(path).is_some_and(|field| field.last_updated_at_turn == memory.turn)
}

fn judge(
    engine: &Engine,
    obligation: &Obligation,
    held: Option<bool>,
    memory: &WorkingMemory,
    faults: &mut Vec<Fault>,
) -> (Status, f64, Option<String>) {
    let previous = memory.obligations.get(&obligation.id).cloned().unwrap_or_default();
    let (status, confidence) = match held {
        Some(true) => (Status::Satisfied, 1.0),
        Some(false) => (Status::Pending, 0.0),
        None => from_fields(obligation, &memory.extraction),
    };
    if status == Status::Satisfied {
        return (status, confidence, None);
    }
    match reason_to_leave(engine, obligation, &previous, memory, faults) {
        Some(reason) => (Status::Deferred, confidence, Some(reason)),
        None => (status, confidence, None),
    }
}

/// All known: satisfied. Something known or guessed: partial. Confidence is the mean over the fields.
fn from_fields(obligation: &Obligation, extraction: &Extraction) -> (Status, f64) {
    let paths = &obligation.satisfied_by;
    let known = paths.iter().filter(|path| extraction.is_known(path)).count();
    let confidence = paths.iter().map(|path| extraction.confidence(path)).sum::<f64>() / paths.len().max(1) as f64;
    match known {
        known if known == paths.len() && known > 0 => (Status::Satisfied, confidence),
        _ if known > 0 || confidence > 0.0 => (Status::Partial, confidence),
        _ => (Status::Pending, 0.0),
    }
}

/// Why the user should not be asked about it again, if there is a reason.
fn reason_to_leave(
    engine: &Engine,
    obligation: &Obligation,
    previous: &ObligationState,
    memory: &WorkingMemory,
    faults: &mut Vec<Fault>,
) -> Option<String> {
    let fields = engine.fields_of(&obligation.id);
    let state = |wanted: FieldState| {
        fields.iter().any(|path| memory.extraction.get(path).is_some_and(|field| field.state == wanted))
    };
    if state(FieldState::Declined) {
        return Some("you would rather not say".to_owned());
    }
    if state(FieldState::Unknown) {
        return Some("not known yet".to_owned());
    }
    if let Some(reason) = previous.deferred.as_ref().filter(|_| previous.status == Status::Deferred) {
        // Deferred by hand, or for want of an answer: new information lifts it, silence does not.
        let since = previous.deferred_at.unwrap_or_default();
        let touched = fields.iter().filter_map(|path| memory.extraction.get(path));
        let lifted = touched.into_iter().any(|field| field.last_updated_at_turn > since);
        return (!lifted).then(|| reason.clone());
    }
    if obligation.unless.as_ref().is_some_and(|when| holds(engine, when, &engine.view(memory), faults)) {
        return Some("no longer needed".to_owned());
    }
    let offered = |path: &String| memory.extraction.get(path).is_some_and(|field| field.doubted().is_some());
    (previous.times_asked >= MAX_ASKED).then(|| {
        let answer = if fields.iter().any(offered) { "and not confirmed yet" } else { "without an answer" };
        format!("asked {MAX_ASKED} times {answer}")
    })
}

/// The share of a category's obligations that are satisfied. What was deferred is not counted: the user will
/// not be asked about it again, so waiting for it would hold the conversation up for good.
pub fn satisfaction_rate(definition: &Definition, memory: &WorkingMemory, category: &str) -> f64 {
    let own = definition.obligations.iter().filter(|o| *o.category == *category);
    let states: Vec<Status> = own.map(|o| memory.obligations.status(&o.id)).collect();
    let counted = states.iter().filter(|status| **status != Status::Deferred).count();
    let satisfied = states.iter().filter(|status| **status == Status::Satisfied).count();
    match (states.len(), counted) {
        (0, _) => 0.0,
        (_, 0) => 1.0,
        _ => satisfied as f64 / counted as f64,
    }
}

/// What the engine will ask next.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AgendaItem {
    pub obligation: String,
    pub label: String,
    /// How to ask for it plainly.
    pub question: String,
    pub description: String,
    /// Weight times what is missing in confidence.
    pub priority: f64,
    /// A value that was mentioned and only needs confirming, by field path.
    pub to_confirm: Vec<(String, serde_json::Value)>,
    pub times_asked: u32,
    /// The doubt that the question is about, by its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<usize>,
}

/// The open obligations of the current phase whose predecessors are settled, most pressing first. When the phase has
/// none left, those of phases already passed.
pub(crate) fn open_in_phase<'a>(definition: &'a Definition, memory: &WorkingMemory) -> Vec<&'a Obligation> {
    let Some(phase) = definition.phases.iter().find(|phase| *phase.id == *memory.phase.current) else {
        return Vec::new();
    };
    let own = ranked(definition, memory, |o| phase.covers.contains(&o.category));
    let (confirms, own): (Vec<_>, Vec<_>) = own.into_iter().partition(|o| is_confirmation(definition, o));
    if !own.is_empty() {
        return own.into_iter().chain(confirms).collect();
    }
    let passed: Vec<_> = definition.phases.iter().filter(|other| *other.order < *phase.order).collect();
    let left = ranked(definition, memory, |o| passed.iter().any(|other| other.covers.contains(&o.category)));
    let is_last = definition.phases.iter().all(|other| *other.order <= *phase.order);
    // What was left open before is asked before everything is confirmed.
    let open: Vec<_> = left.into_iter().chain(confirms).collect();
    if open.is_empty() && is_last { to_review(definition, memory) } else { open }
}

/// Whether an obligation asks for a yes to what was said, and for nothing else.
pub(crate) fn is_confirmation(definition: &Definition, obligation: &Obligation) -> bool {
    let Some(when) = &obligation.when else { return false };
    let read = fields_read(&when.0.text, definition);
    let boolean = |path: &String| {
        let field = definition.fields.iter().find(|field| *field.path == **path);
        field.is_some_and(|field| field.shape.r#type == Kind::Boolean)
    };
    obligation.shows.is_empty() && !read.is_empty() && read.iter().all(boolean)
}

fn ranked<'a>(
    definition: &'a Definition,
    memory: &WorkingMemory,
    belongs: impl Fn(&Obligation) -> bool,
) -> Vec<&'a Obligation> {
    let settled = |status: Status| matches!(status, Status::Satisfied | Status::Deferred);
    let put_off = |id: &str| memory.obligations.get(id).is_some_and(|state| state.parked_at.is_some());
    let mut open: Vec<&Obligation> = definition
        .obligations
        .iter()
        .filter(|o| belongs(o) && !settled(memory.obligations.status(&o.id)))
        // What waits for something that was put off does not wait any longer: else the same question would come again.
        .filter(|o| o.after.iter().all(|other| settled(memory.obligations.status(other)) || put_off(other)))
        .collect();
    // A stable sort: among equals the order of the engine file decides. What was put off comes last.
    let later = |o: &Obligation| put_off(&o.id);
    open.sort_by(|a, b| later(a).cmp(&later(b)).then(priority(b, memory).total_cmp(&priority(a, memory))));
    open
}

/// What the user did not know, put off, or was asked for in vain, and was not yet offered again: looked at once, at the end.
fn to_review<'a>(definition: &'a Definition, memory: &WorkingMemory) -> Vec<&'a Obligation> {
    let offered = |o: &&Obligation| {
        let state = memory.obligations.get(&o.id);
        let unknown = o
            .satisfied_by
            .iter()
            .any(|path| memory.extraction.get(path).is_some_and(|field| field.state == FieldState::Unknown));
        state.is_some_and(|state| {
            let left = state.times_asked >= MAX_ASKED || state.parked_at.is_some();
            // What nobody needs and was asked for twice has been asked for enough.
            let enough = !o.required && state.times_asked > 1;
            state.status == Status::Deferred && !state.reviewed && (unknown || left) && !enough
        })
    };
    definition.obligations.iter().filter(offered).collect()
}

fn priority(obligation: &Obligation, memory: &WorkingMemory) -> f64 {
    let state = memory.obligations.get(&obligation.id).cloned().unwrap_or_default();
    // What has just been asked waits a little, so that one hard question does not crowd out the others.
    let patience = 1.0 / f64::from(1 + state.times_asked);
    *obligation.weight * (1.0 - state.confidence) * patience
}

/// Obligations of which the user has just said something else than before: that is cleared up first.
fn contradicted<'a>(definition: &'a Definition, memory: &WorkingMemory) -> Option<&'a Obligation> {
    definition.obligations.iter().find(|o| {
        memory.obligations.status(&o.id) == Status::Satisfied
            && o.satisfied_by.iter().any(|path| {
                let field = memory.extraction.get(path).filter(|field| field.state == FieldState::Known);
                let other = field.and_then(|field| field.candidate.as_ref()).filter(|other| other.confidence > CLAIM);
                other.is_some_and(|other| other.turn == memory.turn || is_left_of_form(memory, &o.id, other.turn))
            })
    })
}

/// Whether somebody else has said otherwise on a form, and the user was not asked about it yet: what comes after an answer
/// of a form is the next answer of it.
fn is_left_of_form(memory: &WorkingMemory, obligation: &str, said: u32) -> bool {
    let asked = memory.obligations.get(obligation).and_then(|state| state.last_asked);
    let heard = |turn: u32| turn >= said && memory.speaker(turn + 1).is_none();
    memory.speaker(said).is_some() && !asked.is_some_and(heard)
}

/// A settled obligation whose answer does not go with something else that was said, and which of its doubts that is. Each
/// is asked about once.
fn at_odds<'e>(engine: &'e Engine, memory: &WorkingMemory, faults: &mut Vec<Fault>) -> Option<(&'e Obligation, usize)> {
    let open = |o: &&Obligation, place: usize| {
        let state = memory.obligations.get(&o.id);
        state.is_some_and(|state| state.status == Status::Satisfied && !state.doubts_asked.contains(&place))
    };
    let obligations = engine.definition().obligations.iter();
    let doubts = obligations.flat_map(|o| o.doubts.iter().enumerate().map(move |(place, doubt)| (o, place, doubt)));
    let mut doubts = doubts.filter(|(o, place, _)| open(o, *place)).peekable();
    doubts.peek()?;
    let view = engine.view(memory);
    doubts.find(|(.., doubt)| holds(engine, &doubt.when, &view, faults)).map(|(o, place, _)| (o, place))
}

/// What the user has just said to have answered: it is offered back, or asked for in other words, before anything else.
fn claimed<'a>(definition: &'a Definition, memory: &WorkingMemory) -> Option<&'a Obligation> {
    definition.obligations.iter().find(|o| {
        let state = memory.obligations.get(&o.id);
        state.is_some_and(|state| {
            let open = matches!(state.status, Status::Pending | Status::Partial);
            open && state.claimed_at == Some(memory.turn)
        })
    })
}

/// Below this a candidate is a model's guess and contradicts nothing.
const CLAIM: f64 = 0.55;

/// So many open points a model may choose from, where the engine asks no more questions than that.
const CANDIDATES: usize = 4;

/// So many there are at least, where the next part has more.
const FEWEST: usize = 3;

/// The open points of later parts, the next part first, as far as they can be asked for already.
fn ahead<'a>(definition: &'a Definition, memory: &WorkingMemory) -> Vec<&'a Obligation> {
    let phases = || definition.phases.iter();
    let Some(now) = phases().find(|phase| *phase.id == *memory.phase.current) else { return Vec::new() };
    let mut later: Vec<_> = phases().filter(|phase| *phase.order > *now.order).collect();
    later.sort_by_key(|phase| *phase.order);
    let mut found: Vec<&Obligation> = Vec::new();
    for phase in later {
        let own = |o: &Obligation| phase.covers.contains(&o.category) && !now.covers.contains(&o.category);
        let open = ranked(definition, memory, own).into_iter().filter(|o| !is_confirmation(definition, o));
        let new: Vec<&Obligation> = open.filter(|o| !found.iter().any(|other| other.id == o.id)).collect();
        found.extend(new);
    }
    found
}

/// The agenda of a turn: at most as many items as the engine asks questions.
pub fn agenda(engine: &Engine, memory: &WorkingMemory) -> Vec<AgendaItem> {
    let most = engine.definition().agenda.max_questions as usize;
    candidates(engine, memory, &BTreeSet::new()).into_iter().take(most).collect()
}

/// What may be asked next, the agenda first. `later` are points that are left out as long as there are others.
pub(crate) fn candidates(engine: &Engine, memory: &WorkingMemory, later: &BTreeSet<String>) -> Vec<AgendaItem> {
    let definition = engine.definition();
    // What fails there was told when the obligations were brought up to date.
    let doubted = at_odds(engine, memory, &mut Vec::new());
    let first = contradicted(definition, memory).or(doubted.map(|(obligation, _)| obligation));
    let first = first.or_else(|| claimed(definition, memory));
    let open = open_in_phase(definition, memory).into_iter().filter(|o| first.is_none_or(|first| first.id != o.id));
    let (put_off, now): (Vec<&Obligation>, Vec<&Obligation>) = open.partition(|o| later.contains(&*o.id));
    first
        .into_iter()
        .chain(if now.is_empty() { put_off } else { now })
        .take(CANDIDATES.max(definition.agenda.max_questions as usize))
        .map(|obligation| item(engine, memory, obligation, doubted))
        .collect()
}

/// What a model may choose from besides: a choice of one is none, so that points of the next part are shown as well, as
/// long as there is something to ask in this one.
pub(crate) fn further_candidates(
    engine: &Engine,
    memory: &WorkingMemory,
    own: &[AgendaItem],
    later: &BTreeSet<String>,
) -> Vec<AgendaItem> {
    let keeps_to_itself = engine.current_phase(memory).keeps_to_itself;
    if own.is_empty() || own.len() >= FEWEST || keeps_to_itself {
        return Vec::new();
    }
    let ahead = points_ahead(engine, memory, own, later);
    ahead.into_iter().take(FEWEST - own.len()).collect()
}

/// The open points of later parts that are not among these.
pub(crate) fn points_ahead(
    engine: &Engine,
    memory: &WorkingMemory,
    own: &[AgendaItem],
    later: &BTreeSet<String>,
) -> Vec<AgendaItem> {
    let shown = |o: &Obligation| own.iter().any(|item| item.obligation == *o.id);
    let next = ahead(engine.definition(), memory).into_iter().filter(|o| !later.contains(&*o.id) && !shown(o));
    next.map(|obligation| item(engine, memory, obligation, None)).collect()
}

fn item(
    engine: &Engine,
    memory: &WorkingMemory,
    obligation: &Obligation,
    doubted: Option<(&Obligation, usize)>,
) -> AgendaItem {
    let doubt = doubted.filter(|(doubted, _)| doubted.id == obligation.id).map(|(_, place)| place);
    let asked = doubt.and_then(|place| obligation.doubts.get(place)).map(|doubt| &doubt.question);
    AgendaItem {
        obligation: obligation.id.to_string(),
        label: obligation.name.clone(),
        question: asked.unwrap_or(&obligation.question).clone(),
        description: obligation.description.clone(),
        priority: priority(obligation, memory),
        to_confirm: to_confirm(engine, memory, obligation),
        times_asked: memory.obligations.get(&obligation.id).map_or(0, |state| state.times_asked),
        doubt,
    }
}

/// What was mentioned of an obligation and only needs confirming, by field path.
pub(crate) fn to_confirm(
    engine: &Engine,
    memory: &WorkingMemory,
    obligation: &Obligation,
) -> Vec<(String, serde_json::Value)> {
    let doubted = obligation.satisfied_by.iter().filter_map(|path| {
        // Whether "yes" to a doubted no means yes or no depends on how it was asked, so that is asked afresh.
        let boolean = |field: &Field| field.shape.r#type == Kind::Boolean;
        let field = memory.extraction.get(path).filter(|_| !engine.field(path).is_some_and(boolean))?;
        Some((path.to_string(), field.doubted()?.clone()))
    });
    doubted.collect()
}
