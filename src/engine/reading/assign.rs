//! Brings clauses to fields: what was asked comes first, and a clause leaves it only with a clear lead.

use std::ops::Range;

use serde_json::{Value, json};

use super::acts::{self, Judged, Openness};
use super::clauses::{Material, Span, breath_end, clauses, core};
use super::cues::Score;
use super::groups::{groups, leads};
use super::reader::Tongue;
use super::settle::{LEAVE_FIRST, settle, share_sentences, weigh_asked};
use super::values::Made;
use super::volunteered::{self, is_named};
use super::{Clause, FieldReading, Fit, Heard, Standing, beside, correction, doubt, parts, quote_of, special};
use crate::engine::Engine;
use crate::engine::config::{Act, Doing, Field, Kind};
use crate::engine::memory::WorkingMemory;

/// How many fields are named for each clause.
const NAMED: usize = 3;

/// The name of the rule for what was put right at once.
pub(super) const REPAIRED: &str = "put right in the same breath";

/// A clause on its way to a field.
pub(super) struct Piece<'r> {
    pub span: Span,
    pub judged: Judged<'r>,
    pub scores: Vec<Score>,
    /// Where it went.
    pub place: Place,
    /// Why it went there.
    pub why: &'static str,
    /// A field that is known and called by its name, or told anew after a correction was announced.
    pub named: Option<usize>,
    /// The field of what is left out of the list that was asked for, where a clause leaves something out.
    pub left_out: Option<usize>,
    /// Whether the message has said before that it corrects something.
    pub announced: bool,
    /// How much it has to do with what was asked.
    pub asked: f64,
    /// The same by cues, and by what it sounds like.
    pub asked_by: (f64, f64),
    /// Whether it may be talk and no answer.
    pub unsure: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Nowhere,
    /// To what was asked.
    Asked,
    /// To another field, by its place in the definition.
    Other(usize),
}

/// What was asked, as far as it is open.
pub(super) struct Question<'e> {
    pub fields: Vec<&'e Field>,
    pub open: Openness,
    /// Whether something was shown, the question is whether it is right, and the message does not say no.
    pub confirming: bool,
    /// Whether what was shown has cues of its own field: then it takes more than other words to replace it.
    pub shown_fits: bool,
    /// Whether several things were shown for one yes.
    pub together: bool,
    /// What the question is called, by itself and by its fields.
    pub names: Vec<String>,
    /// The elements of the lists that were shown with it.
    pub shown: Vec<String>,
}

/// Reads the clauses of a message.
pub(super) fn assign(engine: &Engine, memory: &WorkingMemory, tongue: &Tongue, material: &Material<'_, '_>) -> Heard {
    let mut question = asked(engine, memory);
    let spans = clauses(material, question.fields.len() > 1);
    let mut pieces: Vec<Piece<'_>> = spans
        .into_iter()
        .map(|span| {
            let judged = acts::judge(material, &span, question.open);
            let (place, scores) = (Place::Nowhere, Vec::new());
            Piece {
                span,
                judged,
                scores,
                place,
                why: "",
                named: None,
                left_out: None,
                announced: false,
                asked: 0.0,
                asked_by: (0.0, 0.0),
                unsure: false,
            }
        })
        .collect();
    question.confirming &= !pieces.iter().any(|piece| piece.judged.act == Act::Deny);
    let mut fields = corrections(engine, memory, material, &mut pieces);
    fields.extend(special::figure_after_no(engine, memory, &question, material, &mut pieces));
    special::say_of_none(&question, material, &mut pieces);
    special::echo(&question, material, &mut pieces);
    special::said_again(memory, material, &mut pieces);
    repair(material, &mut pieces);
    parts::introduce(material, &mut pieces);
    leave_out(engine, &question, material, &mut pieces);
    point(engine, memory, tongue, material, &mut pieces);
    share_sentences(&mut pieces);
    weigh_asked(&question, tongue, &mut pieces);
    swallow(material, &mut pieces);
    doubt::doubt(material, question.open, &mut pieces);
    settle(engine, tongue, material, &question, &mut pieces);
    leave_out_elsewhere(engine, material, &mut pieces);
    let answers = super::answers::of_question(&question, tongue, material, &groups(&pieces, Place::Asked));
    fields.extend(special::put_right(memory, &pieces, answers));
    fields.extend(volunteered::readings(engine, memory, material, &mut pieces));
    fields.extend(beside::figures(engine, memory, &question, material, &pieces, &fields));
    plain(&question, material, &pieces, &mut fields);
    report(tongue, material, pieces, fields)
}

