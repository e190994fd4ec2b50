//! A handoff as the person reads it before it goes on: in plain words, without the figures of the machine.

use super::{Decision, Handoff};

/// Below this a decision is shown as one that is not certain.
const CERTAIN: f64 = 0.7;

/// What goes on, section by section; those with nothing in them are left out.
pub fn preview(handoff: &Handoff) -> Vec<(&'static str, Vec<String>)> {
    let (actions, situation) = (&handoff.action_list, &handoff.situation_awareness);
    let eliminated = actions.options_eliminated.iter();
    let constraints = actions.constraints_identified.iter();
    let all = [
        ("Decided", actions.decisions_reached.iter().map(decided).collect::<Vec<_>>()),
        ("Out", eliminated.map(|item| with_more(&item.option, &item.reasons.join("; "))).collect()),
        ("Limits", constraints.map(|item| with_more(&item.constraint, &item.implication)).collect()),
        ("Taken for granted", actions.assumptions_carried_forward.iter().map(|item| item.assumption.clone()).collect()),
        ("Goals", situation.user_goals.clone()),
        ("What hurts", situation.key_pain_points.clone()),
        ("What there is already", handoff.accumulated_context.prior_experience.clone()),
        ("Not known yet", situation.knowledge_gaps_revealed.clone()),
        ("Asked and not answered", handoff.relational_state.open_questions.clone()),
        ("Be careful with", handoff.relational_state.sensitivities.clone()),
    ];
    all.into_iter().filter(|(_, items)| !items.is_empty()).collect()
}

fn decided(decision: &Decision) -> String {
    let said = with_more(&decision.decision, &decision.reasoning);
    if decision.confidence < CERTAIN { format!("{said} (not certain yet)") } else { said }
}

/// A text with what is added to it, where there is something.
fn with_more(text: &str, more: &str) -> String {
    if more.is_empty() { text.to_owned() } else { format!("{text}: {more}") }
}
