//! Chooses the techniques of a turn. Cooldowns always hold.

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::engine::config::{Mode, Scheduler, Technique};
use crate::engine::memory::WorkingMemory;

/// Friction from which techniques that meet resistance come first.
const RESISTANCE: f64 = 0.4;

/// A technique and why it was or was not chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Considered {
    pub id: String,
    /// What spoke for it.
    pub score: f64,
    /// Turns until it may be used again.
    pub cooldown_left: u32,
    pub chosen: bool,
}

/// The techniques for this turn, and everything that was considered.
pub fn select<'a>(engine: &'a Engine, memory: &WorkingMemory) -> (Vec<&'a Technique>, Vec<Considered>) {
    let config = &engine.definition().techniques;
    let phase = engine.current_phase(memory);
    let allowed = engine.techniques().iter().filter(|technique| phase.techniques.contains(&technique.id));
    let mut considered: Vec<(Considered, &Technique)> = allowed
        .map(|technique| {
            let cooldown_left = memory.techniques.cooldown_left(&technique.id, technique.cooldown_turns, memory.turn);
            let score = score(engine, memory, technique);
            (Considered { id: technique.id.to_string(), score, cooldown_left, chosen: false }, technique)
        })
        .collect();
    considered.sort_by(|a, b| b.0.score.total_cmp(&a.0.score));
    let limit = match config.scheduler {
        Scheduler::RuleBased => config.max_active as usize,
        // The model picks; it is offered all that may be used.
        Scheduler::LlmDriven => usize::MAX,
    };
    let mut chosen = Vec::new();
    for (entry, technique) in considered.iter_mut().filter(|(entry, _)| entry.cooldown_left == 0).take(limit) {
        entry.chosen = true;
        chosen.push(*technique);
    }
    (chosen, considered.into_iter().map(|(entry, _)| entry).collect())
}

/// The deficit of the modes it serves, what it has brought before, and whether the user resists.
fn score(engine: &Engine, memory: &WorkingMemory, technique: &Technique) -> f64 {
    let target = engine.target_blend(memory);
    let deficit = |mode: &Mode| memory.modes.deficit(*mode, target) / 100.0;
    let needed = technique.applicable_modes.iter().map(deficit).fold(0.0, f64::max);
    let wanted =
        technique.applicable_modes.iter().map(|mode| f64::from(target.share(*mode)) / 100.0).fold(0.0, f64::max);
    let effect = memory.techniques.effects.get(technique.id.as_str()).map_or(0.5, |effect| effect.average);
    let eases = matches!(technique.school.as_str(), "motivational-interviewing" | "humint-rapport");
    let resistance = if memory.socio_emotional.friction >= RESISTANCE && eases { 1.0 } else { 0.0 };
    needed + 0.5 * wanted + 0.3 * effect + resistance
}
