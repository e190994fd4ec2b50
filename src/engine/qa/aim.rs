//! What a question asks for: the field that an answer to it would be filed under. By the names of fields and points, by
//! their questions and cues, and by the kind of answer that a question word calls for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::{shared, shows};
use crate::engine::Engine;
use crate::engine::config::{Definition, Field, Measure, Obligation};
use crate::engine::memory::{Status, WorkingMemory};
use crate::engine::reading::Lexicon;
use crate::engine::values::brief_text;
use crate::engine::words::is_stopword;

/// Words of a question with what each of them counts.
type Marks = BTreeMap<String, f64>;

/// What a question word counts of what a telling word would: "who" asks for any person.
const ASKING: f64 = 0.6;
/// What "may" and "must" count: they tell a limit from a fact.
const LIMITING: f64 = 0.3;
/// So much of a question must be words that belong to a field.
const COVERED: f64 = 0.8;
/// So much of one of the phrases for a field must stand in a question.
const PHRASED: f64 = 0.5;
/// By so much a field that is known must fit a question better than one that is open.
const LEAD: f64 = 0.15;
/// So much of what is known must stand in an answer that asks whether it is right.
const GIVEN_BACK: f64 = 0.5;
/// A question with more telling words than this asks for something more particular.
const SHORT: usize = 4;

/// The words that questions for fields are made of, in one language.
#[derive(Debug, Default)]
pub(in crate::engine) struct Aims {
    units: Vec<Unit>,
    /// How many fields use a word.
    uses: HashMap<String, usize>,
}

/// A field that a question can ask for.
#[derive(Debug)]
struct Unit {
    path: String,
    /// The points that it belongs to.
    obligations: Vec<String>,
    /// Short ways to ask for it, their words weighed.
    phrases: Vec<Marks>,
    /// All words that may stand in a question for it.
    words: BTreeSet<String>,
}

impl Aims {
    pub fn new(definition: &Definition, lexicon: &Lexicon) -> Self {
        let unit = |field: &Field| Unit::new(definition, field, lexicon);
        let units: Vec<Unit> = definition.fields.iter().map(unit).collect();
        let mut uses: HashMap<String, usize> = HashMap::new();
        for word in units.iter().flat_map(|unit| &unit.words) {
            *uses.entry(word.clone()).or_default() += 1;
        }
        let mut aims = Self { units, uses };
        let mut units = std::mem::take(&mut aims.units);
        let all = units.len();
        for phrase in units.iter_mut().flat_map(|unit| &mut unit.phrases) {
            *phrase = aims.weigh(phrase, all);
        }
        Self { units, ..aims }
    }

    /// What each word counts among so many fields: the more, the fewer of them use it.
    fn weigh(&self, marks: &Marks, fields: usize) -> Marks {
        let all = fields.max(1) as f64;
        let rare = |word: &str| {
            let uses = self.uses.get(word).copied().unwrap_or(1) as f64;
            (1.0 + all / uses).ln() / (1.0 + all).ln()
        };
        marks.iter().map(|(word, weight)| (word.clone(), weight * rare(word))).collect()
    }

    /// How well a question asks for a field; 0 where it does not.
    fn fit(unit: &Unit, question: &Marks) -> f64 {
        let covered = share(question, |word| unit.words.contains(word));
        if covered < COVERED {
            return 0.0;
        }
        let phrased = unit.phrases.iter().map(|phrase| share(phrase, |word| question.contains_key(word)));
        let phrased = phrased.fold(0.0, f64::max);
        if phrased >= PHRASED { covered + phrased } else { 0.0 }
    }
}

/// The share that some of the words make of what all of them count.
fn share(marks: &Marks, has: impl Fn(&str) -> bool) -> f64 {
    let counted: f64 = marks.iter().filter(|(word, _)| has(word)).map(|(_, weight)| weight).sum();
    counted / marks.values().sum::<f64>().max(f64::EPSILON)
}

