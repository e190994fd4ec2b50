//! `elenchus engines`: everything a designer does to an engine without running it.

mod graph;
mod list;
mod new;
mod read;
mod show;
mod trust;
mod validate;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Subcommand, ValueEnum};

use super::{Exit, Failure, Output, SettingsArguments};
use crate::catalogue::{Catalogue, Origin};
use crate::decode::Severity;
use crate::engine::Engine;
use crate::engine::config::json_schema;

#[derive(Debug, Subcommand)]
pub enum Engines {
    /// List the engines: what each is for, and what you leave with.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show an engine: its phases, obligations, fields and exits.
    Show {
        /// Name of an engine, or path of its folder.
        engine: String,
        /// Print the whole resolved definition as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check engines; all of them when none is named.
    Validate {
        /// Names of engines, or paths of their folders.
        engines: Vec<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what would be taken from a message, and why: acts, clauses, fields with their cues.
    Read(read::ReadArguments),
    /// Show exactly what an engine would run or call on this machine, and allow or refuse it.
    Trust(trust::TrustArguments),
    /// Print the JSON Schema of engine.toml, for editors.
    Schema,
    /// Draw the phases and what leads from one to the next.
    Graph {
        /// Name of an engine, or path of its folder.
        engine: String,
        /// For a terminal, or for a Markdown page.
        #[arg(long, value_enum, default_value = "text")]
        format: GraphFormat,
        /// Print JSON.
        #[arg(long, conflicts_with = "format")]
        json: bool,
    },
    /// Start an engine of your own from a commented example.
    New {
        /// Its name: lower-case letters, digits and hyphens.
        id: String,
        /// The folder to put it in, instead of your engine folder.
        #[arg(long, value_name = "FOLDER")]
        path: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// How a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Lines for a terminal.
    Text,
    /// A Mermaid diagram.
    Mermaid,
}

pub fn run(command: &Engines, arguments: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Engines::List { json } => list::run(&catalogue(arguments)?, *json, output),
        Engines::Show { engine, json } => show::run(&catalogue(arguments)?, engine, *json, output),
        Engines::Validate { engines, json } => validate::run(&catalogue(arguments)?, engines, *json, output),
        Engines::Read(command) => read::run(&catalogue(arguments)?, command, arguments.lang.as_deref(), output),
        Engines::Trust(command) => super::waiting(trust::run(command, arguments, output)),
        Engines::Schema => {
            output.json(&json_schema());
            Ok(Exit::Ok)
        }
        Engines::Graph { engine, format, json } => graph::run(&catalogue(arguments)?, engine, *format, *json, output),
        Engines::New { id, path, json } => new::run(arguments, id, path.as_deref(), *json, output),
    }
}

fn catalogue(arguments: &SettingsArguments) -> Result<Catalogue, Failure> {
    Catalogue::open(&arguments.paths()?.engines()).map_err(Failure::usage)
}

/// The engine of a name or path; one with an error never gets further than here, and the message says where it is.
fn engine(catalogue: &Catalogue, name: &str) -> Result<(Arc<Engine>, Origin), Failure> {
    let (loaded, origin) = catalogue.load(name).map_err(Failure::usage)?;
    loaded.engine.map(|engine| (engine, origin)).ok_or_else(|| {
        let errors: Vec<_> = loaded.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
        let count = errors.len();
        let plural = if count == 1 { "" } else { "s" };
        Failure::in_files(format!("the engine `{name}` has {count} error{plural}"), errors)
    })
}
