//! The phases as a graph: who leads where, and why.

use std::fmt::Write as _;

use super::definition::Definition;
use super::phases::{Phase, TriggerMode};
use super::rule::Rule;
use crate::text::sanitise_line;

/// A way from one phase to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge<'a> {
    pub from: &'a Phase,
    pub to: &'a str,
    /// What makes it happen.
    pub triggers: Vec<&'a Rule>,
    /// How they combine.
    pub mode: TriggerMode,
    /// Whether it is the phase's way forward, rather than an explicit transition.
    pub forward: bool,
}

/// The phase that follows another on the default path.
pub(crate) fn next_of<'a>(definition: &'a Definition, phase: &'a Phase) -> Option<&'a str> {
    if let Some(next) = &phase.next {
        return Some(next);
    }
    definition.phases.iter().filter(|p| *p.order > *phase.order).min_by_key(|p| *p.order).map(|p| p.id.as_str())
}

/// All ways out of a phase in the order in which they are tried: explicit transitions, then the way forward.
pub(crate) fn edges<'a>(definition: &'a Definition, phase: &'a Phase) -> Vec<Edge<'a>> {
    let explicit = phase.transitions.iter().map(|transition| Edge {
        from: phase,
        to: &transition.to,
        triggers: transition.triggers.iter().map(|trigger| &trigger.value).collect(),
        mode: transition.trigger_mode,
        forward: false,
    });
    let forward = next_of(definition, phase).map(|next| Edge {
        from: phase,
        to: next,
        triggers: phase.triggers.iter().map(|trigger| &trigger.value).collect(),
        mode: phase.trigger_mode,
        forward: true,
    });
    explicit.chain(forward).collect()
}

fn label(edge: &Edge<'_>) -> String {
    let joint = match edge.mode {
        TriggerMode::Any => " or ",
        TriggerMode::All => " and ",
    };
    edge.triggers.iter().map(|rule| rule.words()).collect::<Vec<_>>().join(joint)
}

/// The graph for a terminal.
pub fn text(definition: &Definition) -> String {
    let mut out = format!("{} ({})\n", sanitise_line(&definition.name), definition.id);
    for phase in definition.phases.iter() {
        let start = if *phase.id == *definition.initial_phase { "  (start)" } else { "" };
        let _ = writeln!(out, "\n{}. {}  {}{start}", *phase.order, phase.id, sanitise_line(&phase.name));
        for condition in &phase.entry_conditions {
            let _ = writeln!(out, "   enter when  {}", condition.words());
        }
        for checkpoint in &phase.checkpoints {
            let _ = writeln!(out, "   checkpoint  {checkpoint}");
        }
        for edge in edges(definition, phase) {
            let arrow = if edge.forward { "→" } else { "↷" };
            let _ = writeln!(out, "   {arrow} {}  when {}", edge.to, label(&edge));
        }
    }
    for exit in &definition.exit_transitions {
        let _ = writeln!(out, "\n⇥ {}  when {}", exit.to, exit.when.words());
    }
    out
}

/// The graph for a Markdown page.
pub fn mermaid(definition: &Definition) -> String {
    let mut out = String::from("stateDiagram-v2\n");
    let _ = writeln!(out, "    [*] --> {}", definition.initial_phase);
    for phase in definition.phases.iter() {
        let _ = writeln!(out, "    state \"{}\" as {}", sanitise_line(&phase.name).replace('"', "'"), phase.id);
        for edge in edges(definition, phase) {
            let guards: Vec<String> = phase.checkpoints.iter().map(|id| format!("checkpoint {id}")).collect();
            let mut reason = label(&edge);
            if edge.forward && !guards.is_empty() {
                let _ = write!(reason, " [{}]", guards.join(", "));
            }
            let _ = writeln!(out, "    {} --> {} : {}", phase.id, edge.to, reason.replace(':', "∶"));
        }
    }
    let last = definition.phases.iter().max_by_key(|p| *p.order);
    for (exit, phase) in definition.exit_transitions.iter().filter_map(|exit| Some((exit, last?))) {
        let _ = writeln!(out, "    {} --> [*] : to {}", phase.id, exit.to);
    }
    out
}
