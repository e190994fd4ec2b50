//! Compares what a turn led to with what was expected of it. What does not fit is told with the line of the trace that
//! decided it.

use std::fmt::Display;

use serde::Serialize;
use serde_json::{Value, json};

use super::expectation::{Expectations, FieldExpectation, FieldWord, HandoffExpectation, Why};
use super::load::Case;
use super::run::Judged;
use crate::decode::{Span, Spanned};
use crate::engine::memory::{ExtractedField, FieldState};
use crate::engine::phases::WayEvaluation;
use crate::engine::rule::RuleEvaluation;
use crate::engine::step::{Step, StepDetails, TraceEntry};
use crate::engine::values::{brief_text, same};
use crate::engine::words::Folded;

/// An expectation that was not met.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unmet {
    pub file: String,
    pub line: usize,
    pub turn: u32,
    pub what: String,
    pub expected: String,
    pub got: String,
    /// The line of the trace that decided it.
    pub trace: String,
}

/// Everything that does not fit.
pub(crate) fn judge(expect: &Expectations, judged: &Judged<'_>) -> Vec<Unmet> {
    let mut judge = Judge { judged, found: Vec::new() };
    for field in &expect.fields {
        judge.field(field);
    }
    judge.obligations(expect);
    judge.phases(expect);
    judge.figures(expect);
    judge.handoffs(expect);
    judge.found
}

struct Judge<'a> {
    judged: &'a Judged<'a>,
    found: Vec<Unmet>,
}

