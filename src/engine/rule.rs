//! Whether a rule holds, with the value and the threshold it was decided on.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::{LowConfidence, ObligationStatus, Rule};
use super::expression::MemoryView;
use super::memory::{Status, WorkingMemory};
use super::obligations::satisfaction_rate;
use crate::decode::Id;

/// A rule with the value it was judged by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleEvaluation {
    /// Its type, by the word of engine files.
    pub condition: String,
    /// What it is about: a category, an evaluator, an obligation, an expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    pub value: f64,
    /// What the value has to reach, or to stay below.
    pub threshold: f64,
    /// Whether it has to stay below.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub below: bool,
    /// Whether it does.
    pub holds: bool,
    /// Why an expression failed, which then counts as 0.
    #[serde(skip)]
    pub fault: Option<String>,
}

impl RuleEvaluation {
    /// The rule as it was looked at, such as `completeness_score ≥ 0.30`.
    pub fn demand(&self) -> String {
        let about = self.about.as_ref().map(|about| format!(" {about}")).unwrap_or_default();
        let sign = if self.below { "<" } else { "≥" };
        format!("{}{about} {sign} {:.2}", self.condition, self.threshold)
    }
}

/// Judges rules by one memory.
#[derive(Debug)]
pub struct Judge<'a> {
    engine: &'a Engine,
    memory: &'a WorkingMemory,
    /// Made when an expression first asks for it: most rules have none, and a view is a copy.
    view: OnceCell<MemoryView>,
}

/// What a value is held against.
struct Measured {
    about: Option<String>,
    value: f64,
    threshold: f64,
    below: bool,
    fault: Option<String>,
}

impl Measured {
    fn reaches(about: Option<String>, value: f64, threshold: f64) -> Self {
        Self { about, value, threshold, below: false, fault: None }
    }
}

impl<'a> Judge<'a> {
    /// A judge of rules of this engine.
    pub fn new(engine: &'a Engine, memory: &'a WorkingMemory) -> Self {
        Self { engine, memory, view: OnceCell::new() }
    }

    /// Whether a rule holds, and why.
    pub fn evaluate(&self, rule: &Rule) -> RuleEvaluation {
        let Measured { about, value, threshold, below, fault } = self.measure(rule);
        // Sums of weights may fall short of a threshold by a rounding error.
        let holds = if below { value < threshold } else { value + 1e-9 >= threshold };
        RuleEvaluation { condition: rule.word().to_owned(), about, value, threshold, below, holds, fault }
    }

    fn measure(&self, rule: &Rule) -> Measured {
        let memory = self.memory;
        match rule {
            Rule::ObligationSatisfaction(rule) => {
                let rate = satisfaction_rate(self.engine.definition(), memory, &rule.category);
                Measured::reaches(Some(rule.category.to_string()), rate, rule.threshold.0)
            }
            Rule::TurnCount(rule) => {
                Measured::reaches(None, f64::from(memory.phase.turns_in_phase), f64::from(rule.threshold))
            }
            Rule::SessionTurnCount(rule) => Measured::reaches(None, f64::from(memory.turn), f64::from(rule.threshold)),
            Rule::CompletenessScore(rule) => Measured::reaches(None, memory.completeness.overall, rule.threshold.0),
            Rule::CustomEvaluator(rule) => {
                let (value, fault) = self.evaluator(&rule.evaluator);
                let fault = fault.map(|fault| format!("evaluator `{}`: {fault}", rule.evaluator));
                Measured { fault, ..Measured::reaches(Some(rule.evaluator.to_string()), value, rule.threshold.0) }
            }
            Rule::LowConfidence(rule) => self.least_sure(rule),
            Rule::ObligationStatus(rule) => self.of_status(rule),
            Rule::Custom(rule) => {
                let source = &rule.expression.0.text;
                let (holds, fault) = match self.engine.program().holds(source, self.view()) {
                    Ok(holds) => (holds, None),
                    Err(fault) => (false, Some(fault.message)),
                };
                let about = Some(source.trim().to_owned());
                Measured { fault, ..Measured::reaches(about, f64::from(u8::from(holds)), 1.0) }
            }
        }
    }

    /// The first obligation that has been touched on and is not sure enough; full confidence where there is none.
    fn least_sure(&self, rule: &LowConfidence) -> Measured {
        let looked_at = |id: &str| rule.obligations.is_empty() || rule.obligations.iter().any(|o| **o == *id);
        let shaky = self.memory.obligations.iter().find(|(id, state)| {
            looked_at(id) && state.status == Status::Partial && state.confidence < rule.threshold.0
        });
        let about = shaky.map(|(id, _)| id.to_owned());
        let value = shaky.map_or(1.0, |(_, state)| state.confidence);
        Measured { about, value, threshold: rule.threshold.0, below: true, fault: None }
    }

    /// How many of the obligations have the status, of how many.
    fn of_status(&self, rule: &ObligationStatus) -> Measured {
        let have = rule.obligations.iter().filter(|id| self.memory.obligations.status(id) == rule.status).count();
        let about = rule.obligations.iter().map(Id::as_str).collect::<Vec<_>>().join(", ");
        Measured::reaches(Some(format!("{about} {}", rule.status)), have as f64, rule.obligations.len() as f64)
    }

    fn evaluator(&self, name: &str) -> (f64, Option<String>) {
        let Some(expr) = self.engine.definition().evaluators.get(name) else { return (0.0, None) };
        match self.engine.program().score(&expr.0.text, self.view()) {
            Ok(score) => (score, None),
            Err(fault) => (0.0, Some(fault.message)),
        }
    }

    fn view(&self) -> &MemoryView {
        self.view.get_or_init(|| self.engine.view(self.memory))
    }
}
