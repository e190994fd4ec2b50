//! Keeping sessions in another way: in the archive, in the trash, under tags; and what is said of it.

use super::{Host, HostError};
use crate::engine::sensitive;
use crate::settings::Sensitive;
pub use crate::store::read_tags;
use crate::store::{Refiling, SessionRecord, TRASH_DAYS};

impl Host {
    /// Keeps sessions in another way; the beginnings of their ids will do. Tags are cleaned like titles.
    pub async fn refile(&self, ids: Vec<String>, change: Refiling) -> Result<Vec<SessionRecord>, HostError> {
        let redacts = self.settings.sensitive.value == Sensitive::Redact;
        let clean = |tags: Vec<String>| -> Vec<String> {
            if redacts { tags.iter().map(|tag| sensitive::redact(tag)).collect() } else { tags }
        };
        let change = match change {
            Refiling::AddTags(tags) => Refiling::AddTags(clean(tags)),
            Refiling::SetTags(tags) => Refiling::SetTags(clean(tags)),
            other => other,
        };
        let refiled = self.store().call_async(move |store| {
            let mut found = Vec::new();
            for prefix in &ids {
                found.push(store.find_session(prefix)?.id);
            }
            store.refile(&found, &change)
        });
        Ok(refiled.await?)
    }
}

/// What became of a session, for people.
pub fn told(session: &SessionRecord, change: &Refiling) -> String {
    let title = &session.title;
    match change {
        Refiling::Archive => format!("“{title}” is in the archive"),
        Refiling::Unarchive => format!("“{title}” is out of the archive"),
        Refiling::Trash => format!("“{title}” is in the trash; it can be restored for {TRASH_DAYS} days"),
        Refiling::Restore => format!("“{title}” is restored"),
        Refiling::AddTags(_) | Refiling::RemoveTags(_) | Refiling::SetTags(_) if session.filing.tags.is_empty() => {
            format!("“{title}” has no tags")
        }
        Refiling::AddTags(_) | Refiling::RemoveTags(_) | Refiling::SetTags(_) => {
            format!("“{title}” is tagged {}", hashed(&session.filing.tags))
        }
    }
}

/// Tags as people write them.
pub fn hashed(tags: &[String]) -> String {
    tags.iter().map(|tag| format!("#{tag}")).collect::<Vec<_>>().join(" ")
}
