//! The records that go in and come out: plain data, no behaviour beyond making themselves.

mod filing;
mod log;
mod origin;
mod session;
mod turn;
mod work;

pub use filing::{Filed, Filing, Refiling, Shelf, TRASH_DAYS, read_tags};
pub(crate) use filing::{tidy as tidy_tags, trash_keeps};
pub use log::{Event, EventKind, Finding, KeyCheck, Report};
pub use origin::ArtifactOrigin;
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
