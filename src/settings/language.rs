//! The language of the program: `--lang`, else `ELENCHUS_LANG`, else `language` of the file, else what the environment says
//! (`LC_ALL`, `LC_MESSAGES`, `LANG`), else English.

use super::origin::{Flags, Origin, Resolved, Surroundings};
use crate::decode::Problems;
use crate::words::{self, Language, asked_for, of_environment};

pub(super) const VARIABLE: &str = "ELENCHUS_LANG";

pub(super) fn resolve(
    file: Option<Resolved<String>>,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) -> Resolved<Language> {
    let flag = flags.language.clone().map(|code| Resolved::new(code, Origin::Flag("--lang")));
    let variable = || Some(Resolved::new(surroundings.variable(VARIABLE)?, Origin::Variable(VARIABLE.to_owned())));
    if let Some(Resolved { value, origin }) = flag.or_else(variable).or(file) {
        let code = asked_for(&value);
        if !words::is_code(&code) {
            let known: Vec<&str> = words::languages().collect();
            let said: String = value.chars().take(40).collect();
            let message = format!("`{said}` is no code of a language, such as {}", known.join(" or "));
            problems.error_at(&origin.place(), "unknown-word", message);
            return Resolved::new(Language::default(), origin);
        }
        // One that only models speak can be asked for; in the file it is more likely a mistake.
        if matches!(origin, Origin::File(_)) && words::find(&code).is_none() {
            let known: Vec<&str> = words::languages().collect();
            let message = format!("`language` is {}, not `{value}`", known.join(" or "));
            problems.error_at(&origin.place(), "unknown-word", message).suggest_or(&value, known, None);
        }
        return Resolved::new(Language { code, chosen: true }, origin);
    }
    match of_environment(&|name| surroundings.variable(name)) {
        Some((code, name)) => Resolved::new(Language { code, chosen: false }, Origin::Variable(name.to_owned())),
        None => Resolved::new(Language::default(), Origin::Default),
    }
}
