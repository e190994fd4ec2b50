//! How many of everything an engine may have. Checks compare what an engine defines with what refers to it, and try its
//! expressions on memories made up from its fields: without these limits a file of half a megabyte takes minutes and
//! gigabytes. Each limit is at least ten times what the largest real engine has.

use crate::decode::{Id, Problems, Span};
use crate::engine::config::definition::Definition;
use crate::engine::config::fields::Shape;
use crate::engine::config::rule::rules;
use crate::engine::probe;

const MAX_FIELDS: usize = 1_000;
/// Fields, properties, items and options together.
const MAX_PARTS: usize = 8_000;
const MAX_OBLIGATIONS: usize = 5_000;
const MAX_CATEGORIES: usize = 500;
const MAX_PHASES: usize = 200;
const MAX_RULES: usize = 2_000;
const MAX_EXPRESSIONS: usize = 5_000;
const MAX_HANDLERS: usize = 50;
const MAX_TASKS: usize = 200;
/// Intents, exits, techniques and sections of the sidebar.
const MAX_OTHERS: usize = 500;
/// Single values in a memory in which every field has one.
const MAX_FILLED: usize = 20_000;

/// Reports what there is too much of; tells whether the engine is small enough to be checked.
pub fn check(definition: &Definition, problems: &mut Problems) -> bool {
    let before = problems.count();
    let fields = &definition.fields;
    let parts: usize = fields.iter().map(|field| parts(&field.shape)).sum();
    let sidebar = &definition.sidebar;
    let first = |id: Option<&Id>| id.map(|id| id.span.clone());
    let handler = definition.handlers.values().next().map(|handler| handler.span.clone());
    let expressions = super::expressions::sources(definition).count();
    let expression = super::expressions::sources(definition).next().map(|expr| expr.0.span.clone());
    let rule = rules(definition).next().map(|placed| placed.rule.span.clone());
    let sections =
        sidebar.static_sections.iter().chain(sidebar.dynamic_sections.iter().map(|dynamic| &dynamic.section));
    let counts: [(&str, usize, usize, Option<Span>); 13] = [
        ("fields", fields.len(), MAX_FIELDS, first(fields.first().map(|field| &field.path))),
        (
            "fields, properties, items and options",
            fields.len() + parts,
            MAX_PARTS,
            first(fields.first().map(|field| &field.path)),
        ),
        (
            "obligations",
            definition.obligations.len(),
            MAX_OBLIGATIONS,
            first(definition.obligations.first().map(|o| &o.id)),
        ),
        (
            "categories",
            definition.categories.len(),
            MAX_CATEGORIES,
            first(definition.categories.first().map(|category| &category.id)),
        ),
        ("phases", definition.phases.len(), MAX_PHASES, first(definition.phases.first().map(|phase| &phase.id))),
        ("triggers and conditions", rules(definition).count(), MAX_RULES, rule),
        ("expressions", expressions, MAX_EXPRESSIONS, expression),
        ("handlers", definition.handlers.len(), MAX_HANDLERS, handler),
        (
            "background tasks",
            definition.background_tasks.len(),
            MAX_TASKS,
            first(definition.background_tasks.first().map(|task| &task.id)),
        ),
        ("intents", definition.intents.len(), MAX_OTHERS, first(definition.intents.first().map(|intent| &intent.id))),
        (
            "exit transitions",
            definition.exit_transitions.len(),
            MAX_OTHERS,
            first(definition.exit_transitions.first().map(|exit| &exit.id)),
        ),
        (
            "techniques",
            definition.techniques.available.len(),
            MAX_OTHERS,
            first(definition.techniques.available.first()),
        ),
        ("sections", sections.clone().count(), MAX_OTHERS, first(sections.clone().next().map(|section| &section.id))),
    ];
    for (what, count, most, place) in counts {
        if count > most {
            problems
                .error("too-large", place.filter(|place| !place.is_empty()), format!("the engine has {count} {what}"))
                .help(format!("an engine has at most {most}; split it into several"));
        }
    }
    problems.count() == before
}

/// Values in lists of lists multiply: an engine can be small and what it asks for immense.
pub fn filled(definition: &Definition, problems: &mut Problems) {
    let sizes = definition.fields.iter().map(|field| (field, probe::filled(&field.shape)));
    let total = sizes.clone().map(|(_, size)| size).fold(0, usize::saturating_add);
    if total <= MAX_FILLED {
        return;
    }
    let Some((largest, size)) = sizes.max_by_key(|(_, size)| *size) else { return };
    problems
        .error(
            "too-large",
            largest.path.span.clone(),
            format!("filled in, `{}` has {size} values; all fields together {total}", largest.path),
        )
        .help(format!("at most {MAX_FILLED} are tried; use fewer lists in lists, or fewer properties"));
}

/// What a shape is made of.
fn parts(shape: &Shape) -> usize {
    let items = shape.items.as_ref().map_or(0, |items| 1 + parts(items));
    let properties = shape.properties.values().map(|part| 1 + parts(part)).sum::<usize>();
    shape.options.len() + items + properties
}
