//! Filters of the language that differ from the template machine's own: those whose results can be far larger than what
//! goes in count what they are about to write.

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::meter::charge;

/// Filters that are not part of the language: they build large things, or hide what is undefined.
pub(super) const LEFT_OUT: &[&str] =
    &["indent", "batch", "slice", "format", "pprint", "safe", "escape", "e", "chain", "zip", "split", "lines"];

pub(super) fn register(environment: &mut Environment<'static>) {
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
    environment.add_filter("list", list);
    environment.add_filter("sum", sum);
    environment.add_filter("tojson", |value: &Value| {
        serde_json::to_string(value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
    });
}

/// The elements of a list as one text.
#[allow(clippy::needless_pass_by_value, reason = "filters of the language take their arguments by value")]
fn join(state: &State<'_, '_>, items: Value, joint: Option<String>) -> Result<String, Error> {
    let joint = joint.unwrap_or_default();
    let mut joined = String::new();
    for (at, item) in items.try_iter()?.enumerate() {
        let text = item.as_str().map_or_else(|| item.to_string(), ToOwned::to_owned);
        charge(state, (joint.len() + text.len()) as u64)?;
        if at > 0 {
            joined.push_str(&joint);
        }
        joined.push_str(&text);
    }
    Ok(joined)
}

/// A text with one part of it exchanged for another.
#[allow(clippy::needless_pass_by_value, reason = "filters of the language take their arguments by value")]
fn replace(state: &State<'_, '_>, text: String, from: String, to: String) -> Result<String, Error> {
    charge(state, (text.matches(from.as_str()).count() * to.len() + text.len()) as u64)?;
    Ok(text.replace(from.as_str(), &to))
}

/// Anything with elements as a list. A text has none: taken apart it would be twenty times as large.
#[allow(clippy::needless_pass_by_value, reason = "filters of the language take their arguments by value")]
fn list(items: Value) -> Result<Value, Error> {
    if items.kind() == ValueKind::String {
        return Err(Error::new(ErrorKind::InvalidOperation, "a text is not a list"));
    }
    Ok(Value::from(items.try_iter()?.collect::<Vec<_>>()))
}

/// The sum of numbers, whole as long as they are.
#[allow(clippy::needless_pass_by_value, reason = "filters of the language take their arguments by value")]
fn sum(items: Value) -> Result<Value, Error> {
    let (mut whole, mut all) = (Some(0i64), 0.0);
    for item in items.try_iter()? {
        if item.kind() != ValueKind::Number {
            return Err(Error::new(ErrorKind::InvalidOperation, format!("`sum` adds numbers, not {}", item.kind())));
        }
        whole = whole.zip(item.as_i64()).and_then(|(sum, item)| sum.checked_add(item));
        all += f64::try_from(item)?;
    }
    Ok(whole.map_or_else(|| Value::from(all), Value::from))
}
