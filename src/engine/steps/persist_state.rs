//! Step 18: keeps the turn, in one transaction. Before this nothing has changed; after it nothing is lost.

use crate::engine::ports::{Ports, TurnToKeep};
use crate::engine::step::Outcome;
use crate::engine::turn::{Turn, TurnError};

pub async fn run(turn: &mut Turn<'_>, ports: &impl Ports) -> Result<Outcome, TurnError> {
    let (message, answer) = turn.messages();
    let commit = TurnToKeep {
        message: &message,
        answer: &answer,
        memory: &turn.memory,
        log: &turn.log,
        checkpoint: turn.checkpoint.as_ref(),
        orders: &turn.orders,
        figures: &turn.figures,
    };
    ports.persist(&commit).await?;
    turn.kept = Some((message, answer));
    Ok(Outcome::said("kept"))
}
