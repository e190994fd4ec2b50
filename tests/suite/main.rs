//! The integration tests, one binary so that they link once.

// Clippy knows test functions by their attribute, not the functions they share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// The app without a terminal: messages in, state and effects out.
mod app;
