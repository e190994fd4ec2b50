//! Kills at random moments, over everything that keeps words: the ledger with its tasks and drafts, `converse`, the app in
//! a terminal, rewind, delete, backup and restore. After each kill nothing that was acknowledged, or typed longer than two
//! seconds before, may be lost, and the store must be sound. Storms of keys end no process, and lose nothing either. `cargo bench --bench trials` runs many, `cargo test` a few.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

pub mod app;
pub mod commands;
pub mod conversation;
pub mod ledger;
pub mod storm;
pub mod trial;
