//! Rules: every "when" of an engine, be it a trigger, a condition of entry, what shows a section, sets off a task or opens
//! an exit. A kind of rule is declared here with what it names and its words, and evaluated in `engine/rule.rs`; no match
//! over the kinds has a wildcard, so the compiler names every place that a new kind needs.

use serde_json::Value;

use super::definition::Definition;
use super::expression::Expr;
use super::obligations::StatusWord;
use super::phases::Phase;
use crate::decode::{Fraction, Id, Node, Places, Problems, Span, Spanned, Surface, Textual, table, tagged};

tagged! {
    /// Something that holds or does not, by a value that is held against a threshold. A text is an expression.
    Rule called "a rule" by "type" or text Custom {
        /// Enough obligations of a category are satisfied.
        ObligationSatisfaction(ObligationSatisfaction) = "obligation_satisfaction",
        /// The phase has lasted long enough.
        TurnCount(TurnCount) = "turn_count",
        /// The session has lasted long enough.
        SessionTurnCount(SessionTurnCount) = "session_turn_count",
        /// The picture is complete enough.
        CompletenessScore(CompletenessScore) = "completeness_score",
        /// An expression of `[evaluators]` scores high enough.
        CustomEvaluator(CustomEvaluator) = "custom_evaluator",
        /// An obligation has been touched on, but not surely enough.
        LowConfidence(LowConfidence) = "low_confidence",
        /// Obligations have a status.
        ObligationStatus(ObligationStatus) = "obligation_status",
        /// An expression is true.
        Custom(Custom) = "custom",
    }
}

table! {
    /// Enough obligations of a category are satisfied.
    ObligationSatisfaction called "an `obligation_satisfaction` rule" {
        /// The category.
        required category: Id,
        /// The share of its obligations that must be satisfied.
        required threshold: Fraction,
    }
}

table! {
    /// Enough turns have passed in the phase.
    TurnCount called "a `turn_count` rule" {
        /// The number of turns.
        required threshold: u32,
    }
}

table! {
    /// Enough turns have passed in the session.
    SessionTurnCount called "a `session_turn_count` rule" {
        /// The number of turns.
        required threshold: u32,
    }
}

table! {
    /// Completeness has reached a level.
    CompletenessScore called "a `completeness_score` rule" {
        /// The level.
        required threshold: Fraction,
    }
}

table! {
    /// An evaluator has reached a level.
    CustomEvaluator called "a `custom_evaluator` rule" {
        /// The name under `[evaluators]`.
        required evaluator: Id,
        /// The score from which it holds.
        optional threshold: Fraction = Fraction(1.0),
    }
}

table! {
    /// An obligation has been touched on, but not surely enough.
    LowConfidence called "a `low_confidence` rule" {
        /// The confidence below which it holds.
        required threshold: Fraction,
        /// The obligations looked at; all, when empty.
        optional obligations: Vec<Id>,
    }
}

table! {
    /// All of these obligations have this status.
    ObligationStatus called "an `obligation_status` rule" {
        /// The obligations.
        required obligations: Vec<Id>,
        /// The status.
        required status: StatusWord,
        places at: Places,
    }
}

table! {
    /// An expression is true.
    Custom called "a `custom` rule" {
        /// The expression.
        required expression: Expr,
    }
}

impl Textual for Custom {
    fn from_text(node: Node<'_>, problems: &mut Problems) -> Self {
        Self { expression: Expr::decode(node, problems) }
    }
    fn to_text(&self) -> Value {
        self.expression.encode()
    }
}

/// Where a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// It leads out of a phase.
    Trigger,
    /// It guards the way into a phase.
    Entry,
    /// It shows a section of the sidebar.
    Section,
    /// It sets off a background task.
    Task,
    /// It opens an exit.
    Exit,
}

