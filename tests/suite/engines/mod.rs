//! Engines as files: what designers are told when something is wrong with one, and what the commands print.

// Files that are small and ask for something immense.
mod bombs;
// Every fixture of a broken engine, with all that is said about it.
mod broken;
// The commands `elenchus engines …`, run as a person or a script runs them.
mod commands;
// Files that are made to hurt: they are refused, in words.
mod hostile;
// The JSON Schema that editors use agrees with what the loader takes.
mod schema;
// The engines in the binary: nothing is wrong with them.
mod shipped;
