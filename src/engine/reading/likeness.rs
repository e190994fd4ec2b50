//! What a clause sounds like, by the words it has in common with examples of answers and of talk: naive Bayes over words
//! and pairs of words. It decides where no rule of the language does.

use std::collections::{HashMap, HashSet};

use super::clauses::Material;
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
    fn learn(&mut self, marks: &HashSet<String>, rare: usize) {
        self.examples += 1.0;
        self.rare += rare as f64;
        for mark in marks {
            *self.counts.entry(mark.clone()).or_default() += 1.0;
            self.words += 1.0;
        }
    }

    /// How likely some words are in this group, as a logarithm.
    fn likes(&self, marks: &HashSet<String>, learned: &Likeness) -> f64 {
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

/// What a clause sounds like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sound {
    /// How much likelier it is talk than an answer, as a logarithm; negative for an answer.
    pub talk: f64,
    /// The rule that its words speak for most, by its place in the language.
    pub rule: usize,
}

impl Likeness {
    /// Learns from examples; `rule_of` finds a rule by its name, and whether it is a yes or a no.
    pub fn learn(examples: &Examples, rule_of: impl Fn(&str) -> Option<(usize, bool)>) -> Self {
        let lines = |texts: &[String]| texts.iter().map(|text| marks_of_example(text)).collect::<Vec<_>>();
        let answers = lines(&examples.answers);
        let talk: Vec<(usize, bool, Vec<HashSet<String>>)> = examples
            .rules
            .iter()
            .filter_map(|(name, text)| rule_of(name).map(|(rule, plain)| (rule, plain, lines(&text.value))))
            .collect();
        let mut used: HashMap<&String, usize> = HashMap::new();
        for mark in answers.iter().chain(talk.iter().flat_map(|(.., lines)| lines)).flatten() {
            *used.entry(mark).or_default() += 1;
        }
        let rare = |marks: &HashSet<String>| marks.iter().filter(|mark| !mark.contains(' ') && used[mark] == 1).count();
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

    /// What some tokens sound like. None where there are no examples to compare with.
    pub fn hear(
        &self,
        material: &Material<'_, '_>,
        tokens: &std::ops::Range<usize>,
        asks: bool,
        yes_no: bool,
    ) -> Option<Sound> {
        if self.rules.is_empty() || tokens.is_empty() {
            return None;
        }
        let words: Vec<&str> = material.text.tokens[tokens.clone()].iter().map(|token| token.word.as_str()).collect();
        let marks = marks(&words, asks);
        let mut talk = self.talk.likes(&marks, self);
        if yes_no {
            talk = talk.max(self.plain.likes(&marks, self));
        }
        let plain = |rule: usize| material.lexicon.rules.get(rule).is_some_and(|rule| rule.yes_no);
        let fitting = self.rules.iter().filter(|(rule, _)| yes_no || !plain(*rule));
        let likes = |group: &Group| group.likes(&marks, self);
        let (rule, _) = fitting.max_by(|(_, a), (_, b)| likes(a).total_cmp(&likes(b)))?;
        Some(Sound { talk: talk - self.answers.likes(&marks, self), rule: *rule })
    }
}

fn marks_of_example(example: &str) -> HashSet<String> {
    let text = super::text::Text::new(example, str::to_owned);
    let words: Vec<&str> = text.tokens.iter().map(|token| token.word.as_str()).collect();
    marks(&words, example.contains('?'))
}

/// What is compared: each word, each pair of neighbours with the ends, and whether it asks. Figures are all alike.
fn marks(words: &[&str], asks: bool) -> HashSet<String> {
    let alike =
        |word: &&str| if word.starts_with(|c: char| c.is_ascii_digit()) { "0".to_owned() } else { (*word).to_owned() };
    let words: Vec<String> = words.iter().map(alike).collect();
    let mut all: HashSet<String> = words.iter().cloned().collect();
    let ends = ["^".to_owned(), "$".to_owned()];
    let line: Vec<&String> = ends[..1].iter().chain(&words).chain(&ends[1..]).collect();
    all.extend(line.windows(2).map(|pair| format!("{} {}", pair[0], pair[1])));
    if asks {
        all.insert("?".to_owned());
    }
    all
}
