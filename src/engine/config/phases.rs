//! Surface 2, phase management: the stages of a conversation and what leads from one to the next.

use super::rule::Rule;
use crate::decode::{Id, Named, Places, Spanned, table, words};

table! {
    /// One stage of the conversation.
    Phase called "a phase" {
        /// Name by which triggers, labels and traces refer to it, such as `CORE_CAPTURE`.
        required id: Id,
        /// What people read.
        required name: String,
        /// The same in other languages, by language.
        optional name_in: Named<String>,
        /// Its place on the default path: 1, 2, 3 …
        required order: Spanned<u32>,
        /// What the engine does here, added to the prompt while the phase lasts.
        required instructions: String,
        /// Categories of obligations that this phase works on.
        required covers: Vec<Id>,
        /// Whether points of later phases are kept from the model although few are open here: what comes later would come
        /// too early.
        optional keeps_to_itself: bool,
        /// How the conversation should sound, in per cent that sum to 100.
        required mode_blend: Spanned<ModeBlend>,
        /// Techniques that may be used here.
        optional techniques: Vec<Id>,
        /// What must hold to enter.
        optional entry_conditions: Vec<Spanned<Rule>>,
        /// What moves the conversation on to `next`.
        optional triggers: Vec<Spanned<Rule>>,
        /// Whether one trigger is enough.
        optional trigger_mode: TriggerMode,
        /// Obligations that must be satisfied before the phase can be left forwards.
        optional checkpoints: Vec<Id>,
        /// The phase that follows; by default the next in order.
        optional next: Option<Id>,
        /// Other ways out, tried before `next`, in order; they may lead backwards.
        optional transitions: Vec<Transition>,
        places at: Places,
    }
}

table! {
    /// A way out of a phase besides `next`.
    Transition called "a transition" {
        /// Where it leads.
        required to: Id,
        /// What makes it happen.
        required triggers: Vec<Spanned<Rule>>,
        /// Whether one trigger is enough.
        optional trigger_mode: TriggerMode,
        places at: Places,
    }
}

words! {
    /// How several triggers combine.
    TriggerMode called "a trigger mode" {
        /// One is enough.
        Any = "any",
        /// All must fire.
        All = "all",
    }
}

words! {
    /// The seven modes of conversation.
    Mode called "a mode" {
        /// Draw out what the user knows.
        Extract = "extract",
        /// Discover possibilities together.
        Explore = "explore",
        /// Teach something new.
        Inform = "inform",
        /// Confirm an understanding.
        Validate = "validate",
        /// Sharpen what is there.
        Refine = "refine",
        /// Lead towards a decision.
        Persuade = "persuade",
        /// Weigh what speaks for and against.
        Deliberate = "deliberate",
    }
}

table! {
    /// Shares of the seven modes, in per cent that sum to 100.
    ModeBlend called "`mode_blend`" {
        /// Draw out what the user knows.
        optional extract: u32,
        /// Discover possibilities together.
        optional explore: u32,
        /// Teach something new.
        optional inform: u32,
        /// Confirm an understanding.
        optional validate: u32,
        /// Sharpen what is there.
        optional refine: u32,
        /// Lead towards a decision.
        optional persuade: u32,
        /// Weigh what speaks for and against.
        optional deliberate: u32,
    }
}

impl ModeBlend {
    pub fn share(&self, mode: Mode) -> u32 {
        match mode {
            Mode::Extract => self.extract,
            Mode::Explore => self.explore,
            Mode::Inform => self.inform,
            Mode::Validate => self.validate,
            Mode::Refine => self.refine,
            Mode::Persuade => self.persuade,
            Mode::Deliberate => self.deliberate,
        }
    }

    pub fn sum(&self) -> u64 {
        Mode::ALL.iter().map(|mode| u64::from(self.share(*mode))).sum()
    }
}
