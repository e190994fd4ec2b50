//! `elenchus engines validate`: all that is wrong, errors and warnings apart, each with its place.

use serde_json::{Value, json};

use crate::catalogue::Catalogue;
use crate::cli::{Exit, Failure, Output};
use crate::decode::{Diagnostic, Severity};

pub fn run(catalogue: &Catalogue, names: &[String], as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let names = if names.is_empty() { catalogue.ids() } else { names.to_vec() };
    let mut reports = Vec::new();
    for name in &names {
        let (loaded, _) = catalogue.load(name).map_err(Failure::usage)?;
        reports.push((name.as_str(), loaded.diagnostics));
    }
    if !catalogue.library_problems().is_empty() {
        reports.push(("techniques.toml", catalogue.library_problems().to_vec()));
    }
    let valid = reports.iter().all(|(_, diagnostics)| count(diagnostics, Severity::Error) == 0);
    if as_json {
        output.json(&reports.iter().map(|(name, diagnostics)| report(name, diagnostics)).collect());
    } else {
        for (name, diagnostics) in &reports {
            tell(name, diagnostics, output);
        }
    }
    Ok(if valid { Exit::Ok } else { Exit::Failed })
}

fn count(diagnostics: &[Diagnostic], severity: Severity) -> usize {
    diagnostics.iter().filter(|d| d.severity == severity).count()
}

fn report(name: &str, diagnostics: &[Diagnostic]) -> Value {
    let of = |severity| -> Value {
        diagnostics.iter().filter(|d| d.severity == severity).map(Diagnostic::to_json).collect()
    };
    json!({
        "engine": name,
        "valid": count(diagnostics, Severity::Error) == 0,
        "errors": of(Severity::Error),
        "warnings": of(Severity::Warning),
    })
}

fn tell(name: &str, diagnostics: &[Diagnostic], output: &mut Output) {
    output.diagnostics(diagnostics);
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    match (count(diagnostics, Severity::Error), count(diagnostics, Severity::Warning)) {
        (0, 0) => output.line(format!("✓ {name}")),
        (0, warnings) => output.line(format!("✓ {name}: {}", plural(warnings, "warning"))),
        (errors, warnings) => {
            output.line(format!("✗ {name}: {}, {}", plural(errors, "error"), plural(warnings, "warning")));
        }
    }
}
