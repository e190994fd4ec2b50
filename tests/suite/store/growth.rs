//! A database that grows with what is said, not with how long it has been going on.

use elenchus::store::{SessionRecord, Store};
use serde_json::{Value, json};

use super::fixture::{open, session, turn};

/// A state of about 12 KB of which a turn changes a little: a field, a window that slides, a few numbers.
fn state(turn: u32) -> Value {
    let fields: serde_json::Map<String, Value> = (0..60)
        .map(|field| {
            let said = (turn + 60 - field) / 60;
            (
                format!("field_{field}"),
                json!({"value": format!("said {said} times in so many words"), "confidence": 0.5,
                "evidence": [{"turn": said, "quote": "in so many words, as people do"}]}),
            )
        })
        .collect();
    let window: Vec<Value> =
        (turn.saturating_sub(20)..turn).map(|turn| json!({"turn": turn, "summary": "They spoke of rooms."})).collect();
    json!({"turn": turn, "fields": fields, "window": window})
}

fn advance(store: &mut Store, session: &mut SessionRecord, to: u32) {
    while session.turn < to {
        let mut commit = turn(session, "Patients wait too long for a room, and nobody tells them why.");
        commit.state = state(session.turn + 1);
        let committed = store.commit(commit).unwrap();
        (session.turn, session.revision) = (committed.turn, committed.revision);
    }
}

#[test]
fn a_turn_costs_as_much_at_1000_as_at_10() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let mut at = session(&mut store, "Long");
    let raw = rusqlite::Connection::open(folder.path().join("elenchus.db")).unwrap();
    let bytes = || -> f64 {
        raw.query_row("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", [], |row| row.get(0))
            .unwrap()
    };
    let mut grown = |from: u32, to: u32| {
        advance(&mut store, &mut at, from);
        let before = bytes();
        advance(&mut store, &mut at, to);
        (bytes() - before) / f64::from(to - from)
    };
    let (early, late) = (grown(10, 210), grown(800, 1000));
    let ratio = late / early;
    assert!((0.8..1.25).contains(&ratio), "{early} bytes a turn from 10 on, {late} up to 1,000");
    assert!(late < 6_000.0, "{late} bytes a turn, though a state has {} bytes", state(1000).to_string().len());
    for turn in [0, 1, 333, 700, 999, 1000] {
        let expected = if turn == 0 { None } else { Some(state(turn).to_string()) };
        let found = store.state_at(at.id, turn).unwrap().to_string();
        assert!(expected.is_none_or(|expected| expected == found), "turn {turn}");
    }
}
