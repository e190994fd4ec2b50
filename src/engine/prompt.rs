//! The system prompt: rendered once, so that it is the same to the byte in every turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::Engine;
use super::brief::engine_name;
use super::config::Definition;
use super::expression::{Fault, MemoryView, Program, from_json};
use super::memory::WorkingMemory;

/// Fills in the system prompt of an engine.
pub fn render(program: &Program, definition: &Arc<Definition>, source: &str) -> Result<String, Fault> {
    let phases: Vec<_> = definition.phases.iter().map(|p| json!({ "id": p.id.as_str(), "name": p.name })).collect();
    let categories: Vec<_> =
        definition.categories.iter().map(|c| json!({ "id": c.id.as_str(), "name": c.name })).collect();
    let ratio = &definition.information_ratio;
    let mut names: BTreeMap<&'static str, _> = engine_name(definition, None);
    names.insert("phases", from_json(&json!(phases)));
    names.insert("categories", from_json(&json!(categories)));
    names.insert("information_ratio", from_json(&json!({ "user": ratio.user, "system": ratio.system })));
    names.insert("max_questions", from_json(&json!(definition.agenda.max_questions)));
    let view = MemoryView::with(definition, &WorkingMemory::new(definition), names);
    program.render(source, &view).map(|text| text.trim().to_owned())
}

/// Fills in the prompt of a background task's handler.
pub(crate) fn render_handler(engine: &Engine, memory: &WorkingMemory, source: &str) -> Result<String, Fault> {
    let view = MemoryView::with(engine.shared_definition(), memory, engine_name(engine.definition(), None));
    engine.program().render(source, &view)
}
