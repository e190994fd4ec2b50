//! Every setting there is, as a settings screen shows it: what it does, what it is, where that comes from, and what a
//! change of it takes. What there is and what it does is read off the tables that read the file.

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use toml::de::{DeTable, DeValue};
use toml_edit::Value;

use super::edit::{self, NotChanged};
use super::file::SettingsFile;
use super::origin::{Flags, Origin, Surroundings};
use super::shown::shown;
use super::{Notices, Paths, Settings, SettingsError, language, sensitive, terminal};
use crate::decode::{Diagnostic, Problems, SourceText, Surface as _, parse_what_there_is};
use crate::llm::presets::PRESETS;
use crate::llm::{Limits, RetryPolicy, Timeouts};
use crate::words::{self, ENGLISH, of_environment};

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The keys that lead to it.
    pub path: Vec<String>,
    /// What it belongs to, for people.
    pub section: String,
    /// What it is called there.
    pub name: String,
    /// What it does.
    pub about: String,
    pub kind: Kind,
    /// What the file says, as it is edited.
    pub stated: Option<String>,
    /// What holds.
    pub value: String,
    /// Where that comes from.
    pub from: String,
    /// The flag or variable that goes before the file.
    pub overridden: bool,
    pub effect: TakesEffect,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Text,
    /// One of these; where there are none, the front end knows them.
    Choice(Vec<String>),
    Flag,
    /// A whole number above zero.
    Count,
    /// A number of zero or more.
    Amount,
    /// A list or a table, written as in the file.
    Written,
}

/// When a change holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TakesEffect {
    AtOnce,
    /// When the model is chosen anew, or at the next start.
    WhenChosen,
    AtNextStart,
}

/// A diagnostic without its place.
pub(super) fn said(problem: &Diagnostic) -> String {
    match problem.help.as_deref() {
        Some(help) => format!("{}; {help}", problem.message),
        None => problem.message.clone(),
    }
}

/// A key of the tables: its path, what it does and what it takes.
#[derive(Clone)]
struct Key {
    path: Vec<String>,
    about: String,
    kind: Kind,
}

/// Every key of the settings file; `*` stands for the name of a profile.
pub fn every_key() -> Vec<String> {
    keys().into_iter().map(|key| key.path.join(".")).collect()
}

fn keys() -> Vec<Key> {
    let mut definitions = Map::new();
    let root = SettingsFile::schema(&mut definitions);
    let mut found = Vec::new();
    walk(&definitions, &root, &mut Vec::new(), &mut found);
    found
}

fn walk(definitions: &Map<String, Json>, schema: &Json, path: &mut Vec<String>, found: &mut Vec<Key>) {
    let named = schema["$ref"].as_str().and_then(|name| definitions.get(name.rsplit('/').next()?));
    let table = named.unwrap_or(schema);
    let nested = named.is_some() && path.last().is_none_or(|key| key != "price");
    match (table["properties"].as_object(), &table["additionalProperties"]) {
        (Some(properties), _) if nested => {
            for (key, schema) in properties {
                path.push(key.clone());
                walk(definitions, schema, path, found);
                path.pop();
            }
        }
        (None, each @ Json::Object(_)) if each.get("$ref").is_some() => {
            path.push("*".to_owned());
            walk(definitions, each, path, found);
            path.pop();
        }
        _ => {
            let about = schema["description"].as_str().unwrap_or_default().to_owned();
            found.push(Key { path: path.clone(), about, kind: kind(path, table) });
        }
    }
}

fn kind(path: &[String], schema: &Json) -> Kind {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    match names[..] {
        ["theme"] => return Kind::Choice(Vec::new()),
        ["language"] => return Kind::Choice(words::languages().map(str::to_owned).collect()),
        ["sensitive"] => return Kind::Choice(sensitive::NAMES.map(str::to_owned).to_vec()),
        ["notices"] => return Kind::Choice(Notices::ALL.map(|notices| notices.name().to_owned()).to_vec()),
        ["profiles", _, "provider"] => {
            return Kind::Choice(PRESETS.iter().map(|preset| preset.name.to_owned()).collect());
        }
        _ => {}
    }
    match schema["type"].as_str() {
        Some("boolean") => Kind::Flag,
        Some("integer") => Kind::Count,
        Some("number") => Kind::Amount,
        Some("string") => Kind::Text,
        _ => Kind::Written,
    }
}

