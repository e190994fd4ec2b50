//! What a person changes by hand, outside a turn: correct, clear, defer, move on.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Engine;
use super::budget::Cap;
use super::config::Obligation;
use super::extraction::{Change, ChangeKind, LogEntry, Merger};
use super::memory::{FieldState, Status, WorkingMemory};
use super::reading::{Mistyped, typed};
use super::transcript::Transcript;
use super::{completeness, obligations};

/// Why an edit is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    #[error("there is no such field")]
    NoField,
    /// The value does not fit the field.
    #[error("{0}")]
    Value(String),
    /// What was typed is nothing that the field can hold.
    #[error(transparent)]
    Mistyped(Mistyped),
    /// What was shown is no longer what is noted.
    #[error("something has changed since this was shown; look through it once more")]
    NotAsShown,
    /// There is nothing to forget.
    #[error("nothing is known of that field")]
    NothingKnown,
    #[error("there is no such obligation")]
    NoObligation,
    /// There is nothing to set aside.
    #[error("that is settled already")]
    Settled,
    #[error("there is no such phase")]
    NoPhase,
    /// There is nowhere to move to.
    #[error("the conversation is in that phase already")]
    SamePhase,
}

/// An edit, applied to a copy of the memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    pub memory: WorkingMemory,
    pub changes: Vec<Change>,
    pub log: Vec<LogEntry>,
}

impl Edited {
    /// The fields that are in doubt since, because something that they depend on has changed.
    pub fn doubted(&self) -> Vec<String> {
        let stale = self.changes.iter().filter(|change| change.kind == ChangeKind::Stale);
        stale.map(|change| change.path.clone()).collect()
    }
}

/// Sets a field to what the user says it is.
pub fn correct(engine: &Engine, memory: &WorkingMemory, path: &str, value: &Value) -> Result<Edited, EditError> {
    let field = engine.field(path).ok_or(EditError::NoField)?;
    let value = match value {
        Value::String(text) => typed(engine, memory, field, text).map_err(EditError::Mistyped)?,
        other => other.clone(),
    };
    edit_fields(engine, memory, |merger, memory| merger.correct(memory, path, &value).map_err(EditError::Value))
}

/// Whether the question on the table asks for a yes to everything.
pub fn asks_for_all(engine: &Engine, memory: &WorkingMemory) -> bool {
    let asked = memory.asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation));
    asked.filter_map(|path| engine.field(path)).any(|field| field.confirmation)
}

/// Takes the user's yes to everything that is noted. Only what was shown can be confirmed, and all of it.
pub fn confirm(engine: &Engine, memory: &WorkingMemory, shown: &[(String, Value)]) -> Result<Edited, EditError> {
    let noted = engine.definition().fields.iter().filter(|field| !field.confirmation).filter_map(|field| {
        let known = memory.extraction.get(&field.path)?;
        let value = match known.state {
            FieldState::Known => known.value.as_ref(),
            FieldState::Candidate | FieldState::Stale => known.doubted(),
            FieldState::Unknown | FieldState::Declined => None,
        };
        Some((field.path.as_str(), value?))
    });
    let noted: BTreeMap<&str, &Value> = noted.collect();
    let is_shown = |(path, value): &(String, Value)| noted.get(path.as_str()) == Some(&value);
    if shown.len() != noted.len() || !shown.iter().all(is_shown) {
        return Err(EditError::NotAsShown);
    }
    let yes_to_all = engine.definition().fields.iter().filter(|field| field.confirmation);
    edit_fields(engine, memory, |merger, memory| {
        for (path, _) in shown {
            merger.confirm_as_shown(memory, path);
        }
        { yes_to_all }
            .try_for_each(|field| {
                let known = memory.extraction.value(&field.path) == Some(&Value::Bool(true));
                if known { Ok(()) } else { merger.correct(memory, &field.path, &Value::Bool(true)) }
            })
            .map_err(EditError::Value)
    })
}

pub fn clear(engine: &Engine, memory: &WorkingMemory, path: &str) -> Result<Edited, EditError> {
    edit_fields(engine, memory, |merger, memory| {
        let known = memory.extraction.get(path).is_some_and(|field| field.value.is_some() || field.candidate.is_some());
        if !known {
            return Err(EditError::NothingKnown);
        }
        merger.clear(memory, path, "you cleared it yourself");
        Ok(())
    })
}

/// Sets an obligation aside: it is not asked again, and listed as open.
pub fn defer(engine: &Engine, memory: &WorkingMemory, id: &str, reason: &str) -> Result<Edited, EditError> {
    let mut memory = memory.clone();
    let state = memory.obligations.get_mut(id).ok_or(EditError::NoObligation)?;
    if state.status == Status::Satisfied {
        return Err(EditError::Settled);
    }
    state.status = Status::Deferred;
    state.deferred = Some(reason.to_owned());
    state.deferred_at = Some(memory.turn);
    Ok(measured(engine, memory, Vec::new()))
}

/// Why a question is not asked any more.
pub(crate) const WRAPPED_UP: &str = "left open when you wrapped up";

