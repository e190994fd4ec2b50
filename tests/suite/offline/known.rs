//! What is said of what is known or shown: a yes with more behind it, corrections, denials, removals, the last question.
//! Each rule is tried with many wordings, in English and in German.

use elenchus::engine::edit::correct;
use elenchus::engine::memory::{Asked, WorkingMemory};
use elenchus::engine::reading::{Heard, Standing, read};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::engine::support::shipped;
use crate::support::program::Program;

const PROJECT: &str = "project-discovery";
const BUSINESS: &str = "business-profile";
const FEATURES: &str = "feature-prioritization";
const TRIGGER: &str = "purpose_and_problem.trigger_event";
const TEAM: &str = "constraints.team";
const BUDGET: &str = "constraints.budget";
const DEADLINE: &str = "constraints.deadline";
const SYSTEMS: &str = "constraints.existing_systems";
const RIVALS: &str = "industry.competitors";

/// What is asked in which language, and what is known.
struct Ground<'a> {
    engine: &'a str,
    language: &'a str,
    asked: &'a str,
    known: Value,
}

impl Ground<'_> {
    fn read(&self, message: &str) -> Heard {
        let engine = shipped(self.engine);
        let mut memory = WorkingMemory::new(engine.definition());
        memory.turn = 1;
        for (path, value) in self.known.as_object().unwrap() {
            memory = correct(&engine, &memory, path, value).unwrap().memory;
        }
        (memory.language.current, memory.language.chosen) = (Some(self.language.to_owned()), true);
        memory.asked = vec![Asked { obligation: self.asked.to_owned(), ..Asked::default() }];
        read(&engine, &memory, message)
    }

    /// The last value that a message gives a field at once.
    fn taken(&self, message: &str, path: &str) -> Option<Value> {
        let heard = self.read(message);
        let own = heard.fields.into_iter().filter(|own| own.path == path && own.status == Standing::Known);
        own.map(|own| own.value).next_back()
    }
}

fn ground<'a>(engine: &'a str, language: &'a str, asked: &'a str, known: Value) -> Ground<'a> {
    Ground { engine, language, asked, known }
}

/// The paths that are overwritten or emptied by a message.
fn touched(heard: &Heard) -> Vec<&str> {
    let known = heard.fields.iter().filter(|field| field.status == Standing::Known);
    known.map(|field| field.path.as_str()).chain(heard.except.iter().map(String::as_str)).collect()
}

fn talk(engine: &str, language: &str, messages: &[&str]) -> Vec<Value> {
    let ran = Program::new()
        .run_with(&["--lang", language, "converse", "--engine", engine], format!("{}\n", messages.join("\n")));
    assert_eq!(ran.code, 0, "{}", ran.words);
    ran.lines()
}

fn changed<'t>(turn: &'t Value, path: &str) -> Option<&'t Value> {
    let changes = turn["extraction_changes"].as_array().unwrap().iter();
    changes.rev().find(|change| change["path"] == path).map(|change| &change["value"])
}

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

#[test]
fn a_message_that_begins_with_a_yes_never_takes_back_what_was_shown() {
    for reply in [
        "yes, I told you",
        "yes I said that",
        "right, as I just told you",
        "yep, I already said so",
        "yes, why do you ask",
        "yes, but only on Mondays",
        "yes, but two of them are part-time",
        "yes. And I'd rather not say more",
        "correct, no idea why you ask again",
    ] {
        let turns = talk(PROJECT, "en", &["an app for drivers", "a driver got lost last week", reply]);
        assert!(response(&turns[1]).contains("Is that"), "{}", response(&turns[1]));
        assert_eq!(changed(&turns[2], TRIGGER), Some(&json!("a driver got lost last week")), "{reply}: {:#}", turns[2]);
    }
    let shown = ["eine App für Fahrer", "bei uns herrscht Chaos seit die Prüfung kam"];
    let turns = talk(PROJECT, "de", &shown);
    let offered = response(&turns[1]).contains("Ist das");
    for reply in ["ja, sag ich doch", "ja hab ich doch gesagt", "ja, hatte ich doch schon gesagt"] {
        let turns = talk(PROJECT, "de", &[shown[0], shown[1], reply]);
        let notes = turns[2]["extraction_notes"].as_array().unwrap();
        assert!(!offered || notes.iter().all(|note| note["kind"] != "cleared"), "{reply}: {:#}", turns[2]);
    }
}

