//! Files that are made to hurt get an answer in words, soon, and without a panic.
#![allow(clippy::expect_used, reason = "a test whose files cannot be written has failed")]

use std::fmt::Write as _;
#[cfg(unix)]
use std::time::Duration;

#[cfg(unix)]
use std::{fs, path::Path, process::Output};

use elenchus::decode::render_all;

use super::broken::{Files, base, check};

/// A run of the program that takes longer hangs: no machine is that slow.
#[cfg(unix)]
const DEADLINE: Duration = Duration::from_mins(2);

/// The least an engine can be, with its obligations to be filled in.
const SMALL: &str = r#"
id = "base"
name = "Small"
description = "The smallest engine."
outcome = "Something"
duration_minutes = 1
version = "1.0.0"
engine_type = "extract-dominant"
opening = "{{ first_question }}"
initial_phase = "ONLY"
information_ratio = { user = 70, system = 30 }
techniques = { available = [] }
categories = [{ id = "a", name = "All" }]
fields = [{ path = "f", name = "It", description = "It.", type = "string" }]
phases = [{ id = "ONLY", name = "Only", order = 1, covers = ["a"], instructions = "Ask.", mode_blend = { extract = 100 } }]
completeness = { model = "obligation", ready_threshold = 0.8, heuristics = [{ id = "a", category = "a", weight = 1.0 }] }
sidebar = { static_sections = [{ id = "a", name = "All", categories = ["a"] }] }
"#;

/// The base engine with one of its files replaced.
fn with(name: &str, bytes: impl Into<Vec<u8>>) -> Files {
    let mut files = base();
    files.insert(name.to_owned(), bytes.into());
    files
}

fn engine_text() -> String {
    String::from_utf8(base().remove("engine.toml").expect("the base has an engine.toml")).expect("it is text")
}

/// The base engine with something before its first line.
fn preceded(text: &str) -> Files {
    with("engine.toml", format!("{text}\n{}", engine_text()))
}

/// The base engine with another expression for one of its evaluators.
fn computing(expression: &str) -> Files {
    let old = r#"goal_is_sure = "confidence('trip.goal')""#;
    let text = engine_text();
    assert_eq!(text.matches(old).count(), 1);
    with("engine.toml", text.replace(old, &format!("goal_is_sure = '''{expression}'''")))
}

/// Loads the files and finds an error of this kind, with these words in it.
fn refused(what: &str, files: Files, code: &str, words: &str) {
    let loaded = check(files);
    assert!(loaded.engine.is_none(), "{what}: it was accepted");
    let found = loaded.diagnostics.iter().any(|d| d.code == code && d.message.contains(words));
    assert!(found, "{what}: no {code} with {words:?} in\n{}", render_all(&loaded.diagnostics, false));
}

#[test]
fn what_is_not_text() {
    let binary: Vec<u8> = (0..=255).cycle().take(64 * 1024).collect();
    for name in ["engine.toml", "prompt.md", "brief.md"] {
        refused("a binary file", with(name, binary.clone()), "not-text", "is not UTF-8 text: byte 128");
        refused("a stray byte", with(name, b"text \xff text".to_vec()), "not-text", "byte 5");
        refused("a cut character", with(name, "text é".as_bytes()[..6].to_vec()), "not-text", "byte 5");
        refused("a zero byte", with(name, "text\0text"), "not-text", "zero byte");
        refused("UTF-16", with(name, b"\xff\xfei\0d\0".to_vec()), "not-text", "byte 0");
    }
}

#[test]
fn what_is_too_large() {
    for name in ["engine.toml", "prompt.md", "brief.md"] {
        refused("50 MB", with(name, "# x\n".repeat(13_000_000)), "too-large", "larger than 512 KiB");
    }
    let megabyte = format!("1{}", " + 1".repeat(256 * 1024));
    refused("an expression of a megabyte", computing(&megabyte), "too-large", "512 KiB");
    let less = format!("1{}", " + 1".repeat(4_000));
    refused("an expression of 16 kB", computing(&less), "bad-expression", "at most 1024 bytes, this has 16001");
    let long = format!("1{}", " + 1".repeat(5_000));
    refused("a text of 20 kB", computing(&long), "too-large", "longer than 16 KiB");
}

