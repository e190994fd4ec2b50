//! Step 17: looks for a next step after this session. It is offered, never taken: the user decides.

use crate::engine::handoff::{build, validate};
use crate::engine::memory::ExitOffer;
use crate::engine::open_points::in_language;
use crate::engine::rule::Judge;
use crate::engine::step::{ExitDetails, Outcome, StepDetails};
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let evaluations: Vec<_> = {
        let judge = Judge::new(turn.engine, &turn.memory);
        turn.engine.definition().exit_transitions.iter().map(|exit| (exit, judge.evaluate(&exit.when))).collect()
    };
    let mut open = None;
    let mut looked_at = Vec::new();
    for (exit, evaluation) in evaluations {
        if let Some(fault) = &evaluation.fault {
            turn.warn(format!("An expression of the engine failed: exit `{}`: {fault}", exit.id));
        }
        let holds = evaluation.holds;
        let declined = turn.memory.declined_exits.contains_key(exit.id.as_str());
        looked_at.push(ExitDetails { exit: exit.id.to_string(), when: exit.when.words(), holds, declined });
        if holds && !declined && open.is_none() {
            open = Some(exit);
        }
    }
    let Some(exit) = open else {
        turn.memory.exit_offer = None;
        return Outcome::with("none open", StepDetails::Exits(looked_at));
    };
    let (handoff, faults) = build(turn.engine, &turn.memory, exit);
    for fault in faults {
        turn.warn(format!("A part of the handoff to {} stayed blank: {}", exit.to, fault.message));
    }
    let problems = validate(&handoff);
    let offered = turn.memory.exit_offer.as_ref().filter(|offer| *offer.exit_id == *exit.id);
    let since_turn = offered.map_or(turn.memory.turn, |offer| offer.since_turn);
    turn.memory.exit_offer = Some(ExitOffer {
        exit_id: exit.id.to_string(),
        target: exit.to.to_string(),
        label: in_language(turn.memory.language.current.as_deref(), &exit.name, &exit.name_in),
        since_turn,
        handoff,
        problems,
    });
    Outcome::with(format!("{} is open", exit.id), StepDetails::Exits(looked_at))
}