#[test]
fn what_narrows_a_yes_is_kept_beside_it() {
    let turns = talk(PROJECT, "en", &["an app for drivers", "a driver got lost last week", "yes, but only on Mondays"]);
    let changes = turns[2]["extraction_changes"].to_string();
    assert!(changes.contains("only on Mondays"), "{changes}");
}

#[test]
fn a_repair_within_an_answer_touches_no_earlier_one() {
    let names = json!({ "features.names": ["calendar", "gallery", "forum"], "frame.goal": "fewer calls" });
    let english = ground(FEATURES, "en", "user_value_assessed", names.clone());
    for message in [
        "gallery, no wait, calendar",
        "the gallery... wait no, the calendar",
        "gallery. No wait, calendar.",
        "gallery, sorry, I mean the calendar",
        "gallery, no hang on, calendar",
    ] {
        let heard = english.read(message);
        assert_eq!(touched(&heard), ["value.user_favourites"], "{message}: {:#?}", heard.fields);
        assert!(heard.fields[0].value.to_string().contains("calendar"), "{message}: {:#?}", heard.fields);
    }
    let german = json!({ "features.names": ["Kalender", "Galerie", "Forum"], "frame.goal": "weniger Anrufe" });
    let german = ground(FEATURES, "de", "user_value_assessed", german);
    for message in
        ["Galerie, nein halt, den Kalender", "Galerie, nein warte, Kalender", "Galerie. Nein halt, Kalender."]
    {
        let heard = german.read(message);
        assert_eq!(touched(&heard), ["value.user_favourites"], "{message}: {:#?}", heard.fields);
        assert!(heard.fields[0].value.to_string().contains("Kalender"), "{message}: {:#?}", heard.fields);
    }
    let turns = talk(FEATURES, "en", &["calendar, gallery, forum", "fewer calls", "gallery, no wait, calendar"]);
    assert_eq!(changed(&turns[2], "frame.goal"), None, "{:#}", turns[2]);
    assert!(!response(&turns[2]).contains("put that right"), "{}", response(&turns[2]));
}

#[test]
fn a_figure_takes_the_place_of_a_figure_and_of_no_part_of_one() {
    let size = "financial_model.size";
    for (known, message) in [
        ("We turn over about 210,000 a year", "turnover, I said 210, it's 240 since the hotels."),
        ("We turn over about 210,000 a year", "I said 210, it's 240"),
        ("around 4,500 pots in 12 kilns", "I said 450, it's 460"),
        ("around 4,500 pots in 12 kilns", "not 2 kilns, 3 kilns"),
    ] {
        let heard = ground(BUSINESS, "en", "numbers_known", json!({ (size): known })).read(message);
        for field in heard.fields.iter().filter(|field| field.path == size) {
            let value = field.value.as_str().unwrap();
            let sound = !value.contains("hotels,")
                && !value.contains("460,")
                && !value.contains("1 3")
                && !value.contains("13");
            assert!(sound, "{message}: {value}");
        }
    }
    let heard = ground(BUSINESS, "en", "numbers_known", json!({ (size): "We turn over about 210,000 a year" }));
    let found = heard.read("turnover, I said 210, it's 240 since the hotels.").fields;
    assert_eq!(
        (found[0].value.clone(), found[0].status),
        (json!("We turn over about 240,000 a year"), Standing::Candidate)
    );
}

