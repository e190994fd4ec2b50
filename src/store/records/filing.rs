//! How the user keeps sessions: in view, in the archive, in the trash, under tags.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How long the trash keeps a session.
pub const TRASH_DAYS: u32 = 30;

/// A session has at most so many tags, and a tag so many characters.
const MOST_TAGS: usize = 20;
const LONGEST_TAG: usize = 40;

/// Is where a session stands in the user's own order. Nothing of it is part of the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filing {
    /// When it was put into the archive: it is listed on request only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Timestamp>,
    /// When it was thrown away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trashed_at: Option<Timestamp>,
    /// In the order of the alphabet, each once.
    pub tags: Vec<String>,
}

impl Filing {
    /// Whether nothing was done to it.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// When the trash lets go of it, if it is there.
    pub fn gone_at(&self) -> Option<Timestamp> {
        self.trashed_at?.checked_add(trash_keeps()).ok()
    }
}

/// How long the trash keeps a session.
pub(crate) fn trash_keeps() -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(TRASH_DAYS))
}

/// Is a change of how sessions are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refiling {
    Archive,
    Unarchive,
    /// Throws it away; it can be restored for [`TRASH_DAYS`] days.
    Trash,
    Restore,
    /// Puts it under these tags beside those it has.
    AddTags(Vec<String>),
    RemoveTags(Vec<String>),
    /// Puts it under these tags and no others.
    SetTags(Vec<String>),
}

/// Is a part of the list of sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shelf {
    /// Neither in the archive nor in the trash.
    #[default]
    Current,
    Archive,
    /// Everything but the trash.
    Kept,
    Trash,
}

/// Is what the archive and the trash hold, and the tags in use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filed {
    pub archived: u32,
    pub trashed: u32,
    /// Of sessions that are not in the trash, in the order of the alphabet.
    pub tags: Vec<String>,
}

/// Reads tags as people write them: between commas, with or without `#`, in any case.
pub fn read_tags(text: &str) -> Vec<String> {
    tidy(text.split([',', ';']).flat_map(|part| part.split('#')).map(ToOwned::to_owned))
}

/// Brings tags into their one form.
pub(crate) fn tidy(tags: impl IntoIterator<Item = String>) -> Vec<String> {
    let one = |tag: String| {
        let words = tag.split(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '#' | ',' | ';'));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let short: String = words.join(" ").to_lowercase().chars().take(LONGEST_TAG).collect();
        short.trim_end().to_owned()
    };
    let mut tags: Vec<String> = tags.into_iter().map(one).filter(|tag| !tag.is_empty()).collect();
    tags.sort_unstable();
    tags.dedup();
    tags.truncate(MOST_TAGS);
    tags
}

#[cfg(test)]
mod tests {
    use super::read_tags;

    #[test]
    fn tags_have_one_form_however_they_are_written() {
        assert_eq!(read_tags("Clinic, #urgent  Now;clinic,, #"), ["clinic", "urgent now"]);
        assert_eq!(read_tags("#a #b"), ["a", "b"]);
        assert_eq!(read_tags(&"x".repeat(99)), ["x".repeat(40)]);
        assert_eq!(read_tags(" , "), [""; 0]);
    }
}
