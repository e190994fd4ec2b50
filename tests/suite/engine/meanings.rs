//! What is meant and not only what is said: what is left out, which choice holds, which kind a figure is of, where a
//! German sentence ends.

use elenchus::engine::memory::{Asked, WorkingMemory};
use elenchus::engine::reading::{Heard, Standing, read};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::support::shipped;

fn heard(engine: &str, asked: &str, language: &str, message: &str) -> Heard {
    let engine = shipped(engine);
    let mut memory = WorkingMemory::new(engine.definition());
    (memory.language.current, memory.language.chosen) = (Some(language.to_owned()), true);
    memory.asked = vec![Asked { obligation: asked.to_owned(), ..Asked::default() }];
    read(&engine, &memory, message)
}

/// What is kept of a message: path, value, and whether it counts at once.
fn kept(engine: &str, asked: &str, language: &str, message: &str) -> Vec<(String, Value, bool)> {
    let heard = heard(engine, asked, language, message);
    let kept = heard.kept(message).into_iter();
    kept.map(|field| (field.path, field.value, field.status == Standing::Known)).collect()
}

fn is(path: &str, value: Value, known: bool) -> (String, Value, bool) {
    (path.to_owned(), value, known)
}

#[test]
fn words_of_a_command_in_an_answer_command_nothing() {
    for (engine, asked, message) in [
        ("project-discovery", "first_version_known", "a way to go back to the last order"),
        ("project-discovery", "first_version_known", "they stop here to pick up parcels"),
        ("project-discovery", "judge_known", "me, i own it. my wife too a bit"),
        ("ideation", "causes_known", "free so no reason to show up i guess"),
        ("ideation", "first_ideas", "skip the registration form altogether"),
        ("exploration", "goals_known", "the tax adviser should stop complaining"),
    ] {
        let heard = heard(engine, asked, "en", message);
        assert!(heard.does.is_empty(), "{message}: {:?}", heard.does);
        assert!(heard.tells(), "{message}: {:?}", heard.acts);
    }
    // The commands themselves still do.
    for message in ["can we stop here?", "let's stop here", "can we go back?", "skip this one", "no idea, i guess"] {
        assert!(!heard("ideation", "causes_known", "en", message).does.is_empty(), "{message}");
    }
}

#[test]
fn a_figure_beside_the_point_of_a_clause_is_offered() {
    let message = "We run a small bike repair shop in Leeds with 4 people, mostly commuters' bikes.";
    let told = kept("business-profile", "offer_known", "en", message);
    assert!(told.contains(&is("team_composition.people", json!("4 people"), false)), "{told:?}");
    assert!(told.iter().any(|(path, _, known)| path == "product_offering.core_offer" && *known), "{told:?}");
}

#[test]
fn of_as_i_said_nothing_is_left() {
    let judge = kept("project-discovery", "judge_known", "en", "the board judges it, as i said");
    assert_eq!(judge, [is("success_criteria.judged_by", json!("the board judges it"), true)]);
}

#[test]
fn a_long_text_is_not_lost_to_a_word_nor_to_a_name_in_quotes() {
    let engine = shipped("ideation");
    let memory = WorkingMemory::new(engine.definition());
    let known = |memory: &WorkingMemory, path: &str, value: &str| {
        elenchus::engine::edit::correct(&engine, memory, path, &json!(value)).expect("it can be set").memory
    };
    let moment = "last saturday 20 people signed up and 9 came";
    let memory = known(&memory, "problem_space.evidence", moment);
    let mut memory = known(&memory, "problem_space.desired_change", "why it happens");
    memory.asked = vec![Asked { obligation: "limits_known".to_owned(), ..Asked::default() }];
    let heard = read(&engine, &memory, "delete 'why it happens'");
    // It is taken out, and asked for anew.
    assert_eq!(heard.except, ["problem_space.desired_change"]);
    let heard = read(&engine, &memory, "no, what happened last was: both is true");
    let lost = |field: &elenchus::engine::reading::FieldReading| {
        field.path == "problem_space.evidence" && field.status == Standing::Known
    };
    assert!(!heard.fields.iter().any(lost), "{:?}", heard.fields);
}