/// Finds out what each clause that tells something points to: cues, the name of a field, or what it says anew.
fn point(
    engine: &Engine,
    memory: &WorkingMemory,
    tongue: &Tongue,
    material: &Material<'_, '_>,
    pieces: &mut [Piece<'_>],
) {
    let told = |field: &Field| {
        let known = memory.extraction.get(&field.path);
        known.is_some_and(|known| known.value.is_some() || known.candidate.is_some())
    };
    let mut announced = false;
    let sentences = sentences(pieces);
    let sounds: Vec<Vec<f64>> = sentences.iter().map(|sentence| tongue.topics().likes(material, sentence)).collect();
    for piece in pieces {
        announced |= announces(&piece.judged);
        if piece.judged.act != Act::Answer {
            continue;
        }
        let (core, sentence) = (&piece.span.core, piece.span.sentence);
        let around = (sentences[sentence] != *core).then_some(sounds[sentence].as_slice());
        piece.scores = tongue.score(material, core, around);
        piece.announced = announced;
        // Cues that are clear say better what is meant than words that are alike.
        if announced && !leads(&piece.scores, LEAVE_FIRST) {
            piece.named = correction::said_anew(engine, memory, material, &piece.span.core);
        }
        piece.named = piece.left_out.or(piece.named).or_else(|| {
            let mut fields = engine.definition().fields.iter();
            fields.position(|field| told(field) && is_named(field, material, &piece.span.core))
        });
    }
}

/// "Not the chat" in answer to what goes into a list is about what stays out of it, and "chat not at all" in answer to
/// what stays out is about the chat.
fn leave_out(engine: &Engine, question: &Question<'_>, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let [asked] = question.fields.as_slice() else { return };
    let fields = &engine.definition().fields;
    let takes = fields.iter().any(|field| field.left_out.as_ref() == Some(&asked.path));
    let Some(path) = asked.left_out.as_ref().or(Some(&asked.path).filter(|_| takes)) else { return };
    let place = fields.iter().position(|field| field.path == *path);
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer) {
        if let Some(thing) = parts::left_out(material, &piece.span.core) {
            (piece.span.core, piece.left_out) = (thing, place);
        }
    }
}

/// The same for lists that nobody asked for: "a map would be nice, reviews not at all".
fn leave_out_elsewhere(engine: &Engine, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let fields = &engine.definition().fields;
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer && piece.left_out.is_none()) {
        let Place::Other(field) = piece.place else { continue };
        let out = fields.get(field).and_then(|field| field.left_out.as_ref());
        let place = out.and_then(|path| fields.iter().position(|field| field.path == *path));
        if let (Some(place), Some(thing)) = (place, parts::left_out(material, &piece.span.core)) {
            (piece.span.core, piece.place) = (thing, Place::Other(place));
        }
    }
}

