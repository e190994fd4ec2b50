//! Projects, sessions and the engines they are pinned to.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Artifact, ExtractionEntry, Filing, Handoff, MessageRecord, Shelf};
use crate::store::{Digest, HandoffId, ProjectId, SessionId, canonical};

/// The project of sessions that name none. They have nothing in common but that.
pub const DEFAULT_PROJECT: &str = "default";

/// Gathers the sessions and artifacts of one undertaking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    pub id: ProjectId,
    /// Its name, unique.
    pub name: String,
    pub created_at: Timestamp,
}

/// Is an engine as it was when a session was pinned to it. Found by the digest of its files, so a session goes on with
/// the very version it began with, whatever happens to the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedEngine {
    /// The digest of `files`, and of nothing else.
    pub hash: Digest,
    pub engine_id: String,
    pub version: String,
    /// Its files by name, with their text.
    pub files: BTreeMap<String, String>,
}

impl PinnedEngine {
    /// Pins files under their digest.
    pub fn new(engine_id: impl Into<String>, version: impl Into<String>, files: BTreeMap<String, String>) -> Self {
        Self { hash: canonical::digest(&files), engine_id: engine_id.into(), version: version.into(), files }
    }
}

/// Says where a title came from. A title of the user's is never replaced by one made from content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleSource {
    /// Nothing was said yet: the engine's name or the like.
    Default,
    /// Made from what was said.
    Content,
    /// Given by the user.
    User,
}

/// Names the session and turn that a fork began from. The session may be gone since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkPoint {
    pub session: SessionId,
    pub turn: u32,
}

/// Is what a session begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewSession {
    /// Its id, made by the caller ([`SessionId::new`]).
    pub id: SessionId,
    pub project_id: ProjectId,
    /// The engine, with its files.
    pub engine: PinnedEngine,
    /// A first title.
    pub title: String,
    pub title_source: TitleSource,
    /// The first phase.
    pub phase: String,
    /// The completeness before anything was said, 0 to 1.
    pub completeness: f64,
    /// The working memory at turn 0.
    pub state: Value,
    /// What is said before the first turn (the engine speaks first), at turn 0.
    pub messages: Vec<MessageRecord>,
    /// What is known before the first turn (from a handoff), at turn 0.
    pub extractions: Vec<ExtractionEntry>,
    /// The folder its engine was read from, if it was read from one: its programs are looked for there later on.
    pub engine_folder: Option<PathBuf>,
    /// What an earlier session hands over to it.
    pub inbound: Option<InboundHandoff>,
}

/// Is a handoff that a new session takes up. Kept in one transaction with that session, and linked both ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboundHandoff {
    /// The handoff. Its target is the new session, whatever it says.
    pub handoff: Handoff,
    /// The brief of the session it comes from, for the project.
    pub brief: Artifact,
}

/// Is a session as it stands, without its state and messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub id: SessionId,
    pub project_id: ProjectId,
    /// The id of the pinned engine.
    pub engine_id: String,
    /// The version of the pinned engine.
    pub engine_version: String,
    /// The digest of the pinned engine's files.
    pub engine_hash: Digest,
    pub title: String,
    pub title_source: TitleSource,
    pub created_at: Timestamp,
    /// When it last changed. Saving a draft does not count.
    pub updated_at: Timestamp,
    pub turn: u32,
    /// Changes with everything that changes the state: a turn, an amendment, a rewind, a migration. A writer hands back
    /// the revision it has seen; the turn alone would not do, because after a rewind the same turn comes again.
    pub revision: u64,
    pub phase: String,
    /// How complete the picture is, 0 to 1.
    pub completeness: f64,
    /// The handoff it started from.
    pub inbound_handoff_id: Option<HandoffId>,
    /// The latest handoff it produced.
    pub outbound_handoff_id: Option<HandoffId>,
    pub forked_from: Option<ForkPoint>,
    /// The folder its engine was read from, if it was read from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_folder: Option<PathBuf>,
    /// How the user keeps it.
    #[serde(default, skip_serializing_if = "Filing::is_plain")]
    pub filing: Filing,
}

/// Is what was written and is no part of the conversation yet. Never searched and never exported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    pub text: String,
    /// The turn in whose place it would be said.
    pub replaces: Option<u32>,
    /// Whether it was sent, and the program ended before the answer to it was kept.
    pub unanswered: bool,
}

impl Draft {
    /// Something that would be said in the place of a turn, or as the next one.
    pub fn new(text: impl Into<String>, replaces: Option<u32>) -> Self {
        Self { text: text.into(), replaces, unanswered: false }
    }

    /// What was sent, and came to nothing, before what has been written since.
    #[must_use]
    pub(crate) fn after(self, sent: Self) -> Self {
        if self.text.is_empty() || self.text == sent.text {
            return sent;
        }
        Self { text: format!("{}\n{}", sent.text, self.text), ..sent }
    }
}

impl From<&str> for Draft {
    fn from(text: &str) -> Self {
        Self::new(text, None)
    }
}

/// Chooses sessions for a list. Everything empty: all of them, the latest change first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFilter {
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only with this engine id.
    pub engine: Option<String>,
    /// Only with this in the title, in any case.
    pub text: Option<String>,
    /// Only under this tag.
    pub tag: Option<String>,
    /// Only of this part of the list; without one, the archive and the trash too.
    pub shelf: Option<Shelf>,
    /// At most so many.
    pub limit: Option<u32>,
    /// After so many.
    pub offset: u32,
}
