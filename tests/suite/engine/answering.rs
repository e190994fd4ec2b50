//! Direct answers, fields that hold a kind of thing, facts that were volunteered, what is pasted, lists and names.

use elenchus::engine::memory::{Asked, Candidate, LanguageState, WorkingMemory};
use elenchus::engine::reading::{Heard, Standing, read};
use elenchus::engine::{Engine, edit};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::support::shipped;

const DISCOVERY: &str = "project-discovery";
const FEATURES: &str = "feature-prioritization";
const IDEAS: &str = "ideation";
const EXPLORATION: &str = "exploration";

fn memory(engine: &Engine, language: &str, asked: &str, known: &[(&str, Value)]) -> WorkingMemory {
    let mut memory = WorkingMemory::new(engine.definition());
    memory.turn = 1;
    memory.language = LanguageState::begun_in(language.to_owned(), true);
    for (path, value) in known {
        memory = edit::correct(engine, &memory, path, value).expect("it fits the field").memory;
    }
    memory.asked = vec![Asked { obligation: asked.to_owned(), ..Asked::default() }];
    memory
}

/// What would be kept of a message: the last part of each path, the value, and whether it counts at once.
fn kept(id: &str, language: &str, asked: &str, known: &[(&str, Value)], message: &str) -> Vec<(String, Value, bool)> {
    let engine = shipped(id);
    let heard: Heard = read(&engine, &memory(&engine, language, asked, known), message);
    let all = heard.kept(message);
    let name = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    all.into_iter().map(|own| (name(&own.path), own.value, own.status == Standing::Known)).collect()
}

/// What would be kept of a message for a field, the elements of a list together.
fn value(kept: &[(String, Value, bool)], name: &str) -> Value {
    let own: Vec<&Value> =
        kept.iter().filter(|(own, value, _)| own == name && !value.is_null()).map(|(_, value, _)| value).collect();
    if own.iter().any(|value| value.is_array()) {
        return Value::Array(own.iter().filter_map(|value| value.as_array()).flatten().cloned().collect());
    }
    own.first().map_or(Value::Null, |value| (*value).clone())
}

#[test]
fn a_direct_answer_stays_with_its_question() {
    for (language, asked, name, message, wanted) in [
        (
            "de",
            "core_problem_stated",
            "core_problem",
            "Die Monteure fahren doppelt, weil keiner weiß, wer wo ist. Der Herr Kolb telefoniert deswegen jeden Morgen eine Stunde herum.",
            "Die Monteure fahren doppelt, weil keiner weiß, wer wo ist. Der Herr Kolb telefoniert deswegen jeden Morgen eine Stunde herum",
        ),
        ("de", "cost_of_problem_known", "cost_of_problem", "so acht Stunden die Woche", "so acht Stunden die Woche"),
        ("en", "cost_of_problem_known", "cost_of_problem", "half a day every week", "half a day every week"),
        ("en", "cost_of_problem_known", "cost_of_problem", "roughly 300 euros a month", "roughly 300 euros a month"),
        ("en", "cost_of_problem_known", "cost_of_problem", "the cost. it's 8 hours a week", "it's 8 hours a week"),
        ("en", "budget_known", "budget", "500 euros per month", "500 euros per month"),
        ("en", "primary_user_known", "primary_user", "who will use it most? the two drivers", "the two drivers"),
        (
            "de",
            "desired_outcome_known",
            "desired_outcome",
            "Was anders sein soll? Dass abends keiner anruft.",
            "Dass abends keiner anruft",
        ),
        (
            "en",
            "trigger_event_known",
            "trigger_event",
            "Two brides got the same dress in June. That was the trigger.",
            "Two brides got the same dress in June",
        ),
        (
            "de",
            "trigger_event_known",
            "trigger_event",
            "Im März haben wir zwei Patienten einfach vergessen, die standen auf keinem Zettel. Das war der Auslöser.",
            "Im März haben wir zwei Patienten einfach vergessen, die standen auf keinem Zettel",
        ),
        (
            "en",
            "core_problem_stated",
            "core_problem",
            "Nobody knows which van has which tools. That's the problem.",
            "Nobody knows which van has which tools",
        ),
        (
            "en",
            "success_measured",
            "target",
            "count the plates throwed away. now 15 in week, i want maximum 3",
            "maximum 3",
        ),
        (
            "en",
            "success_measured",
            "target",
            "how many calls we miss. at the moment 12 a day, under 4 would be good",
            "under 4 would be good",
        ),
    ] {
        let kept = kept(DISCOVERY, language, asked, &[], message);
        assert_eq!(value(&kept, name), wanted, "{message}: {kept:?}");
        assert!(kept.iter().any(|(own, _, known)| own == name && *known), "{message}: {kept:?}");
    }
}

