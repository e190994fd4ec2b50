//! The steps of a turn, a file each. Where one needs the outside it prepares, calls the port, and applies what came.

pub mod background_tasks;
pub mod completeness;
pub mod compression_check;
pub mod context_assembly;
pub mod exit_transitions;
pub mod extraction;
pub mod mode_classification;
pub mod persist_state;
pub mod phase_transition_evaluation;
pub mod phase_transition_execution;
pub mod pre_processing;
pub mod qa_check;
pub mod response_generation;
pub mod saturation;
pub mod sidebar;
pub mod socio_emotional;
pub mod technique_selection;
pub mod telemetry;
pub mod tool_rounds;
