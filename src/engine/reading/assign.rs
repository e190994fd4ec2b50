//! Brings clauses to fields: what was asked comes first, and a clause leaves it only with a clear lead.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Value, json};

use super::acts::{Judged, Openness};
use super::around::{excuse, spare_pasted, swallow};
use super::clauses::{Material, Span, clauses};
use super::cues::Score;
use super::edits::{edits, is_edit};
use super::groups::{groups, leads};
use super::pointed::{by_label, of_same_kind, said_anew};
use super::reader::Tongue;
use super::rearranged::Ground;
use super::repair::repair;
use super::replaced::{announces, corrections, exceptions};
use super::report::report;
use super::settle::{LEAVE_FIRST, LEAVE_LATER, settle, share_sentences, weigh_asked};
use super::values::Made;
use super::verdict::{self, BOTH};
use super::volunteered;
use super::{
    FieldReading, Heard, Standing, around, beside, chosen, direct, doubt, either, keeping, mail, named_too, parts,
    quote_of, reopen, special,
};
use crate::engine::Engine;
use crate::engine::config::{Act, Doing, Field, Kind, Obligation};
use crate::engine::memory::WorkingMemory;
use crate::engine::values::brief_text;
use crate::engine::words::content_words;

/// A clause on its way to a field.
#[allow(clippy::struct_excessive_bools, reason = "each is found out by itself")]
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
    /// Whether it calls that field by its name and says what it is, or was announced to put it right.
    pub labelled: bool,
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
    /// Whether it says what a verdict does not hold for.
    pub excepts: bool,
    /// Whether the message says of it that it is the answer.
    pub is_answer: bool,
}

impl<'r> Piece<'r> {
    /// A clause of which only the act is known.
    fn of_part(part: verdict::Part<'r>) -> Self {
        Self {
            span: part.span,
            judged: part.judged,
            scores: Vec::new(),
            place: Place::Nowhere,
            why: "",
            named: None,
            labelled: false,
            left_out: None,
            announced: false,
            asked: 0.0,
            asked_by: (0.0, 0.0),
            unsure: false,
            excepts: part.excepts,
            is_answer: false,
        }
    }
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
    pub obligations: Vec<&'e Obligation>,
    pub fields: Vec<&'e Field>,
    pub open: Openness,
    /// Whether something was shown, the question is whether it is right, and the message does not say no.
    pub confirming: bool,
    /// What the question is called, by itself and by its fields.
    pub names: Vec<String>,
    /// What was shown for a yes or no.
    pub shown: Shown,
    /// Whether all that is known was shown, for a yes to it.
    pub reviews: bool,
    /// Whether it is the last question of something: whether what was said, or what came of it, stands.
    pub closing: bool,
    /// The verdicts that the message gives: yes, no, or both.
    pub verdicts: Vec<Act>,
}

/// What was shown for a yes or no.
pub(super) struct Shown {
    /// The fields that it is meant for.
    pub paths: Vec<String>,
    /// Those of them that something else is known of.
    pub replaces: Vec<String>,
    /// The elements of the lists that stand with the question.
    pub elements: Vec<String>,
    /// Its telling words.
    pub words: HashSet<String>,
    /// Whether it has cues of its own field: then it takes more than other words to replace it.
    pub fits: bool,
    /// Whether it has a figure.
    pub counts: bool,
    /// Whether several things were shown for one yes: then nothing else was asked for.
    pub together: bool,
}

impl Shown {
    /// Whether it would take the place of something.
    pub fn renews(&self) -> bool {
        !self.replaces.is_empty()
    }
}

impl Question<'_> {
    /// Whether the message says yes.
    pub fn agreed(&self) -> bool {
        self.verdicts.contains(&Act::Confirm)
    }

    /// Whether the question is whether something is right.
    pub fn asks_for_verdict(&self) -> bool {
        !self.shown.paths.is_empty() || self.reviews
    }
}

