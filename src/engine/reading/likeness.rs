//! What a clause sounds like, by the words it has in common with examples of answers and of talk: naive Bayes over words
//! and pairs of words. It decides where no rule of the language does.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::engine::config::Examples;

/// What a word counts that a group has never seen.
const UNSEEN: f64 = 0.1;
/// How much a word that no example has counts of one that a single example has.
const RARE: f64 = 1.0;

/// How often each word stands in some examples.
#[derive(Clone, Debug, Default)]
struct Group {
    examples: f64,
    words: f64,
    counts: HashMap<String, f64>,
    /// How many of its words stand in no other example: what a word that is not known at all is like.
    rare: f64,
}

impl Group {
    fn learn(&mut self, marks: &Marks, rare: usize) {
        self.examples += 1.0;
        self.rare += rare as f64;
        for mark in marks {
            *self.counts.entry(mark.clone()).or_default() += 1.0;
            self.words += 1.0;
        }
    }

    /// How likely some words are in this group, as a logarithm.
    fn likes(&self, marks: &Marks, learned: &Likeness) -> f64 {
        let all = self.words + UNSEEN * learned.vocabulary;
        let each = marks.iter().map(|mark| {
            let seen = self.counts.get(mark).copied().unwrap_or_default();
            let new = !mark.contains(' ') && !learned.known.contains(mark);
            let weight = if new { self.rare * RARE + UNSEEN } else { seen + UNSEEN };
            (weight / all).ln()
        });
        each.sum::<f64>() + self.examples.max(1.0).ln()
    }
}

/// What examples have taught.
#[derive(Clone, Debug, Default)]
pub(super) struct Likeness {
    answers: Group,
    talk: Group,
    /// A yes or a no, which is talk only where no such answer was asked for.
    plain: Group,
    /// Examples by the rule they belong to.
    rules: Vec<(usize, Group)>,
    /// Every word and pair that an example has.
    known: HashSet<String>,
    vocabulary: f64,
}

impl Likeness {
    /// Learns from examples; `rule_of` finds a rule by its name, and whether it is a yes or a no.
    pub fn learn(examples: &Examples, rule_of: impl Fn(&str) -> Option<(usize, bool)>) -> Self {
        let lines = |texts: &[String]| texts.iter().map(|text| marks_of_example(text)).collect::<Vec<_>>();
        let answers = lines(&examples.answers);
        let talk: Vec<(usize, bool, Vec<Marks>)> = examples
            .rules
            .iter()
            .filter_map(|(name, text)| rule_of(name).map(|(rule, plain)| (rule, plain, lines(&text.value))))
            .collect();
        let mut used: HashMap<&String, usize> = HashMap::new();
        for mark in answers.iter().chain(talk.iter().flat_map(|(.., lines)| lines)).flatten() {
            *used.entry(mark).or_default() += 1;
        }
        let rare = |marks: &Marks| marks.iter().filter(|mark| !mark.contains(' ') && used[mark] == 1).count();
        let mut learned = Self::default();
        for marks in &answers {
            learned.answers.learn(marks, rare(marks));
        }
        for (rule, plain, lines) in &talk {
            let mut own = Group::default();
            for marks in lines {
                own.learn(marks, rare(marks));
                if *plain { &mut learned.plain } else { &mut learned.talk }.learn(marks, rare(marks));
            }
            learned.rules.push((*rule, own));
        }
        learned.known = used.keys().map(|mark| (*mark).clone()).collect();
        learned.vocabulary = learned.known.len() as f64;
        learned
    }

    /// Whether there are no examples to compare with.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// How much likelier some words are talk than an answer, as a logarithm; negative for an answer. `yes_no`: whether a
    /// plain yes or no can be the answer.
    pub fn talk(&self, marks: &Marks, yes_no: bool) -> f64 {
        let talk = self.talk.likes(marks, self);
        let plain = if yes_no { self.plain.likes(marks, self) } else { f64::NEG_INFINITY };
        talk.max(plain) - self.answers.likes(marks, self)
    }

    /// The rule whose examples some words are most like, by its place in the language.
    pub fn rule(&self, marks: &Marks, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let likes =
            self.rules.iter().filter(|(rule, _)| fits(*rule)).map(|(rule, own)| (own.likes(marks, self), *rule));
        likes.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, rule)| rule)
    }
}

/// What is compared: each word, each pair of neighbours with the ends, and whether it asks. Figures are all alike.
pub(super) type Marks = BTreeSet<String>;

fn marks_of_example(example: &str) -> Marks {
    let text = super::text::Text::new(example, str::to_owned);
    let words: Vec<&str> = text.tokens.iter().map(|token| token.word.as_str()).collect();
    marks(&words, example.contains('?'))
}

pub(super) fn marks(words: &[&str], asks: bool) -> Marks {
    let alike =
        |word: &&str| if word.starts_with(|c: char| c.is_ascii_digit()) { "0".to_owned() } else { (*word).to_owned() };
    let words: Vec<String> = words.iter().map(alike).collect();
    let mut all: Marks = words.iter().cloned().collect();
    let ends = ["^".to_owned(), "$".to_owned()];
    let line: Vec<&String> = ends[..1].iter().chain(&words).chain(&ends[1..]).collect();
    all.extend(line.windows(2).map(|pair| format!("{} {}", pair[0], pair[1])));
    if asks {
        all.insert("?".to_owned());
    }
    all
}
