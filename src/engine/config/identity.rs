//! Surface 1, identity: what the engine is, and what a person gets from it.

use crate::decode::{table, words};

words! {
    /// Which way most of the information flows.
    EngineType called "an engine type" {
        /// The engine mostly finds out.
        ExtractDominant = "extract-dominant",
        /// The engine mostly explains.
        InformDominant = "inform-dominant",
    }
}

table! {
    /// Surface 7, the information ratio: how the talking is shared, in per cent.
    InformationRatio called "`information_ratio`" {
        /// Share of the talking that is the user's.
        required user: u32,
        /// Share of the talking that is the engine's.
        required system: u32,
    }
}
