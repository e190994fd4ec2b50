//! Who said what the user did not say themselves: answers that somebody else has given on a form.

use serde::{Deserialize, Serialize};

use super::{Asked, WorkingMemory};

/// Somebody else who answered a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speaker {
    pub name: String,
    /// The question that was answered.
    pub question: String,
    /// What tells this answer from others, so that it is taken in once.
    pub mark: String,
}

/// How many answers of others are remembered; a form has fewer.
const MAX_SPEAKERS: usize = 1_000;

impl WorkingMemory {
    /// The memory in which somebody else answers a question next, as if it had been put to them just now.
    #[must_use]
    pub fn answering(&self, speaker: Speaker) -> Self {
        let mut memory = self.clone();
        memory.asked = vec![Asked { obligation: speaker.question.clone(), ..Asked::default() }];
        memory.speakers.insert(memory.turn + 1, speaker);
        if memory.speakers.len() > MAX_SPEAKERS {
            memory.speakers.pop_first();
        }
        memory
    }

    /// Who has said something else than is noted of a field, where it was not the user.
    pub fn says_otherwise(&self, path: &str) -> Option<&str> {
        self.speaker(self.extraction.get(path)?.candidate.as_ref()?.turn)
    }

    /// Who spoke in a turn, where it was not the user.
    pub fn speaker(&self, turn: u32) -> Option<&str> {
        self.speakers.get(&turn).map(|speaker| speaker.name.as_str())
    }
}
