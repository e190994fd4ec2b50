//! The language of the conversation.

use serde::{Deserialize, Serialize};

/// Messages in another language before the conversation changes to it.
const ENOUGH: u32 = 2;

/// The language of the conversation: chosen, or found out and then kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageState {
    /// The code of the language; none before it is found out.
    pub current: Option<String>,
    /// Whether the user chose it, so that nothing changes it.
    #[serde(default)]
    pub chosen: bool,
    /// Another language, and how many long messages in a row were written in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaning: Option<(String, u32)>,
    /// Whether the language was taken from the surroundings: the first message that is surely in another one changes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub presumed: bool,
}

impl LanguageState {
    /// The language that a conversation begins in: chosen by the user, or presumed until they write.
    pub fn begun_in(code: String, chosen: bool) -> Self {
        Self { current: Some(code), chosen, leaning: None, presumed: !chosen }
    }

    /// Takes in that a message is surely written in a language. One message never changes a language that was found.
    pub fn heard(&mut self, language: &str) {
        if self.chosen || self.current.as_deref() == Some(language) {
            (self.leaning, self.presumed) = (None, false);
            return;
        }
        let times = match &self.leaning {
            Some((other, times)) if other == language => times + 1,
            _ => 1,
        };
        if self.current.is_none() || self.presumed || times >= ENOUGH {
            *self = Self { current: Some(language.to_owned()), ..Self::default() };
        } else {
            self.leaning = Some((language.to_owned(), times));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_message_never_changes_the_language_of_a_conversation() {
        let mut state = LanguageState::default();
        state.heard("en");
        state.heard("de");
        assert_eq!(state.current.as_deref(), Some("en"));
        state.heard("de");
        assert_eq!(state.current.as_deref(), Some("de"));
        state.heard("en");
        state.heard("de");
        state.heard("en");
        assert_eq!(state.current.as_deref(), Some("de"), "not in a row");
        let mut chosen = LanguageState::begun_in("en".to_owned(), true);
        chosen.heard("de");
        chosen.heard("de");
        assert_eq!(chosen.current.as_deref(), Some("en"));
        let mut presumed = LanguageState::begun_in("de".to_owned(), false);
        presumed.heard("en");
        assert_eq!(presumed.current.as_deref(), Some("en"), "what is written counts more than the surroundings");
        presumed.heard("de");
        assert_eq!(presumed.current.as_deref(), Some("en"));
    }
}
