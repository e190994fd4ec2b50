//! The sidebar: sections that show something, and obligations that are shown somewhere.

use super::known::{Known, Uses};
use super::{once, refers, unique};
use crate::decode::Problems;
use crate::engine::config::definition::Definition;
use crate::engine::config::sidebar::Section;

pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    let sidebar = &definition.sidebar;
    let sections: Vec<&Section> =
        sidebar.static_sections.iter().chain(sidebar.dynamic_sections.iter().map(|d| &d.section)).collect();
    unique("section", sections.iter().map(|section| &section.id), problems);
    for section in &sections {
        for category in &section.categories {
            refers(category, "category", &known.categories, problems);
        }
        once(&section.categories, problems);
    }
    let shown = Uses::of(sections.iter().flat_map(|section| &section.categories), &known.categories);
    // That a category is empty is told by itself.
    let filled = Uses::of(definition.obligations.iter().map(|o| &o.category), &known.categories);
    for category in definition.categories.iter().filter(|c| !c.id.is_empty() && filled.has(&c.id)) {
        if !shown.has(&category.id) && !problems.faulty("sidebar") {
            problems
                .warning("not-shown", category.id.span.clone(), format!("no section shows `{}`", category.id))
                .help("add it to the `categories` of a section of the sidebar");
        }
    }
    for (id, name) in &sidebar.phase_indicator.names {
        if !known.phases.has(id) && !known.phases.has("") {
            problems
                .error("bad-reference", name.span.clone(), format!("there is no phase `{id}`"))
                .suggest(id, known.phases.iter().copied());
        }
    }
}
