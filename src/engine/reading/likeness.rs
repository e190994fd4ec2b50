//! What a clause sounds like, by the words it has in common with examples of answers and of talk: naive Bayes over words
//! and pairs of words. It decides where no rule of the language does.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::tables::Table;
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
    counts: Table<u64, f64>,
    /// How many of its words stand in no other example: what a word that is not known at all is like.
    rare: f64,
}

impl Group {
    fn learn(&mut self, marks: &Marks, rare: usize) {
        self.examples += 1.0;
        self.rare += rare as f64;
        for mark in marks {
            *self.counts.entry(mark.key).or_default() += 1.0;
            self.words += 1.0;
        }
    }

    /// How likely a word is in this group that some example has, as a logarithm.
    fn of_known(&self, mark: u64, vocabulary: f64) -> f64 {
        let seen = self.counts.get(&mark).copied().unwrap_or_default();
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
    fn of(self, mark: Mark) -> f64 {
        if mark.sort == Sort::Pair { self.pair } else { self.word }
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
    /// What a mark counts in the three large groups that no example has, and how likely they are whatever is said.
    new: [New; 3],
    before: [f64; 3],
    /// Every word and pair that an example has.
    known: Table<u64, Known>,
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
        let mut used: Table<u64, usize> = Table::default();
        for mark in answers.iter().chain(talk.iter().flat_map(|(.., lines)| lines)).flatten() {
            *used.entry(mark.key).or_default() += 1;
        }
        let rare = |marks: &Marks| marks.iter().filter(|mark| mark.sort != Sort::Pair && used[&mark.key] == 1).count();
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
        let known = |mark: u64| Known {
            answers: learned.answers.of_known(mark, all),
            talk: learned.talk.of_known(mark, all),
            plain: learned.plain.of_known(mark, all),
        };
        learned.known = used.keys().map(|mark| (*mark, known(*mark))).collect();
        let groups = [&learned.answers, &learned.talk, &learned.plain];
        learned.new = groups.map(|group| group.of_new(all));
        learned.before = groups.map(Group::before);
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
        let new = &self.new;
        let [mut answers, mut talk, mut plain] = self.before;
        for mark in marks {
            let known = self.known.get(&mark.key);
            answers += known.map_or_else(|| new[0].of(*mark), |known| known.answers);
            talk += known.map_or_else(|| new[1].of(*mark), |known| known.talk);
            plain += known.map_or_else(|| new[2].of(*mark), |known| known.plain);
        }
        if yes_no { talk.max(plain) - answers } else { talk - answers }
    }

    /// Whether an example has one of some words. Of several of which none has any nothing can be told: they are of another
    /// language.
    pub fn knows(&self, marks: &Marks) -> bool {
        let mut words = marks.iter().filter(|mark| mark.sort == Sort::Word);
        words.clone().count() < 2 || words.any(|mark| self.known.contains_key(&mark.key))
    }

    /// The rule whose examples some words are most like, by its place in the language.
    pub fn rule(&self, marks: &Marks, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let all = self.vocabulary();
        let likes = |own: &Group| {
            let new = own.of_new(all);
            let of = |mark: &Mark| {
                if self.known.contains_key(&mark.key) { own.of_known(mark.key, all) } else { new.of(*mark) }
            };
            own.before() + marks.iter().map(of).sum::<f64>()
        };
        let fitting = self.rules.iter().filter(|(rule, _)| fits(*rule)).map(|(rule, own)| (likes(own), *rule));
        fitting.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, rule)| rule)
    }
}

/// What is compared: each word, each pair of neighbours with the ends, and whether it asks. Figures are all alike.
pub(super) type Marks = Vec<Mark>;

/// A word, two neighbours, or the question mark, by a number of its own: that compares much faster than its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    key: u64,
    sort: Sort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Sort {
    Word,
    Pair,
    Asks,
}

impl Mark {
    fn new(sort: Sort, one: &str, other: &str) -> Self {
        Self { key: FixedState::default().hash_one((sort, one, other)), sort }
    }
}

fn marks_of_example(example: &str) -> Marks {
    let text = super::text::Text::new(example, str::to_owned);
    let words: Vec<&str> = text.tokens.iter().map(|token| token.word.as_str()).collect();
    marks(&words, example.contains('?'))
}

pub(super) fn marks(words: &[&str], asks: bool) -> Marks {
    let alike = |word: &'_ str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut all = Marks::with_capacity(2 * words.len() + 2);
    let mut before = "^";
    for word in words {
        let word = if alike(word) { "0" } else { word };
        all.push(Mark::new(Sort::Word, word, ""));
        all.push(Mark::new(Sort::Pair, before, word));
        before = word;
    }
    all.push(Mark::new(Sort::Pair, before, "$"));
    if asks {
        all.push(Mark::new(Sort::Asks, "", ""));
    }
    all.sort_unstable();
    all.dedup();
    all
}
