//! Tells whether an endpoint has refused the key, from whatever it says in the place of an answer.
//!
//! A refusal should come as 401. Gateways give it other statuses, also 500 and 200; then only their words tell.

use serde_json::Value;

/// The codes and types under which endpoints refuse a key.
const CODES: &[&str] =
    &["invalid_api_key", "api_key_invalid", "authentication_error", "auth_error", "unauthorized", "unauthenticated"];

/// How they say it. None of these is said about anything but a key.
const REFUSALS: &[&str] = &[
    "api key not valid",
    "invalid api key",
    "invalid api-key",
    "invalid api_key",
    "invalid x-api-key",
    "incorrect api key",
    "api key is invalid",
    "api key is not valid",
    "api key is incorrect",
    "api key is wrong",
    "wrong api key",
    "bad api key",
    "unknown api key",
    "api key expired",
    "api key has expired",
    "invalid access token",
    "invalid bearer token",
    "invalid proxy server token",
    "ungültiger api-schlüssel",
    "status code 401",
    "401 unauthorized",
];

/// What else a refusal of the request (4xx) may say. A server in trouble says such things of its own affairs, too.
const REFUSALS_OF_REQUESTS: &[&str] = &[
    "api key not found",
    "missing api key",
    "no api key",
    "authenticationerror",
    "authentication error",
    "authentication failed",
    "invalid authentication",
    "no auth credentials",
    "invalid credentials",
];

/// Words that refuse a key where nothing else is said.
const BARE: &[&str] = &[
    "unauthorized",
    "unauthorised",
    "unauthenticated",
    "not authorized",
    "invalid key",
    "invalid token",
    "authentication failed",
    "authentication required",
    "missing api key",
    "no api key",
    "no api key provided",
];

/// Words of trouble that passes: whatever they say of keys is about theirs.
const PASSING: &[&str] = &["timeout", "timed out", "temporar", "unavailable", "connection", "database", "again later"];

/// Under these names failures are told.
const TOLD: &[&str] = &["error", "errors", "message", "msg", "detail", "error_message", "error_msg", "reason", "title"];
/// Under these a code is.
const CODED: &[&str] = &["code", "type", "status", "status_code", "statusCode", "error_code"];

/// No failure is told in more words, nor deeper inside.
const LONGEST: usize = 4_096;
const DEEPEST: usize = 4;

/// Whether the code and the words of a refused request (4xx) name the key as its reason.
pub(super) fn in_refusal(code: &str, words: &str) -> bool {
    let words = words.to_lowercase();
    is_code(code) || REFUSALS.iter().chain(REFUSALS_OF_REQUESTS).any(|refusal| words.contains(refusal))
}

/// Whether a body says that the key is refused, though its status says something else: trouble, or success. It is only
/// asked of bodies that hold no answer.
pub(super) fn in_body(body: &str) -> bool {
    if body.len() > LONGEST {
        return false;
    }
    // Of a stream the first event tells.
    let event = body.lines().find_map(|line| line.strip_prefix("data:"));
    let text = event.unwrap_or(body).trim();
    match serde_json::from_str::<Value>(text) {
        Ok(Value::String(words)) => refuses(&words),
        Ok(value) => is_told(value.get(0).unwrap_or(&value), DEEPEST),
        Err(_) => !text.starts_with(['{', '[']) && refuses(text),
    }
}

/// Whether a part of a report says so, by its code or in words.
fn is_told(part: &Value, deep: usize) -> bool {
    match part {
        Value::String(words) => refuses(words),
        Value::Array(parts) if deep > 0 => parts.iter().take(4).any(|part| is_told(part, deep - 1)),
        Value::Object(_) if deep > 0 => {
            let coded = |name: &&str| match part.get(*name) {
                Some(Value::String(code)) => is_code(code) || code == "401",
                Some(code) => code.as_u64() == Some(401),
                None => false,
            };
            CODED.iter().any(coded)
                || TOLD.iter().any(|name| part.get(*name).is_some_and(|told| is_told(told, deep - 1)))
        }
        _ => false,
    }
}

fn is_code(code: &str) -> bool {
    CODES.contains(&code.to_lowercase().as_str())
}

fn refuses(words: &str) -> bool {
    let words = words.to_lowercase();
    let bare = words.trim_start_matches("error").trim_matches(|c: char| !c.is_alphanumeric());
    let passes = PASSING.iter().any(|passing| words.contains(passing));
    BARE.contains(&bare) || (!passes && REFUSALS.iter().any(|refusal| words.contains(refusal)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_key_is_known_by_words_and_codes_whatever_they_stand_in() {
        for body in [
            r#"{"error":{"message":"Invalid API key","type":"server_error"}}"#,
            r#"{"error":{"message":"no","code":"401"}}"#,
            r#"{"message":"Wrong API key"}"#,
            r#"{"error":"The provided API key is incorrect"}"#,
            r#"{"code":401,"msg":"token"}"#,
            r#"{"success":false,"message":"Unauthorized"}"#,
            r#"{"error":true,"message":"Unauthorized."}"#,
            r#"{"errors":[{"message":"Incorrect API key provided: xa***"}]}"#,
            r#"{"detail":"Error: Request failed with status code 401"}"#,
            r#"[{"error":{"status":"UNAUTHENTICATED"}}]"#,
            "\"unauthorized\"",
            "Unauthorized\n",
            "Error: invalid api key",
            "event: error\ndata: {\"error\": \"Invalid bearer token\"}\n\n",
        ] {
            assert!(in_body(body), "{body}");
        }
    }

    #[test]
    fn trouble_that_speaks_of_keys_stays_trouble() {
        let long = format!("{{\"error\":\"invalid api key {}\"}}", "x".repeat(LONGEST));
        for body in [
            r#"{"error":{"message":"The server had an error while processing your request.","type":"server_error"}}"#,
            r#"{"error":{"message":"no api key db","code":"no"}}"#,
            r#"{"error":"database authentication failed"}"#,
            r#"{"error":"invalid token at line 3, column 7"}"#,
            r#"{"error":"connection to the key service timed out: 401 unauthorized"}"#,
            r#"{"error":"invalid credentials for redis"}"#,
            r#"{"error":{"message":"upstream","code":500}}"#,
            r#"{"choices":[{"message":{"content":"Invalid API key"}}]}"#,
            r#"{"message":{"role":"assistant","content":"Unauthorized"},"done":true}"#,
            r#"{"type":"message","content":[{"type":"text","text":"invalid api key"}]}"#,
            "unauthorized changes were found in the index; it is being built anew",
            &long,
            "",
        ] {
            assert!(!in_body(body), "{body}");
        }
    }
}
