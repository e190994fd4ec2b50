//! Keeps keys out of everything that leaves the transport: one list of what is secret, one way to take it out.
//!
//! Words must be cleaned before they are cut: half a key is not recognised any more.

use std::fmt::Write as _;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::endpoint::Endpoint;
use super::key::Key;

/// A shorter value is no secret, and taking it out would garble sentences.
const SHORTEST: usize = 6;

/// In an answer only longer values are taken out: `ollama` and `not-needed` stand in many variables for want of a key, and
/// in many answers as words.
const SHORTEST_IN_ANSWERS: usize = 12;

/// What stands where a secret was.
const MARK: &str = "[key]";

/// Pieces of a secret that a recording must not hold either: an endpoint may echo it piece by piece.
const FRAGMENT: usize = 8;

/// Of a secret this long, half of it is taken out of reports too, and no shorter piece than this.
const SHORTEST_CUT: usize = 16;
const SHORTEST_HALF: usize = 12;

/// Parts of the names under which addresses, headers and bodies carry keys.
const CREDENTIALS: [&str; 9] = ["key", "token", "secret", "sig", "auth", "passw", "pwd", "code", "credential"];

/// The secrets of one endpoint, in every form in which they may come back.
#[derive(Clone)]
pub(super) struct Scrubber {
    /// In lower case, because hosts and content types come back in lower case. The longest first.
    secrets: Vec<Vec<u8>>,
    /// Every stretch of [`FRAGMENT`] bytes of the secrets as they are.
    fragments: Vec<Vec<u8>>,
    /// Every stretch of half a secret: an endpoint may echo one without its beginning.
    halves: Vec<Vec<u8>>,
}

impl std::fmt::Debug for Scrubber {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "a scrubber of {} forms", self.secrets.len())
    }
}

impl Scrubber {
    /// For reports and recordings: whatever the endpoint was sent in headers is taken out.
    pub fn of(endpoint: &Endpoint) -> Self {
        let headers = endpoint.headers.iter().flat_map(|(_, value)| header_values(value.expose_secret()));
        Self::new(endpoint, headers, SHORTEST)
    }

    /// For what the model says: only what is surely a key is taken out. A header may also name this program or a site.
    pub fn of_answers(endpoint: &Endpoint) -> Self {
        let headers = endpoint.headers.iter().filter(|(name, value)| {
            let value = value.expose_secret();
            names_a_credential(name) || header_values(value).len() > 1 || looks_random(value)
        });
        let headers = headers.flat_map(|(_, value)| header_values(value.expose_secret()));
        Self::new(endpoint, headers, SHORTEST_IN_ANSWERS)
    }

    fn new(endpoint: &Endpoint, headers: impl Iterator<Item = String>, shortest: usize) -> Self {
        let mut found: Vec<String> = headers.collect();
        let key = endpoint.key.as_ref().and_then(Key::secret);
        found.extend(key.iter().map(|key| key.expose_secret().to_owned()));
        found.extend(in_query(endpoint.base_url()).flat_map(|(raw, decoded)| [raw, decoded]));
        if let Some(proxy) = endpoint.proxy.as_ref().and_then(|proxy| Url::parse(proxy.expose_secret()).ok()) {
            found.extend(proxy.password().map(decoded));
        }
        endpoint.extra_body.iter().for_each(|(name, value)| in_body(name, value, &mut found));
        let trimmed: Vec<&str> =
            found.iter().map(|secret| secret.trim()).filter(|secret| secret.len() >= shortest).collect();
        let lower = |text: &str| text.to_ascii_lowercase().into_bytes();
        let mut secrets: Vec<Vec<u8>> =
            trimmed.iter().flat_map(|secret| forms(secret)).map(|form| lower(&form)).collect();
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        let whole = trimmed.iter().filter(|secret| secret.len() >= 2 * FRAGMENT).map(|secret| lower(secret));
        let fragments = whole.flat_map(|secret| secret.windows(FRAGMENT).map(<[u8]>::to_vec).collect::<Vec<_>>());
        let fragments = fragments.collect();
        let long = trimmed.iter().filter(|secret| secret.len() >= SHORTEST_CUT).map(|secret| lower(secret));
        let halves = long.flat_map(|secret| {
            let half = secret.len().div_ceil(2).max(SHORTEST_HALF);
            secret.windows(half).map(<[u8]>::to_vec).collect::<Vec<_>>()
        });
        Self { fragments, halves: halves.collect(), secrets }
    }

    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// The words without secrets: those of the endpoint, and what any address in them carries.
    pub fn clean(&self, words: &str) -> String {
        let lower = words.to_ascii_lowercase();
        let mut spans = self.spans_to_the_end(lower.as_bytes());
        spans.extend(self.halves.iter().flat_map(|half| places(lower.as_bytes(), half)));
        spans.extend(parameters(&lower));
        marked(words, spans)
    }

