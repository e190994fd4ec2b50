//! Sessions, engines and lists as front ends see them: plain data, without anything that only the host can use.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Listing;
use crate::engine::answer_card::AnswerCard;
use crate::engine::brief::Proof;
use crate::engine::memory::WorkingMemory;
use crate::engine::open_points::OpenPoint;
use crate::engine::outline::EngineOutline;
use crate::engine::recap::Recap;
use crate::engine::sidebar::SidebarState;
use crate::engine::step::TraceEntry;
use crate::engine::transcript::Message;
use crate::store::Draft;
use crate::words::Words;

/// A session as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Its id.
    pub id: String,
    /// Its title; empty while it has none of its own.
    pub title: String,
    /// Its project, if it belongs to a named one.
    pub project: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its engine.
    pub engine: Arc<EngineOutline>,
    /// Its memory.
    pub memory: Arc<WorkingMemory>,
    /// What stands beside the conversation.
    pub sidebar: SidebarState,
    /// What was said, the opening first.
    pub messages: Vec<Message>,
    /// What was written but not sent.
    pub draft: Draft,
    /// What its engine would do and waits for the user's word on.
    pub trust: Option<TrustQuestion>,
    /// How its engine differs from the one of that name now, if it does.
    pub engine_change: Option<EngineChange>,
    /// The turn under way, for a front end that joins in the middle of one.
    pub under_way: Option<TurnUnderWay>,
    /// That the model may search the other sessions of its project, and where what it finds goes; in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_search: Option<String>,
    /// What can be chosen in answer to the last question; none where any words may be the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<AnswerCard>,
    /// How it stands, for somebody who comes to it; none as long as nothing was said, and none for who has it open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recap: Option<Recap>,
}

/// A brief with what every statement of it rests on. Sensitive values are taken out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvenBrief {
    /// It in Markdown, its statements numbered.
    pub markdown: String,
    /// What the numbers refer to, the first first.
    pub statements: Vec<Proof>,
    /// What is open.
    pub open: Vec<OpenPoint>,
}

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// What is open.
    pub open: Vec<OpenPoint>,
    /// How it stands in three lines; none as long as nothing was said.
    pub recap: Option<Recap>,
    /// What its engine would do and may not, because nobody has agreed to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<TrustQuestion>,
}

/// A turn under way, as far as it has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnUnderWay {
    /// What the user said.
    pub message: String,
    /// The turn that it takes the place of.
    pub replaces: Option<u32>,
    /// Whether it is an aside.
    #[serde(default)]
    pub aside: bool,
    /// The answer so far.
    pub answer: String,
    /// What the steps so far did.
    pub trace: Vec<TraceEntry>,
}

/// How the engine of a session differs from the one of that name now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineChange {
    /// The version the session is pinned to.
    pub pinned_version: String,
    /// The version there is now.
    pub current_version: String,
    /// What is different, in words.
    pub differences: Vec<String>,
}

/// What an engine from outside the binary would do, and waits for the user's word on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustQuestion {
    /// What a decision is remembered by.
    pub digest: String,
    /// Where the engine comes from.
    pub origin: String,
    /// Every program and address, exactly.
    pub acts: Vec<TrustedAct>,
    /// The files that its programs get, with what stands in them.
    pub files: Vec<TrustDetail>,
    /// What would hold its programs, in words, where it has any.
    pub held_by: Option<String>,
    /// Why it cannot be agreed to at all; most have none.
    pub obstacles: Vec<String>,
    /// Why it is asked though something was decided before.
    #[serde(default)]
    pub doubt: Option<String>,
}

/// Something that an engine would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedAct {
    /// What exactly, on one line.
    pub words: String,
    /// The name under which the engine file declares it.
    pub handler: String,
    /// The tasks it is done for, by name.
    pub tasks: Vec<String>,
    /// What has to be seen as well: each argument, what it may do, the text of its scripts.
    pub details: Vec<TrustDetail>,
}

/// A part of what is agreed to, line by line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustDetail {
    pub heading: String,
    pub lines: Vec<String>,
}

/// An engine to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineChoice {
    /// Name or path.
    pub id: String,
    /// What people read.
    pub name: String,
    /// What the user leaves with.
    pub outcome: String,
    /// About how long it takes.
    pub minutes: u32,
    /// Whether somebody who just begins to write begins with it.
    #[serde(default)]
    pub usual: bool,
}

/// A session to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionChoice {
    /// The session.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The name of its engine.
    pub engine: String,
    /// When it was last used, for people.
    pub when: String,
    /// Its turns.
    pub turns: u32,
    /// Its completeness in per cent.
    pub completeness: u32,
    /// Its project, where it has one with a name.
    pub project: Option<String>,
    /// What it is a copy of, if it is one.
    pub copy: Option<CopyOf>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it is in the archive.
    pub archived: bool,
    /// In how many days the trash lets go of it, if it is there.
    pub days_left: Option<u32>,
}

