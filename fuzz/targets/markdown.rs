//! Markdown, whole and as it is written: it fits, it is safe to draw, and what is finished does not move.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::markdown::try_input(bytes));
