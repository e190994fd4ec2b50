//! What people say as they say it: asides, figures put right, dates beside sums, a yes with more to it.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

/// What is read from a message after a question of an engine: field, value, and whether it counts at once.
fn read(engine: &str, asked: &str, known: &Value, message: &str) -> (Value, Vec<(String, Value, bool)>) {
    let program = Program::new();
    let file = program.folder().join("known.json");
    std::fs::write(&file, known.to_string()).unwrap();
    let file = file.display().to_string();
    let run = program.run(&["engines", "read", engine, "--asked", asked, "--known", &file, "--json", "--", message]);
    let heard: Value = serde_json::from_str(&run.data).unwrap();
    let fields = heard["fields"].as_array().unwrap().iter().map(|field| {
        let name = field["path"].as_str().unwrap().rsplit('.').next().unwrap().to_owned();
        (name, field["value"].clone(), field["status"] == "known")
    });
    let fields = fields.collect();
    (heard, fields)
}

fn taken(engine: &str, asked: &str, message: &str) -> Vec<(String, Value, bool)> {
    read(engine, asked, &json!({}), message).1
}

fn corrected(engine: &str, asked: &str, known: &Value, message: &str) -> Vec<(String, Value, bool)> {
    read(engine, asked, known, message).1
}

fn acts(engine: &str, asked: &str, message: &str) -> Value {
    read(engine, asked, &json!({}), message).0["acts"].clone()
}

fn known(name: &str, value: impl Into<Value>) -> (String, Value, bool) {
    (name.to_owned(), value.into(), true)
}

fn candidate(name: &str, value: impl Into<Value>) -> (String, Value, bool) {
    (name.to_owned(), value.into(), false)
}

const DISCOVERY: &str = "project-discovery";
const FEATURES: &str = "feature-prioritization";
const BUSINESS: &str = "business-profile";

#[test]
fn a_date_beside_a_sum_is_the_deadline() {
    assert_eq!(
        taken(DISCOVERY, "budget_known", "budget is 15k, before easter"),
        [known("budget", "15k"), candidate("deadline", "before easter")]
    );
    assert_eq!(
        taken(DISCOVERY, "frustration_known", "15k max, before easter"),
        [candidate("budget", "15k max"), candidate("deadline", "before easter")]
    );
    assert_eq!(
        taken(DISCOVERY, "budget_known", "höchstens 12.000 €, bis Weihnachten"),
        [known("budget", "höchstens 12.000 €"), candidate("deadline", "bis Weihnachten")]
    );
}

#[test]
fn a_date_with_a_stop_after_the_day_is_one_date() {
    let heard = taken(FEATURES, "features_identified", "Das Ganze soll bis zum Fest am 15. März fertig sein");
    assert_eq!(heard, [candidate("period", "Das Ganze soll bis zum Fest am 15. März fertig sein")]);
}

#[test]
fn a_figure_that_is_put_right_keeps_what_it_counts() {
    let known_team = json!({ "constraints.team": "3 vans and me" });
    let heard = corrected(DISCOVERY, "deadline_known", &known_team, "I said 3 vans, it is 5");
    assert_eq!(heard, [known("team", "5 vans")]);
}

#[test]
fn an_element_is_taken_off_its_list() {
    let names = json!({ "features.names": ["calendar", "chat", "photo gallery"] });
    let heard = corrected(FEATURES, "goal_known", &names, "Take the chat off the list");
    assert_eq!(heard, [known("names", Value::Null), known("names", json!(["calendar", "photo gallery"]))]);
    let heard = corrected(FEATURES, "goal_known", &names, "Bitte streichen Sie photo gallery aus der Liste");
    assert_eq!(heard, [known("names", Value::Null), known("names", json!(["calendar", "chat"]))]);
    // What is not on a list is not taken off one.
    let heard = corrected(FEATURES, "goal_known", &names, "Take the bus off the list");
    assert!(!heard.iter().any(|(_, value, _)| value.is_null()), "{heard:?}");
}

