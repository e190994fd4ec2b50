//! The records that go in and come out: plain data, no behaviour beyond making themselves.

mod log;
mod session;
mod turn;
mod work;

pub use log::{Event, EventKind, Finding, KeyCheck, Report};
pub use session::{
    DEFAULT_PROJECT, Draft, ForkPoint, InboundHandoff, NewSession, PinnedEngine, Project, SessionFilter, SessionRecord,
    TitleSource,
};
pub use turn::{
    Checkpoint, CommitKind, Committed, Course, ExtractionEntry, ExtractionKind, HandoffVerification, MessageRecord,
    Resumed, RewoundTurn, Role, TurnCommit,
};
pub use work::{
    Artifact, ArtifactHit, BudgetEntry, BudgetSum, Decision, Doubt, Erasure, Handoff, SearchHit, SearchQuery, TaskRow,
    Trust,
};
