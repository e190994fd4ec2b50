//! Files on disk that need care: those whose names stand in a file of somebody else, those
//! that hold a user's words, and those that may be no files at all.

pub mod held;
pub mod inside;
pub mod lines;
pub mod plain;
pub mod private;
pub mod unlinked;
