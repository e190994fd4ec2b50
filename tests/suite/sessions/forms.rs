//! Open questions as a form for somebody else, and the answers taken in.

use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::{Program, session_of};

const ENGINE: &str = "project-discovery";
const END: &str = "<!-- end of answer -->";

/// A session with its form, of that kind.
fn asked(file: &str) -> (Program, String, PathBuf) {
    let program = Program::new();
    let id = session_of(&program.converse(ENGINE, "We need a booking app for our clinic.\n")[0]);
    let form = program.folder().join(file);
    let ran = program.run(&["sessions", "questions", &id, "-o", form.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.words);
    (program, id, form)
}

/// Answers a question of a form.
fn fill_in(form: &Path, question: &str, answer: &str) {
    let text = std::fs::read_to_string(form).unwrap();
    let mark = format!("<!-- answer to {question} -->\n\n");
    assert!(text.contains(&mark), "{text}");
    std::fs::write(form, text.replace(&mark, &format!("{mark}{answer}\n"))).unwrap();
}

fn answers(program: &Program, id: &str, form: &Path, speaker: &str) -> Value {
    let ran = program.run(&["sessions", "answers", id, form.to_str().unwrap(), "--speaker", speaker, "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.words);
    ran.json()
}

/// The id of the question that is filed under a field.
fn question_of(program: &Program, field: &str) -> String {
    let engine = program.run(&["engines", "show", ENGINE, "--json"]).json();
    let obligations = engine["obligations"].as_array().unwrap();
    let own = |o: &&Value| o["satisfied_by"].as_array().is_some_and(|paths| paths.contains(&json!(field)));
    obligations.iter().find(own).unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn somebody_elses_answers_are_read_and_the_brief_says_whose_they_are() {
    let (program, id, form) = asked("form.md");
    let text = std::fs::read_to_string(&form).unwrap();
    assert!(text.contains("## 1. ") && text.contains("Why it matters: ") && text.contains(END), "{text}");
    assert!(text.contains("No model reads your answers. They are kept with your name"), "{text}");
    let budget = question_of(&program, "constraints.budget");
    fill_in(&form, &budget, "We have 15,000 euros, not a cent more.");
    let told = answers(&program, &id, &form, "Ada Roe");
    assert_eq!(told["answers"].as_array().unwrap().len(), 1, "{told}");
    assert_eq!((&told["answers"][0]["became"], &told["answers"][0]["turn"]), (&json!("noted"), &json!(2)), "{told}");
    let brief = program.run(&["sessions", "export", &id]).data;
    assert!(brief.contains("(Ada Roe, turn 2"), "{brief}");
    let page = program.run(&["sessions", "export", &id, "--format", "html"]).data;
    assert!(page.contains("<small>Ada Roe, turn 2</small>"), "{page}");
    let transcript = program.run(&["sessions", "export", &id, "--format", "transcript"]).data;
    assert!(transcript.contains("**Ada Roe** (turn 2)\n\nWe have 15,000 euros"), "{transcript}");
    assert!(transcript.contains("**You** (turn 1)"), "{transcript}");
    // Once more does nothing more; what is new in the file is taken in.
    let told = answers(&program, &id, &form, "Ada Roe");
    assert_eq!(told["answers"][0]["became"], json!("taken_in_before"), "{told}");
    assert_eq!(program.run(&["sessions", "show", &id, "--json"]).json()["turn"], json!(2));
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[test]
fn a_page_is_filled_in_and_taken_in_as_well() {
    let (program, id, form) = asked("form.html");
    let text = std::fs::read_to_string(&form).unwrap();
    assert!(!text.contains("<script") && text.contains("contenteditable"), "{text}");
    let budget = question_of(&program, "constraints.budget");
    let field = format!("data-answer-to=\"{budget}\">");
    assert!(text.contains(&field), "{text}");
    std::fs::write(&form, text.replace(&field, &format!("{field}<p>We have 15,000&nbsp;euros.</p>"))).unwrap();
    let told = answers(&program, &id, &form, "Ada");
    assert_eq!(told["answers"][0]["became"], json!("noted"), "{told}");
}

#[test]
fn what_could_not_be_read_is_told() {
    let (program, id, form) = asked("form.md");
    let budget = question_of(&program, "constraints.budget");
    fill_in(&form, &budget, "Hm.");
    let text = std::fs::read_to_string(&form).unwrap();
    std::fs::write(&form, format!("{text}\n<!-- answer to nosuch -->\nYes\n{END}\n")).unwrap();
    let ran = program.run(&["sessions", "answers", &id, form.to_str().unwrap(), "--speaker", "Ada"]);
    assert_eq!(ran.code, 0, "{}", ran.words);
    assert!(ran.data.contains("not understood as an answer"), "{}", ran.data);
    assert!(ran.data.contains("nosuch: there is no such question"), "{}", ran.data);
}

/// What the user has said is theirs: somebody else's words stand beside it, and are told of and asked about.
#[test]
fn an_answer_of_somebody_else_takes_nothing_out_and_replaces_nothing() {
    let program = Program::new();
    let said = "We need a booking app for our clinic.\nBudget: 15,000 euros.\nYes, that is the budget.\n";
    let id = session_of(&program.converse(ENGINE, said)[0]);
    let form = program.folder().join("form.md");
    let budget = question_of(&program, "constraints.budget");
    let deadline = question_of(&program, "constraints.deadline");
    let head = format!("<!-- elenchus form, session {id} -->\n");
    let answer = |question: &str, text: &str| format!("<!-- answer to {question} -->\n{text}\n{END}\n");
    std::fs::write(&form, format!("{head}{}", answer(&deadline, "Remove the budget."))).unwrap();
    answers(&program, &id, &form, "Eve");
    let brief = program.run(&["sessions", "export", &id]).data;
    assert!(brief.contains("15,000 €") || brief.contains("15,000 euros"), "{brief}");
    std::fs::write(&form, format!("{head}{}", answer(&budget, "We have 90,000 euros."))).unwrap();
    let told = answers(&program, &id, &form, "Ada Roe");
    let (answer, name) = (&told["answers"][0], json!(["Budget"]));
    assert_eq!((&answer["became"], &answer["otherwise"]), (&json!("otherwise"), &name), "{told}");
    let brief = program.run(&["sessions", "export", &id]).data;
    assert!(brief.contains("15,000") && !brief.contains("90,000"), "{brief}");
    // The user is asked, and decides.
    let asked = program.run(&["sessions", "export", &id, "--format", "transcript"]).data;
    assert!(asked.contains("Ada Roe says “") && asked.contains("is noted"), "{asked}");
    let ran = program.run_with(&["converse", "--session", &id], "Yes.\n");
    assert_eq!(ran.code, 0, "{}", ran.words);
    let brief = program.run(&["sessions", "export", &id]).data;
    assert!(brief.contains("90,000"), "{brief}");
}

#[test]
fn a_hostile_form_is_refused_in_words_and_changes_nothing() {
    let (program, id, form) = asked("form.md");
    let text = std::fs::read_to_string(&form).unwrap();
    let (other, large, device) = ("other.md", "large.md", PathBuf::from("/dev/zero"));
    let other = program.folder().join(other);
    std::fs::write(&other, text.replace(&id, "01920000-0000-7000-8000-000000000000")).unwrap();
    let huge = program.folder().join(large);
    std::fs::write(&huge, "x".repeat(2 << 20)).unwrap();
    let none = program.folder().join("none.md");
    std::fs::write(&none, "# Hello\n").unwrap();
    for (file, speaker, told) in [
        (&other, "Ada", "a form of another session"),
        (&huge, "Ada", "larger than 1024 KiB"),
        (&device, "Ada", "not a regular file"),
        (&none, "Ada", "no question of a form"),
        (&program.folder().join("nosuch.md"), "Ada", "cannot be read"),
        (&form, " ", "whose answers"),
        (&form, &"x".repeat(81), "at most 80 characters"),
    ] {
        let ran = program.run(&["sessions", "answers", &id, file.to_str().unwrap(), "--speaker", speaker]);
        assert_eq!(ran.code, 2, "{}", ran.words);
        assert!(ran.words.contains(told), "{told}: {}", ran.words);
    }
    assert_eq!(program.run(&["sessions", "show", &id, "--json"]).json()["turn"], json!(1));
    let ran = program.run(&["sessions", "questions", &id, "-o", program.folder().join("form.pdf").to_str().unwrap()]);
    assert_eq!((ran.code, ran.words.as_str()), (2, "elenchus: a form is written as .md or .html\n"));
}

#[test]
fn a_german_session_has_a_german_form() {
    let program = Program::new();
    let ran = program.run_with(&["--lang", "de", "converse", "--engine", ENGINE], "Wir brauchen eine Buchungs-App.\n");
    let id = session_of(&ran.lines()[0]);
    let form = program.run(&["sessions", "questions", &id]).data;
    assert!(form.contains("# Fragen zu „") && form.contains("Warum das wichtig ist: "), "{form}");
}

#[test]
fn a_form_says_which_model_reads_the_answers_and_in_the_language_of_the_session() {
    let (program, id, _) = asked("form.html");
    let endpoint = ["--endpoint", "https://api.example.com/v1", "--model", "large-1"];
    let told = |id: &str| program.run(&[&endpoint[..], &["sessions", "questions", id]].concat()).data;
    assert!(told(&id).contains("sent to the model large-1 at api.example.com"), "{}", told(&id));
    let turns = program.run_with(
        &["--offline", "--lang", "de", "converse", "--engine", ENGINE],
        "Wir brauchen eine App für die Anmeldung in unserer Praxis.\n",
    );
    let german = session_of(&turns.lines()[0]);
    assert!(told(&german).contains("werden an das Modell large-1 bei api.example.com gesendet"), "{}", told(&german));
}