/// Something that a rule or a completeness model refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Subject<'a> {
    /// A category, by its obligations.
    Category(&'a Id),
    Obligation(&'a Id),
    Evaluator(&'a Id),
    Field(&'a Id),
    /// The fields below a prefix.
    FieldsBelow(&'a Id),
    Expression(&'a Expr),
}

/// Why a rule cannot be used as it is written, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objection {
    pub message: &'static str,
    pub help: Option<&'static str>,
}

impl Rule {
    /// What it refers to.
    pub(crate) fn subjects(&self) -> Vec<Subject<'_>> {
        match self {
            Self::ObligationSatisfaction(rule) => vec![Subject::Category(&rule.category)],
            Self::TurnCount(_) | Self::SessionTurnCount(_) | Self::CompletenessScore(_) => Vec::new(),
            Self::CustomEvaluator(rule) => vec![Subject::Evaluator(&rule.evaluator)],
            Self::LowConfidence(rule) => rule.obligations.iter().map(Subject::Obligation).collect(),
            Self::ObligationStatus(rule) => rule.obligations.iter().map(Subject::Obligation).collect(),
            Self::Custom(rule) => vec![Subject::Expression(&rule.expression)],
        }
    }

    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            Self::ObligationSatisfaction(rule) => {
                format!("{} ≥ {:.0} % satisfied", rule.category, rule.threshold.0 * 100.0)
            }
            Self::TurnCount(rule) => format!("{} turns", rule.threshold),
            Self::SessionTurnCount(rule) => format!("{} turns of the session", rule.threshold),
            Self::CompletenessScore(rule) => format!("completeness ≥ {:.0} %", rule.threshold.0 * 100.0),
            Self::CustomEvaluator(rule) => format!("{} ≥ {:.2}", rule.evaluator, rule.threshold.0),
            Self::LowConfidence(rule) => {
                let of =
                    if rule.obligations.is_empty() { "any obligation".to_owned() } else { list(&rule.obligations) };
                format!("confidence of {of} < {:.2}", rule.threshold.0)
            }
            Self::ObligationStatus(rule) => format!("{} {}", list(&rule.obligations), rule.status),
            Self::Custom(rule) => rule.expression.0.text.trim().to_owned(),
        }
    }

    /// Why it holds, in words, where `about` and `value` are what it was decided on.
    pub fn reason(&self, about: Option<&str>, value: f64) -> String {
        match self {
            Self::LowConfidence(_) => format!("{} has confidence {value:.2}", about.unwrap_or_default()),
            Self::ObligationStatus(rule) => format!("the obligations it waits for are {}", rule.status),
            Self::Custom(rule) => format!("`{}`", rule.expression.0.text),
            Self::TurnCount(_) | Self::SessionTurnCount(_) => format!("{}: {value}", self.words()),
            Self::ObligationSatisfaction(_) | Self::CompletenessScore(_) | Self::CustomEvaluator(_) => {
                format!("{}: {value:.2}", self.words())
            }
        }
    }

    /// Why it would hold whatever happens, if it would; with the place to blame, where that is not the whole rule.
    pub fn always(&self) -> Option<(Option<Span>, Objection)> {
        let nothing = |threshold: f64, message| (threshold == 0.0).then_some((None, Objection { message, help: None }));
        match self {
            Self::ObligationSatisfaction(rule) => nothing(rule.threshold.0, "a share of 0 is always reached"),
            Self::TurnCount(rule) => nothing(f64::from(rule.threshold), "0 turns have always passed"),
            Self::SessionTurnCount(rule) => nothing(f64::from(rule.threshold), "0 turns have always passed"),
            Self::CompletenessScore(rule) => nothing(rule.threshold.0, "a completeness of 0 is always reached"),
            Self::CustomEvaluator(rule) => nothing(rule.threshold.0, "a threshold of 0 is always reached"),
            Self::ObligationStatus(rule) => {
                let place = rule.at.given("obligations").filter(|_| rule.obligations.is_empty())?;
                let message = "all of no obligations have any status, so this fires at once";
                Some((Some(place), Objection { message, help: Some("name the obligations to wait for") }))
            }
            Self::LowConfidence(_) | Self::Custom(_) => None,
        }
    }

    /// Why it makes no sense on an occasion, if it makes none.
    pub fn refused(&self, at: Occasion) -> Option<Objection> {
        match (self, at) {
            (Self::TurnCount(_), Occasion::Entry) => Some(Objection {
                message: "a phase has no turns before it is entered",
                help: Some("use `turn_count` as a trigger of the phase before"),
            }),
            (Self::TurnCount(_), Occasion::Trigger | Occasion::Section | Occasion::Task | Occasion::Exit)
            | (
                Self::ObligationSatisfaction(_)
                | Self::SessionTurnCount(_)
                | Self::CompletenessScore(_)
                | Self::CustomEvaluator(_)
                | Self::LowConfidence(_)
                | Self::ObligationStatus(_)
                | Self::Custom(_),
                _,
            ) => None,
        }
    }

    /// The same with half the threshold, as a fault that tests should notice; `None` where it has none.
    pub(crate) fn halved(&self) -> Option<Self> {
        let mut halved = self.clone();
        match &mut halved {
            Self::ObligationSatisfaction(rule) => rule.threshold.0 /= 2.0,
            Self::TurnCount(rule) => rule.threshold = rule.threshold.div_ceil(2),
            Self::SessionTurnCount(rule) => rule.threshold = rule.threshold.div_ceil(2),
            Self::CompletenessScore(rule) => rule.threshold.0 /= 2.0,
            Self::CustomEvaluator(rule) => rule.threshold.0 /= 2.0,
            Self::LowConfidence(rule) => rule.threshold.0 /= 2.0,
            Self::ObligationStatus(_) | Self::Custom(_) => return None,
        }
        Some(halved)
    }

    /// No longer looks at an obligation that is gone.
    pub fn forget(&mut self, obligation: &Id) {
        match self {
            Self::LowConfidence(rule) => rule.obligations.retain(|id| id != obligation),
            Self::ObligationStatus(rule) => rule.obligations.retain(|id| id != obligation),
            Self::ObligationSatisfaction(_)
            | Self::TurnCount(_)
            | Self::SessionTurnCount(_)
            | Self::CompletenessScore(_)
            | Self::CustomEvaluator(_)
            | Self::Custom(_) => {}
        }
    }
}

fn list(ids: &[Id]) -> String {
    ids.iter().map(Id::as_str).collect::<Vec<_>>().join(", ")
}

/// A rule of an engine, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    pub rule: &'a Spanned<Rule>,
    pub occasion: Occasion,
    /// The phase it belongs to, if it belongs to one.
    pub phase: Option<&'a Phase>,
}

