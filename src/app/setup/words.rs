//! What the screens of setting up say to people.

use super::about::about;
use crate::host::protocol::{Endpoint, Setting, TakesEffect};
use crate::words::{SetupWords, Words, english};

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

/// A setting in the words of a language. The settings themselves are told in English, as the file is read.
pub(crate) fn told(setting: Setting, words: &Words) -> Setting {
    let says = &words.setup;
    let english = &english().setup;
    let plain: [fn(&SetupWords) -> &str; 8] = [
        SetupWords::general,
        SetupWords::roles,
        SetupWords::spending,
        SetupWords::background,
        SetupWords::by_default,
        SetupWords::not_set,
        SetupWords::no_cap,
        SetupWords::for_good,
    ];
    let said = |text: &str| plain.iter().find(|word| word(english) == text).map(|word| word(says).to_owned());
    let name_in = |section: &str, pattern: String| {
        let (before, after) = pattern.split_once('\0')?;
        section.strip_prefix(before)?.strip_suffix(after).map(ToOwned::to_owned)
    };
    let named = |section: &str| match name_in(section, english.profile_in_use("\0")) {
        Some(name) => Some(says.profile_in_use(name)),
        None => name_in(section, english.profile_of("\0")).map(|name| says.profile_of(name)),
    };
    let section = said(&setting.section).or_else(|| named(&setting.section)).unwrap_or(setting.section);
    // What somebody has written is theirs.
    let is_default = setting.stated.is_none() && !setting.overridden;
    let value = said(&setting.value).filter(|_| is_default).unwrap_or(setting.value);
    let from = said(&setting.from).unwrap_or(setting.from);
    let about = about(&setting.path, &words.settings).map_or(setting.about, ToOwned::to_owned);
    Setting { section, about, value, from, ..setting }
}
