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
        Self::NAMES.iter().find(|(_, name)| word.trim_end_matches('s') == *name).map(|(span, _)| *span)
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
        match number_at(&words, at) {
            Some((value, used, money)) => {
                let (start, last) = (words[at].0, words[at + used - 1]);
                let next = words.get(at + used).map(|(_, word)| word.to_lowercase());
                let unit = if money { Some(Unit::Money) } else { next.as_deref().and_then(unit_of) };
                let end = match (&unit, words.get(at + used)) {
                    (Some(_), Some((place, word))) if !money => place + word.len(),
                    _ => last.0 + last.1.len(),
                };
                found.push(Quantity { value, unit, range: start..end });
                at += used;
            }
            None => at += 1,
        }
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

/// The number that starts at a word: its value, how many words it takes, and whether it is written as money.
fn number_at(words: &[(usize, &str)], at: usize) -> Option<(f64, usize, bool)> {
    let word = words[at].1;
    let bare = word.trim_matches(|c| matches!(c, '€' | '$' | '£'));
    let money = bare.len() < word.len();
    if let Some(value) = digits(bare.trim_end_matches('%')) {
        let next = words.get(at + 1).map(|(_, word)| word.to_lowercase());
        return Some(match next.as_deref() {
            Some("thousand" | "k") => (value * 1e3, 2, money),
            Some("million" | "m") => (value * 1e6, 2, money),
            Some("hundred") => (value * 1e2, 2, money),
            _ => (value, 1, money),
        });
    }
    spelled(words, at).map(|(value, used)| (value, used, false))
}

/// A number in digits: thousands separators, decimals, k and m.
fn digits(word: &str) -> Option<f64> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = word.to_lowercase();
    let (body, factor) = match lower.strip_suffix('k') {
        Some(body) => (body, 1e3),
        None => match lower.strip_suffix(['m']) {
            Some(body) => (body, 1e6),
            None => (lower.as_str(), 1.0),
        },
    };
    // The last separator is a decimal point unless three digits follow it; all others only group.
    let decimal = body.rfind([',', '.']).filter(|at| body.len() - at != 4);
    let (whole, fraction) = decimal.map_or((body, ""), |at| (&body[..at], &body[at + 1..]));
    let plain = format!("{}.{fraction}", whole.replace([',', '.'], ""));
    plain.parse::<f64>().ok().filter(|value| value.is_finite()).map(|value| value * factor)
}

/// A number in words: three, twenty five, two hundred, half a dozen is left alone.
fn spelled(words: &[(usize, &str)], at: usize) -> Option<(f64, usize)> {
    let mut total = 0.0;
    let mut group: f64 = 0.0;
    let mut used = 0;
    for (_, word) in &words[at..] {
        let lower = word.to_lowercase();
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
    }

    #[test]
    fn a_quantity_knows_where_it_stands() {
        let text = "It takes six weeks.";
        assert_eq!(&text[quantities(text)[0].range.clone()], "six weeks");
    }
}
