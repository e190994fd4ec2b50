//! What the model gets to see: seven sections in order, each within its cap, nothing counted twice.

mod assemble;
mod sections;

pub use assemble::{ContextInput, assemble};

use super::memory::SectionUse;
use super::transcript::{Message, Role};

/// The sections, in order: what is read best stands first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKind {
    /// What an earlier engine handed over.
    Handoff,
    /// Phase instructions, agenda and techniques.
    Phase,
    /// What is settled and what is open.
    Obligations,
    /// What background tasks and the project brought.
    BackgroundIntelligence,
    /// What was said.
    History,
    /// What is known, field by field.
    ExtractionSummary,
    /// What the user says now.
    UserMessage,
}

impl SectionKind {
    pub const ALL: [Self; 7] = [
        Self::Handoff,
        Self::Phase,
        Self::Obligations,
        Self::BackgroundIntelligence,
        Self::History,
        Self::ExtractionSummary,
        Self::UserMessage,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Handoff => "handoff",
            Self::Phase => "phase",
            Self::Obligations => "obligations",
            Self::BackgroundIntelligence => "background_intelligence",
            Self::History => "history",
            Self::ExtractionSummary => "extraction_summary",
            Self::UserMessage => "user_message",
        }
    }
}

/// One section. The text of the history is its summary; its messages stand beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub kind: SectionKind,
    /// Its text; empty where there is nothing to say.
    pub text: String,
    /// Its tokens, messages included.
    pub tokens: u32,
    /// What it was allowed.
    pub budget: u32,
    /// Whether something had to be left out.
    pub cut: bool,
}

/// A context, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledContext<'a> {
    /// The system prompt, the same in every turn.
    pub system: &'a str,
    pub sections: Vec<Section>,
    /// The messages of the history section, oldest first.
    pub history: &'a [Message],
    /// Tokens of everything.
    pub tokens: u32,
    /// Whether the history outgrew its budget, so that old turns had to be left out.
    pub history_overflow: bool,
    /// What the history was allowed.
    pub history_budget: u32,
    /// What the answer may take.
    pub output_reserve: u32,
}

impl AssembledContext<'_> {
    pub fn section(&self, kind: SectionKind) -> &Section {
        &self.sections[kind as usize]
    }

    /// What stands before the messages: the system prompt, then the first sections, stable parts first.
    pub fn system_parts(&self) -> Vec<&str> {
        let before = [
            SectionKind::Handoff,
            SectionKind::Phase,
            SectionKind::Obligations,
            SectionKind::BackgroundIntelligence,
            SectionKind::History,
        ];
        let texts = before.iter().map(|kind| self.section(*kind).text.as_str());
        std::iter::once(self.system).chain(texts).filter(|text| !text.is_empty()).collect()
    }

    /// The messages as a chat model takes them; the last is the user's, with what is known right before it.
    pub fn chat_messages(&self) -> Vec<(Role, String)> {
        let mut messages: Vec<(Role, String)> =
            self.history.iter().map(|message| (message.role, message.text.to_string())).collect();
        let known = &self.section(SectionKind::ExtractionSummary).text;
        let now = &self.section(SectionKind::UserMessage).text;
        let last = if known.is_empty() { now.clone() } else { format!("[{known}]\n\n{now}") };
        messages.push((Role::User, last));
        messages
    }

    /// How much of its budget each section used.
    pub fn usage(&self) -> Vec<SectionUse> {
        let uses = self.sections.iter().map(|section| SectionUse {
            section: section.kind.name().to_owned(),
            tokens: section.tokens,
            budget: section.budget,
            cut: section.cut,
        });
        uses.collect()
    }
}
