//! One question, one answer, one reading.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

const ENGINES: [&str; 5] =
    ["project-discovery", "exploration", "ideation", "feature-prioritization", "business-profile"];

/// What `engines read` makes of a message after a question of project discovery.
fn read(asked: &str, known: &Value, message: &str) -> Value {
    let program = Program::new();
    let file = program.folder().join("known.json");
    std::fs::write(&file, known.to_string()).unwrap();
    let file = file.display().to_string();
    let run = program.run(&[
        "engines",
        "read",
        "project-discovery",
        "--asked",
        asked,
        "--known",
        &file,
        "--json",
        "--",
        message,
    ]);
    serde_json::from_str(&run.data).unwrap()
}

/// The values that are read, by the last part of their path, with whether they count at once.
fn fields(heard: &Value) -> Vec<(String, Value, bool)> {
    let all = heard["fields"].as_array().unwrap();
    let name = |field: &Value| field["path"].as_str().unwrap().rsplit('.').next().unwrap().to_owned();
    all.iter().map(|field| (name(field), field["value"].clone(), field["status"] == "known")).collect()
}

fn taken(asked: &str, message: &str) -> Vec<(String, Value, bool)> {
    fields(&read(asked, &json!({}), message))
}

fn known(name: &str, value: impl Into<Value>) -> (String, Value, bool) {
    (name.to_owned(), value.into(), true)
}

fn candidate(name: &str, value: impl Into<Value>) -> (String, Value, bool) {
    (name.to_owned(), value.into(), false)
}

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

#[test]
fn every_engine_greets_says_what_it_is_for_and_that_it_is_offline() {
    let program = Program::new();
    for engine in ENGINES {
        let turns = program.converse(engine, "A booking app for our clinic.\nI don't know.\nReception.\n");
        let opening = turns[0]["opening"].as_str().unwrap();
        assert!(opening.contains("minutes") && opening.contains('?'), "{engine}: {opening}");
        assert!(response(&turns[0]).starts_with("No model is connected"), "{engine}: {}", response(&turns[0]));
        assert!(turns[1..].iter().all(|turn| !response(turn).contains("No model")), "{engine}: said once");
        assert!(turns.iter().all(|turn| turn["qa"] == json!([])), "{engine}: {}", turns[0]["qa"]);
        assert!(turns.iter().all(|turn| turn["warnings"] == json!([])), "{engine}");
    }
}