impl Judge<'_> {
    fn fail(&mut self, span: &Span, what: impl Display, expected: impl Display, got: impl Display, trace: String) {
        let case: &Case = self.judged.case;
        self.found.push(Unmet {
            file: case.source.name.clone(),
            line: case.line(span.start),
            turn: self.judged.memory.turn,
            what: what.to_string(),
            expected: expected.to_string(),
            got: got.to_string(),
            trace,
        });
    }

    fn step(&self, step: Step) -> Option<&TraceEntry> {
        self.judged.figures.step(step)
    }

    fn trace(&self, step: Step) -> String {
        self.step(step).map(TraceEntry::in_words).unwrap_or_default()
    }

    fn field(&mut self, expected: &Spanned<FieldExpectation>) {
        let (path, span) = (expected.path.as_str(), &expected.span);
        let field = self.judged.memory.extraction.get(path);
        let what = |aspect: &str| format!("{aspect} of {path}");
        let trace = self.about_field(path);
        let state = field.map_or(FieldWord::Absent, state_word);
        if let Some(wanted) = expected.status.filter(|wanted| *wanted != state) {
            self.fail(span, what("status"), wanted, state, trace.clone());
        }
        let value = field.and_then(shown_value);
        if let Some(wanted) =
            expected.value.value.as_ref().filter(|wanted| !value.is_some_and(|value| same(value, wanted)))
        {
            self.fail(span, what("value"), wanted, value.unwrap_or(&Value::Null), trace.clone());
        }
        let text = value.map(brief_text).unwrap_or_default();
        if let Some(part) = expected.contains.as_ref().filter(|part| !holds(&text, part)) {
            self.fail(span, what("value"), format!("… {part} …"), &text, trace.clone());
        }
        let evidence = field.and_then(|field| field.evidence.as_ref());
        let quote = evidence.map(|evidence| evidence.quote.clone()).unwrap_or_default();
        if let Some(part) = expected.quote.as_ref().filter(|part| !holds(&quote, part)) {
            self.fail(span, what("quote"), part, &quote, trace.clone());
        }
        let turn = evidence.map(|evidence| evidence.turn);
        if let Some(wanted) = expected.turn.filter(|wanted| Some(*wanted) != turn) {
            let got = turn.map_or("no words of the user".to_owned(), |turn| format!("turn {turn}"));
            self.fail(span, what("turn"), format!("turn {wanted}"), got, trace.clone());
        }
        let confidence = field.map_or(0.0, ExtractedField::best_confidence);
        if let Some(least) = expected.min_confidence.filter(|least| confidence + 1e-9 < *least) {
            self.fail(span, what("confidence"), format!("at least {least}"), confidence, trace.clone());
        }
        let before: Vec<Value> =
            field.map(|field| field.superseded.iter().map(|old| old.value.clone()).collect()).unwrap_or_default();
        if let Some(wanted) = expected.superseded.as_ref().filter(|wanted| !same(&json!(wanted), &json!(before))) {
            self.fail(span, what("chain"), json!(wanted), json!(before), trace);
        }
    }

    /// What the extraction of this turn says about a field, or the last turn that did.
    fn about_field(&self, path: &str) -> String {
        let Some(told) = self.judged.figures.extraction() else { return String::new() };
        let line = |note: String| format!("{} {}: {note}", Step::Extraction.number(), Step::Extraction.name());
        let changed = told.changes.iter().rev().find(|change| change.path == path);
        let refused = told.refused.iter().rev().find(|refused| refused.path == path);
        match (changed, refused) {
            (Some(change), _) => line(format!("{} {path}, {}", change.kind.word(), change.reason)),
            (None, Some(refused)) => line(format!("refused {path}: {}", refused.reason)),
            (None, None) => match self.judged.memory.extraction.get(path) {
                Some(field) => line(format!("nothing on {path}, last changed in turn {}", field.last_updated_at_turn)),
                None => line(format!("nothing on {path}, in no turn")),
            },
        }
    }

    fn obligations(&mut self, expect: &Expectations) {
        for (id, wanted) in &expect.obligations {
            let state = self.judged.memory.obligations.get(id);
            let got = state.map_or("not an obligation".to_owned(), |state| state.status.to_string());
            if got != wanted.value.word() {
                let asked = state.map_or(0, |state| state.times_asked);
                let reason = state.and_then(|state| state.deferred.clone()).unwrap_or_default();
                let trace = format!("{}; asked {asked} times {reason}", self.trace(Step::Completeness));
                self.fail(&wanted.span, format!("obligation {id}"), wanted.value, got, trace.trim().to_owned());
            }
        }
        for (id, wanted) in &expect.tasks {
            let record = self.judged.memory.background_tasks.get(id);
            let got = record.map_or("not set off", |record| record.status.word());
            if got != wanted.value.word() {
                let trace = self.trace(Step::BackgroundTasks);
                self.fail(&wanted.span, format!("task {id}"), wanted.value, got, trace);
            }
        }
    }

    fn phases(&mut self, expect: &Expectations) {
        let figures = self.judged.figures;
        let ways = figures.transition().map(|evaluation| evaluation.ways.as_slice()).unwrap_or_default();
        let trace = format!("{}; {}", self.trace(Step::PhaseTransitionEvaluation), ways_in_words(ways));
        let phase = &self.judged.memory.phase.current;
        if let Some(wanted) = expect.phase.as_ref().filter(|wanted| wanted.value != *phase) {
            self.fail(&wanted.span, "phase", &wanted.value, phase, trace.clone());
        }
        let left = figures.transitioned_from.as_deref();
        if let Some(wanted) = expect.left.as_ref().filter(|wanted| Some(wanted.as_str()) != left) {
            self.fail(&wanted.span, "phase left", &wanted.value, left.unwrap_or("none"), trace.clone());
        }
        if let Some(wanted) = expect.stays.as_ref().filter(|wanted| wanted.value != left.is_none()) {
            let words = |stays: bool| if stays { "stays" } else { "moves on" };
            self.fail(&wanted.span, "transition", words(wanted.value), words(left.is_none()), trace.clone());
        }
        for wanted in expect.why.iter().filter(|wanted| !ways.iter().any(|way| fired_by(way, wanted))) {
            let about = wanted.about.as_ref().map(|about| format!(" {about}")).unwrap_or_default();
            let level = wanted.threshold.map(|level| format!(" ≥ {level}")).unwrap_or_default();
            let expected = format!("{}{about}{level} fires", wanted.trigger.value);
            self.fail(&wanted.span, "why", expected, "it did not", trace.clone());
        }
        let reasons: Vec<&str> = ways.iter().flat_map(|way| &way.blocked_by).map(String::as_str).collect();
        for wanted in expect.blocked_by.iter().filter(|part| !reasons.iter().any(|reason| reason.contains(&***part))) {
            let got = if reasons.is_empty() { "nothing".to_owned() } else { reasons.join("; ") };
            self.fail(&wanted.span, "blocked by", &wanted.value, got, trace.clone());
        }
    }

    fn figures(&mut self, expect: &Expectations) {
        let (memory, figures) = (self.judged.memory, self.judged.figures);
        if let Some(wanted) = &expect.completeness {
            let (overall, ready) = (memory.completeness.overall, memory.completeness.is_ready);
            let fits = wanted.min.is_none_or(|min| overall + 1e-9 >= min)
                && wanted.max.is_none_or(|max| overall <= max + 1e-9)
                && wanted.ready.is_none_or(|wanted| wanted == ready);
            if !fits {
                let got = format!("{overall:.2}{}", if ready { ", ready" } else { ", not ready" });
                let trace = format!("{}; {:?}", self.trace(Step::Completeness), memory.completeness.by_category);
                self.fail(&wanted.span, "completeness", bounds(wanted.min, wanted.max, wanted.ready), got, trace);
            }
        }
        for wanted in expect.techniques.iter().filter(|wanted| !memory.techniques.active.contains(&wanted.value)) {
            let trace = self.trace(Step::TechniqueSelection);
            self.fail(&wanted.span, "techniques", &wanted.value, memory.techniques.active.join(", "), trace);
        }
        if let Some(wanted) = &expect.agenda {
            let agenda = self.agenda();
            if !agenda.starts_with(wanted) || (wanted.is_empty() && !agenda.is_empty()) {
                let trace = self.trace(Step::TechniqueSelection);
                self.fail(&wanted.span, "agenda", wanted.join(", "), agenda.join(", "), trace);
            }
        }
        if let Some(wanted) = &expect.context {
            let used = |section: &String| memory.context.sections.iter().any(|s| s.section == *section && s.tokens > 0);
            let fits = wanted.max_tokens.is_none_or(|max| memory.context.tokens <= max)
                && wanted.sections.iter().all(used)
                && !wanted.empty.iter().any(used);
            if !fits {
                let shown: Vec<String> =
                    memory.context.sections.iter().map(|s| format!("{} {}", s.section, s.tokens)).collect();
                let limit = wanted.max_tokens.map(|max| format!("at most {max} tokens"));
                let filled = wanted.sections.iter().map(|section| format!("something in {section}"));
                let empty = wanted.empty.iter().map(|section| format!("nothing in {section}"));
                let expected: Vec<String> = limit.into_iter().chain(filled).chain(empty).collect();
                let got = format!("{} tokens: {}", memory.context.tokens, shown.join(", "));
                self.fail(&wanted.span, "context", expected.join(", "), got, self.trace(Step::ContextAssembly));
            }
        }
        if let Some(wanted) = &expect.budget {
            let tokens = memory.usage.tokens();
            let fits = wanted.max_calls.is_none_or(|max| figures.calls.len() <= max as usize)
                && wanted.max_tokens.is_none_or(|max| tokens <= u64::from(max))
                && wanted.max_cost_usd.is_none_or(|max| memory.usage.cost_usd <= max);
            if !fits {
                let got = format!("{} calls, {tokens} tokens, ${:.4}", figures.calls.len(), memory.usage.cost_usd);
                let expected = format!("{:?}", wanted.value);
                self.fail(&wanted.span, "budget", expected, got, self.trace(Step::ResponseGeneration));
            }
        }
        let warnings = figures.warnings.join(" | ");
        for wanted in expect.warnings.iter().filter(|part| !figures.warnings.iter().any(|one| one.contains(&***part))) {
            self.fail(&wanted.span, "warnings", &wanted.value, &warnings, self.trace(Step::QaCheck));
        }
        if let Some(wanted) = expect.warning_count.as_ref().filter(|n| n.value as usize != figures.warnings.len()) {
            self.fail(&wanted.span, "warnings", wanted.value, &warnings, self.trace(Step::QaCheck));
        }
    }

    fn agenda(&self) -> Vec<String> {
        self.judged.figures.agenda().iter().map(|item| item.obligation.clone()).collect()
    }

    fn handoffs(&mut self, expect: &Expectations) {
        let memory = self.judged.memory;
        let trace = self.step(Step::ExitTransitions).map(exits_in_words).unwrap_or_default();
        let offer = memory.exit_offer.as_ref();
        let open = offer.map_or("none", |offer| offer.exit_id.as_str());
        if let Some(wanted) = expect.offers.as_ref().filter(|wanted| wanted.value != offer.is_some()) {
            self.fail(&wanted.span, "a next step is offered", wanted.value, open, trace.clone());
        }
        if let Some(wanted) = &expect.handoff {
            match offer.filter(|offer| offer.exit_id == wanted.exit.value) {
                None => self.fail(&wanted.span, "handoff", &wanted.exit.value, open, trace),
                Some(offer) => {
                    for (expected, got) in misfits(wanted, offer) {
                        self.fail(&wanted.span, format!("handoff {open}"), expected, got, trace.clone());
                    }
                }
            }
        }
        if let Some(wanted) = &expect.receipt {
            let receipt = memory.inbound_handoff.as_ref().and_then(|inbound| inbound.verification.as_ref());
            let missing = memory.inbound_handoff.as_ref().map_or(0, |inbound| inbound.unacknowledged.len());
            let fits = wanted.verified.is_none_or(|verified| receipt.is_some_and(|r| r.verified == verified))
                && wanted.missing.is_none_or(|count| count as usize == missing);
            if !fits {
                let got = receipt.map_or("nothing was handed over".to_owned(), |receipt| {
                    let which = memory.inbound_handoff.iter().flat_map(|inbound| &inbound.unacknowledged);
                    let which: Vec<&str> = which.map(String::as_str).collect();
                    format!("verified {}, {missing} missing ({})", receipt.verified, which.join("; "))
                });
                let verified = wanted.verified.map(|verified| format!("verified {verified}"));
                let count = wanted.missing.map(|count| format!("{count} missing"));
                let expected: Vec<String> = verified.into_iter().chain(count).collect();
                self.fail(&wanted.span, "receipt", expected.join(", "), got, self.trace(Step::QaCheck));
            }
        }
    }
}

