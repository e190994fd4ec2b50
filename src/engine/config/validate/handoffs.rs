//! Handoff maps: what each expression must give, tried on memories.

use minijinja::Value;
use minijinja::value::ValueKind;
use serde::de::DeserializeOwned;

use crate::engine::config::exit_transitions::HandoffMap;
use crate::engine::config::expression::Expr;
use crate::engine::handoff::{Assumption, Concept, Constraint, Decision, EliminatedOption};

/// What is wrong with a value in its place of a handoff.
pub type Judge = fn(&Value) -> Result<(), String>;

/// The expressions of a map, each with what its value must be.
pub(crate) fn expectations(map: &HandoffMap) -> impl Iterator<Item = (&Expr, Judge)> {
    let (actions, situation) = (&map.action_list, &map.situation_awareness);
    let (context, relation) = (&map.accumulated_context, &map.relational_state);
    let all: [(&Option<Expr>, Judge); 15] = [
        (&actions.decisions_reached, |v| shaped::<Vec<Decision>>(v, "a list of { decision, confidence, reasoning }")),
        (&actions.options_eliminated, |v| shaped::<Vec<EliminatedOption>>(v, "a list of { option, reasons }")),
        (&actions.constraints_identified, |v| shaped::<Vec<Constraint>>(v, "a list of { constraint, implication }")),
        (&actions.assumptions_carried_forward, |v| {
            shaped::<Vec<Assumption>>(v, "a list of { assumption, warrant_review }")
        }),
        (&situation.user_confidence_level, |v| word(v, &["low", "medium", "high"])),
        (&situation.knowledge_gaps_revealed, texts),
        (&situation.user_goals, texts),
        (&situation.key_pain_points, texts),
        (&context.concepts_taught, |v| shaped::<Vec<Concept>>(v, "a list of { concept, understanding_level }")),
        (&context.prior_experience, texts),
        (&context.technical_level, |v| word(v, &["beginner", "intermediate", "advanced", "expert"])),
        (&relation.trust_level, |v| word(v, &["low", "medium", "high"])),
        (&relation.rapport, |v| shaped::<String>(v, "a text")),
        (&relation.open_questions, texts),
        (&relation.sensitivities, texts),
    ];
    all.into_iter().filter_map(|(expr, judge)| Some((expr.as_ref()?, judge)))
}

fn texts(value: &Value) -> Result<(), String> {
    shaped::<Vec<String>>(value, "a list of texts")
}

fn shaped<T: DeserializeOwned>(value: &Value, expected: &str) -> Result<(), String> {
    let parsed = serde_json::to_value(value).and_then(serde_json::from_value::<T>);
    parsed.map(|_| ()).map_err(|error| match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => format!("it must give {expected}: {error}"),
        kind => format!("it must give {expected}, not {kind}"),
    })
}

fn word(value: &Value, words: &[&str]) -> Result<(), String> {
    match value.as_str() {
        Some(word) if words.contains(&word) => Ok(()),
        _ => Err(format!("it must give one of {}, not {value:?}", words.join(", "))),
    }
}
