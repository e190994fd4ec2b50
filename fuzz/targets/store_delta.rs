//! Deltas of states: what was left out comes back, and a patch from elsewhere is refused or applied, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| elenchus_fuzz::store_delta::try_input(text));
