//! A language, ready to be read with: its patterns compiled, its words in sets.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::forms::EditWords;
use super::likeness::Likeness;
use super::pattern::{Manner, Pattern, Slot};
use super::patterns::{Index, Patterns};
use super::tables::{Set, Table};
use super::template::Template;
use super::text::{Text, folded};
use super::units::{Unit, Units};
use super::wordings::{AnsweringWords, Changes, NoteWords, RetoldWords, VerdictWords, templates};
use crate::decode::{Problems, Spanned};
use crate::engine::config::{Act, ActRule, Doing, Examples, Language, Lists, Probes};

/// A language, ready to be read with.
#[derive(Clone, Debug)]
pub struct Lexicon {
    pub(super) id: String,
    pub(super) iso639_3: String,
    pub(super) stopwords: Set<String>,
    endings: Vec<String>,
    pub(super) fillers: Patterns,
    pub(super) trailers: Patterns,
    pub(super) by_the_way: Patterns,
    pub(super) notes: NoteWords,
    pub(super) answering: AnsweringWords,
    pub(super) joints: Set<String>,
    pub(super) subjects: Patterns,
    pub(super) determiners: Set<String>,
    pub(super) plural_verbs: Set<String>,
    pub(super) conditions: Set<String>,
    pub(super) verbs: Patterns,
    pub(super) negations: Patterns,
    pub(super) repairs: Patterns,
    pub(super) figure_repairs: Patterns,
    pub(super) plain_replies: Set<String>,
    pub(super) question_words: Set<String>,
    pub(super) addressee: Set<String>,
    pub(super) speaker: Set<String>,
    ours: BTreeSet<String>,
    pub(super) abbreviations: Set<String>,
    pub(super) guesses: Patterns,
    pub(super) wishes: Patterns,
    pub(super) nothing: Patterns,
    pub(super) numbers: NumberWords,
    pub(super) units: Units,
    pub(super) months: Set<String>,
    pub(super) weekdays: Set<String>,
    pub(super) date_forms: Patterns,
    pub(super) exchanges: Vec<Template>,
    pub(super) renewals: Vec<Template>,
    pub(super) leads: Patterns,
    pub(super) announced: Patterns,
    pub(super) changes: Changes,
    pub(super) verdicts: VerdictWords,
    pub(super) retold: RetoldWords,
    pub(super) edits: EditWords,
    pub(super) rules: Vec<Rule>,
    /// The patterns of the rules by the word they begin with, and which rule and pattern each is.
    starts: Index,
    places: Vec<(usize, usize)>,
    examples: Examples,
    /// What the examples teach; learned when the first message is read.
    likeness: OnceLock<Likeness>,
    pub(super) vague: Patterns,
    pub(super) because: Set<String>,
    pub(super) occasion: Patterns,
    pub(super) lists: Lists,
    /// Words after an element of a list that are no part of it.
    pub(super) tails: Patterns,
    /// Words by which something is left out of a list.
    pub(super) excludes: Patterns,
    /// Words before an ordinal number that is written with a dot.
    pub(super) before_ordinals: Set<String>,
    probes: Probes,
    quotation: String,
    replies: Table<String, Vec<String>>,
}

/// Numbers in words.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberWords {
    pub words: Table<String, f64>,
    pub scales: Table<String, f64>,
    pub articles: Set<String>,
    pub phrases: Vec<(Vec<String>, f64)>,
    pub and_a_half: Vec<Vec<String>>,
    pub range: Vec<Vec<String>>,
    pub between: Set<String>,
    pub and: Set<String>,
    pub out_of: Vec<Vec<String>>,
    pub decimal: char,
    /// Whether numbers are written in one word.
    pub compounds: bool,
}

impl NumberWords {
    /// The value of a number in a word; of one that is put together its parts are read: `zwölftausend`, `einundvierzig`.
    pub fn value_of(&self, word: &str) -> Option<f64> {
        let known = self.words.get(word).copied();
        known.or_else(|| if self.compounds { self.compound(word) } else { None })
    }

