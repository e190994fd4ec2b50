//! Surface 8, the sidebar: what the user sees of the state of things.

use super::rule::Rule;
use crate::decode::{Entries, Id, Named, Spanned, table};

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
        optional names: Named<String>,
        /// The same in other languages, by language and phase id.
        optional names_in: Named<Entries<String>>,
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
        required name: String,
        /// The same in other languages, by language.
        optional name_in: Named<String>,
        /// Categories of obligations listed in it.
        required categories: Vec<Id>,
        /// Whether it starts folded.
        optional default_collapsed: bool,
    }
}

table! {
    /// A section that appears when there is a reason.
    DynamicSection called "a dynamic section" {
        flatten section: Section,
        /// The reason.
        required when: Spanned<Rule>,
    }
}
