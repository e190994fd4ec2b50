//! Deltas: whatever two documents are, the delta turns one into the other, exactly.

use elenchus::store::delta::{self, Patch};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

/// Any JSON, with few keys so that documents have some in common, and all kinds of numbers.
fn documents() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
        Just(Number::from_f64(-0.0).unwrap()),
        Just(Number::from_f64(0.0).unwrap()),
        Just(Number::from(0)),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number.prop_map(Value::Number),
        "[aäß🌞]{0,4}".prop_map(Value::from),
        "[abü]{40,80}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec(("[a-d]", inner), 0..5).prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

fn round_trip(old: &Value, new: &Value) -> Value {
    let text = serde_json::to_string(&delta::diff(old, new)).unwrap();
    let patch: Patch = serde_json::from_str(&text).unwrap();
    let mut value = old.clone();
    delta::apply(&mut value, patch).unwrap();
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_delta_turns_any_document_into_any_other(old in documents(), new in documents()) {
        let got = round_trip(&old, &new);
        prop_assert!(delta::identical(&got, &new), "{old}\n{new}\n{got}");
        prop_assert_eq!(got.to_string(), new.to_string());
    }

    #[test]
    fn a_delta_made_for_another_document_is_an_error_or_a_document_but_no_panic(
        old in documents(), new in documents(), other in documents()
    ) {
        let mut value = other;
        let _ = delta::apply(&mut value, delta::diff(&old, &new));
    }

    #[test]
    fn numbers_come_back_from_text_bit_by_bit(number in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
        let back: f64 = serde_json::from_str(&serde_json::to_string(&number).unwrap()).unwrap();
        prop_assert_eq!(back.to_bits(), number.to_bits());
    }
}

#[test]
fn order_of_keys_nulls_and_the_sign_of_zero_are_kept() {
    for (old, new) in [
        (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})),
        (json!({"a": 1, "c": 3}), json!({"a": 1, "b": 2, "c": 3})),
        (json!({"a": 1}), json!({"a": null})),
        (json!([0.0]), json!([-0.0])),
        (json!(1), json!(1.0)),
    ] {
        assert_eq!(round_trip(&old, &new).to_string(), new.to_string());
    }
}

#[test]
fn a_small_change_in_a_large_document_is_a_small_delta() {
    let fields: Map<String, Value> =
        (0..300).map(|field| (format!("field_{field}"), json!({"value": "x".repeat(80), "confidence": 0.5}))).collect();
    let window: Vec<Value> = (0..30).map(|turn| json!({"turn": turn, "summary": "y".repeat(100)})).collect();
    let old = json!({"fields": fields, "window": window, "summary": "z".repeat(5000)});
    let mut new = old.clone();
    new["fields"]["field_77"]["confidence"] = json!(0.75);
    new["summary"] = json!(format!("{} And one more sentence.", "z".repeat(5000)));
    if let Some(window) = new["window"].as_array_mut() {
        window.remove(0);
        window.push(json!({"turn": 30, "summary": "new"}));
    }
    let delta = serde_json::to_string(&delta::diff(&old, &new)).unwrap();
    assert!(delta.len() < 300, "{} bytes for a document of {}", delta.len(), old.to_string().len());
    assert_eq!(round_trip(&old, &new), new);
}