#[test]
fn what_is_left_out_of_a_list_is_no_part_of_it() {
    const MUST: &str = "prioritization.must_haves";
    const NICE: &str = "prioritization.nice_to_haves";
    const OUT: &str = "prioritization.not_now";
    let features =
        |asked: &str, language: &str, message: &str| kept("feature-prioritization", asked, language, message);
    assert_eq!(
        features("must_haves_known", "en", "search and checkout, but not the wish list"),
        [is(MUST, json!(["search", "checkout"]), true), is(OUT, json!(["wish list"]), false)]
    );
    assert_eq!(
        features("nice_to_haves_known", "en", "a map would be great, reviews we don't need this round"),
        [is(NICE, json!(["a map"]), true), is(OUT, json!(["reviews"]), false)]
    );
    assert_eq!(
        features("nice_to_haves_known", "de", "Eine Karte wäre nett, Bewertungen brauchen wir diesmal nicht."),
        [is(NICE, json!(["Karte"]), true), is(OUT, json!(["Bewertungen"]), false)]
    );
    // Where it is asked what stays out, the same words name it.
    assert_eq!(features("not_now_known", "de", "Newsletter überhaupt nicht"), [is(OUT, json!(["Newsletter"]), true)]);
    // An order is no list of what stays out.
    let order = features("not_now_known", "de", "Erst die Suche, dann die Kasse, zuletzt die Karte");
    assert!(!order.iter().any(|(path, ..)| path == OUT), "{order:?}");
}

#[test]
fn of_an_element_only_the_thing_is_kept_and_not_what_is_said_of_it() {
    let names = |asked: &str, language: &str, message: &str| {
        let kept = kept("feature-prioritization", asked, language, message);
        kept.first().map(|(_, value, _)| value.clone()).unwrap_or_default()
    };
    assert_eq!(names("must_haves_known", "de", "Suche und Kasse müssen unbedingt rein"), json!(["Suche", "Kasse"]));
    assert_eq!(names("must_haves_known", "en", "search and checkout have to be in"), json!(["search", "checkout"]));
    assert_eq!(
        names("quick_wins_known", "de", "Suche und Karte gehen schnell, etwa 3 Tage"),
        json!(["Suche", "Karte"])
    );
    assert_eq!(
        names("features_identified", "de", "Wir brauchen einen Kalender, eine Suche und ca. 4 Formulare."),
        json!(["Kalender", "Suche", "ca. 4 Formulare"])
    );
}

#[test]
fn the_dots_of_german_dates_ordinals_and_abbreviations_end_no_sentence() {
    let message = "Suche, Karte und Kasse. Das alles muss bis zum Sommerfest am 4. Juli fertig sein.";
    assert_eq!(
        kept("feature-prioritization", "features_identified", "de", message),
        [
            is("features.names", json!(["Suche", "Karte", "Kasse"]), true),
            is("frame.period", json!("Das alles muss bis zum Sommerfest am 4. Juli fertig sein"), false),
        ]
    );
    for message in [
        "Die Leute im 3. Stock bzw. in der Spedition",
        "Unsere 2. Schicht, d. h. ca. 9 Leute, bes. am Abend",
        "Die Mieter ab dem 1. Mai",
    ] {
        let heard = heard("project-discovery", "primary_user_known", "de", message);
        let kept = heard.kept(message);
        assert_eq!(kept[0].value, json!(message), "{heard:#?}");
    }
    // A number may still end a sentence.
    let heard = heard("project-discovery", "primary_user_known", "de", "Wir sind 12. Die meisten fahren.");
    assert_eq!(heard.clauses.len(), 2, "{heard:#?}");
}

#[test]
fn german_greetings_and_halves_are_understood() {
    const OUTAGE: &str = "non_functional_screening.outage_tolerance";
    for greeting in ["Mahlzeit!", "Moin moin", "Servus miteinander"] {
        assert_eq!(heard("project-discovery", "core_problem_stated", "de", greeting).fields, [], "{greeting}");
    }
    let outage = |message: &str| kept("project-discovery", "outage_screened", "de", message);
    assert_eq!(outage("anderthalb Stunden"), [is(OUTAGE, json!("hours"), true)]);
    assert_eq!(outage("höchstens eineinhalb Tage"), [is(OUTAGE, json!("days"), true)]);
    assert_eq!(outage("eine halbe Stunde, mehr nicht"), [is(OUTAGE, json!("minutes"), true)]);
}

