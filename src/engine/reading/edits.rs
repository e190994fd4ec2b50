//! Commands about what was noted: something is taken out, kept alone, put back, or called wrong by its place on a list. What
//! is not clear is asked about: to delete by mistake costs more than a question.

use std::ops::Range;

use serde_json::{Value, json};

use super::acts::Judged;
use super::assign::{Piece, Place};
use super::clauses::{breath_end, core};
use super::forms::Forms;
use super::keeping::keep;
use super::pointing::{Meant, Pointing, index};
use super::rearranged::{Ground, reading};
use super::{FieldReading, quote_of};
use crate::engine::config::{Act, Doing, Field, Kind};
use crate::engine::values::same;

/// The name of the rule for commands about what was noted.
pub(super) const EDIT: &str = "a command about what was noted";
/// The name of the rule for what is said beside such a command.
const REASON: &str = "says why something is taken out";
/// The name of the rule for a command whose object could be several things, or none.
const UNCLEAR: &str = "it is not clear which one is meant";
/// How many turns ago a change may have been made that is taken back.
const LATELY: u32 = 2;
/// The most words of a sentence that gives a command: longer ones tell something, and each of their pauses would be tried.
const LONGEST: usize = 60;

/// What the commands of a message come to.
#[derive(Debug, Default)]
pub(super) struct Edited {
    pub readings: Vec<FieldReading>,
    /// Fields that get back what they had.
    pub restores: Vec<String>,
    /// Fields whose value does not hold, and which are asked for anew.
    pub except: Vec<String>,
}

/// What one command comes to.
pub(super) enum Done {
    Readings(Vec<FieldReading>),
    Restored(Vec<String>),
    Cleared(String),
    /// A no to what was shown.
    Denied,
    /// What stands before it in the same sentence was not meant.
    Unsaid,
    /// The question is to be left.
    Left,
    Unclear,
}

/// A command and the words that it takes up.
struct Command {
    done: Done,
    words: Range<usize>,
    /// Whether it only says what something is not.
    denies: bool,
}

/// What a message says before a sentence.
struct Said {
    /// The end of it, as far back as "that" can mean something.
    before: Range<usize>,
    /// Whether it gave a command, which a "that" goes with.
    edited: bool,
}

/// Whether a clause is part of a command that was understood or asked about.
pub(super) fn is_edit(piece: &Piece<'_>) -> bool {
    matches!(piece.judged.name, EDIT | UNCLEAR | REASON)
}

/// Finds the commands of a message; their clauses are no answers.
pub(super) fn edits<'r>(ground: &Ground<'_, '_, 'r, '_>, pieces: &mut [Piece<'r>]) -> Edited {
    let mut edited = Edited::default();
    let mut commands = 0;
    let mut from = 0;
    while from < pieces.len() {
        let sentence = pieces[from].span.sentence;
        let until = |sentence: usize| pieces.partition_point(|piece| piece.span.sentence <= sentence);
        let (next, after) = (until(sentence), until(sentence + 1));
        let words = pieces[from].span.whole.start..pieces[next - 1].span.whole.end;
        // "That's wrong what I said about the money. It's the repairs": what holds may be the next sentence.
        let follows = pieces.get(next..after).filter(|next| !next.is_empty());
        let follows = follows.map(|next| next[0].span.whole.start..next[next.len() - 1].span.whole.end);
        let leads = |words: &Range<usize>| ground.material.any_starts(&ground.material.lexicon.leads, words).is_some();
        let first = pieces[0].span.whole.start.max(words.start.saturating_sub(LONGEST));
        let message = Said { before: first..words.start, edited: commands > 0 };
        let found = ground.command(&words, follows.filter(leads), &message);
        let start = std::mem::replace(&mut from, next);
        let Some(command) = found else { continue };
        commands += 1;
        if command.denies {
            mark_reason(ground, &mut pieces[next..]);
        }
        let sentence = &mut pieces[start..if command.words.end > words.end { after } else { next }];
        let place = match &command.done {
            Done::Readings(readings) => readings.first().map(|reading| reading.path.clone()),
            _ => None,
        };
        let fields = &ground.engine.definition().fields;
        let place = place.and_then(|path| fields.iter().position(|field| *field.path == *path));
        mark(ground, sentence, &command, place.map_or(Place::Nowhere, Place::Other));
        match command.done {
            Done::Readings(readings) => edited.readings.extend(readings),
            Done::Restored(paths) => edited.restores.extend(paths),
            Done::Cleared(path) => edited.except.push(path),
            Done::Denied | Done::Unsaid | Done::Left | Done::Unclear => {}
        }
    }
    keep(ground, pieces);
    edited
}

