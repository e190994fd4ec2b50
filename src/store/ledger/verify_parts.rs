//! The parts of a session against its log: commits, words, states, the session's own row, references.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Value, json};

use super::commits::{self, Words};
use super::replay::{Logged, Replay};
use super::verify::{Engines, Findings};
use super::{filing, history, superseded};
use crate::store::backend::{Backend, Body, CommitRow, Encoding, ExtractionRow, Handoffs, Part, SessionRow, Span};
use crate::store::{
    BudgetEntry, Digest, ExtractionEntry, MessageId, MessageRecord, SessionId, SessionRecord, StoreError, canonical,
};

/// Everything that the commits of a session left behind, read at once.
pub(super) struct Stored {
    messages: Vec<Part<MessageRecord>>,
    extractions: Vec<Part<ExtractionRow>>,
    costs: BTreeMap<u64, Vec<BudgetEntry>>,
}

impl Stored {
    pub(super) fn read(db: &mut dyn Backend, id: SessionId) -> Result<Self, StoreError> {
        let mut costs: BTreeMap<u64, Vec<BudgetEntry>> = BTreeMap::new();
        for (seq, entry) in db.costs(id)? {
            costs.entry(seq).or_default().push(entry);
        }
        let messages = db.messages(id, Span::All, u32::MAX)?;
        Ok(Self { messages, extractions: db.extractions(id, Span::All)?, costs })
    }
}

/// Returns the values of the parts of one commit. Parts stand in the order of their commits.
fn of_commit<T, U: Clone>(parts: &[Part<T>], seq: u64, value: impl Fn(&T) -> &U) -> Vec<U> {
    let start = parts.partition_point(|part| part.seq < seq);
    parts[start..].iter().take_while(|part| part.seq == seq).map(|part| value(&part.value).clone()).collect()
}

/// Checks that there is a row for every commit of the log and no other, that it says what the log says, and that its
/// words have the digests that the log has.
pub(super) fn check_commits(
    db: &dyn Backend,
    commits: &[CommitRow],
    stored: &mut Stored,
    replay: &Replay,
    findings: &mut Findings<'_>,
) -> Result<(), StoreError> {
    let mut there = BTreeSet::new();
    for commit in commits {
        let seq = commit.seq;
        there.insert(seq);
        let Some(logged) = replay.commits.get(&seq).filter(|logged| !logged.erased) else {
            findings.add(Some(seq), "A commit is stored that the log does not have");
            continue;
        };
        let says = json!({
            "turn": commit.turn,
            "parent": commit.parent,
            "engine": commit.engine_hash,
            "phase": commit.phase,
            "completeness": commit.completeness,
        });
        for (name, value) in says.as_object().into_iter().flatten() {
            let logged = logged.payload.get(name).unwrap_or(&Value::Null);
            findings.expect(Some(seq), &format!("The {name} of the commit"), value, logged);
        }
        findings.expect(Some(seq), "Whether the commit was rewound", &commit.rewound_by, &logged.rewound_by);
        check_words(db, commit, stored, logged, findings)?;
    }
    for (seq, _) in replay.commits.iter().filter(|(seq, logged)| !logged.erased && !there.contains(*seq)) {
        findings.add(Some(*seq), "A commit of the log is missing");
    }
    Ok(())
}

/// Checks messages, extractions, figures and costs of a commit. (The checkpoint hangs on the state.)
fn check_words(
    db: &dyn Backend,
    commit: &CommitRow,
    stored: &mut Stored,
    logged: &Logged,
    findings: &mut Findings<'_>,
) -> Result<(), StoreError> {
    let seq = commit.seq;
    let figures: Option<Value> =
        commit.figures.as_deref().map(|text| history::parse(db, "figures", text)).transpose()?;
    let words = Words {
        messages: &of_commit(&stored.messages, seq, |message| message),
        extractions: &of_commit(&stored.extractions, seq, |row| &row.entry),
        figures: figures.as_ref(),
        budget: &stored.costs.remove(&seq).unwrap_or_default(),
    };
    let digests = commits::digests(findings.session, &words);
    for part in ["messages", "extractions", "figures", "budget"] {
        let digest = digests.get(part).and_then(Value::as_str);
        findings.expect(Some(seq), &format!("The {part} part of the commit"), &digest, &logged.digest(part));
    }
    Ok(())
}

/// Works out every state from the deltas and checks it, and the checkpoint beside it, against the log.
pub(super) fn check_states(
    db: &dyn Backend,
    commits: Vec<CommitRow>,
    replay: &Replay,
    findings: &mut Findings<'_>,
) -> Result<(), StoreError> {
    let mut bodies: BTreeMap<u64, (Option<u64>, Body)> = BTreeMap::new();
    let mut before: Option<(u64, Value)> = None;
    for commit in commits {
        let seq = commit.seq;
        let base = match (before.take(), commit.parent) {
            (Some((at, state)), Some(parent)) if at == parent => Some(state),
            // After a rewind the parent is further back.
            (_, Some(parent)) => work_out(db, &bodies, parent),
            (_, None) => None,
        };
        let state = history::step(db, base, &commit.body);
        bodies.insert(seq, (commit.parent, commit.body));
        let Ok(state) = state else {
            findings.add(Some(seq), "The state of the commit cannot be worked out");
            continue;
        };
        let Some(logged) = replay.commits.get(&seq) else { continue };
        let digest = Digest::of(commits::to_text(&state)?.as_bytes()).to_string();
        findings.expect(Some(seq), "The state of the commit", &Some(digest.as_str()), &logged.digest("state"));
        let kept = commit.checkpoint.and_then(|kept| history::checkpoint(db, kept, state.clone()).ok());
        let kept = kept.map(|kept| canonical::digest(&kept).to_string());
        findings.expect(Some(seq), "The checkpoint of the commit", &kept.as_deref(), &logged.digest("checkpoint"));
        before = Some((seq, state));
    }
    Ok(())
}

