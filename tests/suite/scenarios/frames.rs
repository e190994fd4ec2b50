//! Pictures of the app in scenarios: written on demand, compared row by row.

use pretty_assertions::assert_eq;

use crate::support::program::Program;

const SCENARIO: &str = r#"
name = "The story begins"
model = { type = "scripted" }

[[turns]]
says = "We built a shed."
expect = { frames = [{ file = "frames/begun.frame", size = "100x30" }, { file = "frames/coloured.frame", size = "60x12", theme = "light" }] }
"#;

#[test]
fn frames_are_written_on_demand_and_a_mismatch_shows_the_rows_that_differ() {
    let program = Program::new();
    let engine = program.new_engine("look-back");
    let (file, folder) = (engine.join("scenarios/seen.toml"), engine.join("scenarios/frames"));
    std::fs::write(&file, SCENARIO).expect("a file");
    let file = file.to_str().expect("a path");
    let missing = program.run(&["test", file]);
    assert_eq!(missing.code, 1, "{}", missing.words);
    assert!(missing.data.contains("seen.toml:7  turn 1: frame frames/begun.frame"), "{}", missing.data);
    assert!(missing.data.contains("there is none yet; `elenchus test --update-frames` writes it"), "{}", missing.data);

    let written = program.run(&["test", file, "--update-frames"]);
    assert_eq!(written.code, 0, "{}{}", written.data, written.words);
    assert_eq!(written.words.lines().count(), 2, "{}", written.words);
    assert_eq!(program.run(&["test", file]).code, 0);
    assert_eq!(program.run(&["test", file, "--update-frames"]).words, "", "what is right is not written again");
    let begun = std::fs::read_to_string(folder.join("begun.frame")).expect("it was written");
    assert!(begun.contains("We built a shed.") && !begun.contains('\u{1b}'), "{begun}");
    assert_eq!(begun.lines().count(), 30);
    assert!(std::fs::read_to_string(folder.join("coloured.frame")).expect("it was written").contains('\u{1b}'));

    std::fs::write(file, SCENARIO.replace("a shed.", "a boat.")).expect("a file");
    let report = program.run(&["test", file]).data;
    let row = begun.lines().position(|row| row.contains("We built a shed.")).expect("a row") + 1;
    let shown = |word: &str, thing: &str| {
        report.lines().any(|line| line.contains(word) && line.contains(&format!("{row} ")) && line.contains(thing))
    };
    assert!(shown("expected", "We built a shed.") && shown("got", "We built a boat."), "{report}");
    assert!(report.contains("because   16 sidebar"), "{report}");
}

#[test]
fn frames_that_could_not_be_drawn_or_kept_are_errors_of_the_file() {
    let program = Program::new();
    let engine = program.new_engine("look-back");
    let file = engine.join("scenarios/seen.toml");
    let wrong = r#"
name = "x"
[[turns]]
says = "Hello there."
expect = { frames = [{ file = "../outside.frame", size = "120", theme = "drak" }] }
"#;
    std::fs::write(&file, wrong).expect("a file");
    let ran = program.run(&["test", file.to_str().expect("a path")]);
    assert_eq!(ran.code, 2);
    for part in ["ends in .frame", "write it as 120x40", "the program has no theme `drak`", "`dark`"] {
        assert!(ran.words.contains(part), "{part}: {}", ran.words);
    }
}