/// Reads the clauses of a message.
pub(super) fn assign(engine: &Engine, memory: &WorkingMemory, tongue: &Tongue, material: &Material<'_, '_>) -> Heard {
    let mut question = asked(engine, memory);
    let spans = clauses(material, question.fields.len() > 1);
    let mut pieces: Vec<Piece<'_>> =
        verdict::parts(material, &question, spans).into_iter().map(Piece::of_part).collect();
    question.confirming &= question.shown.together || !pieces.iter().any(|piece| piece.judged.act == Act::Deny);
    question.verdicts = verdicts(&pieces);
    let names = OnceCell::new();
    let ground = Ground { engine, memory, material, question: &question, names: &names };
    direct::take_back_jokes(material, &mut pieces);
    let edited = edits(&ground, &mut pieces);
    reopen::reopen(&ground, &mut pieces);
    special::wrong_is_no(&question, material, &mut pieces);
    let mut fields = edited.readings;
    fields.extend(chosen::reordered(&ground, &mut pieces));
    fields.extend(corrections(&ground, &mut pieces));
    fields.extend(special::figure_after_no(&ground, &mut pieces));
    let mut except = edited.except;
    except.extend(exceptions(&ground, &mut pieces));
    special::say_of_none(&question, material, &mut pieces);
    special::echo(engine, &question, material, &mut pieces);
    direct::leave_talk(&question, material, &mut pieces);
    special::verdict_unasked(&question, material, &mut pieces);
    special::said_again(memory, material, &mut pieces);
    question.verdicts = verdicts(&pieces);
    let ground = Ground { engine, memory, material, question: &question, names: &names };
    special::known_already(&ground, &mut pieces);
    leave_aside(&question, material, &mut pieces);
    leave_out(engine, &question, material, &mut pieces);
    point(&ground, tongue, &mut pieces);
    direct::point_back_elsewhere(engine, &question, material, &mut pieces);
    share_sentences(&mut pieces);
    weigh_asked(&question, tongue, &mut pieces);
    swallow(material, &mut pieces);
    excuse(material, &mut pieces);
    doubt::doubt(material, question.open, &mut pieces);
    around::sure_after_exception(&question, &except, &mut pieces);
    let names = ground.called_as();
    let is_asked = |field: &Field| question.fields.iter().any(|asked| asked.path == field.path);
    let label = |words: &str| {
        let only = names.only(material.lexicon, words);
        only.or_else(|| names.find(engine, material.lexicon, words, is_asked))
    };
    settle(engine, tongue, material, &question, &label, &mut pieces);
    leave_out_elsewhere(engine, material, &mut pieces);
    around::leave_by_the_way(material, &mut pieces);
    around::leave_beside_answer(&question, &mut pieces);
    let answers = super::answers::of_question(&question, tongue, material, &groups(&pieces, Place::Asked));
    fields.extend(special::put_right(memory, &pieces, answers));
    fields.extend(volunteered::readings(&ground, &mut pieces));
    fields.extend(chosen::one_of_list(&ground, &mut pieces, &fields));
    named_too::elements(&ground, &mut fields);
    fields.extend(either::answer(&engine.definition().fields, &question, material, &pieces, &fields));
    fields.extend(beside::figures(engine, memory, &question, material, &pieces, &fields));
    fields.extend(beside::texts(engine, memory, material, &pieces, &fields));
    keeping::spare_unnamed(&ground, &pieces, &mut fields);
    special::empty_first(engine, &except, &mut fields);
    except.retain(|path| !fields.iter().any(|reading| reading.path == *path && !reading.value.is_null()));
    // Who puts something right has not agreed to all of it yet.
    let corrects = pieces.iter().any(|piece| piece.judged.act == Act::Correction || piece.excepts);
    let partly = pieces.iter().any(|piece| special::agrees_partly(material, piece));
    if question.reviews && (partly || !question.verdicts.is_empty() && (corrects || !except.is_empty())) {
        fields.retain(|reading| !question.fields.iter().any(|field| *field.path == *reading.path));
    } else {
        special::plain(&question, material, &pieces, &mut fields);
    }
    special::spare_known(engine, memory, &mut fields);
    let keeps_both = pieces.iter().any(|piece| piece.judged.name == BOTH);
    let about = pieces.iter().find_map(|piece| about(material, piece));
    either::name_rivals(engine, memory, &mut fields);
    Heard { except, restores: edited.restores, about, keeps_both, ..report(tongue, material, pieces, fields) }
}

