//! Handoffs between engines: what one conversation passes on to the next, and whether it arrived.

mod build;
mod format;
mod preview;
mod receive;
mod validate;
mod verify;

pub use build::build;
pub use format::format_for_context;
pub use preview::{Part, preview};
pub use receive::{SUMMARY, receive, summary};
pub use validate::validate;
pub use verify::{Verification, critical_items, keywords, verify};

use serde::{Deserialize, Serialize};

/// Everything one session passes on to another: metadata and five sections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Handoff {
    pub metadata: Metadata,
    pub phase_results: Vec<PhaseResult>,
    pub action_list: ActionList,
    pub situation_awareness: SituationAwareness,
    pub accumulated_context: AccumulatedContext,
    pub relational_state: RelationalState,
}

/// Who hands over to whom, when and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The engine that hands over.
    pub source_engine_id: String,
    /// The engine that takes over.
    pub target_engine_id: String,
    /// In ISO 8601. The host fills it in: the engine has no clock.
    pub handoff_date: String,
    /// The session that hands over. The host fills it in: the engine does not know the ids of sessions.
    pub session_id: String,
    pub project_id: String,
    pub turn_count: u32,
    pub completeness_score: f64,
    /// Why the conversation moves on.
    pub transition_reason: String,
}

/// What a phase brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseResult {
    pub phase_name: String,
    /// Completeness when it was left, in per cent.
    pub completion_percentage: u32,
    /// What was learned in it.
    pub key_outputs: String,
    /// What of its obligations stayed open.
    pub remaining_gaps: Vec<String>,
}

/// What was decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActionList {
    pub decisions_reached: Vec<Decision>,
    /// Options that are out.
    pub options_eliminated: Vec<EliminatedOption>,
    /// Limits to be respected.
    pub constraints_identified: Vec<Constraint>,
    /// What was taken for granted.
    pub assumptions_carried_forward: Vec<Assumption>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    pub decision: String,
    /// How firmly, from 0 to 1.
    pub confidence: f64,
    pub reasoning: String,
}

/// An option that is out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EliminatedOption {
    pub option: String,
    /// Why it is out.
    pub reasons: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Constraint {
    pub constraint: String,
    pub implication: String,
}

/// Something taken for granted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Assumption {
    pub assumption: String,
    /// Whether it should be checked again.
    pub warrant_review: bool,
}

/// Where the user stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SituationAwareness {
    /// low, medium or high.
    pub user_confidence_level: String,
    /// What is still unknown.
    pub knowledge_gaps_revealed: Vec<String>,
    /// What the user wants.
    pub user_goals: Vec<String>,
    /// What hurts.
    pub key_pain_points: Vec<String>,
}

/// What the user knows by now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccumulatedContext {
    /// What was taught, and how well it sits.
    pub concepts_taught: Vec<Concept>,
    /// What the user brings along.
    pub prior_experience: Vec<String>,
    /// beginner, intermediate, advanced or expert.
    pub technical_level: String,
}

/// Something that was taught.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Concept {
    pub concept: String,
    /// basic, solid or expert.
    pub understanding_level: String,
}

/// How it was to talk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RelationalState {
    /// low, medium or high.
    pub trust_level: String,
    /// In a sentence.
    pub rapport: String,
    /// What the user asked and got no answer to.
    pub open_questions: Vec<String>,
    /// What to be careful with.
    pub sensitivities: Vec<String>,
}
