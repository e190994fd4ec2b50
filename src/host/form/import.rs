//! Takes the answers of a form in: each is a turn of its speaker, read as an answer to its question.

use std::path::Path;

use super::read::{Filled, FormAnswer, FormError, MAX_FORM, read};
use crate::engine::extraction::{Change, ChangeKind};
use crate::engine::memory::{Speaker, WorkingMemory};
use crate::engine::outline::EngineOutline;
use crate::files::plain;
use crate::host::actor::Actor;
use crate::host::handle::{Done, Refused};
use crate::host::protocol::{Event, ImportedAnswer, ImportedAnswers, SessionNews, TurnDone, WhatBecame};
use crate::host::session::Voice;
use crate::host::{HostError, Session};
use crate::store::Digest;
use crate::text::sanitise_line;

/// The longest name of a speaker, in characters.
const MAX_SPEAKER: usize = 80;

impl Actor {
    /// Takes in the answers that somebody has given on a form, and tells what became of each.
    pub(in crate::host) async fn import(&mut self, file: &str, speaker: &str) -> Result<(), Refused> {
        let speaker = speaker_named(speaker).map_err(HostError::Form)?;
        let filled = filled(&self.session, Path::new(file)).map_err(HostError::Form)?;
        let draft = self.session.draft();
        let mut told = ImportedAnswers { speaker: speaker.clone(), empty: filled.empty, ..ImportedAnswers::default() };
        let mut broken_off = None;
        for answer in filled.answers {
            let Some(point) = self.session.outline.obligation(&answer.question) else {
                told.answers.push(ImportedAnswer::of(&answer.question, WhatBecame::NoSuchQuestion));
                continue;
            };
            let name = point.name.clone();
            let given = given(&speaker, &answer);
            if let Some(turn) = taken_in(self.session.memory(), &given) {
                told.answers.push(ImportedAnswer::of(&name, WhatBecame::TakenInBefore { turn }));
                continue;
            }
            let question = answer.question;
            match self.turn_by(None, answer.text, Voice::Other(given)).await {
                Ok(Done::Turn(done)) => {
                    let outline = &self.session.outline;
                    let (became, changed) = (became(outline, &question, &done), changed(outline, &done));
                    let otherwise = otherwise(&done).map(|path| named(outline, path)).collect();
                    told.answers.push(ImportedAnswer { question: name, became, changed, otherwise });
                }
                Ok(Done::Told | Done::Aside(_) | Done::Next(_)) => {}
                Err(why) => {
                    told.answers.push(ImportedAnswer::of(&name, WhatBecame::Refused { why: why.to_string() }));
                    // What is wrong with one message need not be wrong with the next; anything else is.
                    if !matches!(&why, Refused::Turn(failure) if failure.kind() == "input") {
                        broken_off = Some(why);
                        break;
                    }
                }
            }
        }
        if !draft.text.is_empty() {
            self.session.save_draft(&draft).await?;
        }
        self.audience.tell(Event::Session(SessionNews::Imported(told)));
        match broken_off {
            // It was told with the answers.
            Some(Refused::Turn(_) | Refused::Cancelled) | None => Ok(()),
            Some(why) => Err(why),
        }
    }
}

/// A name on one line.
fn speaker_named(name: &str) -> Result<String, FormError> {
    let name = sanitise_line(name.trim());
    let fits = !name.is_empty() && name.chars().count() <= MAX_SPEAKER;
    if fits { Ok(name.to_string()) } else { Err(FormError::NoSpeaker) }
}

/// Reads a form of a session.
fn filled(session: &Session, file: &Path) -> Result<Filled, FormError> {
    let unreadable = |error| FormError::Unreadable { path: file.display().to_string(), error };
    let filled = read(&plain::text(file, MAX_FORM).map_err(unreadable)?)?;
    match &filled.session {
        Some(other) if *other != session.record().id.to_string() => Err(FormError::OtherSession(other.clone())),
        _ => Ok(filled),
    }
}

/// Who has given an answer, with what tells it from others.
fn given(speaker: &str, answer: &FormAnswer) -> Speaker {
    let words = answer.text.split_whitespace().collect::<Vec<_>>().join(" ");
    // None of the first two has a line break in it.
    let whole = format!("{speaker}\n{}\n{words}", answer.question);
    let mark = Digest::of(whole.as_bytes()).to_string();
    Speaker { name: speaker.to_owned(), question: answer.question.clone(), mark }
}

/// The turn in which an answer was taken in before.
fn taken_in(memory: &WorkingMemory, given: &Speaker) -> Option<u32> {
    memory.speakers.iter().find(|(_, before)| before.mark == given.mark).map(|(turn, _)| *turn)
}

/// What a turn made of an answer to a question.
fn became(engine: &EngineOutline, question: &str, done: &TurnDone) -> WhatBecame {
    let fields = engine.obligation(question).map(|point| point.fields.as_slice()).unwrap_or_default();
    let accepted = done.figures.changes.iter().filter(|change| change.kind.is_accepted());
    let name = |path: &String| named(engine, path);
    let (own, other): (Vec<_>, Vec<_>) = accepted.map(|change| &change.path).partition(|path| fields.contains(path));
    let turn = done.memory.turn;
    if own.is_empty() && otherwise(done).any(|path| fields.contains(path)) {
        return WhatBecame::Otherwise { turn, noted: other.into_iter().map(name).collect() };
    }
    if own.is_empty() {
        return WhatBecame::NotRead { turn, noted: other.into_iter().map(name).collect() };
    }
    WhatBecame::Noted { turn, noted: own.into_iter().chain(other).map(name).collect() }
}

/// What an answer says otherwise than is noted.
fn otherwise(done: &TurnDone) -> impl Iterator<Item = &String> {
    let kept = done.figures.changes.iter().filter(|change| change.kind == ChangeKind::Candidate);
    kept.map(|change| &change.path).filter(|path| done.memory.extraction.is_known(path))
}

/// What an answer took out or replaced of what was noted before.
fn changed(engine: &EngineOutline, done: &TurnDone) -> Vec<String> {
    let gone = |change: &&Change| matches!(change.kind, ChangeKind::Cleared | ChangeKind::Supersede);
    done.figures.changes.iter().filter(gone).map(|change| named(engine, &change.path)).collect()
}

fn named(engine: &EngineOutline, path: &str) -> String {
    engine.field(path).map_or_else(|| path.to_owned(), |field| field.name.clone())
}
