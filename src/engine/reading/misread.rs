//! Figures that were taken for something else: "22 is percent, not people". The figure no longer holds where it was noted.

use std::ops::Range;

use serde_json::Value;

use super::FieldReading;
use super::quantity::Quantity;
use super::quote_of;
use super::rearranged::{Ground, reading};
use super::units::Unit;
use crate::engine::config::{Field, Kind, Measure};

/// The most words between a figure and what it is said to count: "22 is a percent figure".
const BETWEEN: usize = 3;

impl<'e> Ground<'_, 'e, '_, '_> {
    /// What a sentence takes back because the figure counts something else.
    pub(super) fn misread(&self, sentence: &Range<usize>) -> Vec<FieldReading> {
        let figures = self.material.quantities.within(sentence).filter(|figure| figure.high.is_none());
        let wrong = figures.filter_map(|figure| {
            let unit = self.said_unit(figure, sentence)?;
            let denied = figure.unit.is_some().then(|| self.denied_after(figure, sentence));
            let denied = |field: &Field| denied.as_ref().is_none_or(|words| self.denies(words, figure, field));
            self.numbers(figure.low).find(|field| counts_otherwise(field, unit) && denied(field))
        });
        let field = wrong.into_iter().next();
        field.map(|field| reading(field, Value::Null, quote_of(self.material, sentence))).into_iter().collect()
    }

    /// What is said not to be so, after a figure with its unit.
    fn denied_after(&self, figure: &Quantity, sentence: &Range<usize>) -> Range<usize> {
        let mut starts = figure.tokens.end..sentence.end;
        let negations = &self.material.lexicon.negations;
        let after = starts.find_map(|at| self.material.any_starts(negations, &(at..sentence.end)));
        after.unwrap_or(sentence.end)..sentence.end
    }

    /// Whether what is denied is the same figure, or what a field counts: "22 percent, not 22 people". "Two hours, not on a
    /// Saturday" denies something else.
    fn denies(&self, words: &Range<usize>, figure: &Quantity, field: &Field) -> bool {
        let same = self.material.quantities.within(words).any(|other| (other.low - figure.low).abs() < 1e-9);
        let own = |found: &Field| found.path == field.path;
        same || !words.is_empty() && self.named(words, own).is_some_and(own)
    }

    /// The fields that are noted with a figure.
    fn numbers(&self, figure: f64) -> impl Iterator<Item = &'e Field> {
        let same = move |value: &Value| value.as_f64().is_some_and(|known| (known - figure).abs() < 1e-9);
        self.engine
            .definition()
            .fields
            .iter()
            .filter(move |field| field.shape.r#type == Kind::Number && self.value_of(field).is_some_and(same))
    }

    /// What a figure is said to count: with its unit, where the other one is denied, or with an "is" between.
    fn said_unit(&self, figure: &Quantity, sentence: &Range<usize>) -> Option<Unit> {
        let (material, lexicon) = (self.material, self.material.lexicon);
        if figure.unit.is_some() {
            return figure.unit.filter(|_| material.has(&lexicon.negations, sentence));
        }
        let rest = figure.tokens.end..sentence.end;
        let after = material.any_starts(&lexicon.notes.copulas, &rest)?;
        let last = sentence.end.min(after + BETWEEN);
        (after..last).find_map(|at| lexicon.units.at(&material.text.tokens, at)).map(|(unit, _)| unit)
    }
}

/// Whether a field counts something else than a unit.
fn counts_otherwise(field: &Field, unit: Unit) -> bool {
    let setting = field.shape.unit.as_deref().and_then(Unit::of_setting);
    let own = match field.shape.measure {
        _ if setting == Some(unit) => true,
        Some(Measure::Percent) => unit == Unit::Percent,
        Some(Measure::Money) => unit == Unit::Money,
        Some(Measure::Duration) => !matches!(unit, Unit::Percent | Unit::Money),
        _ => false,
    };
    !own
}
