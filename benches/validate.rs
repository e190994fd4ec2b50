//! How long a designer waits for `engines validate`: reading, checking and compiling each engine in the binary.
#![allow(missing_docs, clippy::expect_used, reason = "the macros of the harness write functions without comments")]

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use elenchus::catalogue::Catalogue;

fn validate(criterion: &mut Criterion) {
    let catalogue = Catalogue::open(Path::new("no such folder")).expect("the engines in the binary can be read");
    let mut group = criterion.benchmark_group("validate");
    for id in catalogue.ids() {
        let (files, _) = catalogue.files(&id).expect("it was listed");
        group.bench_function(&id, |bencher| bencher.iter(|| catalogue.check(black_box(&files))));
    }
    group.finish();
}

criterion_group!(benches, validate);
criterion_main!(benches);
