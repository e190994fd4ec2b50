//! A profile that is being added: what was said of it so far becomes a text of settings, which is resolved by the same
//! rules as every other.

use std::io;

use serde::{Deserialize, Serialize};
use toml_edit::{Array, Value};

use super::edit::{self, NotChanged};
use super::file::SettingsFile;
use super::origin::{Flags, Surroundings};
use super::{Paths, ResolvedEndpoint, Settings, SettingsError, resolve};
use crate::decode::{Problems, SourceText, parse_what_there_is};
use crate::llm::presets::Preset;

/// A profile that is being added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileDraft {
    pub name: String,
    /// Whose endpoint it is, or whose protocol it speaks; empty while neither a provider nor an address is named.
    pub provider: String,
    /// The base URL; the provider's own where it is empty.
    pub endpoint: String,
    pub model: String,
    pub key: KeyDraft,
}

/// Where the key of a profile is. Never the key itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyDraft {
    /// Where the provider's usually is; a server of one's own gets none.
    #[default]
    Usual,
    Variable(String),
    /// A program with its arguments that prints it.
    Command(String),
    /// An entry of the system keyring.
    Keyring(String),
}

/// What goes before the file, and must not be taken for a part of the draft: the key in `ELENCHUS_API_KEY` is for
/// another host.
const FOR_ANOTHER: [&str; 5] =
    ["ELENCHUS_ENDPOINT", "ELENCHUS_MODEL", "ELENCHUS_PROVIDER", "ELENCHUS_PROFILE", "ELENCHUS_API_KEY"];

const NO_ADDRESS: &str = "the address is missing";

impl ProfileDraft {
    /// What is wrong with it that no file can say: words that would be refused, or a key in the place of its name.
    pub fn problem(&self) -> Option<String> {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let is_variable = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if self.leads_nowhere() {
            return Some(NO_ADDRESS.to_owned());
        }
        if self.model.trim().is_empty() {
            return Some("the model is missing".to_owned());
        }
        match &self.key {
            KeyDraft::Variable(name) if name.is_empty() => return Some("the variable is missing".to_owned()),
            KeyDraft::Variable(name) if !is_variable(name) => {
                return Some(
                    "that is no name of a variable; a key itself is never written down, only where it is".to_owned(),
                );
            }
            KeyDraft::Command(line) if line.trim().is_empty() => return Some("the command is missing".to_owned()),
            KeyDraft::Keyring(entry) if entry.trim().is_empty() => return Some("the entry is missing".to_owned()),
            _ => {}
        }
        if self.name.is_empty() || !self.name.chars().all(is_name) {
            return Some("a profile's name has letters, digits, - and _".to_owned());
        }
        None
    }

    /// Whether nothing says yet where words would go. There is no host by default.
    fn leads_nowhere(&self) -> bool {
        let own = Preset::named(&self.provider).and_then(|preset| preset.address);
        self.endpoint.is_empty() && own.is_none()
    }

    /// A text of settings with the profile in it.
    pub fn added_to(&self, text: &str) -> io::Result<String> {
        let mut values: Vec<(String, Value)> = vec![("provider".to_owned(), self.provider.as_str().into())];
        if !self.endpoint.is_empty() {
            values.push(("endpoint".to_owned(), self.endpoint.as_str().into()));
        }
        values.push(("model".to_owned(), self.model.trim().into()));
        values.extend(match &self.key {
            KeyDraft::Usual => None,
            KeyDraft::Variable(name) => Some(("key_env".to_owned(), Value::from(name.as_str()))),
            KeyDraft::Keyring(entry) => Some(("key_keyring".to_owned(), Value::from(entry.trim()))),
            KeyDraft::Command(line) => {
                Some(("key_command".to_owned(), Value::Array(words_of_command(line).iter().collect::<Array>())))
            }
        });
        let path = ["profiles".to_owned(), self.name.clone()];
        let lines: Vec<(&String, Value)> = values.iter().map(|(name, value)| (name, value.clone())).collect();
        let appended = edit::appended(text, &path, &lines);
        if appended.parse::<toml_edit::DocumentMut>().is_ok() {
            return Ok(appended);
        }
        // Profiles that stand on one line are no section that could be added to.
        values.into_iter().try_fold(text.to_owned(), |text, (name, value)| {
            let path: Vec<String> = path.iter().cloned().chain([name]).collect();
            edit::with_value(&text, &path, value)
        })
    }

    /// What the profile would lead to, by the rules of all settings; nothing is kept, and nothing is sent.
    pub fn resolve(
        &self,
        flags: &Flags,
        surroundings: &Surroundings<'_>,
    ) -> Result<(Settings, ResolvedEndpoint), String> {
        if self.leads_nowhere() {
            return Err(NO_ADDRESS.to_owned());
        }
        let paths = Paths::resolve(flags, surroundings).map_err(|error| error.to_string())?;
        let text = edit::text_of(&paths.config_file.value).map_err(|error| error.to_string())?;
        self.is_new(&text)?;
        let text = self.added_to(&text).map_err(|error| error.to_string())?;
        resolved(&text, &self.name, paths, surroundings)
    }

    fn is_new(&self, text: &str) -> Result<(), String> {
        if read(text).profiles.contains_key(&self.name) {
            return Err(format!("there is a profile `{}` already; give this one another name", self.name));
        }
        Ok(())
    }

