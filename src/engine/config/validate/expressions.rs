//! Expressions and templates: they compile, read only names that exist, and work on an empty and on a full memory.

use std::sync::Arc;

use super::Surroundings;
use crate::engine::brief;
use crate::engine::config::background_tasks::{Handler, TaskTrigger};
use crate::engine::config::completeness::CompletenessModel;
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::{Problems, SourceText};
use crate::engine::config::expression::{Expr, Prose};
use crate::engine::expression::{
    Fault, MemoryView, NameProblem, Names, Program, TemplateKind, check_expression, check_template,
};
use crate::engine::memory::WorkingMemory;
use crate::engine::{opening, probe, prompt};

/// All expressions of an engine.
pub fn sources(definition: &Definition) -> impl Iterator<Item = &Expr> {
    let evaluators = definition.evaluators.values().map(|evaluator| &evaluator.value);
    let obligations = definition.obligations.iter().filter_map(|o| o.when.as_ref());
    let levels = match &definition.completeness.model {
        CompletenessModel::Maturity(model) => model.levels.value.as_slice(),
        _ => &[],
    };
    let tasks = definition.background_tasks.iter().filter_map(|task| match &task.trigger.value {
        TaskTrigger::Custom(trigger) => Some(&trigger.when),
        _ => None,
    });
    let exits = definition.exit_transitions.iter().flat_map(|exit| {
        let map = &exit.map.value;
        let filled = [
            &map.action_list.decisions_reached,
            &map.action_list.options_eliminated,
            &map.action_list.constraints_identified,
            &map.action_list.assumptions_carried_forward,
            &map.situation_awareness.user_confidence_level,
            &map.situation_awareness.knowledge_gaps_revealed,
            &map.situation_awareness.user_goals,
            &map.situation_awareness.key_pain_points,
            &map.accumulated_context.concepts_taught,
            &map.accumulated_context.prior_experience,
            &map.accumulated_context.technical_level,
            &map.relational_state.trust_level,
            &map.relational_state.rapport,
            &map.relational_state.open_questions,
            &map.relational_state.sensitivities,
        ];
        std::iter::once(&exit.when).chain(filled.into_iter().filter_map(Option::as_ref))
    });
    evaluators.chain(obligations).chain(levels.iter().map(|level| &level.when)).chain(tasks).chain(exits)
}

pub fn check(definition: &Definition, around: &Surroundings<'_>, program: &mut Program, problems: &mut Problems) {
    let shared = Arc::new(definition.clone());
    let (empty, full) = probe::memories(&shared);
    for expr in sources(definition).filter(|expr| !expr.0.text.is_empty()) {
        expression(definition, expr, &shared, [&empty, &full], program, problems);
    }
    let opening = &definition.opening;
    if !opening.text.is_empty() {
        template(definition, opening, TemplateKind::Opening, program, problems, &|program| {
            on_both([&empty, &full], |memory| opening::render(program, &shared, memory))
        });
    }
    for handler in definition.handlers.values() {
        if let Handler::Llm(llm) = &handler.value {
            template(definition, &llm.prompt, TemplateKind::Handler, program, problems, &|program| {
                on_both([&empty, &full], |memory| {
                    let view = MemoryView::with(&shared, memory, brief::engine_name(&shared));
                    program.render(&llm.prompt.text, &view)
                })
            });
        }
    }
    file(definition, around.prompt, TemplateKind::Prompt, program, problems, &|program, source| {
        prompt::render(program, &shared, source).map(|_| ()).map_err(|fault| (fault, ""))
    });
    file(definition, around.brief, TemplateKind::Brief, program, problems, &|program, source| {
        on_both([&empty, &full], |memory| brief::render_source(program, &shared, memory, source, &probe::session()))
    });
    problems.enter(around.main.clone());
}

/// What went wrong when something was tried, and on which memory.
type Tried = Result<(), (Fault, &'static str)>;

fn on_both<T>(memories: [&WorkingMemory; 2], run: impl Fn(&WorkingMemory) -> Result<T, Fault>) -> Tried {
    run(memories[0]).map_err(|fault| (fault, " while nothing is known"))?;
    run(memories[1]).map_err(|fault| (fault, " once everything is known"))?;
    Ok(())
}

fn expression(
    definition: &Definition,
    expr: &Expr,
    shared: &Arc<Definition>,
    memories: [&WorkingMemory; 2],
    program: &mut Program,
    problems: &mut Problems,
) {
    let source = &expr.0.text;
    if let Err(fault) = program.add_expression(source) {
        problems.error(
            "bad-expression",
            expr.0.place(fault.range),
            format!("this expression is faulty: {}", fault.message),
        );
        return;
    }
    let unknown = check_expression(program, source, Names(definition));
    let sound = unknown.is_empty();
    names(&expr.0, unknown, problems);
    if sound
        && let Err((fault, when)) =
            on_both(memories, |memory| program.evaluate(source, &MemoryView::new(shared, memory)))
    {
        let message = format!("this expression fails{when}: {}", fault.message);
        problems.error("bad-expression", expr.0.place(fault.range), message);
    }
}

fn names(prose: &Prose, unknown: Vec<NameProblem>, problems: &mut Problems) {
    for problem in unknown {
        problems
            .error("unknown-name", prose.place(problem.range), problem.message)
            .suggest(&problem.wrong, problem.known.iter().map(String::as_str));
    }
}

fn template(
    definition: &Definition,
    prose: &Prose,
    kind: TemplateKind,
    program: &mut Program,
    problems: &mut Problems,
    trial: &dyn Fn(&Program) -> Tried,
) {
    if let Err(fault) = program.add_template(&prose.text) {
        problems.error("bad-template", prose.place(fault.range), format!("this template is faulty: {}", fault.message));
        return;
    }
    let unknown = check_template(program, &prose.text, kind, Names(definition));
    let sound = unknown.is_empty();
    names(prose, unknown, problems);
    if sound && let Err((fault, when)) = trial(program) {
        let message = format!("this template fails{when}: {}", fault.message);
        problems.error("bad-template", prose.place(fault.range), message);
    }
}

fn file(
    definition: &Definition,
    source: &Arc<SourceText>,
    kind: TemplateKind,
    program: &mut Program,
    problems: &mut Problems,
    trial: &dyn Fn(&Program, &str) -> Tried,
) {
    if source.text.trim().is_empty() {
        return;
    }
    problems.enter(source.clone());
    let prose = Prose::whole(&source.text);
    template(definition, &prose, kind, program, problems, &|program| trial(program, &source.text));
}