/// All rules of an engine.
pub fn rules(definition: &Definition) -> impl Iterator<Item = Placed<'_>> {
    let phases = definition.phases.iter().flat_map(|phase| {
        let of = move |occasion| move |rule| Placed { rule, occasion, phase: Some(phase) };
        let transitions = phase.transitions.iter().flat_map(|transition| &transition.triggers);
        let entry = phase.entry_conditions.iter().map(of(Occasion::Entry));
        entry.chain(phase.triggers.iter().chain(transitions).map(of(Occasion::Trigger)))
    });
    let of = |occasion| move |rule| Placed { rule, occasion, phase: None };
    let sections = definition.sidebar.dynamic_sections.iter().map(|section| &section.when).map(of(Occasion::Section));
    let tasks = definition.background_tasks.iter().map(|task| &task.when).map(of(Occasion::Task));
    let exits = definition.exit_transitions.iter().map(|exit| &exit.when).map(of(Occasion::Exit));
    phases.chain(sections).chain(tasks).chain(exits)
}

/// All rules of an engine, to be changed.
pub(crate) fn rules_mut(definition: &mut Definition) -> impl Iterator<Item = &mut Rule> {
    let phases = definition.phases.value.iter_mut().flat_map(|phase| {
        let transitions = phase.transitions.iter_mut().flat_map(|transition| &mut transition.triggers);
        phase.entry_conditions.iter_mut().chain(&mut phase.triggers).chain(transitions)
    });
    let sections = definition.sidebar.dynamic_sections.iter_mut().map(|section| &mut section.when);
    let tasks = definition.background_tasks.iter_mut().map(|task| &mut task.when);
    let exits = definition.exit_transitions.iter_mut().map(|exit| &mut exit.when);
    phases.chain(sections).chain(tasks).chain(exits).map(|rule| &mut rule.value)
}
