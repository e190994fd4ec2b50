//! Models: what answers for the engine, on an endpoint or without one.

pub mod offline;
