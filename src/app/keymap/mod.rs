//! Which key does what, where.
//!
//! Responsible for: reading keymaps, refusing conflicts, finding the action of a key in a context, and finding the keys
//! of an action for help and footer. Not responsible for: what an action does (`update`), typing text (the composer),
//! and reading files (the edge hands in their text).

mod action;
mod chord;

pub use action::{Action, Context, Motion};
pub use chord::Chord;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use toml::de::DeValue;

use crate::decode::{
    Diagnostic, Entries, Keys, Node, Place, Problems, SourceText, Surface, Table, TableReader, decode_table,
    parse_what_there_is, table_schema,
};
use crate::words::english;

const DEFAULTS: &str = include_str!("defaults.toml");

/// A checked keymap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// In the order of the files, for the help.
    bindings: Vec<(Context, Action, Vec<Chord>)>,
    actions: HashMap<(Context, Chord), Action>,
}

impl Keymap {
    /// The keys that come with the program.
    pub fn defaults() -> Self {
        // The embedded file is checked by a test; a fault in it would leave the program without keys, not without sense.
        Self::with("").unwrap_or_else(|_| Self { bindings: Vec::new(), actions: HashMap::new() })
    }

    /// The default keys with the lines of a user's file in their place; all problems at once where there are any.
    pub fn with(user: &str) -> Result<Self, Vec<Diagnostic>> {
        let defaults = Arc::new(SourceText::new("the built-in keymap", DEFAULTS));
        let user = Arc::new(SourceText::new("keys.toml", user));
        let mut problems = Problems::speaking_of_keys(defaults.clone());
        let mut lines = read(&defaults, &mut problems);
        for line in read(&user, &mut problems) {
            match lines.iter_mut().find(|known| (known.context, known.action) == (line.context, line.action)) {
                Some(known) => *known = line,
                None => lines.push(line),
            }
        }
        let actions = index(&lines, &user, &mut problems);
        let told = problems.into_sorted();
        if !told.is_empty() {
            return Err(told);
        }
        let chords = |line: Line| line.chords.into_iter().map(|(chord, _)| chord).collect();
        Ok(Self {
            bindings: lines.into_iter().map(|line| (line.context, line.action, chords(line))).collect(),
            actions,
        })
    }

    /// What a key does in a context: there, or else everywhere.
    pub fn action(&self, context: Context, chord: Chord) -> Option<Action> {
        let here = self.actions.get(&(context, chord));
        here.or_else(|| self.actions.get(&(Context::Global, chord))).copied()
    }

    /// The first key of an action in a context, or everywhere.
    pub fn chord(&self, context: Context, action: Action) -> Option<Chord> {
        let first = |at: Context| {
            let binding = self.bindings.iter().find(|(context, known, _)| (*context, *known) == (at, action))?;
            binding.2.first().copied()
        };
        first(context).or_else(|| first(Context::Global))
    }

    /// Every action of a context with its keys, in the order of the files.
    pub fn of(&self, context: Context) -> impl Iterator<Item = (Action, &[Chord])> {
        self.bindings.iter().filter(move |(at, ..)| *at == context).map(|(_, action, chords)| (*action, &chords[..]))
    }
}

/// One line of a keymap: an action with its keys, each with its place.
struct Line {
    context: Context,
    action: Action,
    chords: Vec<(Chord, Place)>,
}

/// A keymap as written: a table of lines for each context.
#[derive(Clone, Debug, Default, PartialEq)]
struct KeymapFile(Entries<Entries<ChordList>>);

impl Table for KeymapFile {
    const WHAT: &'static str = "the keymap";
    fn read(reader: &mut TableReader<'_>, problems: &mut Problems) -> Self {
        Self(reader.entries(problems))
    }
    fn write(&self, object: &mut Map<String, Value>) {
        object.extend(self.0.iter().map(|(context, lines)| (context.clone(), lines.encode())));
    }
    fn properties(keys: &mut Keys<'_>) {
        for context in Context::ALL {
            keys.add::<Entries<ChordList>>(context.name(), context.about(&english().keys), None, false);
        }
    }
}

