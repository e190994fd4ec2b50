//! What a trial of listening says, for people and for scripts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::ser::{SerializeSeq as _, Serializer};
use serde_json::{Value, json};

use super::{AnyOrder, FactHeard, Heard, Stray};
use crate::text::sanitise_line;

/// The most facts and values that are listed for each person.
const LISTED: usize = 12;

/// The report that people read: a row for each person, then what was heard badly.
pub fn any_order_text(trials: &[AnyOrder]) -> String {
    let mut out = String::new();
    let names: Vec<String> =
        trials.iter().map(|trial| format!("{} · {}", trial.engine, sanitise_line(&trial.person))).collect();
    let width = names.iter().map(|name| name.chars().count()).chain([TOTAL.len()]).max().unwrap_or(0);
    let _ = writeln!(
        out,
        "{:width$}  {:>5} {:>6} {:>8} {:>10} {:>7} {:>9} {:>5}  corrections",
        "", "facts", "right", "offered", "elsewhere", "missed", "misfiled", "junk"
    );
    for (trial, name) in trials.iter().zip(&names) {
        row(&mut out, name, width, &trial.heard);
    }
    row(&mut out, TOTAL, width, &total(trials));
    for (trial, name) in trials.iter().zip(&names) {
        badly_heard(&mut out, name, trial);
    }
    out
}

const TOTAL: &str = "in all";

fn total(trials: &[AnyOrder]) -> Heard {
    trials.iter().fold(Heard::default(), |sum, trial| sum.and(&trial.heard))
}

fn row(out: &mut String, name: &str, width: usize, heard: &Heard) {
    let share = |count: usize| format!("{:.0} %", count as f64 / heard.told.max(1) as f64 * 100.0);
    let Heard { told, right, offered, elsewhere, missed, corrected, corrections_heard, misfiled, junk } = *heard;
    let _ = writeln!(
        out,
        "{name:width$}  {told:>5} {:>6} {:>8} {:>10} {:>7} {misfiled:>9} {junk:>5}  {corrections_heard} of {corrected}",
        share(right),
        share(offered),
        share(elsewhere),
        share(missed),
    );
}

/// The facts that were not always heard, the worst first, and the values that were not said of their field.
fn badly_heard(out: &mut String, name: &str, trial: &AnyOrder) {
    let heard = |fact: &&FactHeard| fact.heard.right + fact.heard.offered;
    let mut facts: Vec<&FactHeard> = trial.facts.iter().filter(|fact| heard(fact) < fact.heard.told).collect();
    facts.sort_by_key(heard);
    if facts.is_empty() && trial.strays.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{name}");
    for fact in facts.iter().take(LISTED) {
        let _ = writeln!(
            out,
            "  heard {} of {}  {}: {}",
            heard(fact),
            fact.heard.told,
            fact.path,
            sanitise_line(&fact.says)
        );
        let mut places: Vec<(&String, &usize)> = fact.went_to.iter().collect();
        places.sort_by_key(|(_, often)| std::cmp::Reverse(**often));
        for (path, often) in places.iter().take(3) {
            let _ = writeln!(out, "      {often} × in {path}");
        }
    }
    more(out, facts.len(), "facts");
    let mut strays: Vec<(&Stray, &usize)> = trial.strays.iter().collect();
    strays.sort_by_key(|(stray, often)| (!stray.is_junk, std::cmp::Reverse(**often)));
    for (stray, often) in strays.iter().take(LISTED) {
        let what = if stray.is_junk { "junk" } else { "misfiled" };
        let _ = writeln!(out, "  {what} {often} ×  {}: {}", stray.path, sanitise_line(&stray.text));
    }
    more(out, strays.len(), "values");
}

fn more(out: &mut String, many: usize, what: &str) {
    if many > LISTED {
        let _ = writeln!(out, "  … and {} more {what}; `--json` has them all", many - LISTED);
    }
}

/// The report that scripts read.
pub fn any_order_json(trials: &[AnyOrder], seed: u64) -> Value {
    let all = total(trials);
    json!({
        "seed": seed,
        "total": all,
        "right_share": all.right_share(),
        "heard_share": all.heard_share(),
        "people": trials,
    })
}

/// Values with how often they were found; a map of JSON has texts as keys only.
pub(super) fn strays<S: Serializer>(found: &BTreeMap<Stray, usize>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(found.len()))?;
    for (Stray { path, text, is_junk }, times) in found {
        list.serialize_element(&json!({ "path": path, "text": text, "is_junk": is_junk, "times": times }))?;
    }
    list.end()
}
