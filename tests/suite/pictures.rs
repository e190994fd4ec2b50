//! The pictures of the documents: made by `render` from a session that is held here, and the recording put together from
//! its frames. `UPDATE_PICTURES=1 cargo test pictures` makes those in `docs/` anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::program::Program;

/// What a picture shows: its file, the keys that lead there, and what stands in it.
const PICTURES: [(&str, &str, &[&str]); 4] = [
    ("app.svg", "", &["15,000 pounds", "Before Easter", "400 people", "Completeness"]),
    ("brief.svg", "F5", &["Project brief", "In short"]),
    ("review.svg", "F3", &["What was understood", "your words, turn 1"]),
    ("inspector.svg", "F2", &["Inspector", "pre-processing"]),
];

/// The turns that the recording shows, and the seconds that each stays.
const RECORDED: [u32; 8] = [1, 2, 3, 5, 8, 11, 14, 17];
const SECONDS: u32 = 3;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// Holds the session of the documents, and gives its id.
fn held(program: &Program) -> String {
    let answers = std::fs::read_to_string(docs().join("answers.txt")).unwrap();
    let turns = program.run_with(&["--offline", "converse", "--engine", "project-discovery"], &answers);
    assert_eq!(turns.code, 0, "{}", turns.words);
    let list = program.run(&["--offline", "sessions", "list", "--json"]).json();
    list[0]["session_id"].as_str().unwrap().to_owned()
}

fn render(program: &Program, session: &str, more: &[&str]) -> String {
    let drawn = program.run(&[&["--offline", "render", session, "--format", "svg"], more].concat());
    assert_eq!(drawn.code, 0, "{}", drawn.words);
    drawn.data
}

/// Pictures one after the other, in a picture: without a script, and where nothing moves it shows the last.
fn recording(frames: &[String]) -> String {
    let (open, _) = frames[0].split_once('>').unwrap();
    let mut all = format!("{open}>\n<style>\n@media (prefers-reduced-motion: no-preference) {{\n");
    let share = 100.0 / frames.len() as f64;
    for at in 0..frames.len() {
        let (from, to) = (at as f64 * share, (at + 1) as f64 * share);
        let before = if at == 0 { String::new() } else { format!("0%,{from:.2}%{{visibility:hidden}}") };
        let after = if at + 1 == frames.len() { String::new() } else { format!("{to:.2}%,100%{{visibility:hidden}}") };
        let _ = writeln!(
            all,
            "@keyframes f{at}{{{before}{:.2}%,{:.2}%{{visibility:visible}}{after}}}",
            from + 0.01,
            to - 0.01
        );
        let _ = writeln!(all, "#f{at}{{animation:f{at} {}s step-end infinite}}", SECONDS * frames.len() as u32);
    }
    all.push_str("}\n</style>\n");
    for (at, frame) in frames.iter().enumerate() {
        let hidden = if at + 1 == frames.len() { "" } else { " visibility=\"hidden\"" };
        let (_, inside) = frame.split_once('>').unwrap();
        let _ = writeln!(all, "<g id=\"f{at}\"{hidden}>{}</g>", inside.trim_end().trim_end_matches("</svg>"));
    }
    all + "</svg>\n"
}

fn assert_sound(name: &str, picture: &str, wanted: &[&str]) {
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{name}");
    assert!(!picture.contains("<script") && !picture.contains("href"), "{name} stands alone");
    for wanted in wanted {
        assert!(picture.contains(wanted), "{name} does not show {wanted:?}");
    }
}

#[test]
fn pictures_of_the_documents_can_be_made_anew_and_show_what_they_say() {
    let program = Program::new();
    let session = held(&program);
    let mut made = Vec::new();
    for (name, keys, wanted) in PICTURES {
        let picture = render(&program, &session, &["--size", "120x36", "--press", keys]);
        made.push((name, picture, wanted));
    }
    let turn = |turn: &u32| render(&program, &session, &["--size", "104x30", "--turn", &turn.to_string()]);
    let mut frames: Vec<String> = RECORDED.iter().map(turn).collect();
    frames.push(render(&program, &session, &["--size", "104x30", "--press", "F5"]));
    assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "every frame shows something new");
    made.push(("recording.svg", recording(&frames), &["15,000 pounds", "Project brief", "@keyframes f8"]));
    for (name, picture, wanted) in &made {
        assert_sound(name, picture, wanted);
        let kept = docs().join(name);
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            std::fs::write(&kept, picture).unwrap();
        }
        // What is kept may be older than the frames of today, but it shows the same.
        assert_sound(name, &std::fs::read_to_string(&kept).unwrap_or_default(), wanted);
    }
}

#[test]
fn a_picture_of_what_a_key_opens_changes_nothing() {
    let program = Program::new();
    let session = held(&program);
    let kept = program.run(&["--offline", "sessions", "show", &session, "--json"]).data;
    let text = |keys: &str| program.run(&["--offline", "render", &session, "--press", keys]).data;
    assert!(text("F5").contains("Project brief"), "{}", text("F5"));
    assert!(text("alt-u y").contains("Before Easter"), "nothing is taken back");
    assert_eq!(program.run(&["--offline", "sessions", "show", &session, "--json"]).data, kept);
    let unknown = program.run(&["--offline", "render", &session, "--press", "F5 nokey"]);
    assert_eq!(unknown.code, 2, "{}", unknown.words);
    assert!(unknown.words.contains("nokey"), "{}", unknown.words);
}

#[test]
fn a_frame_is_drawn_for_the_colours_that_a_terminal_has() {
    let program = Program::new();
    let session = program.converse("project-discovery", "We build an intake app for clinics.\n");
    let session = crate::support::program::session_of(&session[0]);
    let drawn = |depth: &str| {
        let ran = program.run(&["--offline", "render", &session, "--format", "ansi", "--depth", depth]);
        assert_eq!(ran.code, 0, "{}", ran.words);
        ran.data
    };
    let (full, palette, sixteen, none) = (drawn("full"), drawn("256"), drawn("16"), drawn("none"));
    assert!(full.contains("38;2;"), "all colours");
    assert!(palette.contains("38;5;") && !palette.contains(";2;"), "the palette");
    for (name, drawn) in [("16", &sixteen), ("none", &none)] {
        assert!(!drawn.contains(";2;") && !drawn.contains("8;5;"), "{name}: {drawn:?}");
    }
    assert!(sixteen.contains("\u{1b}[") && sixteen != none);
    assert!(program.run(&["--offline", "render", &session, "--depth", "many"]).code == 2);
}