/// Every setting as it stands.
pub fn settings(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<Vec<Setting>, SettingsError> {
    let paths = Paths::resolve(flags, surroundings)?;
    let file = paths.config_file.value.clone();
    let unreadable = |source| SettingsError::Unreadable { path: file.clone(), source };
    let text = edit::text_of(&file).map_err(unreadable)?;
    let settings = Settings::resolve(&text, paths, flags, surroundings)?;
    let in_use = settings.endpoints.as_ref().map(|endpoints| endpoints.default.endpoint.name.clone());
    let parsed = DeTable::parse(&text).map_err(|error| io::Error::other(error.message().to_owned()));
    let parsed = parsed.map_err(unreadable)?;
    let profiles: Vec<String> = settings.profiles.iter().map(|(name, _)| name.clone()).collect();
    let seen = Seen { text: &text, table: parsed.get_ref(), flags, surroundings, profiles, in_use };
    let mut all: Vec<Setting> = keys().into_iter().flat_map(|key| seen.of(&key)).collect();
    // Profiles stand together, one after the other; keys of no section come first.
    let profile = |setting: &Setting| seen.profiles.iter().position(|name| setting.path.get(1) == Some(name));
    let order = ["profiles", "roles", "budget", "tasks"];
    let place = |setting: &Setting| match &setting.path[..] {
        [_] => (0, None),
        [section, ..] => (1 + order.iter().position(|known| known == section).unwrap_or(9), profile(setting)),
        [] => (9, None),
    };
    all.sort_by_key(place);
    Ok(all)
}

/// What the values are found with.
struct Seen<'a> {
    text: &'a str,
    table: &'a DeTable<'a>,
    flags: &'a Flags,
    surroundings: &'a Surroundings<'a>,
    profiles: Vec<String>,
    in_use: Option<String>,
}

