//! What it takes to read a message by rules alone: a sentence, and two thousand words. A turn of the offline interviewer
//! may take 20 ms, and reading must grow with the words and not faster.
#![allow(missing_docs, reason = "criterion's macros write functions without any")]
#![allow(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot be set up has failed")]

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use elenchus::catalogue::Catalogue;
use elenchus::engine::memory::{Asked, WorkingMemory};
use elenchus::engine::reading::read;

const SENTENCE: &str =
    "Right now they all call the office between 7:30 and 8, and half of them don't get through, so we lose 40 orders. ";

fn listen(criterion: &mut Criterion) {
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    let (loaded, _) = catalogue.load("project-discovery").expect("it is in the binary");
    let engine = loaded.engine.expect("it is sound");
    let mut memory = WorkingMemory::new(engine.definition());
    memory.asked = vec![Asked { obligation: "core_problem_stated".to_owned(), ..Asked::default() }];
    let mut group = criterion.benchmark_group("listen");
    for sentences in [1, 20, 100] {
        let message = SENTENCE.repeat(sentences);
        let words = message.split_whitespace().count();
        group.bench_with_input(BenchmarkId::from_parameter(words), &message, |bencher, message| {
            bencher.iter(|| read(&engine, &memory, black_box(message)));
        });
    }
    // Dictated, or a log: no comma parts it.
    let breathless = "and then the office calls them back but not before nine ".repeat(180);
    group.bench_with_input(BenchmarkId::from_parameter("without commas"), &breathless, |bencher, message| {
        bencher.iter(|| read(&engine, &memory, black_box(message)));
    });
    group.finish();
}

criterion_group!(benches, listen);
criterion_main!(benches);
