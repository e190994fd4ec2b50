//! Background tasks: references, circles, and tasks that would wait for what they themselves hold up.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::known::{Known, Uses};
use super::{acyclic, once, refers, unique};
use crate::decode::{Id, Problems};
use crate::engine::config::background_tasks::{
    BackgroundTask, FailureStrategy, LONGEST_TIMEOUT_SECONDS, MOST_RETRIES, SHORTEST_DELAY_MS,
};
use crate::engine::config::definition::Definition;
use crate::engine::config::obligations::StatusWord;
use crate::engine::config::rule::Rule;
use crate::engine::expression::{Reference, references};

pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    let tasks = &definition.background_tasks;
    unique("background task", tasks.iter().map(|task| &task.id), problems);
    let starts: Starts<'_> = tasks.iter().rev().map(|t| (t.id.as_str(), (t, first_phase(definition, t)))).collect();
    for task in tasks {
        names(task, known, problems);
        times(task, problems);
        retries(task, problems);
        deadlock(&starts, task, problems);
        needs_own_result(definition, task, problems);
    }
    let links: Vec<(&Id, &[Id])> = tasks.iter().map(|task| (&task.id, task.after.as_slice())).collect();
    acyclic("these tasks", &links, problems);
    let used = Uses::of(tasks.iter().map(|task| &task.handler), &known.handlers);
    for (name, handler) in definition.handlers.iter().filter(|(name, _)| !used.has(name)) {
        if !problems.faulty("background_tasks") {
            problems.warning("unused", handler.span.clone(), format!("no task uses the handler `{name}`"));
        }
    }
}

fn names(task: &BackgroundTask, known: &Known<'_>, problems: &mut Problems) {
    refers(&task.handler, "handler", &known.handlers, problems);
    for other in &task.after {
        refers(other, "background task", &known.tasks, problems);
    }
    for phase in &task.phases {
        refers(phase, "phase", &known.phases, problems);
    }
    once(&task.after, problems);
    once(&task.phases, problems);
}

fn times(task: &BackgroundTask, problems: &mut Problems) {
    let (timeout, estimate) = (task.at.of("timeout_seconds"), task.at.given("estimated_seconds"));
    if problems.within(&timeout) {
        return;
    }
    if task.timeout_seconds == 0 {
        problems.error("out-of-range", timeout, format!("`{}` may take no time at all", task.id));
    } else if task.timeout_seconds > LONGEST_TIMEOUT_SECONDS {
        let message = format!("`{}` may take an hour ({LONGEST_TIMEOUT_SECONDS} s) at most", task.id);
        problems.error("out-of-range", timeout, message);
    } else if let Some(estimate) = estimate.filter(|_| task.estimated_seconds > task.timeout_seconds) {
        let (expected, allowed) = (task.estimated_seconds, task.timeout_seconds);
        let message = format!("`{}` takes about {expected} s, but is stopped after {allowed} s", task.id);
        problems.warning("out-of-range", estimate, message).help("raise `timeout_seconds`");
    }
}

/// Retries cost time and money: not too many, and not one right after the other.
fn retries(task: &BackgroundTask, problems: &mut Problems) {
    let FailureStrategy::Retry(retry) = &task.failure_strategy.value else { return };
    let (many, soon) = (retry.at.of("max_retries"), retry.at.of("retry_delay_ms"));
    if retry.max_retries > MOST_RETRIES && !problems.within(&many) {
        problems.error("out-of-range", many, format!("`max_retries` is {MOST_RETRIES} at most"));
    }
    if retry.retry_delay_ms < SHORTEST_DELAY_MS && !problems.within(&soon) {
        problems.error("out-of-range", soon, format!("`retry_delay_ms` is {SHORTEST_DELAY_MS} or more"));
    }
}

/// Tasks by name, each with the order of the first phase in which it can start.
type Starts<'d> = HashMap<&'d str, (&'d BackgroundTask, u32)>;

/// A task that holds up the phase and never gives up must not wait for a task that starts only in a later phase.
fn deadlock(starts: &Starts<'_>, task: &BackgroundTask, problems: &mut Problems) {
    let stalls = matches!(task.failure_strategy.value, FailureStrategy::Stall(_));
    if !(task.block_phase_transition && stalls) {
        return;
    }
    let Some((_, first)) = starts.get(task.id.as_str()) else { return };
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Id> = task.after.iter().collect();
    while let Some(id) = open.pop() {
        let Some((other, start)) = starts.get(id.as_str()) else { continue };
        if !seen.insert(other.id.as_str()) {
            continue;
        }
        if start > first {
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
}

/// A task that is set off by an obligation must not be what satisfies the obligation.
fn needs_own_result(definition: &Definition, task: &BackgroundTask, problems: &mut Problems) {
    let rule = match &task.when.value {
        Rule::ObligationStatus(rule) => rule,
        // None of these waits for one obligation to be settled.
        Rule::ObligationSatisfaction(_)
        | Rule::TurnCount(_)
        | Rule::SessionTurnCount(_)
        | Rule::CompletenessScore(_)
        | Rule::CustomEvaluator(_)
        | Rule::LowConfidence(_)
        | Rule::Custom(_) => return,
    };
    if rule.status != StatusWord::Satisfied {
        return;
    }
    let reads = |reference: &Reference<'_>| {
        reference.calls("done", &task.id)
            || (reference.root() == "tasks" && reference.parts.get(1).is_some_and(|(id, _)| *id == task.id.as_str()))
    };
    let named: HashSet<&str> = rule.obligations.iter().map(Id::as_str).collect();
    for obligation in definition.obligations.iter().filter(|o| named.contains(o.id.as_str())) {
        let when = obligation.when.as_ref().map_or("", |when| when.0.text.as_str());
        if references(when, false).iter().any(reads) {
            problems
                .error(
                    "deadlock",
                    task.when.span.clone(),
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
