//! Somebody with no key finishes project discovery and gets a brief worth sending.

use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::program::{Program, session_of};

const ANSWERS: &str = include_str!("../../fixtures/conversations/clinic.txt");

fn overall(turn: &Value) -> f64 {
    turn["completeness"]["overall"].as_f64().unwrap()
}

#[test]
fn twenty_five_plain_answers_bring_project_discovery_to_ready() {
    let program = Program::new();
    let answers: Vec<&str> = ANSWERS.lines().collect();
    assert_eq!(answers.len(), 25);
    let turns = program.converse("project-discovery", ANSWERS);
    assert_eq!(turns.len(), 25);
    let last = turns.last().unwrap();
    assert_eq!(last["completeness"]["is_ready"], true);

    // It rises from answers, never by itself and never all at once.
    assert!(overall(&turns[0]) > 0.0 && overall(&turns[0]) < 0.1);
    for pair in turns.windows(2) {
        let gain = overall(&pair[1]) - overall(&pair[0]);
        let taken = pair[1]["extraction_changes"].as_array().unwrap();
        assert!((0.0..0.1).contains(&gain), "turn {}: {gain}", pair[1]["turn"]);
        assert!(gain < 1e-9 || !taken.is_empty(), "turn {}: completeness rose from nothing", pair[1]["turn"]);
    }

    // Every accepted value has the words it came from, at the place it says.
    let mut accepted = 0;
    for turn in &turns {
        for change in turn["extraction_changes"].as_array().unwrap() {
            let evidence = &change["evidence"];
            let number = usize::try_from(evidence["turn"].as_u64().unwrap()).unwrap();
            let place = |key: &str| usize::try_from(evidence[key].as_u64().unwrap()).unwrap();
            let said = &answers[number - 1][place("start")..place("end")];
            assert_eq!(evidence["quote"], said, "{change}");
            accepted += 1;
        }
    }
    assert!(accepted >= 25, "{accepted}");

    // Nothing that is satisfied is asked again, and no question is asked twice.
    let questions: Vec<&str> =
        turns.iter().map(|turn| turn["response"].as_str().unwrap().lines().last().unwrap()).collect();
    for (at, question) in questions.iter().enumerate() {
        assert!(question.ends_with('?'), "turn {}: {question}", at + 1);
        assert!(!questions[..at].contains(question), "asked twice: {question}");
    }
    let summaries = turns.iter().filter(|turn| turn["response"].as_str().unwrap().contains("What I have:")).count();
    assert!(summaries >= 3, "a summary at the end of each phase: {summaries}");

    let brief = program.run(&["sessions", "export", &session_of(last)]).data;
    let dated: Vec<String> = brief
        .lines()
        .map(|line| match line.strip_prefix("Project brief, ") {
            Some(rest) => format!("Project brief, [day]{}", &rest[10..]),
            None => line.to_owned(),
        })
        .collect();
    insta::assert_snapshot!("clinic_brief", dated.join("\n"));
}
