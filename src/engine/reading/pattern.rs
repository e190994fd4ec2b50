//! The small language of cues and acts: words, alternatives, options, slots for quantities.

use std::cell::Cell;
use std::ops::Range;

use super::text::{Text, Token, folded};
use crate::decode::words;

words! {
    /// A place in a pattern that a quantity fills.
    Slot called "a slot" {
        /// A plain number.
        Number = "number",
        /// An amount of money.
        Money = "money",
        /// A share.
        Percent = "percent",
        /// A length of time.
        Duration = "duration",
        /// A day or a period.
        Date = "date",
        /// A time of the day.
        Time = "time",
        /// The name of a month.
        Month = "month",
        /// The name of a weekday.
        Weekday = "weekday",
        /// A year in four digits.
        Year = "year",
    }
}

/// The most words that `...` stands for.
const ANY_WORDS: usize = 6;
/// The most words that may stand between the parts of a cue.
const CUE_GAP: usize = 2;

/// One word's worth of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Word(String),
    /// A word that begins so.
    Prefix(String),
    Slot(Slot),
    AnyWord,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// One of several runs of parts; none at all where it is optional.
    Choice { runs: Vec<Vec<Part>>, optional: bool },
    /// Any words.
    Gap,
}

/// How words are compared, and what may stand between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Whole words, one after the other.
    Exact,
    /// Words whatever their ending, with a few others between.
    Loose,
}

/// A pattern, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(super) source: String,
    pieces: Vec<Piece>,
    from_start: bool,
    to_end: bool,
    manner: Manner,
}

/// What a pattern is looked for in.
#[derive(Clone, Copy)]
pub(super) struct Field<'t> {
    pub tokens: &'t [Token],
    /// The token after a quantity of a kind that begins at a token.
    pub slot: &'t dyn Fn(Slot, usize) -> Option<usize>,
    /// Where the clause begins and ends, in tokens.
    pub start: usize,
    pub end: usize,
    /// How often a part may still be tried: a pattern with many ways to stand must not take for ever.
    tries: &'t Cell<u64>,
}

impl<'t> Field<'t> {
    pub fn of(text: &'t Text<'_>, slot: &'t dyn Fn(Slot, usize) -> Option<usize>, clause: &Range<usize>) -> Self {
        Self { tokens: &text.tokens, slot, start: clause.start, end: clause.end, tries: &text.tries }
    }
}

/// Where a pattern was found: the first token, the token after the last, and the parts that matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub start: usize,
    pub end: usize,
    pub parts: Vec<Part>,
}

/// With what a pattern can begin, so that it is tried only where it may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum First {
    Word(String),
    Other,
}

impl Pattern {
    /// Takes a pattern apart; says what is wrong with it.
    pub fn parse(source: &str, manner: Manner, stem: &dyn Fn(&str) -> String) -> Result<Self, String> {
        let text = source.trim();
        let (text, from_start) = text.strip_prefix('^').map_or((text, false), |rest| (rest, true));
        let (text, to_end) = text.strip_suffix('$').map_or((text, false), |rest| (rest, true));
        let mut pieces = Vec::new();
        let mut rest = text.trim();
        while let Some(first) = rest.chars().next() {
            let (piece, after) = match first {
                '(' | '[' => group(rest, manner, stem)?,
                _ => {
                    let end = rest.find([' ', '(', '[']).unwrap_or(rest.len());
                    (single(&rest[..end], manner, stem)?, &rest[end..])
                }
            };
            pieces.extend(piece);
            rest = after.trim_start();
        }
        let says = |piece: &Piece| matches!(piece, Piece::Choice { optional: false, .. });
        if !pieces.iter().any(says) {
            return Err("the pattern has no word that must be there".to_owned());
        }
        if pieces.len() > 16 {
            return Err("the pattern has more than 16 parts".to_owned());
        }
        Ok(Self { source: source.to_owned(), pieces, from_start, to_end, manner })
    }

