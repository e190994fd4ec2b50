//! The domain functions of the language: what an engine's conditions mostly ask, each as one short word.

use std::sync::Arc;

use minijinja::value::{Kwargs, Rest};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::meter::{charge, count};
use super::view::{SELF, Snapshot};
use crate::engine::memory::Status;

/// What the first argument of a function names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Field,
    Prefix,
    Obligation,
    Category,
    Task,
    Intent,
    Nothing,
}

/// What a look at one field or obligation counts in the budget of an evaluation.
const LOOK: u64 = 8;

/// The functions, and what the text in their first argument must name.
pub(super) const FUNCTIONS: &[(&str, Names)] = &[
    ("known", Names::Field),
    ("confidence", Names::Field),
    ("value", Names::Field),
    ("count", Names::Field),
    ("quote", Names::Field),
    ("coverage", Names::Prefix),
    ("satisfied", Names::Obligation),
    ("status", Names::Obligation),
    ("satisfaction", Names::Category),
    ("done", Names::Task),
    ("intent", Names::Intent),
    ("ratio", Names::Nothing),
    ("mean", Names::Nothing),
    ("records", Names::Nothing),
    ("about", Names::Nothing),
];

pub(super) fn register(environment: &mut Environment<'static>) {
    environment.add_function("known", |state: &State<'_, '_>, path: String| {
        Ok::<_, Error>(view(state)?.memory.extraction.is_known(&path))
    });
    environment.add_function("confidence", |state: &State<'_, '_>, path: String| {
        Ok::<_, Error>(view(state)?.memory.extraction.confidence(&path))
    });
    environment.add_function("value", |state: &State<'_, '_>, path: String| {
        let view = view(state)?;
        charge(state, LOOK * view.definition.fields.len() as u64)?;
        let value = view.field_value(&path);
        count(state, &value)?;
        Ok::<_, Error>(value)
    });
    environment.add_function("quote", |state: &State<'_, '_>, path: String| {
        let view = view(state)?;
        let evidence = view.memory.extraction.get(&path).and_then(|field| field.evidence.as_ref());
        Ok::<_, Error>(evidence.map_or(Value::from(()), |evidence| Value::from(evidence.quote.as_str())))
    });
    environment.add_function("count", |state: &State<'_, '_>, path: String| {
        let view = view(state)?;
        Ok::<_, Error>(match view.memory.extraction.value(&path) {
            Some(serde_json::Value::Array(items)) => items.len(),
            Some(_) => 1,
            None => 0,
        })
    });
    environment.add_function("coverage", coverage);
    environment.add_function("satisfied", |state: &State<'_, '_>, id: String| {
        Ok::<_, Error>(view(state)?.memory.obligations.status(&id) == Status::Satisfied)
    });
    environment.add_function("status", |state: &State<'_, '_>, id: String| {
        Ok::<_, Error>(view(state)?.memory.obligations.status(&id).word())
    });
    environment.add_function("satisfaction", |state: &State<'_, '_>, category: String| {
        let view = view(state)?;
        charge(state, LOOK * view.definition.obligations.len() as u64)?;
        Ok::<_, Error>(crate::engine::obligations::satisfaction_rate(&view.definition, &view.memory, &category))
    });
    environment.add_function("done", |state: &State<'_, '_>, id: String| {
        let view = view(state)?;
        Ok::<_, Error>(view.memory.background_tasks.get(&id).is_some_and(|task| task.result.is_some()))
    });
    environment.add_function("intent", |state: &State<'_, '_>, id: String| {
        Ok::<_, Error>(view(state)?.memory.intents.contains_key(&id))
    });
    environment.add_function("ratio", ratio);
    environment.add_function("mean", mean);
    environment.add_function("records", records);
    environment.add_function("about", about);
}

pub(super) fn view(state: &State<'_, '_>) -> Result<Arc<Snapshot>, Error> {
    state
        .lookup(SELF)
        .and_then(|value| value.downcast_object::<Snapshot>())
        .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "there is no working memory to read"))
}

/// The share of fields below a prefix that are known.
#[allow(clippy::needless_pass_by_value, reason = "functions of the language take their arguments by value")]
fn coverage(state: &State<'_, '_>, prefix: String) -> Result<f64, Error> {
    let view = view(state)?;
    charge(state, LOOK * view.definition.fields.len() as u64)?;
    let below = |path: &str| path.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.starts_with('.'));
    let paths: Vec<&str> = view.definition.fields.iter().map(|f| f.path.as_str()).filter(|p| below(p)).collect();
    let known = paths.iter().filter(|path| view.memory.extraction.is_known(path)).count();
    Ok(if paths.is_empty() { 0.0 } else { known as f64 / paths.len() as f64 })
}

/// The share of items in which every named attribute says something. `of=3` counts as if there were at least three.
#[allow(clippy::needless_pass_by_value, reason = "functions of the language take their arguments by value")]
fn ratio(items: Value, tests: Rest<String>, options: Kwargs) -> Result<f64, Error> {
    let at_least: Option<usize> = options.get("of")?;
    options.assert_all_used()?;
    let items: Vec<Value> = items.try_iter()?.collect();
    let says_all = |item: &Value| tests.iter().all(|test| item.get_attr(test).is_ok_and(|value| value.is_true()));
    let passed = items.iter().filter(|item| says_all(item)).count();
    let total = items.len().max(at_least.unwrap_or(0));
    Ok(if total == 0 { 0.0 } else { passed as f64 / total as f64 })
}

/// The mean of scores, true counting as 1.
#[allow(clippy::needless_pass_by_value, reason = "functions of the language take their arguments by value")]
fn mean(scores: Rest<Value>) -> Result<f64, Error> {
    if scores.is_empty() {
        return Err(Error::new(ErrorKind::MissingArgument, "mean() needs something to average"));
    }
    let mut sum = 0.0;
    for score in scores.iter() {
        sum += f64::try_from(score.clone()).unwrap_or_else(|_| f64::from(u8::from(score.is_true())));
    }
    Ok(sum / scores.len() as f64)
}

/// A list of texts as a list of records: each item under `key`, with the same further parts in all.
#[allow(clippy::needless_pass_by_value, reason = "functions of the language take their arguments by value")]
fn records(items: Value, key: String, parts: Kwargs) -> Result<Value, Error> {
    let mut constants = Vec::new();
    for name in parts.args() {
        constants.push((name.to_owned(), parts.get::<Value>(name)?));
    }
    let record = |item: Value| -> Value {
        let all = constants.iter().cloned().chain([(key.clone(), item)]);
        Value::from(all.collect::<std::collections::BTreeMap<_, _>>())
    };
    Ok(items.try_iter()?.map(record).collect())
}

/// The first text of a list that has one of the words in it, whatever their case; none, if there is none.
#[allow(clippy::needless_pass_by_value, reason = "functions of the language take their arguments by value")]
fn about(items: Value, words: Rest<String>) -> Result<Value, Error> {
    if items.is_undefined() || items.is_none() {
        return Ok(Value::from(()));
    }
    let wanted: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let mentions = |text: &str| {
        let text = text.to_lowercase();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        wanted.iter().any(|word| {
            text.match_indices(word.as_str()).any(|(at, found)| {
                // A sign such as € is a word wherever it stands; letters are one only between other characters.
                !word.starts_with(char::is_alphanumeric)
                    || !is_word(text[..at].chars().next_back()) && !is_word(text[at + found.len()..].chars().next())
            })
        })
    };
    let found = items.try_iter()?.find(|item| item.as_str().is_some_and(mentions));
    Ok(found.unwrap_or_else(|| Value::from(())))
}