    /// The words without secrets of the endpoint; any address in them is left as it is.
    pub fn clean_secrets(&self, words: &str) -> String {
        marked(words, self.spans_to_the_end(words.to_ascii_lowercase().as_bytes()))
    }

    /// Where secrets stand, and the beginning of one at the very end: it was cut off.
    fn spans_to_the_end(&self, lower: &[u8]) -> Vec<Range<usize>> {
        let mut spans = self.spans(lower);
        spans.extend(self.secrets.iter().filter_map(|secret| cut_off(lower, secret)));
        spans
    }

    /// The bytes with asterisks for secrets, so that everything keeps its place.
    pub fn mask(&self, bytes: &[u8]) -> Vec<u8> {
        let mut masked = bytes.to_vec();
        let lower = bytes.to_ascii_lowercase();
        let fragments = self.fragments.iter().flat_map(|fragment| places(&lower, fragment));
        for span in self.spans(&lower).into_iter().chain(fragments) {
            masked[span].fill(b'*');
        }
        masked
    }

    /// Where secrets stand in a text in lower case.
    pub fn spans(&self, lower: &[u8]) -> Vec<Range<usize>> {
        self.secrets.iter().flat_map(|secret| places(lower, secret)).collect()
    }

    /// How many bytes at the end of a text in lower case may be the beginning of a secret.
    pub fn open_end(&self, lower: &[u8]) -> usize {
        let begun = |secret: &Vec<u8>| {
            let longest = lower.len().min(secret.len().saturating_sub(1));
            (1..=longest).rev().find(|length| lower.ends_with(&secret[..*length])).unwrap_or(0)
        };
        self.secrets.iter().map(begun).max().unwrap_or(0)
    }
}

/// The words with a mark in place of each of these spans.
pub(super) fn marked(words: &str, mut spans: Vec<Range<usize>>) -> String {
    spans.sort_by_key(|span| (span.start, span.end));
    let (mut clean, mut done) = (String::with_capacity(words.len()), 0);
    for span in spans {
        if span.start >= done {
            clean.push_str(&words[done..span.start]);
            clean.push_str(MARK);
        }
        done = done.max(span.end);
    }
    clean.push_str(&words[done..]);
    clean
}

fn places(lower: &[u8], secret: &[u8]) -> Vec<Range<usize>> {
    memmem::find_iter(lower, secret).map(|start| start..start + secret.len()).collect()
}

/// Whether a value is no name or sentence: long, without spaces, with digits among its letters.
fn looks_random(value: &str) -> bool {
    value.len() >= 20
        && value.chars().all(|c| c.is_ascii_graphic())
        && value.chars().filter(char::is_ascii_digit).count() >= 3
        && !value.contains("://")
}

/// An address for people and files: what it carries as a key is hidden.
pub fn address(url: &Url) -> String {
    let mut shown = url.clone();
    if shown.password().is_some() {
        // Only an address without a host refuses, and that has no password.
        let _ = shown.set_password(Some("***"));
    }
    shown.set_query(url.query().map(hidden).as_deref());
    shown.to_string()
}

/// Words from outside without the keys that addresses in them carry.
pub fn words(text: &str) -> String {
    Scrubber { secrets: Vec::new(), fragments: Vec::new(), halves: Vec::new() }.clean(text)
}

/// A query whose keys are hidden, always in the same way, so that a recording fits whichever key is in use.
fn hidden(query: &str) -> String {
    let pair = |pair: &str| match pair.split_once('=') {
        Some((name, value)) if names_a_credential(name) && !value.is_empty() => format!("{name}=***"),
        _ => pair.to_owned(),
    };
    query.split('&').map(pair).collect::<Vec<_>>().join("&")
}

