//! The engine core, held to its rules: what it accepts, asks, decides, shows and keeps.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot be set up has failed")]
#![allow(clippy::float_cmp, reason = "scores are compared with what they are made of, to the last bit")]
#![allow(clippy::assigning_clones, reason = "literals in tests read better as assignments")]

// What the tests below share: a small engine to bend, and short ways to hold a conversation with it.
pub mod support;

// Plain answers, and what becomes of the questions they answer.
/// What can be chosen in answer to a question.
mod answer_cards;
mod answers;
// What may be used where in `src`.
// The seven completeness models.
mod completeness;
// What the model gets to see, and what is left out when there is too much.
mod context;
// The answer that is begun before the analysis is in.
mod early;
// Fields, and how a value gets in.
mod fields;
// The figures of a turn: kept, under way, and across a pipe.
mod figures;
// Exits, handoffs, and whether they arrive.
mod handoffs;
// Any sequence of answers of a model, valid or hostile, over any messages.
mod hostile;
// What is meant: what is left out, which choice holds, which kind a figure is of.
mod meanings;
// How the answers sound, and what leads back to the blend.
mod modes;
// Saturation, rapport, trust and friction.
mod mood;
// Obligations and the agenda.
mod obligations;
// Triggers, checkpoints, entry conditions, transitions.
mod phases;
// What an answer must not be.
mod qa;
// How questions are answered: directly, with other facts, in notes and lists.
mod answering;
// What rules alone make of a message.
mod reading;
// Every "when" of an engine: kinds, occasions, and the values they are decided on.
mod rules;
// The scenarios of the source document.
mod scenarios;
// The schema of an analysis within the limits of providers.
mod schema_limits;
// Sensitive data.
mod sensitive;
// The five engines in the binary, each held through thirty turns.
mod shipped;
// What the user sees beside the conversation.
mod sidebar;
// A small model: short prompts, and rules that help it to listen.
mod small_model;
// Background tasks, as far as a turn decides about them.
mod tasks;
// Which techniques are chosen, and which rest.
mod techniques;
// The nineteen steps, kept whole or not at all.
/// Tools that a model calls while it answers.
mod tools;
mod turn;
// What fits into the window of a model, and what gives way where not all does.
mod window;
