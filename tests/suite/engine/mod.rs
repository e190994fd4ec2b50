//! The engine core, held to its rules: what it accepts, asks, decides, shows and keeps.

// What the tests below share: a small engine to bend, and short ways to hold a conversation with it.
pub mod support;

// Plain answers, and what becomes of the questions they answer.
mod answers;
// What may be used where in `src`.
mod architecture;
// Fields, and how a value gets in.
mod fields;
// Any sequence of answers of a model, valid or hostile, over any messages.
mod hostile;
// Obligations and the agenda.
mod obligations;
// The five engines in the binary, each held through thirty turns.
mod shipped;
