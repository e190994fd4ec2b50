//! Kills of the app in a terminal: what was typed two seconds before, or sent, is there when it is opened again.

use std::time::{Duration, Instant};

use termlens::{Key, Signal, Terminal};

use crate::support::program::{Program, session_of};
use crate::trials::trial::{Random, Tally, Until, pass, sound, terminal};

/// What is older must not be lost.
const TYPED: Duration = Duration::from_secs(2);

/// How long a draft may get: it is looked for in one row of the composer.
const ROW: usize = 48;

const WORDS: [&str; 12] =
    ["rota", "clinic", "nurses", "Tuesday", "budget", "phone", "paper", "forty", "winter", "queue", "ledger", "border"];

fn start(program: &Program, id: &str) -> Terminal {
    terminal(program, &["chat", "--session", id])
}

fn sees(terminal: &mut Terminal, text: &str, what: &str) {
    terminal
        .wait_until(|screen| screen.contains(text))
        .unwrap_or_else(|error| panic!("{what}: no {text:?}: {error}\n{}", terminal.screen().text()));
}

/// Types, sends now and then, and is killed. Returns what was typed, piece by piece, with the moment it was on the screen.
fn type_and_kill(
    terminal: &mut Terminal,
    round: u64,
    random: &mut Random,
    what: &str,
) -> (Vec<(Instant, String)>, Instant) {
    let mut typed = Vec::new();
    let mut text = String::new();
    let begun = Instant::now();
    let ends = Duration::from_millis(1500 + random.below(3000));
    let sends = random.below(3) == 0;
    while begun.elapsed() < ends {
        let word = WORDS[random.below(WORDS.len() as u64) as usize];
        let piece = if text.is_empty() { format!("{word}{round}") } else { format!(" {word}{}", typed.len()) };
        if text.len() + piece.len() > ROW {
            pass(Duration::from_millis(200));
            continue;
        }
        terminal.send_str(&piece).expect("it is typed");
        text.push_str(&piece);
        sees(terminal, &text, what);
        typed.push((Instant::now(), text.clone()));
        pass(Duration::from_millis(random.below(500)));
    }
    if sends {
        terminal.send(Key::Enter).expect("it is sent");
        pass(Duration::from_micros(random.below(60_000)));
    }
    terminal.signal(Signal::Kill).expect("it is killed");
    let killed = Instant::now();
    terminal.wait_exit().expect("it ends");
    (typed, killed)
}

pub fn trials(until: Until, seed: u64) -> Tally {
    let program = Program::new();
    let begun = program.converse("project-discovery", "We build an intake app for clinics.\n");
    let id = session_of(&begun[0]);
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    until.each(|round| {
        let what = format!("app, seed {seed}, kill {round}");
        let before = {
            let mut store = sound(&program.database(), &what);
            let found = store.find_session(&id).expect("the session").id;
            store.draft(found).expect("the draft").text
        };
        let mut terminal = start(&program, &id);
        sees(&mut terminal, if before.is_empty() { "Write here" } else { before.trim() }, &what);
        if !before.is_empty() {
            terminal.send(Key::Ctrl('c')).expect("a key");
            sees(&mut terminal, "Write here", &what);
        }
        let (typed, killed) = type_and_kill(&mut terminal, round, &mut random, &what);
        tally.kills += 1;
        let mut store = sound(&program.database(), &what);
        let found = store.find_session(&id).expect("the session").id;
        let resumed = store.resume(found, u32::MAX).expect("the session");
        assert_eq!(resumed.messages.len() as u32, 1 + 2 * resumed.session.turn, "{what}: no half turn");
        let old = typed.iter().rfind(|(at, _)| *at + TYPED <= killed);
        if let Some((_, text)) = old {
            let said = resumed.messages.iter().any(|message| message.content.starts_with(text.as_str()));
            let kept = resumed.draft.text.starts_with(text.as_str());
            assert!(said || kept, "{what}: {text:?} is lost; the draft is {:?}", resumed.draft);
            tally.typed += text.len() as u64;
        }
    });
    tally
}
