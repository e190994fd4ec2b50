//! The event log of a session, and what checking it finds.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::{Digest, SessionId};

/// Says what happened to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// It began.
    Created,
    Turn,
    /// The state was changed between turns.
    Amendment,
    /// It went over to another engine version.
    Migrated,
    Rewound,
    RewindUndone,
    /// What had been taken back was erased.
    RewoundErased,
    /// The user gave it a title.
    Renamed,
    /// The user put it somewhere else: into the archive or the trash, out of them, under other tags.
    Filed,
    /// A handoff was linked to it.
    HandoffLinked,
    /// Costs that were out of bounds were brought within them.
    Repaired,
    /// From here on the log key seals every event, and with them all that came before.
    Keyed,
}

/// Is one entry of a session's log. Its hash covers all the other fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub session_id: SessionId,
    /// Its place in the log, from 1.
    pub seq: u64,
    pub kind: EventKind,
    pub at: Timestamp,
    /// Numbers and digests of what happened; no words.
    pub payload: Value,
    /// The hash of the event before.
    pub prev: Digest,
    pub hash: Digest,
    /// The hash, sealed with the log key where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mac: Option<Digest>,
}

/// Is one thing that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The session concerned, if it is one.
    pub session_id: Option<SessionId>,
    /// The event concerned, if it is one.
    pub seq: Option<u64>,
    /// What does not fit, in words.
    pub problem: String,
}

/// Is the result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How many sessions were checked.
    pub sessions: u64,
    pub events: u64,
    /// What the log key had to say.
    pub key: KeyCheck,
    /// Everything that does not fit.
    pub findings: Vec<Finding>,
}

/// Says whether the seals of the log key were checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum KeyCheck {
    /// Nothing is sealed with a key.
    #[default]
    Unused,
    /// These sessions are sealed with a key that was not handed over.
    NotHere { sessions: u64 },
    /// They were checked.
    Checked {
        sessions: u64,
        /// Of these, sessions that were begun before the key was there.
        begun_before: u64,
        /// Sessions that the key has not sealed.
        unsealed: u64,
    },
}

impl Report {
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}
