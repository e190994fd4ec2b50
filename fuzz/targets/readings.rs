//! What is read in a message by rules: acts, clauses, numbers, dates, lists, corrections; and what comes of it turn by turn.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| elenchus_fuzz::readings::try_input(text));