/// Leaves what is taken back in the same breath, and what a pasted text has around what it tells.
fn leave_aside(question: &Question<'_>, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    repair(material, pieces);
    spare_pasted(material, pieces);
    mail::leave_frame(material, pieces);
    around::leave_questions(question, pieces);
    around::interruption(material, pieces);
    parts::introduce(material, pieces);
}

/// The verdicts among some clauses, in order.
fn verdicts(pieces: &[Piece<'_>]) -> Vec<Act> {
    let acts = pieces.iter().map(|piece| piece.judged.act);
    acts.filter(|act| matches!(act, Act::Confirm | Act::Deny)).collect()
}

/// What an objection or a command is about: the words after "about".
fn about(material: &Material<'_, '_>, piece: &Piece<'_>) -> Option<String> {
    let doing = piece.judged.rule.and_then(|rule| rule.does);
    if piece.judged.name == reopen::REOPEN
        && let Some(thing) = reopen::thing(material, &piece.span.whole)
    {
        return Some(material.text.slice(&thing).to_owned());
    }
    let names = matches!(doing, Some(Doing::SaidAlready | Doing::Skip | Doing::Recall | Doing::Back | Doing::Repeat));
    let words = piece.span.whole.clone().filter(|_| names);
    let after = words.filter_map(|at| material.any_starts(&material.lexicon.retold.about, &(at..piece.span.whole.end)));
    let start = after.max().filter(|start| *start < piece.span.whole.end)?;
    Some(material.text.slice(&(start..piece.span.whole.end)).to_owned())
}

/// Finds out what each clause that tells something points to: cues, the name of a field, or what it says anew.
fn point(ground: &Ground<'_, '_, '_, '_>, tongue: &Tongue, pieces: &mut [Piece<'_>]) {
    let Ground { engine, memory, material, question, .. } = *ground;
    let told = |field: &Field| {
        let known = memory.extraction.get(&field.path);
        known.is_some_and(|known| known.value.is_some() || known.candidate.is_some())
    };
    // Who has just taken something out may say next what belongs there.
    let edited = pieces.iter().any(is_edit);
    let mut announced = question.closing && question.verdicts.contains(&Act::Deny);
    let mut under = None;
    let mut anew: Option<Option<usize>> = None;
    let sentences = sentences(pieces);
    let sounds: Vec<Vec<f64>> = sentences.iter().map(|sentence| tongue.topics().likes(material, sentence)).collect();
    for piece in pieces {
        announced |= announces(&piece.judged) || piece.excepts;
        // "I have to correct myself": the next sentence takes the place of what it is about.
        if piece.judged.act == Act::Correction && announces(&piece.judged) {
            anew = Some(None);
        }
        if piece.judged.act != Act::Answer {
            continue;
        }
        anew = anew.map(|sentence| sentence.or(Some(piece.span.sentence)));
        piece.labelled = anew == Some(Some(piece.span.sentence));
        let (core, sentence) = (&piece.span.core, piece.span.sentence);
        let around = (sentences[sentence] != *core && !piece.span.is_list).then_some(sounds[sentence].as_slice());
        piece.scores = tongue.score(material, core, around);
        // "The cost is more like 1,200, actually": said of what is known, it corrects that.
        let signs = material.has(&material.lexicon.announced, &piece.span.whole);
        let lead = piece.scores.first().and_then(|best| engine.definition().fields.get(best.field));
        piece.announced = announced || signs && lead.is_some_and(told);
        piece.named = piece.left_out.or(piece.named);
        by_label(ground, piece, &mut under, announced || signs || edited);
        // Cues that are clear say better what is meant than words that are alike. "All right apart from Kendal" only names
        // what is not right.
        let names = question.closing && piece.excepts && !material.has(&material.lexicon.verbs, &piece.span.core);
        if announced && piece.named.is_none() && !names && !leads(&piece.scores, LEAVE_FIRST) {
            piece.named = said_anew(engine, memory, material, &piece.span.core);
        }
        let lists = question.shown.together || question.reviews && piece.excepts;
        if lists && piece.named.is_none() && !leads(&piece.scores, LEAVE_LATER) {
            piece.named = of_same_kind(ground, &piece.span.core);
        }
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
    if let Some(place) = place {
        parts::leave_out_named_before(material, place, pieces);
    }
    let open = |piece: &&mut Piece<'_>| piece.judged.act == Act::Answer && piece.left_out.is_none();
    for piece in pieces.iter_mut().filter(open) {
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
        let takes =
            fields.get(field).is_some_and(|own| fields.iter().any(|other| other.left_out.as_ref() == Some(&own.path)));
        let place =
            out.and_then(|path| fields.iter().position(|field| field.path == *path)).or(Some(field).filter(|_| takes));
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

/// The fields that were asked for. Where one part of an answer is known already, only the others were asked for.
fn asked<'e>(engine: &'e Engine, memory: &WorkingMemory) -> Question<'e> {
    let obligations: Vec<_> = memory.asked.iter().filter_map(|asked| engine.obligation(&asked.obligation)).collect();
    let paths = memory.asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation));
    let mut fields: Vec<&Field> = paths.filter_map(|path| engine.field(path)).collect();
    let is_known = |field: &&Field| memory.extraction.is_known(&field.path);
    if !fields.iter().all(is_known) {
        fields.retain(|field| !is_known(field));
    }
    let shown = shown(engine, memory, &obligations);
    let confirming = !shown.paths.is_empty();
    let yes_no = confirming || fields.iter().any(|field| field.shape.r#type == Kind::Boolean);
    let closing = obligations.iter().any(|o| o.when.is_some())
        && fields.iter().all(|field| field.shape.r#type == Kind::Boolean)
        && !fields.is_empty();
    let reviews = closing && obligations.iter().any(|o| o.when.is_some() && o.shows.is_empty());
    let takes_questions = obligations.iter().any(|obligation| obligation.takes_questions);
    let takes_plans = obligations.iter().any(|obligation| obligation.takes_plans);
    let names = special::names(&obligations, &fields);
    if shown.together {
        fields.clear();
    }
    let boolean = |path: &String| engine.field(path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
    let open = Openness { yes_no, shown: confirming && !shown.paths.iter().any(boolean), takes_questions, takes_plans };
    Question { obligations, fields, open, confirming, names, shown, reviews, closing, verdicts: Vec::new() }
}

fn shown(engine: &Engine, memory: &WorkingMemory, obligations: &[&Obligation]) -> Shown {
    let paths: Vec<String> = memory.asked.iter().flat_map(|asked| asked.to_confirm.clone()).collect();
    let value = |path: &String| memory.extraction.get(path).and_then(|field| field.doubted());
    let of = |text: &str| engine.reader().field_of(text);
    let texts: Vec<String> = paths.iter().filter_map(value).map(brief_text).collect();
    Shown {
        replaces: paths.iter().filter(|path| memory.extraction.is_known(path)).cloned().collect(),
        elements: special::elements(obligations, memory),
        words: texts.iter().flat_map(|text| content_words(text)).collect(),
        fits: paths.iter().any(|path| value(path).and_then(Value::as_str).and_then(of).as_ref() == Some(path)),
        counts: texts.iter().any(|text| text.contains(|c: char| c.is_ascii_digit())),
        together: memory.asked.iter().any(|asked| asked.together && !asked.to_confirm.is_empty()),
        paths,
    }
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
        adds: false,
    }
}

/// A list with nothing in it is no value.
pub(super) fn is_empty(value: &Value) -> bool {
    *value == json!([]) || *value == json!("")
}
