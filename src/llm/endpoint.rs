//! An endpoint as the settings resolve it: where, which model, with which key, how patiently, at what price.

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::ChatError;
use super::key::{Key, KeySource};
use super::scrub::{self, Scrubber};
use super::terms::{Price, RetryPolicy, Timeouts};

/// The protocol an endpoint speaks.
///
/// Ollama's own protocol is deliberately absent: its OpenAI-compatible one streams, counts and takes schemas too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// OpenAI's chat completions, spoken by OpenAI, Ollama, llama.cpp, LM Studio, vLLM, LiteLLM, OpenRouter and others.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

impl Provider {
    /// The names accepted in settings.
    pub const NAMES: [&'static str; 2] = ["openai", "anthropic"];

    /// Reads a name as settings write it.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "openai" => Some(Self::OpenAi),
            "anthropic" => Some(Self::Anthropic),
            _ => None,
        }
    }

    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// Where this provider itself is reached.
    pub fn default_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }
}

/// An endpoint with everything that is needed to call it. `Debug` shows no secret.
#[derive(Clone)]
pub struct Endpoint {
    /// The profile's name, for messages.
    pub name: String,
    /// The protocol it speaks.
    pub provider: Provider,
    /// The base URL; private so that it is always valid and free of passwords.
    base_url: Url,
    /// The model.
    pub model: String,
    /// The key, if it needs one.
    pub key: Option<Key>,
    /// The variable that should hold the key, when it is not set.
    pub key_variable: Option<String>,
    /// More headers. Their values may be secrets too.
    pub headers: Vec<(String, SecretString)>,
    /// Whether one of these values came from the environment, where people keep secrets.
    pub headers_from_environment: bool,
    /// How long each part of a call may take.
    pub timeouts: Timeouts,
    /// How often to try again.
    pub retry: RetryPolicy,
    /// The proxy's URL, which may hold a password. Without it the system's proxy settings hold.
    pub proxy: Option<SecretString>,
    /// Whether secrets may be sent unencrypted to another machine.
    pub insecure_http: bool,
    /// What it charges.
    pub price: Option<Price>,
    /// How many tokens the model takes.
    pub context_window: Option<u32>,
    /// The longest answer when a request sets none and one must be set: Anthropic demands it, a budget is computed with it.
    pub max_output_tokens: u32,
    /// The largest answer in bytes; beyond it the connection is closed.
    pub max_reply_bytes: usize,
    /// Fields added to every request body, such as `reasoning_effort`.
    pub extra_body: Map<String, Value>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Endpoint");
        shown.field("name", &self.name).field("provider", &self.provider).field("address", &self.address());
        shown.field("model", &self.model).field("key", &self.key_source()).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Builds an endpoint with defaults for everything but the essentials.
    pub fn new(name: &str, provider: Provider, base_url: &str, model: &str) -> Result<Self, ChatError> {
        let unusable = |detail: String| ChatError::Unusable { name: name.to_owned(), detail };
        let mut url = Url::parse(base_url.trim()).map_err(|error| {
            unusable(format!("its address is not a URL ({error}); one looks like http://127.0.0.1:11434/v1"))
        })?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(unusable("its address must begin with http:// or https://".to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(unusable("its address holds a password; put the key into a variable instead".to_owned()));
        }
        url.set_fragment(None);
        url.set_path(&base_path(provider, url.path()));
        Ok(Self {
            name: name.to_owned(),
            provider,
            base_url: url,
            model: model.to_owned(),
            key: None,
            key_variable: None,
            headers: Vec::new(),
            headers_from_environment: false,
            timeouts: Timeouts::default(),
            retry: RetryPolicy::default(),
            proxy: None,
            insecure_http: false,
            price: None,
            context_window: None,
            max_output_tokens: 4096,
            max_reply_bytes: 8 << 20,
            extra_body: Map::new(),
        })
    }

    /// Sets the key.
    #[must_use]
    pub fn with_key(mut self, secret: impl Into<String>, source: KeySource) -> Self {
        self.key = Some(Key { secret: SecretString::from(secret.into()), source });
        self
    }

    /// The base URL, with the version in its path.
    pub fn base_url(&self) -> &Url {
        &self.base_url
    }

    /// Where chat requests go.
    pub fn chat_url(&self) -> Url {
        self.url(match self.provider {
            Provider::OpenAi => "chat/completions",
            Provider::Anthropic => "messages",
        })
    }

    /// Where the models are listed.
    pub fn models_url(&self) -> Url {
        self.url("models")
    }

    fn url(&self, tail: &str) -> Url {
        let mut url = self.base_url.clone();
        url.set_path(&format!("{}/{tail}", self.base_url.path()));
        url
    }

    /// Host and port, for messages.
    pub fn host(&self) -> String {
        let host = self.base_url.host_str().unwrap_or_default();
        self.base_url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Says whether the endpoint runs on this machine, where tokens cost nothing.
    pub fn is_local(&self) -> bool {
        is_here(&self.base_url)
    }

    /// Who could read along what is sent over plain http: the endpoint on another machine, or a proxy on one.
    pub(super) fn read_along_by(&self) -> Option<String> {
        if self.base_url.scheme() != "http" {
            return None;
        }
        let proxy = self.proxy.as_ref().and_then(|proxy| Url::parse(proxy.expose_secret()).ok());
        match proxy {
            _ if !self.is_local() => Some(self.host()),
            Some(proxy) if !is_here(&proxy) => Some(format!("the proxy {}", self.proxy_name())),
            _ => None,
        }
    }

    /// The price to count with: the configured one, or nothing for a local endpoint.
    pub fn effective_price(&self) -> Option<Price> {
        self.price.or_else(|| self.is_local().then(Price::default))
    }

    /// Where the key came from.
    pub fn key_source(&self) -> KeySource {
        let expected = || self.key_variable.clone().map_or(KeySource::Missing, KeySource::Unset);
        self.key.as_ref().map_or_else(expected, |key| key.source.clone())
    }

    /// The proxy without its password, for messages.
    pub fn proxy_name(&self) -> String {
        let url = self.proxy.as_ref().and_then(|proxy| Url::parse(proxy.expose_secret()).ok());
        let host = url.as_ref().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)));
        host.map_or_else(|| "of the system".to_owned(), |(host, port)| format!("{host}:{port}"))
    }

    /// The base URL for people: what it carries as a key is hidden.
    pub fn address(&self) -> String {
        scrub::address(&self.base_url)
    }

    /// Removes the endpoint's secrets from words that came from outside. Before they are cut, not after.
    pub(super) fn scrub(&self, words: &str) -> String {
        Scrubber::of(self).clean(words)
    }

    #[cfg(test)]
    pub(crate) fn local_for_tests() -> Self {
        Self::new("test", Provider::OpenAi, "http://127.0.0.1:9/v1", "m").expect("a valid endpoint")
    }
}

fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Completes the path people leave out or paste too much of.
fn base_path(provider: Provider, path: &str) -> String {
    let path = path.trim_end_matches('/');
    let path = ["/chat/completions", "/messages"].iter().find_map(|tail| path.strip_suffix(tail)).unwrap_or(path);
    match provider {
        Provider::OpenAi if path.is_empty() => "/v1".to_owned(),
        Provider::Anthropic if !path.ends_with("/v1") => format!("{path}/v1"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn addresses_are_completed_the_way_people_write_them() {
        for (provider, given, chat) in [
            (Provider::OpenAi, "http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"),
            (Provider::OpenAi, "http://h/v1/", "http://h/v1/chat/completions"),
            (Provider::OpenAi, "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
            (Provider::OpenAi, "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
            (
                Provider::OpenAi,
                "https://h/openai/v1?api-version=2",
                "https://h/openai/v1/chat/completions?api-version=2",
            ),
            (Provider::Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
            (Provider::Anthropic, "https://h/v1/messages", "https://h/v1/messages"),
        ] {
            let endpoint = Endpoint::new("t", provider, given, "m").expect("valid");
            assert_eq!(endpoint.chat_url().as_str(), chat, "{given}");
        }
    }

    #[test]
    fn addresses_that_cannot_work_are_refused_with_a_reason() {
        for (given, words) in [
            ("localhost:1234", "must begin with http"),
            ("", "not a URL"),
            ("ftp://h", "must begin with http"),
            ("https://me:secret@h/v1", "holds a password"),
        ] {
            let error = Endpoint::new("t", Provider::OpenAi, given, "m").expect_err(given).to_string();
            assert!(error.contains(words) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn keys_and_header_values_are_never_printed() {
        let mut endpoint = Endpoint::local_for_tests().with_key("sk-secret-1", KeySource::Variable("KEY".to_owned()));
        endpoint.headers.push(("X-Auth".to_owned(), SecretString::from("sk-secret-2")));
        endpoint.proxy = Some(SecretString::from("http://me:sk-secret-3@proxy:3128"));
        let shown = format!("{endpoint:?} {} {}", endpoint.proxy_name(), endpoint.key_source());
        assert!(!shown.contains("sk-secret"), "{shown}");
        assert_eq!(endpoint.scrub("Incorrect key sk-secret-1, sk-secret-2"), "Incorrect key [key], [key]");
    }
}
