//! Techniques: those an engine names are in the library, and the library is sound.

use super::known::{NameList, Uses};
use super::unique;
use crate::decode::{Id, Problems};
use crate::engine::config::definition::Definition;
use crate::engine::config::techniques::Technique;

pub fn check(definition: &Definition, library: &[Technique], problems: &mut Problems) {
    let available = &definition.techniques.available;
    let known: NameList<'_> = available.iter().map(Id::as_str).collect();
    let mut used = Uses::of(definition.phases.iter().flat_map(|phase| &phase.techniques), &known);
    if problems.faulty("phases") || definition.phases.is_empty() {
        used.add_all();
    }
    unique("technique", available, problems);
    for id in available.iter().filter(|id| !id.is_empty()) {
        if !library.iter().any(|technique| technique.id == *id) {
            problems
                .error("bad-reference", id.span.clone(), format!("the library has no technique `{id}`"))
                .suggest(id, library.iter().map(|technique| technique.id.as_str()));
        } else if !used.has(id) {
            problems.warning("unused", id.span.clone(), format!("no phase uses the technique `{id}`"));
        }
    }
}

pub fn library(techniques: &[Technique], problems: &mut Problems) {
    unique("technique", techniques.iter().map(|technique| &technique.id), problems);
    for technique in techniques.iter().filter(|technique| technique.applicable_modes.is_empty()) {
        let message = format!("`{}` serves no mode, so it is never chosen", technique.id);
        problems.error("unsatisfiable", technique.id.span.clone(), message);
    }
}