    /// Keeps the profile in the settings file, and has it used from now on where that is wanted. What is refused leaves
    /// the file as it was.
    pub fn save(&self, in_use: bool, flags: &Flags, surroundings: &Surroundings<'_>) -> Result<(), String> {
        let paths = Paths::resolve(flags, surroundings).map_err(|error| error.to_string())?;
        let file = paths.config_file.value.clone();
        let saved = edit::rewrite(&file, |text| -> Result<String, NotChanged> {
            self.is_new(text).map_err(NotChanged)?;
            let raw = read(text);
            let mut after = self.added_to(text)?;
            let profile = ["profile".to_owned()];
            if in_use {
                after = edit::with_value(&after, &profile, self.name.as_str().into())?;
            } else if let (None, Some((only, _)), false) =
                (&raw.profile, raw.profiles.first(), raw.profiles.contains_key("default"))
            {
                // The only profile was in use without a word; with a second one it has to be named.
                after = edit::with_value(&after, &profile, only.as_str().into())?;
            }
            resolved(&after, &self.name, paths, surroundings).map_err(NotChanged)?;
            Ok(after)
        });
        saved.map_err(|NotChanged(words)| words)
    }
}

fn read(text: &str) -> SettingsFile {
    let mut problems = Problems::speaking_of_keys(std::sync::Arc::new(SourceText::new("config.toml", text)));
    parse_what_there_is(text, &mut problems)
}

fn resolved(
    text: &str,
    name: &str,
    paths: Paths,
    surroundings: &Surroundings<'_>,
) -> Result<(Settings, ResolvedEndpoint), String> {
    let flags = Flags { profile: Some(name.to_owned()), ..Flags::default() };
    let variable = |name: &str| surroundings.variable(name).filter(|_| !FOR_ANOTHER.contains(&name));
    let own =
        Surroundings { variable: &variable, keyring: surroundings.keyring, program: surroundings.program.clone() };
    let mut settings = Settings::resolve(text, paths, &flags, &own).map_err(|error| in_words(&error))?;
    let endpoint = settings.endpoints.take().map(|endpoints| endpoints.default);
    endpoint.map(|endpoint| (settings, endpoint)).ok_or_else(|| "it leads nowhere".to_owned())
}

/// What is wrong, without the place in a file that is not there yet.
fn in_words(error: &SettingsError) -> String {
    let SettingsError::Invalid { problems } = error else { return error.to_string() };
    let words = problems.iter().map(super::listing::said);
    words.collect::<Vec<_>>().join("; ")
}

/// Every host that the settings name: profiles of the file, and where flags and variables lead.
pub(crate) fn named_hosts(flags: &Flags, surroundings: &Surroundings<'_>) -> Vec<String> {
    let Ok(paths) = Paths::resolve(flags, surroundings) else { return Vec::new() };
    let text = edit::text_of(&paths.config_file.value).unwrap_or_default();
    let mut hosts = resolve::hosts(&read(&text));
    let endpoints = Settings::resolve(&text, paths, flags, surroundings).ok().and_then(|known| known.endpoints);
    if let Some(endpoints) = endpoints {
        hosts.push(endpoints.default.endpoint.host());
        hosts.extend(endpoints.by_role.iter().map(|(_, resolved)| resolved.endpoint.host()));
    }
    hosts
}

/// The program and its arguments of a line: parted at spaces, which quotation marks hold together.
pub fn words_of_command(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut begun) = (Vec::new(), String::new(), None, false);
    for c in line.chars() {
        match (quote, c) {
            (None, '"' | '\'') => (quote, begun) = (Some(c), true),
            (Some(mark), c) if mark == c => quote = None,
            (None, c) if c.is_whitespace() => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            _ => {
                word.push(c);
                begun = true;
            }
        }
    }
    words.extend(begun.then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> ProfileDraft {
        ProfileDraft {
            name: "mine".to_owned(),
            provider: "openai".to_owned(),
            endpoint: "https://models.example.com/v1".to_owned(),
            model: "m".to_owned(),
            key: KeyDraft::Usual,
        }
    }

    #[test]
    fn a_profile_is_added_below_everything_else() {
        let text = "# mine\n[budget]\nday_usd = 1 # a day\n# the end\n";
        let after = ProfileDraft { key: KeyDraft::Variable("K".to_owned()), ..draft() }.added_to(text).unwrap();
        let expected = "[profiles.mine]\nprovider = \"openai\"\nendpoint = \"https://models.example.com/v1\"\nmodel = \"m\"\nkey_env = \"K\"\n";
        assert_eq!(after, format!("{text}\n{expected}"));
        let inline = "profiles = { a = { model = \"x\" } } # all\n";
        let after = draft().added_to(inline).unwrap();
        assert!(after.contains("mine = {") && after.contains("# all"), "{after}");
    }

    #[test]
    fn a_key_in_the_place_of_its_name_is_refused() {
        let with = |key| ProfileDraft { key, ..draft() }.problem();
        assert_eq!(with(KeyDraft::Variable("OPENAI_API_KEY".to_owned())), None);
        assert!(with(KeyDraft::Variable("sk-proj-123".to_owned())).unwrap().contains("never written down"));
        assert!(ProfileDraft { name: "a b".to_owned(), ..draft() }.problem().is_some());
        assert!(ProfileDraft { model: " ".to_owned(), ..draft() }.problem().unwrap().contains("model"));
    }

    #[test]
    fn a_line_is_parted_as_shells_do() {
        assert_eq!(words_of_command("op read 'op://a b/c' \"\" x"), ["op", "read", "op://a b/c", "", "x"]);
        assert!(words_of_command("  ").is_empty());
    }
}
