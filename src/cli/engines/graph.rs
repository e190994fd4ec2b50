//! `elenchus engines graph`: the phases and what leads from one to the next.

use serde_json::{Value, json};

use super::GraphFormat;
use crate::catalogue::Catalogue;
use crate::cli::{Exit, Failure, Output};
use crate::decode::Surface;
use crate::engine::config::{Definition, edges, graph_text, mermaid};

pub fn run(
    catalogue: &Catalogue,
    name: &str,
    format: GraphFormat,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (engine, _) = super::engine(catalogue, name)?;
    let definition = engine.definition();
    match (as_json, format) {
        (true, _) => output.json(&graph(definition)),
        (false, GraphFormat::Text) => output.text(&graph_text(definition)),
        (false, GraphFormat::Mermaid) => output.text(&mermaid(definition)),
    }
    Ok(Exit::Ok)
}

fn graph(definition: &Definition) -> Value {
    let phases = definition.phases.iter().map(|phase| json!({ "id": phase.id.as_str(), "name": phase.name }));
    let all = definition.phases.iter().flat_map(|phase| edges(definition, phase));
    let ways = all.map(|edge| {
        json!({
            "from": edge.from.id.as_str(),
            "to": edge.to,
            "triggers": edge.triggers.iter().map(|trigger| trigger.encode()).collect::<Vec<_>>(),
            "trigger_mode": edge.mode.word(),
        })
    });
    json!({
        "engine": definition.id.as_str(),
        "initial_phase": definition.initial_phase.as_str(),
        "phases": phases.collect::<Vec<_>>(),
        "transitions": ways.collect::<Vec<_>>(),
    })
}
