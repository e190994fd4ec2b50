//! The settings file as it is written, each value with its place.

use super::budget::RawBudget;
use super::origin::Resolved;
use super::profiles::{RawProfile, RawRoles};
use super::tasks::RawTasks;
use super::values::Count;
use crate::decode::{Entries, table};

table! {
    /// The settings file.
    SettingsFile called "the settings file" {
        /// The profile in use: which of the endpoints below answers.
        optional profile: Option<Resolved<String>>,
        /// Endpoints by name.
        optional profiles: Entries<RawProfile>,
        /// Endpoints of single roles.
        optional roles: RawRoles,
        /// What may be spent.
        optional budget: RawBudget,
        /// What happens to email addresses, card numbers, keys and the like: warn once, redact, or allow.
        optional sensitive: Option<Resolved<String>>,
        /// What background tasks may do at once.
        optional tasks: RawTasks,
        /// The colours.
        optional theme: Option<Resolved<String>>,
        /// The language of the program and of new sessions: en or de. Without it, the environment decides.
        optional language: Option<Resolved<String>>,
        /// Whether the sidebar also shows what only designers of engines want to know: modes, and what was spent.
        optional designer: Option<Resolved<bool>>,
        /// Whether the app says what there is to discover, each thing until it was used once.
        optional hints: Option<Resolved<bool>>,
        /// How many days turns that were taken back are kept; for good where nothing is said.
        optional rewound_days: Option<Resolved<Count>>,
        /// The variable that holds the key by which the logs of sessions are sealed.
        optional log_key_env: Option<Resolved<String>>,
        /// The entry of the system keyring that holds that key.
        optional log_key_keyring: Option<Resolved<String>>,
    }
}
