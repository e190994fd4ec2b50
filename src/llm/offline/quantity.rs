//! Numbers as people write them: 40k, 1,200.50, three, a dozen, two and a half hours, €300.

use std::ops::Range;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Money, whatever the currency.
    Money,
    /// A share.
    Percent,
    /// Seconds, minutes … years.
    Time(Span),
}

/// Units of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Days.
    Days,
    /// Weeks.
    Weeks,
    /// Months.
    Months,
    /// Years.
    Years,
}

impl Span {
    /// All units with the beginnings of their names.
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Minutes, "minute"),
        (Self::Hours, "hour"),
        (Self::Days, "day"),
        (Self::Weeks, "week"),
        (Self::Months, "month"),
        (Self::Years, "year"),
    ];

    fn named(word: &str) -> Option<Self> {
        let short = match word {
            "min" | "mins" => Some(Self::Minutes),
            "h" | "hr" | "hrs" => Some(Self::Hours),
            "wk" | "wks" => Some(Self::Weeks),
            "mo" | "mos" => Some(Self::Months),
            "yr" | "yrs" => Some(Self::Years),
            _ => None,
        };
        let named = || Self::NAMES.iter().find(|(_, name)| word.strip_suffix('s').unwrap_or(word) == *name);
        short.or_else(|| named().map(|(span, _)| *span))
    }

    /// The unit next below, in which a part of this one is counted.
    pub fn smaller(self) -> Self {
        match self {
            Self::Minutes | Self::Hours => Self::Minutes,
            Self::Days => Self::Hours,
            Self::Weeks => Self::Days,
            Self::Months => Self::Weeks,
            Self::Years => Self::Months,
        }
    }

    /// The unit that a description speaks of.
    pub fn mentioned(text: &str) -> Option<Self> {
        crate::engine::words::words(text).find_map(|word| Self::named(&word))
    }

    /// How many hours it has, by the calendar.
    pub fn hours(self) -> f64 {
        match self {
            Self::Minutes => 1.0 / 60.0,
            Self::Hours => 1.0,
            Self::Days => 24.0,
            Self::Weeks => 168.0,
            Self::Months => 730.5,
            Self::Years => 8766.0,
        }
    }
}

/// A number with what it counts, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The number.
    pub value: f64,
    /// What it counts, if that is said.
    pub unit: Option<Unit>,
    /// Its place in the text.
    pub range: Range<usize>,
}

/// The quantities in a text, in order.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let words: Vec<(usize, &str)> = words_with_places(text).collect();
    let mut found: Vec<Quantity> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some(number) = number_at(&words, at) else {
            at += 1;
            continue;
        };
        let before = at.checked_sub(1).map(|before| words[before].1.to_lowercase());
        let money = number.unit == Some(Unit::Money) || before.as_deref().and_then(unit_of) == Some(Unit::Money);
        let (start, last) = (words[at].0, words[at + number.words - 1]);
        let next = words.get(at + number.words);
        let following = next.and_then(|(_, word)| unit_of(&word.to_lowercase()));
        let unit = if money { Some(Unit::Money) } else { number.unit.or(following) };
        let end = match next {
            Some((place, word)) if following.is_some() && following == unit => place + word.len(),
            _ => last.0 + last.1.len(),
        };
        found.push(Quantity { value: number.value, unit, range: start..end });
        at += number.words;
    }
    found
}

fn words_with_places(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let edge = |c: char| !c.is_alphanumeric() && !matches!(c, '€' | '$' | '£' | '%');
    text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '/' | '~'))
        .map(move |word| word.trim_matches(edge))
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn unit_of(word: &str) -> Option<Unit> {
    const MONEY: &[&str] =
        &["euro", "euros", "eur", "dollar", "dollars", "usd", "pounds", "gbp", "chf", "francs", "bucks"];
    if MONEY.contains(&word) {
        return Some(Unit::Money);
    }
    if matches!(word, "percent" | "%") {
        return Some(Unit::Percent);
    }
    Span::named(word).map(Unit::Time)
}