    fn compound(&self, word: &str) -> Option<f64> {
        const SHORTEST: usize = 3;
        // The largest scale parts the number: before it stands how often, behind it what is added.
        let mut scales: Vec<(&String, f64)> = self.scales.iter().map(|(name, factor)| (name, *factor)).collect();
        scales.retain(|(name, _)| name.len() > SHORTEST);
        scales.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (name, factor) in scales {
            let Some((before, after)) = word.split_once(name.as_str()) else { continue };
            let times = if before.is_empty() { Some(1.0) } else { self.value_of(before) };
            let more = if after.is_empty() { Some(0.0) } else { self.value_of(after) };
            let fits = |times: f64, more: f64| (times < factor && more < factor).then_some(times * factor + more);
            return times.zip(more).and_then(|(times, more)| fits(times, more));
        }
        let parts = self.and.iter().filter_map(|and| word.split_once(and.as_str()));
        let mut sums = parts.filter_map(|(ones, tens)| {
            let (ones, tens) = (self.words.get(ones)?, self.words.get(tens)?);
            (*ones >= 1.0 && *ones < 10.0 && *tens >= 20.0 && tens % 10.0 == 0.0).then_some(ones + tens)
        });
        sums.next()
    }
}

/// A rule by which the act of a clause is known.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub name: String,
    pub act: Act,
    pub says: Vec<Pattern>,
    pub unless: Patterns,
    pub reply: Option<String>,
    pub does: Option<Doing>,
    pub max_words: Option<usize>,
    pub question: Option<bool>,
    pub yes_no: bool,
}

impl Rule {
    fn compile(rule: &ActRule, patterns: &mut impl FnMut(&[Spanned<String>]) -> Vec<Pattern>) -> Self {
        Self {
            name: rule.rule.clone(),
            act: rule.act,
            says: patterns(&rule.says),
            unless: patterns(&rule.unless).into(),
            reply: rule.reply.as_ref().map(ToString::to_string),
            does: rule.does,
            max_words: rule.max_words.map(|most| most as usize),
            question: rule.question,
            yes_no: rule.yes_no,
        }
    }
}

/// Where each pattern of some rules stands: its rule, and its place there.
fn places(rules: &[Rule]) -> Vec<(usize, usize)> {
    let of_rule = |(rule, own): (usize, &Rule)| (0..own.says.len()).map(move |pattern| (rule, pattern));
    rules.iter().enumerate().flat_map(of_rule).collect()
}

impl Lexicon {
    /// Compiles a language; what is wrong with its patterns goes to `problems`.
    pub(in crate::engine) fn compile(language: &Language, examples: Examples, problems: &mut Problems) -> Self {
        let mut patterns = |sources: &[Spanned<String>]| compile(sources, problems);
        let corrections = &language.corrections;
        let around = [&language.fillers, &language.trailers, &language.by_the_way];
        let [fillers, trailers, by_the_way] = around.map(|all| patterns(all).into());
        let notes = NoteWords::compile(&language.notes, &mut patterns);
        let [subjects, verbs, negations] =
            [&language.subjects, &language.verbs, &language.negations].map(|all| patterns(all).into());
        let stances = [&language.guesses, &language.wishes, &language.nothing];
        let [guesses, wishes, nothing] = stances.map(|all| patterns(all).into());
        let [tails, excludes] = [&language.lists.tails, &language.lists.excludes].map(|all| patterns(all).into());
        let rules: Vec<Rule> = language.acts.iter().map(|rule| Rule::compile(rule, &mut patterns)).collect();
        Self {
            id: language.id.to_string(),
            iso639_3: language.iso639_3.clone(),
            stopwords: set(&language.stopwords),
            endings: language.endings.iter().map(|ending| folded(ending)).collect(),
            fillers,
            trailers,
            by_the_way,
            notes,
            answering: AnsweringWords::compile(&language.answering, &mut patterns),
            changes: Changes::compile(corrections, &mut patterns),
            verdicts: VerdictWords::compile(&language.verdicts, &mut patterns),
            retold: RetoldWords::compile(&language.retold, &mut patterns),
            edits: EditWords::compile(&language.edits, &mut patterns),
            joints: set(&language.joints),
            subjects,
            determiners: set(&language.determiners),
            plural_verbs: set(&language.plural_verbs),
            conditions: set(&language.conditions),
            verbs,
            negations,
            repairs: compile(&language.repairs, problems).into(),
            figure_repairs: compile(&language.figure_repairs, problems).into(),
            plain_replies: set(&language.plain_replies),
            question_words: set(&language.question_words),
            addressee: set(&language.addressee),
            speaker: set(&language.speaker),
            ours: language.ours.iter().map(|word| word.to_lowercase()).collect(),
            abbreviations: language.abbreviations.iter().map(|word| word.to_lowercase()).collect(),
            guesses,
            wishes,
            nothing,
            numbers: number_words(language),
            units: units(language),
            months: set(&language.dates.months),
            weekdays: set(&language.dates.weekdays),
            date_forms: compile(&language.dates.forms, problems).into(),
            exchanges: templates(&corrections.exchanges),
            renewals: templates(&corrections.renewals),
            leads: compile(&corrections.leads, problems).into(),
            announced: compile(&corrections.announced, problems).into(),
            starts: Index::new(rules.iter().flat_map(|rule| &rule.says)),
            places: places(&rules),
            rules,
            examples,
            likeness: OnceLock::new(),
            vague: compile(&language.probes.vague, problems).into(),
            because: set(&language.probes.because),
            occasion: compile(&language.probes.occasion, problems).into(),
            lists: language.lists.clone(),
            tails,
            excludes,
            before_ordinals: set(&language.numbers.before_ordinals),
            probes: language.probes.clone(),
            quotation: language.quotation.clone(),
            replies: language.replies.iter().map(|(key, wordings)| (key.clone(), wordings.value.clone())).collect(),
        }
    }

