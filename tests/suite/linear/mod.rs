//! The linear mode: everything the app can do, as lines that are only appended.

/// Whole sessions with the real program between two pipes.
mod sessions;
/// Every command and every window, driven line by line without a terminal.
mod windows;
