//! Fields: unique paths, whole shapes, sensible merging, dependencies without circles.

use super::{acyclic, refers, unique};
use crate::engine::config::decode::Id;
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::{Problems, Span};
use crate::engine::config::fields::{Field, Kind, Merge, Shape};

pub fn check(definition: &Definition, problems: &mut Problems) {
    let fields = &definition.fields;
    if fields.is_empty() && !problems.within(&fields.span) {
        problems.error("no-fields", fields.span.clone(), "the engine has no field to fill");
    }
    unique("field", fields.iter().map(|field| &field.path), problems);
    let paths: Vec<&str> = fields.iter().map(|field| field.path.as_str()).collect();
    for field in fields.iter() {
        path(field, &paths, problems);
        shape(&field.shape, &field.path.span, 0, problems);
        merge(field, problems);
        for other in &field.depends_on {
            refers(other, "field", paths.iter().copied(), problems);
        }
    }
    let links: Vec<(&Id, &[Id])> = fields.iter().map(|f| (&f.path, f.depends_on.as_slice())).collect();
    acyclic("these fields", &links, problems);
    used(definition, problems);
}

fn path(field: &Field, paths: &[&str], problems: &mut Problems) {
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
    let inside = paths.iter().find(|other| path.strip_prefix(**other).is_some_and(|rest| rest.starts_with('.')));
    if let Some(other) = inside {
        problems
            .error("field-clash", path.span.clone(), format!("`{path}` lies inside the field `{other}`"))
            .help("a path is either a field or a group of fields");
    }
}

fn shape(shape: &Shape, at: &Span, depth: usize, problems: &mut Problems) {
    let mut wrong = |message: &str, help: &str| {
        problems.error("bad-shape", at.clone(), message.to_owned()).help(help);
    };
    let kind = shape.r#type;
    if depth > 4 {
        wrong("a value nested more than four levels deep", "no model fills it; split it into fields");
        return;
    }
    if kind == Kind::Enum && shape.options.len() < 2 {
        wrong("an enum needs at least two options", "add `options = [\"…\", \"…\"]`");
    }
    if kind != Kind::Enum && !shape.options.is_empty() {
        wrong(&format!("a {kind} has no options"), "make it `type = \"enum\"`, or drop `options`");
    }
    if kind == Kind::Array && shape.items.is_none() {
        wrong("an array needs the shape of its items", "add `items = { type = \"string\" }`");
    }
    if kind != Kind::Array && shape.items.is_some() {
        wrong(&format!("a {kind} has no items"), "make it `type = \"array\"`, or drop `items`");
    }
    if kind == Kind::Object && shape.properties.is_empty() {
        wrong("an object needs properties", "add `properties = { name = { type = \"string\" } }`");
    }
    if kind != Kind::Object && !shape.properties.is_empty() {
        wrong(&format!("a {kind} has no properties"), "make it `type = \"object\"`, or drop `properties`");
    }
    if let Some(items) = &shape.items {
        self::shape(items, at, depth + 1, problems);
    }
    for (_, property) in &shape.properties {
        self::shape(property, &property.span, depth + 1, problems);
    }
}

fn merge(field: &Field, problems: &mut Problems) {
    let kind = field.shape.r#type;
    if field.merge != Merge::Replace && kind != Kind::Array {
        problems
            .error("bad-merge", field.path.span.clone(), format!("a {kind} cannot be merged by `{}`", field.merge))
            .help("only arrays gather elements; drop `merge`");
        return;
    }
    let properties: Vec<&str> = match &field.shape.items {
        Some(items) => items.properties.keys().map(String::as_str).collect(),
        None => Vec::new(),
    };
    match (&field.key, field.merge) {
        (Some(key), Merge::Upsert) => {
            refers(key, "property of the items", properties, problems);
        }
        (None, Merge::Upsert) => problems
            .error("bad-merge", field.path.span.clone(), "`upsert` needs the `key` that tells elements apart")
            .help(format!("add `key = \"{}\"`", properties.first().copied().unwrap_or("name"))),
        (Some(key), _) => problems
            .error("bad-merge", key.span.clone(), "a `key` is of use only with `merge = \"upsert\"`")
            .help("add the `merge`, or drop the `key`"),
        (None, _) => {}
    }
}

/// A field that nothing asks for is filled by chance only.
fn used(definition: &Definition, problems: &mut Problems) {
    let prefixes: Vec<&str> = match &definition.completeness.model {
        crate::engine::config::completeness::CompletenessModel::Profile(model) => {
            model.dimensions.iter().map(|dimension| dimension.id.as_str()).collect()
        }
        _ => Vec::new(),
    };
    for field in definition.fields.iter().filter(|field| !field.path.is_empty()) {
        let asked = definition.obligations.iter().any(|o| o.satisfied_by.contains(&field.path));
        let named = super::expressions::sources(definition).any(|expr| expr.0.text.contains(field.path.as_str()));
        let measured = prefixes.iter().any(|prefix| field.path.starts_with(prefix));
        if !asked && !named && !measured {
            problems
                .warning("unused", field.path.span.clone(), format!("nothing asks for the field `{}`", field.path))
                .help("name it in an obligation's `satisfied_by`, or in an expression");
        }
    }
}
