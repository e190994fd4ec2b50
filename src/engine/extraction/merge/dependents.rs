//! Which fields are in doubt when another changes.

use std::collections::BTreeSet;

use crate::engine::config::Definition;

/// The fields that depend on `path`, directly or through others.
pub fn dependents(definition: &Definition, path: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen = BTreeSet::from([path.to_owned()]);
    let mut open = vec![path.to_owned()];
    while let Some(current) = open.pop() {
        for field in definition.fields.iter().filter(|f| f.depends_on.iter().any(|on| **on == *current)) {
            if seen.insert(field.path.to_string()) {
                found.push(field.path.to_string());
                open.push(field.path.to_string());
            }
        }
    }
    found
}
