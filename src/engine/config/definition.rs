//! The whole engine file: its thirteen surfaces in the document's order.

use super::background_tasks::BackgroundTask;
use super::completeness::Completeness;
use super::context::Context;
use super::exit_transitions::{ExitTransition, Intent};
use super::expression::{Expr, Prose};
use super::fields::Field;
use super::handlers::Handler;
use super::identity::{EngineType, InformationRatio};
use super::obligations::{Agenda, Category, Obligation};
use super::phases::Phase;
use super::sidebar::Sidebar;
use super::techniques::{Modes, Techniques};
use super::tools::Tools;
use crate::decode::{Entries, Id, Named, Places, Spanned, table};

table! {
    /// An Elenchus engine: everything one kind of conversation is made of.
    Definition called "the engine file" {
        /// The name of the engine, the same as its folder's.
        required id: Id,
        /// What people read.
        required name: String,
        /// The same in other languages, by language.
        optional name_in: Named<String>,
        /// What it is for, in a sentence or two.
        required description: String,
        /// What the user leaves with, in one line.
        required outcome: String,
        /// The same in other languages, by language.
        optional outcome_in: Named<String>,
        /// About how long a session takes.
        required duration_minutes: u32,
        /// Whether a user who has no session yet and just begins to write begins with it.
        optional usual: bool,
        /// Version of this definition, such as 1.0.0.
        required version: Spanned<String>,
        /// Which way most of the information flows.
        required engine_type: EngineType,
        /// What the engine says first, a template.
        required opening: Prose,
        /// The same in other languages, by language.
        optional opening_in: Named<Prose>,
        /// Headings and labels of the brief in other languages, by language and as `brief.md` has them.
        optional brief_in: Named<Entries<String>>,
        /// How the talking is shared.
        required information_ratio: Spanned<InformationRatio>,
        /// The language of its texts and cues.
        optional language: Option<Id>,
        /// The phase a session starts in.
        required initial_phase: Id,
        /// The phases.
        required phases: Spanned<Vec<Phase>>,
        /// Groups of obligations.
        required categories: Vec<Category>,
        /// What the conversation has to bring out.
        required obligations: Spanned<Vec<Obligation>>,
        /// How the agenda of a turn is drawn up.
        optional agenda: Agenda,
        /// How completeness is measured.
        required completeness: Completeness,
        /// Work done beside the conversation.
        optional background_tasks: Vec<BackgroundTask>,
        /// Who does that work, by name.
        optional handlers: Named<Handler>,
        /// What the model may do besides writing.
        optional tools: Tools,
        /// What the model gets to see.
        optional context: Context,
        /// What the user gets to see.
        required sidebar: Sidebar,
        /// Techniques used.
        required techniques: Techniques,
        /// How modes are watched.
        optional modes: Modes,
        /// What a user may want besides answering.
        optional intents: Vec<Intent>,
        /// Where the result can go next.
        optional exit_transitions: Vec<ExitTransition>,
        /// What is to be learned.
        required fields: Spanned<Vec<Field>>,
        /// Expressions that score from 0 to 1, by name.
        optional evaluators: Named<Expr>,
        /// What an answer must not be.
        optional qa: Qa,
        places at: Places,
    }
}

impl Definition {
    /// The language of its texts and cues.
    pub fn language(&self) -> &str {
        self.language.as_deref().unwrap_or("en")
    }
}

table! {
    /// Limits that every answer of the engine is checked against.
    Qa called "`qa`" {
        /// An answer longer than this is sent back once.
        optional max_words: u32 = 220,
        places at: Places,
    }
}