/// Where each sentence stands, as far as it tells something.
fn sentences(pieces: &[Piece<'_>]) -> Vec<Range<usize>> {
    let last = pieces.last().map_or(0, |piece| piece.span.sentence + 1);
    let mut all = vec![0..0; last];
    for piece in pieces.iter().filter(|piece| piece.judged.act == Act::Answer) {
        let place = &mut all[piece.span.sentence];
        let start = if place.start == place.end { piece.span.core.start } else { place.start };
        *place = start..piece.span.core.end;
    }
    all
}

/// Whether a clause says that what follows corrects something: "I have to correct myself."
fn announces(judged: &Judged<'_>) -> bool {
    judged.act == Act::Correction && judged.rule.is_some()
}

/// The fields that were asked for. Where one part of an answer is known already, only the others were asked for.
fn asked<'e>(engine: &'e Engine, memory: &WorkingMemory) -> Question<'e> {
    let obligations: Vec<_> = memory.asked.iter().filter_map(|asked| engine.obligation(&asked.obligation)).collect();
    let paths = memory.asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation));
    let mut fields: Vec<&Field> = paths.filter_map(|path| engine.field(path)).collect();
    let is_known = |field: &&Field| memory.extraction.is_known(&field.path);
    if !fields.iter().all(is_known) {
        fields.retain(|field| !is_known(field));
    }
    let shown: Vec<&String> = memory.asked.iter().flat_map(|asked| &asked.to_confirm).collect();
    let confirming = !shown.is_empty();
    let shown_fits = shown.iter().any(|path| {
        let value = memory.extraction.get(path).and_then(|field| field.doubted());
        value.and_then(Value::as_str).and_then(|text| engine.reader().field_of(text)).as_ref() == Some(*path)
    });
    let yes_no = confirming || fields.iter().any(|field| field.shape.r#type == Kind::Boolean);
    let takes_questions = obligations.iter().any(|obligation| obligation.takes_questions);
    let together = memory.asked.iter().any(|asked| asked.together);
    let (names, shown) = (special::names(&obligations, &fields), special::shown(&obligations, memory));
    Question { fields, open: Openness { yes_no, takes_questions }, confirming, shown_fits, together, names, shown }
}