#[test]
fn records_have_the_names_that_were_given_to_them() {
    let of = |message: &str| taken(FEATURES, "features_compared", message);
    let record = |name: &str, value: &str| json!({ "name": name, "user_value": value });
    assert_eq!(of("faster checkout: high"), [known("identified", json!([record("faster checkout", "high")]))]);
    let all = of("Terminkalender hoch, Fotogalerie und Chat niedrig");
    let wanted = json!([record("Terminkalender", "high"), record("Fotogalerie", "low"), record("Chat", "low")]);
    assert_eq!(all.into_iter().map(|(_, value, _)| value).collect::<Vec<_>>(), [wanted]);
    for none in ["none", "keine"] {
        assert_eq!(of(none), []);
        assert_eq!(acts(FEATURES, "features_compared", none), json!(["dont_know"]));
    }
}

#[test]
fn asides_are_no_elements() {
    let ideas =
        taken("ideation", "first_ideas", "a loyalty card, a newsletter and, well, you know how it is, a summer party");
    let all: Vec<Value> = ideas.into_iter().flat_map(|(_, value, _)| value.as_array().cloned().unwrap()).collect();
    assert_eq!(all, ["a loyalty card", "a newsletter", "a summer party"]);
    assert_eq!(
        taken(
            BUSINESS,
            "competitors_known",
            "the supermarket round the corner, it's cheaper, and another baker, he's retiring"
        ),
        [known(
            "competitors",
            json!(["the supermarket round the corner, it's cheaper", "another baker, he's retiring"])
        )]
    );
}

#[test]
fn what_sounds_like_a_command_and_is_none_stops_nothing() {
    for (asked, message) in [
        ("failure_signs_known", "that prices go up"),
        ("trigger_event_known", "closing even earlier, ha ha"),
        ("desired_outcome_known", "that was lovely"),
        ("cost_of_problem_known", "Im Moment habe ich drei Fahrer dafür"),
    ] {
        let acts = acts(DISCOVERY, asked, message);
        assert!(
            acts.as_array().unwrap().iter().all(|act| act == "answer" || act == "volunteered"),
            "{message}: {acts}"
        );
    }
}

#[test]
fn who_somebody_is_and_how_long_they_have_is_no_project() {
    for message in
        ["We're a small brewery", "I run a bike shop in Leeds", "I have ten minutes", "Wir sind ein kleiner Verein"]
    {
        assert_eq!(taken(DISCOVERY, "project_summarised", message), [], "{message}");
    }
    // Beside what they want it does no harm, and of a business it is the answer.
    let both = taken(DISCOVERY, "project_summarised", "We're a small brewery and we want to track our kegs.");
    assert_eq!(both.len(), 1, "{both:?}");
    let offer = taken(BUSINESS, "offer_known", "We're a small brewery");
    assert_eq!(offer, [known("core_offer", "We're a small brewery")]);
}

#[test]
fn what_a_business_rents_out_is_what_it_offers() {
    let heard = taken(BUSINESS, "offer_known", "We rent out bikes; we lose about 40 hours a month on the phone");
    assert_eq!(heard[0], known("core_offer", "We rent out bikes"));
    assert!(heard[1..].iter().all(|(name, ..)| name != "other_offers"), "{heard:?}");
}

#[test]
fn what_must_not_get_out_is_sensitive() {
    for message in ["Photos must not get out", "Die Fotos dürfen nicht nach außen"] {
        assert_eq!(taken(DISCOVERY, "personal_data_screened", message), [known("personal_data", true)], "{message}");
    }
}

#[test]
fn choices_are_known_by_what_people_read() {
    let heard = taken(FEATURES, "approach_chosen", "Nach Aufwand, würde ich sagen");
    assert_eq!(heard, [known("approach", "effort")]);
}

#[test]
fn what_is_said_once_more_beside_i_told_you_is_kept() {
    assert_eq!(
        taken(DISCOVERY, "primary_user_known", "riders obviously, i said that at the start"),
        [known("primary_user", "riders")]
    );
    let people = taken(BUSINESS, "people_known", "i told you, 6 on payroll, 2 students, and petra and me");
    assert_eq!(people, [known("people", "6 on payroll, 2 students, and petra and me")]);
}

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

