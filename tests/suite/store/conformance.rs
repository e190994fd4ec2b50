//! What every store must do, written once over the trait. A database joins by one line: `conformance!(open)`, where
//! `open` returns an empty store and whatever must live as long as it.

use elenchus::store::{
    BudgetSum, Checkpoint, CommitKind, Decision, Digest, Erasure, EventKind, ExtractionKind, Handoff, Message, Resumed,
    Role, SearchQuery, Session, SessionFilter, SessionId, Store, StoreError, TaskStatus, Telemetry, TitleSource, Trust,
    query,
};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::fixture::{
    artifact, contents, cost, engine, extraction, handoff, message, moment, new_session, session, talk, task, today,
    turn,
};

macro_rules! conformance {
    ($open:expr) => {
        conformance!($open,
            a_new_session_is_at_turn_0_with_what_it_was_given,
            a_session_resumes_exactly_where_it_was,
            a_turn_leaves_all_its_parts,
            an_amendment_changes_the_state_and_not_the_turn,
            a_commit_on_an_old_revision_is_refused_and_changes_nothing,
            a_commit_on_a_turn_that_came_again_after_a_rewind_is_refused,
            a_commit_with_parts_of_another_turn_is_refused,
            a_title_from_content_never_replaces_the_users,
            sessions_are_listed_by_change_and_filtered,
            a_session_is_found_by_the_beginning_of_its_id,
            what_is_not_there_is_not_found,
            a_rewind_brings_back_state_engine_and_phase_of_any_turn,
            rewound_turns_are_out_of_view_and_kept_until_erased,
            a_rewind_can_be_taken_back_until_something_is_committed,
            turns_after_a_rewind_take_the_place_of_those_before,
            a_fork_has_the_same_past_and_its_own_future,
            a_fork_outlives_its_original,
            a_migrated_session_has_the_new_engine_and_keeps_the_old_one,
            search_finds_what_was_said_ranked_and_marked,
            search_for_a_word_that_everybody_says_ranks_the_newest,
            search_keeps_to_its_filters,
            search_does_not_find_what_was_rewound_or_deleted,
            no_text_makes_a_search_fail,
            handoffs_link_both_ways,
            superseded_extractions_name_what_took_their_place,
            checkpoints_come_back_whole,
            artifacts_are_found_by_rank_within_a_budget,
            costs_add_up_and_outlive_their_session,
            trust_is_remembered_by_content,
            tasks_are_kept_with_their_last_state,
            deleting_a_session_takes_everything_that_hangs_on_it,
            deleting_a_project_takes_its_sessions,
            the_log_tells_what_happened_without_words,
            everything_together_verifies,
            json_nested_too_deep_is_refused,
        );
    };
    ($open:expr, $($case:ident,)+) => {$(
        #[test]
        fn $case() {
            let (mut store, _keep) = $open;
            crate::store::conformance::$case(&mut store);
        }
    )+};
}

pub fn a_new_session_is_at_turn_0_with_what_it_was_given(store: &mut dyn Store) {
    let project = store.ensure_project("Clinic").unwrap();
    assert_eq!(store.ensure_project("Clinic").unwrap(), project);
    let new = new_session(project.id, "Intake");
    let created = store.create_session(new.clone()).unwrap();
    let expected = Session {
        id: new.id,
        project_id: project.id,
        engine_id: "discovery".to_owned(),
        engine_version: "1.0.0".to_owned(),
        engine_hash: engine("1.0.0").hash,
        title: "Intake".to_owned(),
        title_source: TitleSource::Default,
        created_at: created.created_at,
        updated_at: created.created_at,
        turn: 0,
        revision: 1,
        phase: "OPENING".to_owned(),
        completeness: 0.0,
        inbound_handoff_id: None,
        outbound_handoff_id: None,
        forked_from: None,
        draft: String::new(),
        ended: false,
    };
    assert_eq!(created, expected);
    assert_eq!(store.session(new.id).unwrap(), expected);
    assert_eq!(store.state_at(new.id, 0).unwrap(), new.state);
    assert_eq!(store.pinned_engine(created.engine_hash).unwrap(), new.engine);
    assert!(matches!(store.create_session(new), Err(StoreError::Refused(_))));
}

