//! Values as they are typed: to a text that can be edited, and back. Nothing is taken that does not fit the field.

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::words;
use crate::engine::config::{Kind, Measure};
use crate::engine::outline::ShapeOutline;
use crate::engine::values::{Shaped as _, shaped_text};
use crate::words::ReviewWords as Says;

/// A value as it is edited: lists and records a line for each part, numbers bare.
pub(crate) fn to_text(value: &Value, shape: &ShapeOutline) -> String {
    match value {
        Value::Array(items) => {
            let lines =
                items.iter().map(|item| shape.items().map_or_else(String::new, |items| shaped_text(item, items)));
            lines.collect::<Vec<_>>().join("\n")
        }
        Value::Object(parts) if shape.kind == Kind::Object => {
            let said = parts.iter().filter(|(_, value)| !value.is_null());
            let lines = said.map(|(key, value)| match shape.parts.get(key) {
                Some(part) => format!("{}: {}", part.called(key), shaped_text(value, &part.shape)),
                None => format!("{key}: {}", shaped_text(value, shape)),
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => shaped_text(value, shape),
    }
}

/// What was typed as a value of that shape, or what is wrong with it.
pub(crate) fn parse(text: &str, shape: &ShapeOutline, says: &Says) -> Result<Value, String> {
    let text = text.trim();
    match shape.kind {
        Kind::Enum | Kind::Boolean => option(text, shape, says),
        Kind::Array => {
            let one =
                |line| shape.items.as_deref().map_or_else(|| Ok(Value::from(line)), |items| item(line, items, says));
            lines(text).map(one).collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        Kind::Object => record(lines(text), shape, says),
        Kind::String if shape.measure == Some(Measure::Date) && is_no_day(text) => Err(says.no_day(text)),
        // What holds it reads a number as an answer is read: in words, with thousands, as a range, in its unit.
        Kind::Number | Kind::String => Ok(Value::from(text)),
    }
}

/// Whether a text is written like a day in figures and the calendar has no such day. Days in words are for people.
pub(crate) fn is_no_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['-', '.', '/']).map(str::trim).collect();
    let numbers: Option<Vec<i16>> = parts.iter().map(|part| part.parse().ok()).collect();
    let Some([first, second, third]) = numbers.as_deref() else { return false };
    let is_day = |year: i16, month: i16, day: i16| {
        let (month, day) = (i8::try_from(month).unwrap_or(0), i8::try_from(day).unwrap_or(0));
        Date::new(year, month, day).is_ok()
    };
    // Year first; or day and month in either order, as countries have it.
    !(is_day(*first, *second, *third) || is_day(*third, *second, *first) || is_day(*third, *first, *second))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// An element of a list, on its line.
fn item(line: &str, shape: &ShapeOutline, says: &Says) -> Result<Value, String> {
    match shape.kind {
        Kind::Object => record(line.split(';').map(str::trim).filter(|part| !part.is_empty()), shape, says),
        _ => parse(line, shape, says),
    }
}

fn record<'t>(parts: impl Iterator<Item = &'t str>, shape: &ShapeOutline, says: &Says) -> Result<Value, String> {
    let no_part = |text: &str| says.no_part(text, words::part_names(shape, "; "));
    let mut record = Map::new();
    for text in parts {
        let (name, value) = text.split_once(':').ok_or_else(|| no_part(text))?;
        let is_named = |key: &str, called: &str| [key, called].iter().any(|known| same_name(known, name));
        let found = shape.parts.iter().find(|(key, part)| is_named(key, &part.called(key)));
        let (key, part) = found.ok_or_else(|| no_part(text))?;
        record.insert(key.clone(), parse(value, &part.shape, says)?);
    }
    Ok(Value::Object(record))
}

fn same_name(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

/// The choices that a field has, as people read them, each with its value.
pub(crate) fn choices(shape: &ShapeOutline, says: &Says) -> Vec<(String, Value)> {
    match shape.kind {
        Kind::Boolean => vec![(says.yes().to_owned(), true.into()), (says.no().to_owned(), false.into())],
        Kind::Enum => {
            shape.options.iter().map(|option| (shape.word(option).to_owned(), Value::from(option.as_str()))).collect()
        }
        _ => Vec::new(),
    }
}

fn option(text: &str, shape: &ShapeOutline, says: &Says) -> Result<Value, String> {
    let choices = choices(shape, says);
    let labels = || choices.iter().map(|(label, _)| label.clone()).collect::<Vec<_>>();
    let is_it =
        |label: &str, value: &Value| same_name(label, text) || value.as_str().is_some_and(|own| same_name(own, text));
    let found = choices.iter().find(|(label, value)| is_it(label, value)).map(|(_, value)| value.clone());
    found.ok_or_else(|| says.no_option(text, labels().join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::outline::PartOutline;

    fn says() -> &'static Says {
        &crate::words::english().review
    }

    fn shape(kind: Kind) -> ShapeOutline {
        ShapeOutline { kind, ..ShapeOutline::default() }
    }

    #[test]
    fn lists_of_records_are_edited_line_by_line() {
        let part = |name: Option<&str>, kind| PartOutline { name: name.map(str::to_owned), shape: shape(kind) };
        let parts =
            [("name".to_owned(), part(Some("Feature"), Kind::String)), ("days".to_owned(), part(None, Kind::Number))];
        let items = ShapeOutline { parts: parts.into_iter().collect(), ..shape(Kind::Object) };
        let list = ShapeOutline { items: Some(Box::new(items)), ..shape(Kind::Array) };
        let value = json!([{ "name": "waiting list", "days": 3 }, { "name": "export", "days": 1 }]);
        let text = to_text(&value, &list);
        assert_eq!(text, "Feature: waiting list; days: 3\nFeature: export; days: 1");
        let back = parse(&format!("{text}\n\nfeature: reminder"), &list, says()).unwrap();
        assert_eq!(
            back,
            json!([{ "name": "waiting list", "days": "3" }, { "name": "export", "days": "1" }, { "name": "reminder" }])
        );
        assert!(parse("waiting list", &list, says()).unwrap_err().contains("Feature: …"));
    }

    #[test]
    fn a_day_in_figures_is_one_of_the_calendar() {
        let date = ShapeOutline { measure: Some(Measure::Date), ..shape(Kind::String) };
        for day in ["2027-03-31", "31.3.2027", "3/31/2027", "31/03/2027", "end of June", "in six weeks", "2027"] {
            assert_eq!(parse(day, &date, says()), Ok(json!(day)));
        }
        for none in ["2027-02-30", "31.4.2027", "13/31/2027"] {
            assert!(parse(none, &date, says()).unwrap_err().contains("calendar"), "{none}");
        }
    }

    #[test]
    fn choices_take_nothing_else_and_numbers_go_on_as_they_were_written() {
        let people = ShapeOutline { unit: Some("people".to_owned()), ..shape(Kind::Number) };
        assert_eq!(parse("1,200 people", &people, says()), Ok(json!("1,200 people")));
        assert_eq!(parse("two hundred", &people, says()), Ok(json!("two hundred")));
        assert_eq!(parse("Yes", &shape(Kind::Boolean), says()), Ok(json!(true)));
        let often = ShapeOutline { options: vec!["daily".to_owned(), "weekly".to_owned()], ..shape(Kind::Enum) };
        assert_eq!(parse("Weekly", &often, says()), Ok(json!("weekly")));
        assert!(parse("hourly", &often, says()).unwrap_err().contains("daily, weekly"));
    }
}
