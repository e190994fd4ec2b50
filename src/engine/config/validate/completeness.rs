//! The completeness model: its parts exist, its weights sum to 1, its threshold can be reached.

use super::{refers, sums_to_one, unique};
use crate::engine::config::completeness::{CompletenessModel, Topic};
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::{Problems, Span};

pub fn check(definition: &Definition, problems: &mut Problems) {
    let fields = || definition.fields.iter().map(|field| field.path.as_str());
    match &definition.completeness.model {
        CompletenessModel::Obligation(model) => {
            for part in model.heuristics.iter() {
                let known = definition.categories.iter().map(|category| category.id.as_str());
                if refers(&part.category, "category", known, problems)
                    && !definition.obligations.iter().any(|o| o.category == part.category)
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
                refers(&part.evaluator, "evaluator", definition.evaluators.keys().map(String::as_str), problems);
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
                refers(&input.field, "field", fields(), problems);
            }
            unique("input", model.inputs.iter().map(|input| &input.field), problems);
            weights(model.inputs.iter().map(|input| input.weight.0).collect(), &model.inputs.span, problems);
        }
        CompletenessModel::Coverage(model) => topics(definition, &model.topics, &model.topics.span, problems),
        CompletenessModel::Saturation(model) => topics(definition, &model.topics, &model.topics.span, problems),
        CompletenessModel::Profile(model) => {
            unique("dimension", model.dimensions.iter().map(|dimension| &dimension.id), problems);
            at_least_one(model.dimensions.len(), "dimension", &model.dimensions.span, problems);
            for dimension in model.dimensions.iter().filter(|dimension| !dimension.id.is_empty()) {
                let required = definition.fields.iter().any(|field| {
                    field.required && field.path.strip_prefix(dimension.id.as_str()).is_some_and(|r| r.starts_with('.'))
                });
                if !required {
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

fn topics(definition: &Definition, topics: &[Topic], span: &Span, problems: &mut Problems) {
    unique("topic", topics.iter().map(|topic| &topic.id), problems);
    at_least_one(topics.len(), "topic", span, problems);
    for topic in topics {
        for field in &topic.fields {
            refers(field, "field", definition.fields.iter().map(|field| field.path.as_str()), problems);
        }
        let (wanted, there) = (*topic.min_known as usize, topic.fields.len());
        if wanted == 0 || wanted > there {
            let span = if topic.min_known.span.is_empty() { &topic.id.span } else { &topic.min_known.span };
            let message = format!("`{}` asks for {wanted} known fields of {there}", topic.id);
            problems.error("unsatisfiable", span.clone(), message);
        }
    }
}