impl Unit {
    fn new(definition: &Definition, field: &Field, lexicon: &Lexicon) -> Self {
        let own = lexicon.id() == definition.language();
        let language = lexicon.id();
        let points = definition.obligations.iter().filter(|o| o.satisfied_by.contains(&field.path));
        let points: Vec<&Obligation> = points.collect();
        let mut texts = vec![field.name.clone()];
        texts.extend(if own { field.asked_as.clone() } else { told(&field.asked_as_in, language) });
        // Of a point with several fields, its name and its question are about the first.
        for point in points.iter().filter(|point| point.satisfied_by.first().is_some_and(|first| *first == field.path))
        {
            texts.extend(if own { Some(point.name.clone()) } else { told(&point.name_in, language) });
            let question = if own { Some(point.question.clone()) } else { told(&point.question_in, language) };
            // What follows a comma only explains it.
            texts.extend(question.iter().flat_map(|text| [text.clone(), first_part(text).to_owned()]));
        }
        let kinds = kinds(field).iter().map(|phrase| marks(lexicon, phrase));
        let phrases: Vec<Marks> = texts.iter().map(|text| marks(lexicon, text)).chain(kinds).collect();
        let phrases: Vec<Marks> = phrases.into_iter().filter(|phrase| !phrase.is_empty()).collect();
        let mut words: BTreeSet<String> = phrases.iter().flat_map(|phrase| phrase.keys().cloned()).collect();
        let cues = if own { Some(&field.cues) } else { field.cues_in.get(language).map(|cues| &cues.value) };
        for cue in cues.into_iter().flatten() {
            words.extend(marks(lexicon, &of_cue(cue)).into_keys());
        }
        let obligations = points.iter().map(|point| point.id.to_string()).collect();
        Self { path: field.path.to_string(), obligations, phrases, words }
    }
}

fn told(texts: &crate::decode::Named<String>, language: &str) -> Option<String> {
    texts.get(language).map(|text| text.value.clone())
}

fn first_part(question: &str) -> &str {
    question.split([',', ':', ';', '.']).next().unwrap_or(question)
}

/// The plain words of a cue; its slots and marks are none.
fn of_cue(cue: &str) -> String {
    let mut out = String::new();
    let mut slot = false;
    for sign in cue.chars() {
        match sign {
            '{' => slot = true,
            '}' => slot = false,
            _ if slot => {}
            sign if sign.is_alphanumeric() => out.push(sign),
            _ => out.push(' '),
        }
    }
    out
}

/// Short ways to ask for an answer of a kind, whatever it is about.
fn kinds(field: &Field) -> &'static [&'static str] {
    match field.shape.measure {
        Some(Measure::Money) => &[
            "how much money",
            "how much may it cost",
            "how much can you spend",
            "wie viel geld",
            "wie viel darf es kosten",
            "wie viel ausgeben",
        ],
        Some(Measure::Date) => {
            &["when", "which month", "which date", "which day", "which year", "wann", "welcher monat", "welches datum"]
        }
        Some(Measure::Count) => &["how many", "what number", "wie viele", "welche zahl"],
        Some(Measure::Duration) => &["how long", "wie lange"],
        Some(Measure::Percent) => &["what percentage", "what share", "wie viel prozent"],
        None => &[],
    }
}

/// Words that open a question and say what kind of answer it wants; two words are one.
const ASKS: &[&str] = &["who", "whom", "when", "where", "why", "wer", "wen", "wem", "wann", "wo", "warum", "wieso"];
const ASKS_HOW: &[(&str, &[&str])] = &[
    ("how", &["many", "much", "often", "long", "far", "firm", "sure"]),
    ("wie", &["viele", "viel", "oft", "lange", "lang", "weit", "fest", "sicher"]),
];
const LIMITS: &[&str] =
    &["may", "must", "should", "can", "could", "have", "darf", "muss", "soll", "sollte", "kann", "könnte"];