#[test]
fn what_is_nested_too_deeply() {
    let (deep, deeper) = (10_000, 100_000);
    for depth in [deep, deeper] {
        let arrays = format!("x = {}{}", "[".repeat(depth), "]".repeat(depth));
        refused("arrays", preceded(&arrays), "syntax", "nested too deeply");
        refused("open arrays", preceded(&format!("x = {}", "[".repeat(depth))), "syntax", "nested too deeply");
        let tables = format!("x = {}1{}", "{a=".repeat(depth), "}".repeat(depth));
        refused("inline tables", preceded(&tables), "syntax", "nested too deeply");
        refused("dotted keys", preceded(&format!("{}a = 1", "a.".repeat(depth))), "syntax", "nested too deeply");
        let header = format!("{}\n[{}a]\n", engine_text(), "a.".repeat(depth));
        refused("a dotted header", with("engine.toml", header), "syntax", "nested too deeply");
    }
    let shape = engine_text()
        .replace("items = { type = \"object\"", &format!("{}x = {{ type = \"object\"", "items.".repeat(deep)));
    refused("a shape", with("engine.toml", shape), "syntax", "nested too deeply");
    let levels = "{ type = \"array\", items = ".repeat(20) + "{ type = \"string\" }" + &" }".repeat(20);
    let shape = engine_text().replace("currency = { type = \"string\" }", &format!("currency = {levels}"));
    refused("a shape that TOML allows", with("engine.toml", shape), "bad-shape", "nested more than four levels");
}

#[test]
fn a_file_that_breaks_off_within_brackets_and_after_a_character_of_several_bytes() {
    for end in ["�", "é", "🌞", "日", "\u{301}"] {
        for text in [
            format!("x = {{ a = 4p\"\n[y]\nphase = \"RE0.{end}"),
            format!("x = [ 1\ny = \"{end}"),
            format!("x = {{{end}"),
        ] {
            let loaded = check(with("engine.toml", text));
            assert!(loaded.engine.is_none());
            assert!(!render_all(&loaded.diagnostics, false).is_empty());
        }
    }
}

#[test]
fn a_circle_of_five_thousand() {
    let count = 5_000;
    let mut circle = String::from("obligations = [\n");
    for at in 0..count {
        let _ = writeln!(
            circle,
            r#"{{id="o{at}",category="a",name="x",description="x",question="x",satisfied_by=["f"],after=["o{}"]}},"#,
            (at + 1) % count
        );
    }
    circle.push_str("]\n");
    let mut files = with("engine.toml", SMALL.replacen("fields = ", &format!("{circle}fields = "), 1));
    files.insert("brief.md".into(), "# {{ session.title }}".into());
    let loaded = check(files);
    let codes: Vec<&str> = loaded.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["cycle"], "one circle is told once");
    let help = loaded.diagnostics[0].help.as_deref();
    assert_eq!(help, Some("o0 → o1 → o2 → o3 → … 4994 more … → o4998 → o4999 → o0"));
}

#[test]
fn expressions_that_would_compute_for_ever() {
    for (source, words) in [
        ("\"a\" * 1000000000".to_owned(), "multiplies numbers"),
        ("(\"a\" * 100000) * 100000".to_owned(), "multiplies numbers"),
        ("([1] * 1000000000) | sort | length".to_owned(), "multiplies numbers"),
        ("2 in [1] * 1000000000".to_owned(), "multiplies numbers"),
        ("99999999 ** 99999999".to_owned(), "unable to calculate"),
        (format!("{}1{}", "(".repeat(400), ")".repeat(400)), "nested too deeply"),
        (format!("{}1{}", "[".repeat(400), "]".repeat(400)), "nested too deeply"),
        (format!("{}true", "not ".repeat(200)), "nested too deeply"),
        (format!("{}1", "-".repeat(600)), "nested too deeply"),
    ] {
        refused(&source, computing(&source), "bad-expression", words);
    }
}

#[test]
fn templates_that_would_compute_for_ever() {
    let numbers = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
    let loops = format!("{}x{}", format!("{{% for a in {numbers} %}}").repeat(12), "{% endfor %}".repeat(12));
    let brackets = format!("{{{{ {}1{} }}}}", "(".repeat(20_000), ")".repeat(20_000));
    let blocks = format!("{}x{}", "{% if 1 %}".repeat(5_000), "{% endif %}".repeat(5_000));
    let macros = "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}".to_owned();
    for (what, source, words) in [
        ("loops in loops", loops, "it takes too long"),
        ("brackets", brackets, "at most 1024 bytes"),
        ("blocks in blocks", blocks, "nested too deeply"),
        ("a macro that calls itself", macros, "templates have no `macro`"),
        ("a long list", "{{ ([1] * 1000000000) | list | length }}".to_owned(), "multiplies numbers"),
    ] {
        for name in ["prompt.md", "brief.md"] {
            refused(what, with(name, source.clone()), "bad-template", words);
        }
    }
}