/// Whether something is called as keys are.
pub fn names_a_credential(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    CREDENTIALS.iter().any(|part| name.contains(part))
}

/// Whether requests to an endpoint carry a secret: a key; a header, a parameter or an extra field that is named like one; a
/// header that looks like one, or whose value came from the environment.
pub(super) fn carries_secret(endpoint: &Endpoint) -> bool {
    let mut in_extra = Vec::new();
    endpoint.extra_body.iter().for_each(|(name, value)| in_body(name, value, &mut in_extra));
    let is_secret = |(name, value): &(String, SecretString)| {
        let value = value.expose_secret();
        let named = names_a_credential(name) || name.eq_ignore_ascii_case("cookie");
        named || header_values(value).len() > 1 || looks_random(value)
    };
    endpoint.key.is_some()
        || endpoint.headers_from_environment
        || endpoint.headers.iter().any(is_secret)
        || in_query(endpoint.base_url()).next().is_some()
        || in_extra.iter().any(|value| value.len() >= SHORTEST)
}

/// A header's value, and what follows the word that names its scheme.
fn header_values(value: &str) -> Vec<String> {
    let scheme = |word: &str| ["bearer", "basic", "token", "apikey"].contains(&word.to_ascii_lowercase().as_str());
    let bare = value.trim().split_once(' ').filter(|(first, _)| scheme(first)).map(|(_, rest)| rest.to_owned());
    std::iter::once(value.to_owned()).chain(bare).collect()
}

/// The keys in an address, as they stand there and as they are meant.
fn in_query(url: &Url) -> impl Iterator<Item = (String, String)> {
    let pairs = url.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(name, _)| names_a_credential(name)).map(|(_, value)| (value.to_owned(), decoded(value)))
}

fn decoded(value: &str) -> String {
    let mut url = Url::parse("http://x/").map(|mut url| {
        url.set_query(Some(&format!("v={value}")));
        url
    });
    let found = url.as_mut().ok().and_then(|url| url.query_pairs().next().map(|(_, value)| value.into_owned()));
    found.unwrap_or_else(|| value.to_owned())
}

/// Texts in a request's extra fields that are named like keys.
fn in_body(name: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if names_a_credential(name) => found.push(text.clone()),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| in_body(name, value, found)),
        Value::Array(items) => items.iter().for_each(|item| in_body(name, item, found)),
        _ => {}
    }
}

/// A secret as it is, inside JSON, inside JSON of a server that escapes slashes, inside an address, and inside base64.
fn forms(secret: &str) -> Vec<String> {
    let json = serde_json::to_string(secret).unwrap_or_default().trim_matches('"').to_owned();
    let slashes = json.replace('/', "\\/");
    let mut percent = String::new();
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            percent.push(char::from(byte));
        } else {
            let _ = write!(percent, "%{byte:02x}");
        }
    }
    let hex = secret.bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let mut forms = vec![secret.to_owned(), json, slashes, percent, hex];
    forms.extend((0..3).flat_map(|shift| base64(secret, shift)));
    forms
}

/// A secret in base64, in both alphabets, where so many bytes stand before it: only the characters that depend on nothing
/// but the secret.
fn base64(secret: &str, shift: usize) -> Vec<String> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, shift).chain(secret.bytes()).collect();
    let (first, last) = ((shift * 8).div_ceil(6), bytes.len() * 8 / 6);
    let encoded = |engine: &GeneralPurpose| engine.encode(&bytes).get(first..last).unwrap_or_default().to_owned();
    let forms = [encoded(&STANDARD_NO_PAD), encoded(&URL_SAFE_NO_PAD)];
    forms.into_iter().filter(|form| form.len() >= FRAGMENT).collect()
}

/// Where words end in the beginning of a secret.
fn cut_off(lower: &[u8], secret: &[u8]) -> Option<Range<usize>> {
    let longest = (SHORTEST..secret.len()).rev().find(|length| lower.ends_with(&secret[..*length]))?;
    Some(lower.len() - longest..lower.len())
}