#[test]
fn a_no_that_belongs_to_a_value_stays_and_a_denial_is_none() {
    let outcome = "success_criteria.desired_outcome";
    let known = json!({ (outcome): "The double bookings per month" });
    let english = ground(PROJECT, "en", "desired_outcome_known", known);
    for (message, value) in [
        (
            "it's not \"the double bookings per month\", it's: no double bookings and less driving",
            "no double bookings and less driving",
        ),
        ("not the double bookings per month but no double bookings", "no double bookings"),
    ] {
        assert_eq!(english.taken(message, outcome), Some(json!(value)), "{message}");
    }
    let none = json!({});
    for (language, message) in [
        ("en", "no, hang on"),
        ("en", "no wait, that's not right"),
        ("en", "no, that's wrong"),
        ("en", "that's not true"),
        ("de", "nein halt"),
        ("de", "nein, warte"),
        ("de", "nein halt, das stimmt nicht so ganz"),
        ("de", "das stimmt nicht"),
    ] {
        let heard = ground(PROJECT, language, "team_known", none.clone()).read(message);
        assert_eq!(heard.fields, [], "{message}");
    }
    let heard = ground(BUSINESS, "en", "people_known", none).read("No, who works here is not a few from Newcastle!");
    assert_eq!(heard.fields, []);
}

#[test]
fn what_there_is_none_of_is_no_verdict_on_what_was_shown() {
    let notes = ["A planner for our shop", "my uncle left in May and it may cost up to 8,000 euros", "orders get lost"];
    for reply in ["no chat and no payroll", "no stock keeping"] {
        let turns = talk(PROJECT, "en", &[notes[0], notes[1], notes[2], reply]);
        let notes = turns[3]["extraction_notes"].as_array().unwrap();
        assert!(notes.iter().all(|note| note["kind"] != "cleared"), "{reply}: {:#}", turns[3]);
    }
}

#[test]
fn a_label_in_a_sentence_about_something_else_overwrites_nothing() {
    let english = json!({ (TEAM): "Anna and Ben", (BUDGET): "15,000 euros", "purpose_and_problem.summary": "a planner", (DEADLINE): "Easter" });
    let english = ground(PROJECT, "en", "rules_known", english);
    for message in [
        "The team meets on Mondays.",
        "For the project itself only Babs, two afternoons a week.",
        "We keep to the budget rules of the city.",
        "In the project we have to obey the GDPR.",
        "The deadline for complaints in our trade is two weeks.",
    ] {
        let heard = english.read(message);
        let others: Vec<&str> = touched(&heard).into_iter().filter(|path| *path != "constraints.rules").collect();
        assert_eq!(others, [""; 0], "{message}: {:#?}", heard.fields);
    }
    let german = json!({ "industry.sector": "Fahrschule", "team_composition.people": "zwei Lehrer" });
    let german = ground(BUSINESS, "de", "burden_known", german);
    for message in ["In der Branche sind es gerade die Elektroautos.", "Die Leute warten 24 Wochen auf eine Prüfung."]
    {
        let heard = german.read(message);
        let burden = "regulatory_and_compliance.burden";
        let others: Vec<&str> = touched(&heard).into_iter().filter(|path| *path != burden).collect();
        assert_eq!(others, [""; 0], "{message}: {:#?}", heard.fields);
    }
}

#[test]
fn a_label_with_what_it_is_corrects_and_goes_to_its_field() {
    let known = json!({ (BUDGET): "15,000 euros", (DEADLINE): "Easter" });
    let english = ground(PROJECT, "en", "rules_known", known.clone());
    for (message, path, value) in [
        ("The budget is 20,000 euros.", BUDGET, "20,000 euros"),
        ("budget: 20,000 euros", BUDGET, "20,000 euros"),
        ("Our deadline is Whitsun", DEADLINE, "Whitsun"),
        ("GDPR. And sorry, the deadline is Whitsun, not Easter.", DEADLINE, "Whitsun"),
    ] {
        assert_eq!(english.taken(message, path), Some(json!(value)), "{message}");
    }
    let german = ground(PROJECT, "de", "rules_known", json!({ (BUDGET): "15.000 Euro", (DEADLINE): "Ostern" }));
    for (message, path, value) in
        [("Das Budget ist 20.000 Euro.", BUDGET, "20.000 Euro"), ("Termin: Pfingsten", DEADLINE, "Pfingsten")]
    {
        assert_eq!(german.taken(message, path), Some(json!(value)), "{message}");
    }
    for message in
        ["I said turnover is 240,000.", "I told you the season is from May to August", "As I said the season is spring"]
    {
        let heard = ground(BUSINESS, "en", "burden_known", json!({})).read(message);
        let burden = heard.fields.iter().any(|field| field.path.ends_with("burden") && field.status == Standing::Known);
        assert!(!burden && !heard.fields.is_empty(), "{message}: {:#?}", heard.fields);
    }
}

