//! What a clause is about, by the words it has in common with what people say of each field: naive Bayes over words and
//! pairs of words, learned from the fields' examples and the wordings of their cues.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::FixedState;

use super::clauses::Material;
use super::lexicon::Lexicon;
use super::quantity::Quantities;
use super::tables::Table;

/// What a mark counts that a field has never seen.
const UNSEEN: f64 = 0.02;
/// What two neighbours count, or two words that stand one apart, beside a single word.
const PAIR: f64 = 0.5;
/// Words come in company, so that their likelihoods taken together say too much: this share of it is believed.
const BELIEVED: f64 = 0.5;

/// What the rest of a sentence counts for one of its clauses.
const AROUND: f64 = 0.5;

/// What each field is talked about like.
#[derive(Clone, Debug, Default)]
pub(super) struct Topics {
    /// By mark: the fields it was seen in, and what it adds to their likelihood.
    seen: Table<u64, Vec<(usize, f64)>>,
    /// By field: what a mark adds that was never seen in it; `None` for fields that have no examples to compare with.
    unseen: Vec<Option<f64>>,
}

/// A word, a pair of words, or the first word; and how much it counts.
type Mark = (u64, f64);

impl Topics {
    /// Learns from lines by field, and from the sources of cues by field.
    pub fn learn(lexicon: &Lexicon, fields: usize, lines: &[(usize, String)], cues: &[(usize, String)]) -> Self {
        let mut counts: Table<u64, Table<usize, f64>> = Table::default();
        let mut totals = vec![0.0; fields];
        let mut count = |field: usize, words: &[Cow<'_, str>], weight: f64| {
            for (mark, worth) in marks(words) {
                *counts.entry(mark).or_default().entry(field).or_default() += weight * worth;
                totals[field] += weight * worth;
            }
        };
        for (field, line) in lines {
            let text = lexicon.text(line);
            let quantities = Quantities::find(&text, lexicon);
            let material = Material { text: &text, lexicon, quantities: &quantities };
            count(*field, &words(&material, &(0..text.tokens.len())), 1.0);
        }
        for (field, cue) in cues {
            let wordings = wordings(cue);
            for wording in &wordings {
                count(*field, &words_of_cue(lexicon, wording), 1.0 / wordings.len() as f64);
            }
        }
        let all = counts.len() as f64;
        let unseen =
            totals.iter().map(|total| (*total > 0.0).then(|| (UNSEEN / (total + UNSEEN * all)).ln())).collect();
        let adds = |(field, count): (usize, f64)| (field, ((count + UNSEEN) / UNSEEN).ln());
        let seen = counts.into_iter().map(|(mark, by)| (mark, by.into_iter().map(adds).collect())).collect();
        Self { seen, unseen }
    }

    /// How likely some tokens are about each field, given that they are about one. `around`: how likely each field would
    /// say the whole sentence they stand in, where that has more to it.
    pub fn about(&self, material: &Material<'_, '_>, tokens: &Range<usize>, around: Option<&[f64]>) -> Vec<f64> {
        let mut likes = self.likes(material, tokens);
        for (like, around) in likes.iter_mut().zip(around.into_iter().flatten()) {
            *like += AROUND * around;
        }
        if likes.iter().all(|like| *like == 0.0) {
            return likes;
        }
        let most = likes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = likes.iter().map(|like| (BELIEVED * (like - most)).exp()).collect();
        let sum: f64 = shares.iter().sum();
        shares.into_iter().map(|share| share / sum).collect()
    }

    /// How likely each field would say some tokens, as a logarithm; 0 for all where no mark is known.
    pub fn likes(&self, material: &Material<'_, '_>, tokens: &Range<usize>) -> Vec<f64> {
        let mut known = 0.0;
        let mut likes = vec![0.0; self.unseen.len()];
        for (mark, worth) in marks(&words(material, tokens)) {
            let Some(fields) = self.seen.get(&mark) else { continue };
            known += worth;
            for (field, adds) in fields {
                likes[*field] += worth * adds;
            }
        }
        if known > 0.0 {
            for (like, unseen) in likes.iter_mut().zip(&self.unseen) {
                *like = unseen.map_or(f64::NEG_INFINITY, |unseen| *like + known * unseen);
            }
        }
        likes
    }
}

/// The words of some tokens without their endings, where each quantity is one word that says its kind.
fn words<'t>(material: &Material<'t, '_>, tokens: &Range<usize>) -> Vec<Cow<'t, str>> {
    let mut found = Vec::with_capacity(tokens.len());
    let mut quantities = material.quantities.within(tokens).peekable();
    let mut at = tokens.start;
    while at < tokens.end {
        if let Some(quantity) = quantities.next_if(|quantity| quantity.tokens.start == at) {
            found.push(Cow::Owned(format!("{{{}}}", quantity.kind)));
            at = quantity.tokens.end;
            continue;
        }
        found.push(Cow::Borrowed(material.text.tokens[at].stem.as_str()));
        at += 1;
    }
    found
}

