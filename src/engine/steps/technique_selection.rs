//! Step 9: chooses techniques and draws up the agenda.

use super::qa_check::was_put_lately;
use crate::engine::config::Scheduler;
use crate::engine::obligations::{candidates, further_candidates};
use crate::engine::step::{Outcome, StepDetails, TechniqueDetails};
use crate::engine::strategy::technique_scheduler::select;
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let (mut chosen, considered) = select(turn.engine, &turn.memory);
    turn.candidates = candidates(turn.engine, &turn.memory, &turn.perhaps_said);
    // A small model asks what it is told to ask, in the same words: what was put lately comes later.
    if turn.small {
        let open = std::mem::take(&mut turn.candidates);
        let (lately, other): (Vec<_>, Vec<_>) = open.into_iter().partition(|item| was_put_lately(turn, item));
        turn.candidates = other.into_iter().chain(lately).collect();
    }
    // What is to be confirmed is asked as it stands: techniques are about asking for something new.
    if turn.candidates.first().is_some_and(|item| !item.to_confirm.is_empty()) {
        chosen.clear();
    }
    let ids: Vec<String> = chosen.iter().map(|technique| technique.id.to_string()).collect();
    let number = turn.memory.turn;
    let techniques = &mut turn.memory.techniques;
    techniques.active.clone_from(&ids);
    if turn.engine.definition().techniques.scheduler == Scheduler::RuleBased {
        // What the rules choose is used; what the model chooses is known only after it has spoken.
        for id in &ids {
            techniques.last_used.insert(id.clone(), number);
        }
    }
    turn.techniques = chosen;
    if turn.one_at_a_time {
        turn.candidates.truncate(1);
    }
    let most = turn.engine.definition().agenda.max_questions as usize;
    turn.agenda = turn.candidates.iter().take(most).cloned().collect();
    if !turn.one_at_a_time {
        let further = further_candidates(turn.engine, &turn.memory, &turn.candidates, &turn.perhaps_said);
        turn.candidates.extend(further);
    }
    let asks: Vec<&str> = turn.agenda.iter().map(|item| item.obligation.as_str()).collect();
    let text = format!("techniques: {}; agenda: {}", list(&ids), list(&asks));
    Outcome::with(text, StepDetails::Techniques(TechniqueDetails { considered, agenda: turn.agenda.clone() }))
}

fn list<T: AsRef<str>>(items: &[T]) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    items.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}
