//! What the screens of setting up say to people.

use crate::host::protocol::{Endpoint, TakesEffect};
use crate::words::{SetupWords, Words};

/// What the title of the list of models says of the one in use.
pub fn in_use(endpoint: &Endpoint, words: &Words) -> String {
    if endpoint.host.is_empty() {
        let label = if endpoint.offline { words.status.offline() } else { &endpoint.label };
        return words.setup.model_offline(label);
    }
    words.setup.model_at(&endpoint.label, &endpoint.host)
}

/// When a change holds.
pub fn takes_effect(effect: TakesEffect, says: &SetupWords) -> &str {
    match effect {
        TakesEffect::AtOnce => "",
        TakesEffect::WhenChosen => says.when_chosen(),
        TakesEffect::AtNextStart => says.at_next_start(),
    }
}
