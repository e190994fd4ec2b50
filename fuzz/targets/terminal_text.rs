//! Text on its way to a terminal: nothing steers it, nothing is too wide, nothing visible is lost.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::terminal_text::try_input(bytes));
