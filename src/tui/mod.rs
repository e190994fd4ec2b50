//! The terminal: the event loop, the screen, the keys, and the app as a front end of the host.

mod editor;
pub mod effects;
pub mod event_loop;
mod front_end;
pub mod keyboard;
pub(crate) mod outlet;
pub mod terminal;

pub use front_end::FrontEnd;
