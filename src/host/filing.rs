//! Keeping sessions in another way: in the archive, in the trash, under tags, under a title; and what is said of it.

use super::{Host, HostError};
use crate::engine::sensitive;
pub use crate::store::read_tags;
use crate::store::{Refiling, SessionRecord, TRASH_DAYS};
use crate::words::Words;

impl Host {
    /// Keeps sessions in another way; the beginnings of their ids will do. Tags are cleaned like titles.
    pub async fn refile(&self, ids: Vec<String>, change: Refiling) -> Result<Vec<SessionRecord>, HostError> {
        let policy = self.sensitive();
        let clean = |tags: Vec<String>| tags.iter().map(|tag| sensitive::storable(tag, policy)).collect();
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

    /// Gives a session a title of the user's, without opening it; the beginning of its id will do.
    pub async fn rename(&self, id: &str, title: &str) -> Result<SessionRecord, HostError> {
        let (prefix, title) = (id.to_owned(), sensitive::storable(title, self.sensitive()));
        let renamed = self.store().call_async(move |store| {
            let id = store.find_session(&prefix)?.id;
            store.rename_session(id, &title)
        });
        Ok(renamed.await?)
    }
}

/// What became of a session, for people.
pub fn told(session: &SessionRecord, change: &Refiling, words: &Words) -> String {
    let (title, says) = (&session.title, &words.host);
    match change {
        Refiling::Archive => says.in_archive(title),
        Refiling::Unarchive => says.out_of_archive(title),
        Refiling::Trash => says.in_trash(title, TRASH_DAYS),
        Refiling::Restore => says.restored(title),
        Refiling::AddTags(_) | Refiling::RemoveTags(_) | Refiling::SetTags(_) if session.filing.tags.is_empty() => {
            says.no_tags(title)
        }
        Refiling::AddTags(_) | Refiling::RemoveTags(_) | Refiling::SetTags(_) => {
            says.tagged(title, hashed(&session.filing.tags))
        }
    }
}

/// Tags as people write them.
pub fn hashed(tags: &[String]) -> String {
    tags.iter().map(|tag| format!("#{tag}")).collect::<Vec<_>>().join(" ")
}
