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

use toml::Table;

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
    pub fn with(user: &str) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut bindings = read("the built-in keymap", DEFAULTS, &mut problems);
        for (context, action, chords) in read("keys.toml", user, &mut problems) {
            match bindings.iter_mut().find(|(at, known, _)| (*at, *known) == (context, action)) {
                Some(binding) => binding.2 = chords,
                None => bindings.push((context, action, chords)),
            }
        }
        let actions = index(&bindings, &mut problems);
        if problems.is_empty() { Ok(Self { bindings, actions }) } else { Err(problems) }
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

/// Reads one file.
fn read(name: &str, text: &str, problems: &mut Vec<String>) -> Vec<(Context, Action, Vec<Chord>)> {
    let table: Table = match toml::from_str(text) {
        Ok(table) => table,
        Err(error) => {
            problems.push(format!("{name}: {}", error.message()));
            return Vec::new();
        }
    };
    let mut bindings = Vec::new();
    for (section, lines) in &table {
        let Some(context) = Context::ALL.into_iter().find(|context| context.name() == section) else {
            let known = Context::ALL.map(Context::name).join(", ");
            problems.push(format!("{name}: there is no context `{section}`; there are {known}"));
            continue;
        };
        let Some(lines) = lines.as_table() else {
            problems.push(format!("{name}: `{section}` should be a table of actions"));
            continue;
        };
        for (action, keys) in lines {
            match line(action, keys) {
                Ok((action, chords)) => bindings.push((context, action, chords)),
                Err(problem) => problems.push(format!("{name}: in [{section}], {problem}")),
            }
        }
    }
    bindings
}

fn line(action: &str, keys: &toml::Value) -> Result<(Action, Vec<Chord>), String> {
    let known = Action::named(action).ok_or_else(|| format!("there is no action `{action}`"))?;
    let keys = keys.as_array().ok_or_else(|| format!("`{action}` should be a list of keys, such as [\"ctrl-p\"]"))?;
    let chords = keys.iter().map(|key| {
        let text = key.as_str().ok_or_else(|| format!("a key of `{action}` is not a text"))?;
        Chord::parse(text).ok_or_else(|| format!("`{text}` is not a key (for `{action}`)"))
    });
    Ok((known, chords.collect::<Result<_, _>>()?))
}

/// Puts the bindings under their keys, and tells of every key with two meanings.
fn index(bindings: &[(Context, Action, Vec<Chord>)], problems: &mut Vec<String>) -> HashMap<(Context, Chord), Action> {
    let mut actions: HashMap<(Context, Chord), Action> = HashMap::new();
    for (context, action, chords) in bindings {
        for chord in chords {
            let there = [*context, Context::Global].into_iter().chain(Context::ALL.into_iter().filter(|_| {
                // A global key must not mean something else in any one place.
                *context == Context::Global
            }));
            let taken = there.filter_map(|at| actions.get(&(at, *chord)).map(|other| (at, *other)));
            let clash: Option<(Context, Action)> = taken.into_iter().find(|(_, other)| other != action);
            match clash {
                Some((at, other)) => problems.push(format!(
                    "{chord} is `{}` in [{}] and `{}` in [{}]: one of them needs another key",
                    other.name(),
                    at.name(),
                    action.name(),
                    context.name()
                )),
                None => {
                    actions.insert((*context, *chord), *action);
                }
            }
        }
    }
    actions
}
