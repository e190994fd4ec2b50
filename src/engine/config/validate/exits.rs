//! Exit transitions and intents: targets that exist, handoffs with something in them.

use super::known::{NameList, Uses};
use super::{Surroundings, unique};
use crate::decode::Problems;
use crate::engine::config::definition::Definition;
use crate::engine::expression::references;

pub fn check(definition: &Definition, around: &Surroundings<'_>, problems: &mut Problems) {
    unique("exit transition", definition.exit_transitions.iter().map(|exit| &exit.id), problems);
    unique("intent", definition.intents.iter().map(|intent| &intent.id), problems);
    for exit in &definition.exit_transitions {
        let target = &exit.to;
        if *target == definition.id {
            problems.error("self-transition", target.span.clone(), format!("`{target}` cannot hand over to itself"));
        } else if !around.engines.iter().any(|engine| **engine == **target) {
            problems.error("bad-reference", target.span.clone(), format!("there is no engine `{target}`")).suggest(
                target,
                around.engines.iter().map(String::as_str).filter(|engine| *engine != definition.id.as_str()),
            );
        }
        let map = &exit.map;
        let substance = map.action_list.decisions_reached.is_some()
            || map.action_list.constraints_identified.is_some()
            || map.situation_awareness.knowledge_gaps_revealed.is_some();
        if !substance && !problems.within(&map.span) {
            problems
                .error("empty-handoff", map.span.clone(), "this handoff has no decision, constraint or gap in it")
                .help("map `action_list.decisions_reached`, `constraints_identified` or `knowledge_gaps_revealed`");
        }
    }
    intents(definition, problems);
}

/// Warns of intents that no expression asks for, neither by `intent('id')` nor among `intents`.
fn intents(definition: &Definition, problems: &mut Problems) {
    let known: NameList<'_> = definition.intents.iter().map(|intent| intent.id.as_str()).collect();
    let mut asked = Uses::default();
    for expr in super::expressions::sources(definition) {
        for reference in references(&expr.0.text, false) {
            match (&reference.argument, reference.root()) {
                (Some((id, _)), "intent") => asked.add(id, &known),
                (_, "intents") => asked.add_all(),
                _ => {}
            }
        }
    }
    for intent in definition.intents.iter().filter(|intent| !intent.id.is_empty() && !asked.has(&intent.id)) {
        let message = format!("no expression asks for the intent `{}`", intent.id);
        problems.warning("unused", intent.id.span.clone(), message);
    }
}