impl Surface for KeymapFile {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        decode_table(node, problems)
    }
    fn encode(&self) -> Value {
        let mut object = Map::new();
        self.write(&mut object);
        Value::Object(object)
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        table_schema::<Self>("Keymap", "The keys of Elenchus.", definitions)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct ChordList(Vec<(Chord, Place)>);

impl Surface for ChordList {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Array(items) = node.value() else {
            let message = format!("`{}` should be a list of keys", problems.key().unwrap_or_default());
            problems.error("wrong-type", node.span(), message).help("write it as `[\"ctrl-p\"]`");
            return Self::default();
        };
        let mut chords = Vec::new();
        for node in items.iter().map(Node::new) {
            let place = problems.place(node.span());
            match node.value().as_str().map(|text| (text, Chord::parse(text))) {
                Some((_, Some(chord))) => chords.push((chord, place)),
                Some((text, None)) => {
                    problems
                        .error("unknown-word", node.span(), format!("`{text}` is not a key"))
                        .help("write `ctrl-p`, `alt-enter`, `F2` or `G`");
                }
                None => problems.error("wrong-type", node.span(), "this key is not a text").help("write it in quotes"),
            }
        }
        Self(chords)
    }
    fn encode(&self) -> Value {
        self.0.iter().map(|(chord, _)| Value::from(chord.to_string())).collect()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "array", "items": { "type": "string" } })
    }
}

/// Reads one file; lines of actions that there are not are told and left out.
fn read(file: &Arc<SourceText>, problems: &mut Problems) -> Vec<Line> {
    problems.enter(file.clone());
    let KeymapFile(contexts) = parse_what_there_is(&file.text, problems);
    let mut lines = Vec::new();
    for (section, entries) in contexts.0 {
        let Some(context) = Context::ALL.into_iter().find(|context| context.name() == section) else {
            problems
                .error("unknown-name", entries.span, format!("there is no context `{section}`"))
                .suggest(&section, Context::ALL.map(Context::name));
            continue;
        };
        for (name, chords) in entries.value.0 {
            match Action::named(&name) {
                Some(action) => lines.push(Line { context, action, chords: chords.value.0 }),
                None => problems.error("unknown-name", chords.span, format!("there is no action `{name}`")).suggest_or(
                    &name,
                    Action::names(),
                    "F1 in the app lists them with their keys".to_owned(),
                ),
            }
        }
    }
    lines
}

/// Puts the bindings under their keys, and tells of every key with two meanings.
fn index(lines: &[Line], user: &Arc<SourceText>, problems: &mut Problems) -> HashMap<(Context, Chord), Action> {
    let mut taken: HashMap<(Context, Chord), (Action, &Place)> = HashMap::new();
    for Line { context, action, chords } in lines {
        for (chord, place) in chords {
            let there = [*context, Context::Global].into_iter().chain(Context::ALL.into_iter().filter(|_| {
                // A global key must not mean something else in any one place.
                *context == Context::Global
            }));
            let others = there.filter_map(|at| taken.get(&(at, *chord)).map(|other| (at, *other)));
            let clash = others.into_iter().find(|(_, (other, _))| other != action);
            if let Some((at, (other, earlier))) = clash {
                let message = format!(
                    "{chord} is `{}` in [{}] and `{}` in [{}]",
                    other.name(),
                    at.name(),
                    action.name(),
                    context.name()
                );
                // The built-in keys agree with each other, so the user's line is the one to change.
                let place = if place.file == *user { place } else { earlier };
                problems.error_at(place, "clash", message).help("one of them needs another key");
            } else {
                taken.insert((*context, *chord), (*action, place));
            }
        }
    }
    taken.into_iter().map(|(key, (action, _))| (key, action)).collect()
}
