//! Background tasks: work that goes on while the conversation does.
//!
//! The engine decides which tasks to set off; a `Scheduler` per session carries them out. It waits for tasks that come
//! first, asks for the user's leave where an engine from outside would run a program or call an address, tries, and does
//! what the task's failure strategy says. Every change is kept before it is told, so that a task survives the process.
//!
//! **Invariant:** what a handler brings is data. It is cut, cleaned and brought into its declared shape before it
//! is used or shown, and it is never run, rendered as a template or followed.

mod account;
mod attempt;
mod board;
mod code;
pub mod event;
pub mod failure;
pub mod handler;
mod means;
pub mod pin;
pub mod result;
pub mod sanitise;
mod scheduler;
mod search;
pub mod trust;
mod workplace;

pub use account::{Account, ahead, apart, keep_with, spend};
pub use attempt::{Decided, decided};
pub use event::TaskEvent;
pub(crate) use failure::{GAP, GIVEN_UP, GOES_ON};
pub use means::Means;
pub(crate) use scheduler::Scheduler;
pub use scheduler::{TaskRefusal, decide};
pub(crate) use search::{Search, has_something};
pub use trust::{Act, Deed, Provenance, TrustRequest};
