//! What a run of scenarios says, for people, for scripts and for build servers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::coverage::{Coverage, CoverageKind};
use super::suite::{EngineRun, ScenarioRun, pass_hat};
use crate::text::deceives;

/// The report that people read.
pub fn text(engines: &[EngineRun]) -> String {
    let mut out = String::new();
    for engine in engines {
        let _ = writeln!(out, "{}", engine.engine);
        for scenario in &engine.scenarios {
            scenario_text(scenario, &mut out);
        }
        if let Some(coverage) = &engine.coverage {
            coverage_text(coverage, &mut out);
        }
        if let (Some(mutants), Some(score)) = (&engine.mutants, engine.score()) {
            let killed = mutants.iter().filter(|(_, killed)| *killed).count();
            let _ = writeln!(out, "  mutants noticed: {killed} of {} ({:.0} %)", mutants.len(), score * 100.0);
            for (mutant, _) in mutants.iter().filter(|(_, killed)| !killed) {
                let _ = writeln!(out, "    survived: line {}  {}", mutant.line, mutant.name);
            }
        }
    }
    let all = || engines.iter().flat_map(|engine| &engine.scenarios);
    let (count, failed) = (all().count(), all().filter(|scenario| !scenario.passed()).count());
    let skipped = all().filter(|scenario| scenario.skipped.is_some()).count();
    let _ = write!(out, "{} passed, {failed} failed", count - failed - skipped);
    if skipped > 0 {
        let _ = write!(out, ", {skipped} skipped");
    }
    out.push('\n');
    if let Some((one, every, runs)) = reliability(engines).filter(|(.., runs)| *runs > 1) {
        let _ = writeln!(out, "pass^1 {one:.2}, pass^{runs} {every:.2}");
    }
    out
}

fn scenario_text(scenario: &ScenarioRun, out: &mut String) {
    if let Some(why) = &scenario.skipped {
        let _ = writeln!(out, "  - {}  (skipped: {why})", scenario.name);
        return;
    }
    let turns: u32 = scenario.runs.iter().map(|played| played.turns).sum();
    let mark = if scenario.passed() { "✓" } else { "✗" };
    let times = match scenario.runs.len() {
        0 | 1 => String::new(),
        runs => format!(", {} of {runs} runs", scenario.passes()),
    };
    let _ = writeln!(out, "  {mark} {}  ({turns} turns{times})", scenario.name);
    for played in &scenario.runs {
        if let Some(error) = &played.error {
            let _ = writeln!(out, "      {}: {error}", scenario.file);
        }
        for failure in &played.failures {
            let _ = writeln!(out, "      {}:{}  turn {}: {}", failure.file, failure.line, failure.turn, failure.what);
            let _ = writeln!(out, "        expected  {}", below(&failure.expected));
            let _ = writeln!(out, "        got       {}", below(&failure.got));
            let _ = writeln!(out, "        because   {}", below(&failure.trace));
        }
    }
}

/// A text of several rows, the later ones below the first.
fn below(text: &str) -> String {
    text.replace('\n', "\n                  ")
}

fn coverage_text(coverage: &Coverage, out: &mut String) {
    let _ = writeln!(out, "  reached");
    for kind in CoverageKind::ALL {
        let (reached, all) = coverage.of(kind);
        if all > 0 {
            let share = reached as f64 / all as f64 * 100.0;
            let _ = writeln!(out, "    {:<18} {reached:>3} of {all:<3} {share:>4.0} %", kind.plural());
        }
    }
    for item in coverage.missing() {
        let _ = writeln!(out, "    {}:{}  {} not reached: {}", coverage.file, item.line, item.kind.plural(), item.name);
    }
}

/// Mean pass^1 and pass^k over the scenarios that ran, with k the number of runs.
fn reliability(engines: &[EngineRun]) -> Option<(f64, f64, usize)> {
    let ran: Vec<&ScenarioRun> =
        engines.iter().flat_map(|engine| &engine.scenarios).filter(|s| !s.runs.is_empty()).collect();
    let runs = ran.iter().map(|scenario| scenario.runs.len()).max()?;
    let mean = |k: usize| ran.iter().map(|s| pass_hat(s.runs.len(), s.passes(), k)).sum::<f64>() / ran.len() as f64;
    Some((mean(1), mean(runs), runs))
}