pub fn a_session_resumes_exactly_where_it_was(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let mut commit = turn(&begun, "A clinic.");
    let running = task(&begun, "scan", TaskStatus::Running);
    commit.tasks = vec![running.clone()];
    store.commit(commit.clone()).unwrap();
    store.save_draft(begun.id, "and also").unwrap();
    store.set_ended(begun.id, true).unwrap();
    let resumed = store.resume(begun.id, 2).unwrap();
    let session = Session {
        turn: 1,
        revision: 2,
        phase: "CORE_CAPTURE".to_owned(),
        completeness: 1.0 / 16.0,
        draft: "and also".to_owned(),
        ended: true,
        updated_at: resumed.session.updated_at,
        ..begun.clone()
    };
    let expected =
        Resumed { session, state: commit.state.clone(), messages: commit.messages.clone(), tasks: vec![running] };
    assert_eq!(resumed, expected);
    assert_eq!(resumed.state.to_string(), commit.state.to_string(), "the order of keys is part of it");
    store.save_draft(begun.id, "").unwrap();
    assert_eq!(store.session(begun.id).unwrap().draft, "");
}

pub fn a_turn_leaves_all_its_parts(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let commit = turn(&begun, "A clinic.");
    let committed = store.commit(commit.clone()).unwrap();
    assert_eq!((committed.turn, committed.revision), (1, 2));
    assert_eq!(store.messages(begun.id, 1, 1).unwrap(), commit.messages);
    assert_eq!(store.messages(begun.id, 0, 1).unwrap().len(), 3);
    assert_eq!(store.extractions(begun.id).unwrap(), commit.extractions);
    assert_eq!(store.telemetry(begun.id, 0, 9).unwrap(), [Telemetry { turn: 1, data: json!({"ms": 1}) }]);
    assert_eq!(store.state_at(begun.id, 1).unwrap(), commit.state);
    assert_eq!(store.events(begun.id).unwrap().last().unwrap().hash, committed.head);
}

pub fn an_amendment_changes_the_state_and_not_the_turn(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let at_1 = talk(store, begun.id, &["A clinic."]);
    let mut amendment = turn(&at_1, "edited");
    amendment.kind = CommitKind::Amendment;
    amendment.messages.clear();
    amendment.extractions = vec![extraction(1, "last", ExtractionKind::Supersede, json!("edited"))];
    let committed = store.commit(amendment.clone()).unwrap();
    assert_eq!((committed.turn, committed.revision), (1, 3));
    talk(store, begun.id, &["More."]);
    assert_eq!(store.state_at(begun.id, 1).unwrap(), amendment.state);
    let rewound = store.rewind(begun.id, 4, 1).unwrap();
    assert_eq!(store.resume(begun.id, 0).unwrap().state, amendment.state);
    assert_eq!(rewound.turn, 1);
}

pub fn a_commit_on_an_old_revision_is_refused_and_changes_nothing(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    store.commit(turn(&begun, "first")).unwrap();
    let before = store.resume(begun.id, 10).unwrap();
    let refused = store.commit(turn(&begun, "second")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "Session {} was changed by another window or process (it is at turn 1, revision 2; this change was made for \
             turn 0, revision 1): load it again",
            begun.id
        )
    );
    assert_eq!(store.resume(begun.id, 10).unwrap(), before);
    assert!(matches!(store.rewind(begun.id, 1, 0), Err(StoreError::Conflict { .. })));
}

pub fn a_commit_on_a_turn_that_came_again_after_a_rewind_is_refused(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let seen = talk(store, begun.id, &["one", "two"]);
    store.rewind(begun.id, seen.revision, 1).unwrap();
    let again = talk(store, begun.id, &["another two"]);
    assert_eq!(again.turn, seen.turn);
    assert!(matches!(store.commit(turn(&seen, "three")), Err(StoreError::Conflict { .. })));
}

pub fn a_commit_with_parts_of_another_turn_is_refused(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let mut wrong = turn(&begun, "words");
    wrong.messages[0].turn = 7;
    assert_eq!(store.commit(wrong).unwrap_err().to_string(), "A message of turn 7 cannot go into turn 1");
    let mut wrong = turn(&begun, "words");
    wrong.completeness = f64::NAN;
    assert!(matches!(store.commit(wrong), Err(StoreError::Refused(_))));
    assert_eq!(store.session(begun.id).unwrap(), begun);
}

