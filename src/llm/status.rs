//! Turns an endpoint's own report of failure, a status with a body or an error inside a stream, into a [`ChatError`].

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::bounds;
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::key_fault;
use super::scrub;

/// More of an endpoint's words helps nobody.
const LONGEST_DETAIL: usize = 300;

/// A failure as the endpoint reports it.
pub(super) struct Report<'a> {
    pub status: u16,
    pub headers: &'a HeaderMap,
    pub body: &'a str,
}

/// Reads the report of a failed request.
pub(super) fn from_report(endpoint: &Endpoint, report: &Report<'_>) -> ChatError {
    let status = report.status;
    if is_html(report) && matches!(status, 200..=399 | 401 | 403 | 511) {
        return ChatError::WebPage { title: title(endpoint, report.body) };
    }
    let fault = Fault::read(endpoint, report.body);
    let retry_after = retry_after(report.headers, SystemTime::now());
    if status == 413 || ((400..=500).contains(&status) && fault.is_context_overflow()) {
        return ChatError::ContextOverflow { limit: fault.limit(), detail: fault.detail };
    }
    match status {
        401 => ChatError::Unauthorized { status, key: endpoint.key_source() },
        400 | 403 | 422 if fault.is_about_key() => ChatError::Unauthorized { status, key: endpoint.key_source() },
        500..=502 if key_fault::in_body(report.body) => ChatError::Unauthorized { status, key: endpoint.key_source() },
        402 => ChatError::OutOfCredit { detail: fault.detail },
        403 => ChatError::Forbidden { key: endpoint.key_source(), model: endpoint.model.clone(), detail: fault.detail },
        // A router that has no model with tools says so in this way.
        404 if fault.detail.to_lowercase().contains("support tool") => {
            ChatError::Rejected { status, detail: fault.detail }
        }
        404 if fault.speaks_of_model() => {
            ChatError::ModelNotFound { model: endpoint.model.clone(), detail: fault.detail }
        }
        300..=399 | 404 | 405 => ChatError::WrongAddress { url: scrub::address(&endpoint.chat_url()), status },
        407 => ChatError::Proxy { proxy: endpoint.proxy_name(), detail: "407, it wants a password".to_owned() },
        429 if fault.is_quota() => ChatError::OutOfCredit { detail: fault.detail },
        429 => ChatError::RateLimited { retry_after, detail: fault.detail },
        400 if fault.code == "model_not_found" => {
            ChatError::ModelNotFound { model: endpoint.model.clone(), detail: fault.detail }
        }
        408 | 409 | 425 | 500..=599 => ChatError::Server { status, retry_after, detail: fault.detail },
        _ => ChatError::Rejected { status, detail: fault.detail },
    }
}

/// Reads an error that came inside a stream or a successful answer, where only its type tells the status.
pub(super) fn from_value(endpoint: &Endpoint, error: &Value) -> ChatError {
    let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
    let stated = error.get("code").or_else(|| error.get("status"));
    let stated = stated.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let status = match kind {
        "overloaded_error" => 529,
        "rate_limit_error" => 429,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "invalid_request_error" | "exceed_context_size_error" => 400,
        "request_too_large" => 413,
        "billing_error" => 402,
        _ => stated.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code)).unwrap_or(500),
    };
    let body = serde_json::json!({ "error": error }).to_string();
    from_report(endpoint, &Report { status, headers: &HeaderMap::new(), body: &body })
}

/// Reads a refusal of the key that came as a success. Only for bodies that hold no answer.
pub(super) fn refused_key(endpoint: &Endpoint, body: &str) -> Option<ChatError> {
    key_fault::in_body(body).then(|| ChatError::Unauthorized { status: 200, key: endpoint.key_source() })
}

/// The endpoint's own words about what went wrong.
struct Fault {
    code: String,
    detail: String,
    limit: Option<u64>,
}

impl Fault {
    fn read(endpoint: &Endpoint, body: &str) -> Self {
        let parsed: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        // FastAPI servers answer with a list, Ollama with a bare string, everybody else with an object.
        let error = parsed.get(0).unwrap_or(&parsed).get("error").unwrap_or(&parsed);
        let message = ["message", "detail", "error", "msg"].iter().find_map(|key| text(error.get(*key)?));
        let words = message.or_else(|| text(error)).unwrap_or_else(|| match parsed {
            Value::Null if is_markup(body) => title(endpoint, body),
            Value::Null => body.to_owned(),
            _ => parsed.to_string(),
        });
        let code = ["code", "type", "status"].iter().find_map(|key| error.get(*key)?.as_str());
        Self {
            code: code.unwrap_or_default().to_owned(),
            detail: legible(&endpoint.scrub(&words)),
            limit: error.get("n_ctx").and_then(Value::as_u64).and_then(bounds::window),
        }
    }

    fn is_context_overflow(&self) -> bool {
        let detail = self.detail.to_lowercase();
        matches!(self.code.as_str(), "context_length_exceeded" | "exceed_context_size_error" | "request_too_large")
            || OVERFLOW_WORDS.iter().any(|words| detail.contains(words))
    }

    /// Gateways and some providers answer 400 to a wrong key.
    fn is_about_key(&self) -> bool {
        key_fault::in_refusal(&self.code, &self.detail)
    }

    fn is_quota(&self) -> bool {
        self.code == "insufficient_quota" || self.detail.to_lowercase().contains("exceeded your current quota")
    }

