//! What an engine is: the thirteen surfaces of its files, read with their places and checked as a whole.

mod answering;
mod background_tasks;
mod completeness;
mod context;
mod definition;
mod exit_transitions;
mod expression;
mod fields;
mod graph;
pub mod handlers;
mod identity;
mod language;
mod load;
mod notes;
mod obligations;
mod phases;
mod rule;
mod schema;
mod sidebar;
mod techniques;
mod tools;
mod validate;

pub use answering::{Answering, Moves};
pub use background_tasks::{
    BackgroundTask, Degrade, FailureStrategy, LONGEST_TIMEOUT_SECONDS, MOST_RETRIES, ProceedWithGap, Retry,
    SHORTEST_DELAY_MS, Stall,
};
pub use completeness::{
    CategoryWeight, Completeness, CompletenessModel, CoverageModel, DecisionReadinessModel, Dimension,
    EstimabilityModel, EvaluatorWeight, Input, Level, MaturityModel, ObligationModel, ProfileModel, SaturationModel,
    Topic,
};
pub use context::{Allocation, Caps, CompressionStrategy, Context, ContextOrder};
pub use definition::{Definition, Qa};
pub use exit_transitions::{
    AccumulatedMap, ActionListMap, ExitTransition, HandoffMap, Intent, RelationalMap, SituationMap,
};
pub use expression::{Expr, Prose};
pub use fields::{Field, Kind, Measure, Merge, Part, Sayings, Shape};
pub(crate) use graph::{Edge, edges};
pub use graph::{mermaid, text as graph_text};
pub use handlers::Handler;
pub use identity::{EngineType, InformationRatio};
pub use language::{
    Act, ActRule, Corrections, Dates, Doing, Edits, Examples, Language, Lists, Numbers, Probes, Retold, Units, Verdicts,
};
pub use load::{EngineFiles, Library, Loaded, load, load_language, load_techniques};
pub use notes::Notes;
pub use obligations::{Agenda, Category, Doubt, Obligation, Probe, ProbeFor, StatusWord};
pub use phases::{Mode, ModeBlend, Phase, Transition, TriggerMode};
pub(crate) use rule::rules_mut;
pub use rule::{
    CompletenessScore, Custom, CustomEvaluator, LowConfidence, ObligationSatisfaction, ObligationStatus, Occasion,
    Rule, SessionTurnCount, TurnCount, rules,
};
pub use schema::json_schema;
pub use sidebar::{DynamicSection, PhaseIndicator, ProgressBar, Section, Sidebar};
pub(crate) use techniques::Scheduler;
pub use techniques::{Classifier, Modes, Technique, Techniques};
pub use tools::{Tool, Tools};
