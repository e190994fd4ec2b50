//! Surface 4, the completeness model: how the engine tells how far it has come.

use super::expression::Expr;
use super::rule::Subject;
use crate::decode::{Fraction, Id, Places, Spanned, table, tagged};

table! {
    /// How completeness is measured, and when it is enough.
    Completeness called "`completeness`" {
        /// From here on the result is ready to be used.
        required ready_threshold: Fraction,
        flatten model: CompletenessModel,
        places at: Places,
    }
}

tagged! {
    /// The seven ways to measure completeness.
    CompletenessModel called "`completeness`" by "model" {
        /// Share of obligations satisfied, weighted by category.
        Obligation(ObligationModel) = "obligation",
        /// Readiness for an informed decision, by evaluators.
        DecisionReadiness(DecisionReadinessModel) = "decision-readiness",
        /// The level of maturity reached.
        Maturity(MaturityModel) = "maturity",
        /// Whether enough is known for an estimate.
        Estimability(EstimabilityModel) = "estimability",
        /// Share of topics with enough known.
        Coverage(CoverageModel) = "coverage",
        /// Known required fields by dimension.
        Profile(ProfileModel) = "profile",
        /// How little the last turns added.
        Saturation(SaturationModel) = "saturation",
    }
}

table! {
    /// Share of obligations satisfied, weighted by category.
    ObligationModel called "the `obligation` model" {
        /// Weight per category; the weights sum to 1.
        required heuristics: Spanned<Vec<CategoryWeight>>,
    }
}

table! {
    /// The weight of a category.
    CategoryWeight called "a heuristic" {
        /// Name of this part in reports.
        required id: Id,
        /// The category.
        required category: Id,
        /// Its weight.
        required weight: Fraction,
    }
}

table! {
    /// Readiness for an informed decision.
    DecisionReadinessModel called "the `decision-readiness` model" {
        /// Evaluators with their weights, which sum to 1.
        required heuristics: Spanned<Vec<EvaluatorWeight>>,
    }
}

table! {
    /// The weight of an evaluator.
    EvaluatorWeight called "a heuristic" {
        /// Name of this part in reports.
        required id: Id,
        /// The name under `[evaluators]`.
        required evaluator: Id,
        /// Its weight.
        required weight: Fraction,
        /// What is missing while it scores low, in words.
        required gap: String,
    }
}

table! {
    /// The level of maturity reached, over all levels.
    MaturityModel called "the `maturity` model" {
        /// Levels from the lowest up; each counts only when those below it are reached.
        required levels: Spanned<Vec<Level>>,
    }
}

table! {
    /// A level of maturity.
    Level called "a level" {
        /// Its name in reports.
        required id: Id,
        /// What people read.
        required name: String,
        /// What must hold.
        required when: Expr,
    }
}

table! {
    /// Whether enough is known for an estimate.
    EstimabilityModel called "the `estimability` model" {
        /// What the estimate needs; the weights sum to 1.
        required inputs: Spanned<Vec<Input>>,
    }
}

table! {
    /// Something an estimate needs.
    Input called "an input" {
        /// The field.
        required field: Id,
        /// Its weight.
        required weight: Fraction,
    }
}

table! {
    /// Share of topics with enough known.
    CoverageModel called "the `coverage` model" {
        /// The topics.
        required topics: Spanned<Vec<Topic>>,
    }
}

table! {
    /// A topic.
    Topic called "a topic" {
        /// Its name in reports.
        required id: Id,
        /// What people read.
        required name: String,
        /// Fields that belong to it.
        required fields: Vec<Id>,
        /// How many of them must be known.
        optional min_known: Spanned<u32> = Spanned { value: 1, span: 0..0 },
        places at: Places,
    }
}

table! {
    /// Known required fields by dimension.
    ProfileModel called "the `profile` model" {
        /// The dimensions.
        required dimensions: Spanned<Vec<Dimension>>,
        /// No dimension may stay below this if the profile is to be ready.
        optional floor: Fraction,
    }
}

table! {
    /// A dimension of a profile: the fields below one prefix.
    Dimension called "a dimension" {
        /// The prefix of its fields' paths.
        required id: Id,
        /// What people read.
        required name: String,
    }
}

table! {
    /// How little the last turns added, never above coverage.
    SaturationModel called "the `saturation` model" {
        /// The topics that bound it.
        required topics: Spanned<Vec<Topic>>,
    }
}

impl CompletenessModel {
    /// What it rests on.
    pub(crate) fn subjects(&self) -> Vec<Subject<'_>> {
        match self {
            Self::Obligation(model) => model.heuristics.iter().map(|part| Subject::Category(&part.category)).collect(),
            Self::DecisionReadiness(model) => {
                model.heuristics.iter().map(|part| Subject::Evaluator(&part.evaluator)).collect()
            }
            Self::Maturity(model) => model.levels.iter().map(|level| Subject::Expression(&level.when)).collect(),
            Self::Estimability(model) => model.inputs.iter().map(|input| Subject::Field(&input.field)).collect(),
            Self::Coverage(model) => model.topics.iter().flat_map(|topic| &topic.fields).map(Subject::Field).collect(),
            Self::Saturation(model) => {
                model.topics.iter().flat_map(|topic| &topic.fields).map(Subject::Field).collect()
            }
            Self::Profile(model) => {
                model.dimensions.iter().map(|dimension| Subject::FieldsBelow(&dimension.id)).collect()
            }
        }
    }
}
