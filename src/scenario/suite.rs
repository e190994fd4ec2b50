//! Runs the scenarios of an engine, on the engine as it is and on engines with one fault each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::coverage::Coverage;
use super::declare::Model;
use super::load::Case;
use super::mutation::Mutant;
use super::run::{Played, Voice, play};
use crate::engine::Engine;

/// A scenario with everything that became of it.
#[derive(Clone, Debug)]
pub struct ScenarioRun {
    pub name: String,
    pub file: String,
    /// Each time it was played.
    pub runs: Vec<Played>,
    /// Why it was not played, if it was not.
    pub skipped: Option<String>,
    /// How long all that took.
    pub seconds: f64,
}

impl ScenarioRun {
    /// How often it passed.
    pub fn passes(&self) -> usize {
        self.runs.iter().filter(|played| played.passed()).count()
    }

    pub fn passed(&self) -> bool {
        self.skipped.is_some() || self.passes() == self.runs.len()
    }
}

/// An engine with everything its scenarios showed.
#[derive(Clone, Debug, Default)]
pub struct EngineRun {
    pub engine: String,
    pub scenarios: Vec<ScenarioRun>,
    /// What they reached.
    pub coverage: Option<Coverage>,
    /// Mutants, and whether a scenario noticed each.
    pub mutants: Option<Vec<(Mutant, bool)>>,
}

impl EngineRun {
    pub fn passed(&self) -> bool {
        self.scenarios.iter().all(ScenarioRun::passed)
    }

    /// Whether nothing was found wrong but that a model could not be reached.
    pub(crate) fn unreached(&self) -> bool {
        let mut failed = self.scenarios.iter().flat_map(|scenario| &scenario.runs).filter(|played| !played.passed());
        failed.all(|played| played.unreached && played.failures.is_empty())
    }

    /// The share of mutants that were noticed.
    pub fn score(&self) -> Option<f64> {
        let mutants = self.mutants.as_ref()?;
        let killed = mutants.iter().filter(|(_, killed)| *killed).count();
        Some(if mutants.is_empty() { 1.0 } else { killed as f64 / mutants.len() as f64 })
    }
}

/// Runs scenarios of one engine. `voice` says who answers in each, or why it cannot run.
pub async fn run_all(
    cases: &[Case],
    engine: &Arc<Engine>,
    runs: usize,
    voice: &mut dyn FnMut(&Case) -> Result<Voice, String>,
    mut coverage: Option<Coverage>,
) -> EngineRun {
    let mut scenarios = Vec::new();
    for case in cases {
        let started = Instant::now();
        let (name, file) = (case.scenario.name.clone(), case.source.name.clone());
        let mut run = ScenarioRun { name, file, runs: Vec::new(), skipped: None, seconds: 0.0 };
        match voice(case) {
            Err(why) => run.skipped = Some(why),
            Ok(voice) => {
                for _ in 0..runs.max(1) {
                    let mut watch = |before: &str, outcome: &_| {
                        if let Some(coverage) = &mut coverage {
                            coverage.observe(before, outcome);
                        }
                    };
                    run.runs.push(play(case, engine, &voice, false, &mut watch).await);
                }
            }
        }
        run.seconds = started.elapsed().as_secs_f64();
        scenarios.push(run);
    }
    EngineRun { engine: engine.definition().id.to_string(), scenarios, coverage, mutants: None }
}

/// Plays the scenarios on every mutant, on all cores; says which were noticed.
pub fn run_mutants(cases: &[Case], mutants: Vec<Mutant>) -> Vec<(Mutant, bool)> {
    let mut cases: Vec<&Case> =
        cases.iter().filter(|case| matches!(case.scenario.model, Model::Offline(_) | Model::Scripted(_))).collect();
    // The shortest first: most faults are noticed by a few dense turns, and one scenario that notices is enough.
    cases.sort_by_key(|case| length(case));
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let work = || {
        let mut killed = Vec::new();
        while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
            killed.push((mutant.name.clone(), mutant.line, cases.iter().any(|case| notices(case, mutant))));
        }
        killed
    };
    let verdicts: Vec<(String, usize, bool)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    });
    let noticed = |mutant: &Mutant| {
        verdicts.iter().any(|(name, line, killed)| *killed && *name == mutant.name && *line == mutant.line)
    };
    let told = |mutant: Mutant| {
        let killed = noticed(&mutant);
        (mutant, killed)
    };
    mutants.into_iter().map(told).collect()
}

/// The turns of a scenario, all sessions together.
fn length(case: &Case) -> u32 {
    let written: u32 = case.scenario.turns.iter().map(|turn| turn.times.max(1)).sum();
    case.scenario.simulated.as_ref().map_or(written, |simulated| simulated.turns * simulated.sessions)
}

/// Whether a scenario fails on an engine with a fault. Nothing here waits, so the future is done when it is asked.
fn notices(case: &Case, mutant: &Mutant) -> bool {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() else { return false };
    !runtime.block_on(play(case, &mutant.engine, &Voice::AsWritten, true, &mut |_, _| {})).passed()
}

/// The chance that `k` runs out of `runs`, of which `passes` passed, all pass: how far one can rely on it.
pub(crate) fn pass_hat(runs: usize, passes: usize, k: usize) -> f64 {
    if k > runs {
        return 0.0;
    }
    (0..k).map(|at| passes.saturating_sub(at) as f64 / (runs - at) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pass_hat_k_is_the_share_of_k_sized_draws_that_all_passed() {
        assert!((pass_hat(8, 8, 8) - 1.0).abs() < 1e-12);
        assert!((pass_hat(8, 6, 1) - 0.75).abs() < 1e-12);
        // 15 of 28 pairs.
        assert!((pass_hat(8, 6, 2) - 15.0 / 28.0).abs() < 1e-12);
        assert!(pass_hat(8, 6, 7).abs() < 1e-12);
    }
}
