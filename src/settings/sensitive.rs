//! What happens to sensitive data: `sensitive = "warn" | "redact" | "allow"`.

use serde::Serialize;

use super::origin::{Flags, Origin, Resolved, Surroundings};
use crate::decode::Problems;

/// What happens to email addresses, card numbers, keys and the like before anything is sent or stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensitive {
    /// The person is warned once; logs and exports are redacted.
    #[default]
    Warn,
    /// It is redacted before it is sent or stored.
    Redact,
    /// It is left alone.
    Allow,
}

/// The names in settings.
pub(super) const NAMES: [&str; 3] = ["warn", "redact", "allow"];

impl Sensitive {
    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Redact => "redact",
            Self::Allow => "allow",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Warn, Self::Redact, Self::Allow].into_iter().find(|value| value.name() == name)
    }
}

pub(super) fn resolve(
    file: Option<Resolved<String>>,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
    problems: &mut Problems,
) -> Resolved<Sensitive> {
    let flag = flags.sensitive.clone().map(|value| Resolved::new(value, Origin::Flag("--sensitive")));
    let variable = || {
        let name = "ELENCHUS_SENSITIVE";
        Some(Resolved::new(surroundings.variable(name)?, Origin::Variable(name.to_owned())))
    };
    let stated = flag.or_else(variable).or(file);
    let Some(Resolved { value: name, origin }) = stated else {
        return Resolved::new(Sensitive::default(), Origin::Default);
    };
    if let Some(value) = Sensitive::from_name(&name) {
        return Resolved::new(value, origin);
    }
    let message = format!("`sensitive` is warn, redact or allow, not `{name}`");
    problems.error_at(&origin.place(), "unknown-word", message).suggest_or(&name, NAMES, None);
    Resolved::new(Sensitive::default(), Origin::Default)
}
