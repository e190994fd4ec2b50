//! `elenchus engines read`: what would be taken from a message, and why.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, Value};

use crate::catalogue::Catalogue;
use crate::cli::{Exit, Failure, Output};
use crate::decode::nearest;
use crate::engine::Engine;
use crate::engine::edit::correct;
use crate::engine::memory::{Asked, LanguageState, WorkingMemory};
use crate::engine::reading::{Clause, Heard, Standing, read};
use crate::files::plain;

#[derive(Debug, Args)]
pub struct ReadArguments {
    /// Name of an engine, or path of its folder.
    engine: String,
    /// The message.
    message: String,
    /// The obligation that was asked for; without it, nothing was.
    #[arg(long, value_name = "OBLIGATION")]
    asked: Option<String>,
    /// A JSON file with what is known already: an object from field paths to values.
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// `language`: the one that was chosen for new sessions.
pub fn run(
    catalogue: &Catalogue,
    arguments: &ReadArguments,
    language: Option<&str>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (engine, _) = super::engine(catalogue, &arguments.engine)?;
    let mut memory = WorkingMemory::new(engine.definition());
    if let Some(code) = language {
        memory.language = LanguageState::begun_in(code.to_owned(), true);
    }
    if let Some(path) = &arguments.known {
        memory.turn = 1;
        for (field, value) in known(path)? {
            let edited = correct(&engine, &memory, &field, &value);
            memory = edited.map_err(|why| Failure::usage(format!("`{field}`: {why}")))?.memory;
        }
    }
    if let Some(id) = &arguments.asked {
        memory.asked = vec![Asked { obligation: obligation(&engine, id)?, ..Asked::default() }];
    }
    let heard = read(&engine, &memory, &arguments.message);
    if arguments.json {
        let mut shown = serde_json::to_value(&heard).map_err(Failure::usage)?;
        // What a session would keep: sentences on one thing are one text.
        shown["kept"] = serde_json::to_value(heard.kept(&arguments.message)).map_err(Failure::usage)?;
        output.json(&shown);
    } else {
        describe(&heard, &arguments.message, output);
    }
    Ok(Exit::Ok)
}

fn known(path: &Path) -> Result<Map<String, Value>, Failure> {
    let text = plain::text(path, plain::DOCUMENT)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("{} is no JSON object from field paths to values: {error}", path.display()))
    })
}

fn obligation(engine: &Engine, id: &str) -> Result<String, Failure> {
    if engine.obligation(id).is_some() {
        return Ok(id.to_owned());
    }
    let all: Vec<&str> = engine.definition().obligations.iter().map(|obligation| obligation.id.as_str()).collect();
    let near = nearest(id, &all).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Failure::usage(format!("there is no obligation `{id}`{near}")))
}

fn describe(heard: &Heard, message: &str, output: &mut Output) {
    let acts: Vec<String> = heard.acts.iter().map(ToString::to_string).collect();
    output.line(format!("Read as {}: {}", heard.language, acts.join(", ")));
    for clause in &heard.clauses {
        output.line(format!("\n“{}”", clause.text));
        output.line(format!("  {}: {}", clause.act, clause.rule));
        fits(clause, output);
    }
    if heard.fields.is_empty() {
        output.line("\nNothing would be taken from it.");
    } else {
        output.line("\nWould be taken");
    }
    for field in &heard.kept(message) {
        let mark = if field.status == Standing::Known { "•" } else { "?" };
        output.line(format!("  {mark} {} = {} ({:.2})", field.path, field.value, field.confidence));
        let doubt = field.doubt.as_ref().map(|doubt| format!("; {doubt}")).unwrap_or_default();
        output.line(format!("    “{}”: {}{doubt}", field.quote, field.reading));
    }
}

fn fits(clause: &Clause, output: &mut Output) {
    for fit in &clause.best {
        let arrow = if clause.field.as_deref() == Some(&fit.field) { "→" } else { " " };
        output.line(format!("  {arrow} {:.2} {} ({})", fit.score, fit.field, fit.cues.join(" · ")));
    }
}
