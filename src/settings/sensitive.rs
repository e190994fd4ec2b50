//! What happens to sensitive data: `sensitive = "warn" | "redact" | "allow"`.

use serde::Serialize;

use super::origin::{Flags, Origin, Resolved, Surroundings};
use super::problem::Problem;
use super::reader::{Found, Section};

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

impl Sensitive {
    const NAMES: [&'static str; 3] = ["warn", "redact", "allow"];

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

pub(super) fn read(root: &Section<'_>) -> Option<Found<String>> {
    root.string("sensitive")
}

pub(super) fn resolve(
    file: Option<Found<String>>,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> Resolved<Sensitive> {
    let flag = flags.sensitive.clone().map(|value| (value, Origin::Flag("--sensitive")));
    let variable = || {
        let name = "ELENCHUS_SENSITIVE";
        Some((surroundings.variable(name)?, Origin::Variable(name.to_owned())))
    };
    let stated = flag.or_else(variable).or_else(|| file.map(|found| (found.value.clone(), found.origin())));
    let Some((name, origin)) = stated else { return Resolved::new(Sensitive::default(), Origin::Default) };
    if let Some(value) = Sensitive::from_name(&name) {
        return Resolved::new(value, origin);
    }
    let message = format!("`sensitive` is warn, redact or allow, not `{name}`");
    problems.push(Problem::new(origin.to_string(), message).suggesting(&name, Sensitive::NAMES));
    Resolved::new(Sensitive::default(), Origin::Default)
}
