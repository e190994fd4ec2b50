//! Shapes of values: whole, and no deeper than a model can fill.

use std::collections::HashSet;

use crate::decode::Problems;
use crate::engine::config::fields::{Kind, Measure, Shape};

/// How deep a value may nest.
const MAX_DEPTH: usize = 4;

pub fn check(shape: &Shape, problems: &mut Problems) {
    nested(shape, 0, problems);
}

/// Whether there is something to choose from that is no option: a number, or a date.
fn takes_quick_answers(shape: &Shape) -> bool {
    match shape.r#type {
        Kind::Number => true,
        Kind::String => shape.measure == Some(Measure::Date),
        Kind::Enum | Kind::Boolean | Kind::Array | Kind::Object => false,
    }
}

fn nested(shape: &Shape, depth: usize, problems: &mut Problems) {
    let kind = shape.r#type;
    // Of what kind it was meant to be cannot be told.
    let Some(place) = shape.at.given("type").filter(|place| !problems.within(place)) else { return };
    if depth > MAX_DEPTH {
        problems
            .error("bad-shape", place, "a value nested more than four levels deep")
            .help("no model fills it; split it into fields");
        return;
    }
    let needed = match kind {
        Kind::Enum => ("options", shape.options.len() >= 2, "at least two options", "add `options = [\"…\", \"…\"]`"),
        Kind::Array => {
            ("items", shape.items.is_some(), "the shape of its items", "add `items = { type = \"string\" }`")
        }
        Kind::Object => (
            "properties",
            !shape.properties.is_empty(),
            "properties",
            "add `properties = { name = { type = \"string\" } }`",
        ),
        Kind::String | Kind::Number | Kind::Boolean => ("", true, "", ""),
    };
    let (key, there, what, help) = needed;
    let at = shape.at.given(key).unwrap_or(place);
    if !there && !problems.within(&at) {
        problems.error("bad-shape", at, format!("{} needs {what}", kind.with_article())).help(help);
    }
    for (key, owner) in
        [("options", Kind::Enum), ("items", Kind::Array), ("properties", Kind::Object), ("unit", Kind::Number)]
    {
        if let Some(at) = shape.at.given(key).filter(|_| kind != owner) {
            problems
                .error("bad-shape", at, format!("{} has no {key}", kind.with_article()))
                .help(format!("make it `type = \"{owner}\"`, or drop `{key}`"));
        }
    }
    for key in ["quick", "quick_in"] {
        if let Some(at) = shape.at.given(key).filter(|_| !takes_quick_answers(shape)) {
            problems
                .error("bad-shape", at, format!("{} of this kind offers no quick answers", kind.with_article()))
                .help(format!("they go with a number, or with a text of `measure = \"date\"`; drop `{key}`"));
        }
    }
    let mut seen = HashSet::new();
    for option in shape.options.iter().filter(|option| !option.is_empty()) {
        if !seen.insert(option.as_str()) {
            problems.error("duplicate-id", shape.at.of("options"), format!("the option `{option}` is there twice"));
        }
    }
    if let Some(items) = shape.items.as_ref().filter(|_| kind == Kind::Array) {
        nested(items, depth + 1, problems);
    }
    for property in shape.properties.values().filter(|_| kind == Kind::Object) {
        nested(property, depth + 1, problems);
    }
}
