//! What is different between two versions of an engine, in words: what came, what went, and which values are others.

use serde_json::{Map, Value};

use super::Engine;
use crate::decode::Surface as _;

/// Texts longer than this are said to be reworded rather than quoted.
const QUOTED: usize = 24;

/// Everything that is different, what came and went first.
pub fn changes(old: &Engine, new: &Engine) -> Vec<String> {
    let mut found = Difference::default();
    if let (Value::Object(old), Value::Object(new)) = (old.definition().encode(), new.definition().encode()) {
        found.tables("", &old, &new);
    }
    for (file, old, new) in
        [("prompt.md", old.prompt(), new.prompt()), ("brief.md", old.brief_source(), new.brief_source())]
    {
        if old != new {
            found.changed.push(format!("{file} was reworded"));
        }
    }
    let mut all = found.came_and_went;
    all.append(&mut found.changed);
    all
}

/// The first few of them, and how many more there are.
pub(crate) fn in_short(changes: &[String], most: usize) -> String {
    let shown = changes.iter().take(most).cloned();
    let rest = changes.len().saturating_sub(most);
    let rest = (rest > 0).then(|| format!("and {rest} more"));
    let all: Vec<String> = shown.chain(rest).collect();
    if all.is_empty() { "nothing that matters to it".to_owned() } else { all.join("; ") }
}

#[derive(Default)]
struct Difference {
    came_and_went: Vec<String>,
    changed: Vec<String>,
}

impl Difference {
    fn tables(&mut self, at: &str, old: &Map<String, Value>, new: &Map<String, Value>) {
        let place = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
        for key in new.keys().filter(|key| !old.contains_key(*key)) {
            self.came_and_went.push(format!("{} was added", called(&place(key))));
        }
        for (key, was) in old {
            match new.get(key) {
                Some(is) => self.values(&place(key), was, is),
                None => self.came_and_went.push(format!("{} was removed", called(&place(key)))),
            }
        }
    }

    fn values(&mut self, at: &str, was: &Value, is: &Value) {
        match (was, is) {
            _ if was == is => {}
            (Value::Object(was), Value::Object(is)) => self.tables(at, was, is),
            (Value::Array(was), Value::Array(is)) => match (by_name(was), by_name(is)) {
                (Some(was), Some(is)) => self.tables(at, &was, &is),
                _ if was.len() == is.len() => {
                    for (number, (was, is)) in was.iter().zip(is).enumerate() {
                        self.values(&format!("{at}[{number}]"), was, is);
                    }
                }
                _ => self.changed.push(format!("{} has {} instead of {}", called(at), is.len(), was.len())),
            },
            (Value::String(was), Value::String(is)) if was.len().max(is.len()) > QUOTED => {
                self.changed.push(format!("{} was reworded", called(at)));
            }
            _ => self.changed.push(format!("{}: {} → {}", called(at), short(was), short(is))),
        }
    }
}

/// A list whose items have names, as a table.
fn by_name(items: &[Value]) -> Option<Map<String, Value>> {
    let name = |item: &Value| Some(item.get("id").or_else(|| item.get("path"))?.as_str()?.to_owned());
    let named: Map<String, Value> =
        items.iter().map(|item| Some((name(item)?, item.clone()))).collect::<Option<Map<_, _>>>()?;
    (named.len() == items.len()).then_some(named)
}

/// A place in the words of the engine file: `phase STORY triggers[0].threshold`.
fn called(at: &str) -> String {
    let lists = [
        ("phases.", "phase "),
        ("obligations.", "obligation "),
        ("categories.", "category "),
        ("fields.", "field "),
        ("exit_transitions.", "exit "),
        ("background_tasks.", "background task "),
        ("evaluators.", "evaluator "),
        ("intents.", "intent "),
        ("handlers.", "handler "),
    ];
    let named = lists.iter().find_map(|(list, one)| at.strip_prefix(list).map(|rest| format!("{one}{rest}")));
    named.unwrap_or_else(|| at.to_owned())
}

fn short(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Array(_) | Value::Object(_) => "…".to_owned(),
        other => other.to_string(),
    }
}
