//! `elenchus engines trust`: shows exactly what an engine would run or call, and keeps the user's decision.

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use serde_json::json;

use crate::cli::{Exit, Failure, Output, SettingsArguments};
use crate::host::HostError;
use crate::store::Decision;
use crate::tasks::decide;
use crate::tasks::trust::{TrustRequest, request};

/// What the command line says about it.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArguments {
    /// Name of an engine, or path of its folder.
    engine: String,
    /// Agree without being asked, for scripts.
    #[arg(long, conflicts_with = "revoke")]
    yes: bool,
    /// Take an agreement back.
    #[arg(long)]
    revoke: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(
    arguments: &TrustArguments,
    settings: &SettingsArguments,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let host = settings.host()?;
    let (engine, provenance) = host.engine_from(&arguments.engine)?;
    let Some(shown) = request(&engine, &provenance, &host.means.sandbox) else {
        if arguments.json {
            output.json(&json!({ "engine": arguments.engine, "acts": [], "decision": "not_needed" }));
        } else {
            output.line("This engine runs no program and calls no address: there is nothing to decide.");
        }
        return Ok(Exit::Ok);
    };
    let digest = shown.digest;
    let before = host.store().call_async(move |store| store.trust(digest)).await?.map(|trust| trust.decision);
    if !arguments.json {
        show(&shown, before, provenance.embedded, output);
    }
    let decided = match (arguments.yes, arguments.revoke) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ if arguments.json || before.is_some() || provenance.embedded => None,
        _ => ask(output)?,
    };
    let now = match decided {
        Some(trusted) => {
            decide(&host.store(), &shown, trusted, jiff::Timestamp::now()).await.map_err(HostError::from)?;
            Some(if trusted { Decision::Trusted } else { Decision::Refused })
        }
        None => before,
    };
    if arguments.json {
        output.json(&json!({ "request": shown, "embedded": provenance.embedded, "decision": now }));
    } else if decided.is_some() {
        output.line(match now {
            Some(Decision::Trusted) => "Allowed, for exactly these files.",
            _ => "Refused. Nothing of it will run.",
        });
    }
    host.close()?;
    let allowed = provenance.embedded || now == Some(Decision::Trusted) || arguments.revoke;
    Ok(if allowed { Exit::Ok } else { Exit::Failed })
}

fn show(shown: &TrustRequest, before: Option<Decision>, embedded: bool, output: &mut Output) {
    let folder = shown.folder.as_ref().map(|folder| format!(" ({})", folder.display())).unwrap_or_default();
    output.line(format!("The engine {}{folder} would", shown.engine_id));
    for act in &shown.acts {
        output.line(format!("  {}", act.words()));
        output.line(format!("    as handler {}, for: {}", act.handler, act.tasks.join(", ")));
    }
    output.line(format!("  digest {}", shown.digest));
    match before {
        _ if embedded => output.line("It is part of the program and needs no leave."),
        Some(Decision::Trusted) => output.line("You have allowed it; `--revoke` takes that back."),
        Some(Decision::Refused) => output.line("You have refused it; `--yes` allows it."),
        None => {}
    }
}

/// Asks at the terminal; without one nothing is decided.
fn ask(output: &mut Output) -> Result<Option<bool>, Failure> {
    if !stdin().is_terminal() {
        output.remark("Nothing was decided: there is no terminal to ask at. `--yes` allows it.");
        return Ok(None);
    }
    output.flush();
    let _ = write!(stderr(), "Allow it? [y/N] ");
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer).map_err(Failure::failed)?;
    let word = answer.trim().to_lowercase();
    Ok(matches!(word.as_str(), "y" | "yes").then_some(true))
}
