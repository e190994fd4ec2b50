//! Builds a handoff from the expressions of an exit transition.

use minijinja::Value;
use serde::de::DeserializeOwned;

use super::{AccumulatedContext, ActionList, Handoff, Metadata, PhaseResult, RelationalState, SituationAwareness};
use crate::engine::Engine;
use crate::engine::config::{ExitTransition, Expr};
use crate::engine::expression::{Fault, MemoryView};
use crate::engine::memory::{Status, WorkingMemory};
use crate::engine::values::shaped_text;

/// Fills a handoff; what an expression could not fill stays blank and is told as a fault.
pub fn build(engine: &Engine, memory: &WorkingMemory, exit: &ExitTransition) -> (Handoff, Vec<Fault>) {
    let mut filler = Filler { engine, view: engine.view(memory), faults: Vec::new() };
    let map = &exit.map.value;
    let action_list = ActionList {
        decisions_reached: filler.fill(map.action_list.decisions_reached.as_ref()),
        options_eliminated: filler.fill(map.action_list.options_eliminated.as_ref()),
        constraints_identified: filler.fill(map.action_list.constraints_identified.as_ref()),
        assumptions_carried_forward: filler.fill(map.action_list.assumptions_carried_forward.as_ref()),
    };
    let situation_awareness = SituationAwareness {
        user_confidence_level: filler
            .word(map.situation_awareness.user_confidence_level.as_ref(), level(memory.completeness.overall)),
        knowledge_gaps_revealed: named(
            engine,
            memory,
            filler.fill(map.situation_awareness.knowledge_gaps_revealed.as_ref()),
        ),
        user_goals: filler.fill(map.situation_awareness.user_goals.as_ref()),
        key_pain_points: filler.fill(map.situation_awareness.key_pain_points.as_ref()),
    };
    let accumulated_context = AccumulatedContext {
        concepts_taught: filler.fill(map.accumulated_context.concepts_taught.as_ref()),
        prior_experience: filler.fill(map.accumulated_context.prior_experience.as_ref()),
        technical_level: filler.word(map.accumulated_context.technical_level.as_ref(), "intermediate"),
    };
    let relational_state = RelationalState {
        trust_level: filler.word(map.relational_state.trust_level.as_ref(), level(memory.socio_emotional.trust)),
        rapport: filler.word(map.relational_state.rapport.as_ref(), rapport(memory)),
        open_questions: filler.fill(map.relational_state.open_questions.as_ref()),
        sensitivities: filler.fill(map.relational_state.sensitivities.as_ref()),
    };
    let metadata = Metadata {
        source_engine_id: memory.engine_id.clone(),
        target_engine_id: exit.to.to_string(),
        turn_count: memory.turn,
        completeness_score: memory.completeness.overall,
        transition_reason: exit.reason.clone(),
        ..Metadata::default()
    };
    let phase_results = phase_results(engine, memory);
    let handoff =
        Handoff { metadata, phase_results, action_list, situation_awareness, accumulated_context, relational_state };
    (handoff, filler.faults)
}

struct Filler<'a> {
    engine: &'a Engine,
    view: MemoryView,
    faults: Vec<Fault>,
}

impl Filler<'_> {
    fn fill<T: DeserializeOwned + Default>(&mut self, expr: Option<&Expr>) -> T {
        expr.and_then(|expr| self.value(expr)).unwrap_or_default()
    }

    fn word(&mut self, expr: Option<&Expr>, otherwise: &str) -> String {
        expr.and_then(|expr| self.value(expr)).unwrap_or_else(|| otherwise.to_owned())
    }

    /// The value of one expression in its place of the handoff; the whole of it or nothing.
    fn value<T: DeserializeOwned>(&mut self, expr: &Expr) -> Option<T> {
        let outcome = self.engine.program().evaluate(&expr.0.text, &self.view).and_then(|value: Value| {
            serde_json::to_value(&value)
                .and_then(serde_json::from_value)
                .map_err(|error| Fault { message: format!("it has the wrong shape: {error}"), range: None })
        });
        match outcome {
            Ok(value) => Some(value),
            Err(mut fault) => {
                fault.message = format!("`{}`: {}", expr.0.text, fault.message);
                self.faults.push(fault);
                None
            }
        }
    }
}

/// Points that are open, by the names that they have in the language of the session.
fn named(engine: &Engine, memory: &WorkingMemory, gaps: Vec<String>) -> Vec<String> {
    let Some(language) = memory.language.current.as_deref() else { return gaps };
    let all = &engine.definition().obligations;
    let name = |gap: String| {
        let point = all.iter().find(|point| point.name == gap);
        point.and_then(|point| point.name_in.get(language)).map_or(gap, |name| name.value.clone())
    };
    gaps.into_iter().map(name).collect()
}

fn level(score: f64) -> &'static str {
    match score {
        s if s >= 0.7 => "high",
        s if s >= 0.4 => "medium",
        _ => "low",
    }
}

fn rapport(memory: &WorkingMemory) -> &'static str {
    let state = &memory.socio_emotional;
    match () {
        () if state.friction > 0.5 => "Reluctant at times; go gently",
        () if state.rapport >= 0.6 => "Open and engaged",
        () => "Businesslike",
    }
}

/// What each phase visited so far brought, the current one included; one that was visited again stands where it was last.
fn phase_results(engine: &Engine, memory: &WorkingMemory) -> Vec<PhaseResult> {
    let earlier = memory.phase.history.iter().map(|visit| (visit.phase_id.as_str(), visit.completeness));
    let now = std::iter::once((memory.phase.current.as_str(), memory.completeness.overall));
    let mut visits: Vec<(&str, f64)> = Vec::new();
    for visit in earlier.chain(now) {
        visits.retain(|(id, _)| *id != visit.0);
        visits.push(visit);
    }
    visits
        .into_iter()
        .filter_map(|(id, completeness)| {
            let phase = engine.phase(id)?;
            let own = engine.definition().obligations.iter().filter(|o| phase.covers.contains(&o.category));
            let (met, open): (Vec<_>, Vec<_>) =
                own.partition(|o| memory.obligations.status(&o.id) == Status::Satisfied);
            let outputs = met.iter().flat_map(|o| o.satisfied_by.iter()).filter_map(|path| {
                let value = memory.extraction.value(path)?;
                let field = engine.field(path)?;
                Some(format!("{}: {}", field.name, shaped_text(value, &field.shape)))
            });
            Some(PhaseResult {
                phase_name: phase.name.clone(),
                completion_percentage: (completeness * 100.0).round() as u32,
                key_outputs: outputs.collect::<Vec<_>>().join("; "),
                remaining_gaps: open.iter().map(|o| o.name.clone()).collect(),
            })
        })
        .collect()
}
