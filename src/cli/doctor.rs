//! `elenchus doctor`: what works, and what to do about what does not. What is looked at is the host's (`host/doctor.rs`);
//! here is what only a terminal program can see, and how it is told.

use std::sync::Arc;

use serde_json::{Value, json};

use super::chat::{keymap, themes};
use super::{Exit, Failure, Output, SettingsArguments, log};
use crate::decode::render_all;
use crate::host::doctor::{self, Examiner, Trial};
use crate::host::protocol::{Finding, Outcome};
use crate::llm::probe::Check;
use crate::settings::{Settings, Surroundings};

#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The engine whose reports the endpoint is asked for; the one that asks for most, when not given.
    #[arg(long, value_name = "ID")]
    engine: Option<String>,
}

pub async fn run(command: &Doctor, arguments: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let settings = Settings::load(&arguments.flags(), &Surroundings::system()).map_err(Failure::usage)?;
    let settings = Arc::new(settings);
    let examiner = Examiner { engine: command.engine.clone(), ..examiner(arguments.offline) };
    let mut findings = Vec::new();
    let mut take = |finding: Finding| {
        if finding.area == doctor::TRIAL {
            output.remark(&finding.words);
        }
        findings.push(finding);
    };
    let outcome = examiner.examine(Arc::clone(&settings), &mut take).await;
    let trial = outcome.map_err(|error| Failure::new(Exit::Endpoint, error))?;
    // What the endpoint showed is told as one report.
    findings.retain(|finding| !finding.of_endpoint);
    let report = trial.as_ref().map(|trial| &trial.report);
    let endpoint_fails = report.is_some_and(|report| !report.reachable.works() || !report.key.works());
    let fails = findings.iter().any(|finding| finding.outcome == Outcome::Fails);
    if command.json {
        output.json(&document(&settings, &findings, trial.as_ref()));
    } else {
        tell(&settings, &findings, trial.as_ref(), output);
    }
    Ok(match (endpoint_fails, fails) {
        (true, _) => Exit::Endpoint,
        (false, true) => Exit::Failed,
        (false, false) => Exit::Ok,
    })
}

/// How this program looks at what works, as a command and in the app.
pub fn examiner(offline: bool) -> Examiner {
    Examiner { beyond: Some(own), offline, ..Examiner::default() }
}

/// What only a terminal program can look at.
fn own(settings: &Settings) -> Vec<Finding> {
    vec![log_files(settings), appearance(settings), terminal(Output::new().is_terminal())]
}

fn log_files(settings: &Settings) -> Finding {
    let data = &settings.paths.data_dir.value;
    let folder = log::folder(data);
    match log::files(data) {
        Ok(_) => {
            let words = format!("{} (level {}, set {} to change it)", folder.display(), log::level(), log::VARIABLE);
            Finding::here("log", true, words)
        }
        Err(error) => Finding::here("log", false, format!("{} cannot be written: {error}", folder.display())),
    }
}

/// The user's own themes and keys.
fn appearance(settings: &Settings) -> Finding {
    let (themes, wrong) = themes(&settings.paths.themes());
    let themes_told = wrong.iter().map(ToString::to_string);
    let told: Vec<String> = themes_told.chain(keymap(&settings.paths).as_ref().err().map(in_words)).collect();
    let works = told.is_empty();
    let sound = || format!("{} themes, keys without a clash", themes.names().count());
    Finding::here("looks", works, if works { sound() } else { told.join("\n") })
}

fn in_words(failure: &Failure) -> String {
    format!("{}:\n{}", failure.message, render_all(&failure.problems, false).trim_end())
}

fn terminal(is_there: bool) -> Finding {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let colours = match (variable("NO_COLOR").is_empty(), variable("COLORTERM").as_str(), variable("TERM").as_str()) {
        (false, ..) => "no colours (NO_COLOR is set)",
        (_, "truecolor" | "24bit", _) => "true colour",
        (.., "dumb" | "") => "no colours",
        (.., term) if term.contains("256") => "256 colours",
        _ => "16 colours",
    };
    let place = if is_there { "a terminal" } else { "not a terminal" };
    Finding::here("terminal", true, format!("{place}, TERM={}, {colours}", variable("TERM")))
}

fn tell(settings: &Settings, findings: &[Finding], trial: Option<&Trial>, output: &mut Output) {
    for finding in findings {
        let mark = if finding.outcome == Outcome::Fails { "✗" } else { "✓" };
        output.line(format!("{mark} {:<9} {}", finding.area, finding.words));
    }
    if let Some(Trial { report, booked }) = trial {
        output.line(format!("\nEndpoint {} ({}), model {}", report.endpoint, report.base_url, report.model));
        for (name, check) in report.checks() {
            let (mark, words) = match check {
                Check::Works(words) => ("✓", words),
                Check::Fails(words) => ("✗", words),
                Check::Unknown(words) => ("?", words),
            };
            output.line(format!("{mark} {name:<11} {words}"));
        }
        output.line(format!("  booked      {}", doctor::in_words(*booked)));
    }
    output.line("\nSettings, and where each came from");
    for explained in settings.explain() {
        output.line(format!("  {} = {}  ({})", explained.key, explained.value, explained.origin));
    }
}

fn document(settings: &Settings, findings: &[Finding], trial: Option<&Trial>) -> Value {
    let told = |finding: &Finding| {
        let works = finding.outcome != Outcome::Fails;
        (finding.area.clone(), json!({ "works": works, "detail": finding.words }))
    };
    let areas: serde_json::Map<String, Value> = findings.iter().map(told).collect();
    let (report, booked) = (trial.map(|trial| &trial.report), trial.map(|trial| &trial.booked));
    json!({ "checks": areas, "endpoint": report, "booked": booked, "settings": settings.explain() })
}
