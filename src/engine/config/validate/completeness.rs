//! The completeness model: its parts exist, its weights sum to 1, its threshold can be reached.

use super::known::{Known, Uses};
use super::{once, refers, sums_to_one, unique};
use crate::decode::{Problems, Span, Spanned};
use crate::engine::config::completeness::{CompletenessModel, Topic};
use crate::engine::config::definition::Definition;
use crate::engine::expression::lies_below;

pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    let threshold = definition.completeness.at.of("ready_threshold");
    if definition.completeness.ready_threshold.0 == 0.0 && !problems.within(&threshold) {
        problems.warning("always-true", threshold, "a threshold of 0 is reached before anything is known");
    }
    match &definition.completeness.model {
        CompletenessModel::Obligation(model) => {
            let used = Uses::of(definition.obligations.iter().map(|o| &o.category), &known.categories);
            for part in model.heuristics.iter() {
                if refers(&part.category, "category", &known.categories, problems)
                    && !definition.obligations.is_empty()
                    && !used.has(&part.category)
                {
                    let message = format!("`{}` has no obligations to be complete in", part.category);
                    problems.error("unsatisfiable", part.category.span.clone(), message);
                }
            }
            unique("heuristic", model.heuristics.iter().map(|part| &part.id), problems);
            weights(model.heuristics.iter().map(|part| part.weight.0).collect(), &model.heuristics.span, problems);
        }
        CompletenessModel::DecisionReadiness(model) => {
            for part in model.heuristics.iter() {
                refers(&part.evaluator, "evaluator", &known.evaluators, problems);
            }
            unique("heuristic", model.heuristics.iter().map(|part| &part.id), problems);
            weights(model.heuristics.iter().map(|part| part.weight.0).collect(), &model.heuristics.span, problems);
        }
        CompletenessModel::Maturity(model) => {
            unique("level", model.levels.iter().map(|level| &level.id), problems);
            at_least_one(model.levels.len(), "level", &model.levels.span, problems);
        }
        CompletenessModel::Estimability(model) => {
            for input in model.inputs.iter() {
                refers(&input.field, "field", &known.fields, problems);
            }
            unique("input", model.inputs.iter().map(|input| &input.field), problems);
            weights(model.inputs.iter().map(|input| input.weight.0).collect(), &model.inputs.span, problems);
        }
        CompletenessModel::Coverage(model) => topics(&model.topics, known, problems),
        CompletenessModel::Saturation(model) => topics(&model.topics, known, problems),
        CompletenessModel::Profile(model) => {
            unique("dimension", model.dimensions.iter().map(|dimension| &dimension.id), problems);
            at_least_one(model.dimensions.len(), "dimension", &model.dimensions.span, problems);
            for dimension in model.dimensions.iter().filter(|dimension| !dimension.id.is_empty()) {
                let required = definition.fields.iter().any(|f| f.required && lies_below(&f.path, &dimension.id));
                if !required && !problems.faulty("fields") {
                    problems
                        .error(
                            "unsatisfiable",
                            dimension.id.span.clone(),
                            format!("no required field lies in the dimension `{}`", dimension.id),
                        )
                        .help("its fields' paths start with the dimension's id; mark some `required = true`");
                }
            }
        }
    }
}

fn weights(weights: Vec<f64>, span: &Span, problems: &mut Problems) {
    if problems.within(span) {
        return;
    }
    if let Err(sum) = sums_to_one(weights) {
        problems.error("weights", span.clone(), format!("the weights sum to {sum:.2}, not 1"));
    }
}

fn at_least_one(count: usize, what: &str, span: &Span, problems: &mut Problems) {
    if count == 0 && !problems.within(span) {
        problems.error("unsatisfiable", span.clone(), format!("the model has no {what}"));
    }
}

fn topics(topics: &Spanned<Vec<Topic>>, known: &Known<'_>, problems: &mut Problems) {
    unique("topic", topics.iter().map(|topic| &topic.id), problems);
    at_least_one(topics.len(), "topic", &topics.span, problems);
    for topic in topics.iter() {
        for field in &topic.fields {
            refers(field, "field", &known.fields, problems);
        }
        once(&topic.fields, problems);
        let (wanted, there) = (*topic.min_known as usize, topic.fields.len());
        let read = ["fields", "min_known"].iter().all(|key| topic.at.given(key).is_none_or(|at| !problems.within(&at)));
        if (wanted == 0 || wanted > there) && topic.at.given("fields").is_some() && read {
            let key = if topic.at.given("min_known").is_some() { "min_known" } else { "fields" };
            let message = format!("`{}` asks for {wanted} known fields of {there}", topic.id);
            problems.error("unsatisfiable", topic.at.of(key), message);
        }
    }
}