#[test]
fn a_session_in_german_is_german_from_the_first_word_to_the_brief() {
    let program = Program::new();
    for engine in [DISCOVERY, FEATURES, BUSINESS, "ideation", "exploration"] {
        let ran = program.run_with(&["--lang", "de", "converse", "--engine", engine], "Eine App für unseren Verein\n");
        let turns = ran.lines();
        let opening = turns[0]["opening"].as_str().unwrap();
        assert!(opening.contains("Minuten") && !opening.contains(" the "), "{engine}: {opening}");
        assert!(response(&turns[0]).contains("Es ist kein Modell verbunden"), "{engine}");
        let id = crate::support::program::session_of(&turns[0]);
        let brief = program.run(&["sessions", "export", &id, "--format", "brief"]).data;
        let headings: Vec<&str> = brief.lines().filter(|line| line.starts_with("## ")).collect();
        assert!(!headings.is_empty(), "{engine}: {brief}");
        let english = ["In short", "Still open", "Where", "At a glance", "What ", "Scope"];
        assert!(!headings.iter().any(|line| english.iter().any(|word| line.contains(word))), "{engine}: {headings:?}");
    }
}

#[test]
fn the_same_question_never_comes_again_without_a_word() {
    let turns = Program::new().converse(
        BUSINESS,
        "We repair boats\nthat we come on the same day\nyes thats it, thank you dear\nwe lose about 40 hours a month on the phone\n",
    );
    let question = "Which trade would you say you belong to?";
    assert!(response(&turns[1]).ends_with(question), "{}", response(&turns[1]));
    for turn in &turns[2..] {
        let said = response(turn);
        assert!(!said.contains(question) || said.len() > question.len() + 10, "{said}");
    }
}

#[test]
fn who_wants_to_stop_is_not_asked_on() {
    let turns = Program::new().converse(
        DISCOVERY,
        "A rota app for our bakery\nmy sister left in may, she did it all. can we stop here\nok I'm back\n",
    );
    assert!(!response(&turns[1]).contains('?'), "{}", response(&turns[1]));
    assert_eq!(turns[1]["extraction_changes"][0]["path"], "purpose_and_problem.trigger_event");
    assert!(response(&turns[2]).ends_with('?'), "{}", response(&turns[2]));
}

#[test]
fn a_skip_holds_also_when_it_is_said_again() {
    let turns = Program::new().converse(
        "ideation",
        "people dont show up\nlast saturday 4 of 9\nthey forget\nemails\nnearly everybody comes\nno money for ads\nHow could we make them come?\nreminders, a buddy\nskip\nairlines overbook\nno idea\ni said skip\n",
    );
    let skipped = "What would make the problem even worse?";
    assert!(response(&turns[7]).contains(skipped), "{}", response(&turns[7]));
    let last = response(turns.last().unwrap());
    assert!(!last.contains(skipped), "{last}");
}

#[test]
fn the_rest_is_right_confirms_the_rest() {
    let turns = Program::new().converse(
        BUSINESS,
        "A bakery\nthe smell\nBaking\nthe supermarket\n6 people\nAhmed\noh the office lunches! there is a firm round the corner, they order 40 rolls every thursday, pay by invoice in 30 days, lovely people. they came because they had a party and the caterer cancelled\nalmost, best customer is offices that order lunch every week, the rest is right\n",
    );
    assert!(response(&turns[6]).ends_with("Is all of that right?"), "{}", response(&turns[6]));
    let changes = turns[7]["extraction_changes"].as_array().unwrap();
    let value = |path: &str| changes.iter().find(|c| c["path"] == path).map(|c| c["value"].clone());
    assert_eq!(value("target_market.best_customer"), Some(json!("offices that order lunch every week")));
    assert!(value("target_market.occasion").is_some_and(|value| value != "the rest is right"), "{changes:?}");
}

#[test]
fn names_of_what_was_shown_are_taken_as_they_were_shown() {
    let names = json!({ "features.names": ["calendar", "online payment", "chat"] });
    let heard = corrected(FEATURES, "must_haves_known", &names, "the calendar and the payment are musts");
    assert_eq!(heard, [known("must_haves", json!(["calendar", "online payment"]))]);
    let heard = corrected(FEATURES, "dependencies_known", &names, "the online payment waits for the bank");
    assert_eq!(heard, [known("dependencies", json!(["the online payment waits for the bank"]))]);
}

#[test]
fn what_does_not_go_together_is_asked_about() {
    let turns = Program::new().converse(
        FEATURES,
        "calendar, chat, photos\nmembers see their dates\nthe calendar\nbecause they miss dates\nthe photos\nthe chat\nthe chat\nthe chat\n",
    );
    let asked = turns.iter().any(|turn| response(turn).contains("quickly done and takes long at the same time"));
    assert!(asked, "{:#?}", turns.iter().map(response).collect::<Vec<_>>());
}
