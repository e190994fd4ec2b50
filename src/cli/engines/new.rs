//! `elenchus engines new`: a commented example to start from.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::json;

use crate::cli::{Exit, Failure, Output, SettingsArguments};

/// The example's files; `starter-id` stands for the name of the new engine.
const STARTER: &[(&str, &str)] = &[
    ("engine.toml", include_str!("starter/engine.toml")),
    ("prompt.md", include_str!("starter/prompt.md")),
    ("brief.md", include_str!("starter/brief.md")),
    ("scenarios/told.toml", include_str!("starter/scenarios/told.toml")),
    ("scenarios/held-up.toml", include_str!("starter/scenarios/held-up.toml")),
    ("scenarios/people/anna.toml", include_str!("starter/scenarios/people/anna.toml")),
];

pub fn run(
    arguments: &SettingsArguments,
    id: &str,
    path: Option<&Path>,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let legal = id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.len() <= 64
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !legal {
        return Err(Failure::usage(format!(
            "`{id}` is not a name for an engine: use lower-case letters, digits and hyphens, starting with a letter"
        )));
    }
    let root = match path {
        Some(path) => path.to_owned(),
        None => arguments.paths()?.engines(),
    };
    let folder = root.join(id);
    let fail = |error: std::io::Error| Failure::failed(format!("cannot write {}: {error}", folder.display()));
    fs::create_dir_all(&root).map_err(fail)?;
    match fs::create_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Failure::usage(format!("{} is there already; nothing was written", folder.display())));
        }
        made => made.map_err(fail)?,
    }
    fs::create_dir_all(folder.join("scenarios/people")).map_err(fail)?;
    for (name, text) in STARTER {
        fs::write(folder.join(name), text.replace("starter-id", id)).map_err(fail)?;
    }
    if as_json {
        output.json(&json!({ "id": id, "path": folder.display().to_string() }));
    } else {
        output.line(folder.display().to_string());
        output.remark(&format!("Edit engine.toml there, then: elenchus engines validate {id} && elenchus test {id}"));
    }
    Ok(Exit::Ok)
}