#[test]
fn what_was_told_first_is_the_answer_and_a_last_word_says_what_it_is() {
    for (language, message, wanted) in [
        (
            "en",
            "probably whether people would quit if it's further out. two of them have kids in the nursery next door",
            "whether people would quit if it's further out",
        ),
        ("de", "ob die Leute dann kündigen. zwei haben Kinder im Kindergarten nebenan", "ob die Leute dann kündigen"),
    ] {
        let kept = kept(EXPLORATION, language, "gaps_named", &[], message);
        assert_eq!(value(&kept, "knowledge_gaps"), json!([wanted]), "{message}: {kept:?}");
    }
    for (language, message, wanted) in [
        ("en", "staying. final.", "staying"),
        ("de", "wir bleiben. endgültig.", "wir bleiben"),
        ("en", "the lease. decided.", "the lease"),
    ] {
        let kept = kept(EXPLORATION, language, "drawbacks_seen", &[], message);
        assert_eq!(value(&kept, "choice"), wanted, "{message}: {kept:?}");
        assert_eq!(value(&kept, "drawbacks"), Value::Null, "{message}: {kept:?}");
    }
}

#[test]
fn an_element_of_the_list_is_a_yes_and_another_order_is_a_correction() {
    let ideas = [("idea_generation.idea_list", json!(["soup night", "book swap", "repair cafe"]))];
    for (message, wanted) in
        [("book swap", json!(["book swap"])), ("the soup night and the book swap", json!(["soup night", "book swap"]))]
    {
        let kept = kept(IDEAS, "en", "worth_pursuing", &ideas, message);
        assert_eq!((value(&kept, "worth_pursuing"), value(&kept, "shortlist")), (json!(true), wanted), "{message}");
    }
    let order = [
        ("features.names", json!(["chat", "map", "export"])),
        ("prioritization.ranked", json!(["chat", "map", "export"])),
    ];
    for (language, message, wanted) in [
        ("en", "move map up", json!(["map", "chat", "export"])),
        ("en", "put export first", json!(["export", "chat", "map"])),
        ("en", "map before chat please", json!(["map", "chat", "export"])),
        ("en", "export, chat, map", json!(["export", "chat", "map"])),
        ("de", "export nach oben", json!(["chat", "export", "map"])),
        ("de", "erst map, dann export, dann chat", json!(["map", "export", "chat"])),
    ] {
        let kept = kept(FEATURES, language, "ranking_confirmed", &order, message);
        assert_eq!(value(&kept, "ranked"), wanted, "{message}: {kept:?}");
        assert_eq!(value(&kept, "confirmed"), Value::Null, "{message}: {kept:?}");
    }
}

#[test]
fn sums_and_times_take_only_what_can_be_one() {
    for (language, asked, name, message) in [
        ("en", "budget_known", "budget", "every day!!"),
        ("en", "budget_known", "budget", "If the old ones still phone"),
        ("en", "budget_known", "budget", "-3 €"),
        ("de", "budget_known", "budget", "jeden Tag"),
        ("en", "deadline_known", "deadline", "yes i decide"),
        ("de", "deadline_known", "deadline", "höchstens eine Stunde"),
        ("en", "deadline_known", "deadline", "we have to decide by Friday whether to do it"),
        ("en", "deadline_known", "deadline", "same as last year"),
        ("en", "deadline_known", "deadline", "31.2.2027last week"),
        ("en", "team_known", "team", "usable by people without training"),
        ("de", "team_known", "team", "muss ohne Schulung gehen"),
    ] {
        let kept = kept(DISCOVERY, language, asked, &[], message);
        assert_eq!(value(&kept, name), Value::Null, "{message}: {kept:?}");
    }
    for message in ["one printed list", "12.5 people"] {
        let kept = kept(DISCOVERY, "en", "usage_known", &[], message);
        assert!(!kept.iter().any(|(name, _, known)| name == "expected_users" && *known), "{message}: {kept:?}");
    }
    for (language, asked, name, message) in [
        ("en", "budget_known", "budget", "nothing, just our time"),
        ("en", "budget_known", "budget", "no money at all"),
        ("de", "budget_known", "budget", "fünfunddreißigtausend"),
        ("en", "deadline_known", "deadline", "before the season"),
        ("en", "deadline_known", "deadline", "as soon as possible"),
        ("de", "deadline_known", "deadline", "bis Ende Mai"),
    ] {
        let kept = kept(DISCOVERY, language, asked, &[], message);
        assert_eq!(value(&kept, name), message, "{kept:?}");
    }
    let counted = kept(DISCOVERY, "de", "usage_known", &[], "zweiundvierzig Leute");
    assert_eq!(value(&counted, "expected_users"), 42);
}

