//! The sidebar: sections that show something, and obligations that are shown somewhere.

use super::{refers, unique};
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::{Problems, nearest};
use crate::engine::config::sidebar::{Section, Visibility};

pub fn check(definition: &Definition, problems: &mut Problems) {
    let sidebar = &definition.sidebar;
    let sections: Vec<&Section> =
        sidebar.static_sections.iter().chain(sidebar.dynamic_sections.iter().map(|d| &d.section)).collect();
    unique("section", sections.iter().map(|section| &section.id), problems);
    let categories = || definition.categories.iter().map(|category| category.id.as_str());
    for section in &sections {
        for category in &section.obligation_categories {
            refers(category, "category", categories(), problems);
        }
    }
    for section in &sidebar.dynamic_sections {
        if let Visibility::ObligationSatisfaction(when) = &section.appears_when.value {
            refers(&when.obligation_category, "category", categories(), problems);
        }
    }
    for category in &definition.categories {
        if !category.id.is_empty() && !sections.iter().any(|s| s.obligation_categories.contains(&category.id)) {
            problems
                .warning("not-shown", category.id.span.clone(), format!("no section shows `{}`", category.id))
                .help("add it to the `obligation_categories` of a section of the sidebar");
        }
    }
    let phases: Vec<&str> = definition.phases.iter().map(|phase| phase.id.as_str()).collect();
    for (id, label) in &sidebar.phase_indicator.labels {
        if !phases.contains(&id.as_str()) {
            let noted = problems.error("bad-reference", label.span.clone(), format!("there is no phase `{id}`"));
            if let Some(near) = nearest(id, &phases) {
                noted.help(format!("did you mean `{near}`?"));
            }
        }
    }
}
