//! Fields: unique paths, sensible merging, dependencies without circles, and something that asks for them.

use std::collections::HashSet;

use super::known::{Known, NameList, Uses};
use super::{acyclic, once, refers, shapes, unique};
use crate::decode::{Id, Problems};
use crate::engine::config::definition::Definition;
use crate::engine::config::expression::Expr;
use crate::engine::config::fields::{Field, Kind, Merge};
use crate::engine::config::obligations::Obligation;
use crate::engine::config::rule::Subject;
use crate::engine::expression::{Reads, lies_below, references};

pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    let fields = &definition.fields;
    if fields.is_empty() && !problems.within(&fields.span) {
        problems.error("no-fields", fields.span.clone(), "the engine has no field to fill");
    }
    unique("field", fields.iter().map(|field| &field.path), problems);
    for field in fields.iter() {
        path(field, &known.fields, problems);
        shapes::check(&field.shape, problems);
        merge(field, problems);
        for other in field.depends_on.iter().chain(&field.left_out) {
            refers(other, "field", &known.fields, problems);
        }
        once(&field.depends_on, problems);
    }
    let links: Vec<(&Id, &[Id])> = fields.iter().map(|f| (&f.path, f.depends_on.as_slice())).collect();
    acyclic("these fields", &links, problems);
}

fn path(field: &Field, paths: &NameList<'_>, problems: &mut Problems) {
    let path = &field.path;
    if path.is_empty() {
        return;
    }
    let legal = path.split('.').all(|part| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    });
    if !legal {
        problems
            .error("bad-name", path.span.clone(), format!("`{path}` is not a field path"))
            .help("write snake_case names joined by dots, such as `purpose.core_problem`");
    }
    let groups = path.match_indices('.').map(|(at, _)| &path[..at]);
    if let Some(other) = groups.into_iter().find(|group| paths.has(group)) {
        problems
            .error("field-clash", path.span.clone(), format!("`{path}` lies inside the field `{other}`"))
            .help("a path is either a field or a group of fields");
    }
}

fn merge(field: &Field, problems: &mut Problems) {
    let kind = field.shape.r#type;
    let read = |key: &str, problems: &Problems| field.at.given(key).is_none_or(|place| !problems.within(&place));
    if !read("merge", problems) || !read("type", problems) || !read("items", problems) {
        return;
    }
    // Something with items that is no array has been told.
    if kind != Kind::Array && field.shape.items.is_some() {
        return;
    }
    let place = field.at.of("merge");
    if field.merge != Merge::Replace && kind != Kind::Array {
        let message = format!("{} cannot be merged by `{}`", kind.with_article(), field.merge);
        problems.error("bad-merge", place, message).help("only arrays gather elements; drop `merge`");
        return;
    }
    let Some(key) = &field.key else {
        if field.merge == Merge::Upsert {
            let properties = field.shape.items.as_ref().and_then(|items| items.properties.keys().next());
            let example = properties.map_or("name", String::as_str);
            problems
                .error("bad-merge", place, "`upsert` needs the `key` that tells elements apart")
                .help(format!("add `key = \"{example}\"`"));
        }
        return;
    };
    if field.merge != Merge::Upsert {
        problems
            .error("bad-merge", key.span.clone(), "a `key` is of use only with `merge = \"upsert\"`")
            .help("add the `merge`, or drop the `key`");
        return;
    }
    // An array without items has been told.
    let Some(items) = &field.shape.items else { return };
    if items.r#type != Kind::Object {
        let message = format!("{} has no properties, so no `key` tells one from another", items.r#type.with_article());
        problems.error("bad-merge", key.span.clone(), message).help("use `merge = \"union\"`, or make them objects");
        return;
    }
    let properties: Vec<&str> = items.properties.keys().map(String::as_str).collect();
    let composite = |name: &str| {
        let kind = items.properties.get(name).map(|property| property.r#type);
        matches!(kind, Some(Kind::Array | Kind::Object))
    };
    if properties.is_empty() {
        return;
    }
    if !properties.contains(&key.as_str()) {
        problems
            .error("bad-reference", key.span.clone(), format!("the items have no property `{key}`"))
            .suggest(key, properties);
    } else if composite(key) {
        problems
            .error("bad-merge", key.span.clone(), format!("`{key}` is not a single value, so it tells nothing apart"))
            .help("use a property that is a text or a number");
    }
}

/// Warns of fields that nothing asks for: they are filled by chance only.
pub fn used(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    let silent = |o: &Obligation| o.satisfied_by.is_empty() && o.when.is_none();
    let faulty = |expr: &Expr| problems.blamed(&expr.0.span);
    // Whatever should have asked for a field has been told then.
    if ["obligations", "completeness"].iter().any(|key| problems.faulty(key))
        || definition.obligations.is_empty()
        || definition.obligations.iter().any(silent)
        || super::expressions::sources(definition).any(faulty)
    {
        return;
    }
    let mut asked = Uses::of(definition.obligations.iter().flat_map(|o| &o.satisfied_by), &known.fields);
    let mut prefixes: Vec<&str> = Vec::new();
    for subject in definition.completeness.model.subjects() {
        match subject {
            Subject::FieldsBelow(prefix) => prefixes.push(prefix),
            Subject::Field(field) => asked.add(field, &known.fields),
            Subject::Category(_) | Subject::Obligation(_) | Subject::Evaluator(_) | Subject::Expression(_) => {}
        }
    }
    // What is read in a thousand places is compared with the fields once.
    let read: HashSet<Reads> = super::expressions::sources(definition)
        .flat_map(|expr| references(&expr.0.text, false))
        .filter_map(|reference| Reads::of(&reference))
        .collect();
    for field in definition.fields.iter().filter(|field| !field.path.is_empty()) {
        let path = field.path.as_str();
        let named = read.iter().any(|read| read.has(path));
        let measured = prefixes.iter().any(|prefix| lies_below(path, prefix));
        if !asked.has(path) && !named && !measured {
            problems
                .warning("unused", field.path.span.clone(), format!("nothing asks for the field `{path}`"))
                .help("name it in an obligation's `satisfied_by`, or in an expression");
        }
    }
}
