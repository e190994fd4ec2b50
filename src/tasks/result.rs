//! From what a handler brought to a result that can be relied on: clean, of the declared shape, kept with its source.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::failure::AttemptFailure;
use super::sanitise;
use crate::decode::Named;
use crate::engine::config::Shape;
use crate::engine::extraction::coerce;
use crate::engine::tokens;
use crate::engine::values::brief_text;
use crate::store::{Artifact, ArtifactId, ArtifactOrigin, ProjectId, TaskRow};

/// What a handler brought.
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerResult {
    pub value: Value,
    pub basis: Basis,
}

/// What a result rests on. What a model knows by itself is not what was looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// What a model has learned, by its name.
    GeneralKnowledge(String),
    /// What was found in these places of the project, and what a model made of it.
    LookedUp { places: Vec<String>, model: String },
    /// What an address answered.
    Address(String),
    /// What a program worked out.
    Program(String),
}

impl Basis {
    /// For people, and for the model that reads the result.
    pub fn in_words(&self) -> String {
        match self {
            Self::GeneralKnowledge(model) => format!("general knowledge of the model {model}, nothing was looked up"),
            Self::LookedUp { places, model } => {
                format!("looked up in {}; the rest is general knowledge of the model {model}", places.join(", "))
            }
            Self::Address(address) => format!("looked up at {address}"),
            Self::Program(program) => format!("from the program {program}"),
        }
    }
}

/// Brings what came into the declared shape; a list may be empty, but something must be there.
pub(crate) fn shaped(raw: &Value, output: &Named<Shape>) -> Result<Value, AttemptFailure> {
    let clean = sanitise::value(raw);
    if output.is_empty() {
        return match &clean {
            Value::Null => Err(AttemptFailure::failed("the result is empty")),
            _ => Ok(clean),
        };
    }
    let Value::Object(given) = &clean else {
        return Err(AttemptFailure::failed("the result is not a record of the declared shape"));
    };
    let mut parts = Map::new();
    let mut wrong = Vec::new();
    for (name, shape) in output {
        match given.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) if items.is_empty() => {
                parts.insert(name.clone(), json!([]));
            }
            Some(value) => match coerce(value, &shape.value) {
                Ok(good) => {
                    parts.insert(name.clone(), good);
                }
                Err(why) => wrong.push(format!("`{name}`: {why}")),
            },
        }
    }
    match (parts.is_empty(), wrong.is_empty()) {
        (false, _) => Ok(Value::Object(parts)),
        (true, true) => Err(AttemptFailure::failed("the result has none of the declared parts")),
        (true, false) => Err(AttemptFailure::failed(format!("the result has the wrong shape: {}", wrong.join("; ")))),
    }
}

/// The result as an artifact of the project. Its id is that of the task, so that a task that runs again replaces it.
pub fn artifact(row: &TaskRow, project: ProjectId, found: &HandlerResult, now: Timestamp) -> Artifact {
    let content = readable(&found.value);
    let origin = ArtifactOrigin {
        source: Some(found.basis.in_words()),
        task: Some(row.record.id.clone()),
        turn: Some(row.record.since_turn),
        result: Some(found.value.clone()),
        ..ArtifactOrigin::default()
    };
    Artifact {
        id: ArtifactId(row.id.0),
        project_id: project,
        session_id: Some(row.session_id),
        kind: "research".to_owned(),
        title: row.record.name.clone(),
        tokens: tokens::estimate(&content),
        content,
        meta: origin.meta(),
        created_at: now,
    }
}

/// A result for people: a paragraph per part.
fn readable(value: &Value) -> String {
    let Value::Object(parts) = value else { return brief_text(value) };
    let mut out = Vec::new();
    for (name, part) in parts {
        match part {
            Value::Array(items) => {
                out.push(format!("{}:", name.replace('_', " ")));
                out.extend(items.iter().map(|item| format!("- {}", brief_text(item))));
            }
            other => out.push(format!("{}: {}", name.replace('_', " "), brief_text(other))),
        }
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Spanned;
    use crate::engine::config::{Kind, Part};

    fn output() -> Named<Shape> {
        let text = Shape { r#type: Kind::String, ..Shape::default() };
        let list = Shape {
            r#type: Kind::Array,
            items: Some(Box::new(Part { shape: text.clone(), ..Part::default() })),
            ..Shape::default()
        };
        let part = |value| Spanned { value, span: 0..0 };
        Named::from_iter([("risks".to_owned(), part(list)), ("remark".to_owned(), part(text))])
    }

    #[test]
    fn an_empty_list_is_a_result_and_unknown_parts_are_left_out() {
        let raw = json!({ "risks": [], "cmd": "rm", "remark": null });
        assert_eq!(shaped(&raw, &output()), Ok(json!({ "risks": [] })));
    }

    #[test]
    fn what_has_none_of_the_parts_is_refused_with_the_reason() {
        let refused = |raw: Value| shaped(&raw, &output()).unwrap_err().message;
        assert_eq!(refused(json!(["a"])), "the result is not a record of the declared shape");
        assert_eq!(refused(json!({ "other": 1 })), "the result has none of the declared parts");
        assert!(refused(json!({ "remark": { "a": 1 } })).starts_with("the result has the wrong shape: `remark`"));
    }
}