    /// The code of the language.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Words by which people speak of what is theirs.
    pub fn ours(&self) -> &BTreeSet<String> {
        &self.ours
    }

    /// Whether a word tells the language: a small word, a unit of time, or a number in letters.
    pub(super) fn is_common(&self, word: &str) -> bool {
        const LONG: usize = 4;
        let counts = || self.numbers.words.contains_key(word) || self.units.named(word).is_some();
        self.stopwords.contains(word) || (word.len() >= LONG && counts())
    }

    /// A word without its ending.
    pub(super) fn stem(&self, word: &str) -> String {
        stem(&self.endings, word)
    }

    /// The words of a text, each with itself without its ending.
    pub(crate) fn words_of(&self, text: &str) -> Vec<(String, String)> {
        self.text(text).tokens.into_iter().map(|token| (token.word, token.stem)).collect()
    }

    /// Whether a word says little by itself.
    pub(crate) fn is_small(&self, word: &str) -> bool {
        self.stopwords.contains(word)
    }

    /// Patterns of rules that may begin at a word, where a quantity of a kind begins, or none; each with the place of its rule.
    pub(super) fn patterns_at(&self, word: &str, kind: Option<Slot>) -> impl Iterator<Item = (usize, &Pattern)> {
        self.starts.at(word, kind).map(|number| {
            let (rule, pattern) = self.places[number];
            (rule, &self.rules[rule].says[pattern])
        })
    }

    /// What clauses sound like, as the examples teach it.
    pub(super) fn likeness(&self) -> &Likeness {
        self.likeness.get_or_init(|| {
            Likeness::learn(&self.examples, |name| {
                let place = self.rules.iter().position(|rule| rule.name == name)?;
                Some((place, self.rules[place].yes_no))
            })
        })
    }

