//! The handoff as the receiving model reads it, first thing in its context.

use std::fmt::Write as _;

use super::Handoff;

/// The handoff in plain text: what is settled first, the person last.
pub fn format_for_context(handoff: &Handoff) -> String {
    let mut out = String::new();
    let meta = &handoff.metadata;
    let _ = writeln!(out, "HANDED OVER FROM {} TO {}", meta.source_engine_id, meta.target_engine_id);
    let _ = writeln!(
        out,
        "After {} turns, completeness {:.2}. Reason: {}",
        meta.turn_count, meta.completeness_score, meta.transition_reason
    );
    out.push_str("Settled already; take it up in your first answer and do not ask for it again.\n");
    let actions = &handoff.action_list;
    list(&mut out, "Decided", &actions.decisions_reached, |d| {
        format!("{} (confidence {:.2}): {}", d.decision, d.confidence, d.reasoning)
    });
    list(&mut out, "Ruled out", &actions.options_eliminated, |o| match o.reasons.as_slice() {
        [] => o.option.clone(),
        reasons => format!("{}: {}", o.option, reasons.join("; ")),
    });
    list(&mut out, "Constraints", &actions.constraints_identified, |c| match c.implication.as_str() {
        "" => c.constraint.clone(),
        implication => format!("{}: {implication}", c.constraint),
    });
    list(&mut out, "Assumed", &actions.assumptions_carried_forward, |a| {
        format!("{}{}", a.assumption, if a.warrant_review { " (to be reviewed)" } else { "" })
    });
    let situation = &handoff.situation_awareness;
    list(&mut out, "Not known yet", &situation.knowledge_gaps_revealed, Clone::clone);
    list(&mut out, "Goals", &situation.user_goals, Clone::clone);
    list(&mut out, "Pain points", &situation.key_pain_points, Clone::clone);
    list(&mut out, "Already explained", &handoff.accumulated_context.concepts_taught, |c| {
        format!("{} ({})", c.concept, c.understanding_level)
    });
    list(&mut out, "Experience", &handoff.accumulated_context.prior_experience, Clone::clone);
    list(&mut out, "Asked and not answered", &handoff.relational_state.open_questions, Clone::clone);
    list(&mut out, "Be careful with", &handoff.relational_state.sensitivities, Clone::clone);
    person(&mut out, handoff);
    out
}

fn list<T>(out: &mut String, title: &str, items: &[T], line: impl Fn(&T) -> String) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "{title}:");
    for item in items {
        let _ = writeln!(out, "- {}", line(item));
    }
}

fn person(out: &mut String, handoff: &Handoff) {
    let parts = [
        ("confidence", &handoff.situation_awareness.user_confidence_level),
        ("technical level", &handoff.accumulated_context.technical_level),
        ("trust", &handoff.relational_state.trust_level),
        ("rapport", &handoff.relational_state.rapport),
    ];
    let known: Vec<String> =
        parts.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name} {value}")).collect();
    if !known.is_empty() {
        let _ = writeln!(out, "The person: {}.", known.join(", "));
    }
}
