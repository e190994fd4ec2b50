//! Scenario files and people: read, refused in words, never run.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::scenario_file::try_input(bytes));
