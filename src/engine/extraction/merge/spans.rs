//! One span of a message proves one field, unless it says two things.

use serde_json::Value;

use super::Merger;
use crate::engine::config::Field;
use crate::engine::memory::Evidence;
use crate::engine::values::same;

impl Merger<'_> {
    /// Why a value does not count: the same words were taken as the value of another field.
    pub(super) fn is_taken(&mut self, field: &Field, value: &Value, evidence: Option<&Evidence>) -> Option<String> {
        let here = evidence.filter(|evidence| evidence.turn == self.turn)?;
        let own = |other: &(usize, usize, Value, String)| {
            let (start, end, text, path) = other;
            (*start, *end) == (here.start, here.end) && *path != *field.path && same(text, value)
        };
        let taken = self.spans.iter().find(|other| own(other)).map(|(.., path)| path.clone());
        if taken.is_none() {
            self.spans.push((here.start, here.end, value.clone(), field.path.to_string()));
        }
        let name = |path: &str| self.engine.field(path).map_or_else(|| path.to_owned(), |field| field.name.clone());
        taken.map(|path| format!("the same words were noted for “{}”", name(&path)))
    }
}
