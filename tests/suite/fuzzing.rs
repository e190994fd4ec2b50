//! What the fuzz targets stand on compiles with every change, and the inputs that are kept for them hold.

use std::fs;

#[path = "../../fuzz/src/lib.rs"]
#[allow(dead_code, unreachable_pub, clippy::pedantic, reason = "it is written for the fuzz targets")]
mod ground;

use ground::{Outside, Talk};

fn kept_for(target: &str) -> Vec<String> {
    let folder = format!("fuzz/corpus/{target}");
    let files = fs::read_dir(&folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[test]
fn whatever_a_model_reports_a_conversation_goes_on() {
    for report in kept_for("analysis") {
        let mut talk = Talk::new();
        talk.say(
            "We want to walk in the Alps in June with 3 children.",
            &Outside { analysis: Some(&report), answer: None },
        );
        talk.say("No, in July.", &Outside { analysis: Some(&report), answer: Some(&report) });
    }
}

#[test]
fn whatever_is_said_a_conversation_goes_on() {
    for said in kept_for("readings") {
        Talk::new().say(&said, &Outside::default());
    }
}