    /// All parts that may stand in it, for weighing.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        let runs = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Choice { runs, .. } => Some(runs),
            Piece::Gap => None,
        });
        runs.flatten().flatten()
    }

    /// With what it can begin.
    pub fn firsts(&self) -> Vec<First> {
        let mut firsts = Vec::new();
        for piece in &self.pieces {
            let Piece::Choice { runs, optional } = piece else { return vec![First::Other] };
            firsts.extend(runs.iter().map(|run| match run.first() {
                Some(Part::Word(word)) => First::Word(word.clone()),
                _ => First::Other,
            }));
            if !optional {
                break;
            }
        }
        firsts
    }

    /// Where it stands, the first place from a token on.
    pub fn find(&self, field: &Field<'_>) -> Option<Found> {
        let last = if self.from_start { field.start + 1 } else { field.end };
        (field.start..last.min(field.end)).find_map(|at| self.at(field, at))
    }

    /// Whether it stands at a token.
    pub fn at(&self, field: &Field<'_>, at: usize) -> Option<Found> {
        if self.from_start && at != field.start {
            return None;
        }
        let mut parts = Vec::new();
        let end = self.go(field, 0, at, &mut parts)?;
        Some(Found { start: at, end, parts })
    }

    fn go(&self, field: &Field<'_>, piece: usize, at: usize, parts: &mut Vec<Part>) -> Option<usize> {
        field.tries.set(field.tries.get().checked_sub(1)?);
        let Some(current) = self.pieces.get(piece) else {
            return (!self.to_end || at == field.end).then_some(at);
        };
        let Piece::Choice { runs, optional } = current else {
            return (0..=ANY_WORDS)
                .take_while(|skip| at + skip <= field.end)
                .find_map(|skip| self.go(field, piece + 1, at + skip, parts));
        };
        let gap = if piece == 0 || self.manner == Manner::Exact { 0 } else { CUE_GAP };
        for skip in (0..=gap).take_while(|skip| at + skip < field.end) {
            for run in runs {
                let Some(after) = self.run(field, run, at + skip) else { continue };
                let kept = parts.len();
                parts.extend(run.iter().cloned());
                if let Some(end) = self.go(field, piece + 1, after, parts) {
                    return Some(end);
                }
                parts.truncate(kept);
            }
        }
        if *optional { self.go(field, piece + 1, at, parts) } else { None }
    }

    fn run(&self, field: &Field<'_>, run: &[Part], mut at: usize) -> Option<usize> {
        for part in run {
            let token = field.tokens.get(at).filter(|_| at < field.end)?;
            at = match part {
                Part::Word(word) => {
                    let said = if self.manner == Manner::Loose { &token.stem } else { &token.word };
                    (said == word).then_some(at + 1)?
                }
                Part::Prefix(prefix) => token.word.starts_with(prefix.as_str()).then_some(at + 1)?,
                Part::AnyWord => at + 1,
                Part::Slot(slot) => (field.slot)(*slot, at).filter(|end| *end <= field.end)?,
            };
        }
        Some(at)
    }
}

/// Parts and what is left of the source.
type Parsed<'s> = (Vec<Piece>, &'s str);

fn group<'s>(text: &'s str, manner: Manner, stem: &dyn Fn(&str) -> String) -> Result<Parsed<'s>, String> {
    let optional = text.starts_with('[');
    let close = if optional { ']' } else { ')' };
    let end = text.find(close).ok_or_else(|| format!("`{}` is not closed", &text[..1]))?;
    let inside = &text[1..end];
    if inside.contains(['(', '[']) {
        return Err("groups cannot stand inside groups".to_owned());
    }
    let mut runs = Vec::new();
    for alternative in inside.split('|') {
        let mut run = Vec::new();
        for word in alternative.split_whitespace() {
            run.extend(parts(word, manner, stem)?);
        }
        if run.is_empty() {
            return Err("an alternative is empty".to_owned());
        }
        runs.push(run);
    }
    Ok((vec![Piece::Choice { runs, optional }], &text[end + 1..]))
}

fn single(word: &str, manner: Manner, stem: &dyn Fn(&str) -> String) -> Result<Vec<Piece>, String> {
    if matches!(word, "..." | "…") {
        return Ok(vec![Piece::Gap]);
    }
    let parts = parts(word, manner, stem)?;
    Ok(parts.into_iter().map(|part| Piece::Choice { runs: vec![vec![part]], optional: false }).collect())
}

