//! The first lines of an engine: enough to offer it, without checking or compiling the rest.

use toml::de::DeTable;

/// What an engine is offered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineHead {
    pub name: String,
    /// What one leaves with.
    pub outcome: String,
    pub minutes: u32,
}

/// Reads what stands above the first table of an engine's file; `None` where not all of it is there.
pub(super) fn read(file: &[u8]) -> Option<EngineHead> {
    let text = std::str::from_utf8(file).ok()?;
    // A line of a long text may begin like a table. What is wanted comes before, and what is cut off is no matter.
    let end = text.find("\n[").unwrap_or(text.len());
    let (table, _) = DeTable::parse_recoverable(&text[..end]);
    let word = |key: &str| Some(table.get_ref().get(key)?.get_ref().as_str()?.to_owned());
    let minutes = table.get_ref().get("duration_minutes")?.get_ref().as_integer()?.as_str().parse().ok()?;
    Some(EngineHead { name: word("name")?, outcome: word("outcome")?, minutes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_an_engine_is_read_without_the_rest() {
        let head = "id = \"a\"\nname = \"A\"\noutcome = \"a brief\"\nduration_minutes = 20\n";
        let wanted = EngineHead { name: "A".to_owned(), outcome: "a brief".to_owned(), minutes: 20 };
        let rest = "opening = \"\"\"\n[x] ticked\n\"\"\"\n[[phases]]\nthis is = = no toml";
        assert_eq!(read(format!("{head}{rest}").as_bytes()), Some(wanted));
        assert_eq!(read(b"name = \"A\"\n[outcome]"), None);
    }
}