#[test]
fn figures_of_several_kinds_go_to_their_fields() {
    for (language, asked, message, budget, deadline) in [
        ("en", "core_problem_stated", "it must be 20k max and ready by Easter", "20k max", "ready by Easter"),
        ("en", "frustration_known", "20k tops and it has to run by June", "20k tops", "by June"),
        ("de", "core_problem_stated", "Budget sind so zwölftausend, bis Ostern", "so zwölftausend", "bis Ostern"),
    ] {
        let kept = kept(DISCOVERY, language, asked, &[], message);
        assert_eq!(
            (value(&kept, "budget"), value(&kept, "deadline")),
            (json!(budget), json!(deadline)),
            "{message}: {kept:?}"
        );
    }
    for (language, message) in [("en", "end of May would be great"), ("de", "Ende Mai wäre super")] {
        let kept = kept(DISCOVERY, language, "success_measured", &[], message);
        assert_eq!(value(&kept, "deadline"), message, "{kept:?}");
        assert_eq!(value(&kept, "target"), Value::Null, "{kept:?}");
    }
    for (language, message) in [("en", "budget 12k"), ("de", "Budget zwölftausend")] {
        let kept = kept(DISCOVERY, language, "core_problem_stated", &[], message);
        assert!(!value(&kept, "budget").is_null() && value(&kept, "core_problem").is_null(), "{message}: {kept:?}");
    }
    let kept = kept(
        DISCOVERY,
        "en",
        "budget_known",
        &[],
        "ten to twelve thousand, Easter at the latest, and Mo does the coding",
    );
    assert_eq!(value(&kept, "budget"), "ten to twelve thousand");
    assert_eq!(value(&kept, "deadline"), "Easter at the latest");
    assert_eq!(value(&kept, "team"), "Mo does the coding");
}

#[test]
fn what_is_said_again_counts() {
    let engine = shipped(DISCOVERY);
    let mut memory = memory(&engine, "en", "primary_user_known", &[]);
    memory.turn = 3;
    let waiting = Candidate {
        value: json!("20k max"),
        confidence: 0.6,
        turn: 1,
        reason: "it was said in passing".to_owned(),
        evidence: None,
    };
    memory.extraction.entry("constraints.budget").candidate = Some(waiting);
    let message = "as I said, 20k max.";
    let again = read(&engine, &memory, message).kept(message);
    let budget = again.iter().find(|own| own.path == "constraints.budget").expect("it is heard");
    assert_eq!(budget.status, Standing::Known, "{again:?}");
}

#[test]
fn labels_of_notes_in_one_line_and_the_frame_of_a_mail_are_known() {
    let notes = "pasting notes from our kickoff: - Project: shift swap board - who: 60ish volunteers - budget: £4,000 from the \
                 lottery fund - problem: people don't turn up - out of scope: payroll";
    let kept_notes = kept(DISCOVERY, "en", "project_summarised", &[], notes);
    for (name, wanted) in [
        ("summary", json!("shift swap board")),
        ("primary_user", json!("60ish volunteers")),
        ("budget", json!("£4,000 from the lottery fund")),
        ("core_problem", json!("people don't turn up")),
        ("out_of_scope", json!(["payroll"])),
        ("scope_confirmed", Value::Null),
    ] {
        assert_eq!(value(&kept_notes, name), wanted, "{name}: {kept_notes:?}");
    }
    let short =
        kept(DISCOVERY, "en", "project_summarised", &[], "Project: loan desk app - Budget: 6k - Deadline: end of June");
    assert_eq!((value(&short, "summary"), value(&short, "budget")), (json!("loan desk app"), json!("6k")), "{short:?}");
    for head in [
        "From: Dana Whitfield Subject: Q3 scope Hi Raj, ",
        "From: Dana Whitfield\nSubject: Q3 scope\n\nHi Raj,\n\n",
        "Hi Raj, ",
    ] {
        let mail = format!(
            "{head}customers keep asking for CSV export and for SSO. Dark mode would be nice. Offline mode is months of work, I'd park it.\n\nBest,\nDana"
        );
        let kept = kept(FEATURES, "en", "features_identified", &[], &mail);
        assert_eq!(
            value(&kept, "names"),
            json!(["CSV export", "SSO", "Dark mode", "Offline mode"]),
            "{head}: {kept:?}"
        );
        assert_eq!(value(&kept, "not_now"), json!(["Offline mode"]), "{head}: {kept:?}");
    }
    let german = "Liebe Anna, unsere Kunden fragen ständig nach Rechnungen per Mail und nach Erinnerungen. Eine Karte wäre schön.\n\nViele Grüße\nJens";
    let kept = kept(FEATURES, "de", "features_identified", &[], german);
    assert_eq!(value(&kept, "names"), json!(["Rechnungen per Mail", "Erinnerungen", "Karte"]), "{kept:?}");
}

