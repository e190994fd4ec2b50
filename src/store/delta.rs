//! The difference between two JSON documents, small where they differ little, exact where they differ at all.
//!
//! A state of 10–60 KB changes a little each turn. Storing it whole each time would let a session of 1,000 turns weigh
//! 60 MB; storing what changed costs as much as changed. JSON merge patch (RFC 7396) would not do: it cannot set a
//! `null`, replaces arrays whole, and forgets the order of keys. JSON patch (RFC 6902) has paths but no edit inside an
//! array that slides or inside a long text that grows, which is what histories and summaries do.
//!
//! [`apply`] on the old document and [`diff`] of old and new gives back the new one: same values, same order of keys,
//! same bits in every number.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Below this depth whatever changed is replaced whole: a patch nests deeper than the document it patches, and the
/// parser refuses what is nested 128 deep.
const MAX_DEPTH: usize = 16;
/// Above this product of lengths arrays are compared end to end only, so that time stays bounded.
const MAX_ALIGNMENT: usize = 250_000;
/// Texts shorter than this are replaced whole.
const MIN_SPLICE: usize = 48;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Patch {
    /// It becomes this value.
    #[serde(rename = "=")]
    Replace(Value),
    /// It is a text: keep so many bytes at the start and at the end, put this between.
    #[serde(rename = "t")]
    Splice(usize, usize, String),
    /// It is an array: these edits one after another.
    #[serde(rename = "a")]
    Items(Vec<Edit>),
    /// It is an object.
    #[serde(rename = "o")]
    Members(Members),
}

/// Says how an array changes, going through the old one from its start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// The next so many stay.
    #[serde(rename = "k")]
    Keep(usize),
    /// The next so many go.
    #[serde(rename = "d")]
    Drop(usize),
    /// These come in.
    #[serde(rename = "i")]
    Insert(Vec<Value>),
    /// The next one changes.
    #[serde(rename = "p")]
    Change(Patch),
}

/// Says how an object changes: first members go, then members change, then members come in at the end, then all are
/// put into the order given, if one is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Members {
    /// Keys that go.
    #[serde(rename = "d", default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    #[serde(rename = "p", default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<(String, Patch)>,
    /// What comes in.
    #[serde(rename = "i", default, skip_serializing_if = "Map::is_empty")]
    pub inserted: Map<String, Value>,
    /// The order of all keys, where it is not the old order with the new ones at the end.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
}

/// Tells whether two values are the same in every respect: order of keys and sign of zero too, which `==` ignores.
pub fn identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((ka, va), (kb, vb))| ka == kb && identical(va, vb))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| identical(a, b)),
        (Value::Number(x), Value::Number(y)) => {
            x == y && (!x.is_f64() || x.as_f64().map(f64::to_bits) == y.as_f64().map(f64::to_bits))
        }
        _ => a == b,
    }
}

/// Returns what turns `old` into `new`.
pub fn diff(old: &Value, new: &Value) -> Patch {
    diff_at(old, new, 0)
}

fn diff_at(old: &Value, new: &Value, depth: usize) -> Patch {
    if depth < MAX_DEPTH {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => return Patch::Members(diff_members(old, new, depth)),
            (Value::Array(old), Value::Array(new)) => return Patch::Items(diff_items(old, new, depth)),
            (Value::String(old), Value::String(new)) if old.len() >= MIN_SPLICE && new.len() >= MIN_SPLICE => {
                return splice(old, new);
            }
            _ => {}
        }
    }
    Patch::Replace(new.clone())
}