/// How many questions are still asked after wrapping up.
const LAST_QUESTIONS: usize = 5;

/// What wrapping up has come to, by the ids of obligations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrappedUp {
    /// What is still asked.
    pub left: Vec<String>,
    /// What is set aside.
    pub aside: Vec<String>,
}

/// Leaves all questions open but the most valuable ones: the one on the table, those without which the result is worth
/// little, then the weightiest. The yes to everything is asked for anyway, and of what is known in part the rest is left out.
pub fn wrap_up(engine: &Engine, memory: &WorkingMemory) -> (Edited, WrappedUp) {
    let definition = engine.definition();
    let mut memory = memory.clone();
    let is_open = |status: Status| matches!(status, Status::Pending | Status::Partial);
    let mut open: Vec<&Obligation> = definition
        .obligations
        .iter()
        .filter(|o| is_open(memory.obligations.status(&o.id)) && !obligations::is_confirmation(definition, o))
        .collect();
    let asked = |o: &Obligation| memory.asked.iter().any(|asked| asked.obligation == *o.id);
    let known = |o: &Obligation| o.satisfied_by.iter().any(|path| memory.extraction.is_known(path));
    let missing = |o: &Obligation| 1.0 - memory.obligations.get(&o.id).map_or(0.0, |state| state.confidence);
    let value = |o: &Obligation| *o.weight * missing(o);
    open.sort_by(|a, b| {
        let by_need = asked(b).cmp(&asked(a)).then(b.required.cmp(&a.required));
        by_need.then(value(b).total_cmp(&value(a)))
    });
    let ids = |all: &[&Obligation]| all.iter().map(|o| o.id.to_string()).collect::<Vec<_>>();
    let (left, rest) = open.split_at(open.len().min(LAST_QUESTIONS));
    let (part_known, aside): (Vec<&Obligation>, Vec<&Obligation>) = rest.iter().copied().partition(|o| known(o));
    let wrapped = WrappedUp { left: ids(left), aside: ids(&aside) };
    let turn = memory.turn;
    for obligation in aside.into_iter().chain(part_known) {
        if let Some(state) = memory.obligations.get_mut(&obligation.id) {
            state.status = Status::Deferred;
            (state.deferred, state.deferred_at) = (Some(WRAPPED_UP.to_owned()), Some(turn));
        }
    }
    (measured(engine, memory, Vec::new()), wrapped)
}

/// Moves to a phase because a person says so.
pub fn force_phase(engine: &Engine, memory: &WorkingMemory, target: &str) -> Result<Edited, EditError> {
    let phase = engine.phase(target).ok_or(EditError::NoPhase)?;
    if *memory.phase.current == *phase.id {
        return Err(EditError::SamePhase);
    }
    let mut memory = memory.clone();
    let (turn, completeness) = (memory.turn, memory.completeness.overall);
    memory.phase.move_to(target, turn, completeness, true);
    memory.by_hand += 1;
    Ok(Edited { memory, changes: Vec::new(), log: Vec::new() })
}

/// Raises a cap of the session because the user says so; caps of the day are not the session's.
pub fn raise_cap(memory: &WorkingMemory, cap: Cap, limit: f64) -> Edited {
    let mut memory = memory.clone();
    match cap {
        Cap::SessionUsd => memory.raised_caps.session_usd = Some(limit),
        Cap::SessionTokens => memory.raised_caps.session_tokens = Some(limit as u64),
        Cap::DayUsd | Cap::DayTokens => {}
    }
    Edited { memory, changes: Vec::new(), log: Vec::new() }
}

fn edit_fields(
    engine: &Engine,
    memory: &WorkingMemory,
    edit: impl FnOnce(&mut Merger<'_>, &mut WorkingMemory) -> Result<(), EditError>,
) -> Result<Edited, EditError> {
    let mut memory = memory.clone();
    let transcript = Transcript::default();
    let turn = memory.turn;
    let mut merger = Merger::new(engine, &transcript, "", turn);
    edit(&mut merger, &mut memory)?;
    Ok(measured(engine, memory, merger.changes))
}

/// Brings obligations and completeness up to date after an edit.
fn measured(engine: &Engine, mut memory: WorkingMemory, changes: Vec<Change>) -> Edited {
    memory.by_hand += 1;
    // The question on the table has not been answered in vain: it waits for its answer.
    let asked = memory.asked.iter().map(|asked| asked.obligation.clone());
    let counts = |id: &String| memory.obligations.get(id).is_some_and(|state| state.times_asked > 0);
    let waiting: Vec<String> = asked.filter(counts).collect();
    let count = |memory: &mut WorkingMemory, change: fn(u32) -> u32| {
        for id in &waiting {
            if let Some(state) = memory.obligations.get_mut(id) {
                state.times_asked = change(state.times_asked);
            }
        }
    };
    count(&mut memory, |times| times - 1);
    obligations::refresh(engine, &mut memory);
    count(&mut memory, |times| times + 1);
    (memory.completeness, _) = completeness::evaluate(engine, &memory);
    let log = changes.iter().map(|change| LogEntry::of(change, memory.turn)).collect();
    Edited { memory, changes, log }
}
