//! Settings: the raw file, the environment and the flags become resolved settings, each value with its origin.
//!
//! Flags win over the environment, the environment over `config.toml`, and that over defaults. Nothing here is read
//! behind the caller's back: variables and the keyring are handed in as [`Surroundings`], so that tests are pure.
//! Each section has a file of its own that reads, resolves and explains it.

mod appearance;
mod budget;
mod draft;
mod edit;
mod error;
mod file;
mod keeping;
mod key;
mod language;
mod listing;
mod origin;
mod paths;
mod profiles;
mod resolve;
mod secrets;
mod seen;
mod sensitive;
mod shown;
mod tasks;
mod terminal;
mod values;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use file::SettingsFile;

use crate::decode::{Problems, SourceText, parse_what_there_is};
use crate::files::plain;
use crate::llm::{Budget, ChatError, Limits, Models, Remembered};
use crate::store::LogKey;
use crate::words::Language;

pub(crate) use draft::named_hosts;
pub use draft::{KeyDraft, ProfileDraft, words_of_command};
pub(crate) use edit::save_theme;
pub use error::SettingsError;
pub use listing::{Kind, Setting, TakesEffect, change, changed, check, every_key, settings};
pub use origin::{ChosenModel, Explained, Flags, Origin, Resolved, Surroundings};
pub use paths::Paths;
pub use profiles::{Endpoints, ResolvedEndpoint};
pub(crate) use seen::{keep_hints, seen_hints};
pub use sensitive::Sensitive;
pub use terminal::{Manners, Notices};

/// Everything that is configured.
#[derive(Debug)]
pub struct Settings {
    pub paths: Paths,
    pub sensitive: Resolved<Sensitive>,
    /// The theme that was chosen, if one was.
    pub theme: Option<Resolved<String>>,
    /// The language of the program.
    pub language: Resolved<Language>,
    /// Whether the sidebar is a designer's, where that was said.
    pub designer: Option<Resolved<bool>>,
    /// Whether the app gives hints, where that was said.
    pub hints: Option<Resolved<bool>>,
    /// How the program behaves in a terminal.
    pub manners: Manners,
    pub limits: Limits,
    /// How many background tasks run at once.
    pub tasks_at_once: Resolved<usize>,
    /// How many days turns that were taken back are kept; for good where nothing is said.
    pub rewound_days: Option<Resolved<u32>>,
    /// What the event log is sealed with.
    pub log_key: Option<LogKey>,
    /// The profiles of the file, each with what it leads to.
    pub profiles: Vec<(String, String)>,
    /// The endpoints; `None` when none is configured, and the offline interviewer serves.
    pub endpoints: Option<Endpoints>,
    /// The variables that hold keys, which no program that is started here is given.
    pub key_variables: Vec<String>,
    explained: Vec<Explained>,
}

impl Settings {
    /// Reads the settings file, if there is one, and resolves everything.
    pub fn load(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<Self, SettingsError> {
        let paths = Paths::resolve(flags, surroundings)?;
        let text = match plain::text(&paths.config_file.value, plain::SETTINGS) {
            Ok(text) => text,
            // Only a file that was named has to exist; a folder may be without one.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !names_file(&paths, flags, surroundings) => {
                String::new()
            }
            Err(source) => return Err(SettingsError::Unreadable { path: paths.config_file.value, source }),
        };
        Self::resolve(&text, paths, flags, surroundings)
    }

