//! The building blocks of drawing.

mod frame_export; // pictures of frames
mod layout_cache; // layouts made once and given up out of sight
mod markdown; // answers into rows, whole and while they are being written
pub mod theme; // looks: every scope, readable, fitted to the terminal
mod widgets; // small things in any area
mod wrap; // text into rows
