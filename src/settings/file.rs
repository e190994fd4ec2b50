//! The settings file as it is written, each value with its place.

use super::budget::RawBudget;
use super::origin::Resolved;
use super::profiles::{RawProfile, RawRoles};
use super::tasks::RawTasks;
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
    }
}
