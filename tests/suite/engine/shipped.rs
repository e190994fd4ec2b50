//! Thirty turns with each engine in the binary, by the same `run_turn`: an obliging user answers whatever was asked.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use elenchus::engine::Engine;
use elenchus::engine::config::{Handler, Kind, Shape};
use elenchus::engine::memory::{Status, TaskRecord, TaskStatus};
use elenchus::engine::opening::begin;
use elenchus::engine::step::Step;
use elenchus::engine::turn::TurnInput;
use serde_json::{Map, Value, json};

use super::support::{Talk, agenda, shipped};
use crate::support::scripted::{ScriptedSession, ScriptedTurn};

const TURNS: usize = 30;

/// What the obliging user says about the fields that were asked for, and what there is to find in it.
fn reply(engine: &Engine, asked: &[String]) -> (String, Vec<(String, Value, String)>) {
    let mut message = String::new();
    let mut found: Vec<(String, Value, String)> = Vec::new();
    for path in asked.iter().flat_map(|id| engine.fields_of(id)) {
        let Some(field) = engine.field(path).filter(|_| !found.iter().any(|(known, ..)| known == path)) else {
            continue;
        };
        let name = field.name.to_lowercase();
        let quote = match field.shape.r#type {
            Kind::Number => format!("for the {name} it is 12"),
            _ => format!("for the {name} we have settled matters"),
        };
        let _ = write!(message, "Well, {quote}. ");
        found.push((path.clone(), value(&field.shape, &name), quote));
    }
    if message.is_empty() {
        message.push_str("That is all from my side for the moment.");
    }
    (message, found)
}

fn value(shape: &Shape, name: &str) -> Value {
    match shape.r#type {
        Kind::String => json!(format!("settled {name} matters")),
        Kind::Number => json!(12),
        Kind::Boolean => json!(true),
        Kind::Enum => json!(shape.options[0]),
        Kind::Array => {
            let item = shape.items.as_ref().expect("arrays have items");
            json!(["first", "second", "third"].map(|which| value(item, &format!("{which} {name}"))))
        }
        Kind::Object => {
            let part = |(key, part): (&String, _)| (key.clone(), value(part, name));
            Value::Object(shape.properties.iter().map(|(key, p)| part((key, &p.value))).collect::<Map<_, _>>())
        }
    }
}

/// News of the tasks that the last turn set off: each has brought what its handler promises.
fn task_news(engine: &Engine, session: &mut ScriptedSession<'_>) -> Vec<TaskRecord> {
    let orders = std::mem::take(&mut session.ports.dispatched);
    let done = orders.into_iter().map(|order| {
        let definition = engine.definition();
        let task = definition.background_tasks.iter().find(|task| *task.id == *order.id).expect("it is declared");
        let result = match definition.handlers.get(task.handler.as_str()).map(|handler| &handler.value) {
            Some(Handler::Llm(llm)) => {
                llm.output.iter().map(|(name, shape)| (name.clone(), value(&shape.value, name))).collect()
            }
            _ => Map::new(),
        };
        TaskRecord { status: TaskStatus::Completed, attempts: 1, result: Some(Value::Object(result)), ..order }
    });
    done.collect()
}

/// A line of the golden trace.
fn line(turn: &ScriptedTurn) -> String {
    let report = &turn.report;
    let transition = match &report.phase.transitioned_from {
        Some(from) => format!("{from} → {}", report.phase.current),
        None => report.phase.current.clone(),
    };
    format!(
        "{:>2}  {transition}  {:.2}{}  changes {}  agenda {}  techniques {}{}",
        report.turn,
        report.completeness.overall,
        if report.completeness.is_ready { " ready" } else { "" },
        report.extraction_changes.len(),
        agenda(turn).join(", "),
        report.techniques.join(", "),
        report.handoff.as_ref().map(|offer| format!("  offer {}", offer.exit_id)).unwrap_or_default(),
    )
}

fn hold(id: &str) -> String {
    let engine = shipped(id);
    let mut session = ScriptedSession::new(&engine);
    let opened = begin(&engine, None, None).expect("it opens").memory.asked;
    let mut asked: Vec<String> = opened.into_iter().map(|asked| asked.obligation).collect();
    let mut settled: BTreeSet<String> = BTreeSet::new();
    let mut visited: BTreeSet<String> = BTreeSet::from([session.memory.phase.current.clone()]);
    let mut lines = Vec::new();
    for number in 1..=TURNS {
        let (message, found) = reply(&engine, &asked);
        let found: Vec<_> = found.iter().map(|(p, v, q)| (p.as_str(), v.clone(), 0.9, q.as_str())).collect();
        session.ports.finds(&found);
        let task_updates = task_news(&engine, &mut session);
        let turn = session.run(TurnInput { task_updates, ..TurnInput::saying(message) });

        let steps: Vec<_> = turn.report.trace.iter().map(|entry| (entry.step.number(), entry.step.name())).collect();
        assert_eq!(steps, Step::ALL.map(|step| (step.number(), step.name())), "{id}, turn {number}");
        assert_eq!(turn.report.warnings, Vec::<String>::new(), "{id}, turn {number}");
        assert_eq!(turn.report.qa, [], "{id}, turn {number}");
        settled.extend(
            session.memory.obligations.iter().filter(|(_, s)| s.status == Status::Satisfied).map(|(o, _)| o.to_owned()),
        );
        asked = session.memory.asked.iter().map(|asked| asked.obligation.clone()).collect();
        for again in agenda(&turn).iter().chain(&asked) {
            assert!(!settled.contains(again), "{id}, turn {number}: {again} is asked again");
        }
        visited.insert(session.memory.phase.current.clone());
        lines.push(line(&turn));
    }
    let phases: BTreeSet<String> = engine.definition().phases.iter().map(|phase| phase.id.to_string()).collect();
    let last = engine.definition().phases.iter().max_by_key(|phase| *phase.order).expect("it has phases");
    assert!(session.memory.completeness.is_ready, "{id} is ready:\n{}", lines.join("\n"));
    assert_eq!(visited, phases, "{id} visits every phase:\n{}", lines.join("\n"));
    assert_eq!(session.memory.phase.current, last.id.as_str(), "{id} ends in its last phase");
    let open: Vec<_> = session.memory.obligations.iter().filter(|(_, s)| s.status != Status::Satisfied).collect();
    lines.push(format!(
        "open: {}",
        open.iter().map(|(o, s)| format!("{o} ({})", s.status)).collect::<Vec<_>>().join(", ")
    ));
    lines.join("\n")
}

macro_rules! golden {
    ($($name:ident = $id:literal),* $(,)?) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!($id, hold($id));
        })*
    };
}

golden! {
    business_profile_comes_to_an_end_in_thirty_turns = "business-profile",
    exploration_comes_to_an_end_in_thirty_turns = "exploration",
    feature_prioritization_comes_to_an_end_in_thirty_turns = "feature-prioritization",
    ideation_comes_to_an_end_in_thirty_turns = "ideation",
    project_discovery_comes_to_an_end_in_thirty_turns = "project-discovery",
}