#[test]
fn an_engine_file_cut_off_anywhere() {
    let text = engine_text();
    for at in (1..text.len()).step_by(61) {
        let loaded = check(with("engine.toml", &text.as_bytes()[..at]));
        let errors = loaded.diagnostics.iter().filter(|d| d.severity.word() == "error").count();
        assert_eq!(loaded.engine.is_none(), errors > 0, "cut off at byte {at}");
        for diagnostic in &loaded.diagnostics {
            assert!(!diagnostic.render(false).is_empty());
        }
    }
}

#[test]
fn an_engine_file_without_any_one_of_its_lines() {
    let text = engine_text();
    let lines: Vec<&str> = text.lines().collect();
    for left_out in 0..lines.len() {
        let rest: Vec<&str> =
            lines.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, line)| *line).collect();
        let loaded = check(with("engine.toml", rest.join("\n")));
        let errors = loaded.diagnostics.iter().filter(|d| d.severity.word() == "error").count();
        assert_eq!(loaded.engine.is_none(), errors > 0, "without line {}: {}", left_out + 1, lines[left_out]);
    }
}

/// Runs `elenchus engines validate` on the base engine as `prepare` leaves it, within 1.5 GB of address space.
#[cfg(unix)]
fn validate(prepare: impl FnOnce(&Path)) -> Output {
    let home = tempfile::tempdir().expect("there is room for a folder");
    let folder = home.path().join("base");
    fs::create_dir(&folder).expect("it can be made");
    for (name, bytes) in base() {
        fs::write(folder.join(name), bytes).expect("it can be written");
    }
    let engine = folder.join("engine.toml");
    let text = engine_text().replace("to = \"other\"", "to = \"project-discovery\"");
    fs::write(&engine, text).expect("it can be written");
    prepare(&folder);
    let program = assert_cmd::cargo::cargo_bin!("elenchus");
    let script = "ulimit -v 1500000; exec \"$0\" \"$@\"";
    let mut command = assert_cmd::Command::new("sh");
    command.args(["-c", script]).arg(program).arg("--config").arg(home.path().join("config"));
    command.args(["engines", "validate"]).arg(&folder).timeout(DEADLINE).output().expect("it runs")
}

#[cfg(unix)]
fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[cfg(unix)]
#[test]
fn what_is_not_a_file() {
    let output = validate(|_| ());
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));

    let output = validate(|folder| {
        fs::remove_file(folder.join("engine.toml")).expect("it was there");
        let made = std::process::Command::new("mkfifo").arg(folder.join("engine.toml")).status();
        assert!(made.expect("mkfifo runs").success());
    });
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("engine.toml: it is not a regular file"), "{}", told(&output));

    let output = validate(|folder| {
        fs::remove_file(folder.join("brief.md")).expect("it was there");
        fs::create_dir(folder.join("brief.md")).expect("it can be made");
    });
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("brief.md: it is not a regular file"), "{}", told(&output));

    let output = validate(|folder| {
        fs::remove_file(folder.join("prompt.md")).expect("it was there");
        std::os::unix::fs::symlink("/dev/zero", folder.join("prompt.md")).expect("it can be made");
    });
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    let refused = "prompt.md is not read: it leads out of its folder, to /dev/zero";
    assert!(told(&output).contains(refused), "{}", told(&output));
}

#[cfg(unix)]
#[test]
fn a_file_of_fifty_megabytes_is_not_read() {
    let output = validate(|folder| {
        let file = fs::File::create(folder.join("engine.toml")).expect("it can be made");
        file.set_len(50 * 1024 * 1024).expect("it can grow");
    });
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("error[too-large]"), "{}", told(&output));
}

