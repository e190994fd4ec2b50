//! Expressions and templates in the place where an engine has them.
#![no_main]

libfuzzer_sys::fuzz_target!(|source: &str| elenchus_fuzz::expression::try_input(source));
