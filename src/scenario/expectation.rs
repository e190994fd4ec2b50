//! What a scenario expects: of the state, never of the words of an answer.

// Limits are called `max_…` in files, all of them.
#![allow(clippy::struct_field_names)]

use serde_json::Value;

use crate::decode::{Named, Spanned, table, words};
use crate::engine::config::StatusWord;
use crate::engine::memory::TaskStatus;

table! {
    /// What must hold after a turn.
    Expectations called "`expect`" {
        /// Fields.
        optional fields: Vec<Spanned<FieldExpectation>>,
        /// Status of obligations, by id.
        optional obligations: Named<StatusWord>,
        /// The phase.
        optional phase: Option<Spanned<String>>,
        /// The phase that this turn left.
        optional left: Option<Spanned<String>>,
        /// Whether no phase was left.
        optional stays: Option<Spanned<bool>>,
        /// What held of the way that was taken, or would have been.
        optional why: Vec<Spanned<Why>>,
        /// What kept a transition from happening, a part of each reason.
        optional blocked_by: Vec<Spanned<String>>,
        /// How complete the picture is.
        optional completeness: Option<Spanned<CompletenessExpectation>>,
        /// Techniques in use.
        optional techniques: Vec<Spanned<String>>,
        /// Obligations on the agenda, first to last, as far as given.
        optional agenda: Option<Spanned<Vec<String>>>,
        /// What the model was shown.
        optional context: Option<Spanned<ContextExpectation>>,
        /// What the turn cost.
        optional budget: Option<Spanned<BudgetExpectation>>,
        /// A next step on offer.
        optional handoff: Option<Spanned<HandoffExpectation>>,
        /// Whether a next step is on offer at all.
        optional offers: Option<Spanned<bool>>,
        /// How well what was handed over was taken up.
        optional receipt: Option<Spanned<ReceiptExpectation>>,
        /// Status of background tasks, by id.
        optional tasks: Named<TaskStatus>,
        /// Pictures of the app, compared with files.
        optional frames: Vec<Spanned<FrameExpectation>>,
        /// Parts of warnings that were given.
        optional warnings: Vec<Spanned<String>>,
        /// How many warnings were given.
        optional warning_count: Option<Spanned<u32>>,
    }
}

table! {
    /// What is known of a field.
    FieldExpectation called "an expected field" {
        /// The field.
        required path: Spanned<String>,
        /// Whether its value counts.
        optional status: Option<FieldWord>,
        /// Its value, or its candidate's.
        optional value: Option<Value>,
        /// A part of its value.
        optional contains: Option<String>,
        /// A part of the user's words behind it.
        optional quote: Option<String>,
        /// The turn of those words.
        optional turn: Option<u32>,
        /// How sure it is at least.
        optional min_confidence: Option<f64>,
        /// What it replaced, oldest first.
        optional superseded: Option<Vec<Value>>,
    }
}

words! {
    /// Whether a value counts.
    FieldWord called "a state of a field" {
        /// Accepted.
        Known = "known",
        /// Not sure enough, or without proof.
        Candidate = "candidate",
        /// In doubt, since something it depends on changed.
        Stale = "stale",
        /// The user does not know.
        Unknown = "unknown",
        /// The user would rather not say.
        Declined = "declined",
        /// Nothing was ever said of it.
        Absent = "absent",
    }
}

table! {
    /// A condition that held.
    Why called "`why`" {
        /// Its type.
        required trigger: Spanned<String>,
        /// The category or evaluator it is about.
        optional about: Option<String>,
        /// What the value had to reach.
        optional threshold: Option<f64>,
    }
}

table! {
    /// How complete the picture is.
    CompletenessExpectation called "`completeness`" {
        /// At least.
        optional min: Option<f64>,
        /// At most.
        optional max: Option<f64>,
        /// Whether the engine's threshold is reached.
        optional ready: Option<bool>,
    }
}

table! {
    /// What the model was shown.
    ContextExpectation called "`context`" {
        /// Tokens at most.
        optional max_tokens: Option<u32>,
        /// Sections that have something in them.
        optional sections: Vec<String>,
        /// Sections that have nothing in them.
        optional empty: Vec<String>,
    }
}

table! {
    /// What the session has cost so far.
    BudgetExpectation called "`budget`" {
        /// Calls of this turn at most.
        optional max_calls: Option<u32>,
        /// Tokens of the session at most, sent and received.
        optional max_tokens: Option<u32>,
        /// Dollars of the session at most.
        optional max_cost_usd: Option<f64>,
    }
}

table! {
    /// A next step on offer.
    HandoffExpectation called "`handoff`" {
        /// The exit.
        required exit: Spanned<String>,
        /// Whether it could be handed over as it is.
        optional valid: Option<bool>,
        /// A part of one of its decisions each.
        optional decisions: Vec<String>,
        /// A part of one of its constraints each.
        optional constraints: Vec<String>,
        /// A part of one of its gaps each.
        optional gaps: Vec<String>,
    }
}

table! {
    /// How well what was handed over was taken up.
    ReceiptExpectation called "`receipt`" {
        /// Whether more than half of the critical items were.
        optional verified: Option<bool>,
        /// How many were not.
        optional missing: Option<u32>,
    }
}

table! {
    /// A picture of the app after the turn.
    FrameExpectation called "an expected frame" {
        /// The file it must look like, beside the scenario, such as `frames/end.frame`.
        required file: Spanned<String>,
        /// Columns and rows, such as 120x40.
        optional size: Option<Spanned<String>>,
        /// A theme of the program; where it is given, the colours are compared too.
        optional theme: Option<Spanned<String>>,
    }
}
