//! What an engine is: the thirteen surfaces of its files, read with their places and checked as a whole.

mod background_tasks;
mod completeness;
mod context;
mod definition;
mod exit_transitions;
mod expression;
mod fields;
mod graph;
mod identity;
mod load;
mod obligations;
mod phases;
mod schema;
mod sidebar;
mod techniques;
mod validate;

pub use background_tasks::{
    BackgroundTask, CommandHandler, CustomTrigger, Degrade, FailureStrategy, Handler, HttpHandler, LlmHandler,
    LowConfidence, ObligationStatusTrigger, ProceedWithGap, Retry, Stall, StatusWord, TaskTrigger,
};
pub use completeness::{
    CategoryWeight, Completeness, CompletenessModel, CoverageModel, DecisionReadinessModel, Dimension,
    EstimabilityModel, EvaluatorWeight, Input, Level, MaturityModel, ObligationModel, ProfileModel, SaturationModel,
    Topic,
};
pub use context::{Allocation, Caps, CompressionStrategy, Context};
pub use definition::{Definition, Qa};
pub use exit_transitions::{
    AccumulatedMap, ActionListMap, ExitTransition, HandoffMap, Intent, RelationalMap, SituationMap,
};
pub use expression::{Expr, Prose};
pub use fields::{Field, Kind, Merge, Shape};
pub use graph::{Edge, edges, mermaid, text as graph_text, words as condition_words};
pub use identity::{EngineType, InformationRatio};
pub use load::{EngineFiles, Loaded, load, load_techniques};
pub use obligations::{Agenda, Category, Obligation};
pub use phases::{
    CompletenessScore, Condition, CustomEvaluator, Mode, ModeBlend, ObligationSatisfaction, Phase, Transition,
    TriggerMode, TurnCount,
};
pub use schema::json_schema;
pub use sidebar::{
    DynamicSection, PhaseIndicator, ProgressBar, Section, Sidebar, Visibility, VisibleAfterTurns,
    VisibleFromCompleteness, VisibleFromSatisfaction,
};
pub use techniques::{Classifier, Modes, Scheduler, Technique, Techniques};
