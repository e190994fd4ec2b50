//! What is said and what only stands beside it: remarks in lists, talk in answers, short names, commands in statements.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

const DISCOVERY: &str = "project-discovery";
const FEATURES: &str = "feature-prioritization";

fn heard(engine: &str, asked: &str, known: &Value, message: &str) -> Value {
    let program = Program::new();
    let file = program.folder().join("known.json");
    std::fs::write(&file, known.to_string()).unwrap();
    let file = file.display().to_string();
    let run = program.run(&["engines", "read", engine, "--asked", asked, "--known", &file, "--json", "--", message]);
    serde_json::from_str(&run.data).unwrap()
}

/// The elements that are read for a field.
fn elements(heard: &Value, name: &str) -> Vec<Value> {
    let all = heard["fields"].as_array().unwrap().iter();
    let own = all.filter(|field| field["path"].as_str().unwrap().ends_with(&format!(".{name}")));
    own.flat_map(|field| field["value"].as_array().cloned().unwrap_or_else(|| vec![field["value"].clone()])).collect()
}

#[test]
fn estimates_remarks_and_talk_are_no_elements_of_a_list() {
    for (asked, name, message, wanted) in [
        (
            "quick_wins_known",
            "quick_wins",
            "Dark mode, one day, and photo upload, two or three days.",
            json!(["Dark mode", "photo upload"]),
        ),
        ("quick_wins_known", "quick_wins", "the export, half a day, the map, 3 days", json!(["the export", "the map"])),
        (
            "quick_wins_known",
            "quick_wins",
            "der Kalender, ein Tag, und die Galerie, zwei bis drei Tage",
            json!(["der Kalender", "die Galerie"]),
        ),
        ("must_haves_known", "must_haves", "calendar and gallery, nothing else", json!(["calendar", "gallery"])),
        ("must_haves_known", "must_haves", "Kalender und Galerie, sonst nix", json!(["Kalender", "Galerie"])),
        ("must_haves_known", "must_haves", "Kalender, Galerie, mehr nicht", json!(["Kalender", "Galerie"])),
        (
            "features_identified",
            "names",
            "Ich hab hier ein paar Sachen für unsere App: Kalender, Galerie und Forum",
            json!(["Kalender", "Galerie", "Forum"]),
        ),
        (
            "features_identified",
            "names",
            "So here are the things we would like to have in it some day: calendar, gallery and forum",
            json!(["calendar", "gallery", "forum"]),
        ),
    ] {
        let heard = heard(FEATURES, asked, &json!({}), message);
        assert_eq!(json!(elements(&heard, name)), wanted, "{message}");
    }
}

#[test]
fn what_nobody_knows_is_cut_from_what_they_do() {
    for message in
        ["weiß net. arbeitszeitgesetz vielleicht, und die dsgvo halt", "dunno. working time rules, and the GDPR"]
    {
        let heard = heard(DISCOVERY, "rules_known", &json!({}), message);
        let rules = elements(&heard, "rules");
        assert_eq!(rules.len(), 2, "{rules:?}");
    }
}

#[test]
fn choices_alone_are_said_of_nothing() {
    for message in ["high high low medium", "hoch hoch niedrig"] {
        let heard = heard(FEATURES, "features_compared", &json!({}), message);
        assert_eq!(elements(&heard, "identified"), Vec::<Value>::new(), "{message}");
    }
}

#[test]
fn short_names_mean_the_known_elements() {
    let english = json!({ "features.names": ["sms reminder", "card payment", "menu on the phone"] });
    let german = json!({ "features.names": ["Terminkalender", "Fotogalerie", "Spendenknopf"] });
    for (known, message, wanted) in [
        (&english, "sms and card", json!(["sms reminder", "card payment"])),
        (&english, "the menu", json!(["menu on the phone"])),
        (&english, "payment", json!(["card payment"])),
        (&german, "spenden und kalender", json!(["Spendenknopf", "Terminkalender"])),
        (&german, "die Galerie", json!(["Fotogalerie"])),
    ] {
        let heard = heard(FEATURES, "must_haves_known", known, message);
        assert_eq!(json!(elements(&heard, "must_haves")), wanted, "{message}");
    }
    let compared = heard(FEATURES, "features_compared", &german, "kalender hoch, spenden niedrig");
    let record = |name: &str, value: &str| json!({ "name": name, "user_value": value });
    let wanted = [record("Terminkalender", "high"), record("Spendenknopf", "low")];
    assert_eq!(elements(&compared, "identified"), wanted);
}

