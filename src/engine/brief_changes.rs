//! What is different between two briefs: what is new, what has changed, what is gone, each with its words.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::brief::Proof;
use crate::words::{HostWords, Words};

/// What is different between two briefs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BriefChanges {
    /// What it was compared with, for people: "since turn 3".
    pub since: String,
    #[serde(rename = "new")]
    pub added: Vec<Proof>,
    pub changed: Vec<Changed>,
    pub gone: Vec<Proof>,
}

/// A statement that says something else now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    pub before: Proof,
    pub now: Proof,
}

impl BriefChanges {
    /// Compares two briefs, field by field.
    pub fn between(since: impl Into<String>, before: Vec<Proof>, now: Vec<Proof>) -> Self {
        let mut old: HashMap<String, Proof> = HashMap::new();
        let order: Vec<String> = before.iter().map(|proof| proof.path.clone()).collect();
        old.extend(before.into_iter().map(|proof| (proof.path.clone(), proof)));
        let mut changes = Self { since: since.into(), ..Self::default() };
        for now in now {
            match old.remove(&now.path) {
                None => changes.added.push(now),
                Some(before) if before.value != now.value => changes.changed.push(Changed { before, now }),
                Some(_) => {}
            }
        }
        changes.gone = order.iter().filter_map(|path| old.remove(path)).collect();
        changes
    }

    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.gone.is_empty()
    }

    /// The same with every text of it changed.
    #[must_use]
    pub fn with_texts(self, text: impl Fn(String) -> String) -> Self {
        let proof = |proof: Proof| proof.with_texts(&text);
        let changed =
            |Changed { before, now }| Changed { before: before.with_texts(&text), now: now.with_texts(&text) };
        Self {
            since: text(self.since),
            added: self.added.into_iter().map(proof).collect(),
            changed: self.changed.into_iter().map(changed).collect(),
            gone: self.gone.into_iter().map(proof).collect(),
        }
    }

    /// It for people, in Markdown.
    pub fn markdown(&self, words: &Words) -> String {
        let says = &words.host;
        let mut out = format!("# {}\n", says.has_changed(&self.since));
        if self.is_empty() {
            let _ = write!(out, "\n{}\n", says.nothing_changed());
        }
        heading(&mut out, says.added(), self.added.len());
        for proof in &self.added {
            let _ = writeln!(out, "- **{}:** {}", proof.name, stated(proof, says));
        }
        heading(&mut out, says.changed(), self.changed.len());
        for Changed { before, now } in &self.changed {
            let (old, new) = (on_a_line(&before.value), on_a_line(&now.value));
            let _ = writeln!(out, "- **{}:** {old} → {new}", now.name);
            let _ = writeln!(out, "  - {}\n  - {}", says.before(said(before, says)), says.now(said(now, says)));
        }
        heading(&mut out, says.gone(), self.gone.len());
        for proof in &self.gone {
            let _ = writeln!(out, "- **{}:** {}", proof.name, stated(proof, says));
        }
        out
    }
}

fn heading(out: &mut String, title: &str, count: usize) {
    if count > 0 {
        let _ = write!(out, "\n## {title} ({count})\n\n");
    }
}

/// A statement with its words; once, where they are the statement.
fn stated(proof: &Proof, says: &HostWords) -> String {
    let (value, said) = (on_a_line(&proof.value), said(proof, says));
    let same = proof.quote.as_ref().is_some_and(|quote| on_a_line(quote) == value);
    if same { said } else { format!("{value} {said}") }
}

/// Where a statement comes from: the words, and when they were said.
fn said(proof: &Proof, says: &HostWords) -> String {
    match &proof.quote {
        Some(quote) => says.quoted_from(on_a_line(quote), proof.origin(says)),
        None => format!("({})", proof.origin(says)),
    }
}

fn on_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(path: &str, value: &str, turn: u32) -> Proof {
        Proof {
            path: path.to_owned(),
            name: path.to_uppercase(),
            value: value.to_owned(),
            quote: Some(format!("it is {value}")),
            turn,
            by_hand: false,
            speaker: None,
        }
    }

    #[test]
    fn what_is_new_other_or_gone_is_told_with_both_quotes() {
        let before = vec![proof("goal", "fewer calls", 1), proof("budget", "10", 2), proof("deadline", "May", 3)];
        let now = vec![proof("goal", "fewer calls", 1), proof("budget", "15", 5), proof("users", "40", 6)];
        let changes = BriefChanges::between("since turn 4", before, now);
        assert_eq!(changes.added.iter().map(|proof| proof.path.as_str()).collect::<Vec<_>>(), ["users"]);
        assert_eq!(changes.gone.iter().map(|proof| proof.path.as_str()).collect::<Vec<_>>(), ["deadline"]);
        let text = changes.markdown(crate::words::english());
        assert!(
            text.contains("**BUDGET:** 10 → 15\n  - before: “it is 10” (turn 2)\n  - now: “it is 15” (turn 5)"),
            "{text}"
        );
        assert!(!text.contains("GOAL"), "{text}");
    }

    #[test]
    fn briefs_that_say_the_same_have_no_changes() {
        let same = || vec![proof("goal", "fewer calls", 1)];
        let changes = BriefChanges::between("since turn 1", same(), same());
        assert!(changes.is_empty() && changes.markdown(crate::words::english()).contains("Nothing"));
    }
}