pub fn a_title_from_content_never_replaces_the_users(store: &mut dyn Store) {
    let begun = session(store, "Project discovery");
    let titled = |store: &mut dyn Store, title: &str| {
        let mut commit = turn(&store.session(begun.id).unwrap(), "words");
        commit.title = Some(title.to_owned());
        store.commit(commit).unwrap();
        let session = store.session(begun.id).unwrap();
        (session.title, session.title_source)
    };
    assert_eq!(titled(store, "Clinic intake"), ("Clinic intake".to_owned(), TitleSource::Content));
    store.rename_session(begun.id, "Mine").unwrap();
    assert_eq!(titled(store, "Clinic intake app"), ("Mine".to_owned(), TitleSource::User));
}

pub fn sessions_are_listed_by_change_and_filtered(store: &mut dyn Store) {
    let clinic = store.ensure_project("Clinic").unwrap();
    let school = store.ensure_project("School").unwrap();
    let one = store.create_session(new_session(clinic.id, "Ärzte am Ort")).unwrap();
    let two = store.create_session(new_session(school.id, "Pupils")).unwrap();
    let mut other = new_session(clinic.id, "Nurses");
    other.engine = elenchus::store::PinnedEngine::new("exploration", "2", other.engine.files);
    other.engine.files.insert("x".to_owned(), String::new());
    other.engine = elenchus::store::PinnedEngine::new("exploration", "2", other.engine.files);
    let three = store.create_session(other).unwrap();
    talk(store, one.id, &["change"]);
    let mut list = |filter: SessionFilter| -> Vec<SessionId> {
        store.list_sessions(&filter).unwrap().into_iter().map(|session| session.id).collect()
    };
    let all = SessionFilter::default();
    assert_eq!(list(all.clone()), [one.id, three.id, two.id]);
    assert_eq!(list(SessionFilter { project: Some(clinic.id), ..all.clone() }), [one.id, three.id]);
    assert_eq!(list(SessionFilter { engine: Some("exploration".to_owned()), ..all.clone() }), [three.id]);
    assert_eq!(list(SessionFilter { text: Some("ÄRZTE".to_owned()), ..all.clone() }), [one.id]);
    assert_eq!(list(SessionFilter { text: Some("%".to_owned()), ..all.clone() }), []);
    assert_eq!(list(SessionFilter { limit: Some(1), offset: 1, ..all }), [three.id]);
    assert_eq!(store.projects().unwrap(), [clinic, school]);
}

pub fn a_session_is_found_by_the_beginning_of_its_id(store: &mut dyn Store) {
    let project = store.ensure_project("Clinic").unwrap();
    let mut new = new_session(project.id, "Intake");
    new.id = "01890000-0000-7000-8000-00000000000a".parse().unwrap();
    let one = store.create_session(new.clone()).unwrap();
    new.id = "01890000-0000-7000-8000-0000000000b0".parse().unwrap();
    store.create_session(new).unwrap();
    assert_eq!(store.find_session(&one.id.to_string()).unwrap(), one);
    assert_eq!(store.find_session("01890000-0000-7000-8000-00000000000").unwrap(), one);
    assert_eq!(store.find_session("0189").unwrap_err().to_string(), "\"0189\" fits 2 sessions: give more of the id");
    for nothing in ["", "-", "ff", "xyz", "01890000-0000-7000-8000-00000000000a0"] {
        assert!(matches!(store.find_session(nothing), Err(StoreError::NotFound { .. })), "{nothing}");
    }
}

pub fn what_is_not_there_is_not_found(store: &mut dyn Store) {
    let nobody = SessionId::new(moment(0));
    let says = format!("There is no session {nobody}");
    assert_eq!(store.session(nobody).unwrap_err().to_string(), says);
    assert_eq!(store.resume(nobody, 1).unwrap_err().to_string(), says);
    assert_eq!(store.save_draft(nobody, "x").unwrap_err().to_string(), says);
    assert_eq!(store.delete_sessions(&[nobody]).unwrap_err().to_string(), says);
    assert_eq!(store.verify(Some(nobody)).unwrap_err().to_string(), says);
    assert!(matches!(store.pinned_engine(Digest::ZERO), Err(StoreError::NotFound { .. })));
    let begun = session(store, "Intake");
    let beyond = store.rewind(begun.id, begun.revision, 5).unwrap_err();
    assert_eq!(beyond.to_string(), format!("Session {} has no turn 5: it goes from 0 to 0", begun.id));
}

