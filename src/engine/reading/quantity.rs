//! Numbers, amounts, lengths of time and dates as people write them: 40k, €300, two and a half hours, end of April.

use std::ops::Range;

use super::lexicon::Lexicon;
use super::pattern::{Field, Slot};
use super::text::Text;
use super::units::Unit;

/// A quantity and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    pub kind: Slot,
    /// The number, or the lower end of a range; for dates 0.
    pub low: f64,
    /// The upper end of a range.
    pub high: Option<f64>,
    /// What it counts, if that is said.
    pub unit: Option<Unit>,
    /// Its place, in tokens.
    pub tokens: Range<usize>,
}

/// From here on a number that counts nothing is a sum of money.
const SUM: f64 = 5000.0;

/// The quantities of a text, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Quantities {
    all: Vec<Quantity>,
    /// For each token, the quantity that begins there.
    starts: Vec<Option<usize>>,
}

impl Quantities {
    pub fn find(text: &Text<'_>, lexicon: &Lexicon) -> Self {
        let mut found = Self { all: Vec::new(), starts: vec![None; text.tokens.len()] };
        let mut at = 0;
        while at < text.tokens.len() {
            let next =
                time_at(text, at).or_else(|| date_at(text, lexicon, at)).or_else(|| amount_at(text, lexicon, at));
            let Some(quantity) = next else {
                at += 1;
                continue;
            };
            at = quantity.tokens.end.max(at + 1);
            found.starts[quantity.tokens.start] = Some(found.all.len());
            found.all.push(quantity);
        }
        found
    }

    /// The quantity of a kind that begins at a token: the token after it.
    pub fn slot(&self, slot: Slot, at: usize) -> Option<usize> {
        let quantity = &self.all[(*self.starts.get(at)?)?];
        (quantity.kind == slot).then_some(quantity.tokens.end)
    }

    /// The kind of the quantity that begins at a token.
    pub fn kind_at(&self, at: usize) -> Option<Slot> {
        Some(self.all[(*self.starts.get(at)?)?].kind)
    }

    /// Those that lie within some tokens.
    pub fn within<'q>(&'q self, tokens: &Range<usize>) -> impl Iterator<Item = &'q Quantity> + use<'q> {
        let Range { start, end } = *tokens;
        // They stand in order and do not overlap.
        let first = self.all.partition_point(|quantity| quantity.tokens.start < start);
        self.all[first..].iter().take_while(move |quantity| quantity.tokens.end <= end)
    }
}

/// A time of the day such as 7:30 or 3pm.
fn time_at(text: &Text<'_>, at: usize) -> Option<Quantity> {
    let word = &text.tokens[at].word;
    let clock = word.split_once(':').is_some_and(|(hours, minutes)| {
        let number = |part: &str, most: u32| part.parse::<u32>().is_ok_and(|number| number <= most);
        number(hours, 24) && minutes.len() == 2 && number(minutes, 59)
    });
    let half_day =
        |suffix: &str| word.strip_suffix(suffix).is_some_and(|hour| hour.parse::<u32>().is_ok_and(|h| h <= 12));
    let is_time = clock || half_day("am") || half_day("pm");
    let tokens = at..at + 1;
    is_time.then_some(Quantity { kind: Slot::Time, low: 0.0, high: None, unit: None, tokens })
}

/// The longest date that begins at a token.
fn date_at(text: &Text<'_>, lexicon: &Lexicon, at: usize) -> Option<Quantity> {
    let slot = |slot: Slot, at: usize| {
        let word = text.tokens.get(at).map(|token| token.word.as_str())?;
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number = digits.parse::<u32>().ok();
        let holds = match slot {
            Slot::Number => number.is_some(),
            Slot::Year => number.is_some_and(|year| digits == word && (1900..2100).contains(&year)),
            Slot::Month => lexicon.months.contains(word),
            Slot::Weekday => lexicon.weekdays.contains(word) || lexicon.weekdays.contains(word.trim_end_matches('s')),
            _ => false,
        };
        holds.then_some(at + 1)
    };
    let field = Field::of(text, &slot, &(at..text.tokens.len()));
    let end = lexicon.date_forms.at_unread(&text.tokens[at].word).filter_map(|form| form.end_at(&field, at)).max()?;
    Some(Quantity { kind: Slot::Date, low: 0.0, high: None, unit: None, tokens: at..end })
}

