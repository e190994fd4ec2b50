//! The building blocks of drawing.

mod markdown; // answers into rows, whole and while they are being written
mod theme; // looks: every scope, readable, fitted to the terminal
mod wrap; // text into rows
