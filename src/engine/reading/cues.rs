//! What clauses point to: phrases of fields, weighed by how few fields share them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::clauses::Material;
use super::lexicon::Lexicon;
use super::pattern::{Field as Place, Manner, Part, Pattern, Slot};
use super::patterns::Index;
use super::quantity::Quantity;
use super::tables::Table;
use super::units::Unit;
use crate::engine::config::{Definition, Field, Kind, Measure};

/// What a small word counts of what another would.
const SMALL_WORD: f64 = 0.35;
/// What each further part of a cue adds: a phrase says more than its words.
const PHRASE: f64 = 0.25;
/// What further cues count beside the best one.
const FURTHER: f64 = 0.4;
/// What a quantity of the field's own kind adds.
const FITTING_KIND: f64 = 0.45;
/// What the score of cues counts in the rank of a field, beside the logarithm of what a clause sounds like.
const CUED: f64 = 2.5;
/// What a field that a clause does not sound like at all counts for.
const UNHEARD: f64 = 0.03;
/// The most a single part of a cue can weigh for its rarity.
const MOST: f64 = 1.0;

/// The cues of all fields of an engine in one language.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cues {
    all: Vec<Cue>,
    index: Index,
    /// How much a part weighs, by how few fields use it.
    weights: Table<String, f64>,
    fields: Vec<Typed>,
}

#[derive(Clone, Debug)]
struct Cue {
    field: usize,
    pattern: Pattern,
    /// In how many fields it stands word for word.
    shared: f64,
    /// The value it means, where it means one.
    option: Option<String>,
}

/// A cue that was found: its weight, its place, and itself.
type Hit<'c> = (f64, Range<usize>, &'c Cue);

/// What kind of quantity a field takes.
#[derive(Clone, Debug)]
struct Typed {
    path: String,
    measure: Option<Measure>,
    unit: Option<Unit>,
    counts: Option<String>,
}

/// What a clause has to do with a field.
#[allow(clippy::struct_field_names, reason = "the score of a score is a number")]
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Score {
    /// The field, by its place in the definition.
    pub field: usize,
    pub score: f64,
    /// How much it sounds like what people say of the field, from 0 to 1.
    pub like: f64,
    /// The cues that were found.
    pub cues: Vec<String>,
    /// The value that a cue means.
    pub option: Option<String>,
    /// The words of its best cue, where that names a figure.
    pub figure: Option<Range<usize>>,
}

impl Score {
    /// How fields are ranked for some words: by cues, and by the logarithm of how much they sound like the field.
    pub fn rank(&self) -> f64 {
        (self.like + UNHEARD).ln() + CUED * self.score
    }
}

impl Cues {
    /// The cues of an engine in the language of a lexicon; `own` says whether that is the engine's own language.
    pub fn compile(definition: &Definition, lexicon: &Lexicon, own: bool) -> Self {
        let stem = |word: &str| lexicon.stem(word);
        let mut cues: Vec<Cue> = Vec::new();
        let mut fields = Vec::new();
        for (at, field) in definition.fields.iter().enumerate() {
            for (source, option) in sources(field, &lexicon.id, own) {
                // What is wrong with a pattern has been told when the engine was checked.
                if let Ok(pattern) = Pattern::parse(&source, Manner::Loose, &stem) {
                    cues.push(Cue { field: at, pattern, shared: 1.0, option });
                }
            }
            let unit = field.shape.unit.as_deref();
            let name =
                |unit: &str| super::text::Text::new(unit, stem).tokens.into_iter().map(|t| t.word).collect::<Vec<_>>();
            fields.push(Typed {
                path: field.path.to_string(),
                measure: field.shape.measure,
                unit: unit.and_then(|unit| lexicon.units.named(&name(unit).join(" "))),
                counts: unit.map(stem),
            });
        }
        let mut sharing: HashMap<&str, HashSet<usize>> = HashMap::new();
        for cue in &cues {
            sharing.entry(cue.pattern.source.as_str()).or_default().insert(cue.field);
        }
        let shared: Vec<f64> = cues.iter().map(|cue| sharing[cue.pattern.source.as_str()].len() as f64).collect();
        for (cue, shared) in cues.iter_mut().zip(shared) {
            cue.shared = shared;
        }
        let weights = weights(&cues, lexicon);
        let index = Index::new(cues.iter().map(|cue| &cue.pattern));
        Self { all: cues, index, weights, fields }
    }

