//! Endpoints as the file describes them: `profile`, `[profiles.NAME]` and `[roles.ROLE]`.

use std::path::Path;

use serde_json::{Map, Value};

use super::origin::{Explained, Origin, Resolved};
use super::values::{Amount, Anything, Count, Texts};
use crate::decode::{Keys, Node, Problems, Surface, Table, TableReader, decode_table, table, table_schema};
use crate::llm::{CallRole, Endpoint, Supervisor};
use crate::sandbox::{end_supervised, supervised};

/// The endpoints of a session.
#[derive(Debug)]
pub struct Endpoints {
    /// The one for every role that has none of its own.
    pub default: ResolvedEndpoint,
    /// Those of single roles.
    pub by_role: Vec<(CallRole, ResolvedEndpoint)>,
}

impl Endpoints {
    /// Keeps variables from the commands that print keys, and has what they leave ended: with `program`, which is our own,
    /// all of it.
    pub(super) fn guard_commands(&mut self, variables: &[String], program: Option<&Path>) {
        let line = program.and_then(supervised);
        let roles = self.by_role.iter_mut().map(|(_, resolved)| resolved);
        for resolved in std::iter::once(&mut self.default).chain(roles) {
            if let Some(key) = &mut resolved.endpoint.key {
                key.without(variables);
                if let Some(line) = &line {
                    key.supervised_by(Supervisor { line: line.clone(), end: end_supervised });
                }
            }
        }
    }

    pub(super) fn explain(&self) -> Vec<Explained> {
        let roles = self.by_role.iter().flat_map(|(role, resolved)| {
            let rename = |explained: &Explained| Explained {
                key: format!("roles.{}.{}", role.name(), explained.key),
                ..explained.clone()
            };
            resolved.explained.iter().map(rename)
        });
        self.default.explained.iter().cloned().chain(roles).collect()
    }
}

/// An endpoint, and where its parts came from.
#[derive(Debug)]
pub struct ResolvedEndpoint {
    pub endpoint: Endpoint,
    /// Where its parts came from.
    pub explained: Vec<Explained>,
}

table! {
    /// `[profiles.NAME]`.
    RawProfile called "a profile" {
        /// Whose endpoint it is, or whose protocol it speaks.
        optional provider: Option<Resolved<String>>,
        /// The base URL; the provider's own where it is left out.
        optional endpoint: Option<Resolved<String>>,
        /// The model.
        optional model: Option<Resolved<String>>,
        /// The variable that holds the key; the key itself is never written down.
        optional key_env: Option<Resolved<String>>,
        /// The entry of the system keyring that holds it.
        optional key_keyring: Option<Resolved<String>>,
        /// The program and its arguments that print it.
        optional key_command: Option<Resolved<Vec<String>>>,
        /// Headers of every request; `$NAME` takes a value from the environment.
        optional headers: Option<Resolved<Texts>>,
        /// The proxy; the system's where it is left out.
        optional proxy: Option<Resolved<String>>,
        /// Whether keys may go to it unencrypted, though it is on another machine.
        optional insecure_http: Option<Resolved<bool>>,
        /// Tokens that fit into a request.
        optional context_window: Option<Resolved<Count>>,
        /// Whether the beginning of a request is sent ahead while you write. It is on this machine, where that is free.
        optional warm_up: Option<Resolved<bool>>,
        /// Whether the model is small: it then gets short prompts, and rules help it to listen.
        optional small_model: Option<Resolved<bool>>,
        /// Tokens of an answer at most.
        optional max_output_tokens: Option<Resolved<Count>>,
        /// How often a request is tried.
        optional attempts: Option<Resolved<Count>>,
        /// What every request says besides.
        optional extra: Option<Resolved<Anything>>,
        /// What a million tokens cost in USD: input and output, and cached where that is cheaper.
        optional price: RawPrice,
        /// How long to wait.
        optional timeouts: RawTimeouts,
    }
}

