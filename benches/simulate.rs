//! How fast conversations are simulated: a thousand sessions of twenty turns must take less than half a minute.

#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use elenchus::catalogue::Catalogue;
use elenchus::engine::Engine;
use elenchus::scenario::{self, Case, Simulated, Voice};
use tokio::runtime::Runtime;

const SESSIONS: u32 = 10;

/// A scenario whose person holds sessions of twenty turns, and its engine.
fn simulated(catalogue: &Catalogue, id: &str, sessions: u32) -> Option<(Case, Arc<Engine>)> {
    let engine = catalogue.load(id).expect("it is in the binary").0.engine.expect("it has no errors");
    let files = catalogue.scenarios(id).expect("it has scenarios");
    let (cases, _) = scenario::load(&files, &mut |_| Ok(engine.clone()));
    let case = cases.into_iter().find(|case| case.scenario.simulated.is_some())?;
    let mut changed = (*case.scenario).clone();
    changed.simulated = Some(Simulated { turns: 20, sessions, seed: 1 });
    Some((Case { scenario: Arc::new(changed), ..case }, engine))
}

/// Plays the sessions; every turn of every one of them must have taken place, or the figure would flatter.
fn play(runtime: &Runtime, cases: &[(Case, Arc<Engine>)], sessions: u32) {
    let turns: u32 = cases
        .iter()
        .map(|(case, engine)| {
            let mut unwatched = |_: &_, _: &_| {};
            let played = runtime.block_on(scenario::play(case, engine, &Voice::AsWritten, false, &mut unwatched));
            black_box(played).turns
        })
        .sum();
    assert_eq!(turns, sessions * 20);
}

fn simulate(criterion: &mut Criterion) {
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let ids = catalogue.ids();
    let mut group = criterion.benchmark_group("simulated sessions of 20 turns");
    group.sample_size(10);
    // The figure that is asked for, 1,000 sessions, is a hundred times the time that is shown.
    group.throughput(Throughput::Elements(u64::from(SESSIONS)));
    for id in &ids {
        let cases: Vec<_> = simulated(&catalogue, id, SESSIONS).into_iter().collect();
        if !cases.is_empty() {
            group
                .bench_function(format!("{SESSIONS} of {id}"), |bench| bench.iter(|| play(&runtime, &cases, SESSIONS)));
        }
    }
    let each = SESSIONS / ids.len() as u32;
    let mixed: Vec<_> = ids.iter().filter_map(|id| simulated(&catalogue, id, each)).collect();
    let sessions = each * mixed.len() as u32;
    group.throughput(Throughput::Elements(u64::from(sessions)));
    group.bench_function(format!("{sessions} of all engines"), |bench| bench.iter(|| play(&runtime, &mixed, sessions)));
    group.finish();
}

criterion_group!(benches, simulate);
criterion_main!(benches);