/// Corrections take their whole sentence.
fn corrections(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    pieces: &mut [Piece<'_>],
) -> Vec<FieldReading> {
    let mut found = Vec::new();
    let sentences = pieces.last().map_or(0, |piece| piece.span.sentence + 1);
    let mut next = 0;
    for sentence in 0..sentences {
        let first = next;
        while pieces.get(next).is_some_and(|piece| piece.span.sentence == sentence) {
            next += 1;
        }
        let own = &mut pieces[first..next];
        let (Some(start), Some(end)) = (own.first(), own.last()) else { continue };
        if end.span.asks {
            continue;
        }
        let readings = correction::find(engine, memory, material, &(start.span.whole.start..end.span.whole.end));
        if readings.is_empty() {
            continue;
        }
        let path = readings.first().map(|reading| reading.path.clone());
        let place = engine.definition().fields.iter().position(|field| Some(&*field.path) == path.as_deref());
        for piece in own {
            piece.judged = Judged { act: Act::Correction, name: "what was said is replaced", rule: None };
            piece.place = place.map_or(Place::Nowhere, Place::Other);
        }
        found.extend(readings);
    }
    found
}

/// "14… no wait, 40": what stands before is taken back, what follows holds.
fn repair(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    for at in 0..pieces.len() {
        let span = pieces[at].span.clone();
        let found = material
            .lexicon
            .repairs
            .iter()
            .filter_map(|repair| material.find(repair, &span.whole))
            .min_by_key(|r| r.start);
        let figure = figure_repair(material, &span.whole);
        let Some(words) = found.or(figure.clone()) else { continue };
        let mut rest = core(material, words.end..span.whole.end);
        if figure.is_some() {
            rest.end = breath_end(material, &rest);
        }
        let says_before = words.start > span.core.start;
        if rest.is_empty() {
            // The words alone: the next clause of the sentence is what holds.
            let follows = pieces.get(at + 1).is_some_and(|next| next.span.sentence == span.sentence);
            if !follows {
                continue;
            }
        }
        if !says_before && at == 0 {
            continue;
        }
        let before = if says_before { span.core.start..words.start } else { pieces[at - 1].span.core.clone() };
        let next = pieces.get(at + 1).filter(|_| rest.is_empty()).map(|next| next.span.core.clone());
        let keeps = is_one_figure_of_several(material, &before, next.as_ref().unwrap_or(&rest));
        if keeps && (says_before || rest.is_empty()) {
            continue;
        }
        if !says_before && !keeps && is_taken_back(material, pieces, at, &words) {
            pieces[at - 1].judged = Judged { act: Act::Correction, name: "taken back in the same breath", rule: None };
        }
        pieces[at].judged =
            Judged { act: if rest.is_empty() { Act::Correction } else { Act::Answer }, name: REPAIRED, rule: None };
        pieces[at].span.core = rest;
    }
}

/// Whether only one of several figures is put right: "14 people in 200 sqm, no wait, 240 sqm" still has 14 people.
fn is_one_figure_of_several(material: &Material<'_, '_>, before: &Range<usize>, rest: &Range<usize>) -> bool {
    let first = material.quantities.within(rest).next();
    first.is_some_and(|first| first.tokens.start == rest.start) && material.quantities.within(before).count() > 1
}

/// Whether the clause before one that begins with a repair is taken back: in its own sentence always, and where a no
/// begins the next sentence, the few words that were the whole one before: "Weddings. No wait, funerals."
fn is_taken_back(material: &Material<'_, '_>, pieces: &[Piece<'_>], at: usize, words: &Range<usize>) -> bool {
    const FEW: usize = 5;
    let (before, sentence) = (&pieces[at - 1], pieces[at].span.sentence);
    if before.span.sentence == sentence {
        return true;
    }
    let whole = at < 2 || pieces[at - 2].span.sentence != before.span.sentence;
    let first = words.start == pieces[at].span.whole.start;
    let told = before.judged.act == Act::Answer && before.span.core.len() <= FEW;
    first && whole && told && material.has(&material.lexicon.negations, words)
}

/// Words that take a figure back where they stand between it and another of its kind: "12k… sorry, 21k".
fn figure_repair(material: &Material<'_, '_>, tokens: &Range<usize>) -> Option<Range<usize>> {
    const NEAR: usize = 4;
    let text = 0..material.text.tokens.len();
    let follows = |at: usize| material.quantities.within(&(at..text.end)).next().filter(|next| next.tokens.start == at);
    tokens.clone().find_map(|at| {
        let words = material.any_starts(&material.lexicon.figure_repairs, &(at..tokens.end));
        let end = words.filter(|end| *end <= tokens.end)?;
        let next = follows(end)?;
        let before = material.quantities.within(&(at.saturating_sub(NEAR)..at)).last()?;
        (before.kind == next.kind && before.tokens.end + 1 >= at).then_some(at..end)
    })
}

/// An objection, a refusal or an "I don't know" speaks for its sentence, unless a part of it clearly tells something.
fn swallow(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let speaks = |act: Act| matches!(act, Act::Objection | Act::Refuse | Act::DontKnow | Act::OffTopic);
    for sentence in pieces.chunk_by_mut(|a, b| a.span.sentence == b.span.sentence) {
        let Some(speaking) = sentence.iter().find(|piece| speaks(piece.judged.act)) else { continue };
        let act = speaking.judged.act;
        let told_at = speaking.span.whole.start;
        let claims = speaking.judged.rule.is_some_and(|rule| rule.does == Some(Doing::SaidAlready));
        for piece in sentence.iter_mut().filter(|piece| piece.judged.act == Act::Answer) {
            let clear = piece.scores.iter().any(|score| score.score >= LEAVE_FIRST.0);
            let guess = act == Act::DontKnow && material.has(&material.lexicon.guesses, &piece.span.whole);
            // "I told you, 6 on the payroll": it is said once more, where it does not go on about what was told.
            let apart = material.text.before(piece.span.whole.start).contains([',', ':', '-', '–', '—']);
            let again = claims && (apart || piece.span.whole.start < told_at);
            if !clear && !guess && !again {
                piece.judged = Judged { act, name: "goes with the rest of its sentence", rule: None };
            }
        }
    }
}

/// A plain yes or no to a question that it can answer, with what is said beside it: "Yes, names and addresses."
fn plain(question: &Question<'_>, material: &Material<'_, '_>, pieces: &[Piece<'_>], fields: &mut Vec<FieldReading>) {
    let replies = |piece: &&Piece<'_>| matches!(piece.judged.act, Act::Confirm | Act::Deny);
    let [field] = question.fields.as_slice() else { return };
    let (Some(piece), Kind::Boolean) = (pieces.iter().find(replies), field.shape.r#type) else { return };
    // "Names and phone numbers, nothing else" is a yes.
    let before = pieces.iter().take_while(|other| !std::ptr::eq(*other, piece));
    let told = fields.iter().any(|reading| *reading.path == *field.path && reading.status == Standing::Known);
    if told && before.into_iter().any(|other| other.judged.act == Act::Answer && other.place == Place::Asked) {
        return;
    }
    let point = if piece.span.core.is_empty() { &piece.span.whole } else { &piece.span.core };
    let beside = pieces.iter().skip_while(|other| !std::ptr::eq(*other, piece)).take_while(|other| {
        let goes_on = other.place == Place::Asked && other.judged.act == Act::Answer;
        other.span.sentence == piece.span.sentence && (replies(other) || goes_on)
    });
    let end = beside.last().map_or(point.end, |last| last.span.core.end.max(point.end));
    let yes = piece.judged.act == Act::Confirm;
    // What goes on after the yes says no more than the yes does.
    fields.retain(|reading| *reading.path != *field.path);
    fields.push(FieldReading {
        path: field.path.to_string(),
        value: Value::Bool(yes),
        quote: quote_of(material, &(point.start..end)),
        confidence: 0.9,
        status: Standing::Known,
        reading: if yes { "a plain yes" } else { "a plain no" }.to_owned(),
        doubt: None,
        cues: Vec::new(),
    });
}

fn report(tongue: &Tongue, material: &Material<'_, '_>, pieces: Vec<Piece<'_>>, fields: Vec<FieldReading>) -> Heard {
    let mut acts: Vec<Act> = Vec::new();
    let mut does: Vec<Doing> = Vec::new();
    let mut clauses = Vec::with_capacity(pieces.len());
    let fit = |score: &Score| Fit {
        field: tongue.cues.path(score.field).to_owned(),
        score: (score.score * 100.0).round() / 100.0,
        cues: score.cues.clone(),
    };
    for piece in pieces {
        let act = piece.judged.act;
        if !acts.contains(&act) {
            acts.push(act);
        }
        let doing = piece.judged.rule.and_then(|rule| rule.does);
        does.extend(doing.filter(|doing| !does.contains(doing)));
        let text = material.text.slice(&piece.span.whole);
        let asked = fields.iter().find(|reading| {
            piece.place == Place::Asked && reading.quote.contains(material.text.slice(&piece.span.core))
        });
        let field = match piece.place {
            Place::Other(field) => Some(tongue.cues.path(field).to_owned()),
            _ => asked.map(|reading| reading.path.clone()),
        };
        let score = piece.scores.iter().find(|score| Some(tongue.cues.path(score.field)) == field.as_deref());
        clauses.push(Clause {
            text: text.to_owned(),
            start: material.text.bytes(&piece.span.whole).start,
            act,
            rule: if piece.why.is_empty() { piece.judged.name.to_owned() } else { piece.why.to_owned() },
            score: score.map_or(0.0, |score| (score.score * 100.0).round() / 100.0),
            field,
            best: piece.scores.iter().take(NAMED).map(fit).collect(),
            reply: piece.judged.rule.and_then(|rule| rule.reply.clone()),
            does: doing,
        });
    }
    acts.sort_by_key(|act| acts::rank(*act));
    Heard { language: material.lexicon.id.clone(), acts, clauses, fields, does }
}

/// A value that a reading gives, and where it stands.
pub(super) fn known(field: &Field, material: &Material<'_, '_>, tokens: &Range<usize>, made: Made) -> FieldReading {
    let status = if made.confidence < field.confidence_threshold.0 { Standing::Candidate } else { Standing::Known };
    FieldReading {
        path: field.path.to_string(),
        value: made.value,
        quote: quote_of(material, tokens),
        confidence: made.confidence,
        status,
        reading: format!("the answer to the question, {}", made.reading),
        doubt: (status == Standing::Candidate).then(|| "I am not sure I read it right".to_owned()),
        cues: Vec::new(),
    }
}

/// A list with nothing in it is no value.
pub(super) fn is_empty(value: &Value) -> bool {
    *value == json!([]) || *value == json!("")
}
