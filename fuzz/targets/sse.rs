//! Server-sent events: however the bytes are cut, the events are the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::sse::try_input(bytes));
