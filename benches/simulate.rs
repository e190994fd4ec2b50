//! How fast conversations are simulated: a thousand sessions of twenty turns must take less than half a minute.

#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use elenchus::catalogue::Catalogue;
use elenchus::scenario::{self, Case, Simulated, Voice};

fn simulate(criterion: &mut Criterion) {
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    let mut group = criterion.benchmark_group("simulated sessions of 20 turns");
    group.sample_size(10);
    for id in catalogue.ids() {
        let engine = catalogue.load(&id).expect("it is in the binary").0.engine.expect("it has no errors");
        let files = catalogue.scenarios(&id).expect("it has scenarios");
        let (cases, _) = scenario::load(&files, &mut |_| Ok(engine.clone()));
        let Some(case) = cases.into_iter().find(|case| case.scenario.simulated.is_some()) else { continue };
        let mut changed = (*case.scenario).clone();
        changed.simulated = Some(Simulated { turns: 20, sessions: 10, seed: 1 });
        let case = Case { scenario: Arc::new(changed), ..case };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        group.bench_function(format!("10 of {id}"), |bench| {
            bench.iter(|| {
                let mut unwatched = |_: &_, _: &_| {};
                black_box(runtime.block_on(scenario::play(&case, &engine, &Voice::AsWritten, false, &mut unwatched)))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, simulate);
criterion_main!(benches);
