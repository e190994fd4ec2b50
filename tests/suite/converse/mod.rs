//! `elenchus converse` with the real program.

/// At the cap, near it, and called off: what was spent counts, and nothing is spent beyond.
mod cap;
/// With an endpoint: what is sent, what it costs, what happens when it fails.
mod endpoint;
/// Where a key may show up: it does not.
mod keys;
/// Interrupted and killed at any moment: what was printed is kept, what was not is not.
mod killed;
/// What is read and what is printed.
mod lines;
/// The shape of what a model is shown.
mod prompt;
/// Coming back to a session.
mod recap;
/// A model that looks something up while it answers.
mod tools;
/// Engines that are saved while they are talked to.
mod watch;

use serde_json::json;

/// What the analysis of the first message finds.
const SUMMARY: &str = "a booking app for our clinic";

/// An analysis as a model writes it.
fn analysis() -> String {
    json!({
        "fields": [{
            "path": "purpose_and_problem.summary",
            "value": SUMMARY,
            "confidence": 0.9,
            "quote": "a booking app for our clinic",
            "reasoning": "They say what they need.",
        }],
        "signals": { "trust": 0.5, "rapport": 0.5, "friction": 0.0, "techniques_used": [], "intents": [] },
    })
    .to_string()
}
