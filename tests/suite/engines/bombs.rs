//! Files that are small and ask for something immense: the checks bound what they compute, and say so.
#![allow(clippy::expect_used, reason = "a test whose files cannot be made has failed")]

use std::fmt::Write as _;

use elenchus::decode::render_all;
use elenchus::engine::config::Loaded;

use super::broken::{Files, check};

/// An engine with these fields, obligations, categories and other surfaces.
fn engine(fields: &str, obligations: &str, categories: &str, more: &str) -> Files {
    let text = format!(
        r#"
id = "base"
name = "Small"
description = "The smallest engine."
outcome = "Something"
duration_minutes = 1
version = "1.0.0"
engine_type = "extract-dominant"
opening = "{{{{ first_question }}}}"
initial_phase = "ONLY"
information_ratio = {{ user = 70, system = 30 }}
techniques = {{ available = [] }}
categories = [{categories}]
obligations = [{obligations}]
fields = [{fields}]
phases = [{{ id = "ONLY", name = "Only", order = 1, covers = ["a"], instructions = "Ask.", mode_blend = {{ extract = 100 }} }}]
completeness = {{ model = "obligation", ready_threshold = 0.8, heuristics = [{{ id = "a", category = "a", weight = 1.0 }}] }}
sidebar = {{ static_sections = [{{ id = "a", name = "All", categories = ["a"] }}] }}
{more}
"#
    );
    let texts = [("engine.toml", text), ("prompt.md", "Ask.".to_owned()), ("brief.md", "# Brief".to_owned())];
    texts.map(|(name, text)| (name.to_owned(), text.into_bytes())).into()
}

fn list(count: usize, entry: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut list, at| {
        let _ = writeln!(list, "{},", entry(at));
        list
    })
}

const CATEGORY: &str = r#"{ id = "a", name = "All" }"#;

