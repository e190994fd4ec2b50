//! What a message says besides the answer: a clause that names another field is kept as a guess, to be confirmed when
//! its turn comes.

use serde_json::json;

use super::Found;
use super::reading::read;
use super::sentences::sentences;
use crate::engine::config::{Field, Kind};
use crate::engine::ports::AnalysisRequest;
use crate::engine::words::{Folded, content_words, words};

/// A guess stays below every sensible threshold.
const GUESS: f64 = 0.6;

/// Clauses that name a field nobody has asked about yet.
pub fn find(request: &AnalysisRequest<'_>, message: &str, answered: &[Found]) -> Vec<Found> {
    let mut found = Vec::new();
    let clauses = clauses(message);
    for field in &request.fields {
        let asked = answered.iter().any(|found| *found.path == *field.path);
        let known = request.memory.extraction.get(&field.path).is_some();
        if asked || known || !matches!(field.shape.r#type, Kind::String | Kind::Number) {
            continue;
        }
        let clause = clauses.iter().copied().find(|clause| names(field, clause));
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

/// More clauses than this are a pasted text, not a remark in passing; so is a longer clause.
const MAX_CLAUSES: usize = 40;
const MAX_CLAUSE: usize = 300;

fn clauses(message: &str) -> Vec<&str> {
    let parts = sentences(message).into_iter().flat_map(|sentence| sentence.split([';', '\n']));
    let clauses = parts.flat_map(|part| part.split(", ")).map(str::trim);
    clauses.take(MAX_CLAUSES).filter(|clause| (4..=MAX_CLAUSE).contains(&clause.len())).collect()
}

/// Whether a clause calls the field by its name and says something of it: "the budget is 40k".
fn names(field: &Field, clause: &str) -> bool {
    let folded = Folded::new(clause);
    let telling = content_words(&field.name).any(|word| word.chars().count() >= 4);
    let named = folded.find(&Folded::new(&field.name));
    telling
        && named.is_some_and(|range| {
            let before = words(&clause[..range.start]).count();
            let after = content_words(&clause[range.end..]).count();
            // A name that comes late in the clause is not what the clause is about.
            before <= 3 && after >= 1 && words(clause).count() >= 3
        })
}
