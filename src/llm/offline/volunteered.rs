//! What a message says besides the answer: a clause that names another field is kept as a guess, to be confirmed when
//! its turn comes.

use serde_json::json;

use super::Found;
use super::reading::read;
use crate::engine::config::{Field, Kind};
use crate::engine::ports::AnalysisRequest;
use crate::engine::words::{content_words, words};

/// A guess stays below every sensible threshold.
const GUESS: f64 = 0.6;

/// Clauses that name a field nobody has asked about yet.
pub fn find(request: &AnalysisRequest<'_>, answered: &[Found]) -> Vec<Found> {
    let mut found = Vec::new();
    for field in &request.fields {
        let asked = answered.iter().any(|found| *found.path == *field.path);
        let known = request.memory.extraction.get(&field.path).is_some();
        if asked || known || !matches!(field.shape.r#type, Kind::String | Kind::Number) {
            continue;
        }
        let clause = clauses(request.message).find(|clause| names(field, clause));
        if let Some((value, quote, _)) = clause.and_then(|clause| read(field, clause)) {
            let reasoning = "it was mentioned in passing";
            found.push(Found {
                path: field.path.to_string(),
                value: json!(value),
                confidence: GUESS,
                quote,
                reasoning,
            });
        }
    }
    found
}

fn clauses(message: &str) -> impl Iterator<Item = &str> {
    message
        .split(['.', ';', '!', '?', '\n'])
        .flat_map(|sentence| sentence.split(", "))
        .map(str::trim)
        .filter(|c| c.len() > 3)
}

/// Whether a clause has every telling word of the field's name, and something besides.
fn names(field: &Field, clause: &str) -> bool {
    let said: Vec<String> = words(clause).collect();
    let mut wanted = content_words(&field.name).filter(|word| word.chars().count() >= 4).peekable();
    let enough = said.len() >= 4;
    wanted.peek().is_some() && enough && wanted.all(|word| said.contains(&word))
}
