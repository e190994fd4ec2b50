//! Which of several options an answer means.

use serde_json::{Value, json};

use super::quantity::{Span, Unit, quantities};
use super::reading::{BRIEF, CLEAR, GUESS, first_words};
use crate::engine::words::{Folded, content_words};

/// The option that was named, or the only one whose words were used.
pub fn choice(options: &[String], text: &str) -> Option<(Value, String, f64)> {
    let folded = Folded::new(text);
    let spoken = |option: &str| option.replace(['_', '-'], " ");
    let (denied, mut named): (Vec<_>, Vec<_>) = options
        .iter()
        .filter_map(|option| folded.find(&Folded::new(&spoken(option))).map(|range| (option, range)))
        .partition(|(_, range)| is_denied(&text[..range.start]));
    named.sort_by_key(|(_, range)| range.start);
    match named.as_slice() {
        [(option, range)] => return Some((json!(option), text[range.clone()].to_owned(), CLEAR)),
        // Several: the first, to be confirmed.
        [(option, _), ..] => return Some((json!(option), first_words(text), GUESS)),
        [] => {}
    }
    if let Some(option) = unit_among(options, text) {
        return Some((json!(option), first_words(text), BRIEF));
    }
    let used: Vec<String> = content_words(text).collect();
    let alike =
        |option: &str| content_words(&spoken(option)).any(|word| used.iter().any(|said| same_stem(said, &word)));
    let is_out = |option: &&String| denied.iter().any(|(other, _)| other == option);
    let near: Vec<&String> = options.iter().filter(|option| alike(option) && !is_out(option)).collect();
    match near.as_slice() {
        [option] => Some((json!(option), first_words(text), BRIEF)),
        _ => None,
    }
}

/// Whether what follows is denied: "not fixed", "rather than fixed".
fn is_denied(before: &str) -> bool {
    let before = before.trim_end().to_lowercase();
    ["not", "n't", "n’t", "rather than", "instead of", "no", "never", "not really"].iter().any(|mark| {
        before
            .strip_suffix(mark)
            .is_some_and(|rest| rest.is_empty() || mark.starts_with('n') && mark.len() > 2 || rest.ends_with(' '))
    })
}

/// The unit of time in which the text speaks, where the options are units of time: half a day is counted in hours.
fn unit_among<'a>(options: &'a [String], text: &str) -> Option<&'a String> {
    let quantity = quantities(text).into_iter().find(|quantity| matches!(quantity.unit, Some(Unit::Time(_))))?;
    let Some(Unit::Time(span)) = quantity.unit else { return None };
    let span = if quantity.value < 1.0 { span.smaller() } else { span };
    options.iter().find(|option| Span::mentioned(option) == Some(span))
}

/// Whether two words begin alike enough to be forms of one.
fn same_stem(a: &str, b: &str) -> bool {
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    common >= 4 && common + 3 >= a.chars().count().max(b.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(options: &[&str], text: &str) -> Option<Value> {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        choice(&options, text).map(|(value, ..)| value)
    }

    #[test]
    fn what_is_denied_is_not_chosen() {
        let firmness = ["fixed", "target", "open"];
        assert_eq!(chosen(&firmness, "a target rather than fixed"), Some(json!("target")));
        assert_eq!(chosen(&firmness, "it isn't fixed, so open"), Some(json!("open")));
        assert_eq!(chosen(&firmness, "not fixed"), None);
    }

    #[test]
    fn a_duration_chooses_its_unit() {
        let units = ["minutes", "hours", "days", "weeks"];
        assert_eq!(chosen(&units, "half a day at most"), Some(json!("hours")));
        assert_eq!(chosen(&units, "a couple of days"), Some(json!("days")));
        assert_eq!(chosen(&units, "2 weeks"), Some(json!("weeks")));
    }
}
