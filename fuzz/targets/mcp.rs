//! The server for agents: whatever comes in, what goes out is the protocol.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| elenchus_fuzz::mcp::try_input(bytes));