impl Seen<'_> {
    /// The settings of a key: one, or one for each profile.
    fn of(&self, key: &Key) -> Vec<Setting> {
        if key.path.get(1).is_none_or(|step| step != "*") {
            return vec![self.setting(key)];
        }
        let named = |name: &String| {
            let mut key = key.clone();
            key.path[1].clone_from(name);
            self.setting(&key)
        };
        self.profiles.iter().map(named).collect()
    }

    fn setting(&self, key: &Key) -> Setting {
        let names: Vec<&str> = key.path.iter().map(String::as_str).collect();
        let (stated, line) = self.stated(&names).unzip();
        let over = self.overridden(&names);
        let (value, from) = match (&over, &stated) {
            (Some((value, origin)), _) => (shown(&names, value.clone()), origin.to_string()),
            (None, Some(value)) => (shown(&names, value.clone()), format!("config.toml:{}", line.unwrap_or(0))),
            (None, None) if names == ["language"] => of_environment(&|name| self.surroundings.variable(name))
                .map_or_else(
                    || (ENGLISH.to_owned(), Origin::Default.to_string()),
                    |(code, name)| (code, name.to_owned()),
                ),
            (None, None) => (default(&names), Origin::Default.to_string()),
        };
        let kind = match names[..] {
            ["profile"] | ["roles", _, "profile"] => Kind::Choice(self.profiles.clone()),
            _ => key.kind.clone(),
        };
        let (section, name) = match names[..] {
            ["profiles", profile, ..] => {
                let used = if self.in_use.as_deref() == Some(profile) { ", in use" } else { "" };
                (format!("Profile {profile}{used}"), names[2..].join("."))
            }
            ["roles", ..] => ("Roles: who does what".to_owned(), names[1..].join(".")),
            ["budget", ..] => ("What may be spent".to_owned(), names[1..].join(".")),
            ["tasks", ..] => ("Background tasks".to_owned(), names[1..].join(".")),
            _ => ("General".to_owned(), names.join(".")),
        };
        let effect = match names[..] {
            ["theme" | "designer" | "hints" | "reduced_motion" | "mouse" | "answer_cards"] => TakesEffect::AtOnce,
            ["profile"] | ["profiles" | "roles", ..] => TakesEffect::WhenChosen,
            _ => TakesEffect::AtNextStart,
        };
        let about = key.about.clone();
        Setting {
            path: key.path.clone(),
            section,
            name,
            about,
            kind,
            stated,
            value,
            from,
            overridden: over.is_some(),
            effect,
        }
    }

    /// What the file says, and on which line.
    fn stated(&self, path: &[&str]) -> Option<(String, usize)> {
        let (name, tables) = path.split_last()?;
        let mut table = self.table;
        for step in tables {
            table = table.get(*step)?.get_ref().as_table()?;
        }
        let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
        let line = self.text[..key.span().start].matches('\n').count() + 1;
        let written = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            _ => self.text[value.span()].split_whitespace().collect::<Vec<_>>().join(" "),
        };
        Some((written, line))
    }

    /// What a variable that switches something on says.
    fn switched(&self, variable: &str) -> Option<(String, Origin)> {
        let value = self.surroundings.variable(variable)?;
        Some((terminal::switched(&value)?.to_string(), Origin::Variable(variable.to_owned())))
    }

    /// What a flag or a variable says in place of the file.
    fn overridden(&self, path: &[&str]) -> Option<(String, Origin)> {
        let flags = self.flags;
        let stated = |flag: &Option<String>, name: &'static str, variable: &str| {
            let flag = flag.clone().map(|value| (value, Origin::Flag(name)));
            flag.or_else(|| Some((self.surroundings.variable(variable)?, Origin::Variable(variable.to_owned()))))
        };
        let secret = |variable: &str| {
            self.surroundings.variable(variable)?;
            Some(("set".to_owned(), Origin::Variable(variable.to_owned())))
        };
        match path {
            ["theme"] => stated(&flags.theme, "--theme", "ELENCHUS_THEME"),
            ["language"] => stated(&flags.language, "--lang", language::VARIABLE),
            ["plain"] => {
                let flag = flags.plain.map(|plain| (plain.to_string(), Origin::Flag("--plain")));
                flag.or_else(|| self.switched(terminal::PLAIN))
            }
            ["reduced_motion"] => self.switched(terminal::REDUCED_MOTION),
            ["sensitive"] => stated(&flags.sensitive, "--sensitive", "ELENCHUS_SENSITIVE"),
            ["profile"] => stated(&flags.profile, "--profile", "ELENCHUS_PROFILE"),
            ["log_key_env" | "log_key_keyring"] => secret("ELENCHUS_LOG_KEY"),
            ["profiles", name, key] if self.in_use.as_deref() == Some(*name) => match *key {
                "endpoint" => stated(&flags.endpoint, "--endpoint", "ELENCHUS_ENDPOINT"),
                "model" => stated(&flags.model, "--model", "ELENCHUS_MODEL"),
                "provider" => stated(&flags.provider, "--provider", "ELENCHUS_PROVIDER"),
                "key_env" => flags.key_env.clone().map(|value| (value, Origin::Flag("--key-env"))),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What holds where nothing is said, in words.
fn default(path: &[&str]) -> String {
    let (limits, waits) = (Limits::default(), Timeouts::default());
    let count = |number: Option<u32>| number.map_or_else(|| "no cap".to_owned(), |number| number.to_string());
    match path {
        ["theme"] => "auto".to_owned(),
        ["sensitive"] => super::Sensitive::default().name().to_owned(),
        ["designer" | "plain" | "reduced_motion" | "leave_transcript"] | [.., "insecure_http"] => "false".to_owned(),
        ["hints" | "mouse" | "answer_cards"] => "true".to_owned(),
        ["notices"] => Notices::default().name().to_owned(),
        ["rewound_days"] => "for good".to_owned(),
        ["budget", "alerts"] => format!("{:?}", limits.alerts),
        ["budget", "requests_per_minute"] => count(limits.requests_per_minute),
        ["budget", "concurrent"] => count(limits.concurrent),
        ["budget", _] => "no cap".to_owned(),
        ["tasks", "concurrent"] => super::tasks::CONCURRENT.to_string(),
        [.., "attempts"] => RetryPolicy::default().attempts.to_string(),
        [.., "timeouts", "connect"] => waits.connect.as_secs().to_string(),
        [.., "timeouts", "first_byte"] => waits.first_byte.as_secs().to_string(),
        [.., "timeouts", "stall"] => waits.stall.as_secs().to_string(),
        [.., "timeouts", "total"] => waits.total.as_secs().to_string(),
        _ => "not set".to_owned(),
    }
}

/// The value that a typed text stands for.
fn typed(kind: &Kind, text: &str) -> Value {
    let text = text.trim();
    let written = || text.parse::<Value>().ok();
    match kind {
        Kind::Text | Kind::Choice(_) => None,
        Kind::Flag | Kind::Count | Kind::Amount | Kind::Written => written(),
    }
    .unwrap_or_else(|| text.into())
}

/// Checks what is being typed, with the words of what reads the file.
pub fn check(path: &[String], kind: &Kind, text: &str) -> Result<(), String> {
    let text = edit::with_value("", path, typed(kind, text)).map_err(|error| error.to_string())?;
    let mut problems = Problems::speaking_of_keys(Arc::new(SourceText::new("config.toml", &*text)));
    let _: SettingsFile = parse_what_there_is(&text, &mut problems);
    problems.take_sorted().first().map_or(Ok(()), |problem| Err(said(problem)))
}

/// Changes a setting in the file, or takes it out. What the file would be refused for is refused here, in the same words.
pub fn change(
    path: &[String],
    text: Option<&str>,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
) -> Result<(), String> {
    let paths = Paths::resolve(flags, surroundings).map_err(|error| error.to_string())?;
    let file = paths.config_file.value.clone();
    let changed = edit::rewrite(&file, |before| -> Result<String, NotChanged> {
        let after = changed(before, path, text)?;
        match Settings::resolve(&after, paths, flags, surroundings) {
            Ok(_) => Ok(after),
            Err(SettingsError::Invalid { problems }) => Err(NotChanged(problems.first().map(said).unwrap_or_default())),
            Err(error) => Err(NotChanged(error.to_string())),
        }
    });
    changed.map_err(|NotChanged(words)| words)
}

/// A text of settings in which a setting has another value, or none.
pub fn changed(before: &str, path: &[String], value: Option<&str>) -> io::Result<String> {
    let pattern: Vec<String> = path.iter().enumerate().map(|(at, step)| patterned(path, at, step)).collect();
    let key = keys().into_iter().find(|key| key.path == pattern);
    let key = key.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no such setting"))?;
    match value {
        Some(text) => edit::with_value(before, path, typed(&key.kind, text)),
        None => edit::without(before, path),
    }
}

fn patterned(path: &[String], at: usize, step: &str) -> String {
    if at == 1 && path[0] == "profiles" { "*".to_owned() } else { step.to_owned() }
}
