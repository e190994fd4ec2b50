//! A quote is checked, not believed.

use std::cell::OnceCell;
use std::collections::HashSet;

use serde_json::Value;

use super::numbers::{number_word, scale, stated, written};
use crate::engine::config::{Field, Kind, Shape};
use crate::engine::memory::Evidence;
use crate::engine::reading::Reader;
use crate::engine::transcript::Transcript;
use crate::engine::words::{Folded, content_words, is_stopword, words};

/// What speaks for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The user said so, here.
    Said(Evidence),
    /// The field may be concluded, and the quote is nowhere.
    Inferred,
    /// Nothing; the reason says what is missing.
    Missing(&'static str),
    /// Nothing, and nothing of the value stands in what the user says now: it was made up.
    MadeUp,
}

/// The user's own words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said<'a> {
    /// Their message of this turn.
    pub message: &'a str,
    /// The same, folded.
    pub folded: &'a Folded,
    /// Its figures, gathered when the first value with a figure asks for them.
    pub figures: &'a OnceCell<Figures>,
    pub turn: u32,
    /// What they said before.
    pub transcript: &'a Transcript,
    /// What their words are read with.
    pub reader: &'a Reader,
    /// Whether they were asked for the field.
    pub asked: bool,
}

impl<'a> Said<'a> {
    fn figures(&self) -> &'a Figures {
        self.figures.get_or_init(|| Figures::of(self.message))
    }
}

/// The figures of a text. A message may state a hundred thousand of them and a value ask for as many, so they are
/// gathered once and looked up.
#[derive(Debug)]
pub(crate) struct Figures {
    /// Runs of digits, and those that written-out numbers stand for.
    digits: HashSet<String>,
    /// The numbers it states, in order of size.
    stated: Vec<f64>,
}

impl Figures {
    fn of(text: &str) -> Self {
        let spelled = words(text).filter_map(|word| number_word(&word)).map(|number| number.to_string());
        let mut stated = stated(text);
        stated.sort_unstable_by(f64::total_cmp);
        Self { digits: numbers(text).chain(spelled).collect(), stated }
    }

    fn state(&self, figure: f64) -> bool {
        let slack = 1e-9 * figure.abs().max(1.0);
        let at = self.stated.partition_point(|stated| *stated < figure - slack);
        self.stated.get(at).is_some_and(|stated| *stated <= figure + slack)
    }
}

/// Looks for proof of a value in the user's own words: this message first, then earlier ones.
pub(crate) fn prove(field: &Field, value: &Value, quote: &str, said: &Said<'_>) -> Proof {
    let Said { message, folded: here, turn, transcript, .. } = *said;
    let look = |text: &str| {
        let needle = Folded::new(text);
        let found = here.find(&needle).map(|range| Evidence::at(turn, message, range));
        found.or_else(|| transcript.find_quote(&needle))
    };
    // A text that is itself what the user said is its own quote. A literal enum or boolean value is not.
    let literal = || match (field.shape.r#type, value) {
        (Kind::String, Value::String(text)) if says_something(text) || Folded::new(text).as_str() == here.as_str() => {
            look(text)
        }
        _ => None,
    };
    let quoted = look(quote).filter(|_| !is_free_text(field) || says_something(quote) || denies(value, quote));
    let Some(evidence) = quoted.or_else(literal) else {
        return match field.inferable {
            true => Proof::Inferred,
            false if is_made_up(field, value, said) => Proof::MadeUp,
            false => Proof::Missing("its quote is nowhere in your words"),
        };
    };
    if field.inferable {
        return Proof::Said(evidence);
    }
    let quoted = OnceCell::new();
    let said_figure =
        |figure: f64| quoted.get_or_init(|| Figures::of(&evidence.quote)).state(figure) || said.figures().state(figure);
    let said_digits = |digits: &str| {
        said.figures().digits.contains(digits) || transcript.has_word(digits) || transcript.has_digits(digits)
    };
    let strange = |token: &str| {
        let figure = written(token).map(|(number, unit)| number * scale(unit).unwrap_or(1.0));
        numbers(token).any(|digits| !said_digits(&digits)) && !figure.is_some_and(said_figure)
    };
    if texts(value).any(|text| text.split_whitespace().any(strange)) {
        return Proof::Missing("it has figures that you never gave");
    }
    let measured = |figure: f64| said.reader.states(&field.shape, &evidence.quote, figure);
    if figures(value).any(|figure| !said_figure(figure) && !measured(figure)) {
        return Proof::Missing("its number is not the one you gave");
    }
    if !has_to_do(field, value, &evidence.quote, said) {
        return Proof::Missing("its quote is about something else");
    }
    Proof::Said(evidence)
}

