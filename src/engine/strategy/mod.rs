//! The pluggable strategies: how modes are told, techniques scheduled, histories compressed.

pub mod compression;
pub mod mode_classifier;
pub mod technique_scheduler;
