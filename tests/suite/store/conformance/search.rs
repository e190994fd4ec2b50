//! Search in what was said.

use elenchus::store::{Role, SearchQuery, Store, query};
use pretty_assertions::assert_eq;

use crate::store::fixture::{message, new_session, session, talk};

fn found(store: &mut Store, text: &str) -> Vec<String> {
    let query = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
    store.search(&query).unwrap().into_iter().map(|hit| query::marks(&hit.snippet).0).collect()
}

pub fn search_finds_what_was_said_ranked_and_marked(store: &mut Store) {
    let begun = session(store, "Intake");
    let long = format!("{} a single naïve triage among many words {}", "before ".repeat(30), "after ".repeat(30));
    talk(store, begun.id, &["triage triage", &long, "nothing of it"]);
    let query = SearchQuery { text: "Triage".to_owned(), ..SearchQuery::default() };
    let hits = store.search(&query).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.turn).collect::<Vec<_>>(), [1, 2], "the denser match comes first");
    assert!(hits[0].score > hits[1].score);
    assert_eq!((hits[0].session_title.as_str(), hits[0].role), ("Intake", Role::User));
    assert_eq!(query::marks(&hits[0].snippet), ("triage triage".to_owned(), vec![0..6, 7..13]));
    let (text, marks) = query::marks(&hits[1].snippet);
    assert_eq!(&text[marks[0].clone()], "triage");
    assert!(text.len() < 200 && text.starts_with('…') && text.ends_with('…'), "{text}");
    assert_eq!(found(store, "naive tri").len(), 1, "accents do not matter, the last word may be begun");
    assert_eq!(found(store, "\"among many\"").len(), 1);
    assert_eq!(found(store, "\"many among\"").len(), 0);
}

pub fn search_for_a_word_that_everybody_says_ranks_the_newest(store: &mut Store) {
    let project = store.ensure_project("Clinic").unwrap();
    let mut new = new_session(project.id, "Loud");
    let word = |number: u32| message(0, Role::User, &format!("the word number {number:05}"));
    new.messages = (0..11_000).map(word).collect();
    new.messages[10_500] = message(0, Role::User, "the the the word");
    let loud = store.create_session(new).unwrap();
    let quiet = session(store, "Quiet");
    talk(store, quiet.id, &["not the word, but another one"]);
    let all = SearchQuery { text: "the word ".to_owned(), limit: Some(2), ..SearchQuery::default() };
    let mut found = |query: SearchQuery| -> Vec<String> {
        store.search(&query).unwrap().into_iter().map(|hit| query::marks(&hit.snippet).0).collect()
    };
    assert_eq!(found(all.clone()), ["the the the word", "the word number 10999"]);
    assert_eq!(found(SearchQuery { project: Some(project.id), ..all.clone() })[0], "the the the word");
    assert_eq!(found(SearchQuery { session: Some(quiet.id), ..all.clone() }), ["not the word, but another one"]);
    assert_eq!(found(SearchQuery { session: Some(loud.id), ..all })[0], "the the the word");
}

pub fn search_keeps_to_its_filters(store: &mut Store) {
    let clinic = session(store, "Intake");
    let school = store.ensure_project("School").unwrap();
    let other = store.create_session(new_session(school.id, "Pupils")).unwrap();
    talk(store, clinic.id, &["appointments"]);
    talk(store, other.id, &["appointments", "appointments"]);
    let all = SearchQuery { text: "appointments".to_owned(), ..SearchQuery::default() };
    let mut count = |query: SearchQuery| store.search(&query).unwrap().len();
    assert_eq!(count(all.clone()), 3);
    assert_eq!(count(SearchQuery { project: Some(school.id), ..all.clone() }), 2);
    assert_eq!(count(SearchQuery { session: Some(clinic.id), ..all.clone() }), 1);
    assert_eq!(count(SearchQuery { engine: Some("discovery".to_owned()), ..all.clone() }), 3);
    assert_eq!(count(SearchQuery { engine: Some("nobody".to_owned()), ..all.clone() }), 0);
    assert_eq!(count(SearchQuery { limit: Some(2), ..all }), 2);
}

pub fn search_does_not_find_what_was_rewound_or_deleted(store: &mut Store) {
    let begun = session(store, "Intake");
    let at_2 = talk(store, begun.id, &["keepsake", "regrettable"]);
    assert_eq!(found(store, "regrettable").len(), 1);
    let rewound = store.rewind(begun.id, at_2.revision, 1).unwrap();
    assert_eq!(found(store, "regrettable").len(), 0);
    store.restore_course(begun.id, rewound.revision, rewound.revision).unwrap();
    assert_eq!(found(store, "regrettable").len(), 1);
    store.delete_sessions(&[begun.id]).unwrap();
    assert_eq!(found(store, "keepsake").len(), 0);
}

pub fn no_text_makes_a_search_fail(store: &mut Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["AND OR NOT NEAR words"]);
    for text in [
        "",
        " ",
        "\"",
        "\"\"",
        "*",
        "AND",
        "NOT",
        "NEAR(",
        "a AND",
        "content:x",
        "^a",
        "-a",
        "(",
        ")",
        "a\"b",
        "\0",
        "a\0b",
        "{x}",
        "+",
        "'; DROP TABLE messages; --",
        "\u{FDD0}",
        "🌞",
        "a* b*",
        "ﷺ",
        "\u{202E}abc",
    ] {
        found(store, text);
        found(store, &text.repeat(500));
    }
    assert_eq!(found(store, "NOT near").len(), 1, "words of the syntax are words");
}
