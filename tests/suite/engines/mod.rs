//! Engines as files: what designers are told when something is wrong with one.

// Every fixture of a broken engine, with all that is said about it.
mod broken;
// Files that are made to hurt: they are refused, soon, and in words.
mod hostile;
