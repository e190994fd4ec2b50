//! Surface 9, technique activation, and the library that all engines share.

use super::phases::Mode;
use crate::decode::{Id, Places, table, words};

table! {
    /// Which techniques of the library an engine uses.
    Techniques called "`techniques`" {
        /// Their names in the library.
        required available: Vec<Id>,
        /// Who picks among them.
        optional scheduler: Scheduler,
        /// At most this many in one turn.
        optional max_active: u32 = 1,
        places at: Places,
    }
}

words! {
    /// Who picks the techniques of a turn.
    Scheduler called "a scheduler" {
        /// Rules: missing modes, friction, cooldown, past effect.
        RuleBased = "rule_based",
        /// The model, from those offered in the prompt.
        LlmDriven = "llm_driven",
    }
}

table! {
    /// How modes are watched.
    Modes called "`modes`" {
        /// Who tells the modes of an answer.
        optional classifier: Classifier,
        /// How far, in per cent, the observed blend may stray before the next prompt corrects it.
        optional drift_margin: u32 = 20,
    }
}

words! {
    /// Who tells the modes of an answer.
    Classifier called "a classifier" {
        /// Words and punctuation.
        Lexical = "lexical",
        /// The model.
        Llm = "llm",
        /// Nobody.
        None = "none",
    }
}

table! {
    /// The library of techniques.
    TechniqueFile called "the technique library" {
        /// The techniques.
        required techniques: Vec<Technique>,
    }
}

table! {
    /// A way of conducting a conversation.
    Technique called "a technique" {
        /// Its name in engine files.
        required id: Id,
        /// What people read.
        required name: String,
        /// The school it comes from.
        required school: String,
        /// What it does.
        required description: String,
        /// Modes it serves.
        required applicable_modes: Vec<Mode>,
        /// What the model is told while it is active.
        required instructions: String,
        /// How to tell that it worked.
        required effectiveness_signal: String,
        /// Turns before it may be used again.
        required cooldown_turns: u32,
    }
}
