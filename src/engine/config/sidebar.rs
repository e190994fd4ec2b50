//! Surface 8, the sidebar: what the user sees of the state of things.

use crate::decode::{Fraction, Id, Named, Spanned, table, tagged};

table! {
    /// What the sidebar shows.
    Sidebar called "`sidebar`" {
        /// Where the conversation stands.
        optional phase_indicator: PhaseIndicator,
        /// How complete the picture is.
        optional progress_bar: ProgressBar,
        /// Sections that are always there.
        required static_sections: Vec<Section>,
        /// Sections that appear when there is a reason.
        optional dynamic_sections: Vec<DynamicSection>,
        /// Whether background tasks are shown.
        optional tasks: bool = true,
        /// Whether the mode blend is shown.
        optional modes: bool = true,
        /// Whether the budget is shown.
        optional budget: bool = true,
    }
}

table! {
    /// Where the conversation stands.
    PhaseIndicator called "`phase_indicator`" {
        /// Whether it is shown.
        optional show: bool = true,
        /// Friendlier names than the phases' own, by phase id.
        optional labels: Named<String>,
    }
}

table! {
    /// How complete the picture is.
    ProgressBar called "`progress_bar`" {
        /// Whether it is shown.
        optional show: bool = true,
        /// Whether the number stands beside it.
        optional show_percentage: bool = true,
    }
}

table! {
    /// A section of the checklist.
    Section called "a section" {
        /// Its name in state and scripts.
        required id: Id,
        /// What people read.
        required title: String,
        /// Categories of obligations listed in it.
        required obligation_categories: Vec<Id>,
        /// Whether it starts folded.
        optional default_collapsed: bool,
    }
}

table! {
    /// A section that appears when there is a reason.
    DynamicSection called "a dynamic section" {
        /// The section.
        flatten section: Section,
        /// The reason.
        required appears_when: Spanned<Visibility>,
    }
}

tagged! {
    /// When a section is visible.
    Visibility called "a visibility condition" by "type" {
        /// The session has lasted some turns.
        TurnCount(VisibleAfterTurns) = "turn_count",
        /// Completeness has reached a level.
        CompletenessScore(VisibleFromCompleteness) = "completeness_score",
        /// Enough obligations of a category are satisfied.
        ObligationSatisfaction(VisibleFromSatisfaction) = "obligation_satisfaction",
    }
}

table! {
    /// The session has lasted some turns.
    VisibleAfterTurns called "a `turn_count` condition" {
        /// The number of turns.
        required min_turns: u32,
    }
}

table! {
    /// Completeness has reached a level.
    VisibleFromCompleteness called "a `completeness_score` condition" {
        /// The level.
        required min_completeness: Fraction,
    }
}

table! {
    /// Enough obligations of a category are satisfied.
    VisibleFromSatisfaction called "an `obligation_satisfaction` condition" {
        /// The category.
        required obligation_category: Id,
        /// The share of its obligations.
        required min_satisfaction_rate: Fraction,
    }
}
