//! Engine files: any bytes as one of the three files get an answer in words.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::engine_file::try_input(bytes));
