//! An endpoint as the settings resolve it: where, which model, with which key, how patiently, at what price.

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::adapter;
use super::error::ChatError;
use super::key::{Key, KeySource};
use super::scrub::{self, Scrubber};
use super::terms::{Price, RetryPolicy, Timeouts};
use crate::engine::this_machine::is_this_machine;

/// Declares the protocols, so that none can be missing from the list of all.
macro_rules! protocols {
    ($( #[doc = $doc:literal] $name:ident, )*) => {
        /// The protocol an endpoint speaks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Provider { $( #[doc = $doc] $name, )* }

        impl Provider {
            /// All of them.
            pub(crate) const ALL: &'static [Self] = &[$( Self::$name, )*];
        }
    };
}
protocols! {
    /// OpenAI's chat completions, spoken by nearly every server and gateway.
    OpenAi,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own: unlike its chat completions it takes the size of the context window.
    Ollama,
}

/// The longest answer where neither a request nor the settings say one, in tokens.
const LONGEST_ANSWER: u32 = 4096;

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
    /// Whether the beginning of a request is sent ahead while the user writes; `None` does so on this machine only.
    pub warm_up: Option<bool>,
    /// Whether the model is a small one that needs short prompts and help from rules; `None` leaves that to be found out.
    pub small_model: Option<bool>,
    /// The longest answer in tokens, where the settings give one: no request asks for more.
    pub max_output_tokens: Option<u32>,
    /// The largest answer in bytes; beyond it the connection is closed.
    pub max_reply_bytes: usize,
    /// Fields added to every request body, such as `reasoning_effort`.
    pub extra_body: Map<String, Value>,
}

/// The window that Ollama is asked for where the settings name none: its own is so small that it would cut off the
/// beginning of every prompt in silence.
const OLLAMA_WINDOW: u32 = 16_384;

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
        url.set_path(&(adapter::of(provider).base_path)(url.path()));
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
            warm_up: None,
            small_model: None,
            max_output_tokens: None,
            max_reply_bytes: 8 << 20,
            extra_body: Map::new(),
        })
    }

    /// Sets the key.
    #[must_use]
    pub fn with_key(mut self, secret: impl Into<String>, source: KeySource) -> Self {
        self.key = Some(Key::new(secret, source));
        self
    }

    /// The base URL, with the version in its path.
    pub fn base_url(&self) -> &Url {
        &self.base_url
    }

    /// Where chat requests go.
    pub fn chat_url(&self) -> Url {
        self.url(adapter::of(self.provider).chat_path)
    }

    /// Where the models are listed.
    pub fn models_url(&self) -> Url {
        self.url(adapter::of(self.provider).models_path)
    }

    fn url(&self, tail: &str) -> Url {
        let mut url = self.base_url.clone();
        url.set_path(&format!("{}/{tail}", self.base_url.path().trim_end_matches('/')));
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

    /// How many tokens fit into a request, where that is known: as the settings say, or as many as are asked for where a
    /// server would take far fewer by itself.
    pub fn window(&self) -> Option<u32> {
        self.context_window.or((self.provider == Provider::Ollama).then_some(OLLAMA_WINDOW))
    }

    /// Whether its tokens cost nothing: it runs on this machine, and no price says otherwise.
    pub fn is_free(&self) -> bool {
        self.is_local() && self.price.is_none()
    }

    /// The longest answer to count with when a request sets none: Anthropic demands one, a budget is computed with it.
    pub fn longest_answer(&self) -> u32 {
        self.max_output_tokens.unwrap_or(LONGEST_ANSWER)
    }

    /// Has the key ready, where a command has to print it first. An endpoint elsewhere whose key should be in a variable that
    /// is not set would only refuse.
    pub(super) async fn prepare_key(&self) -> Result<(), ChatError> {
        let Some(key) = &self.key else {
            let variable = self.key_variable.clone().filter(|_| !self.is_local());
            return variable.map_or(Ok(()), |variable| Err(ChatError::KeyUnset { host: self.host(), variable }));
        };
        key.fetch().await.map_err(|detail| ChatError::Unusable { name: self.name.clone(), detail })
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
    url.host_str().is_some_and(is_this_machine)
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
            (Provider::Responses, "https://api.openai.com", "https://api.openai.com/v1/responses"),
            (Provider::Responses, "https://h/openai/v1/responses", "https://h/openai/v1/responses"),
            (Provider::Ollama, "http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat"),
            (Provider::Ollama, "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/api/chat"),
            (Provider::Ollama, "https://h/ollama/api/chat", "https://h/ollama/api/chat"),
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
