//! Which language is spoken: what was asked for, else what the environment says, else English.

use super::{ENGLISH, Words, english, find};

/// The language of the program, and whether somebody asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// Its code.
    pub code: String,
    /// Whether it was asked for, by a flag, a variable of ours or the settings. Then sessions are held in it; otherwise they
    /// begin in it and follow what is written.
    pub chosen: bool,
}

impl Default for Language {
    fn default() -> Self {
        Self { code: ENGLISH.to_owned(), chosen: false }
    }
}

impl Language {
    /// Whether it is more than what holds where nothing is said.
    pub fn says_something(&self) -> bool {
        *self != Self::default()
    }

    /// Its words; those of a language that the program does not speak are English.
    pub fn words(&self) -> &'static Words {
        find(&self.code).unwrap_or_else(english)
    }
}

/// The code of a language that was asked for, without its region.
pub fn asked_for(code: &str) -> String {
    code.trim().split(['-', '_', '.', '@']).next().unwrap_or_default().to_lowercase()
}

/// Whether a code could be one of a language: letters, and few of them.
pub fn is_code(code: &str) -> bool {
    (2..=8).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The language of the environment, by the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that says something; none where that
/// is a language that the program does not speak.
pub fn of_environment(variable: &dyn Fn(&str) -> Option<String>) -> Option<(String, &'static str)> {
    let said = |name: &'static str| Some((variable(name).filter(|value| !value.trim().is_empty())?, name));
    let (value, name) = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(said)?;
    find(&value).map(|words| (words.code.clone(), name))
}

#[cfg(test)]
mod tests {
    use super::{asked_for, is_code, of_environment};

    #[test]
    fn the_environment_is_asked_in_the_order_of_posix() {
        let with = |set: &'static [(&'static str, &'static str)]| {
            of_environment(&|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        };
        let german = |name| Some(("de".to_owned(), name));
        assert_eq!(with(&[("LANG", "de_DE.UTF-8")]), german("LANG"));
        assert_eq!(with(&[("LANG", "en_GB"), ("LC_MESSAGES", "de_AT")]), german("LC_MESSAGES"));
        assert_eq!(with(&[("LANG", "de_DE"), ("LC_ALL", "")]), german("LANG"));
        assert_eq!(with(&[("LANG", "de_DE"), ("LC_ALL", "C.UTF-8")]), None);
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn a_region_is_no_other_language() {
        assert_eq!(asked_for("de-CH"), "de");
        assert_eq!(asked_for(" DE "), "de");
    }

    #[test]
    fn what_is_no_code_is_no_language() {
        assert!(["en", "DE", "fr_FR.UTF-8", "gsw"].iter().all(|asked| is_code(&asked_for(asked))));
        for asked in ["", " ", "C", "../x", "\u{1b}[2J", "english please", "ẞẞ", "d\0", "abcdefghi"] {
            assert!(!is_code(&asked_for(asked)), "{asked:?}");
        }
    }
}
