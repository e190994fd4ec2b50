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

/// The most parts of a pattern.
const MOST_PIECES: usize = 16;

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
pub(super) struct PatternMatch<'p> {
    pub start: usize,
    pub end: usize,
    pub parts: Vec<&'p Part>,
}

/// What was tried so far from one token on.
struct Way<'p> {
    start: usize,
    /// The runs that matched.
    runs: [&'p [Part]; MOST_PIECES],
    matched: usize,
    /// For each piece the tokens from which it leads nowhere, by their distance from the start.
    dead: [u64; MOST_PIECES + 1],
}

impl Way<'_> {
    fn from(start: usize) -> Self {
        Self { start, runs: [&[]; MOST_PIECES], matched: 0, dead: [0; MOST_PIECES + 1] }
    }

    fn place(&self, piece: usize, at: usize) -> Option<(usize, u64)> {
        let distance = at.checked_sub(self.start).filter(|distance| *distance < 64)?;
        Some((piece, 1 << distance))
    }

    fn is_dead(&self, piece: usize, at: usize) -> bool {
        self.place(piece, at).is_some_and(|(piece, bit)| self.dead[piece] & bit != 0)
    }

    fn ends_here(&mut self, piece: usize, at: usize) {
        if let Some((piece, bit)) = self.place(piece, at) {
            self.dead[piece] |= bit;
        }
    }
}

/// With what a pattern can begin or end, so that it is tried only where it may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Word(String),
    Slot(Slot),
    Other,
}

impl From<Option<&Part>> for Edge {
    fn from(part: Option<&Part>) -> Self {
        match part {
            Some(Part::Word(word)) => Self::Word(word.clone()),
            Some(Part::Slot(slot)) => Self::Slot(*slot),
            Some(Part::Prefix(_) | Part::AnyWord) | None => Self::Other,
        }
    }
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
        if pieces.len() > MOST_PIECES {
            return Err(format!("the pattern has more than {MOST_PIECES} parts"));
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
    pub fn firsts(&self) -> Vec<Edge> {
        edges(self.pieces.iter(), <[Part]>::first)
    }

    /// With what it can end.
    pub fn lasts(&self) -> Vec<Edge> {
        edges(self.pieces.iter().rev(), <[Part]>::last)
    }

    /// Where it stands, the first place from a token on.
    pub fn find(&self, field: &Field<'_>) -> Option<Range<usize>> {
        let last = if self.from_start { field.start + 1 } else { field.end };
        (field.start..last.min(field.end)).find_map(|at| self.end_at(field, at).map(|end| at..end))
    }

    /// Whether it stands at a token: the token after it.
    pub fn end_at(&self, field: &Field<'_>, at: usize) -> Option<usize> {
        if !self.may_begin(field, at) {
            return None;
        }
        self.go(field, 0, at, &mut Way::from(at))
    }

    /// Whether it stands at a token, and with which of its parts.
    pub fn at(&self, field: &Field<'_>, at: usize) -> Option<PatternMatch<'_>> {
        if !self.may_begin(field, at) {
            return None;
        }
        let mut way = Way::from(at);
        let end = self.go(field, 0, at, &mut way)?;
        Some(PatternMatch { start: at, end, parts: way.runs[..way.matched].iter().copied().flatten().collect() })
    }

    /// Whether its first word may stand at a token. Most patterns fail here, so this is asked before anything is set up.
    fn may_begin(&self, field: &Field<'_>, at: usize) -> bool {
        if self.from_start && at != field.start {
            return false;
        }
        for (number, piece) in self.pieces.iter().enumerate() {
            let Piece::Choice { runs, optional } = piece else { return true };
            // After the first piece of a cue other words may stand.
            let others = number > 0 && self.manner == Manner::Loose;
            let fits = |run: &Vec<Part>| self.run(field, run.get(..1).unwrap_or_default(), at).is_some();
            if others || runs.iter().any(fits) {
                return true;
            }
            if !optional {
                return false;
            }
        }
        true
    }

    /// The token after what stands from a piece and a token on.
    fn go<'p>(&'p self, field: &Field<'_>, piece: usize, at: usize, way: &mut Way<'p>) -> Option<usize> {
        if way.is_dead(piece, at) {
            return None;
        }
        field.tries.set(field.tries.get().checked_sub(1)?);
        let end = self.go_on(field, piece, at, way);
        if end.is_none() {
            way.ends_here(piece, at);
        }
        end
    }

    fn go_on<'p>(&'p self, field: &Field<'_>, piece: usize, at: usize, way: &mut Way<'p>) -> Option<usize> {
        let Some(current) = self.pieces.get(piece) else {
            return (!self.to_end || at == field.end).then_some(at);
        };
        let Piece::Choice { runs, optional } = current else {
            return (0..=ANY_WORDS)
                .take_while(|skip| at + skip <= field.end)
                .find_map(|skip| self.go(field, piece + 1, at + skip, way));
        };
        let gap = if piece == 0 || self.manner == Manner::Exact { 0 } else { CUE_GAP };
        for skip in (0..=gap).take_while(|skip| at + skip < field.end) {
            for run in runs {
                let Some(after) = self.run(field, run, at + skip) else { continue };
                way.runs[way.matched] = run;
                way.matched += 1;
                if let Some(end) = self.go(field, piece + 1, after, way) {
                    return Some(end);
                }
                way.matched -= 1;
            }
        }
        if *optional { self.go(field, piece + 1, at, way) } else { None }
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

/// What stands on one side of some pieces: of the first, and of those behind it as long as they may be missing.
fn edges<'p>(pieces: impl Iterator<Item = &'p Piece>, side: fn(&[Part]) -> Option<&Part>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for piece in pieces {
        let Piece::Choice { runs, optional } = piece else { return vec![Edge::Other] };
        edges.extend(runs.iter().map(|run| Edge::from(side(run))));
        if !optional {
            break;
        }
    }
    edges
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
        pattern.find(&field).map(|found| text.slice(&found).to_owned())
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
    fn a_pattern_with_very_many_ways_to_stand_is_tried_in_few_steps() {
        let pattern = Pattern::parse(&format!("{} x", "[a|b|c] ".repeat(14)), Manner::Loose, &stem).unwrap();
        let message = "a b ".repeat(40);
        let text = Text::new(&message, stem);
        let before = text.tries.get();
        let field = Field::of(&text, &|_, _| None, &(0..text.tokens.len()));
        assert!(pattern.find(&field).is_none());
        let steps = before - text.tries.get();
        assert!(steps < 80 * 15 * 64, "{steps} steps for 80 words");
        text.tries.set(10);
        assert!(pattern.find(&field).is_none() && text.tries.get() == 0, "and there is an end to it");
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
