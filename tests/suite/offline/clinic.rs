//! Somebody with no key answers what is asked, finishes project discovery and gets a brief worth sending.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::program::{Program, session_of};

/// Words of a question, and what this person answers to it.
const ANSWERS: &[(&str, &str)] = &[
    ("happened that makes this", "Our head receptionist resigned in March."),
    ("goes wrong today", "Patients can only book by phone, so the lines are blocked all morning."),
    ("problem cost you", "About 60 hours of reception time."),
    ("manage today", "It all goes through a paper diary at the front desk."),
    ("use it most often", "The receptionists."),
    ("want to get done", "Book, move and cancel appointments"),
    ("complain about most", "Patients hang on the line for ten minutes."),
    ("how many people will use", "Around 2,500 people"),
    ("how often", "monthly"),
    ("affected without using", "Dr. Weber, who pays for it"),
    ("different a year after", "The phone is quiet in the mornings."),
    ("count to see whether", "missed calls per day"),
    ("figure", "under 10 missed calls"),
    ("least it has to do", "Patients book a slot online"),
    ("Who decides", "Dr. Weber and her partner decide."),
    ("first sign", "Older patients keep calling."),
    ("may it cost", "40,000 euros at most"),
    ("By when", "By the end of September"),
    ("firm", "target"),
    ("can work on it", "One developer from an agency"),
    ("programs or devices", "Medistar and Outlook"),
    ("laws, contracts", "GDPR"),
    ("must not get out", "Yes."),
    ("do without it", "a couple of hours"),
    ("most people be using it at once", "Monday mornings"),
    ("must never happen", "A patient must never see somebody else's appointment."),
    ("rare case", "Patients without a mobile phone"),
    ("deliberately not do", "No online payment"),
    ("least sure of", "The date."),
    ("happens next", "I show it to Dr. Weber on Thursday."),
    ("Is that", "Yes."),
    ("Did I get that right", "Yes."),
    ("as you mean it", "Yes."),
];

fn answer_to(question: &str) -> &'static str {
    ANSWERS.iter().find(|(words, _)| question.contains(words)).map_or("skip", |(_, answer)| answer)
}

#[test]
fn somebody_who_answers_what_is_asked_gets_a_brief_worth_sending() {
    let program = Program::new();
    let mut turns = program.converse("project-discovery", "We need a booking app for our clinic.\n");
    let session = session_of(&turns[0]);
    let mut asked: Vec<String> = Vec::new();
    for _ in 0..40 {
        let response = turns.last().unwrap()["response"].as_str().unwrap().to_owned();
        let question = response.lines().last().unwrap().to_owned();
        if !question.ends_with('?') {
            break;
        }
        let answer = format!("{}\n", answer_to(&question));
        turns.extend(program.run_with(&["converse", "--session", &session[..18]], answer).lines());
        asked.push(question);
    }
    let last = turns.last().unwrap();
    assert_eq!(last["completeness"]["is_ready"], true, "{asked:#?}");
    let different: BTreeSet<&String> = asked.iter().collect();
    assert_eq!(different.len(), asked.len(), "no question is asked twice: {asked:#?}");

    // Every accepted value has the words it came from.
    let accepted: Vec<&Value> = turns.iter().flat_map(|turn| turn["extraction_changes"].as_array().unwrap()).collect();
    assert!(accepted.len() >= 20, "{}", accepted.len());
    assert!(accepted.iter().all(|change| change["evidence"]["quote"].is_string()), "{accepted:#?}");

    let brief = program.run(&["sessions", "export", &session]).data;
    for said in ["We need a booking app for our clinic", "40,000 euros", "GDPR", "Medistar", "target"] {
        assert!(brief.contains(said), "{said} is missing:\n{brief}");
    }
    for talk in ["skip", "the user"] {
        assert!(!brief.contains(talk), "{talk} is in it:\n{brief}");
    }
}
