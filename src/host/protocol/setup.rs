//! Setting up in the app: endpoints that are added and tested, settings that are changed, what the doctor finds.

use serde::{Deserialize, Serialize};

pub use crate::settings::{KeyDraft, Kind, ProfileDraft, Setting, TakesEffect};

/// What can be set up. Nothing is sent to a host that the user has neither named nor agreed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetupCommand {
    /// Says what a profile would lead to. Sends nothing.
    Check(ProfileDraft),
    /// Asks an endpoint for its models.
    ListModels(ProfileDraft),
    /// Tries an endpoint, and tells what is found as it is found.
    Test {
        /// What the findings are told under.
        run: u32,
        profile: ProfileDraft,
    },
    /// Keeps a profile in the settings.
    Save {
        profile: ProfileDraft,
        /// Whether it answers from now on.
        in_use: bool,
    },
    /// The user agrees that words go to this host.
    Agree(String),
    /// Lists all settings.
    Settings,
    /// Changes a setting in the file, or takes it out of it.
    Change { path: Vec<String>, value: Option<String> },
    /// Looks at everything, and tells what is found as it is found.
    Examine {
        /// What the findings are told under.
        run: u32,
        /// Whether the endpoint is tried; else it is only said what that would take.
        tries: bool,
    },
    /// Stops the test or the examination under way.
    Stop,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetupNews {
    /// What a profile would lead to.
    Checked { profile: ProfileDraft, leads: LeadsTo },
    /// Before anything is sent to this host, the user has to agree. Then this is to be asked for again.
    Consent {
        host: String,
        /// Whether it is this machine.
        here: bool,
        then: Box<SetupCommand>,
    },
    /// The models of an endpoint; what is wrong where it gives no list.
    Models(Result<Vec<String>, String>),
    /// Something was found out.
    Found { run: u32, finding: Finding },
    /// A test or an examination is done.
    Done { run: u32 },
    /// A profile was kept.
    Saved(String),
    /// A profile was not kept.
    NotSaved(String),
    /// All settings as they stand.
    Settings(Vec<Setting>),
    /// A setting was not changed.
    NotChanged { path: Vec<String>, words: String },
}

/// What a profile would lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadsTo {
    /// Host and port; empty where there is none yet.
    pub host: String,
    /// Whether that is this machine.
    pub here: bool,
    /// The key it would get, in words; empty where it gets none.
    pub key: String,
    /// What stands in the way.
    pub problem: Option<String>,
}

/// Something that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub area: String,
    pub outcome: Outcome,
    /// How it works, or why not and what to do.
    pub words: String,
    /// Whether an endpoint was asked for it.
    pub of_endpoint: bool,
}

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Works,
    Fails,
    /// It could not be found out.
    Unknown,
}

impl Finding {
    /// Something on this machine that works, or does not.
    pub fn here(area: &str, is_fine: bool, words: impl Into<String>) -> Self {
        let outcome = if is_fine { Outcome::Works } else { Outcome::Fails };
        Self { area: area.to_owned(), outcome, words: words.into(), of_endpoint: false }
    }
}
