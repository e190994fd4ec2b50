//! Surface 10, exit transitions: where the result of a session can go next, and what is handed over.

use super::expression::Expr;
use super::rule::Rule;
use crate::decode::{Id, Named, Spanned, table};

table! {
    /// Something a user may say that matters to the course of the session.
    Intent called "an intent" {
        /// Name by which expressions ask for it.
        required id: Id,
        /// What it means, for the model.
        required description: String,
        /// Words that show it, for when there is no model.
        optional phrases: Vec<String>,
    }
}

table! {
    /// A way from this engine to another.
    ExitTransition called "an exit transition" {
        /// Its name in traces.
        required id: Id,
        /// The engine that goes on.
        required to: Id,
        /// What the user is offered, in a few words.
        required name: String,
        /// The same in other languages, by language.
        optional name_in: Named<String>,
        /// When it is offered.
        required when: Spanned<Rule>,
        /// Why the conversation moves there.
        required reason: String,
        /// What is handed over.
        required map: Spanned<HandoffMap>,
    }
}

table! {
    /// Expressions that fill the sections of a handoff.
    HandoffMap called "`map`" {
        /// Decisions, what was ruled out, constraints, assumptions.
        optional action_list: ActionListMap,
        /// How sure the user is, what is missing, what they want and what hurts.
        optional situation_awareness: SituationMap,
        /// What was taught and what the user brings along.
        optional accumulated_context: AccumulatedMap,
        /// How it was to talk.
        optional relational_state: RelationalMap,
    }
}

table! {
    /// What was decided.
    ActionListMap called "`action_list`" {
        /// A list of { decision, confidence, reasoning }.
        optional decisions_reached: Option<Expr>,
        /// A list of { option, reasons }.
        optional options_eliminated: Option<Expr>,
        /// A list of { constraint, implication }.
        optional constraints_identified: Option<Expr>,
        /// A list of `{ assumption, warrant_review }`.
        optional assumptions_carried_forward: Option<Expr>,
    }
}

table! {
    /// Where the user stands.
    SituationMap called "`situation_awareness`" {
        /// low, medium or high.
        optional user_confidence_level: Option<Expr>,
        /// A list of texts.
        optional knowledge_gaps_revealed: Option<Expr>,
        /// A list of texts.
        optional user_goals: Option<Expr>,
        /// A list of texts.
        optional key_pain_points: Option<Expr>,
    }
}

table! {
    /// What the user knows.
    AccumulatedMap called "`accumulated_context`" {
        /// A list of `{ concept, understanding_level }`, the level being basic, solid or expert.
        optional concepts_taught: Option<Expr>,
        /// A list of texts.
        optional prior_experience: Option<Expr>,
        /// beginner, intermediate, advanced or expert.
        optional technical_level: Option<Expr>,
    }
}

table! {
    /// How it was to talk.
    RelationalMap called "`relational_state`" {
        /// low, medium or high.
        optional trust_level: Option<Expr>,
        /// A sentence.
        optional rapport: Option<Expr>,
        /// A list of texts.
        optional open_questions: Option<Expr>,
        /// A list of texts.
        optional sensitivities: Option<Expr>,
    }
}