/// What is compared of some words: each of them, each pair of neighbours or of words one apart, and how it begins.
fn marks(words: &[Cow<'_, str>]) -> Vec<Mark> {
    let state = FixedState::default();
    let key = |kind: u8, one: &str, other: &str| state.hash_one((kind, one, other));
    let mut all: Vec<Mark> = Vec::with_capacity(words.len() * 3 + 1);
    all.extend(words.iter().map(|word| (key(0, word, ""), 1.0)));
    all.extend(words.windows(2).map(|pair| (key(1, &pair[0], &pair[1]), PAIR)));
    all.extend(words.windows(3).map(|three| (key(2, &three[0], &three[2]), PAIR)));
    all.extend(words.first().map(|word| (key(3, word, ""), 1.0)));
    all.sort_unstable_by_key(|(mark, _)| *mark);
    all.dedup_by_key(|(mark, _)| *mark);
    all
}

/// Ways to say a cue, in which each of its alternatives stands once.
fn wordings(cue: &str) -> Vec<String> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut rest = cue.trim_start_matches('^').trim_end_matches('$');
    while let Some(open) = rest.find(['(', '[']) {
        groups.push(vec![&rest[..open]]);
        let close = if rest[open..].starts_with('(') { ')' } else { ']' };
        let Some(end) = rest[open..].find(close).map(|end| open + end) else { break };
        let mut alternatives: Vec<&str> = rest[open + 1..end].split('|').collect();
        if close == ']' {
            alternatives.push("");
        }
        groups.push(alternatives);
        rest = &rest[end + 1..];
    }
    groups.push(vec![rest]);
    let most = groups.iter().map(Vec::len).max().unwrap_or(1);
    let wording = |number: usize| groups.iter().map(|group| group[number % group.len()]).collect::<Vec<_>>().join(" ");
    (0..most).map(wording).collect()
}

/// The words of a wording of a cue as they are compared: its slots are quantities.
fn words_of_cue<'w>(lexicon: &Lexicon, wording: &'w str) -> Vec<Cow<'w, str>> {
    let mut found = Vec::new();
    for word in wording.split_whitespace() {
        match word {
            "{word}" | "..." | "…" => {}
            slot if slot.starts_with('{') => found.push(Cow::Borrowed(slot)),
            _ => {
                let said = lexicon.text(word.trim_end_matches('*')).tokens;
                found.extend(said.into_iter().map(|token| Cow::Owned(token.stem)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Problems;
    use crate::engine::config::{Examples, Language};

    fn lexicon() -> Lexicon {
        let source = std::sync::Arc::new(crate::decode::SourceText::new(
            "en.toml".to_owned(),
            include_str!("../../../engines/language/en.toml").to_owned(),
        ));
        let mut problems = Problems::new(source.clone());
        let language = crate::decode::parse::<Language>(&source.text, "the language file", &mut problems).unwrap();
        Lexicon::compile(&language, Examples::default(), &mut problems)
    }

    fn about(topics: &Topics, lexicon: &Lexicon, message: &str) -> Vec<f64> {
        let text = lexicon.text(message);
        let quantities = Quantities::find(&text, lexicon);
        let material = Material { text: &text, lexicon, quantities: &quantities };
        topics.about(&material, &(0..text.tokens.len()), None)
    }

    #[test]
    fn a_clause_is_about_the_field_whose_lines_it_is_most_like() {
        let lexicon = lexicon();
        let lines = [
            (0, "we have 5,000 euros left".to_owned()),
            (0, "it must not cost more than 300 euros".to_owned()),
            (1, "before the season starts".to_owned()),
        ];
        let cues = [(1, "(ready|finished) by {date}".to_owned())];
        let topics = Topics::learn(&lexicon, 3, &lines, &cues);
        // The figure is another one, and so are the endings.
        let money = about(&topics, &lexicon, "there are 800 euros left");
        assert!(money[0] > 0.8, "{money:?}");
        let date = about(&topics, &lexicon, "finish it by June 2027");
        assert!(date[1] > 0.8, "{date:?}");
        // Of the third field nothing is known, and of words that no line has nothing can be told.
        assert!(money[2] == 0.0 && date[2] == 0.0);
        assert_eq!(about(&topics, &lexicon, "zebra"), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_cue_is_said_in_as_many_ways_as_it_has_alternatives() {
        assert_eq!(wordings("up to {money}"), ["up to {money}"]);
        let ways: Vec<String> = wordings("^(a|the|my) plan [for now]")
            .iter()
            .map(|way| way.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(ways.len(), 3);
        assert!(ways[0].starts_with("a plan") && ways[1].starts_with("the plan") && ways[2].starts_with("my plan"));
    }
}
