//! `elenchus engines trust`: shows exactly what an engine would run, call or spend, and keeps the user's decision.

use std::io::{BufRead, IsTerminal, stdin};

use ratatui::style::Style;
use serde_json::json;

use crate::cli::{Exit, Failure, Output, SettingsArguments};
use crate::host::protocol::TrustQuestion;
use crate::host::{HostError, consent};
use crate::store::Decision;
use crate::tasks::trust::request;
use crate::tasks::{decide, decided};
use crate::text::{sanitise_line, spelled_out};
use crate::tui::terminal::Terminal;
use crate::ui::row::{Row, Segment};
use crate::ui::wrap::{Break, Indent, wrap, wrap_text};

/// What stands before every row of the engine's own words.
const MARK: &str = "  │   ";

/// Where nobody looks, rows are not cut.
const UNBOUNDED: usize = 1_000_000;

/// A narrower terminal has no room behind the mark.
const NARROWEST: usize = 20;

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
    let Some(mut shown) = request(&engine, &provenance, &host.means.sandbox) else {
        if arguments.json {
            output.json(&json!({ "engine": arguments.engine, "acts": [], "decision": "not_needed" }));
        } else {
            output.line("This engine runs no program, calls no address and asks no model in the background: there is nothing to decide.");
        }
        return Ok(Exit::Ok);
    };
    let (before, doubt) = decided(&host.store(), &shown).await?;
    shown.doubt = doubt;
    let width = if output.is_terminal() { usize::from(Terminal::size().0) } else { UNBOUNDED };
    let lines = lines(&consent::question(&shown), &shown.engine_id, width);
    let undecided = before.is_none() && !provenance.embedded && shown.obstacles.is_empty();
    let asks = undecided && !arguments.yes && !arguments.revoke && !arguments.json;
    if !arguments.json && !asks {
        output.line(lines.join("\n"));
        if let Some(words) = standing(before, provenance.embedded) {
            output.line(words);
        }
    }
    let answer = match (arguments.yes, arguments.revoke) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ if asks => ask(&lines, output)?,
        _ => None,
    };
    let now = match answer {
        Some(trusted) => {
            decide(&host.store(), &shown, trusted, jiff::Timestamp::now()).await.map_err(HostError::from)?;
            Some(if trusted { Decision::Trusted } else { Decision::Refused })
        }
        None => before,
    };
    if arguments.json {
        output.json(&json!({ "request": shown, "embedded": provenance.embedded, "decision": now }));
    } else if answer.is_some() {
        output.line(match now {
            Some(Decision::Trusted) => "Allowed, for exactly these files.",
            _ => "Refused. Nothing of it will run.",
        });
    }
    host.close()?;
    let allowed = provenance.embedded || now == Some(Decision::Trusted) || arguments.revoke;
    Ok(if allowed { Exit::Ok } else { Exit::Failed })
}

/// Everything that the user would agree to. Words of the engine stand behind a line on the left, in every row: none of
/// them can pass for ours.
fn lines(question: &TrustQuestion, engine: &str, width: usize) -> Vec<String> {
    let count = question.acts.len();
    let things = if count == 1 { "one thing" } else { &format!("{count} things") };
    let mut all = vec![format!("The engine {} from", spelled_out(engine))];
    quote(&question.origin, width, &mut all);
    all.push(format!("would do {things} on this machine:"));
    for (at, act) in question.acts.iter().enumerate() {
        all.push(format!("\n{} of {count}", at + 1));
        quote(&act.words, width, &mut all);
        quote(&format!("as handler {}, for: {}", act.handler, act.tasks.join(", ")), width, &mut all);
        for detail in &act.details {
            quote("", width, &mut all);
            quote(&detail.heading, width, &mut all);
            detail.lines.iter().for_each(|line| quote(&format!("  {line}"), width, &mut all));
        }
    }
    for file in &question.files {
        all.push("\nIts programs get this file".to_owned());
        quote(&file.heading, width, &mut all);
        file.lines.iter().for_each(|line| quote(&format!("  {line}"), width, &mut all));
    }
    all.push(String::new());
    let ours = |words: &str| wrap_text(words, width.max(NARROWEST));
    all.extend(question.held_by.iter().flat_map(|held| ours(&format!("Sandbox: {held}."))));
    for why in &question.obstacles {
        all.push("It cannot be allowed:".to_owned());
        quote(why, width, &mut all);
    }
    all.extend(question.doubt.iter().flat_map(|doubt| ours(doubt)));
    all.push(format!("Digest of all of it: {}", question.digest));
    all
}

/// Adds a line behind the mark, cut into rows that fit, so that none begins where our words do.
fn quote(line: &str, width: usize, all: &mut Vec<String>) {
    let mark = || vec![Segment::added(MARK, Style::new())];
    let indent = Indent { first: mark(), rest: mark() };
    let text = Segment::added(sanitise_line(line), Style::new());
    all.extend(wrap(&[text], width.max(NARROWEST), &indent, Break::Anywhere).iter().map(Row::text));
}

fn standing(before: Option<Decision>, embedded: bool) -> Option<&'static str> {
    match before {
        _ if embedded => Some("It is part of the program and needs no leave."),
        Some(Decision::Trusted) => Some("You have allowed it; `--revoke` takes that back."),
        Some(Decision::Refused) => Some("You have refused it; `--yes` allows it."),
        None => None,
    }
}

/// Shows all of it, page by page, and asks at its end; without a terminal to show it and to ask at, nothing is decided.
fn ask(lines: &[String], output: &mut Output) -> Result<Option<bool>, Failure> {
    if !stdin().is_terminal() || !output.is_terminal() || !output.tells_a_person() {
        output.line(lines.join("\n"));
        output.remark("Nothing was decided: there is no terminal to show it and to ask at. `--yes` allows it.");
        return Ok(None);
    }
    let page = usize::from(Terminal::size().1).saturating_sub(2).max(4);
    let rows: Vec<&str> = lines.iter().flat_map(|line| line.split('\n')).collect();
    let pages = rows.chunks(page);
    let count = pages.len();
    for (at, rows) in pages.enumerate() {
        output.line(rows.join("\n"));
        let asked = format!("Page {} of {count}. Enter shows the next, q stops: ", at + 1);
        if at + 1 < count && !answer(&asked, output)?.is_empty() {
            return Ok(None);
        }
    }
    let word = answer("Allow all of it? Write yes to allow: ", output)?;
    Ok((word == "yes").then_some(true))
}

fn answer(question: &str, output: &mut Output) -> Result<String, Failure> {
    output.aside(question);
    let mut answer = String::new();
    let read = stdin().lock().read_line(&mut answer).map_err(Failure::failed)?;
    // The end of the input is no agreement to anything.
    Ok(if read == 0 { "q".to_owned() } else { answer.trim().to_lowercase() })
}