pub fn a_rewind_brings_back_state_engine_and_phase_of_any_turn(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one", "two", "three"]);
    let migrated = store.migrate_session(begun.id, 4, engine("2.0.0"), json!({"format": 2})).unwrap();
    assert_eq!((migrated.engine_version.as_str(), migrated.turn), ("2.0.0", 3));
    talk(store, begun.id, &["four"]);
    let states: Vec<_> = (0..=4).map(|turn| store.state_at(begun.id, turn).unwrap()).collect();
    assert_eq!(states[3], json!({"format": 2}));
    for turn in (0..=4).rev() {
        let now = store.session(begun.id).unwrap();
        let rewound = store.rewind(begun.id, now.revision, turn).unwrap();
        let resumed = store.resume(begun.id, 100).unwrap();
        assert_eq!(resumed.state.to_string(), states[turn as usize].to_string());
        assert_eq!(resumed.messages.len() as u32, 1 + 2 * turn);
        assert_eq!(rewound.turn, turn);
        assert_eq!(rewound.engine_version, if turn >= 3 { "2.0.0" } else { "1.0.0" });
        assert_eq!(rewound.phase, if turn == 0 { "OPENING" } else { "CORE_CAPTURE" });
    }
    assert_eq!(store.verify(Some(begun.id)).unwrap().findings, []);
}

