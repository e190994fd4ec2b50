//! Sensitive data: found before anything is sent or stored, and treated as the setting says.

use elenchus::engine::sensitive::{SensitiveKind, SensitivePolicy, find, redact};
use elenchus::engine::turn::TurnInput;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::support::{Found, Talk, details, small};
use crate::support::scripted::{ScriptedSession, SeenRequest};

const SECRET: &str = "Write to ann@example.org, card 4111 1111 1111 1111.";

fn saying(message: &str, sensitive: SensitivePolicy) -> TurnInput {
    TurnInput { sensitive, ..TurnInput::saying(message) }
}

/// Everything that reached the outside, in one text.
fn outside(session: &ScriptedSession<'_>) -> String {
    format!("{:?} {:?}", session.ports.requests, session.ports.kept)
}

#[test]
fn warning_is_the_default_and_happens_once() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let first = session.run(saying(SECRET, SensitivePolicy::default()));
    assert_eq!(
        first.report.warnings,
        [
            "Your message has a card number, an email address in it. It is sent and stored as you wrote it; set `sensitive = \"redact\"` to have such things taken out."
        ]
    );
    assert_eq!(details(&first, "pre-processing")["sensitive"], json!(["a card number", "an email address"]));
    assert_eq!(&*first.message.text, SECRET);
    let second = session.run(saying(SECRET, SensitivePolicy::Warn));
    assert_eq!(second.report.warnings, Vec::<String>::new());
}

#[test]
fn under_a_warning_the_memory_keeps_what_was_said_and_logs_do_not() {
    let found: Found<'_> = ("purpose.problem", json!("Mail to ann@example.org"), 0.9, "Write to ann@example.org");
    for (policy, logged) in [(SensitivePolicy::Warn, "[email]"), (SensitivePolicy::Allow, "ann@example.org")] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        session.ports.finds(std::slice::from_ref(&found));
        session.run(saying(SECRET, policy));
        assert_eq!(session.field("purpose.problem").value, Some(json!("Mail to ann@example.org")));
        let entry = &session.ports.kept[0].log[0];
        assert_eq!(entry.extracted_value, json!(format!("Mail to {logged}")));
        assert_eq!(entry.evidence.as_ref().map(|said| said.quote.clone()), Some(format!("Write to {logged}")));
    }
}

#[test]
fn redaction_happens_before_anything_is_sent_or_stored_and_proof_points_into_what_was_stored() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.finds(&[("purpose.problem", json!("Nobody can write"), 0.9, "Write to [email]")]);
    let turn = session.run(saying(SECRET, SensitivePolicy::Redact));
    assert_eq!(&*turn.message.text, "Write to [email], card [card].");
    let outside = outside(&session);
    assert!(!outside.contains("ann@") && !outside.contains("4111"), "{outside}");
    let proof = session.field("purpose.problem").evidence.clone().expect("it was said");
    assert_eq!(&turn.message.text[proof.start..proof.end], "Write to [email");
    assert_eq!(turn.report.warnings, Vec::<String>::new());
}

#[test]
fn addresses_that_open_something_by_themselves_are_secrets() {
    for (text, redacted) in [
        (
            "post it to https://hooks.slack.com/services/T0AB12CD/B0EF34GH/x1y2z3w4v5u6t7s8 please",
            "post it to https://hooks.slack.com/services/[api key] please",
        ),
        (
            "https://discord.com/api/webhooks/112233445566/AbC-dEf_123456789",
            "https://discord.com/api/webhooks/[api key]",
        ),
        (
            "https://a.blob.core.windows.net/c/f.pdf?sv=2024&sig=f8Kz1%2Bq3T0sVb6Yw9RxLm2NpQ7uAhJ4cE5dG%3D&se=2027",
            "https://a.blob.core.windows.net/c/f.pdf?sv=2024&sig=[api key]&se=2027",
        ),
    ] {
        assert_eq!(redact(text), redacted);
    }
    for harmless in ["the signature: under the contract of 2024", "see hooks.slack.com/services/ for that", "sig=none"]
    {
        assert_eq!(find(harmless), [], "{harmless}");
    }
}

#[test]
fn what_is_allowed_is_left_alone_without_a_word() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.run(saying(SECRET, SensitivePolicy::Allow));
    assert_eq!((turn.report.warnings.len(), &*turn.message.text), (0, SECRET));
    assert_eq!(details(&turn, "pre-processing")["sensitive"], json!([]));
    let Some(SeenRequest::Analysis { messages, .. }) = session.ports.requests.first() else {
        panic!("it was analysed")
    };
    assert!(messages.last().is_some_and(|(_, text)| text.contains(SECRET)));
}

#[test]
fn all_six_kinds_are_found_in_one_message() {
    let message = "ann@example.org, +44 20 7946 0958, SSN 078-05-1120, card 4111-1111-1111-1111, password: hunter2, sk-abcDEF123456789012345";
    let kinds: Vec<SensitiveKind> = find(message).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(
        kinds,
        [
            SensitiveKind::Email,
            SensitiveKind::Phone,
            SensitiveKind::Ssn,
            SensitiveKind::Card,
            SensitiveKind::Password,
            SensitiveKind::ApiKey
        ]
    );
    assert_eq!(redact(message), "[email], [phone], SSN [ssn], card [card], password: [password] [api key]");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn findings_stand_in_the_text_in_order_and_never_overlap(text in "([a-z@.+0-9 :é-]|password is |sk-|4111 1111 1111 1111){0,60}") {
        let mut end = 0;
        for (_, range) in find(&text) {
            prop_assert!(range.start >= end && range.end <= text.len() && text.get(range.clone()).is_some());
            end = range.end;
        }
        redact(&text);
    }
}