/// Works out the state after a commit from the bodies read so far; none if one of them is missing or does not fit.
fn work_out(db: &dyn Backend, bodies: &BTreeMap<u64, (Option<u64>, Body)>, seq: u64) -> Option<Value> {
    let mut line = Vec::new();
    let mut next = Some(seq);
    while let Some((parent, body)) = next.and_then(|seq| bodies.get(&seq)) {
        line.push(body);
        // A parent is older than its child. In a damaged database they may form a circle, which must not be followed.
        next = parent.filter(|parent| body.encoding == Encoding::Delta && next.is_some_and(|seq| *parent < seq));
    }
    line.into_iter().rev().try_fold(None, |state, body| history::step(db, state, body).map(Some)).ok().flatten()
}

/// Checks the session's row and its current state.
pub(super) fn check_session_row(
    db: &mut dyn Backend,
    row: &SessionRow,
    replay: &Replay,
    findings: &mut Findings<'_>,
) -> Result<(), StoreError> {
    let record = &row.record;
    let title = Digest::of(record.title.as_bytes()).to_string();
    findings.expect(None, "The title", &Some(title), &replay.title);
    findings.expect(None, "How the session is kept", &filing::logged(&record.filing), &replay.filed);
    findings.expect(None, "The revision", &record.revision, &replay.revision);
    findings.expect(None, "The current commit", &row.tip, &replay.tip);
    let Some(tip) = replay.commits.get(&replay.tip) else {
        findings.add(None, "The log has no current commit");
        return Ok(());
    };
    let says = json!({
        "turn": record.turn,
        "phase": record.phase,
        "completeness": record.completeness,
        "engine": record.engine_hash,
    });
    for (name, value) in says.as_object().into_iter().flatten() {
        findings.expect(None, &format!("The {name}"), value, tip.payload.get(name).unwrap_or(&Value::Null));
    }
    let state = db.state(record.id)?.map(|text| Digest::of(text.as_bytes()).to_string());
    findings.expect(None, "The current state", &state.as_deref(), &tip.digest("state"));
    Ok(())
}

/// Checks what the log does not cover of extractions: their messages, their engine, and what took their place.
pub(super) fn check_extractions(
    db: &mut dyn Backend,
    commits: &[CommitRow],
    stored: &Stored,
    engines: &mut Engines,
    findings: &mut Findings<'_>,
) {
    let said: HashSet<MessageId> = stored.messages.iter().map(|part| part.value.id).collect();
    let made_by: BTreeMap<u64, Digest> = commits.iter().map(|commit| (commit.seq, commit.engine_hash)).collect();
    let wrong = |findings: &mut Findings<'_>, seq: u64, entry: &ExtractionEntry, what: &str| {
        findings.add(Some(seq), format!("The extraction of {} {what}", entry.field_path));
    };
    for part in &stored.extractions {
        let (seq, row) = (part.seq, &part.value);
        if row.entry.message_id.is_some_and(|message| !said.contains(&message)) {
            wrong(findings, seq, &row.entry, "points at a message that is not there");
        }
        let engine = made_by.get(&seq).and_then(|hash| engines.id(db, *hash));
        if engine.is_some_and(|engine| engine != row.engine_id) {
            wrong(findings, seq, &row.entry, "names another engine than its commit");
        }
    }
    let in_view = || stored.extractions.iter().filter(|part| part.in_view);
    for (part, by) in in_view().zip(superseded::resolve(in_view())) {
        if part.value.entry.superseded_by != by {
            wrong(findings, part.seq, &part.value.entry, "does not say what took its place");
        }
    }
}

/// Checks that what belongs to a commit is in view if the commit is.
pub(super) fn check_view(stored: &Stored, rewound: &BTreeSet<u64>, findings: &mut Findings<'_>) {
    let messages = stored.messages.iter().filter(|part| part.in_view == rewound.contains(&part.seq)).count();
    let extractions = stored.extractions.iter().filter(|part| part.in_view == rewound.contains(&part.seq)).count();
    for (what, astray) in [("messages", messages), ("extractions", extractions)] {
        if astray > 0 {
            findings.add(None, format!("{astray} rows of {what} are in view though rewound, or the reverse"));
        }
    }
}

/// Checks that the handoff a session names as its own comes from it.
pub(super) fn check_outbound(
    db: &mut dyn Backend,
    record: &SessionRecord,
    findings: &mut Findings<'_>,
) -> Result<(), StoreError> {
    let Some(outbound) = record.outbound_handoff_id else { return Ok(()) };
    if db.handoffs(Handoffs::One(outbound))?.iter().any(|handoff| handoff.source_session_id != record.id) {
        findings.add(None, "The outbound handoff comes from another session");
    }
    Ok(())
}