/// Fuel counts steps, not bytes: each of these takes few steps and gigabytes.
#[cfg(unix)]
#[test]
fn values_that_would_fill_the_memory() {
    let thirty_two = "a".repeat(32);
    let replaced = format!("\"{thirty_two}\"{} | length", format!(" | replace(\"a\", \"{thirty_two}\")").repeat(7));
    for expression in [
        "(\"a\" * 9999) | replace(\"a\", \"a\" * 9999) | replace(\"a\", \"a\" * 9999) | length".to_owned(),
        "([1] * 99999) | join(\"a\" * 9999) | length".to_owned(),
        replaced,
        "10 | string * 1000000".to_owned(),
        "1000000 * -\"a\"".to_owned(),
        "records([1], \"a\") * 100000000 | length".to_owned(),
    ] {
        let files = computing(&expression);
        let output = validate(|folder| {
            fs::write(folder.join("engine.toml"), &files["engine.toml"]).expect("it can be written");
        });
        assert_eq!(output.status.code(), Some(1), "{expression}: {}", told(&output));
        assert!(told(&output).contains("error[bad-expression]"), "{expression}: {}", told(&output));
    }
    for template in [
        format!(
            "{{% set s = \"aaaaaaaaaa\" %}}{}{{{{ s | length }}}}",
            format!("{{% set s = {} %}}", ["s"; 10].join(" ~ ")).repeat(10)
        ),
        format!(
            "{{% set x %}}{}{{% endset %}}{}{{{{ x | length }}}}",
            "a".repeat(1000),
            format!("{{% set x %}}{}{{% endset %}}", "{{ x }}".repeat(10)).repeat(8)
        ),
        // Lists in lists are small as long as nobody prints them.
        format!("{{% set s = [1] %}}{}{{{{ s }}}}", format!("{{% set s = [{}] %}}", ["s"; 100].join(", ")).repeat(10)),
        format!("{{% set s = 1 %}}{}{{{{ s }}}}", "{% set s = [[[[s]]]] %}".repeat(20_000)),
        format!(
            "{{% for s in [\"aa\"] %}}{}{{{{ s | length }}}}{}",
            format!("{{% for s in [{}] %}}", ["s"; 100].join(" ~ ")).repeat(9),
            "{% endfor %}".repeat(10)
        ),
        format!("{{% for a in [{}] %}}{}{{% endfor %}}", ["1"; 300].join(","), "long ".repeat(100_000)),
    ] {
        let output = validate(|folder| fs::write(folder.join("brief.md"), &template).expect("it can be written"));
        assert_eq!(output.status.code(), Some(1), "{template}: {}", told(&output));
        assert!(told(&output).contains("error[bad-template]"), "{template}: {}", told(&output));
    }
}

/// Chains nest in the tree without a bracket: half a megabyte of them overflows the stack, which nothing can catch.
#[cfg(unix)]
#[test]
fn chains_that_would_overflow_the_stack() {
    for (head, link, tail) in [
        ("{{ 1", "+1", " }}"),
        ("{{ 1", " and 1", " }}"),
        ("{{ 1", " ~ 1", " }}"),
        ("{{ engine", "()", " }}"),
        ("{{ 1", "|int", " }}"),
        ("{{ 1", "**1", " }}"),
        ("{{ 1", " is odd", " }}"),
        ("{{ engine", ".a", " }}"),
        ("{{ engine", "[0]", " }}"),
        ("{{ ", "1 if 1 else ", "1 }}"),
        ("{{ ", "not\n", "1 }}"),
        ("{% if 1 %}", "{% elif 1 %}", "{% endif %}"),
    ] {
        let template = format!("{head}{}{tail}", link.repeat(400_000 / link.len()));
        let output = validate(|folder| fs::write(folder.join("prompt.md"), &template).expect("it can be written"));
        assert_eq!(output.status.code(), Some(1), "{link:?}: {}", told(&output));
        assert!(told(&output).contains("error[bad-template]"), "{link:?}: {}", told(&output));
    }
}

/// A file can be wrong in thousands of places; the answer must not take minutes for it.
#[cfg(unix)]
#[test]
fn thousands_of_mistakes() {
    let keys = (0..8_000).fold(String::new(), |mut keys, at| {
        let _ = writeln!(keys, "k{at} = 1");
        keys
    });
    let names: Vec<String> = (0..8_000).map(|at| format!("\"a{at}\"")).collect();
    let covers = engine_text().replace("covers = [\"place\"]", &format!("covers = [{}]", names.join(", ")));
    for text in [format!("{keys}{}", engine_text()), covers] {
        let output = validate(|folder| fs::write(folder.join("engine.toml"), &text).expect("it can be written"));
        assert_eq!(output.status.code(), Some(1), "it ends in time");
        assert!(output.stdout.len() < 1024 * 1024, "{} bytes are more than anybody reads", output.stdout.len());
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_leads_out_of_the_folder_is_refused_and_the_others_are_not() {
    for (name, to) in [("prompt.md", "/etc/passwd"), ("brief.md", "../secret.md"), ("engine.toml", "../engine.toml")] {
        let output = validate(|folder| {
            let outside = folder.join(to);
            if !outside.exists() {
                fs::copy(folder.join(name), &outside).expect("it can be copied");
            }
            fs::remove_file(folder.join(name)).expect("it was there");
            std::os::unix::fs::symlink(to, folder.join(name)).expect("it can be made");
        });
        let told = told(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(&format!("{name} is not read: it leads out of its folder")), "{told}");
        assert!(!told.contains("root:"), "{told}");
    }
    let output = validate(|folder| {
        fs::rename(folder.join("prompt.md"), folder.join("words.md")).expect("it was there");
        std::os::unix::fs::symlink("words.md", folder.join("prompt.md")).expect("it can be made");
    });
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}
