//! `elenchus engines list`: one line each.

use serde_json::json;

use crate::catalogue::Catalogue;
use crate::cli::{Exit, Failure, Output};
use crate::text::sanitise_line;

pub fn run(catalogue: &Catalogue, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let mut rows = Vec::new();
    for id in catalogue.ids() {
        let (loaded, origin) = catalogue.load(&id).map_err(Failure::usage)?;
        let errors = loaded.diagnostics.iter().filter(|d| d.severity.word() == "error").count();
        rows.push((id, origin, loaded.engine, errors));
    }
    if as_json {
        let list = rows.iter().map(|(id, origin, engine, errors)| match engine {
            Some(engine) => {
                let definition = engine.definition();
                json!({
                    "id": id,
                    "name": definition.name,
                    "description": definition.description,
                    "outcome": definition.outcome,
                    "duration_minutes": definition.duration_minutes,
                    "version": definition.version.value,
                    "engine_type": definition.engine_type.word(),
                    "source": origin.word(),
                    "valid": true,
                })
            }
            None => json!({ "id": id, "source": origin.word(), "valid": false, "errors": errors }),
        });
        output.json(&list.collect());
        return Ok(Exit::Ok);
    }
    let width = rows.iter().map(|(id, ..)| id.len()).max().unwrap_or(0);
    for (id, _, engine, errors) in &rows {
        let line = if let Some(engine) = engine {
            let definition = engine.definition();
            format!("{:>3} min  {}", definition.duration_minutes, sanitise_line(&definition.outcome))
        } else {
            let plural = if *errors == 1 { "" } else { "s" };
            format!("         has {errors} error{plural}: elenchus engines validate {id}")
        };
        output.line(format!("{id:width$}  {line}"));
    }
    Ok(Exit::Ok)
}