fn text_field(at: usize) -> String {
    format!(r#"{{ path = "f{at}", name = "F", description = "F.", type = "string" }}"#)
}

/// A field that is a list of lists of lists of lists.
fn deep_field(at: usize) -> String {
    let items = "{ type = \"array\", items = ".repeat(3) + "{ type = \"string\" }" + &" }".repeat(3);
    format!(r#"{{ path = "f{at}", name = "F", description = "F.", type = "array", items = {items} }}"#)
}

fn obligation(at: usize, satisfied: &str) -> String {
    format!(r#"{{id="o{at}",category="a",name="O",description="O",question="O?",{satisfied}}}"#)
}

/// The one thing that is said of an engine, with these words in it.
fn too_large(loaded: &Loaded, words: &str) {
    let told = render_all(&loaded.diagnostics, false);
    assert!(loaded.engine.is_none(), "it was accepted");
    let errors = loaded.diagnostics.iter().filter(|d| d.severity.word() == "error");
    assert_eq!(errors.map(|d| d.code).collect::<Vec<_>>(), ["too-large"], "{told}");
    assert!(told.contains(words), "no {words:?} in\n{told}");
}

#[test]
fn lists_in_lists_are_tried_on_few_values() {
    // 100 fields of 12⁴ values, on 16 memories for each of 30 conditions that never hold.
    let never = |at: usize| obligation(at, &format!("when = \"count('f{at}') > 1000\""));
    let loaded = check(engine(&list(100, deep_field), &list(30, never), CATEGORY, ""));
    let codes: Vec<&str> = loaded.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert!(loaded.engine.is_some(), "{}", render_all(&loaded.diagnostics, false));
    assert_eq!(codes.iter().filter(|code| **code == "unsatisfiable").count(), 30, "they are still looked into");
}

#[test]
fn what_would_be_immense_once_it_is_filled_in_is_refused() {
    let loaded =
        check(engine(&list(1_000, deep_field), &list(1, |at| obligation(at, "when = \"known('f0')\"")), CATEGORY, ""));
    too_large(&loaded, "filled in, `f");
    too_large(&loaded, "at most 20000 are tried");
    let wide = list(60, |at| {
        format!("p{at} = {{ type = \"array\", items = {{ type = \"array\", items = {{ type = \"string\" }} }} }}")
    });
    let field = |at: usize| {
        let wide = wide.replace('\n', " ");
        format!(
            r#"{{ path = "f{at}", name = "F", description = "F.", type = "array", items = {{ type = "object", properties = {{ {} }} }} }}"#,
            wide.trim_end().trim_end_matches(',')
        )
    };
    too_large(&check(engine(&list(8, field), &obligation(0, "when = \"known('f0')\""), CATEGORY, "")), "filled in");
}

#[test]
fn too_many_of_anything_are_one_problem() {
    let by = |at: usize| obligation(at, "satisfied_by = [\"f0\"]");
    let category = |at: usize| format!("{{ id = \"a{at}\", name = \"A\" }}");
    let evaluators = |count: usize| {
        let lines = list(count, |at| format!("e{at} = \"known('f0')\""));
        format!("[evaluators]\n{}", lines.replace(',', "\n"))
    };
    let (fields, obligations) = (text_field(0), by(0));
    for (files, words) in [
        (engine(&list(1_001, text_field), &obligations, CATEGORY, ""), "the engine has 1001 fields"),
        (engine(&fields, &list(5_001, by), CATEGORY, ""), "the engine has 5001 obligations"),
        (engine(&fields, &obligations, &format!("{CATEGORY}, {}", list(600, category)), ""), "601 categories"),
        (engine(&fields, &obligations, CATEGORY, &evaluators(5_001)), "the engine has 5001 expressions"),
    ] {
        too_large(&check(files), words);
    }
    let options = list(9_000, |at| format!("\"v{at}\"")).replace('\n', "");
    let field =
        format!("{{ path = \"f0\", name = \"F\", description = \"F.\", type = \"enum\", options = [{options}] }}");
    too_large(&check(engine(&field, &obligations, CATEGORY, "")), "9001 fields, properties, items and options");
}

#[test]
fn expressions_that_are_each_within_bounds_are_bounded_together() {
    // Each walks over all that is known as often as it can.
    let walks = ["(extraction | tojson | length)"; 30].join(" + ");
    let evaluators = list(200, |at| format!("e{at} = \"{walks} > {at}\"")).replace("\",\n", "\"\n");
    let loaded = check(engine(
        &list(100, deep_field),
        &obligation(0, "when = \"known('f0')\""),
        CATEGORY,
        &format!("[evaluators]\n{evaluators}"),
    ));
    too_large(&loaded, "takes too long, from here on");
}

#[test]
fn long_lists_of_names_and_of_mistakes_are_looked_through_once() {
    let names = |name: &str| list(30_000, |_| format!("\"{name}\"")).replace('\n', "");
    let twice = obligation(0, &format!("satisfied_by = [{}]", names("f0")));
    let loaded = check(engine(&text_field(0), &twice, CATEGORY, ""));
    assert!(loaded.engine.is_some() && loaded.diagnostics.iter().any(|d| d.code == "duplicate-id"));
    let wrong = list(20_000, |at| format!("\"g{at}\"")).replace('\n', "");
    let mistakes = obligation(0, &format!("satisfied_by = [{wrong}]"));
    let loaded = check(engine(&list(900, text_field), &mistakes, CATEGORY, ""));
    assert_eq!(loaded.diagnostics.iter().filter(|d| d.code == "bad-reference").count(), 50, "the first are told");
}

#[test]
fn a_template_that_binds_and_reads_thousands_of_names() {
    let sets = (0..12_000).fold(String::new(), |mut sets, at| {
        let _ = write!(sets, "{{% set v{at}=1 %}}");
        sets
    });
    let mut files = engine(&text_field(0), &obligation(0, "satisfied_by = [\"f0\"]"), CATEGORY, "");
    files.insert("brief.md".to_owned(), format!("{sets}{}", "{{ v11999 }}".repeat(12_000)).into_bytes());
    assert!(check(files).engine.is_some());
    let mut files = engine(&text_field(0), &obligation(0, "satisfied_by = [\"f0\"]"), CATEGORY, "");
    let unknown = (0..20_000).fold(String::new(), |mut reads, at| {
        let _ = write!(reads, "{{{{ w{at} }}}}");
        reads
    });
    files.insert("brief.md".to_owned(), unknown.into_bytes());
    assert!(check(files).engine.is_none());
}
