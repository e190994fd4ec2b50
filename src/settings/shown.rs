//! Values as a screen shows them: without what they carry as a key. Screens are looked at by others, and pictures of them
//! are passed on.

use reqwest::Url;
use toml_edit::Value;

use crate::engine::sensitive::redact;
use crate::llm::scrub;

/// What stands where a secret is.
const MARK: &str = "***";

/// A value as it stands in the file, under a key.
pub(super) fn shown(path: &[&str], written: String) -> String {
    match path {
        ["profiles", _, "endpoint" | "proxy"] => address(&written),
        ["profiles", _, "headers"] => masked(&written, true),
        ["profiles", _, "extra"] => masked(&written, false),
        ["profiles", _, "key_command"] => redact(&written),
        _ => written,
    }
}

/// An address without its password and the keys in its query; as it was written where it has neither.
fn address(written: &str) -> String {
    match Url::parse(written) {
        Ok(url) if url.password().is_some() || url.query().is_some() => scrub::address(&url),
        _ => scrub::words(written),
    }
}

fn masked(written: &str, all: bool) -> String {
    let Ok(mut value) = written.parse::<Value>() else { return MARK.to_owned() };
    mask(&mut value, all);
    value.to_string()
}

/// Hides texts under names of keys, or all of them. `$NAME` is where a value is, and not the value.
fn mask(value: &mut Value, hide: bool) {
    match value {
        Value::String(text) if hide && !text.value().starts_with('$') => {
            let decor = text.decor().clone();
            *value = MARK.into();
            *value.decor_mut() = decor;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, hide)),
        Value::InlineTable(table) => {
            for (name, item) in table.iter_mut() {
                mask(item, hide || scrub::names_a_credential(name.get()));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_carries_no_key_and_the_rest_stays_legible() {
        let of = |key: &str, written: &str| shown(&["profiles", "p", key], written.to_owned());
        let address = of("endpoint", "https://a.example/v1?api_key=s3cret-in-url&v=2");
        assert!(
            !address.contains("s3cret") && address.contains("a.example/v1") && address.contains("v=2"),
            "{address}"
        );
        assert!(!of("proxy", "http://me:s3cret-word@127.0.0.1:1").contains("s3cret"));
        let headers = of("headers", "{ Authorization = \"Bearer s3cret\", X-Key = \"$TEAM_KEY\" }");
        assert_eq!(headers, "{ Authorization = \"***\", X-Key = \"$TEAM_KEY\" }");
        let extra = of("extra", "{ effort = \"low\", api_key = \"s3cret\", a = { token = [\"s3cret\"] } }");
        assert_eq!(extra, "{ effort = \"low\", api_key = \"***\", a = { token = [\"***\"] } }");
        assert!(!of("key_command", "[\"echo\", \"sk-proj-0123456789abcdefghij\"]").contains("0123456789"));
        assert_eq!(of("headers", "[profiles.p.headers]\nA = 1"), MARK);
        assert_eq!(of("model", "m"), "m");
    }
}
