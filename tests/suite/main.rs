//! The integration tests, one binary so that they link once.

// The engine core: every rule of a turn, driven through `run_turn` with a scripted outside.
mod engine;
