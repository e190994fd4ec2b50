//! The conversation: what was said, and an answer line by line as it comes.

use std::time::Duration;

use super::plain::{self, Place};
use super::told::Told;
use crate::app::chat::{Entry, EntryKind};
use crate::app::model::{Model, Screen};
use crate::app::turn::RunningTurn;

/// Of a conversation that is gone back to, so many entries are told; the rest can be searched and exported.
const TOLD_AGAIN: usize = 6;

/// A turn that takes longer says what it is doing.
const LONG: Duration = Duration::from_secs(3);
/// And again after so long, so that one knows that it is alive.
const STILL: Duration = Duration::from_secs(20);

/// What was told of the conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    session: Option<String>,
    told: Vec<Entry>,
    stream: Option<Stream>,
}

/// The answer that is coming.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is found out by itself")]
struct Stream {
    message: String,
    own: bool,
    aside: bool,
    /// Whether it takes the place of an answer that was told.
    again: bool,
    /// The part of the answer that was told: whole lines.
    told: String,
    /// Whether a line of it was told, and with it who speaks.
    speaks: bool,
    place: Place,
    /// What it was last said to be doing, and when.
    doing: (String, Duration),
}

impl Stream {
    fn of(turn: &RunningTurn) -> Self {
        Self {
            message: turn.message.clone(),
            own: turn.own,
            aside: turn.aside.is_some(),
            again: turn.replaces.is_some(),
            told: String::new(),
            speaks: false,
            place: Place::default(),
            doing: (String::new(), turn.since),
        }
    }

    /// Tells what has come of the answer: whole lines, at its end the rest too.
    fn grow(&mut self, answer: &str, ended: bool, model: &Model, told: &mut Told) {
        let says = &model.words.linear;
        if !answer.starts_with(&self.told) {
            if self.speaks {
                told.say(says.note(), says.begun_anew());
            }
            (self.told, self.speaks, self.place) = (String::new(), false, Place::default());
        }
        let end = if ended { answer.len() } else { answer.rfind('\n').map_or(0, |at| at + 1) };
        let Some(new) = answer.get(self.told.len()..end).filter(|new| !new.is_empty()) else { return };
        for line in new.lines() {
            let Some(line) = self.place.line(line) else { continue };
            if std::mem::replace(&mut self.speaks, true) {
                told.line(format!("  {line}"));
            } else {
                told.say(&speaker(model, self.aside), &line);
            }
        }
        answer[..end].clone_into(&mut self.told);
    }

    /// Says what a turn is doing that takes its time.
    fn work(&mut self, turn: &RunningTurn, model: &Model, told: &mut Told) {
        let doing = turn.doing(&model.words.turns);
        let (before, since) = &self.doing;
        let waited = model.now.saturating_sub(*since);
        let is_due = (doing != before && waited >= LONG) || waited >= STILL;
        if !is_due {
            return;
        }
        let says = &model.words.linear;
        let seconds = model.now.saturating_sub(turn.since).as_secs();
        told.say(says.status(), &says.at_work(doing, seconds));
        self.doing = (doing.to_owned(), model.now);
    }
}

/// Who answers: the name of the engine.
fn speaker(model: &Model, aside: bool) -> String {
    let name = model.session.as_ref().map_or("", |session| session.engine.name.as_str());
    if aside { format!("{name} ({})", model.words.chat.aside()) } else { name.to_owned() }
}

fn is_answer(entry: &Entry) -> bool {
    entry.kind == EntryKind::Assistant
}

impl Conversation {
    /// Tells what is new.
    pub fn tell(&mut self, model: &Model, told: &mut Told) {
        let Some(session) = model.session.as_ref().filter(|_| model.screen == Screen::Chat) else { return };
        let anew = self.session.as_ref() != Some(&session.id);
        if anew {
            *self = Self { session: Some(session.id.clone()), ..Self::default() };
            told.gap();
            told.say(model.words.linear.session(), session.label());
        }
        if let Some(turn) = &model.turn {
            let begins = self.stream.is_none();
            let mut stream = self.stream.take().unwrap_or_else(|| Stream::of(turn));
            if begins && !stream.own {
                told.say(model.words.courses.you(), turn.aside.as_ref().unwrap_or(&turn.message));
            }
            stream.grow(&turn.answer, false, model, told);
            stream.work(turn, model, told);
            self.stream = Some(stream);
        }
        self.entries(model, anew, told);
        if model.turn.is_none()
            && let Some(mut stream) = self.stream.take()
            && stream.again
            && let Some(last) = model.chat.entries.last().filter(|last| is_answer(last))
        {
            // Another answer was asked for, and it is in the same words.
            stream.grow(&last.text, true, model, told);
        }
    }

    fn entries(&mut self, model: &Model, anew: bool, told: &mut Told) {
        let entries = &model.chat.entries;
        let same = self.told.iter().zip(entries).take_while(|(before, now)| before == now).count();
        let mut from = same;
        if anew && entries.len() > TOLD_AGAIN + 1 {
            from = entries.len() - TOLD_AGAIN;
            let says = &model.words.linear;
            told.say(says.note(), &says.earlier(from));
        }
        // Turns were taken back: what is asked now was told long ago.
        let open = entries.last().filter(|last| same == entries.len() && same < self.told.len() && is_answer(last));
        if let Some(open) = open.filter(|_| model.turn.is_none()) {
            told.say(&speaker(model, false), &plain::lines(&open.text).join("\n"));
        }
        for entry in &entries[from..] {
            self.entry(entry, model, told);
        }
        if same < entries.len() || entries.len() < self.told.len() {
            self.told.clone_from(entries);
        }
    }

    fn entry(&mut self, entry: &Entry, model: &Model, told: &mut Told) {
        let label = match entry.kind {
            // What was typed here stands there already.
            EntryKind::Aside if self.stream.as_ref().is_some_and(|said| said.own && said.aside) => return,
            EntryKind::User if self.stream.as_ref().is_some_and(|said| said.own && said.message == *entry.text) => {
                return;
            }
            EntryKind::User | EntryKind::Aside => model.words.courses.you().to_owned(),
            EntryKind::Note | EntryKind::Recap => model.words.linear.note().to_owned(),
            EntryKind::Assistant | EntryKind::AsideAnswer => {
                if let Some(mut stream) = self.stream.take() {
                    stream.grow(&entry.text, true, model, told);
                    return;
                }
                speaker(model, entry.kind == EntryKind::AsideAnswer)
            }
        };
        told.say(&label, &plain::lines(&entry.text).join("\n"));
    }
}
