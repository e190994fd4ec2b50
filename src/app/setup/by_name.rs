//! Lines of the form for an endpoint filled in by what is written, for front ends in which nothing is turned with keys.

use super::super::effect::Effect;
use super::super::line::Line;
use super::super::model::Model;
use super::EndpointForm;
use super::form::{KEYS, PROTOCOLS, Row, top};
use crate::llm::presets::PRESETS;
use crate::words::SetupWords;

impl EndpointForm {
    /// Everything that a line with choices can show, from the one it shows on; nothing for a line without.
    pub fn options(&self, row: Row, says: &SetupWords) -> Vec<String> {
        let count = match row {
            Row::Provider => PRESETS.len() + 1,
            Row::Protocol => PROTOCOLS.len(),
            Row::Key => KEYS.len(),
            _ => 0,
        };
        let mut form = Self { at: row, ..self.clone() };
        let mut options = Vec::with_capacity(count);
        for _ in 0..count {
            options.extend(form.choice(row, says));
            form.turn(1);
        }
        options
    }
}

/// Puts words in the place of what the line under the cursor says; of one that has choices, takes the one of that name.
pub(crate) fn write(model: &mut Model, text: &str) -> Vec<Effect> {
    let (says, none_of) = (&model.words.setup, &model.words.review);
    let Some(form) = top(model) else { return Vec::new() };
    if let Some(line) = form.text() {
        *line = Line::new(text.trim());
        form.named |= form.at == Row::Name;
        return form.changed();
    }
    let options = form.options(form.at, says);
    let wanted = text.trim().to_lowercase();
    let Some(steps) = options.iter().position(|option| option.to_lowercase() == wanted) else {
        form.problem = Some(none_of.no_option(text, options.join(", ")));
        return Vec::new();
    };
    for _ in 0..steps {
        form.turn(1);
    }
    form.changed()
}
