//! What a session must look like, worked out from its log alone.

use std::collections::BTreeMap;

use serde_json::Value;

use super::verify::Findings;
use crate::store::{Event, EventKind};

/// Is a commit as the log has it.
pub(super) struct Logged {
    pub(super) turn: u64,
    pub(super) rewound_by: Option<u64>,
    /// Whether it was erased after a rewind.
    pub(super) erased: bool,
    pub(super) payload: Value,
}

impl Logged {
    /// Returns a digest that the log gives for a part.
    pub(super) fn digest(&self, part: &str) -> Option<&str> {
        self.payload.get(part).and_then(Value::as_str)
    }
}

/// Is a session as its log has it.
#[derive(Default)]
pub(super) struct Replay {
    pub(super) commits: BTreeMap<u64, Logged>,
    pub(super) tip: u64,
    pub(super) revision: u64,
    pub(super) title: Option<String>,
    /// How it is kept, as the log has it.
    pub(super) filed: Value,
}

impl Replay {
    /// Goes through the log once.
    pub(super) fn of(log: &[Event], findings: &mut Findings<'_>) -> Self {
        let mut replay = Self::default();
        for event in log {
            if replay.step(event).is_none() {
                findings.add(Some(event.seq), "The event does not say what it should");
            }
        }
        replay
    }

    /// Takes in one event; none if it lacks something.
    fn step(&mut self, event: &Event) -> Option<()> {
        let number = |name: &str| event.payload.get(name).and_then(Value::as_u64);
        if let Some(title) = event.payload.get("title") {
            self.title = title.as_str().map(str::to_owned);
        }
        if let Some(filed) = event.payload.get("filed") {
            self.filed = filed.clone();
        }
        match event.kind {
            EventKind::Created | EventKind::Turn | EventKind::Amendment | EventKind::Migrated => {
                let payload = event.payload.clone();
                let logged = Logged { turn: number("turn")?, rewound_by: None, erased: false, payload };
                self.commits.insert(event.seq, logged);
                (self.tip, self.revision) = (event.seq, event.seq);
            }
            EventKind::Rewound => {
                let turn = number("turn")?;
                let later = |commit: &&mut Logged| commit.rewound_by.is_none() && commit.turn > turn;
                self.commits.values_mut().filter(later).for_each(|commit| commit.rewound_by = Some(event.seq));
                (self.tip, self.revision) = (number("tip")?, event.seq);
            }
            EventKind::RewindUndone => {
                let rewind = Some(number("rewind")?);
                let taken = |commit: &&mut Logged| commit.rewound_by == rewind;
                self.commits.values_mut().filter(taken).for_each(|commit| commit.rewound_by = None);
                (self.tip, self.revision) = (number("tip")?, event.seq);
            }
            EventKind::RewoundErased => {
                for seq in event.payload.get("commits")?.as_array()? {
                    let commit = self.commits.get_mut(&seq.as_u64()?)?;
                    commit.rewound_by?;
                    commit.erased = true;
                }
            }
            EventKind::Repaired => {
                for (seq, digest) in event.payload.get("budget")?.as_object()? {
                    let commit = self.commits.get_mut(&seq.parse().ok()?)?;
                    commit.payload["budget"] = digest.clone();
                }
            }
            EventKind::Renamed | EventKind::Filed | EventKind::HandoffLinked | EventKind::Keyed => {}
        }
        Some(())
    }
}
