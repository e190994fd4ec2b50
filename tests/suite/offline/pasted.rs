//! What is pasted: lines of notes, numbered items, labels, a mail.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

const DISCOVERY: &str = "project-discovery";
const FEATURES: &str = "feature-prioritization";

/// What is read from a message: the last part of each field's path, and the value.
fn taken(engine: &str, asked: &str, message: &str) -> Vec<(String, Value)> {
    let run = Program::new().run(&["engines", "read", engine, "--asked", asked, "--json", "--", message]);
    let heard: Value = serde_json::from_str(&run.data).unwrap();
    let name = |field: &Value| field["path"].as_str().unwrap().rsplit('.').next().unwrap().to_owned();
    heard["fields"].as_array().unwrap().iter().map(|field| (name(field), field["value"].clone())).collect()
}

fn value<'v>(taken: &'v [(String, Value)], name: &str) -> &'v Value {
    taken.iter().find(|(own, _)| own == name).map_or(&Value::Null, |(_, value)| value)
}

#[test]
fn each_line_of_notes_is_a_fact_of_its_own() {
    for (message, wanted) in [
        (
            "notes from the meeting\n- kegs get lost, about 14 a month\n- budget: 5k max\n- needed before Oktoberfest\n- buy milk",
            [("budget", "5k max"), ("deadline", "needed before Oktoberfest")],
        ),
        (
            "minutes, monday:\n* budget: 20,000 euros\n* deadline: end of June\n* water the plants",
            [("budget", "20,000 euros"), ("deadline", "end of June")],
        ),
        (
            "Notizen vom Dienstag:\n• Budget: höchstens 5.000 €\n• Termin: bis Ende Mai\n• Milch kaufen",
            [("budget", "höchstens 5.000 €"), ("deadline", "bis Ende Mai")],
        ),
        (
            "project: a keg tracker\nbudget: 12k\ndeadline: end of June",
            [("budget", "12k"), ("deadline", "end of June")],
        ),
    ] {
        let heard = taken(DISCOVERY, "project_summarised", message);
        for (name, text) in wanted {
            assert_eq!(value(&heard, name), text, "{message}: {heard:?}");
        }
        for stray in ["milk", "Milch", "plants", "notes from", "minutes", "Notizen"] {
            assert!(!heard.iter().any(|(_, value)| value.to_string().contains(stray)), "{stray}: {heard:?}");
        }
    }
}

#[test]
fn marks_part_the_elements_of_a_list_and_are_none() {
    for message in [
        "dark mode, photo upload, CSV export",
        "- dark mode\n- photo upload\n- CSV export",
        "1. dark mode\n2. photo upload\n3. CSV export",
        "1) dark mode\n2) photo upload\n3) CSV export",
        "1. dark mode 2. photo upload 3. CSV export",
        "1) dark mode 2) photo upload 3) CSV export",
        "(1) dark mode, (2) photo upload and (3) CSV export",
        "a) dark mode b) photo upload c) CSV export",
        "We have:\n- dark mode\n- photo upload\n- CSV export",
    ] {
        let heard = taken(FEATURES, "features_identified", message);
        assert_eq!(heard, [("names".to_owned(), json!(["dark mode", "photo upload", "CSV export"]))], "{message}");
    }
}

#[test]
fn dates_and_figures_number_nothing() {
    for message in ["zum 1. Mai oder 2. Juni", "between 1. and 3. it rains"] {
        let heard = taken(DISCOVERY, "deadline_known", message);
        assert!(heard.iter().all(|(_, value)| !value.is_array()), "{message}: {heard:?}");
    }
}

#[test]
fn a_line_about_something_else_is_no_element_of_the_list() {
    let heard = taken(FEATURES, "features_identified", "- dark mode\n- photo upload\n- goal: fewer tickets");
    assert_eq!(value(&heard, "names"), &json!(["dark mode", "photo upload"]), "{heard:?}");
    assert_eq!(value(&heard, "goal"), "fewer tickets", "{heard:?}");
}

#[test]
fn lines_that_are_all_about_the_question_are_its_answer() {
    let message = "- a customer calls\n- we write it into the book\n- on friday I type it up";
    let heard = taken(DISCOVERY, "current_solution_known", message);
    let text = heard.iter().map(|(_, value)| value.to_string()).collect::<String>();
    assert!(text.contains("a customer calls") && text.contains("on friday I type it up"), "{heard:?}");
}

#[test]
fn of_a_pasted_mail_the_facts_are_shown_and_nothing_is_answered_to_its_chat() {
    let mail = "Hi team, hope you all had a good weekend, mine was spent mostly in the garden. I am writing because Sandra \
                came to see me on Thursday and she was not happy. I would like us to build a small booking tool for our \
                eleven meeting rooms. He thinks we can spend up to 18,000 euros on it this year. It would be good to have \
                it running by the end of September. It has to work with Outlook, as nobody will keep two calendars. \
                Also, Sandra told me that the bookings cost her about six hours a month. I do not want any catering \
                orders in it for now, that is a different story. Let me know what you think, and thanks for the party, \
                it was great fun. Best regards, Claire";
    let turns = Program::new().converse(DISCOVERY, &format!("{mail}\n"));
    let answer = turns[0]["response"].as_str().unwrap();
    for wanted in ["booking tool", "18,000 euros", "September", "Outlook"] {
        assert!(answer.contains(wanted), "{wanted}: {answer}");
    }
    for chat in ["sorry", "I understand", "Good to have you", "garden", "Hello"] {
        assert!(!answer.contains(chat), "{chat}: {answer}");
    }
}
