//! An engine as far as people see it: plain data that a front end can hold, without anything that runs.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::{Kind, Measure, Part, Shape};
use super::values::Shaped;

/// An engine, as far as people see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineOutline {
    pub id: String,
    pub name: String,
    pub version: String,
    /// Its phases, as the file has them.
    pub phases: Vec<PhaseOutline>,
    pub obligations: Vec<ObligationOutline>,
    pub fields: Vec<FieldOutline>,
    pub tasks: Vec<TaskOutline>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseOutline {
    pub id: String,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObligationOutline {
    pub id: String,
    pub category: String,
    pub name: String,
    pub question: String,
    pub fields: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldOutline {
    pub path: String,
    pub name: String,
    pub shape: ShapeOutline,
    /// Whether it is the user's yes to everything that is noted.
    #[serde(default)]
    pub confirmation: bool,
}

/// What a value looks like, as far as that is needed to show and to type it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShapeOutline {
    pub kind: Kind,
    /// What a number counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What kind of quantity it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// The values it can take, where only some can be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The elements of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Box<ShapeOutline>>,
    /// The parts of a record, by key.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parts: IndexMap<String, PartOutline>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOutline {
    /// What people read instead of its key.
    pub name: Option<String>,
    pub shape: ShapeOutline,
}

impl PartOutline {
    /// What people read.
    pub(crate) fn called(&self, key: &str) -> String {
        self.name.clone().unwrap_or_else(|| key.replace('_', " "))
    }
}

impl ShapeOutline {
    fn of(shape: &Shape) -> Self {
        let part = |part: &Part| PartOutline { name: part.name.clone(), shape: Self::of(&part.shape) };
        let parts = shape.properties.iter();
        Self {
            kind: shape.r#type,
            unit: shape.unit.clone(),
            measure: shape.measure,
            options: shape.options.clone(),
            items: shape.items.as_ref().map(|items| Box::new(Self::of(&items.shape))),
            parts: parts.map(|(key, value)| (key.clone(), part(&value.value))).collect(),
        }
    }
}

impl Shaped for ShapeOutline {
    fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    fn items(&self) -> Option<&Self> {
        self.items.as_deref()
    }

    fn part(&self, key: &str) -> Option<(Option<&str>, &Self)> {
        self.parts.get(key).map(|part| (part.name.as_deref(), &part.shape))
    }
}

/// A background task as the engine declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskOutline {
    pub id: String,
    pub name: String,
}

impl EngineOutline {
    /// What people see of an engine.
    pub fn of(engine: &Engine) -> Self {
        let definition = engine.definition();
        let phases = definition.phases.iter();
        let obligations = definition.obligations.iter().map(|obligation| ObligationOutline {
            id: obligation.id.to_string(),
            category: obligation.category.to_string(),
            name: obligation.name.clone(),
            question: obligation.question.clone(),
            fields: engine.fields_of(&obligation.id).to_vec(),
        });
        let fields = definition.fields.iter().map(|field| FieldOutline {
            path: field.path.to_string(),
            name: field.name.clone(),
            shape: ShapeOutline::of(&field.shape),
            confirmation: field.confirmation,
        });
        let tasks = definition.background_tasks.iter();
        Self {
            id: definition.id.to_string(),
            name: definition.name.clone(),
            version: definition.version.value.clone(),
            phases: phases.map(|phase| PhaseOutline { id: phase.id.to_string(), name: phase.name.clone() }).collect(),
            obligations: obligations.collect(),
            fields: fields.collect(),
            tasks: tasks.map(|task| TaskOutline { id: task.id.to_string(), name: task.name.clone() }).collect(),
        }
    }

    pub fn phase(&self, id: &str) -> Option<&PhaseOutline> {
        self.phases.iter().find(|phase| phase.id == id)
    }

    pub fn obligation(&self, id: &str) -> Option<&ObligationOutline> {
        self.obligations.iter().find(|obligation| obligation.id == id)
    }

    pub fn field(&self, path: &str) -> Option<&FieldOutline> {
        self.fields.iter().find(|field| field.path == path)
    }
}
