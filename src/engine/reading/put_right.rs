//! Commands that put right what was noted, by its place or its name, and those that add to the list that was just told.

use std::ops::Range;

use serde_json::{Value, json};

use super::clauses::core;
use super::correction::{self, point};
use super::edits::Done;
use super::pointing::{Meant, Pointing};
use super::rearranged::{Ground, reading};
use super::{quote_of, values};
use crate::engine::config::Field;

impl Ground<'_, '_, '_, '_> {
    /// "The second one is wrong, it's 40": what holds follows after a pause.
    pub(super) fn put_right(&self, thing: &Range<usize>, rest: Range<usize>, earlier: &Range<usize>) -> Option<Done> {
        let material = self.material;
        let head = material.any_starts(&material.lexicon.changes.heads, &core(material, rest.clone()));
        let new = point(material, &(head.unwrap_or(rest.start)..rest.end));
        let placed = self.places_in(thing, true).is_some();
        let known = |field: &Field| self.value_of(field).is_some();
        let meant = match self.pointed_to(thing, earlier) {
            Pointing::Nothing => {
                let Some(field) = self.named(thing, known).filter(|field| known(field)) else {
                    return self.given_by_name(thing, &new);
                };
                Meant { field, elements: Vec::new(), offered: !self.memory.extraction.is_known(&field.path) }
            }
            Pointing::Unclear => return (placed || self.several(thing).is_some()).then_some(Done::Unclear),
            Pointing::To(meant) => meant,
        };
        if new.is_empty() {
            return (placed || self.several(thing).is_some()).then_some(Done::Unclear);
        }
        let value = self.value_of(meant.field)?;
        let [element] = meant.elements.as_slice() else {
            let readings = correction::exchanged(self.memory, meant.field, value, material, thing, &new);
            return (!readings.is_empty()).then_some(Done::Readings(readings));
        };
        let items = self.items_of(&meant).filter(|items| items.iter().all(Value::is_string))?;
        let said = json!(material.text.slice(&new));
        let anew = items.iter().enumerate().map(|(at, item)| if at == *element { said.clone() } else { item.clone() });
        let (field, quote) = (meant.field, quote_of(material, &new));
        let given = reading(field, Value::Array(anew.collect()), quote.clone());
        let back = (!meant.offered).then(|| reading(field, Value::Null, quote));
        Some(Done::Readings(back.into_iter().chain([given]).collect()))
    }

    /// The same of a field of which nothing is known yet: what holds is told all the same.
    fn given_by_name(&self, thing: &Range<usize>, new: &Range<usize>) -> Option<Done> {
        let (material, names) = (self.material, self.called_as());
        let words = material.text.slice(thing);
        let at = names.only(material.lexicon, words).or_else(|| names.part(material.lexicon, words))?;
        let field = self.field(at).filter(|_| !new.is_empty())?;
        let made = values::make(field, material, new, None)?;
        Some(Done::Readings(vec![reading(field, made.value, quote_of(material, new))]))
    }

    /// "Oh and a news page", right after a list was told: one more element of it.
    pub(super) fn added_to_list(&self, thing: &Range<usize>) -> Option<Done> {
        const A_NAME: usize = 5;
        let (material, lexicon) = (self.material, self.material.lexicon);
        let thing = core(material, thing.clone());
        let (field, items, offered) = self.list_spoken_of().filter(|(field, ..)| self.is_just_told(field))?;
        let name = material.text.slice(&thing);
        let shown = &self.question.shown.elements;
        let plain = thing.len() <= A_NAME
            && material.telling(&thing) > 0
            && !material.has(&lexicon.verbs, &thing)
            && material.quantities.within(&thing).next().is_none();
        let elsewhere = self.by_cues(&json!(name)).is_some_and(|other| other.path != field.path);
        let known = shown.iter().any(|shown| self.speaks_of(&json!(shown), &thing));
        if offered || !plain || elsewhere || known || !items.iter().all(Value::is_string) {
            return None;
        }
        let made = values::make(field, material, &thing, None)?;
        Some(Done::Readings(vec![reading(field, made.value, quote_of(material, &thing))]))
    }
}
