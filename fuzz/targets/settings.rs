//! Settings, themes and keys: any text is read or refused in words.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::settings::try_input(bytes));
