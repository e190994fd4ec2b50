//! `elenchus engines show`: an engine for a reader, or whole as JSON.

use serde_json::Value;

use crate::catalogue::{Catalogue, Origin};
use crate::cli::{Exit, Failure, Output};
use crate::decode::Surface;
use crate::engine::Engine;
use crate::engine::config::Definition;
use crate::text::sanitise_line;

pub fn run(catalogue: &Catalogue, name: &str, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let (engine, origin) = super::engine(catalogue, name)?;
    if as_json {
        output.json(&resolved(&engine, origin));
    } else {
        describe(engine.definition(), output);
    }
    Ok(Exit::Ok)
}

fn resolved(engine: &Engine, origin: Origin) -> Value {
    let mut all = engine.definition().encode();
    all["source"] = origin.word().into();
    all["hash"] = engine.hash().into();
    all["prompt"] = engine.prompt().into();
    all["technique_library"] = engine.techniques().iter().map(Surface::encode).collect();
    all
}

fn describe(definition: &Definition, output: &mut Output) {
    output.line(format!("{} {} ({})", sanitise_line(&definition.name), definition.version.value, definition.id));
    output.line(&definition.description);
    output.line(format!("You leave with: {}", sanitise_line(&definition.outcome)));
    output.line(format!(
        "About {} minutes; {}; you speak {} %.",
        definition.duration_minutes, definition.engine_type, definition.information_ratio.user
    ));
    output.line("\nPhases");
    for phase in definition.phases.iter() {
        output.line(format!("  {}. {} ({})", *phase.order, sanitise_line(&phase.name), phase.id));
    }
    for category in &definition.categories {
        output.line(format!("\n{}", sanitise_line(&category.name)));
        for obligation in definition.obligations.iter().filter(|o| o.category == category.id) {
            let mark = if obligation.required { "•" } else { "◦" };
            output.line(format!(
                "  {mark} {}: {}",
                sanitise_line(&obligation.name),
                sanitise_line(&obligation.question)
            ));
        }
    }
    output.line(format!("\n{} fields; completeness by {}", definition.fields.len(), model(definition)));
    for exit in &definition.exit_transitions {
        output.line(format!("Leads on to {}: {}", exit.to, sanitise_line(&exit.name)));
    }
}

fn model(definition: &Definition) -> String {
    let completeness = &definition.completeness;
    format!("{}, ready from {:.0} %", completeness.model.word(), completeness.ready_threshold.0 * 100.0)
}
