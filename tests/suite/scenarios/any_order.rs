//! The trial of listening: what people tell in any order, counted by where it ended up.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::{Program, Ran};

/// What each field of the engine from `engines new` listens for.
const CUES: &[(&str, &str)] = &[
    ("story.subject", "[\"we built\", \"we (made|painted)\"]"),
    ("story.highlight", "[\"to help\", \"without being asked\", \"went better\"]"),
    ("story.trouble", "[\"twice\", \"went wrong\", \"had to do\"]"),
    ("lesson.changes", "[\"next time\", \"from now on\"]"),
];

const FACTS: &str = r#"
    { path = "story.subject", says = "We built a garden shed." },
    { path = "story.highlight", says = "My neighbours came to help without being asked." },
    { path = "story.trouble", says = "We had to do the roof twice.", first = { says = "We had to do the floor twice.", put_right = "The roof, not the floor." } },
    { path = "lesson.changes", says = "Next time I measure first." },
"#;

/// The engine from `engines new`, with or without cues, and Anna as she is described here.
fn trial(with_cues: bool, anna: &str, options: &[&str]) -> Ran {
    let program = Program::new();
    let engine = program.new_engine("look-back");
    let file = engine.join("engine.toml");
    let mut text = fs::read_to_string(&file).expect("the engine");
    for (path, cues) in CUES.iter().filter(|_| with_cues) {
        let line = format!("path = \"{path}\"\n");
        assert_eq!(text.matches(&line).count(), 1, "{path}");
        text = text.replace(&line, &format!("{line}cues = {cues}\n"));
    }
    fs::write(&file, text).expect("kept");
    let anna = format!("name = \"Anna\"\n{anna}\n");
    fs::write(engine.join("scenarios/people/anna.toml"), anna).expect("kept");
    let folder = engine.to_str().expect("a path").to_owned();
    program.run(&[&["test", &folder, "--any-order"], options].concat())
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.data).unwrap_or_else(|error| panic!("{error}: {}{}", ran.data, ran.words))
}

#[test]
fn each_fact_is_counted_where_it_ended_up_and_a_correction_reaches_its_field() {
    let anna = format!(
        "facts = [{FACTS}    {{ path = \"story.subject\", says = \"Yes, that is it.\", only_as_reply = true }},\n]"
    );
    let ran = trial(true, &anna, &["4", "--json", "--least-heard", "0.9", "--most-junk", "0"]);
    assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
    let report = report(&ran);
    let total = &report["total"];
    assert_eq!(total["told"], json!(16), "a reply is not told: {total}");
    assert_eq!((&total["corrected"], &total["corrections_heard"]), (&json!(4), &json!(4)), "{report:#}");
    let count = |key: &str| total[key].as_u64().expect("a count");
    assert_eq!(count("right") + count("offered") + count("elsewhere") + count("missed"), 16);
    let person = &report["people"][0];
    assert_eq!(
        (&person["engine"], &person["person"], &person["orders"]),
        (&json!("look-back"), &json!("Anna"), &json!(4))
    );
    assert_eq!(person["facts"].as_array().map(Vec::len), Some(4));
}

#[test]
fn what_is_not_heard_is_told_with_where_it_went_and_fails_the_trial() {
    let anna = format!("facts = [{FACTS}]");
    let ran = trial(false, &anna, &["2", "--least-right", "0.7", "--least-heard", "0.9"]);
    assert_eq!(ran.code, 1, "{}{}", ran.data, ran.words);
    assert!(ran.data.contains("look-back · Anna"), "{}", ran.data);
    assert!(ran.data.contains("× in story."), "{}", ran.data);
    assert!(ran.data.contains("misfiled"), "{}", ran.data);
    assert!(
        ran.words.contains("of the facts are known as they were told, at least 70.0 % were wanted"),
        "{}",
        ran.words
    );
    assert!(ran.words.contains("known or offered as they were told, at least 90.0 % were wanted"), "{}", ran.words);
}

#[test]
fn talk_that_is_kept_as_a_value_is_junk() {
    let anna = format!(
        "talk = {{ greets = [\"Seven green parrots.\"], asks = [\"Twelve blue herons.\"] }}\nfacts = [{FACTS}]"
    );
    let ran = trial(false, &anna, &["4", "--most-junk", "0"]);
    assert_eq!(ran.code, 1, "{}{}", ran.data, ran.words);
    assert!(ran.data.contains("Seven green parrots") || ran.data.contains("Twelve blue herons"), "{}", ran.data);
    assert!(ran.words.contains("values are made of talk, at most 0 were to be"), "{}", ran.words);
}

#[test]
fn a_seed_repeats_and_another_gives_another_order() {
    let anna = format!("facts = [{FACTS}]");
    let seeded = |seed: &str| report(&trial(false, &anna, &["2", "--json", "--seed", seed]));
    assert_eq!(seeded("7"), seeded("7"));
    assert_ne!(seeded("7")["people"], seeded("8")["people"]);
}

#[test]
fn facts_about_fields_that_the_engine_does_not_have_are_errors_with_their_place() {
    let anna = "facts = [{ path = \"story.subject\", also = [\"story.hihglight\"], says = \"A shed.\" }]";
    let ran = trial(false, anna, &[]);
    assert_eq!(ran.code, 2, "{}{}", ran.data, ran.words);
    assert!(ran.words.contains("people/anna.toml:2") && ran.words.contains("story.highlight"), "{}", ran.words);
    let ran = trial(false, "facts = [{ path = \"story.subject\", says = \"A shed.\" }]", &["--least-right", "70"]);
    assert_eq!(ran.code, 2, "{}{}", ran.data, ran.words);
}

/// What the people of the shipped engines tell in any order is heard.
fn is_heard(engine: &str) {
    let wanted = ["--least-right", "0.7", "--least-heard", "0.9", "--most-junk", "0"];
    let ran = Program::new().run(&[&["test", engine, "--any-order", "1"], wanted.as_slice()].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
}

macro_rules! engines {
    ($($name:ident = $id:literal),* $(,)?) => {
        $(#[test]
        fn $name() {
            is_heard($id);
        })*
    };
}

engines! {
    what_the_workshop_owner_tells_is_heard = "business-profile",
    what_the_store_keeper_tells_is_heard = "exploration",
    what_the_shop_owner_tells_is_heard = "feature-prioritization",
    what_the_librarian_tells_is_heard = "ideation",
    what_the_clinic_owner_tells_is_heard = "project-discovery",
}
