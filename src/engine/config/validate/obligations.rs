//! Obligations: references, one way to be satisfied, an order without circles that the phases can keep.

use std::collections::HashMap;

use super::known::{Known, Uses};
use super::{acyclic, once, refers, unique};
use crate::decode::{Id, Problems};
use crate::engine::config::definition::Definition;
use crate::engine::config::obligations::Obligation;
use crate::engine::config::rule::{Subject, rules};

pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    let obligations = &definition.obligations;
    unique("category", definition.categories.iter().map(|category| &category.id), problems);
    unique("obligation", obligations.iter().map(|obligation| &obligation.id), problems);
    if obligations.is_empty() && !problems.within(&obligations.span) {
        problems.error("no-obligations", obligations.span.clone(), "the engine has no obligation");
    }
    let times = Times::of(definition);
    for obligation in obligations.iter() {
        refers(&obligation.category, "category", &known.categories, problems);
        for path in &obligation.satisfied_by {
            refers(path, "field", &known.fields, problems);
        }
        for other in &obligation.after {
            if refers(other, "obligation", &known.obligations, problems) {
                in_time(&times, obligation, other, problems);
            }
        }
        once(&obligation.satisfied_by, problems);
        once(&obligation.after, problems);
        satisfiable(obligation, problems);
        let weight = &obligation.weight;
        if (**weight <= 0.0 || **weight > 10.0) && !problems.within(&weight.span) {
            problems.error("bad-weight", weight.span.clone(), "a weight is above 0 and at most 10");
        }
    }
    let links: Vec<(&Id, &[Id])> = obligations.iter().map(|o| (&o.id, o.after.as_slice())).collect();
    acyclic("these obligations", &links, problems);
    categories(definition, known, problems);
}

/// Warns of categories that are empty, or that no phase asks about.
fn categories(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    if definition.obligations.is_empty() {
        return;
    }
    let used = Uses::of(definition.obligations.iter().map(|o| &o.category), &known.categories);
    let mut covered = Uses::of(definition.phases.iter().flat_map(|phase| &phase.covers), &known.categories);
    if problems.faulty("phases") || definition.phases.is_empty() {
        covered.add_all();
    }
    for category in definition.categories.iter().filter(|category| !category.id.is_empty()) {
        if !used.has(&category.id) {
            // Where something waits for it, that is the error.
            if awaited(definition, &category.id) {
                continue;
            }
            let message = format!("no obligation belongs to the category `{}`", category.id);
            problems.warning("unused", category.id.span.clone(), message);
        } else if !covered.has(&category.id) {
            problems
                .warning("never-asked", category.id.span.clone(), format!("no phase covers `{}`", category.id))
                .help("add it to the `covers` of a phase, or its obligations are never asked");
        }
    }
}

/// Whether a rule of a phase or the completeness model counts the obligations of a category.
fn awaited(definition: &Definition, category: &Id) -> bool {
    let rules = rules(definition).filter(|placed| placed.phase.is_some());
    let subjects = rules.flat_map(|placed| placed.rule.value.subjects());
    let mut all = subjects.chain(definition.completeness.model.subjects());
    all.any(|subject| matches!(subject, Subject::Category(counted) if counted == category))
}

/// When what is asked about.
struct Times<'d> {
    category: HashMap<&'d str, &'d str>,
    /// The first and the last phase that asks about a category, by their places in the order.
    asked: HashMap<&'d str, (u32, u32)>,
}

impl<'d> Times<'d> {
    fn of(definition: &'d Definition) -> Self {
        let mut asked: HashMap<&str, (u32, u32)> = HashMap::new();
        for phase in definition.phases.iter() {
            for category in &phase.covers {
                let (first, last) = asked.entry(category.as_str()).or_insert((*phase.order, *phase.order));
                (*first, *last) = ((*first).min(*phase.order), (*last).max(*phase.order));
            }
        }
        // Of two with one name the first counts.
        let category = definition.obligations.iter().rev().map(|o| (o.id.as_str(), o.category.as_str())).collect();
        Self { category, asked }
    }
}

/// What comes first must be asked about before the last phase that asks about what follows.
fn in_time(times: &Times<'_>, obligation: &Obligation, other: &Id, problems: &mut Problems) {
    let asked = |category: &str| times.asked.get(category);
    let awaited = times.category.get(other.as_str()).and_then(|category| asked(category));
    if let (Some((_, last)), Some((start, _))) = (asked(&obligation.category), awaited)
        && last < start
        && !problems.faulty("phases")
    {
        problems
            .error(
                "unsatisfiable",
                other.span.clone(),
                format!("`{}` waits for `{other}`, which is asked about only in a later phase", obligation.id),
            )
            .help(format!("let a later phase cover `{}` as well, or drop it from `after`", obligation.category));
    }
}

fn satisfiable(obligation: &Obligation, problems: &mut Problems) {
    let at = &obligation.at;
    let id = &obligation.id;
    match (obligation.satisfied_by.is_empty(), &obligation.when) {
        // A key that was misspelt, or a list that could not be read, has been told.
        (true, None) if !at.misspelt && !at.given("satisfied_by").is_some_and(|place| problems.within(&place)) => {
            problems
                .error("unsatisfiable", id.span.clone(), format!("nothing can satisfy the obligation `{id}`"))
                .help("add `satisfied_by` with fields, or `when` with an expression");
        }
        (false, Some(_)) => problems
            .error("satisfied-twice", at.of("when"), format!("`{id}` has both `satisfied_by` and `when`"))
            .help("keep one of them"),
        _ => {}
    }
}
