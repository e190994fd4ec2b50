//! The terminal: the event loop, the screen, the keys, and the app as a front end of the host.

mod background;
pub(crate) mod clipboard;
mod desktop;
pub(crate) mod editor;
pub mod effects;
pub mod event_loop;
mod front_end;
mod keyboard;
mod notices;
pub(crate) mod outlet;
pub mod terminal;
pub(crate) mod terminal_input;
pub(crate) mod typed;
#[cfg_attr(not(unix), path = "typing_elsewhere.rs")]
pub(crate) mod typing;

pub use front_end::FrontEnd;
