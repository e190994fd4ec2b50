//! Expressions and templates: they compile, read only names that exist, and work on an empty and on a full memory.

use std::cell::OnceCell;
use std::sync::Arc;

use minijinja::Value;
use minijinja::value::ValueKind;

use super::{Surroundings, handoffs};
use crate::decode::{Id, Problems, SourceText, nearest};
use crate::engine::brief;
use crate::engine::config::definition::Definition;
use crate::engine::config::expression::{Expr, Prose};
use crate::engine::config::rule::{Subject, rules};
use crate::engine::expression::{
    Fault, MemoryView, NameProblem, Names, Program, TemplateKind, check_expression, check_template, fields_read,
};
use crate::engine::memory::{LanguageState, WorkingMemory};
use crate::engine::{opening, probe, prompt};

/// All expressions of an engine.
pub fn sources(definition: &Definition) -> impl Iterator<Item = &Expr> {
    let evaluators = definition.evaluators.values().map(|evaluator| &evaluator.value);
    let obligations = definition.obligations.iter().filter_map(|o| o.when.as_ref());
    let needless = definition.obligations.iter().filter_map(|o| o.unless.as_ref());
    let doubts = definition.obligations.iter().flat_map(|o| &o.doubts).map(|doubt| &doubt.when);
    let subjects = rules(definition).flat_map(|placed| placed.rule.value.subjects());
    let named = subjects.chain(definition.completeness.model.subjects()).filter_map(|subject| match subject {
        Subject::Expression(expr) => Some(expr),
        _ => None,
    });
    let maps = definition.exit_transitions.iter().flat_map(|exit| handoffs::expectations(&exit.map));
    let inherited = definition.fields.iter().filter_map(|field| field.from_handoff.as_ref());
    evaluators
        .chain(obligations)
        .chain(needless)
        .chain(doubts)
        .chain(named)
        .chain(maps.map(|(expr, _)| expr))
        .chain(inherited)
}

/// Compiles everything, checks names, and tries what can be tried. While definitions are `sound` only: on memories made
/// up from faulty ones everything fails.
pub fn check(
    definition: &Definition,
    around: &Surroundings<'_>,
    sound: bool,
    program: &mut Program,
    problems: &mut Problems,
) {
    let shared = Arc::new(definition.clone());
    let (empty, full) = probe::memories(&shared);
    let views = [&empty, &full].map(|memory| MemoryView::new(&shared, memory));
    let memories = [&empty, &full];
    let further = OnceCell::new();
    let mut trial = Trial { definition, shared: &shared, memories, views, further, spent: 0, sound, program, problems };
    for expr in sources(definition) {
        trial.expression(expr);
    }
    trial.results();
    let opening = &definition.opening;
    trial.template(opening, TemplateKind::Opening, &|program, memory| opening::render(program, &shared, memory));
    for (language, opening) in &definition.opening_in {
        trial.template(&opening.value, TemplateKind::Opening, &|program, memory| {
            let language = LanguageState { current: Some(language.clone()), ..LanguageState::default() };
            opening::render(program, &shared, &WorkingMemory { language, ..memory.clone() })
        });
    }
    for handler in definition.handlers.values() {
        for template in handler.value.declared().templates() {
            trial.template(template, TemplateKind::Handler, &|program, memory| {
                let view = MemoryView::with(&shared, memory, brief::engine_name(&shared, None));
                program.render(&template.text, &view)
            });
        }
    }
    trial
        .file(around.prompt, TemplateKind::Prompt, &|program, _| prompt::render(program, &shared, &around.prompt.text));
    trial.file(around.brief, TemplateKind::Brief, &|program, memory| {
        brief::render_source(program, &shared, memory, &around.brief.text, &probe::session())
    });
    for words in definition.brief_in.values() {
        // In other words it is as sound as in its own; where it is not, its own are used.
        let _ = trial.program.add_template(&brief::template_in(&around.brief.text, &words.value));
    }
    problems.enter(around.main.clone());
}

/// What fills in a template.
type Filling<'f> = &'f dyn Fn(&Program, &WorkingMemory) -> Result<String, Fault>;

