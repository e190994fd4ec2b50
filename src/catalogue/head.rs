//! The first lines of an engine: enough to offer it, without checking or compiling the rest.

use std::collections::BTreeMap;

use toml::de::DeTable;

/// What an engine is offered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineHead {
    pub name: String,
    /// The same in other languages, by language.
    pub name_in: BTreeMap<String, String>,
    /// What one leaves with.
    pub outcome: String,
    pub outcome_in: BTreeMap<String, String>,
    pub minutes: u32,
    /// Whether somebody who just begins to write begins with it.
    pub usual: bool,
}

impl EngineHead {
    /// It in a language, as far as the engine has it.
    #[must_use]
    pub fn speaking(self, language: &str) -> Self {
        let said =
            |others: &BTreeMap<String, String>, own: &str| others.get(language).map_or(own, String::as_str).to_owned();
        Self { name: said(&self.name_in, &self.name), outcome: said(&self.outcome_in, &self.outcome), ..self }
    }
}

/// Reads what stands above the first table of an engine's file; `None` where not all of it is there.
pub(super) fn read(file: &[u8]) -> Option<EngineHead> {
    let text = std::str::from_utf8(file).ok()?;
    // A line of a long text may begin like a table. What is wanted comes before, and what is cut off is no matter.
    let end = text.find("\n[").unwrap_or(text.len());
    let (table, _) = DeTable::parse_recoverable(&text[..end]);
    let word = |key: &str| Some(table.get_ref().get(key)?.get_ref().as_str()?.to_owned());
    let minutes = table.get_ref().get("duration_minutes")?.get_ref().as_integer()?.as_str().parse().ok()?;
    let others = |key: &str| {
        let said = table.get_ref().get(key).and_then(|said| said.get_ref().as_table());
        let each = said.into_iter().flatten();
        each.filter_map(|(id, text)| Some((id.get_ref().to_string(), text.get_ref().as_str()?.to_owned()))).collect()
    };
    let (name_in, outcome_in) = (others("name_in"), others("outcome_in"));
    let usual = table.get_ref().get("usual").and_then(|usual| usual.get_ref().as_bool()).unwrap_or_default();
    Some(EngineHead { name: word("name")?, name_in, outcome: word("outcome")?, outcome_in, minutes, usual })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_an_engine_is_read_without_the_rest() {
        let head = "id = \"a\"\nname = \"A\"\nname_in.de = \"Ah\"\noutcome = \"a brief\"\nduration_minutes = 20\n";
        let name_in = BTreeMap::from([("de".to_owned(), "Ah".to_owned())]);
        let (name, outcome) = ("A".to_owned(), "a brief".to_owned());
        let wanted = EngineHead { name, name_in, outcome, outcome_in: BTreeMap::new(), minutes: 20, usual: false };
        assert_eq!(wanted.clone().speaking("de").name, "Ah");
        assert_eq!(wanted.clone().speaking("fr").name, "A");
        let rest = "opening = \"\"\"\n[x] ticked\n\"\"\"\n[[phases]]\nthis is = = no toml";
        assert_eq!(read(format!("{head}{rest}").as_bytes()), Some(wanted));
        assert_eq!(read(b"name = \"A\"\n[outcome]"), None);
    }
}