/// The parts of one word of a pattern; a hyphen makes two.
fn parts(word: &str, manner: Manner, stem: &dyn Fn(&str) -> String) -> Result<Vec<Part>, String> {
    if let Some(name) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        if name == "word" {
            return Ok(vec![Part::AnyWord]);
        }
        let slot = Slot::ALL.iter().find(|slot| slot.word() == name);
        let slot = slot.ok_or_else(|| {
            let all: Vec<String> = Slot::ALL.iter().map(|slot| format!("{{{slot}}}")).collect();
            format!("there is no slot `{word}`; there are {} and {{word}}", all.join(", "))
        })?;
        return Ok(vec![Part::Slot(*slot)]);
    }
    let bare = |text: &str| {
        let text = Text::new(text, str::to_owned);
        text.tokens.into_iter().map(|token| token.word).collect::<Vec<_>>()
    };
    if let Some(prefix) = word.strip_suffix('*') {
        return Ok(vec![Part::Prefix(folded(prefix))]);
    }
    let found = bare(word);
    if found.is_empty() {
        return Err(format!("`{word}` is no word"));
    }
    let form = |word: String| if manner == Manner::Loose { stem(&word) } else { word };
    Ok(found.into_iter().map(|word| Part::Word(form(word))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(word: &str) -> String {
        word.trim_end_matches('s').to_owned()
    }

    fn finds(pattern: &str, manner: Manner, message: &str) -> Option<String> {
        let pattern = Pattern::parse(pattern, manner, &stem).unwrap();
        let text = Text::new(message, stem);
        let number = |_: Slot, at: usize| text.tokens[at].word.parse::<u32>().is_ok().then_some(at + 1);
        let field = Field::of(&text, &number, &(0..text.tokens.len()));
        pattern.find(&field).map(|found| text.slice(&(found.start..found.end)).to_owned())
    }

    #[test]
    fn a_pattern_finds_its_words_with_alternatives_options_and_slots() {
        let exact = |pattern, message| finds(pattern, Manner::Exact, message);
        assert_eq!(exact("what do you (mean|want)", "Hm, what do you mean?").as_deref(), Some("what do you mean"));
        assert_eq!(exact("up to {number} [euros]", "Up to 40 euros, say").as_deref(), Some("Up to 40 euros"));
        assert_eq!(exact("budget*", "it is budgeted").as_deref(), Some("budgeted"));
        assert_eq!(exact("^no idea", "I have no idea"), None);
        assert_eq!(exact("^pass $", "pass on that"), None);
        assert_eq!(exact("get ... back", "let me get all of it back").as_deref(), Some("get all of it back"));
        assert_eq!(exact("don't", "I DON’T").as_deref(), Some("DON’T"));
    }

    #[test]
    fn a_cue_lets_a_few_words_pass_and_takes_every_ending() {
        let loose = |pattern, message| finds(pattern, Manner::Loose, message);
        assert_eq!(loose("we can spend", "We can really only spends it").as_deref(), Some("We can really only spends"));
        assert_eq!(loose("we spend", "we do of course not spend"), None);
    }

    #[test]
    fn a_pattern_with_endless_ways_to_stand_is_given_up() {
        let pattern = Pattern::parse(&format!("{} x", "[a|b|c] ".repeat(14)), Manner::Loose, &stem).unwrap();
        let message = "a b ".repeat(40);
        let text = Text::new(&message, stem);
        let field = Field::of(&text, &|_, _| None, &(0..text.tokens.len()));
        assert!(pattern.find(&field).is_none());
        assert_eq!(text.tries.get(), 0, "all tries were used, and no more");
    }

    #[test]
    fn what_is_wrong_with_a_pattern_is_told() {
        let fault = |pattern: &str| Pattern::parse(pattern, Manner::Exact, &stem).unwrap_err();
        assert_eq!(fault("(a|b"), "`(` is not closed");
        assert!(fault("{cash}").starts_with("there is no slot `{cash}`"));
        assert_eq!(fault("[a] ..."), "the pattern has no word that must be there");
        assert_eq!(fault("(a|)"), "an alternative is empty");
    }
}