    /// Resolves the text of a settings file. All problems are reported at once.
    pub fn resolve(
        text: &str,
        paths: Paths,
        flags: &Flags,
        surroundings: &Surroundings<'_>,
    ) -> Result<Self, SettingsError> {
        let name = file_name(&paths.config_file.value);
        let mut problems = Problems::speaking_of_keys(Arc::new(SourceText::new(name, text)));
        let file: SettingsFile = parse_what_there_is(text, &mut problems);
        let mut told = problems.take_sorted();
        let key_variables = secrets::variables(&file, flags);
        let profiles = resolve::profiles(&file);
        let mut endpoints = resolve::endpoints(&file, flags, surroundings, &mut problems);
        if let Some(endpoints) = &mut endpoints {
            endpoints.guard_commands(&key_variables, surroundings.program.as_deref());
        }
        let (log_key, log_key_explained) = keeping::log_key(&file, surroundings, &mut problems);
        let rewound_days = keeping::rewound_days(&file);
        let sensitive = sensitive::resolve(file.sensitive, flags, surroundings, &mut problems);
        let theme = appearance::resolve(file.theme, flags, surroundings);
        let language = language::resolve(file.language, flags, surroundings, &mut problems);
        let (designer, hints) = (file.designer, file.hints);
        let stated = terminal::Stated {
            plain: file.plain,
            reduced_motion: file.reduced_motion,
            mouse: file.mouse,
            leave_transcript: file.leave_transcript,
            answer_cards: file.answer_cards,
            notices: file.notices,
        };
        let manners = Manners::resolve(stated, flags, surroundings, &mut problems);
        told.extend(problems.take_sorted());
        if !told.is_empty() {
            return Err(SettingsError::Invalid { problems: told });
        }
        let (limits, spending) = budget::resolve(&file.budget);
        let tasks_at_once = tasks::resolve(file.tasks);
        let mut explained = paths.explain();
        explained.push(sensitive.explain("sensitive", |value| value.name().to_owned()));
        explained.extend(theme.iter().map(|theme| theme.explain("theme", String::clone)));
        explained.push(language.explain("language", |language| language.code.clone()));
        explained.extend(designer.iter().map(|designer| designer.explain("designer", bool::to_string)));
        explained.extend(hints.iter().map(|hints| hints.explain("hints", bool::to_string)));
        explained.extend(manners.explain());
        explained.extend(endpoints.iter().flat_map(Endpoints::explain));
        explained.extend(spending);
        explained.push(tasks_at_once.explain("tasks.concurrent", usize::to_string));
        explained.extend(rewound_days.iter().map(|days| days.explain("rewound_days", u32::to_string)));
        explained.extend(log_key_explained);
        Ok(Self {
            paths,
            sensitive,
            theme,
            language,
            designer,
            hints,
            manners,
            limits,
            tasks_at_once,
            rewound_days,
            log_key,
            profiles,
            endpoints,
            key_variables,
            explained,
        })
    }

    /// Whether the sidebar has what only a designer of engines wants to know.
    pub fn is_designers(&self) -> bool {
        self.designer.as_ref().is_some_and(|designer| designer.value)
    }

    /// Whether the app gives hints until the thing was used once.
    pub fn gives_hints(&self) -> bool {
        self.hints.as_ref().is_none_or(|hints| hints.value)
    }

    /// Every resolved value in words, with where it came from. Keys are named, never shown.
    pub fn explain(&self) -> &[Explained] {
        &self.explained
    }

    /// Prepares the models, or `None` when no endpoint is configured.
    pub fn models(&self) -> Result<Option<Models>, ChatError> {
        let Some(endpoints) = &self.endpoints else { return Ok(None) };
        let by_role = endpoints.by_role.iter().map(|(role, resolved)| (*role, resolved.endpoint.clone())).collect();
        let budget = Arc::new(Budget::new(self.limits.clone()));
        let models = Models::new(endpoints.default.endpoint.clone(), by_role, budget)?;
        Ok(Some(models.remembering(Arc::new(Remembered::at(&self.paths.endpoints())))))
    }
}

/// Whether the settings file itself was named, rather than its folder or nothing.
fn names_file(paths: &Paths, flags: &Flags, surroundings: &Surroundings<'_>) -> bool {
    let named = flags.config.clone().or_else(|| surroundings.variable("ELENCHUS_CONFIG").map(PathBuf::from));
    named.is_some_and(|named| named == paths.config_file.value)
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| "config.toml".to_owned(), |name| name.to_string_lossy().into_owned())
}
