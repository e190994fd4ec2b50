//! An engine as far as people see it: plain data that a front end can hold, without anything that runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::{Definition, Field, Kind, Measure, Obligation, Part, Shape};
use super::open_points::in_language;
use super::values::Shaped;
use crate::decode::Named;
use crate::words;

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
    /// The same in the other languages that the engine has, by language.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other_languages: BTreeMap<String, Arc<EngineOutline>>,
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
    /// What people read instead of a value, where that is something else.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub words: IndexMap<String, String>,
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
    /// A shape in a language; none is the engine's own.
    pub(crate) fn of(shape: &Shape, language: Option<&str>) -> Self {
        let part = |part: &Part| PartOutline {
            name: said_in(language, &part.name_in).or_else(|| part.name.clone()),
            shape: Self::of(&part.shape, language),
        };
        let parts = shape.properties.iter();
        Self {
            kind: shape.r#type,
            unit: said_in(language, &shape.unit_in).or_else(|| shape.unit.clone()),
            measure: shape.measure,
            options: shape.options.clone(),
            words: words_of(shape, language),
            items: shape.items.as_ref().map(|items| Box::new(Self::of(&items.shape, language))),
            parts: parts.map(|(key, value)| (key.clone(), part(&value.value))).collect(),
        }
    }
}

/// A text of the engine in another language, where it has one.
fn said_in(language: Option<&str>, others: &Named<String>) -> Option<String> {
    Some(others.get(language?)?.value.clone())
}

/// What is read instead of yes, no and the choices of a field.
fn words_of(shape: &Shape, language: Option<&str>) -> IndexMap<String, String> {
    let Some(language) = language else { return IndexMap::new() };
    if shape.r#type == Kind::Boolean {
        let says = words::find(language).map(|words| &words.review);
        let both = says.map(|says| [("true", says.yes()), ("false", says.no())]);
        return both.into_iter().flatten().map(|(value, word)| (value.to_owned(), word.to_owned())).collect();
    }
    let said = shape.options_in.get(language).map(|said| said.value.iter());
    said.into_iter().flatten().map(|(value, word)| (value.clone(), word.value.clone())).collect()
}

impl Shaped for ShapeOutline {
    fn word<'a>(&'a self, value: &'a str) -> &'a str {
        self.words.get(value).map_or(value, String::as_str)
    }

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
    /// What people see of an engine, in every language it has.
    pub fn of(engine: &Engine) -> Self {
        let own = engine.definition().language();
        let obligations = engine.definition().obligations.iter();
        let languages: BTreeSet<&String> =
            obligations.flat_map(|obligation| obligation.name_in.keys()).filter(|id| *id != own).collect();
        let other = |id: &String| (id.clone(), Arc::new(Self::in_language(engine, Some(id))));
        Self { other_languages: languages.into_iter().map(other).collect(), ..Self::in_language(engine, None) }
    }

    /// What people call an engine in a language.
    pub fn name_of(engine: &Engine, language: Option<&str>) -> String {
        in_language(language, &engine.definition().name, &engine.definition().name_in)
    }

    /// It in a language, where the engine has it; else as it is.
    pub fn speaking(self: &Arc<Self>, language: Option<&str>) -> Arc<Self> {
        Arc::clone(language.and_then(|id| self.other_languages.get(id)).unwrap_or(self))
    }

    fn in_language(engine: &Engine, language: Option<&str>) -> Self {
        let definition = engine.definition();
        let phases = definition.phases.iter();
        let obligations = definition.obligations.iter().map(|obligation| ObligationOutline {
            id: obligation.id.to_string(),
            category: obligation.category.to_string(),
            name: in_language(language, &obligation.name, &obligation.name_in),
            question: in_language(language, &obligation.question, &obligation.question_in),
            fields: engine.fields_of(&obligation.id).to_vec(),
        });
        let fields = definition.fields.iter().map(|field| FieldOutline {
            path: field.path.to_string(),
            name: field_name(definition, field, language),
            shape: ShapeOutline::of(&field.shape, language),
            confirmation: field.confirmation,
        });
        let tasks = definition.background_tasks.iter();
        Self {
            id: definition.id.to_string(),
            name: in_language(language, &definition.name, &definition.name_in),
            version: definition.version.value.clone(),
            phases: phases
                .map(|phase| PhaseOutline {
                    id: phase.id.to_string(),
                    name: in_language(language, &phase.name, &phase.name_in),
                })
                .collect(),
            obligations: obligations.collect(),
            fields: fields.collect(),
            tasks: tasks
                .map(|task| TaskOutline {
                    id: task.id.to_string(),
                    name: in_language(language, &task.name, &task.name_in),
                })
                .collect(),
            other_languages: BTreeMap::new(),
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

/// What people call a field in a language. Where the engine does not say it, the obligation that this field alone settles
/// is called the same.
pub(crate) fn field_name(definition: &Definition, field: &Field, language: Option<&str>) -> String {
    if let Some(name) = said_in(language, &field.name_in) {
        return name;
    }
    let alone = |point: &&Obligation| matches!(&point.satisfied_by[..], [path] if *path == field.path);
    let point = language.and_then(|_| definition.obligations.iter().find(alone));
    point.and_then(|point| said_in(language, &point.name_in)).unwrap_or_else(|| field.name.clone())
}
