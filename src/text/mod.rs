//! Text that comes from outside: what of it may reach a terminal, and how the rest is shown.
//!
//! PURE, and the lowest module: whatever draws, prints or reports stands on this one definition of safe text.

mod safe;

pub use safe::{
    Piece, coloured, deceives, is_safe, json_escaped, pieces, placed, printable, sanitise, sanitise_line, spelled_out,
};