/// The report that scripts read.
pub fn to_json(engines: &[EngineRun]) -> Value {
    let one = |engine: &EngineRun| {
        let scenarios: Vec<Value> = engine.scenarios.iter().map(scenario_json).collect();
        let counts = engine.coverage.as_ref().map(|coverage| {
            let count = |kind: CoverageKind| {
                let (reached, all) = coverage.of(kind);
                (kind.plural().replace(' ', "_"), json!({ "reached": reached, "all": all }))
            };
            let missing: Vec<_> = coverage.missing().collect();
            let counts: serde_json::Map<String, Value> = CoverageKind::ALL.into_iter().map(count).collect();
            json!({ "file": coverage.file, "counts": counts, "missing": missing })
        });
        let mutants = engine.mutants.as_ref().map(|mutants| {
            let survivors = mutants.iter().filter(|(_, killed)| !killed);
            let survivors: Vec<Value> = survivors
                .map(|(mutant, _)| json!({ "kind": mutant.mutation, "name": mutant.name, "line": mutant.line }))
                .collect();
            json!({ "all": mutants.len(), "score": engine.score(), "survivors": survivors })
        });
        json!({
            "engine": engine.engine,
            "passed": engine.passed(),
            "scenarios": scenarios,
            "coverage": counts,
            "mutation": mutants,
        })
    };
    let rates = reliability(engines).map(|(one, every, runs)| json!({ "pass_1": one, "pass_k": every, "k": runs }));
    json!({
        "passed": engines.iter().all(EngineRun::passed),
        "engines": engines.iter().map(one).collect::<Vec<_>>(),
        "reliability": rates,
    })
}

fn scenario_json(scenario: &ScenarioRun) -> Value {
    let runs: Vec<Value> = scenario
        .runs
        .iter()
        .map(|played| {
            json!({
                "passed": played.passed(),
                "turns": played.turns,
                "error": played.error,
                "failures": played.failures,
            })
        })
        .collect();
    json!({
        "name": scenario.name,
        "file": scenario.file,
        "passed": scenario.passed(),
        "skipped": scenario.skipped,
        "runs": runs,
    })
}

/// The report that build servers read: JUnit XML.
pub fn junit(engines: &[EngineRun]) -> String {
    let all = || engines.iter().flat_map(|engine| &engine.scenarios);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        all().count(),
        all().filter(|scenario| !scenario.passed()).count(),
        all().filter(|scenario| scenario.skipped.is_some()).count()
    );
    for engine in engines {
        let failed = engine.scenarios.iter().filter(|scenario| !scenario.passed()).count();
        let skipped = engine.scenarios.iter().filter(|scenario| scenario.skipped.is_some()).count();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" skipped=\"{skipped}\">",
            escaped(&engine.engine),
            engine.scenarios.len()
        );
        for scenario in &engine.scenarios {
            let _ = writeln!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" time=\"{:.3}\">",
                escaped(&engine.engine),
                escaped(&scenario.name),
                escaped(&scenario.file),
                scenario.seconds
            );
            if let Some(why) = &scenario.skipped {
                let _ = writeln!(out, "      <skipped message=\"{}\"/>", escaped(why));
            }
            let mut details = String::new();
            scenario_text(scenario, &mut details);
            if !scenario.passed() {
                let first = scenario.runs.iter().find_map(|played| {
                    let failure = played.failures.first();
                    let told = failure.map(|f| format!("{}: expected {}, got {}", f.what, f.expected, f.got));
                    told.or_else(|| played.error.clone())
                });
                let message = escaped(&first.unwrap_or_default());
                let _ = writeln!(out, "      <failure message=\"{message}\">{}</failure>", escaped(&details));
            }
            out.push_str("    </testcase>\n");
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// A text as XML takes it: marks written out, control characters left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            // XML has no way to write most of these, and no use for the others.
            other if deceives(other) || matches!(other, '\u{fffe}' | '\u{ffff}') => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_would_misread_is_written_out() {
        assert_eq!(escaped("a < b & \"c\"\u{1b}[0m"), "a &lt; b &amp; &quot;c&quot;[0m");
    }
}