    /// What some tokens have to do with each field, the most first.
    pub fn score(&self, material: &Material<'_, '_>, tokens: &Range<usize>) -> Vec<Score> {
        let slot = |slot: Slot, at: usize| material.quantities.slot(slot, at);
        let place = Place::of(material.text, &slot, tokens);
        // By field: each cue that was found, with its weight and its place.
        let mut found: BTreeMap<usize, Vec<Hit<'_>>> = BTreeMap::new();
        for at in tokens.clone() {
            for number in self.index.at(&material.text.tokens[at].stem, material.quantities.kind_at(at)) {
                let cue = &self.all[number];
                if let Some(hit) = cue.pattern.at(&place, at) {
                    let weight = self.weigh(&hit.parts) / cue.shared;
                    found.entry(cue.field).or_default().push((weight, hit.start..hit.end, cue));
                }
            }
        }
        let quantities: Vec<&Quantity> = material.quantities.within(tokens).collect();
        // "Not high" names a choice and means another.
        let denied = |place: &Range<usize>| material.is_denied(tokens, place.start);
        let mut scores: Vec<Score> = found.into_iter().map(|(field, hits)| total(field, hits, &denied)).collect();
        for score in &mut scores {
            score.score += self.fitting(score.field, &quantities, material, tokens);
        }
        scores.sort_by(|a, b| b.score.total_cmp(&a.score));
        scores
    }

    /// The choices of a field that some words mean.
    pub fn options_in(&self, lexicon: &Lexicon, path: &str, words: &str) -> Vec<String> {
        self.found_in(lexicon, path, words, |cue| cue.option.clone())
    }

    /// Whether some words have a cue of a field.
    pub fn has_cue(&self, lexicon: &Lexicon, path: &str, words: &str) -> bool {
        !self.found_in(lexicon, path, words, |_| Some(())).is_empty()
    }

    fn found_in<T>(&self, lexicon: &Lexicon, path: &str, words: &str, take: impl Fn(&Cue) -> Option<T>) -> Vec<T> {
        let text = lexicon.text(words);
        let quantities = super::quantity::Quantities::find(&text, lexicon);
        let slot = |slot: Slot, at: usize| quantities.slot(slot, at);
        let place = Place::of(&text, &slot, &(0..text.tokens.len()));
        let own =
            self.all.iter().filter(|cue| self.fields[cue.field].path == path && cue.pattern.find(&place).is_some());
        own.filter_map(take).collect()
    }

    /// The path of a field.
    pub fn path(&self, field: usize) -> &str {
        &self.fields[field].path
    }

    /// How many fields there are.
    pub fn fields(&self) -> usize {
        self.fields.len()
    }

    /// The cues as they are written, each with its field.
    pub fn sources(&self) -> impl Iterator<Item = (usize, String)> {
        self.all.iter().map(|cue| (cue.field, cue.pattern.source.clone()))
    }

    fn weigh(&self, parts: &[&Part]) -> f64 {
        let sum: f64 = parts.iter().map(|part| self.weights.get(&*key(part)).copied().unwrap_or(0.0)).sum();
        sum + PHRASE * parts.len().saturating_sub(1) as f64
    }

    /// What the quantities of a clause add for a field that takes their kind.
    fn fitting(
        &self,
        field: usize,
        quantities: &[&Quantity],
        material: &Material<'_, '_>,
        tokens: &Range<usize>,
    ) -> f64 {
        let typed = &self.fields[field];
        let takes = |quantity: &&&Quantity| match (typed.measure, typed.unit) {
            (Some(Measure::Money), _) | (_, Some(Unit::Money)) => quantity.kind == Slot::Money,
            (Some(Measure::Date), _) => quantity.kind == Slot::Date,
            (Some(Measure::Percent), _) | (_, Some(Unit::Percent)) => quantity.kind == Slot::Percent,
            (Some(Measure::Duration), _) | (_, Some(_)) => quantity.kind == Slot::Duration,
            (Some(Measure::Count), None) => quantity.kind == Slot::Number,
            (None, None) => false,
        };
        let counted = typed.counts.as_ref().is_some_and(|counted| {
            let said = |at: usize| material.text.tokens.get(at).is_some_and(|token| token.stem == *counted);
            quantities.iter().any(|quantity| said(quantity.tokens.end) && quantity.tokens.end < tokens.end)
        });
        if counted || quantities.iter().any(|quantity| takes(&quantity)) { FITTING_KIND } else { 0.0 }
    }
}