    /// The message taken apart.
    pub(super) fn text<'m>(&self, message: &'m str) -> Text<'m> {
        Text::new(message, |word| self.stem(word))
    }

    /// One of the wordings for an occasion, by a number that grows; none where it says nothing.
    pub fn reply(&self, occasion: &str, turn: u32) -> Option<&str> {
        let wordings = self.replies.get(occasion)?;
        let wording = wordings.get(turn as usize % wordings.len().max(1))?;
        (wording != "-").then_some(wording.as_str())
    }

    /// Whether an answer says little: a few words, one of them vague, and no reason, occasion or number in it.
    pub fn is_vague(&self, answer: &str) -> bool {
        const FEW: usize = 7;
        let text = self.text(answer);
        let quantities = super::quantity::Quantities::find(&text, self);
        let material = super::clauses::Material { text: &text, lexicon: self, quantities: &quantities };
        let all = 0..text.tokens.len();
        all.len() <= FEW
            && material.has(&self.vague, &all)
            && !material.has(&self.occasion, &all)
            && !text.tokens.iter().any(|token| self.because.contains(&token.word))
            && quantities.within(&all).next().is_none()
    }

    /// How a follow-up is worded.
    pub(crate) fn probes(&self) -> &Probes {
        &self.probes
    }

    /// Whether questions begin with a word.
    pub fn opens_question(&self, word: &str) -> bool {
        self.question_words.contains(&folded(word))
    }

    /// The first number that a text states.
    pub fn number_in(&self, text: &str) -> Option<f64> {
        super::values::amounts(text, self).first().copied()
    }

    /// A text in the quotation marks of the language.
    pub fn quoted(&self, text: &str) -> String {
        self.quotation.replace("{}", text)
    }
}

/// Cuts one ending off, and an e that is left over; what would be left of a short word is no stem.
fn stem(endings: &[String], word: &str) -> String {
    const SHORTEST: usize = 3;
    let long_enough = |rest: &&str| rest.chars().count() >= SHORTEST;
    let bare = endings.iter().find_map(|ending| word.strip_suffix(ending.as_str()).filter(long_enough)).unwrap_or(word);
    bare.strip_suffix('e').filter(long_enough).unwrap_or(bare).to_owned()
}

fn compile(sources: &[Spanned<String>], problems: &mut Problems) -> Vec<Pattern> {
    let mut patterns = Vec::with_capacity(sources.len());
    for source in sources.iter().filter(|source| !source.is_empty()) {
        match Pattern::parse(source, Manner::Exact, &str::to_owned) {
            Ok(pattern) => patterns.push(pattern),
            Err(fault) => {
                problems.error("bad-pattern", source.span.clone(), fault);
            }
        }
    }
    patterns
}

fn set(words: &[String]) -> Set<String> {
    words.iter().map(|word| folded(word.trim())).collect()
}

fn run(phrase: &str) -> Vec<String> {
    let signs = ['/', '-', '–'];
    if phrase.trim().chars().all(|c| signs.contains(&c)) {
        return vec![phrase.trim().to_owned()];
    }
    Text::new(phrase, str::to_owned).tokens.into_iter().map(|token| token.word).collect()
}

fn number_words(language: &Language) -> NumberWords {
    let numbers = &language.numbers;
    let by_word = |entries: &crate::decode::Entries<f64>| {
        entries.iter().map(|(word, value)| (folded(word), value.value)).collect::<Table<_, _>>()
    };
    let mut phrases: Vec<(Vec<String>, f64)> =
        numbers.phrases.iter().map(|(phrase, value)| (run(phrase), value.value)).collect();
    phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    let runs = |phrases: &[String]| phrases.iter().map(|phrase| run(phrase)).collect();
    NumberWords {
        words: by_word(&numbers.words),
        scales: by_word(&numbers.scales),
        articles: set(&numbers.articles),
        phrases,
        and_a_half: runs(&numbers.and_a_half),
        range: runs(&numbers.range),
        between: set(&numbers.between),
        and: set(&numbers.and),
        out_of: runs(&numbers.out_of),
        decimal: numbers.decimal.chars().next().unwrap_or('.'),
        compounds: numbers.compounds,
    }
}

fn units(language: &Language) -> Units {
    let units = &language.units;
    let kinds = [
        (&units.money, Unit::Money),
        (&units.percent, Unit::Percent),
        (&units.minutes, Unit::Minutes),
        (&units.hours, Unit::Hours),
        (&units.days, Unit::Days),
        (&units.weeks, Unit::Weeks),
        (&units.months, Unit::Months),
        (&units.years, Unit::Years),
    ];
    Units::new(kinds.into_iter().flat_map(|(names, unit)| names.iter().map(move |name| (run(name), unit))))
}
