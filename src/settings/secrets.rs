//! The variables that hold keys of this program. Programs that it starts do not get them.

use super::file::SettingsFile;
use super::origin::Flags;
use super::{keeping, key};
use crate::llm::presets::PRESETS;

/// Their names: of the program itself, of providers by name, and those that settings and flags name.
pub(super) fn variables(file: &SettingsFile, flags: &Flags) -> Vec<String> {
    let usual = PRESETS.iter().filter_map(|preset| preset.key_variable).chain([key::OWN_VARIABLE, keeping::VARIABLE]);
    let mut names: Vec<String> = usual.map(str::to_owned).collect();
    names.extend(flags.key_env.clone());
    names.extend(file.log_key_env.iter().map(|name| name.value.clone()));
    for (_, profile) in file.profiles.iter() {
        names.extend(profile.value.key_env.iter().map(|name| name.value.clone()));
        let headers = profile.value.headers.iter().flat_map(|headers| &headers.value.0);
        names.extend(headers.filter_map(|(_, value)| value.strip_prefix('$').map(str::to_owned)));
    }
    names
}
