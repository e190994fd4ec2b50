//! The read-only view of the working memory that expressions and templates see.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectRepr};
use serde_json::json;

use crate::decode::Spanned;
use crate::engine::config::{Definition, Kind, Mode, Part, Shape};
use crate::engine::handoff::summary;
use crate::engine::memory::WorkingMemory;
use crate::engine::values::{range_of, shaped_text};

/// Names that every expression may read.
pub(crate) const NAMES: [&str; 11] = [
    "extraction",
    "obligations",
    "completeness",
    "phase",
    "turn",
    "tasks",
    "saturation",
    "rapport",
    "modes",
    "intents",
    "handoff",
];

/// The name under which functions find the view itself.
pub(super) const SELF: &str = "_memory";

/// A view of the memory at one moment. A part is built only when an expression reads it.
#[derive(Clone, Debug)]
pub struct MemoryView(Arc<Snapshot>);

/// The memory and what was built from it so far.
pub(super) struct Snapshot {
    pub definition: Arc<Definition>,
    pub memory: WorkingMemory,
    extra: BTreeMap<&'static str, Value>,
    /// What was built for each of the names.
    built: [OnceLock<Value>; NAMES.len()],
    /// What is left of the budget of the evaluation that goes on.
    budget: AtomicU64,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the memory at turn {}", self.memory.turn)
    }
}

impl MemoryView {
    /// The memory as it is now.
    pub fn new(definition: &Arc<Definition>, memory: &WorkingMemory) -> Self {
        Self::with(definition, memory, BTreeMap::new())
    }

    /// The memory and further names, for templates.
    pub fn with(definition: &Arc<Definition>, memory: &WorkingMemory, extra: BTreeMap<&'static str, Value>) -> Self {
        let (definition, memory) = (definition.clone(), memory.clone());
        let built = std::array::from_fn(|_| OnceLock::new());
        Self(Arc::new(Snapshot { definition, memory, extra, built, budget: AtomicU64::new(0) }))
    }

    /// Gives the next evaluation its budget.
    pub(super) fn refill(&self, budget: u64) {
        self.0.budget.store(budget, Ordering::Relaxed);
    }

    /// What is left of the budget of the last evaluation.
    pub(super) fn left(&self) -> u64 {
        self.0.budget.load(Ordering::Relaxed)
    }

    pub(super) fn to_value(&self) -> Value {
        Value::from_dyn_object(self.0.clone())
    }
}

impl Object for Snapshot {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        if key == SELF {
            return Some(Value::from_dyn_object(self.clone()));
        }
        if let Some(value) = self.extra.get(key) {
            return Some(value.clone());
        }
        let at = NAMES.iter().position(|name| *name == key)?;
        Some(self.built[at].get_or_init(|| self.build(key)).clone())
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

impl Snapshot {
    /// Takes from the budget; tells whether there was enough.
    pub(super) fn spend(&self, units: u64) -> bool {
        let left = self.budget.load(Ordering::Relaxed);
        self.budget.store(left.saturating_sub(units), Ordering::Relaxed);
        units <= left
    }

    fn build(&self, name: &str) -> Value {
        let memory = &self.memory;
        match name {
            "extraction" => self.extraction(),
            "obligations" => self.obligations(),
            "completeness" => from_json(&json!({
                "overall": memory.completeness.overall,
                "ready": memory.completeness.is_ready,
                "by_category": memory.completeness.by_category,
                "gaps": memory.completeness.gaps,
            })),
            "phase" => self.phase(),
            "turn" => Value::from(memory.turn),
            "tasks" => self.tasks(),
            "saturation" => Value::from(memory.saturation.level),
            "rapport" => from_json(&json!({
                "level": memory.socio_emotional.rapport,
                "trust": memory.socio_emotional.trust,
                "friction": memory.socio_emotional.friction,
            })),
            "modes" => self.modes(),
            "handoff" => self.handoff(),
            _ => from_json(&json!(memory.intents.keys().collect::<Vec<_>>())),
        }
    }

    /// What was handed over, with the constraints of every field, be they none.
    fn handoff(&self) -> Value {
        let Some(inbound) = &self.memory.inbound_handoff else { return Value::from(()) };
        let mut parts = summary(&inbound.handoff);
        let of_field = |path: &str| json!(inbound.by_field.get(path).cloned().unwrap_or_default());
        let fields = self.definition.fields.iter().map(|field| (field.path.to_string(), of_field(&field.path)));
        parts["by_field"] = serde_json::Value::Object(fields.collect());
        from_json(&parts)
    }

    /// The accepted value of one field; none while there is none.
    pub(super) fn field_value(&self, path: &str) -> Value {
        let field = self.definition.fields.iter().find(|field| *field.path == *path);
        field.map_or(Value::from(()), |field| shaped(self.memory.extraction.value(path), &field.shape))
    }

    /// Accepted values as nested records. Without a value, a list is empty and everything else is none.
    fn extraction(&self) -> Value {
        let mut root = Branch::default();
        for field in self.definition.fields.iter() {
            let value = match self.memory.extraction.value(&field.path) {
                None if field.shape.r#type == Kind::Array => Value::from(Vec::<Value>::new()),
                value => shaped(value, &field.shape),
            };
            root.insert(&field.path, value);
        }
        root.into_value()
    }

