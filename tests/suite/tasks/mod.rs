//! Background tasks, with real programs and a real address on this machine.

/// Programs that mean no good.
mod hostile;
#[cfg(unix)]
mod inherited;
/// The process dies in the middle of a task.
mod killed;
/// What was agreed to is what runs.
mod pinned;
/// What a model brings, and what happens without one.
mod research;
/// What a program may reach, under every sandbox there is.
mod sandbox;
/// Signals to end take the programs of tasks with them.
mod signals;
/// What is kept in the store adds up to what the guard has counted.
mod spending;
/// Every failure strategy, with a failing program and a failing address.
mod strategies;
/// Engines with tasks, and hosts that do not wait.
pub mod support;
/// Nothing from outside runs before the user has seen it.
mod trust;
