//! What the screens of setting up say to people.

use crate::host::protocol::TakesEffect;

pub const ADD: &str = "add an endpoint";
pub const ADD_DETAIL: &str = "a provider, or a server of your own";
pub const OTHER: &str = "another server";
pub const FORM: &str = "Add an endpoint";
pub const SETTINGS: &str = "Settings";
pub const DOCTOR: &str = "What works, and what to do";
pub const NO_LIST: &str = "it gives no list of models; type the name";
pub const OVERRIDDEN: &str = "decides this; what the file says counts once that is gone";
pub const CLEARED: &str = "taken out of the file, as a comment; the default holds";
pub const STOPPED: &str = "stopped";

pub const TOO_SMALL: &str = "make the window larger: what you agree to has to be read first";

/// The question before the first byte goes to a host.
pub fn consent(host: &str) -> String {
    format!("This will send what you write to {host}.")
}

/// What follows from a yes.
pub fn consent_detail(here: bool) -> String {
    let place = if here { "It is a server on this machine. " } else { "" };
    format!("{place}Nothing has been sent there yet. What you say in a session goes there while this endpoint answers.")
}

/// What the title of the list of models says of the one in use.
pub fn in_use(label: &str, host: &str) -> String {
    if host.is_empty() {
        return format!("Model: {label} answers, nothing is sent");
    }
    format!("Model: {label} at {host} answers")
}

pub fn saved(name: &str, in_use: bool) -> String {
    let more = if in_use { "" } else { "; /model chooses it" };
    format!("kept as the profile `{name}` in config.toml{more}")
}

/// When a change holds.
pub fn takes_effect(effect: TakesEffect) -> &'static str {
    match effect {
        TakesEffect::AtOnce => "",
        TakesEffect::WhenChosen => "Holds when the model is chosen again, or from the next start on.",
        TakesEffect::AtNextStart => "Holds from the next start on.",
    }
}
