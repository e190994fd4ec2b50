//! What a model says it found: repaired, brought into shape, proven, merged, kept, whatever it is.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| elenchus_fuzz::analysis::try_input(text));