/// Words after a sentence that denied something and before the next one, which only say what it is instead: "that's the
/// staff". They are no answer.
fn mark_reason<'r>(ground: &Ground<'_, '_, 'r, '_>, pieces: &mut [Piece<'r>]) {
    const SHORT: usize = 6;
    let Some(first) = pieces.first().filter(|piece| piece.judged.act == Act::Answer) else { return };
    let (whole, material) = (first.span.whole.clone(), ground.material);
    let brief = whole.len() <= SHORT && material.quantities.within(&whole).next().is_none();
    let points = material.any_starts(&material.lexicon.edits.reasons, &whole).is_some();
    let says = material.any_starts(&material.lexicon.leads, &whole).is_some();
    if brief && points && says {
        pieces[0].judged = Judged { act: Act::Social, name: REASON, rule: None };
    }
}

/// Says of the clauses of a command what they are, and of those beside it that only say why.
fn mark<'r>(ground: &Ground<'_, '_, 'r, '_>, sentence: &mut [Piece<'r>], command: &Command, place: Place) {
    let lexicon = ground.material.lexicon;
    let rule = |doing: Doing| lexicon.rules.iter().find(|rule| rule.does == Some(doing));
    for piece in sentence {
        let whole = &piece.span.whole;
        let inside = whole.start < command.words.end && command.words.start < whole.end;
        let why =
            whole.start >= command.words.end && ground.material.any_starts(&lexicon.edits.reasons, whole).is_some();
        let before = whole.end <= command.words.start;
        if !inside && !why && !before {
            continue;
        }
        piece.judged = match &command.done {
            _ if why => Judged { act: Act::Social, name: REASON, rule: None },
            Done::Denied => Judged { act: Act::Deny, name: EDIT, rule: rule(Doing::Deny) },
            Done::Left => Judged { act: Act::Refuse, name: EDIT, rule: rule(Doing::Skip) },
            Done::Unclear => Judged { act: Act::Objection, name: UNCLEAR, rule: rule(Doing::Wrong) },
            _ => Judged { act: Act::Correction, name: EDIT, rule: None },
        };
        piece.place = place;
    }
}

