//! Canonical JSON: one text for one value, whatever order its keys were written in.
//!
//! `serde_json` keeps the order of keys here (`preserve_order` is on for the whole program), so two equal values may
//! serialise differently. Digests are taken over this form instead: keys sorted by their bytes, no white space, numbers
//! and strings as `serde_json` writes them.

use serde::Serialize;
use serde_json::Value;

use super::Digest;

/// Writes a value in canonical form.
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Digests anything that serialises, by its canonical form. What cannot be serialised digests as `null`; records made
/// of strings, numbers and JSON always can.
pub fn digest<T: Serialize + ?Sized>(value: &T) -> Digest {
    let value = serde_json::to_value(value).unwrap_or(Value::Null);
    Digest::of(to_text(&value).as_bytes())
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(&map[key], out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_values_have_one_text_whatever_the_order_of_their_keys() {
        let one = json!({"b": [1, {"y": null, "x": "ü\n"}], "a": 1.5});
        let other = json!({"a": 1.5, "b": [1, {"x": "ü\n", "y": null}]});
        assert_eq!(to_text(&one), r#"{"a":1.5,"b":[1,{"x":"ü\n","y":null}]}"#);
        assert_eq!(to_text(&one), to_text(&other));
    }
}
