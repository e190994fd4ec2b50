//! Background tasks: handlers, references, circles, and tasks that would wait for what they themselves hold up.

use std::collections::BTreeSet;

use super::{acyclic, refers, unique};
use crate::engine::config::background_tasks::{BackgroundTask, FailureStrategy, Handler, TaskTrigger};
use crate::engine::config::decode::Id;
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::Problems;

pub fn check(definition: &Definition, problems: &mut Problems) {
    let tasks = &definition.background_tasks;
    unique("background task", tasks.iter().map(|task| &task.id), problems);
    for task in tasks {
        references(definition, task, problems);
        if task.timeout_seconds == 0 && !task.id.is_empty() {
            problems.error("out-of-range", task.id.span.clone(), format!("`{}` may take no time at all", task.id));
        }
        deadlock(definition, task, problems);
    }
    let links: Vec<(&Id, &[Id])> = tasks.iter().map(|task| (&task.id, task.after.as_slice())).collect();
    acyclic("these tasks", &links, problems);
    for (name, handler) in &definition.handlers {
        if !tasks.iter().any(|task| *task.handler == **name) {
            problems.warning("unused", handler.span.clone(), format!("no task uses the handler `{name}`"));
        }
        if let Handler::Http(http) = &handler.value {
            url(&http.url, http.url.span.clone(), problems);
        }
        if let Handler::Llm(llm) = &handler.value
            && llm.output.is_empty()
        {
            let message = format!("the handler `{name}` does not say what its answer consists of");
            problems.error("bad-shape", handler.span.clone(), message);
        }
    }
}

fn references(definition: &Definition, task: &BackgroundTask, problems: &mut Problems) {
    let obligations = || definition.obligations.iter().map(|o| o.id.as_str());
    refers(&task.handler, "handler", definition.handlers.keys().map(String::as_str), problems);
    for other in &task.after {
        refers(other, "background task", definition.background_tasks.iter().map(|t| t.id.as_str()), problems);
    }
    for phase in &task.phases {
        refers(phase, "phase", definition.phases.iter().map(|p| p.id.as_str()), problems);
    }
    let named = match &task.trigger.value {
        TaskTrigger::LowConfidence(trigger) => trigger.obligations.as_slice(),
        TaskTrigger::ObligationStatus(trigger) => trigger.obligations.as_slice(),
        TaskTrigger::Custom(_) => &[],
    };
    for id in named {
        refers(id, "obligation", obligations(), problems);
    }
}

/// A task that holds up the phase and never gives up must not wait for a task that starts only in a later phase.
fn deadlock(definition: &Definition, task: &BackgroundTask, problems: &mut Problems) {
    let stalls = matches!(task.failure_strategy.value, FailureStrategy::Stall(_));
    if !(task.block_phase_transition && stalls) {
        return;
    }
    let first = first_phase(definition, task);
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Id> = task.after.iter().collect();
    while let Some(id) = open.pop() {
        let Some(other) = definition.background_tasks.iter().find(|t| t.id == *id) else { continue };
        if !seen.insert(other.id.as_str()) {
            continue;
        }
        if first_phase(definition, other) > first {
            problems
                .error(
                    "deadlock",
                    id.span.clone(),
                    format!("`{}` holds up the phase until `{id}` is done, which starts only in a later one", task.id),
                )
                .help("let it start in the same phase, or drop `block_phase_transition` or `stall`");
        }
        open.extend(other.after.iter());
    }
    let own = definition.obligations.iter().filter(|o| {
        o.when.as_ref().is_some_and(|when| {
            let text = &when.0.text;
            text.contains(&format!("tasks.{}", task.id)) || text.contains(&format!("done('{}')", task.id))
        })
    });
    for obligation in own {
        if let TaskTrigger::ObligationStatus(trigger) = &task.trigger.value
            && trigger.status == crate::engine::config::StatusWord::Satisfied
            && trigger.obligations.contains(&obligation.id)
        {
            problems
                .error(
                    "deadlock",
                    task.trigger.span.clone(),
                    format!("`{}` starts when `{}` is satisfied, which needs its result", task.id, obligation.id),
                )
                .help("set it off by something else");
        }
    }
}

/// The order of the first phase in which a task can start.
fn first_phase(definition: &Definition, task: &BackgroundTask) -> u32 {
    let orders = definition.phases.iter().filter(|phase| task.phases.contains(&phase.id)).map(|phase| *phase.order);
    orders.min().unwrap_or(1)
}

fn url(url: &str, span: crate::engine::config::diagnostic::Span, problems: &mut Problems) {
    let loopback = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let local = loopback
        .iter()
        .any(|start| url.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/'])));
    if !url.is_empty() && !url.starts_with("https://") && !local {
        problems
            .error("bad-url", span, "a handler's address starts with https://, or is a loopback http:// one")
            .help("what the user said would otherwise travel in the open");
    }
}