/// A number, how many words it takes, and the unit that is written into it.
struct Read {
    value: f64,
    words: usize,
    unit: Option<Unit>,
}

/// The number that starts at a word.
fn number_at(words: &[(usize, &str)], at: usize) -> Option<Read> {
    let word = words[at].1;
    let bare = word.trim_matches(|c| matches!(c, '€' | '$' | '£'));
    let money = (bare.len() < word.len()).then_some(Unit::Money);
    let next = |by: usize| words.get(at + by).map(|(_, word)| word.to_lowercase()).unwrap_or_default();
    if let Some((value, suffix)) = digits(bare) {
        let unit = money.or(suffix);
        // "40 000" is one number.
        let group = next(1);
        if value < 1e3 && group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()) && !bare.contains(['.', ',']) {
            let rest: f64 = group.parse().unwrap_or_default();
            return Some(Read { value: value * 1e3 + rest, words: 2, unit });
        }
        let (factor, used) = magnitude(&group).map_or((1.0, 1), |factor| (factor, 2));
        return Some(Read { value: value * factor, words: used, unit });
    }
    // "half a day", "half a million"; "two and a half hours" below.
    if word.eq_ignore_ascii_case("half") && matches!(next(1).as_str(), "a" | "an") {
        if let Some(factor) = magnitude(&next(2)) {
            return Some(Read { value: 0.5 * factor, words: 3, unit: None });
        }
        let unit = unit_of(&next(2)).filter(|unit| matches!(unit, Unit::Time(_)))?;
        return Some(Read { value: 0.5, words: 3, unit: Some(unit) });
    }
    let (value, used) = spelled(words, at)?;
    let half = (next(used), next(used + 1), next(used + 2)) == ("and".into(), "a".into(), "half".into());
    Some(if half {
        let (factor, more) = magnitude(&next(used + 3)).map_or((1.0, 0), |factor| (factor, 1));
        Read { value: (value + 0.5) * factor, words: used + 3 + more, unit: None }
    } else {
        Read { value, words: used, unit: None }
    })
}

fn magnitude(word: &str) -> Option<f64> {
    match word {
        "dozen" => Some(12.0),
        "hundred" => Some(1e2),
        "thousand" | "k" => Some(1e3),
        "million" | "millions" | "m" | "mio" => Some(1e6),
        "billion" | "bn" => Some(1e9),
        _ => None,
    }
}

/// A number in digits: thousands separators, decimals, and what may be written right behind it.
fn digits(word: &str) -> Option<(f64, Option<Unit>)> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = word.to_lowercase();
    let body = lower.trim_end_matches(|c: char| c.is_alphabetic() || c == '%');
    let suffix = &lower[body.len()..];
    let (factor, unit) = match suffix {
        "" => (1.0, None),
        "%" => (1.0, Some(Unit::Percent)),
        "d" => (1.0, Some(Unit::Time(Span::Days))),
        other => match magnitude(other) {
            Some(factor) => (factor, None),
            None => (1.0, Some(unit_of(other)?)),
        },
    };
    // The last separator is a decimal point unless three digits follow it; all others only group. A leading zero
    // groups nothing.
    let last = body.rfind([',', '.']);
    let decimal = last.filter(|at| body.len() - at != 4 || body.starts_with('0'));
    let (whole, fraction) = decimal.map_or((body, ""), |at| (&body[..at], &body[at + 1..]));
    let plain = format!("{}.{fraction}", whole.replace([',', '.', '\'', '’'], ""));
    let value = plain.parse::<f64>().ok().filter(|value| value.is_finite())?;
    Some((value * factor, unit))
}

