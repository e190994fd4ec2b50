//! Elenchus holds structured conversations: an engine described in plain files asks, extracts with proof, and keeps
//! track of what is still open.

pub mod text;

pub mod decode;
pub mod engine;
pub mod words;

pub mod files;

pub mod catalogue;
pub mod llm;
pub mod sandbox;
pub mod settings;
pub mod store;

pub mod tasks;

pub mod host;

pub mod app;
pub mod ui;

pub mod scenario;
pub mod serve;
pub mod tui;

pub mod linear;

pub mod cli;
