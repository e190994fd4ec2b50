//! The fields that one analysis looks for, and what a model is told about them: written once for each set of fields.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::request::{instructions, short_instructions};
use super::schema::{analysis_schema, short_schema};
use crate::engine::Engine;
use crate::engine::config::Field;
use crate::engine::memory::WorkingMemory;

/// The most fields one analysis looks for: with many more in one call every model starts to fail.
pub const MAX_SLICE: usize = 64;
/// Sets that are remembered; a conversation moves between a few, phase by phase.
const REMEMBERED: usize = 8;

/// A set of fields with what a model is told about it.
#[derive(Debug)]
pub struct Slice {
    /// Where the fields stand in the definition, in order.
    places: Vec<usize>,
    /// Whether it is for a small model.
    short: bool,
    /// What the model is told.
    pub instructions: Arc<str>,
    /// The shape of its answer.
    pub schema: Arc<Value>,
}

impl Slice {
    pub fn fields<'a>(&self, engine: &'a Engine) -> Vec<&'a Field> {
        let fields = &engine.definition().fields;
        self.places.iter().map(|at| &fields[*at]).collect()
    }
}

/// The slices an engine was lately asked for, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Slices(Mutex<Vec<Arc<Slice>>>);

impl Slices {
    /// The slice that this moment needs, with at most so many fields.
    pub fn at(&self, engine: &Engine, memory: &WorkingMemory, most: usize) -> Arc<Slice> {
        self.of(engine, choose(engine, memory, most), false)
    }

    /// The slice of these fields for a small model.
    pub fn short(&self, engine: &Engine, paths: &BTreeSet<String>) -> Arc<Slice> {
        let fields = engine.definition().fields.iter().enumerate();
        let places = fields.filter(|(_, field)| paths.contains(&*field.path)).map(|(at, _)| at).collect();
        self.of(engine, places, true)
    }

    fn of(&self, engine: &Engine, places: Vec<usize>, short: bool) -> Arc<Slice> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known.iter().position(|slice| slice.places == places && slice.short == short) {
            let slice = known.remove(at);
            known.push(Arc::clone(&slice));
            return slice;
        }
        let fields: Vec<&Field> = places.iter().map(|at| &engine.definition().fields[*at]).collect();
        let (instructions, schema) = if short {
            (short_instructions(&fields), short_schema(&fields))
        } else {
            (instructions(engine, &fields), analysis_schema(engine.definition(), &fields))
        };
        let (instructions, schema) = (instructions.into(), Arc::new(schema));
        let slice = Arc::new(Slice { places, short, instructions, schema });
        if known.len() == REMEMBERED {
            known.remove(0);
        }
        known.push(Arc::clone(&slice));
        slice
    }
}

/// The fields to look for: all, when they are few; else those asked for, those of this phase, those already known
/// (they may be corrected), and those of the next phases, as far as there is room.
fn choose(engine: &Engine, memory: &WorkingMemory, most: usize) -> Vec<usize> {
    let definition = engine.definition();
    if definition.fields.len() <= most {
        return (0..definition.fields.len()).collect();
    }
    let phase = engine.current_phase(memory);
    let rank = |field: &Field| -> u32 {
        let about = |id: &str| engine.fields_of(id).iter().any(|path| **path == *field.path);
        let obligations = || definition.obligations.iter().filter(|o| about(&o.id));
        if obligations().any(|o| memory.asked.iter().any(|asked| *asked.obligation == *o.id)) {
            return 0;
        }
        if obligations().any(|o| phase.covers.contains(&o.category)) {
            return 1;
        }
        if memory.extraction.get(&field.path).is_some() {
            return 2;
        }
        let later = definition.phases.iter().filter(|other| *other.order > *phase.order);
        let next = later.filter(|other| obligations().any(|o| other.covers.contains(&o.category)));
        next.map(|other| 2 + *other.order - *phase.order).min().unwrap_or(100)
    };
    let mut ranked: Vec<(u32, usize)> =
        definition.fields.iter().enumerate().map(|(at, field)| (rank(field), at)).collect();
    ranked.sort_unstable();
    ranked.truncate(most);
    // In the order of the file, so that the instructions stay the same as long as the set does.
    let mut places: Vec<usize> = ranked.into_iter().map(|(_, at)| at).collect();
    places.sort_unstable();
    places
}
