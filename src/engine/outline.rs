//! An engine as far as people see it: plain data that a front end can hold, without anything that runs.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::{Kind, Part, Shape};
use super::values::Shaped;

/// An engine, as far as people see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineOutline {
    /// Its id.
    pub id: String,
    /// What people read.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its phases, as the file has them.
    pub phases: Vec<PhaseOutline>,
    /// Its obligations.
    pub obligations: Vec<ObligationOutline>,
    /// Its fields.
    pub fields: Vec<FieldOutline>,
    /// Its background tasks.
    pub tasks: Vec<TaskOutline>,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseOutline {
    /// Its id.
    pub id: String,
    /// What people read.
    pub name: String,
}

/// An obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObligationOutline {
    /// Its id.
    pub id: String,
    /// Its category.
    pub category: String,
    /// A few words for it.
    pub name: String,
    /// How it is asked for.
    pub question: String,
    /// The fields it is about.
    pub fields: Vec<String>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldOutline {
    /// Its path.
    pub path: String,
    /// What people read.
    pub name: String,
    /// What its value looks like.
    pub shape: ShapeOutline,
}

/// What a value looks like, as far as that is needed to show and to type it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShapeOutline {
    /// Its kind.
    pub kind: Kind,
    /// What a number counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The elements of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Box<ShapeOutline>>,
    /// The parts of a record, by key.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub parts: IndexMap<String, PartOutline>,
}

/// A part of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOutline {
    /// What people read instead of its key.
    pub name: Option<String>,
    /// What its value looks like.
    pub shape: ShapeOutline,
}

impl ShapeOutline {
    fn of(shape: &Shape) -> Self {
        let part = |part: &Part| PartOutline { name: part.name.clone(), shape: Self::of(&part.shape) };
        let parts = shape.properties.iter();
        Self {
            kind: shape.r#type,
            unit: shape.unit.clone(),
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
    /// Its id.
    pub id: String,
    /// What people read.
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

    /// The phase of that id.
    pub fn phase(&self, id: &str) -> Option<&PhaseOutline> {
        self.phases.iter().find(|phase| phase.id == id)
    }

    /// The obligation of that id.
    pub fn obligation(&self, id: &str) -> Option<&ObligationOutline> {
        self.obligations.iter().find(|obligation| obligation.id == id)
    }

    /// The field of that path.
    pub fn field(&self, path: &str) -> Option<&FieldOutline> {
        self.fields.iter().find(|field| field.path == path)
    }
}
