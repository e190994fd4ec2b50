//! The arguments of a call: read one by one, bounded, and nothing overlooked. What is wrong is told in words.

use serde_json::{Map, Value};

use crate::decode::nearest;

/// The arguments of a call that were not read yet.
pub(super) struct Arguments {
    given: Map<String, Value>,
    /// Names that were asked for.
    known: Vec<&'static str>,
}

impl Arguments {
    pub fn of(given: Map<String, Value>) -> Self {
        Self { given, known: Vec::new() }
    }

    /// A text that has to be there.
    pub fn text(&mut self, name: &'static str, most: usize) -> Result<String, String> {
        self.optional(name, most)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    /// A text that may be left out; an empty one is none.
    pub fn optional(&mut self, name: &'static str, most: usize) -> Result<Option<String>, String> {
        self.known.push(name);
        match self.given.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.len() > most => {
                Err(format!("`{name}` has {} bytes; at most {most} are taken in", text.len()))
            }
            Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
            Some(_) => Err(format!("`{name}` has to be a text")),
        }
    }

    /// One of a few words; the first where it is left out.
    pub fn choice(&mut self, name: &'static str, words: &[&'static str]) -> Result<&'static str, String> {
        let given = self.optional(name, 64)?;
        let Some(given) = given else { return Ok(words.first().copied().unwrap_or_default()) };
        let known = words.iter().find(|word| **word == given);
        known.copied().ok_or_else(|| format!("`{name}` has to be one of: {}", words.join(", ")))
    }

    /// A number between 1 and a limit, which it is where it is left out.
    pub fn count(&mut self, name: &'static str, usual: u64, most: u64) -> Result<usize, String> {
        self.known.push(name);
        let wrong = || format!("`{name}` has to be a whole number from 1 to {most}");
        let number = match self.given.remove(name) {
            None | Some(Value::Null) => usual,
            Some(value) => value.as_u64().filter(|count| (1..=most).contains(count)).ok_or_else(wrong)?,
        };
        usize::try_from(number).map_err(|_| wrong())
    }

    /// Refuses what nobody asked for: a name that is misspelt would be lost without a word.
    pub fn finish(self) -> Result<(), String> {
        let Some(name) = self.given.keys().next() else { return Ok(()) };
        let shown: String = name.chars().take(60).collect();
        let hint = nearest(name, &self.known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let known = if self.known.is_empty() { "none".to_owned() } else { self.known.join(", ") };
        Err(format!("there is no argument `{shown}`{hint} Known are: {known}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: &Value) -> Arguments {
        Arguments::of(value.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn what_is_missing_too_long_or_of_another_kind_is_told() {
        assert_eq!(arguments(&json!({})).text("message", 10).unwrap_err(), "`message` is missing");
        assert_eq!(arguments(&json!({"message": " "})).text("message", 10).unwrap_err(), "`message` is missing");
        assert!(arguments(&json!({"message": "x".repeat(11)})).text("message", 10).unwrap_err().contains("at most 10"));
        assert!(arguments(&json!({"message": 5})).text("message", 10).unwrap_err().contains("a text"));
        for count in [json!(0), json!(51), json!(-1), json!(1.5), json!("3")] {
            assert!(arguments(&json!({ "limit": count })).count("limit", 20, 50).is_err(), "{count}");
        }
        assert_eq!(arguments(&json!({})).count("limit", 20, 50), Ok(20));
    }

    #[test]
    fn a_misspelt_name_is_not_lost() {
        let mut given = arguments(&json!({"session_id": "a", "mesage": "hello"}));
        given.text("session_id", 64).unwrap();
        given.optional("message", 64).unwrap();
        assert!(given.finish().unwrap_err().contains("did you mean `message`?"));
    }
}
