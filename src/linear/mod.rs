//! The linear front end: labelled lines that are only appended. For screen readers, slow lines, logs and terminals that
//! cannot move a cursor.
//!
//! It stands on the host beside the app of panes. The same model takes in what the host tells and what the user does, so
//! that no command and no window can be missing here; what is said of it, and how it is answered, is this module's own: a
//! window is a heading, lines and numbered choices (`window.rs`, `windows/`), the conversation is told as it grows
//! (`conversation.rs`), and where it stands in words (`standing.rs`).
//!
//! **Invariant:** nothing that was told is taken back or drawn over, and nothing steers the terminal.

mod card;
mod changes;
mod conversation;
mod plain;
pub mod reader;
mod run;
mod standing;
mod teller;
mod told;
mod window;
mod windows;

pub use run::{Lines, LinesIn, hold};
pub use teller::Linear;
