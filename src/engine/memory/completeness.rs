//! How complete the picture is.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The last verdict of the completeness model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompletenessState {
    /// From 0 to 1.
    pub overall: f64,
    /// The same for each part of the model.
    pub by_category: IndexMap<String, f64>,
    /// Whether the threshold of the engine is reached.
    pub is_ready: bool,
    /// What is missing, in words.
    pub gaps: Vec<String>,
}