#[test]
fn talk_is_no_answer() {
    for (message, act) in [
        ("hi there!", "social"),
        ("what do you mean?", "counter_question"),
        ("Why do you ask?", "counter_question"),
        ("how many more questions?", "meta"),
        ("go back one question", "meta"),
        ("I already told you that", "objection"),
        ("skip", "refuse"),
        ("I'd rather not say.", "refuse"),
        ("no idea", "dont_know"),
        ("sort it for me please", "meta"),
    ] {
        let heard = read("core_problem_stated", &json!({}), message);
        assert_eq!((&heard["acts"][0], &heard["fields"]), (&json!(act), &json!([])), "{message}");
        assert!(!heard["clauses"][0]["rule"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_guess_of_somebody_who_is_not_sure_is_taken() {
    let guess = taken("primary_user_known", "Not sure, maybe the receptionists");
    assert_eq!(guess.len(), 1);
    assert!(guess[0].1.as_str().unwrap().ends_with("the receptionists"), "{guess:?}");
}

#[test]
fn a_range_stays_a_range_and_numbers_are_read_as_people_write_them() {
    let users = |message: &str| taken("usage_known", message)[0].1.clone();
    assert_eq!(users("10-15 people"), json!({ "from": 10, "to": 15 }));
    assert_eq!(users("about two and a half thousand patients"), json!(2500));
    assert_eq!(users("a couple of hundred"), json!(200));
    assert_eq!(users("14… no wait, 40"), json!(40));
}

#[test]
fn what_was_volunteered_is_a_candidate_for_its_own_field() {
    let heard = taken("project_summarised", "An app for sick notes. We can spend up to 15,000 euros.");
    assert_eq!(heard, [known("summary", "An app for sick notes"), candidate("budget", "up to 15,000 euros")]);
}

#[test]
fn a_value_is_noted_without_what_introduces_it_and_its_quote_keeps_that() {
    for (asked, message, value) in [
        (
            "core_problem_stated",
            "well, the problem is that nobody knows who has the key",
            "nobody knows who has the key",
        ),
        (
            "core_problem_stated",
            "Das Problem ist eigentlich, dass keiner weiß, welcher Wagen frei ist",
            "keiner weiß, welcher Wagen frei ist",
        ),
        ("budget_known", "our budget is about 8k", "about 8k"),
        ("budget_known", "Unser Budget liegt bei etwa 12.000 Euro", "etwa 12.000 Euro"),
        ("project_summarised", "I'd like a little app for our volunteers", "a little app for our volunteers"),
        // What a denial denies stays with it, and so does who pays.
        ("core_problem_stated", "The problem is not the price", "The problem is not the price"),
        ("budget_known", "The council gives us 15,000 euros", "The council gives us 15,000 euros"),
    ] {
        let heard = read(asked, &json!({}), message);
        assert_eq!(heard["fields"][0]["value"], json!(value), "{message}");
        let quote = heard["fields"][0]["quote"].as_str().unwrap();
        assert!(message.contains(quote) && quote.ends_with(value), "{message}: {quote}");
    }
}

#[test]
fn elements_are_noted_without_what_is_said_around_them() {
    for (asked, message, elements) in [
        (
            "first_version_known",
            "it should show free rooms, let people book one and send a reminder",
            json!(["show free rooms", "let people book one", "send a reminder"]),
        ),
        (
            "first_version_known",
            "Termine eintragen, Erinnerungen verschicken und die Liste drucken",
            json!(["Termine eintragen", "Erinnerungen verschicken", "die Liste drucken"]),
        ),
        (
            "other_groups_known",
            "der Vorstand, die Eltern am Ort und das Finanzamt",
            json!(["der Vorstand", "die Eltern am Ort", "das Finanzamt"]),
        ),
        ("other_groups_known", "the board, too", json!(["the board"])),
    ] {
        assert_eq!(read(asked, &json!({}), message)["fields"][0]["value"], elements, "{message}");
    }
}

#[test]
fn a_correction_reaches_its_field_and_never_joins_two_texts() {
    let numbers = json!({ "users_and_personas.expected_users": 14 });
    let after = |known: &Value, message: &str| fields(&read("core_problem_stated", known, message));
    assert_eq!(after(&numbers, "sorry, it's 40, not 14"), [known("expected_users", 40)]);
    assert_eq!(after(&numbers, "not 14 but 40"), [known("expected_users", 40)]);
    let shop = json!({ "purpose_and_problem.summary": "a rental shop" });
    assert_eq!(
        after(&shop, "not a rental shop but a repair shop for bikes"),
        [known("summary", "a repair shop for bikes")]
    );
    let budget = json!({ "constraints.budget": "10k" });
    assert_eq!(after(&budget, "the budget is 15,000"), [known("budget", "15,000")]);
}

/// The words that each reading was taken from.
fn quotes(heard: &Value) -> Vec<&str> {
    heard["fields"].as_array().unwrap().iter().map(|field| field["quote"].as_str().unwrap()).collect()
}

#[test]
fn a_figure_that_is_put_right_at_once_is_taken_back() {
    for (message, holds) in [
        ("12k… sorry 21k, fat fingers", "21k"),
        ("300 euros, no, 3,000 euros", "3,000 euros"),
        ("15k. No wait, 25k", "25k"),
    ] {
        assert_eq!(taken("budget_known", message), [known("budget", holds)], "{message}");
    }
    // Two figures of two things are two figures.
    assert_eq!(taken("team_known", "two developers, no designer")[0].1, json!("two developers, no designer"));
}

#[test]
fn each_sentence_is_a_fact_of_its_own_and_one_value_is_kept_of_those_that_go_on() {
    let heard = read("judge_known", &json!({}), "The treasurer. It is her money after all.");
    assert_eq!(quotes(&heard), ["The treasurer"], "what only says of the answer what it is adds nothing");
    assert!(fields(&heard).iter().all(|(name, ..)| name == "judged_by"));
    let program = Program::new();
    let turns = program.converse("project-discovery", "A rota planner. For the volunteers at the food bank.\n");
    let kept = turns[0]["extraction_changes"].as_array().unwrap();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0]["value"], "A rota planner. For the volunteers at the food bank");
}

#[test]
fn what_is_said_beside_a_yes_belongs_to_it() {
    let heard = read("personal_data_screened", &json!({}), "Yes, names and bank details.");
    assert_eq!(fields(&heard), [known("personal_data", true)]);
    assert_eq!(quotes(&heard), ["Yes, names and bank details"]);
}

#[test]
fn words_that_no_cue_has_lead_to_the_field_that_people_say_such_things_of() {
    let heard =
        read("judge_known", &json!({}), "Our treasurer decides that. By the way, our old server gave up in February.");
    assert_eq!(
        fields(&heard),
        [
            known("judged_by", "Our treasurer decides that"),
            candidate("trigger_event", "our old server gave up in February")
        ]
    );
}

#[test]
fn preferring_one_thing_to_another_is_no_correction() {
    let before = json!({ "purpose_and_problem.current_solution": "a phone" });
    let heard = read("primary_user_known", &before, "Reception rather than patients");
    assert_eq!(fields(&heard), [known("primary_user", "Reception rather than patients")]);
}

#[test]
fn lists_are_taken_apart_and_nothing_is_none() {
    assert_eq!(
        taken("jobs_known", "Book, move (or swap), and cancel"),
        [known("jobs_to_be_done", json!(["Book", "move (or swap)", "cancel"]))]
    );
    assert_eq!(taken("other_groups_known", "nobody"), [known("other_groups", json!(["nobody"]))]);
}

#[test]
fn a_word_is_an_answer_and_a_bare_yes_to_an_open_question_is_none() {
    assert_eq!(taken("primary_user_known", "Me"), [known("primary_user", "Me")]);
    assert_eq!(taken("primary_user_known", "Yes."), []);
    assert_eq!(taken("primary_user_known", "Прием пациентов"), [known("primary_user", "Прием пациентов")]);
}

#[test]
fn a_question_back_is_answered_and_the_question_stays() {
    let turns = Program::new().converse(
        "project-discovery",
        "A booking app.\nSorry, what do you mean?\nfor example?\nwhy do you ask?\nhow many more questions?\n",
    );
    let question = response(&turns[0]).lines().last().unwrap().to_owned();
    for turn in &turns[1..] {
        assert!(response(turn).ends_with(&question), "{}", response(turn));
        assert!(response(turn).lines().count() > 1, "{}", response(turn));
        assert_eq!(turn["extraction_changes"], json!([]));
    }
}

#[test]
fn what_is_said_in_passing_is_checked_back_and_a_yes_confirms_it() {
    let program = Program::new();
    let start = "A booking app for our clinic. We can spend up to 40,000 euros.\n";
    let skips = "I don't know.\n".repeat(32);
    let turns = program.converse("project-discovery", &format!("{start}{skips}"));
    let asks = turns.iter().position(|turn| response(turn).contains("40,000 euros”. Is that the budget?"));
    let asks = asks.unwrap_or_else(|| panic!("{:#?}", turns.iter().map(response).collect::<Vec<_>>()));
    let before = "I don't know.\n".repeat(asks);
    let turns = Program::new().converse("project-discovery", &format!("{start}{before}Yes, that's right.\n"));
    let change = &turns.last().unwrap()["extraction_changes"][0];
    assert_eq!((&change["path"], &change["kind"]), (&json!("constraints.budget"), &json!("new")));
}

#[test]
fn who_does_not_know_or_will_not_say_is_not_asked_again_at_once() {
    let turns =
        Program::new().converse("project-discovery", "A booking app.\nI don't know yet.\nI'd rather not say.\nskip\n");
    let questions: Vec<&str> = turns.iter().map(|turn| response(turn).lines().last().unwrap()).collect();
    for (at, question) in questions.iter().enumerate() {
        assert!(!questions[..at].contains(question), "asked twice: {question}");
    }
}

#[test]
fn a_very_long_answer_is_taken_in_part_and_answered_briefly() {
    let long = "reception answers the phone and writes the name down and looks for a free slot ".repeat(200);
    let turns = Program::new().converse("project-discovery", &format!("{long}\n"));
    assert!(response(&turns[0]).split_whitespace().count() < 150, "{}", response(&turns[0]));
    let all = turns[0]["extraction_changes"].as_array().unwrap();
    assert!(all.iter().filter_map(|change| change["value"].as_str()).all(|value| value.len() <= 600));
}