#[test]
fn only_what_is_named_is_taken_out_and_else_it_is_asked_which() {
    let rivals = json!({ (RIVALS): ["Maureen", "Jean", "Callum", "DFS"] });
    let english = ground(BUSINESS, "en", "channels_known", rivals);
    for message in [
        "Maureen, Jean and Callum are not competitors, that's the staff.",
        "Maureen, Jean and Callum aren't competitors",
        "please take Maureen, Jean and Callum out of the competitors!",
        "Maureen, Jean and Callum don't belong in the competitors",
    ] {
        assert_eq!(english.taken(message, RIVALS), Some(json!(["DFS"])), "{message}");
    }
    for message in ["please take them out of the competitors!", "remove them from the competitors"] {
        let heard = english.read(message);
        assert!(
            heard.fields.is_empty() && heard.has(elenchus::engine::config::Act::Objection),
            "{message}: {heard:#?}"
        );
    }
    let german = ground(BUSINESS, "de", "channels_known", json!({ (RIVALS): ["Maria", "Jens", "Obi"] }));
    for message in ["Maria und Jens sind keine Konkurrenten", "Maria und Jens gehören nicht zu den Konkurrenten"] {
        assert_eq!(german.taken(message, RIVALS), Some(json!(["Obi"])), "{message}");
    }
    let capacity = json!({ "effort.quick_wins": ["deposits", "dark mode"], "effort.capacity": "Just me and Lena" });
    let quick = ground(FEATURES, "en", "capacity_known", capacity);
    for message in ["dark mode is not quick", "End of March. And quick is not dark mode, please remove that."] {
        assert_eq!(quick.taken(message, "effort.quick_wins"), Some(json!(["deposits"])), "{message}");
    }
    let unclear = quick.read("End of March. And please remove that.");
    assert_eq!(touched(&unclear), ["frame.period"], "{unclear:#?}");
    let rule = ground(PROJECT, "en", "team_known", json!({ "constraints.rules": ["people get double booked"] }));
    let heard = rule.read("There is no such rule. Empty it.");
    assert_eq!(touched(&heard), ["constraints.rules"], "{heard:#?}");
}

#[test]
fn what_is_wrong_and_what_it_is_go_to_the_field_that_is_named() {
    for known in [json!({}), json!({ "team_composition.people": "a few from Newcastle" })] {
        let people = ground(BUSINESS, "en", "channels_known", known);
        let message = "Who works with you is wrong: it's me, Jean and Callum.";
        assert_eq!(people.taken(message, "team_composition.people"), Some(json!("me, Jean and Callum")));
    }
    let team = ground(PROJECT, "en", "rules_known", json!({ (TEAM): "people get double booked" }));
    let heard = team.read("\"people get double booked\" is not the team!");
    assert_eq!(touched(&heard), [TEAM], "{heard:#?}");
}