/// Whether a value whose quote is nowhere has nothing to do with the message either. One that has may be told in the words
/// of another sentence, and is asked about.
fn is_made_up(field: &Field, value: &Value, said: &Said<'_>) -> bool {
    let unheard =
        |figure: f64| !said.figures().state(figure) && !said.reader.states(&field.shape, said.message, figure);
    let strange = |text: &str| numbers(text).any(|digits| !said.figures().digits.contains(&digits));
    figures(value).any(unheard) || texts(value).any(strange) || !has_to_do(field, value, said.message, said)
}

/// Whether a value of the field is in words of its own, which any few words of the user would seem to prove.
fn is_free_text(field: &Field) -> bool {
    fn of_shape(shape: &Shape) -> bool {
        match shape.r#type {
            Kind::String => true,
            Kind::Array => shape.items.as_ref().is_some_and(|items| of_shape(items)),
            Kind::Object => shape.properties.values().any(|part| of_shape(part)),
            Kind::Number | Kind::Boolean | Kind::Enum => false,
        }
    }
    of_shape(&field.shape)
}

/// Of the telling words of a text, one in this many at least stands in its quote.
const ONE_IN: usize = 4;

/// Whether a value and its quote have something to do with each other: a telling word, a figure, a phrase that means the
/// choice. To a question that was put, other words may be the answer too: which ones agree depends on the question.
fn has_to_do(field: &Field, value: &Value, quote: &str, said: &Said<'_>) -> bool {
    let Said { reader, asked, .. } = *said;
    match value {
        Value::String(option) if field.shape.r#type == Kind::Enum => {
            let fits = asked || reader.means(field, option, quote) || speaks_of(&[option, &field.name], quote);
            !reader.means_another(field, option, quote) && (fits || reader.has_cue(field, quote))
        }
        Value::Bool(_) => asked || speaks_of(&[&field.name, &field.description], quote) || reader.has_cue(field, quote),
        Value::String(_) | Value::Array(_) | Value::Object(_) if is_free_text(field) => {
            let said: Vec<String> = words(quote).filter(|word| !is_stopword(word)).collect();
            let told: Vec<String> = texts(value)
                .flat_map(|text| words(text).collect::<Vec<_>>())
                // Figures are proven one by one.
                .filter(|word| !is_stopword(word) && !word.starts_with(|c: char| c.is_ascii_digit()))
                .collect();
            let shared = told.iter().filter(|word| said.iter().any(|other| alike(word, other))).count();
            let counted = figures(value).next().is_some() && told.is_empty();
            told.is_empty() || counted || denies(value, quote) || (shared > 0 && shared * ONE_IN >= told.len())
        }
        _ => true,
    }
}

/// Whether a quote has a telling word of what a field is about.
fn speaks_of(about: &[&str], quote: &str) -> bool {
    let telling = |text: &str| content_words(text).collect::<Vec<String>>();
    let said = telling(quote);
    about.iter().flat_map(|text| telling(text)).any(|word| said.iter().any(|other| alike(&word, other)))
}

/// Whether two words are forms of one.
fn alike(a: &str, b: &str) -> bool {
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    a == b || common >= 4 && common + 3 >= a.chars().count().min(b.chars().count())
}

/// Whether words say anything by themselves: "the", "it is" and "yes and" stand in every message.
fn says_something(text: &str) -> bool {
    words(text).any(|word| !is_stopword(&word) || number_word(&word).is_some())
}

/// Whether the value is a list of `none` alone and its quote has a word that denies.
fn denies(value: &Value, quote: &str) -> bool {
    let none = value
        .as_array()
        .is_some_and(|items| matches!(items.as_slice(), [Value::String(only)] if Folded::new(only).as_str() == "none"));
    none && words(quote).any(|word| matches!(word.as_str(), "no" | "not" | "nor"))
}

/// The numbers of a value, nested ones included.
fn figures(value: &Value) -> Box<dyn Iterator<Item = f64> + '_> {
    match value {
        Value::Number(number) => Box::new(number.as_f64().into_iter()),
        Value::Array(items) => Box::new(items.iter().flat_map(figures)),
        Value::Object(parts) => Box::new(parts.values().flat_map(figures)),
        _ => Box::new(std::iter::empty()),
    }
}

/// The texts of a value, nested ones included.
fn texts(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(items) => Box::new(items.iter().flat_map(texts)),
        Value::Object(parts) => Box::new(parts.values().flat_map(texts)),
        _ => Box::new(std::iter::empty()),
    }
}

/// The runs of digits in a text.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).map(ToOwned::to_owned)
}
