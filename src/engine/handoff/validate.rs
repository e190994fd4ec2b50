//! Whether a handoff is worth handing over.

use super::Handoff;

/// Everything that is wrong with a handoff; nothing, if it is valid.
pub fn validate(handoff: &Handoff) -> Vec<String> {
    let mut errors = Vec::new();
    let meta = &handoff.metadata;
    if meta.source_engine_id.is_empty() || meta.target_engine_id.is_empty() {
        errors.push("the source or the target engine is not named".to_owned());
    } else if meta.source_engine_id == meta.target_engine_id {
        errors.push(format!("{} cannot hand over to itself", meta.source_engine_id));
    }
    if meta.transition_reason.trim().is_empty() {
        errors.push("the reason of the transition is missing".to_owned());
    }
    for decision in &handoff.action_list.decisions_reached {
        if decision.decision.trim().is_empty() {
            errors.push("a decision has no text".to_owned());
        }
        if decision.reasoning.trim().chars().count() <= 20 {
            errors.push(format!("the reasoning of “{}” is too short to be one", decision.decision));
        }
        if !(0.0..=1.0).contains(&decision.confidence) {
            errors.push(format!("the confidence of “{}” is not between 0 and 1", decision.decision));
        }
    }
    word(&mut errors, "user_confidence_level", &handoff.situation_awareness.user_confidence_level, LEVELS);
    word(&mut errors, "trust_level", &handoff.relational_state.trust_level, LEVELS);
    word(&mut errors, "technical_level", &handoff.accumulated_context.technical_level, TECHNICAL);
    for concept in &handoff.accumulated_context.concepts_taught {
        word(&mut errors, "understanding_level", &concept.understanding_level, &["basic", "solid", "expert"]);
    }
    let substance = !handoff.action_list.decisions_reached.is_empty()
        || !handoff.action_list.constraints_identified.is_empty()
        || !handoff.situation_awareness.knowledge_gaps_revealed.is_empty();
    if !substance {
        errors.push("there is no decision, constraint or gap to hand over".to_owned());
    }
    errors
}

const LEVELS: &[&str] = &["low", "medium", "high"];
const TECHNICAL: &[&str] = &["beginner", "intermediate", "advanced", "expert"];

fn word(errors: &mut Vec<String>, name: &str, value: &str, allowed: &[&str]) {
    if !allowed.contains(&value) {
        errors.push(format!("{name} is “{value}”, not one of {}", allowed.join(", ")));
    }
}