impl RawProfile {
    /// What it says of the model and its calls, in words.
    pub(super) fn explain(&self, endpoint: &Endpoint) -> Vec<Explained> {
        let window = self.context_window.as_ref().map(|stated| (stated.value.0.to_string(), stated.origin.clone()));
        let (value, origin) = window.unwrap_or_else(|| {
            let asked = |tokens: u32| format!("{tokens}, which Ollama is asked for");
            let none = || "not known: an engine uses what it is made for".to_owned();
            (endpoint.window().map_or_else(none, asked), Origin::Default)
        });
        let mut all = vec![Explained { key: "context_window".to_owned(), value, origin }];
        let longest =
            |count: &Count| format!("{} for an answer; a model that thinks gets room for that besides", count.0);
        all.extend(self.max_output_tokens.as_ref().map(|stated| stated.explain("max_output_tokens", longest)));
        all.extend(self.small_model.as_ref().map(|stated| stated.explain("small_model", bool::to_string)));
        all.extend(self.warm_up.as_ref().map(|stated| stated.explain("warm_up", bool::to_string)));
        all.extend(self.attempts.as_ref().map(|stated| stated.explain("attempts", |count| count.0.to_string())));
        all.extend(self.price.explain());
        let RawTimeouts { connect, first_byte, stall, total, .. } = &self.timeouts;
        for (name, stated) in [("connect", connect), ("first_byte", first_byte), ("stall", stall), ("total", total)] {
            let seconds = |amount: &Amount| format!("{} s", amount.0);
            all.extend(stated.as_ref().map(|stated| stated.explain(format!("timeouts.{name}"), seconds)));
        }
        all
    }
}

impl RawPrice {
    fn explain(&self) -> Option<Explained> {
        let amount = |stated: &Option<Resolved<Amount>>| stated.as_ref().map(|stated| stated.value.0);
        let (input, output) = (self.input.as_ref()?, amount(&self.output)?);
        let cached = amount(&self.cached).map(|cached| format!(", ${cached} cached")).unwrap_or_default();
        Some(input.explain("price", |input| format!("${} in, ${output} out{cached}, per million tokens", input.0)))
    }
}

table! {
    /// USD per million tokens.
    RawPrice called "`price`" {
        /// Of what is sent.
        optional input: Option<Resolved<Amount>>,
        /// Of what is sent and known already.
        optional cached: Option<Resolved<Amount>>,
        /// Of what is answered.
        optional output: Option<Resolved<Amount>>,
    }
}

table! {
    /// Seconds to wait.
    RawTimeouts called "`timeouts`" {
        /// Seconds until a connection stands.
        optional connect: Option<Resolved<Amount>>,
        /// Seconds until the first byte of an answer.
        optional first_byte: Option<Resolved<Amount>>,
        /// Seconds between two pieces of it.
        optional stall: Option<Resolved<Amount>>,
        /// Seconds for the whole answer.
        optional total: Option<Resolved<Amount>>,
    }
}

table! {
    /// `[roles.ROLE]`: another profile, another model, or both.
    RawRole called "a role" {
        /// The profile that serves this role, where another than the one in use.
        optional profile: Option<Resolved<String>>,
        /// The model for it, where another than the profile's.
        optional model: Option<Resolved<String>>,
    }
}

/// `[roles]`: a table with a key for each role there is, so that a new role needs no word here.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RawRoles(pub Vec<(CallRole, RawRole)>);

impl Table for RawRoles {
    const WHAT: &'static str = "`roles`";
    fn read(reader: &mut TableReader<'_>, problems: &mut Problems) -> Self {
        let read = |role: CallRole| Some((role, reader.optional::<RawRole>(role.name(), problems)?));
        Self(CallRole::ALL.into_iter().filter_map(read).collect())
    }
    fn write(&self, object: &mut Map<String, Value>) {
        for (role, raw) in &self.0 {
            object.insert(role.name().to_owned(), raw.encode());
        }
    }
    fn properties(keys: &mut Keys<'_>) {
        for role in CallRole::ALL {
            keys.add::<RawRole>(role.name(), "", None, false);
        }
    }
}

impl Surface for RawRoles {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        decode_table(node, problems)
    }
    fn encode(&self) -> Value {
        let mut object = Map::new();
        self.write(&mut object);
        Value::Object(object)
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        table_schema::<Self>("RawRoles", "Endpoints of single roles.", definitions)
    }
}
