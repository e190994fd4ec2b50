//! A storm of keys over the app in a terminal: whatever is pressed, every message that was ever kept is still there, in its
//! session or in an earlier course of it.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use elenchus::store::{Role, SessionFilter, SqliteOptions, Store};
use termlens::{Key, Terminal};

use crate::support::program::Program;
use crate::trials::trial::{Random, Tally, Until, pass, sound, terminal};

/// A key that comes right after Esc would be another key; so long it takes until it is not.
const SETTLES: Duration = Duration::from_millis(40);

/// How long something is waited for that need not come: the keys may have led anywhere.
const PATIENCE: Duration = Duration::from_secs(2);

/// Keys that are pressed between two looks at the store.
const ROUND: u64 = 100;

const PLAIN: [Key; 15] = [
    Key::Enter,
    Key::Enter,
    Key::Esc,
    Key::Tab,
    Key::BackTab,
    Key::Backspace,
    Key::Up,
    Key::Down,
    Key::Left,
    Key::Right,
    Key::Home,
    Key::End,
    Key::PageUp,
    Key::PageDown,
    Key::Char(' '),
];

/// Any key but the one that stops the process, which no shell would wake here, and the one that erases sessions.
fn key(random: &mut Random) -> Key {
    let letter = |random: &mut Random| char::from(b'a' + random.below(26) as u8);
    match random.below(10) {
        0..=2 => Key::Char(letter(random)),
        3 => Key::Char(['y', 'n', '/', '?', '1', 'e', 'd', 'c'][random.below(8) as usize]),
        4 => Key::F(1 + random.below(7) as u8),
        5 => Key::Alt(letter(random)),
        6 => match letter(random) {
            'z' | 'g' => Key::Esc,
            other => Key::Ctrl(other),
        },
        _ => PLAIN[random.below(PLAIN.len() as u64) as usize],
    }
}

fn start(program: &Program) -> Terminal {
    // Keys reach the settings too: whatever language they chose, this one is waited for.
    let mut terminal = terminal(program, &["--lang", "en", "chat", "--engine", "project-discovery"]);
    terminal.wait_until(|screen| screen.contains("Write here")).expect("a session");
    terminal
}

/// Every message of the user that the store holds, wherever it stands.
fn said(database: &Path, what: &str) -> BTreeSet<String> {
    let mut store = Store::open_sqlite(database, SqliteOptions::default())
        .unwrap_or_else(|error| panic!("{what}: the store cannot be read: {error}"));
    let sessions = store.list_sessions(&SessionFilter::default()).expect("the sessions");
    let mut all = BTreeSet::new();
    for session in sessions {
        let line = store.resume(session.id, u32::MAX).expect("a session").messages;
        let earlier = store.rewound(session.id).expect("what was taken back").into_iter();
        let messages = line.into_iter().chain(earlier.flat_map(|turn| turn.messages));
        all.extend(messages.filter(|message| message.role == Role::User).map(|message| message.content));
    }
    all
}

/// Presses keys at random; between two looks at the store something is said, unless the keys have led where nothing can
/// be said.
pub fn trials(until: Until, seed: u64) -> Tally {
    let program = Program::new();
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    let mut terminal = start(&program);
    let mut ever: BTreeSet<String> = BTreeSet::new();
    // One message at least is there to be lost.
    terminal.send_str("before the storm").expect("letters are taken");
    terminal.wait_until(|screen| screen.contains("before the storm")).expect("the draft");
    terminal.send(Key::Enter).expect("it is sent");
    terminal.wait_until(|_| said(&program.database(), "at first").contains("before the storm")).expect("it is kept");
    until.each(|round| {
        let what = format!("storm, seed {seed}, round {round}");
        for _ in 0..ROUND {
            // It fails where the keys have ended the program, as some do.
            if terminal.send(key(&mut random)).is_err() {
                break;
            }
            tally.typed += 1;
        }
        pass(SETTLES);
        if terminal.wait_exit_for(SETTLES).is_ok() {
            terminal = start(&program);
        }
        // Out of whatever is open, then a message.
        for _ in 0..6 {
            let _ = terminal.send(Key::Esc);
            pass(SETTLES);
        }
        let message = format!("storm {round} of {seed}");
        let _ = terminal.send_str(&message);
        let _ = terminal.wait_until_for(|screen| screen.contains(&message), PATIENCE);
        let _ = terminal.send(Key::Enter);
        pass(SETTLES);
        let _ = terminal.wait_until_for(|screen| !screen.contains("Esc cancel"), PATIENCE);
        let now = said(&program.database(), &what);
        let lost: Vec<&String> = ever.difference(&now).collect();
        assert!(lost.is_empty(), "{what}: {lost:?} is nowhere any more\n{}", terminal.screen().text());
        ever.extend(now);
        tally.kills += 1;
    });
    drop(terminal);
    sound(&program.database(), "after the storm");
    tally.acknowledged = ever.len() as u64;
    tally
}
