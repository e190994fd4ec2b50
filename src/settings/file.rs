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
        /// Whether lines are told instead of frames drawn: for screen readers, slow lines and logs.
        optional plain: Option<Resolved<bool>>,
        /// Whether nothing on the screen moves by itself.
        optional reduced_motion: Option<Resolved<bool>>,
        /// Whether the app takes the mouse. Without it the terminal selects text as everywhere else.
        optional mouse: Option<Resolved<bool>>,
        /// Whether what was said stays on the terminal when the app has left.
        optional leave_transcript: Option<Resolved<bool>>,
        /// Whether answers to choose from stand under the place where one writes.
        optional answer_cards: Option<Resolved<bool>>,
        /// How somebody who looks elsewhere is called: off, bell, terminal (the bell, and a notice of the terminal's own) or
        /// desktop.
        optional notices: Option<Resolved<String>>,
        /// How many days turns that were taken back are kept; for good where nothing is said.
        optional rewound_days: Option<Resolved<Count>>,
        /// The variable that holds the key by which the logs of sessions are sealed.
        optional log_key_env: Option<Resolved<String>>,
        /// The entry of the system keyring that holds that key.
        optional log_key_keyring: Option<Resolved<String>>,
    }
}
