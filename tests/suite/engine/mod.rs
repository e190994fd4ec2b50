//! The engine core, held to its rules: what it accepts, asks, decides, shows and keeps.

// What the tests below share: a small engine to bend, and short ways to hold a conversation with it.
mod support;

// What may be used where in `src`.
mod architecture;
// The five engines in the binary, each held through thirty turns.
mod shipped;