/// The values of `?api_key=` and the like, in whatever address stands in the words.
fn parameters(lower: &str) -> Vec<Range<usize>> {
    let ends = |c: char| c.is_whitespace() || "&\"'<>)]},;#".contains(c);
    let mut spans = Vec::new();
    for (at, _) in lower.match_indices(['?', '&']) {
        let rest = &lower[at + 1..];
        let Some((name, value)) = rest.split_once('=') else { continue };
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) || !names_a_credential(name) {
            continue;
        }
        let start = at + 1 + name.len() + 1;
        let length = value.find(ends).unwrap_or(value.len());
        if length > 0 && !value.starts_with("***") {
            spans.push(start..start + length);
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use secrecy::SecretString;
    use serde_json::json;

    use super::*;
    use crate::llm::endpoint::Provider;
    use crate::llm::key::KeySource;

    fn endpoint() -> Endpoint {
        let address = "https://h/v1?api-version=2024-02-01&api_key=query%2Bsecret";
        let mut endpoint = Endpoint::new("t", Provider::OpenAi, address, "m").expect("valid");
        endpoint = endpoint.with_key("sk/Se\"cret+1 \n", KeySource::Variable("KEY".to_owned()));
        endpoint.headers.push(("X-Auth".to_owned(), SecretString::from("Bearer header-secret")));
        endpoint.proxy = Some(SecretString::from("http://me:proxy%2Fsecret@proxy:3128"));
        endpoint.extra_body.insert("upstream".to_owned(), json!({ "api_key": "body-secret", "effort": "lowest" }));
        endpoint
    }

    #[test]
    fn secrets_are_found_in_every_form_in_which_they_come_back() {
        let scrubber = Scrubber::of(&endpoint());
        for echo in [
            "sk/Se\"cret+1",
            "sk/se\"cret+1",
            "sk/Se\\\"cret+1",
            "sk\\/Se\\\"cret+1",
            "sk%2FSe%22cret%2B1",
            "Bearer header-secret",
            "header-secret",
            "query%2Bsecret",
            "query+secret",
            "proxy/secret",
            "body-secret",
            // "sk/Se\"cret+1" by itself, after one byte and after two; the ends depend on what stands around it.
            "c2svU2UiY3JldCsx",
            "NrL1NlImNyZXQrM",
            "zay9TZSJjcmV0Kz",
        ] {
            assert_eq!(scrubber.clean(&format!("It was <{echo}>, no?")), "It was <[key]>, no?", "{echo}");
            let masked = scrubber.mask(echo.as_bytes());
            assert!(masked.iter().all(|byte| *byte == b'*') && masked.len() == echo.len(), "{echo}");
        }
        assert_eq!(scrubber.clean("the lowest effort of 2024-02-01"), "the lowest effort of 2024-02-01");
    }

    #[test]
    fn a_secret_that_was_cut_off_is_found_by_its_beginning() {
        let scrubber = Scrubber::of(&endpoint());
        assert_eq!(scrubber.clean("Wrong: header-sec"), "Wrong: [key]");
        assert_eq!(scrubber.clean("Wrong: head"), "Wrong: head");
    }

    #[test]
    fn addresses_lose_the_keys_they_carry_whosever_they_are() {
        let scrubber = Scrubber::of(&Endpoint::local_for_tests());
        let words = "no route to https://up/v1?version=3&Key=AIzaXYZ&alt=sse, (http://x?access_token=abc)";
        let clean = "no route to https://up/v1?version=3&Key=[key]&alt=sse, (http://x?access_token=[key])";
        assert_eq!(scrubber.clean(words), clean);
        let url = Url::parse("https://me:pw@h/v1?a=1&api_key=sk-1&sig=2&empty").expect("a URL");
        assert_eq!(address(&url), "https://me:***@h/v1?a=1&api_key=***&sig=***&empty");
    }

    #[test]
    fn a_key_without_its_beginning_or_in_hex_is_taken_out_of_reports() {
        let key = "sk-proj-Ab12Cd34Ef56Gh78";
        let endpoint = Endpoint::new("t", Provider::OpenAi, "https://h/v1", "m").expect("valid");
        let scrubber = Scrubber::of(&endpoint.with_key(key, KeySource::Variable("KEY".to_owned())));
        let hex = key.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        for echo in [&key[1..], &key[8..], &key[..key.len() - 3], &hex] {
            let clean = scrubber.clean(&format!("Wrong key {echo} for this model"));
            assert_eq!(clean, "Wrong key [key] for this model", "{echo}");
        }
    }
}
