//! The integration tests, one binary so that they link once.

// Clippy knows test functions by their attribute, not the functions they share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// The app without a terminal: messages in, state and effects out.
mod app;
/// The shape of the code itself: which module may use which, and how long files and functions get.
mod architecture;
/// `elenchus converse`, with the real program: lines, endpoints, kills.
mod converse;
/// The guides: the commands they show are run as they stand, and their links lead somewhere.
mod documents;
/// The engine core: every rule of a turn, driven through `run_turn` with a scripted outside.
mod engine;
/// Engines as files: what designers are told, what the commands print.
mod engines;
/// The fuzz targets: what they stand on, and what is kept for them.
mod fuzzing;
/// Handoffs: built, reviewed, accepted into a session that knows what was settled, and shown as a journey.
mod handoff;
/// The host and its protocol: several front ends on one session, over a pipe too.
mod host;
/// Words that would steer a terminal, from everywhere and through every command.
mod hostile_words;
/// The linear mode: everything the app can do, as lines.
mod linear;
/// Endpoints: streaming, failure, structured output, the budget, recordings, against a fake endpoint.
mod llm;
/// `elenchus mcp`, with the real program: raw messages over pipes, and the official SDK where it can be had.
mod mcp;
/// The offline interviewer: how it reads answers, and what comes of them.
mod offline;
/// What is handed out: the manifest, the changelog, the release.
mod packaging;
/// The pictures of the documents, made from a session that is held here.
mod pictures;
/// The real binary in a pseudo-terminal: what a user sees, waited for with a deadline.
#[cfg(unix)]
mod pty;
/// The designer's bench: scenarios, simulated users, coverage, mutants, replay.
mod scenarios;
/// `elenchus sessions` and `elenchus doctor`, with the real program.
mod sessions;
/// Settings: who wins, what is refused, and that keys stay where they belong.
mod settings;
/// What is kept: the conformance suite over the `Store` trait, and what only the embedded database must show.
mod store;
/// What several groups of tests share.
mod support;
/// Background tasks: every failure strategy on real programs and addresses, hostile programs, trust, and a kill.
mod tasks;
/// A few kills of everything that keeps words; the bench of that name runs many.
#[cfg(unix)]
mod trials;
/// The building blocks of drawing: text, themes, widgets, pictures of frames.
mod ui;
/// What is said to people: in which files it stands, and that every language has all of it.
mod words;