/// Words that make a question no other one.
const FILLERS: &[&str] = &[
    "roughly",
    "approximately",
    "exactly",
    "currently",
    "actually",
    "already",
    "else",
    "please",
    "also",
    "maybe",
    "perhaps",
    "then",
    "yet",
    "got",
    "okay",
    "thanks",
    "thank",
    "right",
    "still",
    "today",
    "present",
    "presently",
    "nowadays",
    "days",
    "moment",
    "ungefähr",
    "etwa",
    "genau",
    "eigentlich",
    "schon",
    "bitte",
    "auch",
    "vielleicht",
    "denn",
    "noch",
    "danke",
    "heute",
    "derzeit",
    "momentan",
    "zurzeit",
    "gegenwärtig",
    "augenblick",
    "gerade",
    "aktuell",
];

/// The words of a question that tell what it asks for.
fn marks(lexicon: &Lexicon, text: &str) -> Marks {
    let words = lexicon.words_of(text);
    let mut marks = Marks::new();
    let mut at = 0;
    while let Some((word, stem)) = words.get(at) {
        at += 1;
        let next = words.get(at).map(|(next, _)| next.as_str()).unwrap_or_default();
        let how = ASKS_HOW.iter().any(|(how, with)| how == word && with.contains(&next));
        if how {
            at += 1;
            marks.insert(format!("{word} {next}"), ASKING);
        } else if ASKS.contains(&word.as_str()) {
            marks.insert(word.clone(), ASKING);
        } else if LIMITS.contains(&word.as_str()) {
            marks.insert(word.clone(), LIMITING);
        } else if !FILLERS.contains(&word.as_str()) && !is_stopword(word) && !lexicon.is_small(word) {
            marks.insert(stem.clone(), 1.0);
        }
    }
    marks
}

/// Points that a short question asks for although they are known: no other field fits it better that is open. A question
/// that shows what is known asks whether that is right, and not for it.
pub(super) fn re_asked(engine: &Engine, memory: &WorkingMemory, asked: &[String], answer: &str) -> BTreeSet<String> {
    let language = memory.language.current.as_deref();
    let Some((aims, lexicon)) = engine.aims(language).zip(engine.reader().lexicon(language)) else {
        return BTreeSet::new();
    };
    let mut found = BTreeSet::new();
    for question in asked {
        let question = marks(lexicon, question);
        let telling = question.values().filter(|weight| **weight >= 1.0).count();
        if telling == 0 || telling > SHORT {
            continue;
        }
        let question = aims.weigh(&question, aims.units.len());
        let fits = aims.units.iter().map(|unit| (unit, Aims::fit(unit, &question))).filter(|(_, fit)| *fit > 0.0);
        let (settled, open): (Vec<_>, Vec<_>) = fits.partition(|(unit, _)| is_settled(memory, unit));
        let likest_open = open.iter().map(|(_, fit)| *fit).fold(0.0, f64::max);
        let best = settled.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, fit)| *fit > likest_open + LEAD);
        let Some((unit, _)) = best else { continue };
        let given_back = |value: &Value| {
            // Words that any question for the field may have give nothing back.
            let mut own = content_stems(lexicon, &brief_text(value));
            own.retain(|word| !unit.words.contains(word));
            shows(value, answer) || shared(&own, &content_stems(lexicon, answer)) >= GIVEN_BACK
        };
        if !memory.extraction.value(&unit.path).is_some_and(given_back) {
            found.extend(unit.obligations.first().cloned());
        }
    }
    found
}

/// The telling words of a text without their endings.
fn content_stems(lexicon: &Lexicon, text: &str) -> BTreeSet<String> {
    let words = lexicon.words_of(text).into_iter();
    words.filter(|(word, _)| !is_stopword(word) && !lexicon.is_small(word)).map(|(_, stem)| stem).collect()
}

/// Whether there is nothing to ask about a field: it is known and not in doubt, or set aside.
fn is_settled(memory: &WorkingMemory, unit: &Unit) -> bool {
    if unit.obligations.is_empty() {
        return false;
    }
    let doubted = memory.extraction.get(&unit.path).is_some_and(|field| field.doubted().is_some());
    let known = memory.extraction.is_known(&unit.path) && !doubted;
    let status = |id: &String| memory.obligations.status(id);
    known || unit.obligations.iter().all(|id| status(id) == Status::Deferred)
}
