//! The store: one conformance suite for any database, then crashes, damage and deletion for the embedded one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

// The cases every database must pass, written once over the trait.
#[macro_use]
mod conformance;
// A clock that ticks, records with recognisable words.
mod fixture;

// Damage, foreign files, newer versions, full disks, forbidden folders.
mod adversity;
// Copies of everything, and the way back to them.
mod backups;
// Words that are no part of the conversation yet.
mod drafts;
// The suite over the embedded database.
mod embedded;
// Deleted words are in no file any more.
mod erasure;
// Seals that only the holder of a key can make.
mod log_key;
// Stores that may only be read.
mod read_only;
// The thread that owns the store: order, failures, shutdown.
mod ownership;
// Deltas of JSON documents, by property.
mod patches;
// Two processes, or two connections, on one database.
mod sharing;
// A database that grows with what is said and not with how long it has been going on.
mod growth;
// Changes after the fact are found.
mod tampering;
// What was thrown away, and databases from before that.
mod trash;
// Costs that no call can have had.
mod wild_costs;