#[test]
fn a_choice_that_is_denied_does_not_count_and_a_later_one_does() {
    let sure = |language: &str, message: &str| {
        let kept = kept("exploration", "confidence_stated", language, message);
        kept.iter().map(|(_, value, _)| value.clone()).collect::<Vec<_>>()
    };
    assert_eq!(sure("en", "not high"), [""; 0]);
    assert_eq!(sure("de", "nicht besonders hoch"), [""; 0]);
    assert_eq!(sure("en", "Very sure. Well, medium I'd say."), [json!("medium")]);
    assert_eq!(sure("en", "high… no, low"), [json!("low")]);
    let decides = |language: &str, message: &str| {
        kept("feature-prioritization", "approach_chosen", language, message).first().map(|(_, value, _)| value.clone())
    };
    assert_eq!(decides("en", "not value, effort"), Some(json!("effort")));
    assert_eq!(decides("de", "Nicht der Nutzen, der Aufwand"), Some(json!("effort")));
    let outage = kept("project-discovery", "outage_screened", "en", "half an hour at most");
    assert_eq!(outage[0].1, json!("minutes"));
    let data = |message: &str| kept("project-discovery", "personal_data_screened", "en", message)[0].1.clone();
    assert_eq!(data("their names and addresses, nothing else"), json!(true));
    assert_eq!(data("no, nothing of the kind"), json!(false));
}

#[test]
fn words_that_look_like_talk_are_answers_beside_a_question_they_answer() {
    for (engine, asked, language, message) in [
        ("project-discovery", "judge_known", "en", "I'm the boss here"),
        ("project-discovery", "judge_known", "en", "me, I run the place"),
        ("project-discovery", "judge_known", "de", "Ich bin hier die Chefin"),
        ("feature-prioritization", "must_haves_known", "en", "all of them except the map"),
        ("feature-prioritization", "must_haves_known", "de", "alle außer der Karte"),
        ("exploration", "risks_named", "en", "or something cheaper comes up"),
        ("exploration", "risks_named", "de", "oder es kommt etwas Günstigeres"),
    ] {
        assert_eq!(heard(engine, asked, language, message).fields.len(), 1, "{message}");
    }
}

#[test]
fn a_figure_of_another_kind_is_doubted() {
    for (asked, message) in [
        ("frustration_known", "12 now, 20 next year"),
        ("failure_signs_known", "about 9,000, might go to 11"),
        ("trigger_event_known", "roughly 30 percent"),
    ] {
        let kept = kept("project-discovery", asked, "en", message);
        assert_eq!(kept.iter().map(|(.., known)| *known).collect::<Vec<_>>(), [false], "{message}");
    }
    // What was lost is a cost, whatever was asked.
    for (language, message) in [
        ("en", "We lost 9000 last winter because of that"),
        ("de", "Das hat uns letztes Jahr 9000 gekostet"),
        ("de", "Wir haben im Winter 9000 Euro verloren"),
    ] {
        let kept = kept("project-discovery", "budget_known", language, message);
        assert_eq!(kept, [is("purpose_and_problem.cost_of_problem", json!(message), false)]);
    }
}

#[test]
fn two_facts_in_one_breath_stay_two() {
    const BUDGET: &str = "constraints.budget";
    const DEADLINE: &str = "constraints.deadline";
    assert_eq!(
        kept(
            "project-discovery",
            "project_summarised",
            "en",
            "a rota for our drivers, budget max 9k, must run before easter"
        ),
        [
            is("purpose_and_problem.summary", json!("a rota for our drivers"), true),
            is(BUDGET, json!("budget max 9k"), false),
            is(DEADLINE, json!("before easter"), false),
        ]
    );
    // Putting one figure right leaves the others.
    let message = "We have 3 vans and 11 drivers, no wait, 12 drivers";
    assert_eq!(
        kept("exploration", "situation_known", "en", message),
        [is("initial_state.current_situation", json!(message), true)]
    );
    let team = kept("project-discovery", "team_known", "en", "my niece programs, 6 hours a week");
    assert_eq!(team, [is("constraints.team", json!("my niece programs, 6 hours a week"), true)]);
    let (offer, people, size) = ("product_offering.core_offer", "team_composition.people", "financial_model.size");
    let told = kept(
        "business-profile",
        "offer_known",
        "en",
        "We repair bikes. 4 on payroll plus 2 students. We do about 310.000 a year.",
    );
    let paths: Vec<&str> = told.iter().map(|(path, ..)| path.as_str()).collect();
    assert_eq!(paths, [offer, people, size], "{told:?}");
}
