//! Briefs as pages and documents, and forms that somebody has filled in.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::documents::try_input(bytes));
