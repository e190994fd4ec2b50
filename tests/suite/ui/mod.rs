//! The building blocks of drawing.

mod frame_export; // pictures of frames
mod layout_cache; // lists of messages that cost what is visible
mod markdown; // answers into rows, whole and while they are being written
mod theme; // looks: every scope, readable, fitted to the terminal
mod widgets; // small things in any area
mod wrap; // text into rows
