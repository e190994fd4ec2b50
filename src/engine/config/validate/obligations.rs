//! Obligations: references, a way to be satisfied, an order without circles.

use super::{acyclic, refers, unique};
use crate::engine::config::decode::Id;
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::Problems;
use crate::engine::config::obligations::Obligation;

pub fn check(definition: &Definition, problems: &mut Problems) {
    let obligations = &definition.obligations;
    unique("category", definition.categories.iter().map(|category| &category.id), problems);
    unique("obligation", obligations.iter().map(|obligation| &obligation.id), problems);
    if obligations.is_empty() && !problems.within(&obligations.span) {
        problems.error("no-obligations", obligations.span.clone(), "the engine has no obligation");
    }
    for obligation in obligations.iter() {
        refers(&obligation.category, "category", definition.categories.iter().map(|c| c.id.as_str()), problems);
        for path in &obligation.satisfied_by {
            refers(path, "field", definition.fields.iter().map(|f| f.path.as_str()), problems);
        }
        for other in &obligation.after {
            refers(other, "obligation", obligations.iter().map(|o| o.id.as_str()), problems);
        }
        satisfiable(obligation, problems);
        if !(obligation.weight.is_finite() && *obligation.weight > 0.0 && *obligation.weight <= 10.0) {
            problems.error("bad-weight", obligation.weight.span.clone(), "a weight is above 0 and at most 10");
        }
    }
    let links: Vec<(&Id, &[Id])> = obligations.iter().map(|o| (&o.id, o.after.as_slice())).collect();
    acyclic("these obligations", &links, problems);
    for category in &definition.categories {
        let empty = !obligations.iter().any(|o| o.category == category.id);
        if empty && !category.id.is_empty() {
            let message = format!("no obligation belongs to the category `{}`", category.id);
            problems.warning("unused", category.id.span.clone(), message);
        }
        let covered = definition.phases.iter().any(|phase| phase.covers.contains(&category.id));
        if !empty && !covered {
            problems
                .warning("never-asked", category.id.span.clone(), format!("no phase covers `{}`", category.id))
                .help("add it to the `covers` of a phase, or its obligations are never asked");
        }
    }
}

fn satisfiable(obligation: &Obligation, problems: &mut Problems) {
    let span = obligation.id.span.clone();
    match (obligation.satisfied_by.is_empty(), &obligation.when) {
        (true, None) => problems
            .error("unsatisfiable", span, format!("nothing can satisfy the obligation `{}`", obligation.id))
            .help("add `satisfied_by` with fields, or `when` with an expression"),
        (false, Some(_)) => problems
            .error("unsatisfiable", span, format!("`{}` has both `satisfied_by` and `when`", obligation.id))
            .help("keep one of them"),
        _ => {}
    }
}
