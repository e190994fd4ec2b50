//! What is made of replies over several turns: verdicts with exceptions, objections, corrections, commands.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

/// What a turn changed for good, by path.
fn taken(turn: &Value) -> Vec<(&str, &Value)> {
    let changes = turn["extraction_changes"].as_array().unwrap();
    changes.iter().map(|change| (change["path"].as_str().unwrap(), &change["value"])).collect()
}

fn value_of<'t>(turn: &'t Value, path: &str) -> Option<&'t Value> {
    taken(turn).into_iter().rev().find(|(own, _)| *own == path).map(|(_, value)| value)
}

fn said(turns: &[Value]) -> Vec<&str> {
    turns.iter().map(response).collect()
}

fn talk(engine: &str, messages: &[&str]) -> Vec<Value> {
    Program::new().converse(engine, &format!("{}\n", messages.join("\n")))
}

const PROJECT: &str = "project-discovery";
const COST: &str = "purpose_and_problem.cost_of_problem";
const BUDGET: &str = "constraints.budget";
const DEADLINE: &str = "constraints.deadline";
const USERS: &str = "users_and_personas.expected_users";

/// Five points, shown together for one yes.
const NOTES: &str = "We want a ticket shop for our village theatre. Nora spends about 9 hours a week on the phone. We can \
                     spend up to 8,000 euros and it must be ready by March. About 300 people will use it.";

/// The reply to the list of what was understood.
fn reply_to_list(reply: &str) -> Value {
    let turns = talk(PROJECT, &[NOTES, reply]);
    assert!(response(&turns[0]).ends_with("Is all of that right?"), "{}", response(&turns[0]));
    turns.into_iter().nth(1).unwrap()
}

#[test]
fn an_exception_reaches_its_own_field_and_the_rest_is_confirmed() {
    for (reply, path, value) in [
        ("no, it's 340 people", USERS, json!(340)),
        ("all fine, only that it's 340 people", USERS, json!(340)),
        ("nearly, 340 people, everything else is correct", USERS, json!(340)),
        ("yep but march is april", DEADLINE, json!("april")),
        ("that's all right apart from the budget, the budget is 9,500 euros", BUDGET, json!("9,500 euros")),
    ] {
        let turn = reply_to_list(reply);
        assert_eq!(value_of(&turn, path), Some(&value), "{reply}: {turn:#}");
        let confirmed = [COST, BUDGET, DEADLINE, USERS].iter().filter(|path| value_of(&turn, path).is_some()).count();
        assert_eq!(confirmed, 4, "{reply}: {:#?}", taken(&turn));
        let cost = value_of(&turn, COST).unwrap();
        assert_eq!(cost, &json!("Nora spends about 9 hours a week on the phone"), "{reply}");
        let answer = response(&turn);
        assert!(answer.contains("I have put this right, and the rest stays as it is:"), "{reply}: {answer}");
    }
}

#[test]
fn what_is_only_named_as_wrong_is_asked_for_and_the_rest_is_confirmed() {
    for reply in ["everything except the deadline", "all but the deadline", "the deadline is wrong"] {
        let turn = reply_to_list(reply);
        let mut paths: Vec<&str> = taken(&turn).into_iter().map(|(path, _)| path).collect();
        paths.sort_unstable();
        assert_eq!(paths, [BUDGET, COST, USERS], "{reply}");
        let answer = response(&turn);
        assert!(answer.contains("the rest stays as it is"), "{reply}: {answer}");
        assert!(answer.ends_with("By when do you need it?"), "{reply}: {answer}");
    }
}

#[test]
fn a_no_that_says_nothing_else_confirms_nothing_and_asks_which_one() {
    for reply in ["no", "not quite", "almost"] {
        let turn = reply_to_list(reply);
        assert_eq!(taken(&turn), [], "{reply}");
        assert!(response(&turn).ends_with("Which of these is not right? Tell me how it should be."), "{reply}");
    }
}

