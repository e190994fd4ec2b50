//! The log, and that everything fits it.

use elenchus::store::{EventKind, SessionId, Store};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::store::fixture::{engine, moment, session, talk};

pub fn the_log_tells_what_happened_without_words(store: &mut Store) {
    use EventKind::{Created, Renamed, RewindUndone, Rewound, Turn};
    let begun = session(store, "Plumbers");
    let at_2 = talk(store, begun.id, &["aqueduct", "aqueduct"]);
    let rewound = store.rewind(begun.id, at_2.revision, 1).unwrap();
    store.restore_course(begun.id, rewound.revision, rewound.revision).unwrap();
    store.rename_session(begun.id, "Pipes").unwrap();
    let events = store.events(begun.id).unwrap();
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [Created, Turn, Turn, Rewound, RewindUndone, Renamed]);
    let text = serde_json::to_string(&events).unwrap();
    assert!(!text.contains("aqueduct") && !text.contains("Pipes") && !text.contains("Plumbers"));
}

pub fn everything_together_verifies(store: &mut Store) {
    let begun = session(store, "Intake");
    let at_4 = talk(store, begun.id, &["one", "two", "three", "four"]);
    let rewound = store.rewind(begun.id, at_4.revision, 3).unwrap();
    let rewound = store.rewind(begun.id, rewound.revision, 1).unwrap();
    store.restore_course(begun.id, rewound.revision, rewound.revision).unwrap();
    talk(store, begun.id, &["vier"]);
    let forked = store.fork(begun.id, 2, SessionId::new(moment(3))).unwrap();
    store.erase_rewound(begun.id).unwrap();
    store.migrate_session(forked.id, forked.revision, engine("2.0.0"), &json!([1, 2])).unwrap();
    talk(store, forked.id, &["drei"]);
    let report = store.verify(None).unwrap();
    assert_eq!((report.sessions, report.findings), (2, vec![]));
    assert_eq!(
        report.events,
        store.events(begun.id).unwrap().len() as u64 + store.events(forked.id).unwrap().len() as u64
    );
}