impl Ground<'_, '_, '_, '_> {
    /// The command that a sentence gives: with its first words, or after a pause with words that point back.
    fn command(&self, sentence: &Range<usize>, follows: Option<Range<usize>>, message: &Said) -> Option<Command> {
        if sentence.len() > LONGEST {
            return None;
        }
        let lead = self.without_lead(sentence.start, sentence.end);
        let objects = self.material.has(&self.material.lexicon.negations, &(sentence.start..lead));
        if let Some((done, words)) = self.denied(&(lead..sentence.end), &message.before, objects) {
            let rest = self.without_lead(words.end, sentence.end)..sentence.end;
            // "Quick is not the map, please remove that": the one that it is not.
            let end = if self.points_back(&rest) { sentence.end } else { words.end };
            return Some(Command { done, words: sentence.start..end, denies: true });
        }
        let whole = lead..self.without_tail(&(lead..sentence.end)).end.max(lead);
        if let Some(done) = self.not_meant(&whole) {
            return Some(Command { done, words: sentence.clone(), denies: false });
        }
        if let Some(done) = self.taken_out(&whole, &message.before).or_else(|| self.no_such(&whole)) {
            return Some(Command { done, words: sentence.clone(), denies: false });
        }
        let mut start = sentence.start;
        loop {
            let at = self.without_lead(start, sentence.end);
            let first = start == sentence.start;
            let breath = breath_end(self.material, &(at..sentence.end));
            let ends = if breath < sentence.end { vec![sentence.end, breath] } else { vec![sentence.end] };
            // "Oh and" leads up to a command, and may be the beginning of one.
            let begins = if at > start { vec![start, at] } else { vec![at] };
            for words in begins.iter().flat_map(|at| ends.iter().map(|end| *at..*end)) {
                let before = if message.before.is_empty() { sentence.start } else { message.before.start };
                let earlier = before..start;
                let own = self.material.telling(&(sentence.start..start)) > 0;
                if self.points_back(&words) && (message.edited || own && self.is_bare(&words)) {
                    return Some(Command { done: Done::Unsaid, words, denies: false });
                }
                if let Some((done, words)) = self.command_in(&words, &earlier, sentence.end, first) {
                    // "Drop the gallery, add a newsletter" is read as one.
                    let rest = words.end..sentence.end;
                    let mut additions = self.material.lexicon.changes.additions.iter();
                    let adds = additions.any(|template| template.find(self.material, &rest).is_some());
                    return (rest.is_empty() || !adds).then_some(Command { done, words, denies: false });
                }
            }
            if breath >= sentence.end {
                break;
            }
            start = breath;
        }
        let (follows, faults) = (follows?, &self.material.lexicon.edits.faults);
        let words = self.without_lead(sentence.start, sentence.end)..sentence.end;
        let thing = faults.thing(self.material, &words)?;
        let first = follows.start..breath_end(self.material, &follows);
        let done = self.put_right(&thing, first, &(0..0))?;
        Some(Command { done, words: words.start..follows.end, denies: false })
    }

    /// "Forget it", which takes nothing out, and "that was no answer", which takes back what was just told.
    fn not_meant(&self, words: &Range<usize>) -> Option<Done> {
        let (material, edits) = (self.material, &self.material.lexicon.edits);
        let shown = !self.question.shown.paths.is_empty();
        if material.any_starts(&edits.idioms, words) == Some(words.end) {
            let alone = words.end == material.text.tokens.len() && words.start == 0;
            return Some(if shown {
                Done::Denied
            } else if alone {
                Done::Left
            } else {
                Done::Unsaid
            });
        }
        let thing = edits.unmeant.thing(material, words)?;
        if thing.is_empty() || self.is_pointer(&thing) {
            let told = || self.only_told().map(|field| Done::Cleared(field.path.to_string()));
            return Some(if shown { Done::Denied } else { told().unwrap_or(Done::Unsaid) });
        }
        let said = self.series(&thing).or_else(|| self.said_back(&thing).map(Pointing::To));
        match said? {
            Pointing::To(meant) => Some(self.without_it(&meant, words)),
            Pointing::Unclear => Some(Done::Unclear),
            Pointing::Nothing => None,
        }
    }

    /// Whether some words take out no more than "that".
    fn points_back(&self, words: &Range<usize>) -> bool {
        let thing = self.material.lexicon.edits.removes.thing(self.material, words);
        thing.is_some_and(|thing| thing.is_empty() || self.is_pointer(&thing))
    }

    /// Whether they name nothing at all: "just kidding".
    fn is_bare(&self, words: &Range<usize>) -> bool {
        self.material.lexicon.edits.removes.thing(self.material, words).is_some_and(|thing| thing.is_empty())
    }

    /// The first token of a command after the words that lead up to it.
    fn without_lead(&self, start: usize, end: usize) -> usize {
        let (material, lexicon) = (self.material, self.material.lexicon);
        let mut at = start;
        while at < end {
            let talk = core(material, at..end).start;
            let rest = talk..end;
            let after = material.any_starts(&lexicon.edits.before, &rest).filter(|after| *after < end);
            let next = after.unwrap_or(talk);
            if next == at {
                break;
            }
            at = next;
        }
        at.min(end)
    }

