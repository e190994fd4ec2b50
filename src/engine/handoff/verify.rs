//! Whether the receiving engine took up what was handed over.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Handoff;
use crate::engine::words::{Folded, is_stopword};

/// How well an answer acknowledges a handoff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// Whether more than half of the critical items were taken up.
    pub verified: bool,
    /// Share of critical items taken up.
    pub score: f64,
    /// Whether the handoff was meant for this engine.
    pub identity_match: bool,
    /// Share of decisions taken up.
    pub decisions_acknowledged: f64,
    /// Share of constraints taken up.
    pub constraints_acknowledged: f64,
    /// Share of gaps taken up.
    pub gaps_acknowledged: f64,
    /// Likeness of all keywords of the handoff and those of the answer.
    pub jaccard: f64,
    /// Items that were not taken up.
    pub missing: Vec<String>,
}

/// The items that must not get lost: decisions, constraints and gaps.
pub fn critical_items(handoff: &Handoff) -> Vec<String> {
    let [decisions, constraints, gaps] = groups(handoff);
    decisions.into_iter().chain(constraints).chain(gaps).collect()
}

/// Looks for the handoff's critical items in an answer of `engine_id`.
pub fn verify(handoff: &Handoff, engine_id: &str, answer: &str) -> Verification {
    let (said, folded) = (keywords(answer), Folded::new(answer));
    let mut missing = Vec::new();
    let mut counts = Vec::new();
    for group in groups(handoff) {
        let total = group.len();
        let lost: Vec<String> = group.into_iter().filter(|item| !acknowledged(item, &said, &folded)).collect();
        counts.push((total - lost.len(), total));
        missing.extend(lost);
    }
    let share = |(met, total): (usize, usize)| if total == 0 { 1.0 } else { met as f64 / total as f64 };
    let all = counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let handed: BTreeSet<String> = critical_items(handoff).iter().flat_map(|item| keywords(item)).collect();
    let score = share(all);
    let identity_match = handoff.metadata.target_engine_id == engine_id;
    Verification {
        verified: identity_match && score > 0.5,
        score,
        identity_match,
        decisions_acknowledged: share(counts[0]),
        constraints_acknowledged: share(counts[1]),
        gaps_acknowledged: share(counts[2]),
        jaccard: jaccard(&handed, &said),
        missing,
    }
}

fn groups(handoff: &Handoff) -> [Vec<String>; 3] {
    [
        handoff.action_list.decisions_reached.iter().map(|d| d.decision.clone()).collect(),
        handoff.action_list.constraints_identified.iter().map(|c| c.constraint.clone()).collect(),
        handoff.situation_awareness.knowledge_gaps_revealed.clone(),
    ]
}

/// Whether at least half of an item's keywords were said. An item without keywords is taken literally.
fn acknowledged(item: &str, said: &BTreeSet<String>, answer: &Folded) -> bool {
    let wanted = keywords(item);
    if wanted.is_empty() {
        return answer.find(&Folded::new(item)).is_some();
    }
    let met = wanted.iter().filter(|word| said.contains(*word)).count();
    met * 2 >= wanted.len()
}

/// The words of a text that carry its meaning: longer than three letters (or numbers), and not stop words.
pub fn keywords(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3 || word.chars().any(|c| c.is_ascii_digit()))
        .filter(|word| !is_stopword(word))
        .map(ToOwned::to_owned)
        .collect()
}

fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let union = a.union(b).count();
    if union == 0 { 0.0 } else { a.intersection(b).count() as f64 / union as f64 }
}
