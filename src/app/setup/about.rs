//! What each setting is for, in the words of a language.

use crate::words::SettingsWords as Says;

/// What a setting is for; `None` where only the file says it.
pub(crate) fn about<'w>(path: &[String], says: &'w Says) -> Option<&'w str> {
    // The names of profiles and roles are not part of what a key is called.
    let is_named = |at: usize| at == 1 && matches!(path[0].as_str(), "profiles" | "roles");
    let steps = path.iter().enumerate().filter(|(at, _)| !is_named(*at)).map(|(_, step)| step.as_str());
    let key = steps.collect::<Vec<_>>().join("_");
    ABOUT.iter().find(|(name, _)| *name == key).map(|(_, about)| about(says))
}

/// A key, and what is said of it.
type About = (&'static str, fn(&Says) -> &str);

/// All of them.
const ABOUT: &[About] = &[
    ("profile", Says::profile),
    ("sensitive", Says::sensitive),
    ("theme", Says::theme),
    ("language", Says::language),
    ("designer", Says::designer),
    ("hints", Says::hints),
    ("plain", Says::plain),
    ("reduced_motion", Says::reduced_motion),
    ("mouse", Says::mouse),
    ("leave_transcript", Says::leave_transcript),
    ("notices", Says::notices),
    ("answer_cards", Says::answer_cards),
    ("rewound_days", Says::rewound_days),
    ("log_key_env", Says::log_key_env),
    ("log_key_keyring", Says::log_key_keyring),
    ("profiles_provider", Says::profiles_provider),
    ("profiles_endpoint", Says::profiles_endpoint),
    ("profiles_model", Says::profiles_model),
    ("profiles_key_env", Says::profiles_key_env),
    ("profiles_key_keyring", Says::profiles_key_keyring),
    ("profiles_key_command", Says::profiles_key_command),
    ("profiles_headers", Says::profiles_headers),
    ("profiles_proxy", Says::profiles_proxy),
    ("profiles_insecure_http", Says::profiles_insecure_http),
    ("profiles_context_window", Says::profiles_context_window),
    ("profiles_warm_up", Says::profiles_warm_up),
    ("profiles_small_model", Says::profiles_small_model),
    ("profiles_max_output_tokens", Says::profiles_max_output_tokens),
    ("profiles_attempts", Says::profiles_attempts),
    ("profiles_extra", Says::profiles_extra),
    ("profiles_price", Says::profiles_price),
    ("profiles_timeouts_connect", Says::profiles_timeouts_connect),
    ("profiles_timeouts_first_byte", Says::profiles_timeouts_first_byte),
    ("profiles_timeouts_stall", Says::profiles_timeouts_stall),
    ("profiles_timeouts_total", Says::profiles_timeouts_total),
    ("roles_profile", Says::roles_profile),
    ("roles_model", Says::roles_model),
    ("budget_session_usd", Says::budget_session_usd),
    ("budget_day_usd", Says::budget_day_usd),
    ("budget_session_tokens", Says::budget_session_tokens),
    ("budget_day_tokens", Says::budget_day_tokens),
    ("budget_alerts", Says::budget_alerts),
    ("budget_requests_per_minute", Says::budget_requests_per_minute),
    ("budget_concurrent", Says::budget_concurrent),
    ("tasks_concurrent", Says::tasks_concurrent),
];

#[cfg(test)]
mod tests {
    use super::about;
    use crate::settings::every_key;
    use crate::words::find;

    #[test]
    fn every_setting_is_told_in_every_language() {
        for key in every_key() {
            let path: Vec<String> = key.split('.').map(str::to_owned).collect();
            for code in ["en", "de"] {
                assert!(about(&path, &find(code).unwrap().settings).is_some(), "{key} in {code}");
            }
        }
    }
}