/// A number with what it counts, or a range of them.
fn amount_at(text: &Text<'_>, lexicon: &Lexicon, at: usize) -> Option<Quantity> {
    // A sign of money may stand before the number.
    let (unit_before, first) = match lexicon.units.at(&text.tokens, at) {
        Some((Unit::Money, after)) => (Some(Unit::Money), after),
        _ => (None, at),
    };
    let one = number_at(text, lexicon, first)?;
    let (mut end, mut unit) = (one.end, one.unit.or(unit_before));
    if let Some((said, after)) = lexicon.units.at(&text.tokens, end).filter(|_| unit.is_none()) {
        (unit, end) = (Some(said), after);
    }
    if let Some(after) = marked(text, lexicon, one.end) {
        end = after;
    }
    let mut high = None;
    if let Some(second) = range_end(text, lexicon, at, end) {
        let (mut after, mut said) = (second.end, second.unit);
        if let Some((named, past)) = lexicon.units.at(&text.tokens, after).filter(|_| said.is_none()) {
            (said, after) = (Some(named), past);
        }
        // "300 customers or 2 hours" are two things.
        if said.is_none() || unit.is_none() || said == unit {
            (unit, end) = (said.or(unit), after);
            high = Some(second.value);
        }
    }
    if one.needs_unit && unit.is_none() {
        return None;
    }
    // "We have about 15k": a round sum that counts nothing is money.
    let counts_nothing = text.tokens.get(end).is_none_or(|next| {
        // "15k max".
        let limits = lexicon.abbreviations.contains(&next.word) || lexicon.notes.qualifiers.contains(&next.word);
        limits
            || lexicon.stopwords.contains(&next.word)
            || text.before(end).contains(|c: char| !c.is_whitespace())
            || date_at(text, lexicon, end).is_some()
    });
    let kind = match unit {
        None if one.is_sum && counts_nothing => Slot::Money,
        Some(Unit::Money) => Slot::Money,
        Some(Unit::Percent) => Slot::Percent,
        Some(_) => Slot::Duration,
        None => Slot::Number,
    };
    // "10 to 15k": the scale of the upper end is meant for both.
    let low = match high {
        Some(high) if high >= 1000.0 && one.value < 1000.0 && one.value * 1000.0 < high * 1.01 => one.value * 1000.0,
        _ => one.value,
    };
    Some(Quantity { kind, low, high, unit, tokens: at..end })
}

/// A number as it was read.
struct Number {
    value: f64,
    end: usize,
    /// A unit that is written into it: 30min.
    unit: Option<Unit>,
    /// "A" and "an" are numbers only before what they count.
    needs_unit: bool,
    /// Whether it is written as sums of money are: 15k.
    is_sum: bool,
}

/// The second number of a range, after what joins the two.
fn range_end(text: &Text<'_>, lexicon: &Lexicon, first: usize, end: usize) -> Option<Number> {
    let numbers = &lexicon.numbers;
    let joined = text.before(end).trim();
    let dash = matches!(joined, "-" | "–" | "—") && end < text.tokens.len();
    let after = if dash {
        end
    } else if joined.is_empty() {
        let between = first.checked_sub(1).is_some_and(|at| numbers.between.contains(&text.tokens[at].word));
        let and = || text.tokens.get(end).filter(|token| between && numbers.and.contains(&token.word)).map(|_| end + 1);
        runs_at(text, &numbers.range, end).or_else(and)?
    } else {
        return None;
    };
    number_at(text, lexicon, after).filter(|number| !number.needs_unit)
}

/// The token after "out of ten".
fn marked(text: &Text<'_>, lexicon: &Lexicon, end: usize) -> Option<usize> {
    let slash = text.before(end).trim() == "/";
    let after = if slash { end } else { runs_at(text, &lexicon.numbers.out_of, end)? };
    let best = number_at(text, lexicon, after)?;
    (best.unit.is_none() && !best.needs_unit).then_some(best.end)
}

fn runs_at(text: &Text<'_>, runs: &[Vec<String>], at: usize) -> Option<usize> {
    let stands = |run: &&Vec<String>| {
        !run.is_empty()
            && run.iter().enumerate().all(|(n, word)| text.tokens.get(at + n).is_some_and(|token| token.word == *word))
    };
    runs.iter().filter(stands).map(|run| at + run.len()).max()
}

fn number_at(text: &Text<'_>, lexicon: &Lexicon, at: usize) -> Option<Number> {
    if let Some((words, value)) =
        lexicon.numbers.phrases.iter().find(|(words, _)| runs_at(text, std::slice::from_ref(words), at).is_some())
    {
        return Some(scaled(text, lexicon, *value, at + words.len()));
    }
    let token = text.tokens.get(at)?;
    if token.word.starts_with(|c: char| c.is_ascii_digit()) {
        return written(text, lexicon, at);
    }
    spelled(text, lexicon, at)
}

