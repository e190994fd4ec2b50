//! The integration tests, one binary so that they link once.

// Clippy knows test functions by their attribute, not the functions they share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// Endpoints: streaming, failure, structured output, the budget, recordings, against a fake endpoint.
mod llm;
/// What several groups of tests share.
mod support;
