//! What is kept for how long, and under which key: `rewound_days`, `log_key_env`, `log_key_keyring`.

use super::file::SettingsFile;
use super::origin::{Explained, Origin, Resolved, Surroundings};
use crate::decode::Problems;
use crate::store::LogKey;

/// The log key itself; it is for every database.
pub(super) const VARIABLE: &str = "ELENCHUS_LOG_KEY";

/// With the file in hand, shorter ones can be tried one after the other.
const SHORTEST_KEY: usize = 8;

/// How many days turns that were taken back are kept; for good where nothing is said.
pub(super) fn rewound_days(file: &SettingsFile) -> Option<Resolved<u32>> {
    file.rewound_days.as_ref().map(|days| Resolved::new(days.value.small(), days.origin.clone()))
}

/// The log key, where there is one, and how that is explained. A variable that is named but not set is no failure: sealed
/// sessions can be read without the key, and writing to one says what is missing.
pub(super) fn log_key(
    file: &SettingsFile,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) -> (Option<LogKey>, Option<Explained>) {
    let told = |value: String, origin: Origin| Some(Explained { key: "log_key".to_owned(), value, origin });
    if let Some(secret) = surroundings.variable(VARIABLE) {
        let origin = Origin::Variable(VARIABLE.to_owned());
        return (key(&secret, &origin, problems), told("set".to_owned(), origin));
    }
    if let Some(entry) = &file.log_key_keyring {
        return match (surroundings.keyring)(&entry.value) {
            Ok(secret) => (
                key(&secret, &entry.origin, problems),
                told(format!("keyring entry {}", entry.value), entry.origin.clone()),
            ),
            Err(why) => {
                problems.error_at(&entry.origin.place(), "no-key", format!("no log key `{}`: {why}", entry.value));
                (None, None)
            }
        };
    }
    let Some(name) = &file.log_key_env else { return (None, None) };
    let secret = surroundings.variable(&name.value);
    let is_set = secret.is_some();
    let key = secret.and_then(|secret| key(&secret, &name.origin, problems));
    let value = if is_set { name.value.clone() } else { format!("{}, which is not set", name.value) };
    (key, told(value, name.origin.clone()))
}

fn key(secret: &str, origin: &Origin, problems: &mut Problems) -> Option<LogKey> {
    if secret.trim().chars().count() >= SHORTEST_KEY {
        return Some(LogKey::new(secret));
    }
    let problem = format!("the log key is too short: at least {SHORTEST_KEY} characters, better 32 at random");
    problems.error_at(&origin.place(), "no-key", problem);
    None
}