/// The phrases of a field in a language, each with the value it means where it means one.
fn sources(field: &Field, language: &str, own: bool) -> Vec<(String, Option<String>)> {
    let shape = &field.shape;
    let mut all: Vec<(String, Option<String>)> = Vec::new();
    let plain =
        if own { Some(field.cues.as_slice()) } else { field.cues_in.get(language).map(|cues| cues.value.as_slice()) };
    all.extend(plain.unwrap_or_default().iter().map(|cue| (cue.value.clone(), None)));
    let options =
        if own { Some(&shape.option_cues) } else { shape.option_cues_in.get(language).map(|cues| &cues.value) };
    for (option, cues) in options.into_iter().flat_map(|options| options.iter()) {
        all.extend(cues.iter().map(|cue| (cue.value.clone(), Some(option.clone()))));
    }
    // The choices themselves point to their field only where they are no everyday words: that is what cues are for.
    if own && shape.r#type == Kind::Enum && shape.option_cues.is_empty() && !field.cues.is_empty() {
        all.extend(shape.options.iter().map(|option| (option.replace(['_', '-'], " "), Some(option.clone()))));
    }
    all
}

/// What was found for a field, added up: the best cue, and less of those that stand elsewhere.
fn total(field: usize, mut hits: Vec<Hit<'_>>, denied: &dyn Fn(&Range<usize>) -> bool) -> Score {
    hits.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut score = Score { field, score: 0.0, like: 0.0, cues: Vec::new(), option: None, figure: None };
    if let Some((_, place, cue)) = hits.first()
        && cue.pattern.parts().any(|part| matches!(part, Part::Slot(_)))
    {
        score.figure = Some(place.clone());
    }
    for (weight, place, cue) in hits {
        // What a phrase means counts also where a longer one stands over it: "most of them", "once a week".
        score.option = score.option.or_else(|| cue.option.clone().filter(|_| !denied(&place)));
        let overlaps = taken.iter().any(|other| other.start < place.end && place.start < other.end);
        if overlaps {
            continue;
        }
        score.score += if taken.is_empty() { weight } else { weight * FURTHER };
        if !score.cues.contains(&cue.pattern.source) {
            score.cues.push(cue.pattern.source.clone());
        }
        taken.push(place);
    }
    score
}

fn key(part: &Part) -> Cow<'_, str> {
    match part {
        Part::Word(word) => Cow::Borrowed(word),
        Part::Prefix(prefix) => Cow::Owned(format!("{prefix}*")),
        Part::Slot(slot) => Cow::Owned(format!("{{{slot}}}")),
        Part::AnyWord => Cow::Borrowed("{word}"),
    }
}

/// How much each part weighs: the fewer fields use it, the more.
fn weights(cues: &[Cue], lexicon: &Lexicon) -> Table<String, f64> {
    let mut users: HashMap<String, HashSet<usize>> = HashMap::new();
    for cue in cues {
        for part in cue.pattern.parts() {
            users.entry(key(part).into_owned()).or_default().insert(cue.field);
        }
    }
    let all = cues.iter().map(|cue| cue.field).collect::<HashSet<_>>().len().max(2) as f64;
    let small: HashSet<String> = lexicon.stopwords.iter().map(|word| lexicon.stem(word)).collect();
    let weigh = |(part, users): (String, HashSet<usize>)| {
        let rarity = 1.0 - (users.len() as f64).ln() / (all + 1.0).ln();
        let weight = rarity.clamp(0.0, MOST);
        let is_small = small.contains(&part) || part == "{word}";
        (part, if is_small { weight * SMALL_WORD } else { weight })
    };
    users.into_iter().map(weigh).collect()
}