/// A number in words: three, twenty five, two hundred and fifty.
fn spelled(words: &[(usize, &str)], at: usize) -> Option<(f64, usize)> {
    let mut total = 0.0;
    let mut group: f64 = 0.0;
    let mut used = 0;
    for (_, word) in &words[at..] {
        let lower = word.to_lowercase();
        // "Two hundred and fifty", but not "two hundred and some".
        let follows = |by: usize| words.get(at + used + by).map(|(_, word)| word.to_lowercase()).unwrap_or_default();
        let goes_on = lower == "and" && used > 0 && (group % 100.0 == 0.0) && number_below_hundred(&follows(1));
        if goes_on {
            used += 1;
            continue;
        }
        // "a" and "no" count only before a magnitude, "one" also alone.
        let weak = matches!(lower.as_str(), "a" | "an" | "no" | "none" | "both" | "once");
        let Some(number) = crate::engine::extraction::number_word(&lower).map(|number| number as f64) else { break };
        if weak
            && !matches!(
                words.get(at + used + 1).map(|(_, w)| w.to_lowercase()).as_deref(),
                Some("hundred" | "thousand" | "million" | "dozen" | "couple")
            )
        {
            break;
        }
        match lower.as_str() {
            "hundred" | "dozen" | "couple" => group = group.max(1.0) * number,
            "thousand" | "million" | "billion" => {
                total += group.max(1.0) * number;
                group = 0.0;
            }
            _ => group += number,
        }
        used += 1;
    }
    (used > 0).then_some((total + group, used))
}

fn number_below_hundred(word: &str) -> bool {
    crate::engine::extraction::number_word(word).is_some_and(|number| (1..100).contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(f64, Option<Unit>)> {
        quantities(text).into_iter().map(|quantity| (quantity.value, quantity.unit)).collect()
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        assert_eq!(values("about 40k euros"), [(40_000.0, Some(Unit::Money))]);
        assert_eq!(values("€1,200.50"), [(1200.5, Some(Unit::Money))]);
        assert_eq!(values("1.200 patients"), [(1200.0, None)]);
        assert_eq!(values("twenty five nurses and three doctors"), [(25.0, None), (3.0, None)]);
        assert_eq!(values("a dozen people"), [(12.0, None)]);
        assert_eq!(values("two hundred thousand dollars"), [(200_000.0, Some(Unit::Money))]);
        assert_eq!(values("3 hours a day"), [(3.0, Some(Unit::Time(Span::Hours)))]);
        assert_eq!(values("10-15 calls, 80 %"), [(10.0, None), (15.0, None), (80.0, Some(Unit::Percent))]);
        assert_eq!(values("a nurse and no doctor"), []);
        assert_eq!(values("EUR 40,000"), [(40_000.0, Some(Unit::Money))]);
        assert_eq!(values("40 000 or 40'000"), [(40_000.0, None), (40_000.0, None)]);
        assert_eq!(values("0.125, 1.5 million, 2bn"), [(0.125, None), (1_500_000.0, None), (2e9, None)]);
        assert_eq!(values("three hundred and fifty beds"), [(350.0, None)]);
        assert_eq!(values("two thousand and three doctors"), [(2003.0, None)]);
        assert_eq!(values("two and a half thousand, half a million"), [(2500.0, None), (500_000.0, None)]);
        assert_eq!(values("half a dozen chairs and ten tables"), [(6.0, None), (10.0, None)]);
        assert_eq!(values("at 3pm on the 2nd in Q3 of v2"), []);
    }

    #[test]
    fn durations_are_read_however_short() {
        let hours = |value: f64| (value, Some(Unit::Time(Span::Hours)));
        assert_eq!(values("two and a half hours, 3h, 2 hrs"), [hours(2.5), hours(3.0), hours(2.0)]);
        assert_eq!(values("half a day"), [(0.5, Some(Unit::Time(Span::Days)))]);
        assert_eq!(values("half an hour of 30min"), [hours(0.5), (30.0, Some(Unit::Time(Span::Minutes)))]);
        assert_eq!(values("half of them"), []);
    }

    #[test]
    fn a_quantity_knows_where_it_stands() {
        let text = "It takes six weeks.";
        assert_eq!(&text[quantities(text)[0].range.clone()], "six weeks");
    }
}