#[test]
fn an_exception_to_everything_that_was_said_is_taken_and_everything_is_not_agreed_to_yet() {
    let program = Program::new();
    let known = program.folder().join("known.json");
    let all = json!({ BUDGET: "15,000 euros", DEADLINE: "by June", "purpose_and_problem.summary": "A booking tool" });
    std::fs::write(&known, all.to_string()).unwrap();
    let read = |message: &str| {
        let known = known.to_str().unwrap();
        let asked =
            ["engines", "read", PROJECT, "--asked", "confirm_project_scope", "--known", known, "--json", message];
        let heard: Value = serde_json::from_str(&program.run(&asked).data).unwrap();
        let fields = heard["fields"].as_array().unwrap().clone();
        fields
            .iter()
            .map(|field| (field["path"].as_str().unwrap().to_owned(), field["value"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        read("sounds good, but the deadline is May, not June"),
        [(DEADLINE.to_owned(), json!("the deadline is May"))]
    );
    assert_eq!(read("all right except the budget, it's 20,000 euros"), [(BUDGET.to_owned(), json!("20,000 euros"))]);
    assert_eq!(read("yes"), [("validation.scope_confirmed".to_owned(), json!(true))]);
}

/// Until the interviewer asks whether something that was said is meant.
const OFFER: [&str; 4] = [
    "An app for our drivers",
    "the auditor complained in May",
    "the vans come back broken and nobody writes it down",
    "it costs us 3 hours a week",
];
const OFFERED: &str = "“nobody writes it down”. Is that how it is done today?";

#[test]
fn a_yes_with_something_beside_it_takes_what_was_shown() {
    for reply in ["yes, that's the one", "yes, those are the ones", "yes it is, every week", "yep, thank you dear"] {
        let turns = talk(PROJECT, &[&OFFER[..], &[reply]].concat());
        assert!(response(&turns[3]).ends_with(OFFERED), "{}", response(&turns[3]));
        let taken = taken(&turns[4]);
        assert_eq!(taken.len(), 1, "{reply}: {taken:#?}");
        assert_eq!(taken[0], ("purpose_and_problem.current_solution", &json!("nobody writes it down")), "{reply}");
    }
}

#[test]
fn an_exception_to_a_yes_takes_the_place_of_what_was_shown() {
    let messages = [
        "A booking tool for our bike couriers",
        "my partner left in May and nobody plans the shifts",
        "riders are late",
        "I just said it: we lose kegs",
        "yes but it's 300 euros a month",
    ];
    let turns = talk(PROJECT, &messages);
    assert!(
        response(&turns[3]).ends_with("“we lose kegs”. Is that what the problem costs you?"),
        "{:#?}",
        said(&turns)
    );
    assert_eq!(taken(&turns[4]), [(COST, &json!("it's 300 euros a month"))]);
}

#[test]
fn who_objects_that_it_was_said_says_it_in_the_same_breath() {
    for (message, value) in [
        ("I already said it: the invoices get lost", "the invoices get lost"),
        ("you asked me that already, the invoices get lost", "the invoices get lost"),
        ("the invoices get lost, i told you", "the invoices get lost"),
        ("like i told you before, the invoices get lost", "the invoices get lost"),
    ] {
        let turns = talk(PROJECT, &["A rota app for our bakery", "My sister left in May", message]);
        let heard = value_of(&turns[2], "purpose_and_problem.core_problem");
        assert_eq!(heard, Some(&json!(value)), "{message}: {}", response(&turns[2]));
    }
}

#[test]
fn what_an_objection_names_is_looked_for_and_nothing_else_is_offered() {
    let messages = ["A rota app for our bakery", "My sister left in May", "The invoices get lost"];
    let ask =
        |objection: &str| response(&talk(PROJECT, &[messages[0], messages[1], messages[2], objection])[3]).to_owned();
    let known = ask("you forgot my answer about the trigger");
    assert!(known.contains("You did, sorry. I have “My sister left in May”."), "{known}");
    let unknown = ask("you ignored what I wrote about the budget");
    assert!(unknown.contains("I have nothing yet on") && !unknown.contains("Shall I take that?"), "{unknown}");
    assert!(unknown.contains("budget") || unknown.contains("cost"), "{unknown}");
    let plain = ask("I told you already");
    assert!(!plain.contains("sister") && !plain.contains("You said"), "{plain}");
}

#[test]
fn a_value_moves_to_the_field_that_it_was_meant_for() {
    let turns = talk(
        PROJECT,
        &[
            "An app for our drivers",
            "the auditor came in May",
            "the vans come back broken and nobody writes it down",
            "it all began when our insurance got dearer by 12 percent",
            "I meant that as the trigger, not the cost",
        ],
    );
    let last = turns.last().unwrap();
    assert_eq!(
        value_of(last, "purpose_and_problem.trigger_event"),
        Some(&json!("our insurance got dearer by 12 percent")),
        "{last:#}"
    );
    let notes = last["extraction_notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["path"] == COST && note["kind"] == "cleared"), "{notes:#?}");
}

#[test]
fn what_is_called_by_its_name_is_corrected_and_not_what_it_is_told_apart_from() {
    let turns = talk(
        "business-profile",
        &[
            "we mend bikes",
            "we are quick",
            "shop for sports",
            "the sports chain and a man at the station",
            "my trade is bike repair, not the sports chain",
        ],
    );
    let last = turns.last().unwrap();
    assert_eq!(value_of(last, "industry.sector"), Some(&json!("bike repair")), "{:#?}", said(&turns));
    assert_eq!(value_of(last, "industry.competitors"), None, "{:#?}", taken(last));
    assert!(!response(last).contains("no longer ."), "{}", response(last));
}

#[test]
fn words_that_announce_a_correction_are_no_part_of_it() {
    let turns =
        talk("business-profile", &["we mend bikes", "we are quick", "that's not right, it should say we are careful"]);
    let changed: Vec<String> =
        turns[2]["extraction_changes"].as_array().unwrap().iter().map(|c| c["value"].to_string()).collect();
    assert!(changed.iter().all(|value| !value.contains("it should say")), "{changed:?}");
}

#[test]
fn a_figure_that_was_said_gives_way_to_the_one_after_it() {
    let turns = talk(PROJECT, &[NOTES, "yes", "wait, i said 8,000 euros, that was the old plan, now it's 9,500 euros"]);
    assert_eq!(value_of(&turns[2], BUDGET), Some(&json!("9,500 euros")), "{:#?}", taken(&turns[2]));
    assert!(response(&turns[2]).contains("9,500 euros"), "{}", response(&turns[2]));
}

#[test]
fn elements_are_taken_off_a_list_and_put_on_it() {
    let names = "features.names";
    let turns = talk(
        "feature-prioritization",
        &[
            "gift cards, seat plan, waiting list",
            "Fewer empty seats",
            "please take the seat plan off the list",
            "drop the gift cards, add a newsletter",
        ],
    );
    assert_eq!(value_of(&turns[2], names), Some(&json!(["gift cards", "waiting list"])));
    assert!(response(&turns[2]).contains("“seat plan”"), "{}", response(&turns[2]));
    assert_eq!(value_of(&turns[3], names), Some(&json!(["waiting list", "a newsletter"])));
    let german = Program::new().converse(
        "feature-prioritization",
        "Guten Tag! Zur Wahl stehen bei uns ein Kalender, eine Fotogalerie, eine Mitgliederliste und ein Chat für den Vorstand\nBitte streichen Sie die Fotogalerie aus der Liste\n",
    );
    let last = german.last().unwrap();
    let left = value_of(last, names).map(Value::to_string).unwrap_or_default();
    assert!(left.contains("Kalender") && !left.contains("Fotogalerie"), "{:#?}", said(&german));
}

#[test]
fn a_question_that_is_named_is_skipped_and_does_not_come_back_before_the_end() {
    let turns = talk(
        PROJECT,
        &[
            "A rota app for our bakery",
            "skip the question about what happened",
            "The invoices get lost",
            "3 hours a week",
            "by phone",
        ],
    );
    for turn in &turns[1..] {
        assert!(!response(turn).contains("What happened that makes this a project now?"), "{:#?}", said(&turns));
    }
    let turns = talk(PROJECT, &["A rota app for our bakery", "skip", "i said skip"]);
    assert!(!response(&turns[2]).contains("How should it be?"), "{:#?}", said(&turns));
}

#[test]
fn the_question_is_repeated_as_it_was_shown() {
    let turns = talk(PROJECT, &[&OFFER[..], &["what was the question?", "what do you mean?"]].concat());
    for turn in &turns[3..] {
        assert!(response(turn).ends_with(OFFERED), "{:#?}", said(&turns));
    }
    let list = talk(PROJECT, &[NOTES, "what was the question?"]);
    assert!(response(&list[1]).contains("- Budget:") && response(&list[1]).ends_with("Is all of that right?"));
}

#[test]
fn who_stops_after_telling_something_is_not_asked_on() {
    for end in ["Can I do the rest later? I have dough in the oven.", "can we stop here"] {
        let turns = talk(PROJECT, &["A rota app for our bakery", &format!("My sister left in May. {end}")]);
        assert_eq!(value_of(&turns[1], "purpose_and_problem.trigger_event"), Some(&json!("My sister left in May")));
        assert!(!response(&turns[1]).contains('?'), "{end}: {}", response(&turns[1]));
    }
}

#[test]
fn going_back_and_starting_over_get_a_real_answer() {
    let turns = talk(
        PROJECT,
        &[
            "A rota app for our bakery",
            "My sister left in May",
            "The invoices get lost",
            "go back two questions",
            "start over",
        ],
    );
    assert!(response(&turns[3]).contains("What happened that makes this a project now?"), "{:#?}", said(&turns));
    assert!(response(&turns[4]).contains("a new session"), "{:#?}", said(&turns));
    assert_eq!(taken(&turns[4]), []);
}

#[test]
fn a_verdict_that_was_not_asked_for_puts_right_what_it_excepts_and_is_no_answer() {
    let turns = talk(
        PROJECT,
        &[
            "we run a rowing club, boats get double booked every weekend, and it has to be live by April",
            "mostly right but April should be May",
        ],
    );
    assert_eq!(taken(&turns[1]), [(DEADLINE, &json!("May"))]);
    assert!(response(&turns[1]).starts_with("I have put that right. Deadline: “May”."), "{}", response(&turns[1]));
    let turns =
        talk("feature-prioritization", &["gift cards, loyalty points, dark mode", "Right, but dark mode is out"]);
    assert_eq!(taken(&turns[1]), [("features.names", &json!(["gift cards", "loyalty points"]))]);
    let turns = talk(
        "feature-prioritization",
        &[
            "Wir planen eine Vereins-App: Terminkalender, Fahrgemeinschaften, Chat",
            "Fast, statt Chat meinte ich Umfragen",
        ],
    );
    let names = json!(["Terminkalender", "Fahrgemeinschaften", "Umfragen"]);
    assert_eq!(taken(&turns[1]), [("features.names", &names)]);
}

#[test]
fn what_is_no_element_of_a_list_is_taken_off_it_and_nothing_else_is() {
    let turns = talk(
        "feature-prioritization",
        &[
            "Wir planen eine Vereins-App: Terminkalender, Fahrgemeinschaften, Chat und fertig bis 15. Mai",
            "Fertig bis 15. Mai ist kein Feature, das ist der Termin",
        ],
    );
    let names = json!(["Terminkalender", "Fahrgemeinschaften", "Chat"]);
    assert_eq!(taken(&turns[1]), [("features.names", &names)]);
    let turns = talk(
        "feature-prioritization",
        &["Terminkalender, Chat, fertig bis 15. Mai", "Das ist kein Feature, das ist der Termin"],
    );
    assert_eq!(taken(&turns[1]), [], "{:#}", turns[1]);
}

#[test]
fn the_name_of_what_was_just_told_says_where_it_belongs_and_is_no_value() {
    let turns = talk(
        PROJECT,
        &["an app for lifeguards", "15k", "thats the budget", "phone calls cost us 500 euros a month", "yes"],
    );
    assert_eq!(taken(&turns[2]), [(BUDGET, &json!("15k"))]);
    let turns = talk(
        PROJECT,
        &[
            "we run a rowing club",
            "two crews stood at the same boat last Sunday",
            "the damage is roughly 3 cancelled outings a month",
            "no, that's what it costs",
        ],
    );
    assert_eq!(value_of(&turns[3], COST), Some(&json!("the damage is roughly 3 cancelled outings a month")));
    assert!(response(&turns[3]).contains("What goes wrong today"), "{}", response(&turns[3]));
    let turns = talk(
        PROJECT,
        &[
            "a booking page",
            "the phone calls cost us about 500 euros a month",
            "I meant that as the cost, not the budget",
        ],
    );
    assert_eq!(taken(&turns[2]), [(COST, &json!("the phone calls cost us about 500 euros a month"))]);
}

#[test]
fn what_is_said_to_be_known_is_no_answer_to_another_question() {
    let turns = talk(
        "business-profile",
        &[
            "Eine Gärtnerei, wir verkaufen Stauden",
            "die Beratung",
            "Gartenbau",
            "Der Baumarkt",
            "Hab ich doch gerade gesagt: der Baumarkt",
        ],
    );
    assert_eq!(value_of(&turns[3], "industry.competitors"), Some(&json!(["Der Baumarkt"])), "{:?}", said(&turns));
    assert_eq!(taken(&turns[4]), [], "{:#}", turns[4]);
}

#[test]
fn an_element_of_the_shown_list_takes_the_place_of_what_was_only_offered() {
    let turns = talk(
        "feature-prioritization",
        &[
            "gift cards, click and collect, loyalty points",
            "we want more repeat orders by christmas",
            "the period is three months",
            "loyalty points",
        ],
    );
    assert_eq!(taken(&turns[3]), [("value.user_favourites", &json!(["loyalty points"]))]);
}

#[test]
fn a_word_of_a_longer_answer_is_put_right_by_an_offer_and_the_rest_is_not_lost() {
    let turns = talk(
        "business-profile",
        &[
            "We run a carpentry workshop in Kassel and build stairs",
            "we keep our dates",
            "I said Kassel, it is Fulda now",
        ],
    );
    assert_eq!(taken(&turns[2]), [], "{:#}", turns[2]);
    assert!(response(&turns[2]).contains("Fulda"), "{}", response(&turns[2]));
}