fn state_word(field: &ExtractedField<Value>) -> FieldWord {
    match field.state {
        FieldState::Known => FieldWord::Known,
        FieldState::Candidate if field.candidate.is_none() && field.value.is_none() => FieldWord::Absent,
        FieldState::Candidate => FieldWord::Candidate,
        FieldState::Stale => FieldWord::Stale,
        FieldState::Unknown => FieldWord::Unknown,
        FieldState::Declined => FieldWord::Declined,
    }
}

/// The value that counts, else the one that waits.
fn shown_value(field: &ExtractedField<Value>) -> Option<&Value> {
    let waiting = field.candidate.as_ref().map(|candidate| &candidate.value);
    field.value.as_ref().or(waiting)
}

fn holds(text: &str, part: &str) -> bool {
    Folded::new(text).find(&Folded::new(part)).is_some()
}

fn bounds(min: Option<f64>, max: Option<f64>, ready: Option<bool>) -> String {
    let parts = [
        min.map(|min| format!("at least {min}")),
        max.map(|max| format!("at most {max}")),
        ready.map(|ready| if ready { "ready".to_owned() } else { "not ready".to_owned() }),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn fired_by(way: &WayEvaluation, wanted: &Why) -> bool {
    way.fired
        && way.triggers.iter().any(|trigger| {
            trigger.holds
                && trigger.condition == wanted.trigger.as_str()
                && wanted.about.as_ref().is_none_or(|about| trigger.about.as_deref() == Some(about.as_str()))
                && wanted.threshold.is_none_or(|level| (trigger.threshold - level).abs() < 1e-9)
        })
}

/// The ways that were looked at, each trigger with its value against its threshold.
fn ways_in_words(ways: &[WayEvaluation]) -> String {
    let trigger = |trigger: &RuleEvaluation| {
        let sign = if trigger.holds == trigger.below { "<" } else { "≥" };
        let about = trigger.about.as_ref().map(|about| format!(" {about}")).unwrap_or_default();
        format!("{}{about} {:.2} {sign} {:.2}", trigger.condition, trigger.value, trigger.threshold)
    };
    let way = |way: &WayEvaluation| {
        let triggers: Vec<String> = way.triggers.iter().map(trigger).collect();
        format!("to {}: {}", way.to, triggers.join(", "))
    };
    ways.iter().map(way).collect::<Vec<_>>().join("; ")
}

fn exits_in_words(entry: &TraceEntry) -> String {
    let exits = if let StepDetails::Exits(exits) = &entry.details { exits.as_slice() } else { &[] };
    let exits: Vec<String> = exits.iter().map(|exit| format!("{} {}", exit.exit, exit.holds)).collect();
    format!("{} ({})", entry.in_words(), exits.join(", "))
}

fn misfits(wanted: &HandoffExpectation, offer: &crate::engine::memory::ExitOffer) -> Vec<(String, String)> {
    let actions = &offer.handoff.action_list;
    let decisions: Vec<&str> = actions.decisions_reached.iter().map(|one| one.decision.as_str()).collect();
    let constraints: Vec<&str> = actions.constraints_identified.iter().map(|one| one.constraint.as_str()).collect();
    let gaps: Vec<&str> =
        offer.handoff.situation_awareness.knowledge_gaps_revealed.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    if let Some(valid) = wanted.valid.filter(|valid| *valid != offer.problems.is_empty()) {
        found.push((format!("valid: {valid}"), offer.problems.join("; ")));
    }
    let groups = [
        ("decision", &wanted.decisions, decisions),
        ("constraint", &wanted.constraints, constraints),
        ("gap", &wanted.gaps, gaps),
    ];
    for (what, parts, got) in groups {
        for part in parts.iter().filter(|part| !got.iter().any(|one| holds(one, part))) {
            found.push((format!("{what} … {part} …"), got.join(" | ")));
        }
    }
    found
}