/// What a session was copied from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyOf {
    /// The other session, for people; none if it is gone.
    pub of: Option<String>,
    /// The turn up to which they are the same.
    pub turn: u32,
}

/// What the first screen could list beside what it lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shelves {
    /// What was asked for.
    pub listing: Listing,
    /// How many sessions are in the archive, and in the trash.
    pub archived: u32,
    pub trashed: u32,
    /// The tags and the projects there are.
    pub tags: Vec<String>,
    pub projects: Vec<String>,
}

/// A place where something was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The session.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The turn.
    pub turn: u32,
    /// The words around it.
    pub excerpt: String,
}

/// A session on a journey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JourneyStop {
    /// The session.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Its engine, how complete it is, what was handed over.
    pub detail: String,
    /// How many handoffs led to it.
    pub depth: usize,
}

/// A model to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice {
    /// How it is named in [`UseModel`](super::UseModel).
    pub id: String,
    /// What people read.
    pub label: String,
    /// Where it runs, what it costs.
    pub detail: String,
    /// Whether it is the one that answers now.
    pub in_use: bool,
}

/// The models that can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelsFound {
    pub models: Vec<ModelChoice>,
    /// Whether endpoints and servers on this machine are still being asked.
    pub looking: bool,
}

/// An earlier course of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CourseChoice {
    /// What it is called by in commands.
    pub id: u64,
    /// The turn it went on from.
    pub after: u32,
    /// How many turns it has.
    pub turns: u32,
    /// When it was left, for people.
    pub when: String,
    /// What was said in it.
    pub messages: Vec<Message>,
}

/// What became of the answers of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedAnswers {
    /// Whose they are.
    pub speaker: String,
    pub answers: Vec<ImportedAnswer>,
    /// Questions that were left empty.
    pub empty: usize,
}

/// What became of one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedAnswer {
    /// The name of the question.
    pub question: String,
    #[serde(flatten)]
    pub became: WhatBecame,
    /// Fields whose value it took out or replaced: somebody else's words have changed what was noted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Fields of which it says otherwise than is noted, and which stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<String>,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "became")]
pub enum WhatBecame {
    /// It was read as an answer to its question; these fields were noted.
    Noted { turn: u32, noted: Vec<String> },
    /// It was said and is kept, but not read as an answer to its question; these fields were noted from it all the same.
    NotRead { turn: u32, noted: Vec<String> },
    /// It says otherwise than is noted: it is kept beside that, and the user decides.
    Otherwise { turn: u32, noted: Vec<String> },
    /// It was taken in before, in this turn.
    TakenInBefore { turn: u32 },
    /// The engine has no such question.
    NoSuchQuestion,
    /// It could not be taken in, for this reason.
    Refused { why: String },
}

impl ImportedAnswer {
    pub(in crate::host) fn of(question: &str, became: WhatBecame) -> Self {
        Self { question: question.to_owned(), became, changed: Vec::new(), otherwise: Vec::new() }
    }

    /// It in words.
    pub fn in_words(&self, words: &Words) -> String {
        let (question, says) = (&self.question, &words.forms);
        let became = match &self.became {
            WhatBecame::NotRead { turn, noted } if noted.is_empty() => says.not_read(question, turn),
            WhatBecame::NotRead { turn, noted } => says.noted_instead(question, turn, noted.join(", ")),
            WhatBecame::Otherwise { turn, noted } if noted.is_empty() => says.kept_otherwise(question, turn),
            WhatBecame::Noted { turn, noted } | WhatBecame::Otherwise { turn, noted } => {
                says.noted(question, turn, noted.join(", "))
            }
            WhatBecame::TakenInBefore { turn } => says.before(question, turn),
            WhatBecame::NoSuchQuestion => says.no_such(question),
            WhatBecame::Refused { why } => says.refused(question, why),
        };
        let became = match &self.otherwise[..] {
            [] => became,
            names => says.otherwise(became, names.join(", ")),
        };
        if self.changed.is_empty() {
            return became;
        }
        says.changed(became, self.changed.join(", "))
    }
}

impl ImportedAnswers {
    /// All of it in a line.
    pub fn in_short(&self, words: &Words) -> String {
        let count = |is: fn(&WhatBecame) -> bool| self.answers.iter().filter(|answer| is(&answer.became)).count();
        let noted = count(|became| matches!(became, WhatBecame::Noted { .. }));
        let before = count(|became| matches!(became, WhatBecame::TakenInBefore { .. }));
        let otherwise = count(|became| matches!(became, WhatBecame::Otherwise { .. }));
        let other = self.answers.len() - noted - before - otherwise;
        let short = words.forms.in_short(&self.speaker, noted, before, other, self.empty);
        if otherwise == 0 { short } else { format!("{short}, {}", words.forms.in_short_otherwise(otherwise)) }
    }
}
