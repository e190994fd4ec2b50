//! The working memory: all that the engine knows of one session, and nothing that grows with every word said.
//!
//! The words themselves live in the [`Transcript`](super::transcript::Transcript), which a turn only reads. A turn works
//! on a copy of this memory, so copying must stay cheap: what can grow is bounded or shared.

mod asides;
mod completeness;
mod context;
mod extraction;
mod handoff;
mod language;
mod lookups;
mod modes;
mod obligations;
mod phase;
mod saturation;
mod socio_emotional;
mod speakers;
mod tasks;
mod techniques;
mod usage;

pub use asides::{Aside, Asides, MAX_ASIDE, MAX_ASIDES};
pub use completeness::CompletenessState;
pub use context::{CompressionEvent, ContextState, Note, SectionUse, Summary, Told};
pub use extraction::{
    Candidate, Evidence, ExtractedField, Extraction, FieldSource, FieldState, MAX_SUPERSEDED, MAX_TURNS, Superseded,
};
pub use handoff::{ExitOffer, InboundHandoff};
pub use language::LanguageState;
pub use lookups::{Lookup, Lookups, MAX_LOOKUPS};
pub use modes::ModeState;
pub use obligations::{Asked, ObligationState, Obligations, Status};
pub use phase::{MAX_VISITS, PhaseState, PhaseVisit};
pub use saturation::{SaturationState, TurnNovelty};
pub use socio_emotional::{Movement, SocioEmotional};
pub use speakers::Speaker;
pub use tasks::{NO_MODEL, TaskRecord, TaskStatus, Tasks};
pub use techniques::{TechniqueEffect, TechniqueState};
pub use usage::UsageTotals;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::RaisedCaps;
use super::config::Definition;

/// The version of the stored form of the memory.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkingMemory {
    pub schema_version: u32,
    /// The engine that runs the session.
    pub engine_id: String,
    pub engine_version: String,
    /// The last turn that was completed; 0 before the first.
    pub turn: u32,
    /// How many changes by hand came after it: they go with it when it is taken back.
    #[serde(default, skip_serializing_if = "is_none")]
    pub by_hand: u32,
    /// What was learned, with proof.
    pub extraction: Extraction,
    pub phase: PhaseState,
    /// What it still has to bring out.
    pub obligations: Obligations,
    pub completeness: CompletenessState,
    /// How little is still new.
    pub saturation: SaturationState,
    pub socio_emotional: SocioEmotional,
    pub modes: ModeState,
    pub techniques: TechniqueState,
    pub background_tasks: Tasks,
    pub context: ContextState,
    /// When the user last showed an intent, by its name.
    pub intents: BTreeMap<String, u32>,
    /// What the last answer asked for.
    pub asked: Vec<Asked>,
    /// The turn whose message no analysis could be had of: it is looked at again with the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<u32>,
    #[serde(default)]
    pub language: LanguageState,
    /// What the model looked up for its answers.
    #[serde(default, skip_serializing_if = "Lookups::is_empty")]
    pub looked_up: Lookups,
    /// What was said beside the conversation. Nothing is concluded from it, and no model is shown it later.
    #[serde(default, skip_serializing_if = "Asides::is_empty")]
    pub asides: Asides,
    pub usage: UsageTotals,
    /// Caps that the user has raised for this session.
    #[serde(default, skip_serializing_if = "RaisedCaps::is_none")]
    pub raised_caps: RaisedCaps,
    /// Whether the user has been told that sensitive data was seen.
    pub sensitive_warned: bool,
    /// What an earlier session handed over.
    pub inbound_handoff: Option<InboundHandoff>,
    /// What is being offered as a next step.
    pub exit_offer: Option<ExitOffer>,
    /// Exits the user has passed over, with the turn; they are not offered again unless the user asks.
    #[serde(default)]
    pub declined_exits: BTreeMap<String, u32>,
    /// Whether the user wants to start afresh, without what the project knows already.
    #[serde(default)]
    pub without_project: bool,
    /// Who said what the user did not say themselves, by turn.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub speakers: BTreeMap<u32, Speaker>,
}

/// Parts of a memory as it is kept, for those who look into a session without opening it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct KeptParts {
    pub extraction: Extraction,
    pub asides: Asides,
}

impl KeptParts {
    /// Those of a memory as it is kept; `None` where they cannot be read.
    pub fn of(state: serde_json::Value) -> Option<Self> {
        serde_json::from_value(state).ok()
    }
}

impl WorkingMemory {
    /// The memory of a session that has just been opened.
    pub fn new(definition: &Definition) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            engine_id: definition.id.to_string(),
            engine_version: definition.version.value.clone(),
            turn: 0,
            by_hand: 0,
            extraction: Extraction::default(),
            phase: PhaseState::starting(&definition.initial_phase),
            obligations: Obligations::pending(definition),
            completeness: CompletenessState::default(),
            saturation: SaturationState::default(),
            socio_emotional: SocioEmotional::default(),
            modes: ModeState::default(),
            techniques: TechniqueState::default(),
            background_tasks: Tasks::default(),
            context: ContextState::default(),
            intents: BTreeMap::new(),
            asked: Vec::new(),
            unread: None,
            looked_up: Lookups::default(),
            asides: Asides::default(),
            language: LanguageState::default(),
            usage: UsageTotals::default(),
            raised_caps: RaisedCaps::default(),
            sensitive_warned: false,
            inbound_handoff: None,
            exit_offer: None,
            declined_exits: BTreeMap::new(),
            without_project: false,
            speakers: BTreeMap::new(),
        }
    }
}

/// Whether there is nothing to be counted.
// Serde hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(count: &u32) -> bool {
    *count == 0
}
