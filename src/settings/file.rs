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
        /// The profile in use.
        optional profile: Option<Resolved<String>>,
        /// Endpoints by name.
        optional profiles: Entries<RawProfile>,
        /// Endpoints of single roles.
        optional roles: RawRoles,
        /// What may be spent.
        optional budget: RawBudget,
        /// What happens to sensitive data.
        optional sensitive: Option<Resolved<String>>,
        /// What background tasks may do at once.
        optional tasks: RawTasks,
        /// The theme.
        optional theme: Option<Resolved<String>>,
        /// Whether the sidebar is a designer's.
        optional designer: Option<Resolved<bool>>,
        /// How many days turns that were taken back are kept.
        optional rewound_days: Option<Resolved<Count>>,
        /// The variable that holds the log key.
        optional log_key_env: Option<Resolved<String>>,
        /// The entry of the keyring that holds the log key.
        optional log_key_keyring: Option<Resolved<String>>,
    }
}
