//! Values of fields: what they look like to a person, and when two of them say the same.

use serde_json::Value;

use super::config::Shape;
use super::words::Folded;

/// A value on one line for people, where nothing is known about its parts.
pub(crate) fn brief_text(value: &Value) -> String {
    text::<Shape>(value, None)
}

/// What a value looks like, as far as people see it.
pub trait Shaped {
    /// What people read instead of a value of it.
    fn word<'a>(&'a self, value: &'a str) -> &'a str {
        value
    }
    /// What a number counts.
    fn unit(&self) -> Option<&str>;
    /// The shape of the elements of a list.
    fn items(&self) -> Option<&Self>;
    /// The name of a part of a record, if it has one, and its shape.
    fn part(&self, key: &str) -> Option<(Option<&str>, &Self)>;
}

impl Shaped for Shape {
    fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    fn items(&self) -> Option<&Self> {
        self.items.as_ref().map(|part| &part.shape)
    }

    fn part(&self, key: &str) -> Option<(Option<&str>, &Self)> {
        self.properties.get(key).map(|part| (part.name.as_deref(), &part.shape))
    }
}

/// A value of this shape on one line for people: parts by their names, numbers with their units.
pub fn shaped_text(value: &Value, shape: &impl Shaped) -> String {
    text(value, Some(shape))
}

/// The same for notes, where the elements of a list have to be told apart: "gift cards (effort: low), wish list".
pub(crate) fn listed_text(value: &Value, shape: &Shape) -> String {
    let items = shape.items.as_ref().map(|items| &items.shape);
    match (value, items) {
        (Value::Array(all), Some(items)) => {
            all.iter().map(|item| record_text(item, items)).collect::<Vec<_>>().join(", ")
        }
        _ => record_text(value, shape),
    }
}

/// A record by its first part, with the others behind it in their order.
fn record_text(value: &Value, shape: &Shape) -> String {
    let Value::Object(record) = value else { return text(value, Some(shape)) };
    let parts = shape.properties.iter().filter_map(|(key, part)| Some((key, part, record.get(key)?)));
    let mut parts = parts.filter(|(.., value)| !value.is_null());
    let Some((_, first, head)) = parts.next().filter(|(.., head)| head.is_string()) else {
        return text(value, Some(shape));
    };
    let head = text(head, Some(&first.shape));
    let rest: Vec<String> = parts
        .map(|(key, part, value)| {
            let name = part.name.as_deref().map_or_else(|| key.replace('_', " "), str::to_lowercase);
            format!("{name}: {}", text(value, Some(&part.shape)))
        })
        .collect();
    if rest.is_empty() { head } else { format!("{head} ({})", rest.join(", ")) }
}

fn text<S: Shaped>(value: &Value, shape: Option<&S>) -> String {
    match value {
        Value::Null => "—".to_owned(),
        Value::Bool(said) => {
            let (value, plain) = if *said { ("true", "yes") } else { ("false", "no") };
            let word = shape.map_or(value, |shape| shape.word(value));
            if word == value { plain.to_owned() } else { word.to_owned() }
        }
        Value::Number(number) => match shape.and_then(S::unit) {
            Some(unit) => format!("{number} {unit}"),
            None => number.to_string(),
        },
        Value::Object(ends) if let Some((from, to)) = range_of(ends) => {
            let unit = shape.and_then(S::unit).map(|unit| format!(" {unit}")).unwrap_or_default();
            format!("{from}–{to}{unit}")
        }
        Value::String(text) => {
            let text = shape.map_or(text.as_str(), |shape| shape.word(text));
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        Value::Array(items) => {
            let part = shape.and_then(S::items);
            items.iter().map(|item| text(item, part)).collect::<Vec<_>>().join(", ")
        }
        Value::Object(object) => {
            let parts = object.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| {
                let (name, shape) = shape.and_then(|shape| shape.part(key)).unzip();
                let name = name.flatten().map_or_else(|| key.replace('_', " "), ToOwned::to_owned);
                format!("{name}: {}", text(value, shape))
            });
            parts.collect::<Vec<_>>().join("; ")
        }
    }
}

/// The ends of a range of numbers.
pub(crate) fn range_of(parts: &serde_json::Map<String, Value>) -> Option<(&serde_json::Number, &serde_json::Number)> {
    match (parts.len(), parts.get("from"), parts.get("to")) {
        (2, Some(Value::Number(from)), Some(Value::Number(to))) => Some((from, to)),
        _ => None,
    }
}

/// Whether two values say the same: texts regardless of case, spacing and punctuation, numbers regardless of their form.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a == b || Folded::new(a).as_str() == Folded::new(b).as_str(),
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;
    use serde_json::json;

    use super::*;
    use crate::decode::Spanned;
    use crate::engine::config::{Kind, Part};

    fn part(name: &str, kind: Kind, unit: Option<&str>) -> Part {
        let shape = Shape { r#type: kind, unit: unit.map(str::to_owned), ..Shape::default() };
        Part { name: (!name.is_empty()).then(|| name.to_owned()), shape, ..Part::default() }
    }

    #[test]
    fn parts_are_shown_by_their_names_and_numbers_with_their_units() {
        let parts = [
            ("name", part("Feature", Kind::String, None)),
            ("effort_days", part("Effort", Kind::Number, Some("days"))),
            ("asked_by", part("", Kind::String, None)),
        ];
        let spanned = |(key, part): (&str, Part)| (key.to_owned(), Spanned { value: part, span: 0..0 });
        let properties: IndexMap<_, _> = parts.into_iter().map(spanned).collect();
        let record = Shape { r#type: Kind::Object, properties, ..Shape::default() };
        let value = json!({ "name": "waiting list", "effort_days": 3, "asked_by": "nurses", "note": null });
        assert_eq!(shaped_text(&value, &record), "Feature: waiting list; Effort: 3 days; asked by: nurses");
        assert_eq!(brief_text(&value), "name: waiting list; effort days: 3; asked by: nurses");
        let items = Some(Box::new(Part { shape: record, ..Part::default() }));
        let list = Shape { r#type: Kind::Array, items, ..Shape::default() };
        assert_eq!(
            shaped_text(&json!([{ "effort_days": 1 }, { "effort_days": 2 }]), &list),
            "Effort: 1 days, Effort: 2 days"
        );
    }
}