struct Trial<'t> {
    definition: &'t Definition,
    shared: &'t Arc<Definition>,
    /// One that knows nothing, one that knows everything.
    memories: [&'t WorkingMemory; 2],
    /// What expressions see of them.
    views: [MemoryView; 2],
    /// Views of the others that know everything, made when the first is needed.
    further: OnceCell<Vec<MemoryView>>,
    /// What the trials have cost so far.
    spent: u64,
    sound: bool,
    program: &'t mut Program,
    problems: &'t mut Problems,
}

/// What all trials of an engine may cost together, in bytes moved. The largest shipped engine takes a hundredth.
const MAX_SPENT: u64 = 256 * 1024 * 1024;
/// What a trial counts besides what it moves.
const TRIAL: u64 = 4 * 1024;

const MOMENTS: [&str; 2] = ["while nothing is known", "once everything is known"];

impl Trial<'_> {
    fn expression(&mut self, expr: &Expr) {
        let source = &expr.0.text;
        if source.is_empty() {
            return;
        }
        if let Err(fault) = self.program.add_expression(source) {
            let message = format!("this expression is faulty: {}", fault.message);
            self.problems.error("bad-expression", expr.0.place(fault.range), message);
            return;
        }
        let unknown = check_expression(source, Names(self.definition));
        self.names(&expr.0, unknown);
    }

    /// Tries what every expression gives.
    fn results(&mut self) {
        let definition = self.definition;
        for evaluator in definition.evaluators.values() {
            self.result(evaluator, score);
        }
        for obligation in definition.obligations.iter() {
            if let Some(when) = &obligation.when
                && self.result(when, anything)
            {
                self.turning_point(&obligation.id, when);
            }
        }
        for expr in sources(definition) {
            self.result(expr, anything);
        }
        for exit in &definition.exit_transitions {
            for (expr, judge) in handoffs::expectations(&exit.map) {
                self.result(expr, judge);
            }
        }
    }

    /// Evaluates an expression on both memories; tells whether its values are what is expected there.
    fn result(&mut self, expr: &Expr, judge: handoffs::Judge) -> bool {
        if !self.sound || !self.is_compiled(expr) || self.problems.blamed(&expr.0.span) {
            return false;
        }
        if self.spent > MAX_SPENT {
            // Told once: it is one mistake, of the engine and not of this expression.
            if self.spent < u64::MAX {
                let message = "trying the expressions of this engine takes too long, from here on";
                let noted = self.problems.error("too-large", expr.0.span.clone(), message);
                noted.help("use fewer expressions, or simpler ones");
            }
            self.spent = u64::MAX;
            return false;
        }
        for (view, moment) in self.views.clone().iter().zip(MOMENTS) {
            let value = self.program.evaluate(&expr.0.text, view);
            self.spent = self.spent.saturating_add(TRIAL + Program::cost(view));
            let judged = value.and_then(|value| judge(&value).map_err(|message| Fault { message, range: None }));
            if let Err(fault) = judged {
                let moment = if fails_always(&fault) { String::new() } else { format!(" {moment}") };
                let message = format!("this expression fails{moment}: {}", fault.message);
                self.problems.error("bad-expression", expr.0.place(fault.range), message);
                return false;
            }
        }
        true
    }

    fn is_compiled(&self, expr: &Expr) -> bool {
        !expr.0.text.is_empty() && self.program.has_expression(&expr.0.text)
    }

    /// A condition of an obligation is to be true some time, and false some time. Only warnings come of it, so it is
    /// looked into as long as trials are cheap.
    fn turning_point(&mut self, id: &Id, when: &Expr) {
        let source = when.0.text.as_str();
        let span = when.0.span.clone();
        let [empty, full] = self.views.clone();
        if self.holds(source, &empty) {
            let read = fields_read(source, self.definition);
            if self.holds(source, &full) && self.all_further(source, true) && self.all_single(source, &read) {
                let message = format!("`{id}` is satisfied whatever is known");
                self.problems.warning("always-true", span, message).help("nothing is ever asked for it");
            }
        } else if !self.holds(source, &full) && self.all_further(source, false) {
            let message = format!("`{id}` is not satisfied even when everything is known");
            self.problems.warning("unsatisfiable", span, message).help("the condition is probably never true");
        }
    }

    fn holds(&mut self, source: &str, view: &MemoryView) -> bool {
        let holds = self.program.holds(source, view).unwrap_or(false);
        self.spent = self.spent.saturating_add(TRIAL + Program::cost(view));
        holds
    }

    fn is_cheap(&self) -> bool {
        self.spent <= MAX_SPENT / 2
    }

    /// Whether a condition is as expected on all other memories that know everything.
    fn all_further(&mut self, source: &str, expected: bool) -> bool {
        let [_, full] = self.memories;
        let views = self.further.get_or_init(|| {
            probe::further(self.definition, full).map(|memory| MemoryView::new(self.shared, &memory)).collect()
        });
        views.clone().iter().all(|view| self.is_cheap() && self.holds(source, view) == expected)
    }

    /// Whether a condition holds on all memories that know a single one of these fields.
    fn all_single(&mut self, source: &str, read: &[String]) -> bool {
        let [empty, _] = self.memories;
        // Each is a copy of the whole memory.
        let copy = TRIAL + 64 * (self.definition.obligations.len() + self.definition.fields.len()) as u64;
        let shared = self.shared;
        probe::single(self.definition, empty, read).all(|memory| {
            self.spent = self.spent.saturating_add(copy);
            self.is_cheap() && self.holds(source, &MemoryView::new(shared, &memory))
        })
    }

    fn names(&mut self, prose: &Prose, unknown: Vec<NameProblem>) {
        for problem in unknown {
            let known: Vec<&str> = problem.known.iter().map(String::as_str).collect();
            // Where names could not be read, this one may be meant.
            let unread = known.contains(&"") || problem.surface.is_some_and(|key| self.problems.faulty(key));
            if !unread || nearest(&problem.wrong, &known).is_some() {
                let noted = self.problems.error("unknown-name", prose.place(problem.range), problem.message);
                // What has no parts at all has none that could be meant.
                if problem.surface.is_some() || !known.is_empty() {
                    noted.suggest(&problem.wrong, known);
                }
            }
        }
    }

    fn template(&mut self, prose: &Prose, kind: TemplateKind, fill: Filling<'_>) {
        if prose.text.is_empty() {
            return;
        }
        if let Err(fault) = self.program.add_template(&prose.text) {
            let message = format!("this template is faulty: {}", fault.message);
            self.problems.error("bad-template", prose.place(fault.range), message);
            return;
        }
        let before = self.problems.count();
        let unknown = check_template(&prose.text, kind, Names(self.definition));
        let clean = unknown.is_empty();
        self.names(prose, unknown);
        if !self.sound || !clean || self.problems.count() > before {
            return;
        }
        for (memory, moment) in self.memories.into_iter().zip(MOMENTS) {
            if let Err(fault) = fill(self.program, memory) {
                // A template that sees nothing of the memory fails at any time.
                let always = kind == TemplateKind::Prompt || fails_always(&fault);
                let moment = if always { String::new() } else { format!(" {moment}") };
                let message = format!("this template fails{moment}: {}", fault.message);
                self.problems.error("bad-template", prose.place(fault.range), message);
                return;
            }
        }
    }

    fn file(&mut self, source: &Arc<SourceText>, kind: TemplateKind, fill: Filling<'_>) {
        if !source.text.trim().is_empty() {
            self.problems.enter(source.clone());
            self.template(&Prose::whole(&source.text), kind, fill);
        }
    }
}

/// Whether a fault has nothing to do with what is known: the machine looks for filters and tests only when it gets there.
fn fails_always(fault: &Fault) -> bool {
    fault.message.starts_with("there is no ")
}

/// An evaluator gives a score: a number, or whether something holds.
fn score(value: &Value) -> Result<(), String> {
    match value.kind() {
        ValueKind::Number | ValueKind::Bool | ValueKind::None => Ok(()),
        kind => Err(format!("an evaluator gives a number, or true or false, not {kind}")),
    }
}

#[allow(clippy::unnecessary_wraps, reason = "it stands where judges stand that do refuse")]
fn anything(_: &Value) -> Result<(), String> {
    Ok(())
}