    fn speaks_of_model(&self) -> bool {
        self.code == "model_not_found" || self.detail.to_lowercase().contains("model")
    }

    /// The context window, stated as a field or as the number after "maximum" or before it.
    fn limit(&self) -> Option<u64> {
        self.limit.or_else(|| {
            let detail = self.detail.to_lowercase();
            let after = detail.split_once("maximum context length is").map(|(_, rest)| rest);
            let before = detail.split_once(" maximum").and_then(|(rest, _)| rest.rsplit('>').next());
            after
                .or(before)?
                .split(|c: char| !c.is_ascii_digit())
                .find(|word| !word.is_empty())?
                .parse()
                .ok()
                .and_then(bounds::window)
        })
    }
}

/// How the endpoints say that a prompt does not fit.
const OVERFLOW_WORDS: &[&str] = &[
    "maximum context length",
    "context length exceeded",
    "context_length_exceeded",
    "context size",
    "context window",
    "context the overflows",
    "prompt is too long",
    "input is too long",
    "exceeds the maximum number of tokens",
    "input token count",
    "reduce the length of the messages",
];

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(words) if !words.is_empty() => Some(words.clone()),
        Value::Object(_) => value.get("message").and_then(text),
        Value::Array(items) => items.first().and_then(|item| text(item.get("msg")?)),
        _ => None,
    }
}

/// Cuts and cleans foreign words: they end up on a terminal.
pub(super) fn legible(words: &str) -> String {
    let clean: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_DETAIL).collect();
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if clean.is_empty() { "no reason given".to_owned() } else { clean.trim_end_matches('.').to_owned() }
}

fn is_html(report: &Report<'_>) -> bool {
    let kind = report.headers.get(reqwest::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html")) || is_markup(report.body)
}

/// Recognises a web page by its first characters, whatever the header claims.
pub(super) fn is_markup(body: &str) -> bool {
    let start: String = body.trim_start_matches('\u{feff}').trim_start().chars().take(9).collect();
    let start = start.to_lowercase();
    ["<!doctype", "<html", "<head", "<body", "<script", "<?xml"].iter().any(|tag| start.starts_with(tag))
}

/// The title of a web page.
pub(super) fn title(endpoint: &Endpoint, html: &str) -> String {
    let html = endpoint.scrub(html);
    let start = html.find("<title>").map(|at| at + "<title>".len());
    let found = start.and_then(|start| html[start..].split('<').next());
    found.map(|title| legible(title).chars().take(80).collect()).unwrap_or_default()
}

/// Reads `Retry-After`, seconds or a date, and the millisecond form some endpoints add.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(milliseconds) = word("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(bounds::wait(Duration::from_millis(milliseconds)));
    }
    let text = word(RETRY_AFTER.as_str())?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok().map(bounds::wait);
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(bounds::wait(date.duration_since(now).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use reqwest::header::HeaderValue;

    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).expect("a header"));
        headers
    }

    #[test]
    fn retry_after_is_read_as_seconds_date_or_milliseconds() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let date = httpdate::fmt_http_date(now + Duration::from_secs(90));
        let past = httpdate::fmt_http_date(now - Duration::from_secs(90));
        assert_eq!(retry_after(&headers("retry-after", "7"), now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(&headers("retry-after", "0.5"), now), Some(Duration::from_millis(500)));
        assert_eq!(retry_after(&headers("retry-after", &date), now), Some(Duration::from_secs(90)));
        assert_eq!(retry_after(&headers("retry-after", &past), now), Some(Duration::ZERO));
        assert_eq!(retry_after(&headers("retry-after-ms", "250"), now), Some(Duration::from_millis(250)));
        let endless = "9223372036854775807";
        for name in ["retry-after", "retry-after-ms"] {
            assert_eq!(retry_after(&headers(name, endless), now), Some(Duration::from_hours(24)), "{name}");
        }
        for nonsense in ["soon", "-3", "NaN", "1e400"] {
            assert_eq!(retry_after(&headers("retry-after", nonsense), now), None, "{nonsense}");
        }
    }

    #[test]
    fn every_endpoints_way_of_saying_too_long_is_understood() {
        let endpoint = Endpoint::local_for_tests();
        for (body, limit) in [
            (
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However…","code":"context_length_exceeded"}}"#,
                Some(8192),
            ),
            (
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                Some(200_000),
            ),
            (
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":4096}}"#,
                Some(4096),
            ),
            (
                r#"{"error":{"message":"maximum context length is 99999999999999 tokens","code":"context_length_exceeded","n_ctx":0}}"#,
                None,
            ),
            (r#"{"error":"Trying to keep the first 5000 tokens when context the overflows."}"#, None),
        ] {
            let report = Report { status: 400, headers: &HeaderMap::new(), body };
            let ChatError::ContextOverflow { limit: found, .. } = from_report(&endpoint, &report) else {
                panic!("not an overflow: {body}");
            };
            assert_eq!(found, limit, "{body}");
        }
    }

    #[test]
    fn foreign_words_cannot_reach_the_terminal_as_control_sequences() {
        assert_eq!(legible("bad\u{1b}[31m \u{7}thing.\n"), "bad [31m thing");
        assert_eq!(legible(" \n"), "no reason given");
        assert_eq!(legible(&"x".repeat(5000)).len(), LONGEST_DETAIL);
    }
}