fn diff_members(old: &Map<String, Value>, new: &Map<String, Value>, depth: usize) -> Members {
    let dropped: Vec<String> = old.keys().filter(|key| !new.contains_key(*key)).cloned().collect();
    let changed = old
        .iter()
        .filter_map(|(key, value)| new.get(key).map(|next| (key, value, next)))
        .filter(|(_, value, next)| !identical(value, next))
        .map(|(key, value, next)| (key.clone(), diff_at(value, next, depth + 1)))
        .collect();
    let inserted: Map<String, Value> = new
        .iter()
        .filter(|(key, _)| !old.contains_key(*key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let natural = old.keys().filter(|key| new.contains_key(*key)).chain(inserted.keys());
    let order = (!natural.eq(new.keys())).then(|| new.keys().cloned().collect());
    Members { dropped, changed, inserted, order }
}

fn diff_items(old: &[Value], new: &[Value], depth: usize) -> Vec<Edit> {
    let start = old.iter().zip(new).take_while(|(a, b)| identical(a, b)).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| identical(a, b)).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    let mut edits = Vec::new();
    keep(&mut edits, start);
    let (mut i, mut j) = (0, 0);
    for (a, b) in alignment(old, new) {
        gap(&mut edits, &old[i..a], &new[j..b], depth);
        keep(&mut edits, 1);
        (i, j) = (a + 1, b + 1);
    }
    gap(&mut edits, &old[i..], &new[j..], depth);
    keep(&mut edits, end);
    edits
}

/// Adds to the last run of kept items, or begins one.
fn keep(edits: &mut Vec<Edit>, count: usize) {
    match edits.last_mut() {
        _ if count == 0 => {}
        Some(Edit::Keep(before)) => *before += count,
        _ => edits.push(Edit::Keep(count)),
    }
}

/// Turns a stretch without common items into another: pairs change, what is left over goes or comes in.
fn gap(edits: &mut Vec<Edit>, old: &[Value], new: &[Value], depth: usize) {
    let pairs = old.len().min(new.len());
    edits.extend(old.iter().zip(new).map(|(old, new)| Edit::Change(diff_at(old, new, depth + 1))));
    if old.len() > pairs {
        edits.push(Edit::Drop(old.len() - pairs));
    }
    if new.len() > pairs {
        edits.push(Edit::Insert(new[pairs..].to_vec()));
    }
}

/// Returns the positions of a longest common subsequence, in order.
fn alignment(old: &[Value], new: &[Value]) -> Vec<(usize, usize)> {
    if old.is_empty() || new.is_empty() || old.len().saturating_mul(new.len()) > MAX_ALIGNMENT {
        return Vec::new();
    }
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let same: Vec<bool> = old.iter().flat_map(|a| new.iter().map(move |b| identical(a, b))).collect();
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i * width + j] = if same[i * new.len() + j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if same[i * new.len() + j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

fn splice(old: &str, new: &str) -> Patch {
    let start = common(old.chars(), new.chars());
    let end = common(old[start..].chars().rev(), new[start..].chars().rev());
    Patch::Splice(start, end, new[start..new.len() - end].to_owned())
}

/// Counts the bytes of the characters that two texts have in common.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Changes a value. Says what does not fit if the patch was made for another one; the value is then not to be used.
pub fn apply(value: &mut Value, patch: Patch) -> Result<(), &'static str> {
    match (value, patch) {
        (value, Patch::Replace(new)) => *value = new,
        (Value::String(text), Patch::Splice(start, end, middle)) => {
            let tail = text.len().checked_sub(end).ok_or("a text is too short")?;
            if tail < start || !text.is_char_boundary(start) || !text.is_char_boundary(tail) {
                return Err("a text is cut where it cannot be");
            }
            text.replace_range(start..tail, &middle);
        }
        (Value::Array(items), Patch::Items(edits)) => {
            let mut old = std::mem::take(items).into_iter();
            for edit in edits {
                apply_edit(&mut old, items, edit)?;
            }
            if old.next().is_some() {
                return Err("an array is longer than expected");
            }
        }
        (Value::Object(map), Patch::Members(members)) => apply_members(map, members)?,
        _ => return Err("a value has another type than expected"),
    }
    Ok(())
}

fn apply_edit(old: &mut impl Iterator<Item = Value>, items: &mut Vec<Value>, edit: Edit) -> Result<(), &'static str> {
    const SHORT: &str = "an array is shorter than expected";
    match edit {
        Edit::Keep(count) => {
            let before = items.len();
            items.extend(old.by_ref().take(count));
            if items.len() - before != count {
                return Err(SHORT);
            }
        }
        Edit::Drop(count) => {
            if old.by_ref().take(count).count() != count {
                return Err(SHORT);
            }
        }
        Edit::Insert(values) => items.extend(values),
        Edit::Change(patch) => {
            let mut item = old.next().ok_or(SHORT)?;
            apply(&mut item, patch)?;
            items.push(item);
        }
    }
    Ok(())
}

fn apply_members(map: &mut Map<String, Value>, members: Members) -> Result<(), &'static str> {
    for key in &members.dropped {
        map.shift_remove(key).ok_or("a member to drop is missing")?;
    }
    for (key, patch) in members.changed {
        apply(map.get_mut(&key).ok_or("a member to change is missing")?, patch)?;
    }
    map.extend(members.inserted);
    if let Some(order) = members.order {
        let mut old = std::mem::take(map);
        for key in order {
            let value = old.remove(&key).ok_or("a member to put in order is missing")?;
            map.insert(key, value);
        }
        if !old.is_empty() {
            return Err("a member has no place in the order");
        }
    }
    Ok(())
}
