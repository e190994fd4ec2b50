//! An endpoint's answer from the socket to the reply: it ends, it is bounded, and the key is in none of it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::answer::try_input(bytes));
