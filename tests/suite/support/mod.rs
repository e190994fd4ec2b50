//! What several groups of tests share.

pub mod fake_endpoint;
pub mod program;
pub mod scripted;
