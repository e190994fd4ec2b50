//! The test bench: the scenarios of every engine in the binary, what they reach and notice, and the bench itself.

mod any_order;
mod bench;
mod frames;
mod models;
#[cfg(unix)]
mod paths;
mod sessions;
mod shipped;
