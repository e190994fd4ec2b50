//! Files on disk that need care: those whose names stand in a file of somebody else, and those that hold a user's words.

pub mod inside;
pub mod private;
