//! Numbers as people write them: 40k, forty thousand, two and a half thousand, half a million, a dozen.

/// The numbers that a text states, however it writes them: 40,000 as 40k and as forty thousand, a half as 50 %.
pub(crate) fn stated(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let mut spelled = Spelled::default();
    // "Two and a half thousand" and "half a million" are one number each.
    let plain = format!("{} ", text.to_lowercase().replace('-', " "))
        .replace(" and a half ", " ½ ")
        .replace("half a ", "half ")
        .replace("half an ", "half ");
    for token in plain.split_whitespace() {
        let token = token.trim_matches(|c: char| !c.is_alphanumeric());
        if let Some((number, rest)) = written(token) {
            spelled.finish(&mut found);
            let scaled = scale(rest).map_or(number, |factor| number * factor);
            found.extend([number, scaled, number / 100.0]);
            spelled = Spelled { sum: 0.0, group: scaled, open: true };
        } else if let Some(factor) = scale(token).filter(|_| spelled.open) {
            spelled.multiply(factor);
        } else if let Some(number) = number_word(token) {
            if !spelled.takes(number as f64) {
                spelled.finish(&mut found);
            }
            spelled.add(number as f64);
        } else if token == "½" && spelled.open {
            spelled.group += 0.5;
        } else if let Some(part) = fraction(token) {
            spelled.finish(&mut found);
            found.extend([part, part * 100.0]);
            spelled = Spelled { sum: 0.0, group: part, open: true };
        } else if !matches!(token, "and" | "of") {
            spelled.finish(&mut found);
        }
    }
    spelled.finish(&mut found);
    if plain.split_whitespace().any(|token| matches!(token, "no" | "nobody" | "nothing" | "never")) {
        found.push(0.0);
    }
    found
}

/// A number being spelled out, word by word.
#[derive(Default)]
struct Spelled {
    sum: f64,
    group: f64,
    open: bool,
}

impl Spelled {
    /// Whether a further number belongs to this one: "fifty" to "three hundred and", but not "twenty" to "ten and".
    fn takes(&self, number: f64) -> bool {
        let tens = self.group % 100.0;
        let after_tens = number < 10.0 && tens >= 20.0 && tens % 10.0 == 0.0;
        number >= 100.0 || !self.open || tens == 0.0 || after_tens
    }

    fn add(&mut self, number: f64) {
        if number >= 100.0 {
            self.multiply(number);
        } else {
            self.group += number;
        }
        self.open = true;
    }

    fn multiply(&mut self, factor: f64) {
        self.group = if self.open && self.group > 0.0 { self.group } else { 1.0 } * factor;
        if factor >= 1_000.0 {
            self.sum += std::mem::take(&mut self.group);
        }
    }

    fn finish(&mut self, found: &mut Vec<f64>) {
        if self.open {
            found.push(self.sum + self.group);
        }
        *self = Self::default();
    }
}

fn fraction(word: &str) -> Option<f64> {
    match word {
        "half" => Some(0.5),
        "quarter" => Some(0.25),
        _ => None,
    }
}

/// What a unit does to the number before it.
pub(super) fn scale(unit: &str) -> Option<f64> {
    match unit {
        "k" | "thousand" | "thousands" => Some(1e3),
        "m" | "mn" | "mio" | "million" | "millions" => Some(1e6),
        "bn" | "billion" | "billions" => Some(1e9),
        "dozen" | "dozens" => Some(12.0),
        "hundred" | "hundreds" => Some(100.0),
        _ => None,
    }
}

/// The number at the beginning of a token, thousands grouped or not, and what follows it.
pub(super) fn written(token: &str) -> Option<(f64, &str)> {
    let bare = token.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = bare.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '\'')).unwrap_or(bare.len());
    let (digits, rest) = bare.split_at(end);
    let digits = digits.trim_end_matches(['.', ',', '\'']);
    let parts: Vec<&str> = digits.split(['.', ',', '\'']).collect();
    let grouped = parts.len() > 1 && parts[1..].iter().all(|part| part.len() == 3) && parts[0].len() <= 3;
    let plain = if grouped { parts.concat() } else { digits.replacen(',', ".", 1) };
    Some((plain.parse().ok()?, rest.trim_start_matches(['.', ',', '\''])))
}

/// What a written-out number means.
pub(crate) fn number_word(word: &str) -> Option<u64> {
    const WORDS: &[(&str, u64)] = &[
        ("zero", 0),
        ("none", 0),
        ("one", 1),
        ("once", 1),
        ("two", 2),
        ("twice", 2),
        ("couple", 2),
        ("both", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
        ("dozen", 12),
        ("thirteen", 13),
        ("fourteen", 14),
        ("fifteen", 15),
        ("sixteen", 16),
        ("seventeen", 17),
        ("eighteen", 18),
        ("nineteen", 19),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
        ("hundred", 100),
        ("thousand", 1_000),
        ("million", 1_000_000),
        ("billion", 1_000_000_000),
    ];
    WORDS.iter().find(|(name, _)| *name == word).map(|(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_understood_however_they_are_written() {
        for (text, number) in [
            ("about two and a half thousand patients", 2_500.0),
            ("a dozen", 12.0),
            ("half a dozen chairs", 6.0),
            ("three hundred and fifty beds", 350.0),
            ("half a million", 500_000.0),
            ("one and a half million euros", 1_500_000.0),
            ("2 and a half thousand", 2_500.0),
            ("3k", 3_000.0),
            ("2.5 million", 2_500_000.0),
            ("twenty-five hundred", 2_500.0),
            ("two hundred and fifty thousand", 250_000.0),
            ("a thousand two hundred", 1_200.0),
            ("a couple of hundred", 200.0),
            ("two and a half hours", 2.5),
            ("40'000 francs", 40_000.0),
            ("half of them", 50.0),
            ("a quarter", 25.0),
            ("between ten and twenty", 10.0),
            ("between ten and twenty", 20.0),
            ("twenty-one", 21.0),
            ("nobody", 0.0),
        ] {
            assert!(stated(text).contains(&number), "{text}: {:?}", stated(text));
        }
    }

    #[test]
    fn numbers_that_were_not_given_are_not_made_up() {
        assert!(!stated("between ten and twenty").contains(&30.0));
        assert!(!stated("three rooms and five doctors").contains(&8.0));
        assert_eq!(stated("a handful"), Vec::<f64>::new());
    }
}