#[test]
fn parking_stopping_and_going_back_are_heard_as_people_say_them() {
    for (message, wanted) in [
        ("later maybe", "skip"),
        ("maybe later", "skip"),
        ("later, I think", "skip"),
        ("we talk about that later", "skip"),
        ("später vielleicht", "skip"),
        ("darüber reden wir später", "skip"),
        ("das klären wir lieber ein andermal", "skip"),
        ("reicht jetzt", "stop"),
        ("mir reicht es für heute", "stop"),
        ("lassen wir es gut sein", "stop"),
        ("kannst du nochmal zurück gehen?", "back"),
        ("können wir bitte eine Frage zurück gehen", "back"),
        ("nochmal die letzte frage bitte", "repeat"),
        ("the last question again please", "repeat"),
        ("ok go on", "repeat"),
        ("What rules do you mean?", "meaning"),
        ("which people do you mean", "meaning"),
    ] {
        let heard = heard(DISCOVERY, "core_problem_stated", &json!({}), message);
        assert_eq!(heard["does"], json!([wanted]), "{message}");
        assert_eq!(heard["fields"], json!([]), "{message}");
    }
}

#[test]
fn words_of_a_command_in_a_statement_command_nothing() {
    for (engine, asked, message) in [
        ("ideation", "test_found", "This week I send sms to all ten and I look how many come."),
        (DISCOVERY, "core_problem_stated", "We never write down how many are left in the store"),
        (DISCOVERY, "core_problem_stated", "We print the list and go back to the office for every change"),
        ("ideation", "first_ideas", "sticking a camera on it"),
    ] {
        let heard = heard(engine, asked, &json!({}), message);
        assert_eq!(heard.get("does").cloned().unwrap_or(json!([])), json!([]), "{message}");
    }
}

#[test]
fn a_direct_answer_is_believed_whatever_single_words_stand_in_it() {
    for (asked, message) in [
        ("project_summarised", "stunden eintragen auf dem handy für die gesellen"),
        ("project_summarised", "a price list for our customers"),
        ("project_summarised", "an app to book hours in the gym"),
    ] {
        let heard = heard(DISCOVERY, asked, &json!({}), message);
        let summary =
            heard["fields"].as_array().unwrap().iter().find(|field| field["path"] == "purpose_and_problem.summary");
        assert_eq!(summary.map(|field| &field["status"]), Some(&json!("known")), "{message}: {heard}");
    }
}

#[test]
fn who_they_are_is_no_project_and_a_reason_with_a_figure_is_none_either() {
    for (message, project) in [
        (
            "We run a small bakery in Leeds with 3 shops and I want to build an ordering app because we lose about 40 cakes a month to wrong orders.",
            "ordering app",
        ),
        (
            "We are a small dentist's and we want to build a reminder tool because we lose 12 hours a week on the phone.",
            "reminder tool",
        ),
    ] {
        let heard = heard(DISCOVERY, "project_summarised", &json!({}), message);
        let all = heard["fields"].as_array().unwrap();
        let summary = all.iter().find(|field| field["path"] == "purpose_and_problem.summary").unwrap();
        let text = summary["value"].as_str().unwrap();
        assert!(text.contains(project) && !text.contains("bakery") && !text.contains("dentist"), "{text}");
        assert!(!text.contains("because"), "{text}");
        assert!(
            all.iter().any(|field| field["path"] != summary["path"] && field["value"].to_string().contains("lose")),
            "{heard}"
        );
    }
}

#[test]
fn every_sentence_on_the_asked_field_is_kept_and_the_inspector_shows_what_a_session_keeps() {
    let message = "No bigger, to be honest. I'd like Callum to take it over in 2029 when I'm 63, and I'd just do the old \
                   pieces. And Jean wants to stop in two years.";
    let heard = heard("business-profile", "goal_known", &json!({}), message);
    let kept = heard["kept"].as_array().unwrap().iter().map(|field| field["value"].to_string()).collect::<String>();
    for words in ["No bigger", "Callum", "Jean"] {
        assert!(kept.contains(words), "{words}: {kept}");
    }
}
