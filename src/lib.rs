//! Elenchus holds structured conversations: an engine described in plain files asks, extracts with proof, and keeps
//! track of what is still open.

pub mod engine;

pub mod catalogue;

pub mod ui;

pub mod cli;