    fn command_in(
        &self,
        words: &Range<usize>,
        earlier: &Range<usize>,
        end: usize,
        first: bool,
    ) -> Option<(Done, Range<usize>)> {
        let edits = &self.material.lexicon.edits;
        let short = self.without_tail(words);
        let thing_of = |forms: &Forms| forms.thing(self.material, words).or_else(|| forms.thing(self.material, &short));
        // After a pause only words that point back are a command: "nobody needs it, drop that".
        let points = |thing: &Range<usize>| {
            first || thing.is_empty() || self.is_pointer(thing) || self.places_in(thing, true).is_some()
        };
        let find = |forms: &Forms| thing_of(forms).filter(points);
        if let Some(done) = find(&edits.restores).and_then(|thing| self.restored(&thing)) {
            return Some((done, words.clone()));
        }
        if let Some(done) = find(&edits.all_but).and_then(|thing| self.all_but(&thing, words)) {
            return Some((done, words.clone()));
        }
        if !self.asks_what_goes()
            && let Some(done) = find(&edits.removes).and_then(|thing| self.removed(&thing, earlier, words))
        {
            return Some((done, words.clone()));
        }
        if let Some(done) = find(&edits.drops).filter(|_| first).and_then(|thing| self.dropped(&thing, words)) {
            return Some((done, words.clone()));
        }
        if let Some(done) = find(&edits.adds).filter(|_| first).and_then(|thing| self.added_to_list(&thing)) {
            return Some((done, words.clone()));
        }
        let thing = find(&edits.faults)?;
        let done = self.put_right(&thing, words.end..end, earlier)?;
        Some((done, words.start..end))
    }

    /// Some words without what may follow a command: "again", "from the list".
    fn without_tail(&self, words: &Range<usize>) -> Range<usize> {
        let after = &self.material.lexicon.edits.after;
        let mut end = core(self.material, words.clone()).end.max(words.start);
        while let Some(start) =
            (words.start + 1..end).find(|at| self.material.any_starts(after, &(*at..end)) == Some(end))
        {
            end = start;
        }
        words.start..end
    }

    /// Whether the question is what to leave out: then that is the answer and no command.
    fn asks_what_goes(&self) -> bool {
        let fields = &self.engine.definition().fields;
        let takes = |asked: &Field| fields.iter().any(|field| field.left_out.as_ref() == Some(&asked.path));
        self.question.fields.iter().any(|asked| takes(asked))
    }

    fn removed(&self, thing: &Range<usize>, earlier: &Range<usize>, words: &Range<usize>) -> Option<Done> {
        // "Delete nothing from the rules" deletes nothing.
        if self.forbids(&(0..0), thing) {
            return None;
        }
        match self.pointed_to(thing, earlier) {
            Pointing::Nothing => None,
            Pointing::Unclear => Some(Done::Unclear),
            Pointing::To(meant) => Some(self.without_it(&meant, words)),
        }
    }

    /// "Actually not the seeds": only of what was just told, for a no may begin anything.
    fn dropped(&self, thing: &Range<usize>, words: &Range<usize>) -> Option<Done> {
        match self.pointed_to(thing, &(0..0)) {
            // "Not dark mode. Reminders", to "which one?", says which one it is not.
            Pointing::To(meant) if self.chooses_from(meant.field) && !self.takes_back(words) => None,
            Pointing::To(meant) if !meant.elements.is_empty() && self.is_just_told(meant.field) => {
                Some(self.without_it(&meant, words))
            }
            _ => None,
        }
    }

    /// Whether "not the seeds" is all of a message that says before it that something is put right: "actually".
    fn takes_back(&self, words: &Range<usize>) -> bool {
        let material = self.material;
        let announced = material.has(&material.lexicon.announced, &(0..words.start));
        announced && material.telling(&(words.end..material.text.tokens.len())) == 0
    }

