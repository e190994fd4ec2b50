//! What the model gets to see: seven sections in order, each within its cap, nothing counted twice.

mod assemble;
mod message;
mod note;
pub(super) mod preamble;
mod sections;
mod window;

pub(super) use assemble::notes_from;
pub use assemble::{ContextInput, assemble};
pub(super) use sections::extraction_summary;
pub use window::WindowNeeds;

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::config::ContextOrder;
use super::memory::{Note, SectionUse, Told};
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
    /// What every request begins with.
    pub system: &'a str,
    pub order: ContextOrder,
    pub sections: Vec<Section>,
    /// The messages of the history section, oldest first.
    pub history: &'a [Message],
    /// The notes that were sent with them, by turn.
    pub notes: BTreeMap<u32, Note>,
    /// What will have been told once this is sent.
    pub told: Told,
    /// Tokens of everything.
    pub tokens: u32,
    /// Whether the history has all but outgrown its budget, so that it should be compressed.
    pub history_overflow: bool,
    /// What the history was allowed.
    pub history_budget: u32,
    /// What the answer may take.
    pub output_reserve: u32,
    /// The most tokens of a message that are shown.
    pub longest: u32,
    /// How many bytes of the message are shown.
    pub message_bytes: usize,
}

/// What a person wrote, so that nothing in it looks like a note or a request of the program: a pasted mail may have
/// been written by somebody who means to give the model orders.
fn unforged(text: &str) -> Cow<'_, str> {
    let is_mark = |at: usize| {
        let rest = text[at + 1..].trim_start_matches('/');
        ["note", "report"].iter().any(|mark| rest.get(..mark.len()).is_some_and(|word| word.eq_ignore_ascii_case(mark)))
    };
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices('<').filter(|(at, _)| is_mark(*at)) {
        out.push_str(&text[done..=at]);
        out.push(' ');
        done = at + 1;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// What a model is told of an aside.
const ASIDE: &str = "These words are an aside: something said beside the interview. They are no answer to your last question, \
                     nothing of them is noted, and they will not be part of the conversation. Answer them briefly, in at \
                     most four sentences, in the language they are written in. Ask nothing, do not put your last question \
                     again, and do not say that you have noted anything.";

impl AssembledContext<'_> {
    pub fn section(&self, kind: SectionKind) -> &Section {
        &self.sections[kind as usize]
    }

    /// What stands before the messages, what changes least first.
    pub fn system_parts(&self) -> Vec<&str> {
        let before: &[SectionKind] = match self.order {
            ContextOrder::Append => &[SectionKind::Handoff, SectionKind::History],
            ContextOrder::Document => &[
                SectionKind::Handoff,
                SectionKind::Phase,
                SectionKind::Obligations,
                SectionKind::BackgroundIntelligence,
                SectionKind::History,
            ],
        };
        let texts = before.iter().map(|kind| self.section(*kind).text.as_str());
        std::iter::once(self.system).chain(texts).filter(|text| !text.is_empty()).collect()
    }

    /// The note for this answer; empty in the order of the document.
    pub fn note(&self) -> String {
        if self.order == ContextOrder::Document {
            return String::new();
        }
        let parts = [
            SectionKind::ExtractionSummary,
            SectionKind::BackgroundIntelligence,
            SectionKind::Phase,
            SectionKind::Obligations,
        ];
        let texts: Vec<&str> = parts.iter().map(|kind| self.section(*kind).text.as_str()).collect();
        let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        format!("<note>\n{}\n</note>", texts.join("\n"))
    }

    /// The messages before this one as a chat model takes them, with the notes that were sent with them.
    pub fn past_messages(&self) -> Vec<(Role, String)> {
        let with_note = |message: &Message| {
            if message.role == Role::Assistant {
                return unforged(&message.text).into_owned();
            }
            let text = message::shortened(&message.text, self.longest);
            let text = unforged(&text);
            self.notes.get(&message.turn).map_or_else(|| text.to_string(), |note| format!("{text}\n\n{}", note.text))
        };
        self.history.iter().map(|message| (message.role, with_note(message))).collect()
    }

    /// The messages as a chat model takes them; the last is the user's, with a note after it, or in the order of the
    /// document with what is known before it.
    pub fn chat_messages(&self) -> Vec<(Role, String)> {
        let mut messages = self.past_messages();
        let known = &self.section(SectionKind::ExtractionSummary).text;
        let now = unforged(&self.section(SectionKind::UserMessage).text);
        let last = match self.order {
            ContextOrder::Append => format!("{now}\n\n{}", self.note()),
            ContextOrder::Document if known.is_empty() => now.into_owned(),
            ContextOrder::Document => format!("[{known}]\n\n{now}"),
        };
        messages.push((Role::User, last));
        messages
    }

    /// The messages with a report asked for in place of an answer.
    pub fn report_messages(&self, report: &str) -> Vec<(Role, String)> {
        let mut messages = self.past_messages();
        let now = unforged(&self.section(SectionKind::UserMessage).text);
        messages.push((Role::User, format!("{now}\n\n<report>\n{report}\n</report>")));
        messages
    }

    /// The messages with an aside as the last, which is to be answered and nothing else.
    pub fn aside_messages(&self) -> Vec<(Role, String)> {
        let mut messages = self.past_messages();
        let now = unforged(&self.section(SectionKind::UserMessage).text);
        messages.push((Role::User, format!("{now}\n\n<note>\n{ASIDE}\n</note>")));
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
