//! Brings clauses to fields: what was asked comes first, and a clause leaves it only with a clear lead.

use std::ops::Range;

use serde_json::{Value, json};

use super::acts::{self, Judged, Openness};
use super::clauses::{Material, Span, clauses, core};
use super::cues::Score;
use super::reader::Tongue;
use super::values::Made;
use super::volunteered::{self, is_named};
use super::{Clause, FieldReading, Fit, Heard, Standing, correction, doubt, quote_of};
use crate::engine::Engine;
use crate::engine::config::{Act, Doing, Field, Kind};
use crate::engine::memory::WorkingMemory;

/// What the first clause needs to be about something else than what was asked, and by how much it must lead.
const LEAVE_FIRST: (f64, f64) = (1.15, 0.7);
/// The same in the sentence that has the answer.
const LEAVE_BESIDE: (f64, f64) = (1.0, 0.6);
/// The same once what was asked has its answer in another sentence.
pub(super) const LEAVE_LATER: (f64, f64) = (0.8, 0.35);
/// What the only clause of a message needs besides, where it has cues of what was asked too.
const ALONE: f64 = 0.25;
/// What a number or a choice needs besides, where a text was asked for.
const TYPED: f64 = 0.3;
/// A lead that is not clear enough to leave, and too large to be sure.
const DOUBT: (f64, f64) = (0.95, 0.5);
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
    why: &'static str,
    /// A field that is known and called by its name.
    named: Option<usize>,
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
}

/// Reads the clauses of a message.
pub(super) fn assign(engine: &Engine, memory: &WorkingMemory, tongue: &Tongue, material: &Material<'_, '_>) -> Heard {
    let mut question = asked(engine, memory);
    let spans = clauses(material, question.fields.len() > 1);
    let mut pieces: Vec<Piece<'_>> = spans
        .into_iter()
        .map(|span| {
            let judged = acts::judge(material, &span, question.open);
            Piece { span, judged, scores: Vec::new(), place: Place::Nowhere, why: "", named: None, unsure: false }
        })
        .collect();
    question.confirming &= !pieces.iter().any(|piece| piece.judged.act == Act::Deny);
    let mut fields = corrections(engine, memory, material, &mut pieces);
    repair(material, &mut pieces);
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer) {
        piece.scores = tongue.cues.score(material, &piece.span.core);
        piece.named = engine.definition().fields.iter().position(|field| {
            let told = memory
                .extraction
                .get(&field.path)
                .is_some_and(|known| known.value.is_some() || known.candidate.is_some());
            told && is_named(field, material, &piece.span.core)
        });
    }
    swallow(material, &mut pieces);
    doubt::doubt(material, question.open, &mut pieces);
    settle(engine, tongue, &question, material, &mut pieces);
    fields.extend(super::answers::of_question(&question, tongue, material, &groups(&pieces, Place::Asked)));
    fields.extend(volunteered::readings(engine, memory, material, &mut pieces));
    fields.extend(plain(&question, material, &pieces));
    report(tongue, material, pieces, fields)
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
    Question { fields, open: Openness { yes_no, takes_questions }, confirming, shown_fits }
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
        let Some(words) = found else { continue };
        let rest = core(material, words.end..span.whole.end);
        let says_before = words.start > span.core.start;
        if rest.is_empty() {
            // The words alone: the next clause of the sentence is what holds.
            let follows = pieces.get(at + 1).is_some_and(|next| next.span.sentence == span.sentence);
            if !follows {
                continue;
            }
        }
        if !says_before && at > 0 && pieces[at - 1].span.sentence == span.sentence {
            pieces[at - 1].judged = Judged { act: Act::Correction, name: "taken back in the same breath", rule: None };
        }
        if !says_before && at == 0 {
            continue;
        }
        pieces[at].judged =
            Judged { act: if rest.is_empty() { Act::Correction } else { Act::Answer }, name: REPAIRED, rule: None };
        pieces[at].span.core = rest;
    }
}

