//! What a clause sounds like, by the words it has in common with examples of answers and of talk: naive Bayes over words
//! and pairs of words. It decides where no rule of the language does.

use std::collections::{BTreeSet, HashMap};

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

    /// How likely a word is in this group that some example has, as a logarithm.
    fn of_known(&self, mark: &str, vocabulary: f64) -> f64 {
        let seen = self.counts.get(mark).copied().unwrap_or_default();
        ((seen + UNSEEN) / self.all(vocabulary)).ln()
    }

    /// How likely something is in this group that no example has: a word, or a pair of words.
    fn of_new(&self, vocabulary: f64) -> New {
        let all = self.all(vocabulary);
        New { word: ((self.rare * RARE + UNSEEN) / all).ln(), pair: (UNSEEN / all).ln() }
    }

    fn all(&self, vocabulary: f64) -> f64 {
        self.words + UNSEEN * vocabulary
    }

    /// How likely the group is, whatever is said.
    fn before(&self) -> f64 {
        self.examples.max(1.0).ln()
    }
}

/// What a word and a pair of words are worth that no example has, as logarithms.
#[derive(Clone, Copy, Debug, Default)]
struct New {
    word: f64,
    pair: f64,
}

impl New {
    fn of(self, mark: &str) -> f64 {
        if mark.contains(' ') { self.pair } else { self.word }
    }
}

/// How likely a mark is in each of the three large groups, as logarithms.
#[derive(Clone, Copy, Debug)]
struct Known {
    answers: f64,
    talk: f64,
    plain: f64,
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
    known: HashMap<String, Known>,
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
        let all = used.len() as f64;
        let known = |mark: &String| Known {
            answers: learned.answers.of_known(mark, all),
            talk: learned.talk.of_known(mark, all),
            plain: learned.plain.of_known(mark, all),
        };
        learned.known = used.keys().map(|mark| ((*mark).clone(), known(mark))).collect();
        learned
    }

    fn vocabulary(&self) -> f64 {
        self.known.len() as f64
    }

    /// Whether there are no examples to compare with.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// How much likelier some words are talk than an answer, as a logarithm; negative for an answer. `yes_no`: whether a
    /// plain yes or no can be the answer.
    pub fn talk(&self, marks: &Marks, yes_no: bool) -> f64 {
        let all = self.vocabulary();
        let new = [&self.answers, &self.talk, &self.plain].map(|group| group.of_new(all));
        let [mut answers, mut talk, mut plain] = [&self.answers, &self.talk, &self.plain].map(Group::before);
        for mark in marks {
            let known = self.known.get(mark);
            answers += known.map_or_else(|| new[0].of(mark), |known| known.answers);
            talk += known.map_or_else(|| new[1].of(mark), |known| known.talk);
            plain += known.map_or_else(|| new[2].of(mark), |known| known.plain);
        }
        if yes_no { talk.max(plain) - answers } else { talk - answers }
    }

    /// The rule whose examples some words are most like, by its place in the language.
    pub fn rule(&self, marks: &Marks, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let all = self.vocabulary();
        let likes = |own: &Group| {
            let new = own.of_new(all);
            let of = |mark: &String| {
                if self.known.contains_key(mark) { own.of_known(mark, all) } else { new.of(mark) }
            };
            own.before() + marks.iter().map(of).sum::<f64>()
        };
        let fitting = self.rules.iter().filter(|(rule, _)| fits(*rule)).map(|(rule, own)| (likes(own), *rule));
        fitting.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, rule)| rule)
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