pub fn rewound_turns_are_out_of_view_and_kept_until_erased(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let at_2 = talk(store, begun.id, &["one", "two"]);
    store.save_task(&task(&at_2, "scan", TaskStatus::Pending)).unwrap();
    store.rewind(begun.id, at_2.revision, 1).unwrap();
    assert_eq!(store.tasks(begun.id).unwrap(), []);
    assert_eq!(store.telemetry(begun.id, 0, 9).unwrap().len(), 1);
    assert_eq!(store.extractions(begun.id).unwrap().len(), 1);
    assert!(matches!(store.state_at(begun.id, 2), Err(StoreError::Refused(_))));
    let rewound = store.rewound(begun.id).unwrap();
    assert_eq!(rewound.iter().map(|gone| gone.turn).collect::<Vec<_>>(), [2]);
    assert_eq!(contents(&rewound[0].messages), ["two", "I see. And then, after turn 2?"]);
    assert_eq!(store.spent_by_session(begun.id).unwrap().entries, 2, "money spent stays spent");
    assert_eq!(store.erase_rewound(begun.id).unwrap(), Erasure::Complete);
    assert_eq!(store.rewound(begun.id).unwrap(), []);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_rewind_can_be_taken_back_until_something_is_committed(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let at_3 = talk(store, begun.id, &["one", "two", "three"]);
    let before = store.resume(begun.id, 100).unwrap();
    let rewound = store.rewind(begun.id, at_3.revision, 1).unwrap();
    let back = store.undo_rewind(begun.id, rewound.revision).unwrap();
    let after = store.resume(begun.id, 100).unwrap();
    assert_eq!((after.state, after.messages), (before.state, before.messages));
    assert_eq!(back.turn, 3);
    let rewound = store.rewind(begun.id, back.revision, 2).unwrap();
    store.commit(turn(&rewound, "another three")).unwrap();
    let now = store.session(begun.id).unwrap();
    assert!(matches!(store.undo_rewind(begun.id, now.revision), Err(StoreError::Refused(_))));
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn turns_after_a_rewind_take_the_place_of_those_before(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let at_2 = talk(store, begun.id, &["one", "two"]);
    store.rewind(begun.id, at_2.revision, 1).unwrap();
    talk(store, begun.id, &["zwei", "drei"]);
    let messages: Vec<Message> = store.messages(begun.id, 1, 9).unwrap();
    let said = messages.into_iter().filter(|message| message.role == Role::User).map(|message| message.content);
    assert_eq!(said.collect::<Vec<_>>(), ["one", "zwei", "drei"]);
    assert_eq!(store.state_at(begun.id, 2).unwrap()["extraction"]["last"], "zwei");
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_fork_has_the_same_past_and_its_own_future(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let original = talk(store, begun.id, &["one", "two", "three"]);
    let forked = store.fork(begun.id, 2, SessionId::new(moment(5))).unwrap();
    assert_eq!((forked.turn, forked.title.as_str(), forked.revision), (2, "Intake", 3));
    assert_eq!(forked.forked_from, Some(elenchus::store::ForkPoint { session: begun.id, turn: 2 }));
    assert_eq!(store.messages(forked.id, 0, 9).unwrap(), store.messages(begun.id, 0, 2).unwrap());
    assert_eq!(store.resume(forked.id, 0).unwrap().state, store.state_at(begun.id, 2).unwrap());
    assert_eq!(store.spent_by_session(forked.id).unwrap(), BudgetSum::default());
    talk(store, forked.id, &["drei"]);
    assert_eq!(store.session(begun.id).unwrap(), original);
    let now = store.session(forked.id).unwrap();
    store.rewind(forked.id, now.revision, 1).unwrap();
    assert_eq!(store.resume(forked.id, 0).unwrap().state, store.state_at(begun.id, 1).unwrap());
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_fork_outlives_its_original(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one", "two"]);
    let forked = store.fork(begun.id, 1, SessionId::new(moment(5))).unwrap();
    assert_eq!(store.delete_sessions(&[begun.id]).unwrap(), Erasure::Complete);
    assert_eq!(store.session(forked.id).unwrap(), forked);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_migrated_session_has_the_new_engine_and_keeps_the_old_one(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let migrated = store.migrate_session(begun.id, 1, engine("2.0.0"), json!({"format": 2})).unwrap();
    let expected = Session {
        engine_version: "2.0.0".to_owned(),
        engine_hash: engine("2.0.0").hash,
        revision: 2,
        updated_at: migrated.updated_at,
        ..begun.clone()
    };
    assert_eq!(migrated, expected);
    assert_eq!(store.pinned_engine(begun.engine_hash).unwrap(), engine("1.0.0"));
    assert_eq!(store.pinned_engine(migrated.engine_hash).unwrap(), engine("2.0.0"));
    let mut forged = engine("3.0.0");
    forged.hash = begun.engine_hash;
    assert!(matches!(store.migrate_session(begun.id, 2, forged, json!({})), Err(StoreError::Refused(_))));
}

fn found(store: &mut dyn Store, text: &str) -> Vec<String> {
    let query = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
    store.search(&query).unwrap().into_iter().map(|hit| query::marks(&hit.snippet).0).collect()
}

pub fn search_finds_what_was_said_ranked_and_marked(store: &mut dyn Store) {
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

pub fn search_for_a_word_that_everybody_says_ranks_the_newest(store: &mut dyn Store) {
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

pub fn search_keeps_to_its_filters(store: &mut dyn Store) {
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

pub fn search_does_not_find_what_was_rewound_or_deleted(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let at_2 = talk(store, begun.id, &["keepsake", "regrettable"]);
    assert_eq!(found(store, "regrettable").len(), 1);
    let rewound = store.rewind(begun.id, at_2.revision, 1).unwrap();
    assert_eq!(found(store, "regrettable").len(), 0);
    store.undo_rewind(begun.id, rewound.revision).unwrap();
    assert_eq!(found(store, "regrettable").len(), 1);
    store.delete_sessions(&[begun.id]).unwrap();
    assert_eq!(found(store, "keepsake").len(), 0);
}

pub fn no_text_makes_a_search_fail(store: &mut dyn Store) {
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

pub fn handoffs_link_both_ways(store: &mut dyn Store) {
    let source = session(store, "Discovery");
    let given = handoff(&source);
    store.save_handoff(&given).unwrap();
    assert_eq!(store.session(source.id).unwrap().outbound_handoff_id, Some(given.id));
    let mut new = new_session(source.project_id, "Exploration");
    new.inbound_handoff_id = Some(given.id);
    let target = store.create_session(new).unwrap();
    assert_eq!(target.inbound_handoff_id, Some(given.id));
    store.verify_handoff(given.id, true, &json!({"jaccard": 0.7})).unwrap();
    let expected = Handoff {
        target_session_id: Some(target.id),
        verified: true,
        verification: Some(json!({"jaccard": 0.7})),
        ..given.clone()
    };
    assert_eq!(store.handoff(given.id).unwrap(), expected);
    assert_eq!(store.handoffs(source.project_id).unwrap(), [expected]);
    let mut second = new_session(source.project_id, "Again");
    second.inbound_handoff_id = Some(given.id);
    assert!(matches!(store.create_session(second), Err(StoreError::Refused(_))));
    store.delete_sessions(&[source.id]).unwrap();
    assert_eq!(store.session(target.id).unwrap().inbound_handoff_id, None);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn superseded_extractions_name_what_took_their_place(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let kinds = [ExtractionKind::New, ExtractionKind::Update, ExtractionKind::Supersede, ExtractionKind::Cleared];
    let mut ids = Vec::new();
    for kind in kinds {
        let at = store.session(begun.id).unwrap();
        let mut commit = turn(&at, "words");
        commit.extractions = vec![extraction(at.turn + 1, "users.count", kind, json!(at.turn))];
        commit.extractions[0].message_id = Some(commit.messages[0].id);
        ids.push(commit.extractions[0].id);
        store.commit(commit).unwrap();
    }
    let replaced = |store: &mut dyn Store| -> Vec<_> {
        store.extractions(begun.id).unwrap().into_iter().map(|entry| entry.superseded_by).collect()
    };
    assert_eq!(replaced(store), [Some(ids[2]), Some(ids[2]), Some(ids[3]), None]);
    store.rewind(begun.id, 5, 3).unwrap();
    assert_eq!(replaced(store), [Some(ids[2]), Some(ids[2]), None], "a rewind takes the superseding back too");
}

pub fn checkpoints_come_back_whole(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let mut commit = turn(&begun, "words");
    let state = json!({"before": "compression", "history": [1, 2, 3]});
    let kept = Checkpoint { turn: 1, state, context_tokens: 4000, reason: "compression".to_owned() };
    commit.checkpoint = Some(kept.clone());
    store.commit(commit).unwrap();
    talk(store, begun.id, &["more"]);
    assert_eq!(store.checkpoints(begun.id).unwrap(), [kept]);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn artifacts_are_found_by_rank_within_a_budget(store: &mut dyn Store) {
    let project = store.ensure_project("Clinic").unwrap();
    let large = artifact(project.id, "Waiting rooms", "waiting rooms, at length", 900);
    let small = artifact(project.id, "Notes", "patients wait in rooms; the queue grows; staff is short of time", 80);
    let other = artifact(project.id, "Billing", "invoices", 10);
    for kept in [&large, &small, &other] {
        store.save_artifact(kept).unwrap();
    }
    let mut titles = |words: &str, budget| -> Vec<String> {
        let hits = store.search_artifacts(project.id, words, budget).unwrap();
        hits.into_iter().map(|hit| hit.artifact.title).collect()
    };
    assert_eq!(titles("waiting room", 1000), ["Waiting rooms", "Notes"]);
    assert_eq!(titles("waiting room", 500), ["Notes"], "what does not fit is passed over");
    assert_eq!(titles("(\"", 500), [""; 0]);
    let changed = elenchus::store::Artifact { content: "waiting".to_owned(), tokens: 5, ..other };
    store.save_artifact(&changed).unwrap();
    assert_eq!(store.artifacts(project.id).unwrap().len(), 3);
    assert_eq!(store.search_artifacts(project.id, "invoices", 99).unwrap(), []);
    assert_eq!(store.delete_artifact(large.id).unwrap(), Erasure::Complete);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn costs_add_up_and_outlive_their_session(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one", "two"]);
    let cancelled = elenchus::store::BudgetEntry { session_id: Some(begun.id), ..cost(0.5) };
    store.spend(&[cancelled]).unwrap();
    let expected = BudgetSum { entries: 3, input_tokens: 300, cached_tokens: 120, output_tokens: 60, cost_usd: 1.0 };
    assert_eq!(store.spent_by_session(begun.id).unwrap(), expected);
    store.delete_sessions(&[begun.id]).unwrap();
    assert_eq!(store.spent_on_day(today()).unwrap(), expected);
    assert_eq!(store.spent_on_day(today().tomorrow().unwrap()).unwrap(), BudgetSum::default());
}

pub fn trust_is_remembered_by_content(store: &mut dyn Store) {
    let hash = engine("1.0.0").hash;
    assert_eq!(store.trust(hash).unwrap(), None);
    for decision in [Decision::Trusted, Decision::Refused] {
        let trust = Trust { engine_hash: hash, decided_at: moment(7), decision };
        store.set_trust(&trust).unwrap();
        assert_eq!(store.trust(hash).unwrap(), Some(trust));
    }
    assert_eq!(store.trust(engine("1.0.1").hash).unwrap(), None);
}

pub fn tasks_are_kept_with_their_last_state(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let mut scan = task(&begun, "scan", TaskStatus::Running);
    store.save_task(&scan).unwrap();
    scan.status = TaskStatus::Completed;
    scan.result = Some(json!({"found": 3}));
    scan.updated_at = moment(9);
    store.save_task(&scan).unwrap();
    assert_eq!(store.task(scan.id).unwrap(), scan);
    assert_eq!(store.tasks(begun.id).unwrap(), [scan.clone()]);
    assert_eq!(store.interrupted_tasks().unwrap(), []);
    let other = session(store, "Other");
    scan.session_id = other.id;
    assert!(matches!(store.save_task(&scan), Err(StoreError::Refused(_))));
}

pub fn deleting_a_session_takes_everything_that_hangs_on_it(store: &mut dyn Store) {
    let gone = session(store, "Gone");
    let stays = session(store, "Stays");
    for id in [gone.id, stays.id] {
        let at = talk(store, id, &["one", "two"]);
        store.save_draft(id, "draft").unwrap();
        store.save_task(&task(&at, "scan", TaskStatus::Pending)).unwrap();
        store.save_handoff(&handoff(&at)).unwrap();
        let mut made = artifact(at.project_id, "Brief", "words", 10);
        made.session_id = Some(id);
        store.save_artifact(&made).unwrap();
    }
    let kept = store.resume(stays.id, 100).unwrap();
    assert_eq!(store.delete_sessions(&[gone.id]).unwrap(), Erasure::Complete);
    assert!(matches!(store.session(gone.id), Err(StoreError::NotFound { .. })));
    assert_eq!(store.resume(stays.id, 100).unwrap(), kept);
    assert_eq!(store.handoffs(stays.project_id).unwrap().len(), 1);
    assert_eq!(store.artifacts(stays.project_id).unwrap().len(), 1);
    let report = store.verify(None).unwrap();
    assert_eq!((report.sessions, report.findings), (1, vec![]));
}

pub fn deleting_a_project_takes_its_sessions(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one"]);
    assert_eq!(store.delete_project(begun.project_id).unwrap(), Erasure::Complete);
    assert_eq!(store.list_sessions(&SessionFilter::default()).unwrap(), []);
    assert_eq!(store.projects().unwrap(), []);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn the_log_tells_what_happened_without_words(store: &mut dyn Store) {
    use EventKind::{Created, Ended, Renamed, RewindUndone, Rewound, Turn};
    let begun = session(store, "Plumbers");
    let at_2 = talk(store, begun.id, &["aqueduct", "aqueduct"]);
    let rewound = store.rewind(begun.id, at_2.revision, 1).unwrap();
    store.undo_rewind(begun.id, rewound.revision).unwrap();
    store.rename_session(begun.id, "Pipes").unwrap();
    store.set_ended(begun.id, true).unwrap();
    let events = store.events(begun.id).unwrap();
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [Created, Turn, Turn, Rewound, RewindUndone, Renamed, Ended]);
    let text = serde_json::to_string(&events).unwrap();
    assert!(!text.contains("aqueduct") && !text.contains("Pipes") && !text.contains("Plumbers"));
}

pub fn everything_together_verifies(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let at_4 = talk(store, begun.id, &["one", "two", "three", "four"]);
    let rewound = store.rewind(begun.id, at_4.revision, 3).unwrap();
    let rewound = store.rewind(begun.id, rewound.revision, 1).unwrap();
    store.undo_rewind(begun.id, rewound.revision).unwrap();
    talk(store, begun.id, &["vier"]);
    let forked = store.fork(begun.id, 2, SessionId::new(moment(3))).unwrap();
    store.erase_rewound(begun.id).unwrap();
    store.migrate_session(forked.id, forked.revision, engine("2.0.0"), json!([1, 2])).unwrap();
    talk(store, forked.id, &["drei"]);
    let report = store.verify(None).unwrap();
    assert_eq!((report.sessions, report.findings), (2, vec![]));
    assert_eq!(
        report.events,
        store.events(begun.id).unwrap().len() as u64 + store.events(forked.id).unwrap().len() as u64
    );
}

pub fn json_nested_too_deep_is_refused(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([{ "a": inner }]));
    let mut commit = turn(&begun, "words");
    commit.state = nested(40);
    assert!(matches!(store.commit(commit.clone()), Err(StoreError::Refused(_))));
    commit.state = nested(31);
    commit.messages.push(message(1, Role::System, "deep"));
    commit.checkpoint = Some(Checkpoint { turn: 1, state: nested(30), context_tokens: 1, reason: "deep".to_owned() });
    store.commit(commit.clone()).unwrap();
    assert_eq!(store.resume(begun.id, 0).unwrap().state, commit.state);
    assert_eq!(store.verify(None).unwrap().findings, []);
}
