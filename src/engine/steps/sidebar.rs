//! Step 16: draws the sidebar. It shows nothing that a later step decides: an exit that step 17 opens is not part of it.

use crate::engine::sidebar::build;
use crate::engine::step::Outcome;
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let drawn = build(turn.engine, &turn.memory, turn.input.cap_usd);
    turn.sidebar = drawn.state;
    for fault in drawn.faults {
        turn.warn(format!("An expression of the engine failed: {fault}"));
    }
    let visible = turn.sidebar.sections.iter().filter(|section| section.visible).count();
    Outcome::said(format!("{visible} sections"))
}