    pub(super) fn without_it(&self, meant: &Meant<'_>, words: &Range<usize>) -> Done {
        let Some(items) = self.items_of(meant).filter(|_| !meant.elements.is_empty()) else {
            return if meant.offered { Done::Denied } else { Done::Cleared(meant.field.path.to_string()) };
        };
        let kept = items.iter().enumerate().filter(|(at, _)| !meant.elements.contains(at));
        let left: Vec<Value> = kept.map(|(_, item)| item.clone()).collect();
        self.left_over(meant, left, words)
    }

    /// What is left of a list, which was noted or only offered.
    fn left_over(&self, meant: &Meant<'_>, left: Vec<Value>, words: &Range<usize>) -> Done {
        let (field, quote) = (meant.field, quote_of(self.material, words));
        if left.is_empty() {
            return if meant.offered { Done::Denied } else { Done::Cleared(field.path.to_string()) };
        }
        if meant.offered {
            let offered = self.memory.extraction.get(&field.path).and_then(|known| known.candidate.as_ref());
            let said = offered.and_then(|offered| offered.evidence.as_ref()).map(|said| said.quote.clone());
            return Done::Readings(vec![reading(field, Value::Array(left), said.unwrap_or(quote))]);
        }
        Done::Readings(vec![reading(field, Value::Null, quote.clone()), reading(field, Value::Array(left), quote)])
    }

    pub(super) fn items_of(&self, meant: &Meant<'_>) -> Option<&Vec<Value>> {
        let known = self.memory.extraction.get(&meant.field.path)?;
        let offered = known.candidate.as_ref().map(|offered| &offered.value);
        if meant.offered { offered } else { known.value.as_ref() }?.as_array()
    }

    /// "Everything except the second one": of the list that stands with the question it is the answer, of one that was
    /// told it takes something off.
    fn all_but(&self, thing: &Range<usize>, words: &Range<usize>) -> Option<Done> {
        let asked = self.question.fields.iter().find(|field| field.shape.r#type == Kind::Array);
        let shown = &self.question.shown.elements;
        if let Some(asked) = asked.filter(|_| !shown.is_empty() && self.question.shown.paths.is_empty()) {
            let places = self.places_in(thing, true);
            let out = |at: usize, name: &str| match &places {
                Some(places) => places.iter().any(|place| index(*place, shown.len()) == Some(at)),
                None => self.speaks_of(&json!(name), thing),
            };
            let kept = shown.iter().enumerate().filter(|(at, name)| !out(*at, name));
            let kept: Vec<&String> = kept.map(|(_, name)| name).collect();
            if kept.is_empty() || kept.len() == shown.len() {
                return None;
            }
            return Some(Done::Readings(vec![reading(asked, json!(kept), quote_of(self.material, words))]));
        }
        match self.pointed_to(thing, &(0..0)) {
            Pointing::To(meant) if !meant.elements.is_empty() => Some(self.without_it(&meant, words)),
            _ => None,
        }
    }

    /// "No, leave it in": the last change is taken back, or what was shown is not taken.
    fn restored(&self, thing: &Range<usize>) -> Option<Done> {
        if !self.question.shown.paths.is_empty() {
            return (thing.is_empty() || self.is_pointer(thing)).then_some(Done::Denied);
        }
        let points = thing.is_empty() || self.is_pointer(thing);
        let lost = self.engine.definition().fields.iter().filter_map(|field| {
            let known = self.memory.extraction.get(&field.path)?;
            let old =
                known.superseded.last().filter(|old| old.at_turn > 0 && old.at_turn + LATELY >= self.memory.turn)?;
            (points || self.speaks_of(&old.value, thing)).then_some((old.at_turn, field, &old.value))
        });
        let lost: Vec<_> = lost.collect();
        let latest = lost.iter().map(|(turn, ..)| *turn).max()?;
        let back = lost.iter().filter(|(turn, field, value)| {
            let now = self.memory.extraction.value(&field.path);
            *turn == latest && !now.is_some_and(|now| same(now, value))
        });
        let paths: Vec<String> = back.map(|(_, field, _)| field.path.to_string()).collect();
        (!paths.is_empty()).then_some(Done::Restored(paths))
    }
}
