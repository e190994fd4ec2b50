//! Handoffs between the engines in the binary.

/// From exploration to project discovery by the real binary, with a model.
mod converse;
/// The ways between the shipped engines.
mod pairs;
/// Reviewing, editing, declining, accepting.
mod review;