#[test]
fn the_last_question_is_answered_by_a_yes_alone_and_a_label_corrects_its_field() {
    let scope = "validation.scope_confirmed";
    let all = json!({ (TEAM): "Babs and my nephew", (BUDGET): "15,000 euros", (SYSTEMS): ["DATEV", "Lexware"], (TRIGGER): "two tuners turned up in Kendal and Penrith was forgotten" });
    let english = ground(PROJECT, "en", "confirm_project_scope", all.clone());
    let german = ground(PROJECT, "de", "confirm_project_scope", all);
    for (ground, message, path, value) in [
        (&english, "no, the team is only Babs", TEAM, json!("only Babs")),
        (&english, "No. Budget: 20,000 euros", BUDGET, json!("20,000 euros")),
        (&english, "the budget is 20,000 euros", BUDGET, json!("20,000 euros")),
        (&german, "nein, bei den Systemen ist es nur DATEV", SYSTEMS, json!(["DATEV"])),
        (&german, "Womit es zusammenarbeiten muss: nur DATEV", SYSTEMS, json!(["DATEV"])),
        (&german, "fast, das Budget sind 12.000 Euro", BUDGET, json!("12.000 Euro")),
    ] {
        assert_eq!(ground.taken(message, path), Some(value), "{message}");
        assert_ne!(ground.taken(message, scope), Some(json!(true)), "{message}");
    }
    for message in ["We also have a parrot in the office.", "My nephew writes programs", "no, the nephew is out"] {
        let heard = english.read(message);
        let others = heard.fields.iter().filter(|field| field.status == Standing::Known && field.value != json!(false));
        assert_eq!(others.count(), 0, "{message}: {:#?}", heard.fields);
        assert!(heard.fields.iter().all(|field| field.path != scope || field.value == json!(false)), "{message}");
    }
}

#[test]
fn an_exception_at_the_last_question_asks_what_is_wrong_and_changes_nothing() {
    let trigger = json!({ (TRIGGER): "two tuners turned up in Kendal and Penrith was forgotten", (TEAM): "Babs" });
    let english = ground(PROJECT, "en", "confirm_project_scope", trigger);
    for message in [
        "Yes, it's right apart from Kendal and Penrith, but never mind.",
        "all fine except the trigger",
        "everything but the trigger",
    ] {
        let heard = english.read(message);
        assert_eq!((heard.fields.len(), heard.except.as_slice()), (0, &[TRIGGER.to_owned()][..]), "{message}");
    }
    let trigger = json!({ (TRIGGER): "zwei Stimmer standen in Kendal und Penrith wurde vergessen", (TEAM): "Babs" });
    let german = ground(PROJECT, "de", "confirm_project_scope", trigger);
    let heard = german.read("alles richtig bis auf Kendal und Penrith");
    assert_eq!((heard.fields.len(), heard.except.as_slice()), (0, &[TRIGGER.to_owned()][..]));
}

#[test]
fn a_no_to_the_rest_of_a_question_leaves_it_open_and_a_bare_figure_overwrites_no_words() {
    let told = [
        "calendar, gallery, forum",
        "fewer calls",
        "calendar",
        "they ask",
        "gallery",
        "forum",
        "calendar",
        "me and Tom",
    ];
    let turns = talk(FEATURES, "en", &[&told[..], &["no"]].concat());
    assert!(response(&turns[7]).contains("until when"), "{}", response(&turns[7]));
    assert!(!response(&turns[8]).contains("few words"), "{}", response(&turns[8]));
    let turns = talk(BUSINESS, "en", &["we mend bikes", "we are quick", "bike repair", "no, 3"]);
    assert_eq!(changed(&turns[3], "industry.sector"), None, "{:#}", turns[3]);
    assert!(!response(&turns[3]).contains("Is it “3” now"), "{}", response(&turns[3]));
}

#[test]
fn what_is_overwritten_or_taken_out_is_always_said() {
    let told = [
        "calendar, gallery, forum",
        "fewer calls",
        "calendar",
        "they ask",
        "gallery",
        "forum",
        "calendar",
        "me and Tom",
    ];
    let turns =
        talk(FEATURES, "en", &[&told[..], &["End of March. And quick is not forum, please remove that."]].concat());
    let answer = response(&turns[8]);
    assert!(answer.contains("“forum”") && !answer.contains("put that right"), "{answer}");
}
