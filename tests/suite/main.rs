//! The integration tests, one binary so that they link once.

// What is kept: the conformance suite over the `Store` trait, and what only the embedded database must show.
mod store;