#[test]
fn lists_name_things_and_leave_what_is_said_of_them() {
    let known = [("features.names", json!(["login", "export", "search"]))];
    for (id, language, asked, name, message, wanted) in [
        (
            FEATURES,
            "en",
            "user_value_assessed",
            "user_favourites",
            "booking online, hands down",
            json!(["booking online"]),
        ),
        (
            FEATURES,
            "de",
            "user_value_assessed",
            "user_favourites",
            "der Kalender, mit Abstand",
            json!(["der Kalender"]),
        ),
        (
            FEATURES,
            "en",
            "must_haves_known",
            "must_haves",
            "login, and the export, definitely not search",
            json!(["login", "export"]),
        ),
        (FEATURES, "en", "must_haves_known", "must_haves", "all of them", json!(["login", "export", "search"])),
        (FEATURES, "de", "must_haves_known", "must_haves", "alle", json!(["login", "export", "search"])),
        (FEATURES, "en", "quick_wins_known", "quick_wins", "csv import, ben reckons 2 days", json!(["csv import"])),
        (
            FEATURES,
            "en",
            "hard_ones_known",
            "hard_ones",
            "vouchers, maybe three days. booking is the monster",
            json!(["vouchers", "booking"]),
        ),
        (
            FEATURES,
            "en",
            "features_described",
            "identified",
            "SSO is single sign on, rest is clear",
            json!([{"name": "SSO", "description": "single sign on"}]),
        ),
    ] {
        let kept = kept(id, language, asked, &known, message);
        assert_eq!(value(&kept, name), wanted, "{message}: {kept:?}");
    }
}

#[test]
fn remarks_jokes_and_figures_in_lists_are_told_from_names() {
    for (id, language, asked, name, message, wanted) in [
        (
            DISCOVERY,
            "en",
            "jobs_known",
            "jobs_to_be_done",
            "See which shifts are theirs, swap one, say they're ill",
            json!(["See which shifts are theirs", "swap one", "say they're ill"]),
        ),
        (
            DISCOVERY,
            "en",
            "other_groups_known",
            "other_groups",
            "the wife. just kidding, accounting",
            json!(["accounting"]),
        ),
        (
            DISCOVERY,
            "de",
            "other_groups_known",
            "other_groups",
            "mein Chef. kleiner Scherz, die Buchhaltung",
            json!(["die Buchhaltung"]),
        ),
        (DISCOVERY, "de", "other_groups_known", "other_groups", "noch die Angehörigen", json!(["die Angehörigen"])),
        (
            IDEAS,
            "en",
            "limits_known",
            "limits",
            "at most 200 euros, and no new rooms",
            json!(["at most 200 euros", "no new rooms"]),
        ),
        (IDEAS, "en", "first_ideas", "idea_list", "a coworking for a year and see", json!(["a coworking for a year"])),
        (IDEAS, "en", "first_ideas", "idea_list", "none yet", Value::Null),
        (IDEAS, "de", "first_ideas", "idea_list", "noch keine", Value::Null),
    ] {
        let kept = kept(id, language, asked, &[], message);
        assert_eq!(value(&kept, name), wanted, "{message}: {kept:?}");
    }
}

#[test]
fn what_leads_up_to_an_answer_is_no_part_of_it() {
    for (asked, name, message, wanted) in [
        ("budget_known", "budget", "i say already, 12k", "12k"),
        ("budget_known", "budget", "it's in the notes I pasted: £4,000", "£4,000"),
        ("trigger_event_known", "trigger_event", "yes the health inspection", "the health inspection"),
        (
            "project_summarised",
            "summary",
            "hello i am from Brazil, i want make app for order in my restaurant",
            "make app for order in my restaurant",
        ),
    ] {
        let kept = kept(DISCOVERY, "en", asked, &[], message);
        assert_eq!(value(&kept, name), wanted, "{message}: {kept:?}");
    }
    let goals = kept(EXPLORATION, "en", "goals_known", &[], "what should be better... less commuting");
    assert_eq!(value(&goals, "goals"), json!(["less commuting"]), "{goals:?}");
    let offer = kept(
        "business-profile",
        "en",
        "offer_known",
        &[],
        "I run a nail salon in the old town, open since 2019, mainly gel",
    );
    assert_eq!(
        value(&offer, "core_offer"),
        "I run a nail salon in the old town, open since 2019, mainly gel",
        "{offer:?}"
    );
}
