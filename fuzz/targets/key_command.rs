//! What the command of a key prints.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::key_command::try_input(bytes));