/// A number in digits, with what is written onto it: 15k, 3h.
fn written(text: &Text<'_>, lexicon: &Lexicon, at: usize) -> Option<Number> {
    let word = text.tokens[at].word.as_str();
    let end = word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len());
    let (digits, suffix) = word.split_at(end);
    let value = digits_value(digits, lexicon.numbers.decimal)?;
    if suffix.is_empty() {
        // "40 000" is one number.
        let group = text.tokens.get(at + 1).filter(|next| {
            digits.len() <= 3
                && next.word.len() == 3
                && next.word.chars().all(|c| c.is_ascii_digit())
                && matches!(text.before(at + 1), " " | "\u{a0}" | "\u{202f}")
        });
        return match group {
            Some(next) => Some(scaled(text, lexicon, value * 1000.0 + next.word.parse::<f64>().ok()?, at + 2)),
            None => Some(Number { is_sum: value >= SUM, ..scaled(text, lexicon, value, at + 1) }),
        };
    }
    if let Some(factor) = lexicon.numbers.scales.get(suffix) {
        return Some(Number {
            value: value * factor,
            end: at + 1,
            unit: None,
            needs_unit: false,
            is_sum: *factor >= 1000.0,
        });
    }
    let unit = lexicon.units.named(suffix)?;
    Some(Number { value, end: at + 1, unit: Some(unit), needs_unit: false, is_sum: false })
}

/// The value of digits with marks in them: 1,200.50, 40'000, 3.5.
fn digits_value(digits: &str, decimal: char) -> Option<f64> {
    let parts: Vec<&str> = digits.split(['.', ',', '\'']).collect();
    if parts.len() == 1 {
        return digits.parse().ok();
    }
    let grouped = parts[1..].iter().all(|part| part.len() == 3) && parts[0].len() <= 3 && parts[0] != "0";
    if grouped {
        return parts.concat().parse().ok();
    }
    let last = digits.rfind(['.', ',']).filter(|at| parts.len() == 2 || digits[*at..].starts_with(decimal))?;
    let whole: String = digits[..last].chars().filter(char::is_ascii_digit).collect();
    format!("{whole}.{}", &digits[last + 1..]).parse().ok()
}

/// A number in words: two hundred and fifty thousand.
fn spelled(text: &Text<'_>, lexicon: &Lexicon, at: usize) -> Option<Number> {
    let numbers = &lexicon.numbers;
    let value_of = |at: usize| text.tokens.get(at).and_then(|token| numbers.value_of(&token.word));
    let scale_of = |at: usize| text.tokens.get(at).and_then(|token| numbers.scales.get(&token.word)).copied();
    let mut group = value_of(at)?;
    // "A nurse" is no number, "a thousand" and "an hour" are.
    if numbers.articles.contains(&text.tokens[at].word) && scale_of(at + 1).is_none() {
        return lexicon.units.at(&text.tokens, at + 1).map(|_| Number {
            value: group,
            end: at + 1,
            unit: None,
            needs_unit: true,
            is_sum: false,
        });
    }
    let (mut sum, mut end) = (0.0, at + 1);
    loop {
        if let Some(factor) = scale_of(end) {
            group *= factor;
            if factor >= 1000.0 {
                sum += std::mem::take(&mut group);
            }
            end += 1;
            continue;
        }
        let and = text.tokens.get(end).is_some_and(|token| numbers.and.contains(&token.word));
        let next = if and && (group % 100.0 == 0.0) { end + 1 } else { end };
        let Some(more) = value_of(next).filter(|more| takes(group, *more) && *more < 100.0) else { break };
        group += more;
        end = next + 1;
    }
    let number = scaled(text, lexicon, sum + group, end);
    Some(Number { is_sum: number.value >= SUM, ..number })
}

/// Whether a further number belongs to this one: "five" to "twenty", "fifty" to "three hundred".
fn takes(group: f64, more: f64) -> bool {
    let tens = group % 100.0;
    (group >= 100.0 && tens == 0.0) || (tens >= 20.0 && tens % 10.0 == 0.0 && more < 10.0 && more > 0.0)
}

/// A number with what multiplies it or adds a half.
fn scaled(text: &Text<'_>, lexicon: &Lexicon, mut value: f64, mut end: usize) -> Number {
    let numbers = &lexicon.numbers;
    if let Some(after) = runs_at(text, &numbers.and_a_half, end) {
        (value, end) = (value + 0.5, after);
    }
    while let Some(factor) = text.tokens.get(end).and_then(|token| numbers.scales.get(&token.word)) {
        value *= factor;
        end += 1;
    }
    Number { value, end, unit: None, needs_unit: false, is_sum: false }
}