/// An objection, a refusal or an "I don't know" speaks for its sentence, unless a part of it clearly tells something.
fn swallow(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let speaks = |act: Act| matches!(act, Act::Objection | Act::Refuse | Act::DontKnow | Act::OffTopic);
    for at in 0..pieces.len() {
        let sentence = pieces[at].span.sentence;
        if pieces[at].judged.act != Act::Answer {
            continue;
        }
        let over = pieces.iter().find(|piece| piece.span.sentence == sentence && speaks(piece.judged.act));
        let Some(act) = over.map(|piece| piece.judged.act) else { continue };
        let clear = pieces[at].scores.first().is_some_and(|best| best.score >= LEAVE_FIRST.0);
        let guess = act == Act::DontKnow && material.has(&material.lexicon.guesses, &pieces[at].span.whole);
        if !clear && !guess {
            pieces[at].judged = Judged { act, name: "goes with the rest of its sentence", rule: None };
        }
    }
}

/// Decides for each clause that tells something where it goes.
fn settle(
    engine: &Engine,
    tongue: &Tongue,
    question: &Question<'_>,
    material: &Material<'_, '_>,
    pieces: &mut [Piece<'_>],
) {
    let is_asked = |score: &Score| question.fields.iter().any(|field| *field.path == *tongue.cues.path(score.field));
    let confirmed =
        |field: usize| engine.definition().fields.get(field).is_some_and(|field| field.shape.r#type == Kind::Object);
    // A sentence that answers a question for a text may well have a number or a choice in it.
    let texts = question.fields.iter().any(|field| matches!(field.shape.r#type, Kind::String | Kind::Array));
    let typed = |field: usize| {
        let kind = engine.definition().fields.get(field).map(|field| field.shape.r#type);
        let counts = matches!(kind, Some(Kind::Enum | Kind::Number | Kind::Boolean));
        if counts && texts { TYPED } else { 0.0 }
    };
    let alone = pieces.iter().filter(|piece| piece.judged.act == Act::Answer).count() == 1
        && !question.fields.is_empty()
        && !question.confirming;
    let mut answered = false;
    let mut before: Option<(usize, Place)> = None;
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer) {
        let asked = piece.scores.iter().filter(|score| is_asked(score)).map(|score| score.score).fold(0.0, f64::max);
        let other = piece.scores.iter().find(|score| !is_asked(score) && !confirmed(score.field));
        let same_sentence = before.filter(|(sentence, _)| *sentence == piece.span.sentence);
        let (least, lead) = match same_sentence {
            // To "is that right?" the answer is a yes or a no; more than that may be about anything.
            _ if question.confirming => LEAVE_LATER,
            _ if !answered && !question.fields.is_empty() => LEAVE_FIRST,
            Some((_, Place::Asked)) => LEAVE_BESIDE,
            _ => LEAVE_LATER,
        };
        // In a later sentence both may well be new facts.
        let near = answered && (least, lead) == LEAVE_LATER;
        let typed = if near { 0.0 } else { other.map_or(0.0, |other| typed(other.field)) };
        let more = typed + if alone && asked > 0.0 { ALONE } else { 0.0 };
        let leaves = other.filter(|other| other.score >= least + more && other.score >= asked + lead + more);
        let named =
            piece.named.filter(|field| !question.fields.iter().any(|asked| *asked.path == *tongue.cues.path(*field)));
        (piece.place, piece.why) = match (leaves, same_sentence) {
            _ if let Some(field) = named => (Place::Other(field), "a field by its name"),
            (Some(other), _) => (Place::Other(other.field), "a clear lead of its cues"),
            (None, Some((_, Place::Other(field)))) if asked <= 0.0 => {
                (Place::Other(field), "goes on with what came before")
            }
            (None, _) if question.fields.is_empty() => {
                (Place::Nowhere, "nothing was asked, and nothing points to a field")
            }
            (None, _) if question.confirming && asked <= 0.0 && !renews(question, material, &piece.span.core) => {
                (Place::Nowhere, "neither a yes nor a no, and of another kind than what was shown")
            }
            (None, _) if answered && before.is_some_and(|(_, place)| place != Place::Asked) && asked <= 0.0 => {
                (Place::Nowhere, "it follows something else and points to no field")
            }
            (None, _) => {
                (Place::Asked, if asked > 0.0 { "what was asked, with cues of its own" } else { "what was asked" })
            }
        };
        answered |= piece.place == Place::Asked;
        before = Some((piece.span.sentence, piece.place));
    }
}

/// Whether words that are neither a yes nor a no can be a new answer in place of what was shown: not where that clearly
/// belongs there, and where a quantity is wanted they need one.
fn renews(question: &Question<'_>, material: &Material<'_, '_>, core: &Range<usize>) -> bool {
    let has_figure = material.quantities.within(core).next().is_some();
    question.fields.iter().any(|field| match field.shape.r#type {
        Kind::String => !question.shown_fits && (field.shape.measure.is_none() || has_figure),
        _ => {
            super::values::make(field, material, core, None).is_some_and(|made| made.confidence > super::values::GUESS)
        }
    })
}

/// Clauses that went to the same place one after the other.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// From the first point to the last.
    pub tokens: Range<usize>,
    /// The same with the talk after the last point, for the quote.
    pub quote: Range<usize>,
    /// The points of its clauses.
    pub cores: Vec<Range<usize>>,
    pub scores: Vec<Score>,
    /// Whether cues speak for another field too: it, and by how much.
    pub rival: Option<usize>,
    /// Whether all of it may be talk.
    pub unsure: bool,
}

pub(super) fn groups(pieces: &[Piece<'_>], place: Place) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut joined = false;
    for piece in pieces {
        let here = piece.place == place && piece.judged.act == Act::Answer;
        // Talk without a point between two clauses does not part them.
        if !here {
            joined &= piece.span.core.is_empty();
            continue;
        }
        match groups.last_mut().filter(|_| joined) {
            Some(group) => {
                group.tokens.end = piece.span.core.end;
                group.quote.end = piece.span.whole.end;
                group.cores.push(piece.span.core.clone());
                group.scores.extend(piece.scores.iter().cloned());
                group.unsure &= piece.unsure;
            }
            None => groups.push(Group {
                tokens: piece.span.core.clone(),
                quote: piece.span.core.start..piece.span.whole.end,
                cores: vec![piece.span.core.clone()],
                scores: piece.scores.clone(),
                rival: rival(piece),
                unsure: piece.unsure,
            }),
        }
        joined = true;
    }
    groups
}

/// A field whose cues speak for it nearly as much as leaving would need.
fn rival(piece: &Piece<'_>) -> Option<usize> {
    let [best, rest @ ..] = piece.scores.as_slice() else { return None };
    let second = rest.first().map_or(0.0, |score| score.score);
    (best.score >= DOUBT.0 && best.score >= second + DOUBT.1).then_some(best.field)
}

/// A plain yes or no to a question that it can answer.
fn plain(question: &Question<'_>, material: &Material<'_, '_>, pieces: &[Piece<'_>]) -> Vec<FieldReading> {
    let mut replies = pieces.iter().filter(|piece| matches!(piece.judged.act, Act::Confirm | Act::Deny));
    let [field] = question.fields.as_slice() else { return Vec::new() };
    let (Some(piece), Kind::Boolean) = (replies.next(), field.shape.r#type) else { return Vec::new() };
    let yes = piece.judged.act == Act::Confirm;
    vec![FieldReading {
        path: field.path.to_string(),
        value: Value::Bool(yes),
        quote: quote_of(material, if piece.span.core.is_empty() { &piece.span.whole } else { &piece.span.core }),
        confidence: 0.9,
        status: Standing::Known,
        reading: if yes { "a plain yes" } else { "a plain no" }.to_owned(),
        doubt: None,
        cues: Vec::new(),
    }]
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
