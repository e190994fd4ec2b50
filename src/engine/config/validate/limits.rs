//! How many of everything an engine may have. Checks compare what an engine defines with what refers to it, and try its
//! expressions on memories made up from its fields: without these limits a file of half a megabyte takes minutes and
//! gigabytes. Each limit is at least ten times what the largest real engine has.

use crate::decode::{Problems, Span};
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
    let fields = many(definition.fields.iter().map(|field| &field.path.span));
    let parts: usize = definition.fields.iter().map(|field| 1 + parts(&field.shape)).sum();
    let sidebar = &definition.sidebar;
    let dynamic = sidebar.dynamic_sections.iter().map(|dynamic| &dynamic.section);
    let sections = sidebar.static_sections.iter().chain(dynamic);
    let counts = [
        ("fields, properties, items and options", (parts, fields.1.clone()), MAX_PARTS),
        ("fields", fields, MAX_FIELDS),
        ("obligations", many(definition.obligations.iter().map(|o| &o.id.span)), MAX_OBLIGATIONS),
        ("categories", many(definition.categories.iter().map(|category| &category.id.span)), MAX_CATEGORIES),
        ("phases", many(definition.phases.iter().map(|phase| &phase.id.span)), MAX_PHASES),
        ("triggers and conditions", many(rules(definition).map(|placed| &placed.rule.span)), MAX_RULES),
        ("expressions", many(super::expressions::sources(definition).map(|expr| &expr.0.span)), MAX_EXPRESSIONS),
        ("handlers", many(definition.handlers.values().map(|handler| &handler.span)), MAX_HANDLERS),
        ("background tasks", many(definition.background_tasks.iter().map(|task| &task.id.span)), MAX_TASKS),
        ("intents", many(definition.intents.iter().map(|intent| &intent.id.span)), MAX_OTHERS),
        ("exit transitions", many(definition.exit_transitions.iter().map(|exit| &exit.id.span)), MAX_OTHERS),
        ("techniques", many(definition.techniques.available.iter().map(|id| &id.span)), MAX_OTHERS),
        ("sections", many(sections.map(|section| &section.id.span)), MAX_OTHERS),
    ];
    for (what, (count, place), most) in counts {
        if count > most {
            problems
                .error("too-large", place, format!("the engine has {count} {what}"))
                .help(format!("an engine has at most {most}; split it into several"));
        }
    }
    problems.count() == before
}

/// How many there are, and where the first that could be read stands.
fn many<'d>(mut places: impl Iterator<Item = &'d Span>) -> (usize, Option<Span>) {
    let mut count = 0;
    let first = places.by_ref().inspect(|_| count += 1).find(|place| !place.is_empty()).cloned();
    (count + places.count(), first)
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
