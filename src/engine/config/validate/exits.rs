//! Exit transitions and intents: targets that exist, handoffs with something in them.

use super::{Surroundings, unique};
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::Problems;

pub fn check(definition: &Definition, around: &Surroundings<'_>, problems: &mut Problems) {
    unique("exit transition", definition.exit_transitions.iter().map(|exit| &exit.id), problems);
    unique("intent", definition.intents.iter().map(|intent| &intent.id), problems);
    for exit in &definition.exit_transitions {
        let target = &exit.target;
        if *target == definition.id && !target.is_empty() {
            problems.error("self-transition", target.span.clone(), format!("`{target}` cannot hand over to itself"));
        } else if !target.is_empty() && !around.engines.iter().any(|engine| **engine == **target) {
            problems
                .error("bad-reference", target.span.clone(), format!("there is no engine `{target}`"))
                .suggest(target, around.engines.iter().map(String::as_str));
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
    for intent in definition.intents.iter().filter(|intent| !intent.id.is_empty()) {
        let asked = super::expressions::sources(definition).any(|expr| {
            let text = &expr.0.text;
            text.contains(&format!("'{}'", intent.id)) || text.contains(&format!("\"{}\"", intent.id))
        });
        if !asked {
            let message = format!("no expression asks for the intent `{}`", intent.id);
            problems.warning("unused", intent.id.span.clone(), message);
        }
    }
}