    fn obligations(&self) -> Value {
        let all = self.definition.obligations.iter().map(|obligation| {
            let state = self.memory.obligations.get(&obligation.id).cloned().unwrap_or_default();
            let entry = json!({
                "id": obligation.id.as_str(),
                "category": obligation.category.as_str(),
                "name": obligation.name,
                "status": state.status.word(),
                "confidence": state.confidence,
            });
            (obligation.id.to_string(), from_json(&entry))
        });
        Value::from(all.collect::<BTreeMap<_, _>>())
    }

    fn phase(&self) -> Value {
        let state = &self.memory.phase;
        let name = self.definition.phases.iter().find(|p| *p.id == *state.current).map(|p| p.name.as_str());
        from_json(&json!({
            "id": state.current,
            "name": name,
            "turns": state.turns_in_phase,
            "visited": state.history.iter().map(|visit| visit.phase_id.as_str()).collect::<Vec<_>>(),
        }))
    }

    fn tasks(&self) -> Value {
        let all = self.definition.background_tasks.iter().map(|task| {
            let record = self.memory.background_tasks.get(&task.id);
            let entry = json!({
                "id": task.id.as_str(),
                "name": task.name,
                "status": record.map_or("idle", |record| record.status.word()),
                "result": record.and_then(|record| record.result.as_ref()),
                "rests_on": record.filter(|record| record.result.is_some()).and_then(|record| record.note.as_ref()),
            });
            (task.id.to_string(), from_json(&entry))
        });
        Value::from(all.collect::<BTreeMap<_, _>>())
    }

    fn modes(&self) -> Value {
        let target = self.definition.phases.iter().find(|p| *p.id == *self.memory.phase.current).map(|p| &p.mode_blend);
        let table = |share: &dyn Fn(Mode) -> f64| -> BTreeMap<&'static str, f64> {
            Mode::ALL.iter().map(|mode| (mode.word(), share(*mode))).collect()
        };
        from_json(&json!({
            "target": table(&|mode| target.map_or(0.0, |blend| f64::from(blend.share(mode)))),
            "observed": table(&|mode| self.memory.modes.share(mode)),
        }))
    }
}

/// A record under construction.
#[derive(Default)]
struct Branch {
    leaves: BTreeMap<String, Value>,
    branches: BTreeMap<String, Branch>,
}

impl Branch {
    fn insert(&mut self, path: &str, value: Value) {
        match path.split_once('.') {
            Some((head, rest)) => self.branches.entry(head.to_owned()).or_default().insert(rest, value),
            None => {
                self.leaves.insert(path.to_owned(), value);
            }
        }
    }

    fn into_value(self) -> Value {
        let mut all = self.leaves;
        for (name, branch) in self.branches {
            all.insert(name, branch.into_value());
        }
        Value::from(all)
    }
}

/// A value in the shape of its field: parts of a record without a value are none rather than undefined.
fn shaped(value: Option<&serde_json::Value>, shape: &Shape) -> Value {
    match (value, shape.r#type) {
        (Some(serde_json::Value::Array(items)), Kind::Array) => {
            let item =
                |value| shape.items.as_ref().map_or_else(|| from_json(value), |items| shaped(Some(value), items));
            Value::from(items.iter().map(item).collect::<Vec<_>>())
        }
        (Some(serde_json::Value::Object(parts)), Kind::Object) => {
            let part = |(name, shape): (&String, &Spanned<Part>)| (name.clone(), shaped(parts.get(name), shape));
            let parts: BTreeMap<_, _> = shape.properties.iter().map(part).collect();
            // Where nothing has a name of its own, a plain map reads the same.
            if shape.properties.values().all(|part| part.name.is_none() && part.unit.is_none()) {
                return Value::from(parts);
            }
            let text = shaped_text(value.unwrap_or(&serde_json::Value::Null), shape);
            Value::from_object(Record { parts, text })
        }
        // Expressions count with the upper end of a range.
        (Some(serde_json::Value::Object(ends)), Kind::Number) => {
            Value::from(range_of(ends).and_then(|(_, to)| to.as_f64()))
        }
        (Some(value), _) => from_json(value),
        (None, _) => Value::from(()),
    }
}

/// A record whose parts have names for people: a map that prints by those names.
#[derive(Debug)]
pub(super) struct Record {
    parts: BTreeMap<String, Value>,
    text: String,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Object for Record {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.parts.get(key.as_str()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.parts.keys().map(|key| Value::from(key.as_str())).collect())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A JSON value in the expression language.
pub(in crate::engine) fn from_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::from(()),
        serde_json::Value::Bool(flag) => Value::from(*flag),
        serde_json::Value::Number(number) => number.as_i64().map_or_else(|| Value::from(number.as_f64()), Value::from),
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(items) => Value::from(items.iter().map(from_json).collect::<Vec<_>>()),
        serde_json::Value::Object(object) => {
            Value::from(object.iter().map(|(key, value)| (key.clone(), from_json(value))).collect::<BTreeMap<_, _>>())
        }
    }
}
