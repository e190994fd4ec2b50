//! Sends requests and delivers answers chunk by chunk: over the network, with a recording made of it, or from recordings.

use std::error::Error as _;
use std::sync::Arc;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Method, Url};
use secrecy::ExposeSecret;

use super::adapter;
use super::endpoint::Endpoint;
use super::error::{ChatError, TimeoutPhase};
use super::record::{Playback, Recorder, Recordings, Tape};
use super::scrub;
use super::status::legible;

/// A request without its secrets, which only the network sees.
pub(super) struct Outgoing {
    pub method: Method,
    pub url: Url,
    pub body: Vec<u8>,
}

/// An answer whose body is still to be read.
pub(super) struct Incoming {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Body,
}

/// The connection was lost in the middle of a body.
#[derive(Debug)]
pub(super) struct Lost;

/// A body, read chunk by chunk. Dropping it closes the connection.
pub(super) enum Body {
    Live(reqwest::Response),
    Taped(reqwest::Response, Box<Tape>),
    Replayed(Playback),
}

impl Body {
    /// Waits for the next chunk; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Lost> {
        match self {
            Self::Live(response) => response.chunk().await.map_err(|_| Lost),
            Self::Taped(response, tape) => {
                let chunk = response.chunk().await.map_err(|_| Lost)?;
                match &chunk {
                    Some(bytes) => tape.push(bytes),
                    None => tape.complete(),
                }
                Ok(chunk)
            }
            Self::Replayed(playback) => playback.next_chunk().map_err(|_| Lost),
        }
    }
}

/// How a client reaches its endpoint.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    http: reqwest::Client,
    headers: HeaderMap,
    tape: Deck,
}

#[derive(Debug, Clone)]
enum Deck {
    Off,
    Recording(Arc<Recorder>),
    Replaying(Arc<Recordings>),
}

impl Transport {
    pub fn new(endpoint: &Endpoint) -> Result<Self, ChatError> {
        let unusable = |detail: String| ChatError::Unusable { name: endpoint.name.clone(), detail };
        let reader = endpoint.read_along_by().filter(|_| !endpoint.insecure_http && scrub::carries_secret(endpoint));
        if let Some(host) = reader {
            return Err(unusable(format!(
                "it would send your key unencrypted to {host}; use https://, or set `insecure_http = true` in its profile"
            )));
        }
        let headers = headers(endpoint).map_err(unusable)?;
        key_header(endpoint).map_err(unusable)?;
        let proxy = proxy(endpoint).map_err(unusable)?;
        let http = build(endpoint, proxy.clone(), false)
            // A bare container has no certificates, which fails even for plain HTTP; Mozilla's own list then serves.
            .or_else(|_| build(endpoint, proxy, true))
            .map_err(|error| unusable(innermost(&error)))?;
        Ok(Self { http, headers, tape: Deck::Off })
    }

    /// Whether requests go to the network and nowhere else.
    pub fn is_live(&self) -> bool {
        matches!(self.tape, Deck::Off)
    }

    pub fn record(&mut self, recorder: Arc<Recorder>) {
        self.tape = Deck::Recording(recorder);
    }

    pub fn replay(&mut self, recordings: Arc<Recordings>) {
        self.tape = Deck::Replaying(recordings);
    }

    /// Sends a request and returns as soon as the answer's head is there.
    pub async fn send(&self, endpoint: &Endpoint, outgoing: Outgoing) -> Result<Incoming, ChatError> {
        match &self.tape {
            Deck::Replaying(recordings) => recordings.play(endpoint, &outgoing),
            Deck::Off => {
                let response = self.request(endpoint, outgoing).await?;
                let (status, headers) = (response.status().as_u16(), response.headers().clone());
                Ok(Incoming { status, headers, body: Body::Live(response) })
            }
            Deck::Recording(recorder) => {
                let mut tape = Tape::begin(Arc::clone(recorder), endpoint, &outgoing);
                let response = self.request(endpoint, outgoing).await?;
                let (status, headers) = (response.status().as_u16(), response.headers().clone());
                tape.answered(status, &headers);
                Ok(Incoming { status, headers, body: Body::Taped(response, Box::new(tape)) })
            }
        }
    }

    async fn request(&self, endpoint: &Endpoint, outgoing: Outgoing) -> Result<reqwest::Response, ChatError> {
        let unusable = |detail: String| ChatError::Unusable { name: endpoint.name.clone(), detail };
        let mut headers = self.headers.clone();
        headers.extend(key_header(endpoint).map_err(unusable)?);
        let request = self.http.request(outgoing.method, outgoing.url).headers(headers).body(outgoing.body);
        request.send().await.map_err(|error| unreachable(endpoint, &error))
    }
}

fn build(endpoint: &Endpoint, proxy: Option<reqwest::Proxy>, own_roots: bool) -> reqwest::Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("elenchus/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(endpoint.timeouts.connect)
        // Following a redirect would carry the key to a place nobody configured.
        .redirect(Policy::none());
    if endpoint.is_local() {
        // Small servers close a connection just when it is used again; a new one costs nothing here.
        builder = builder.pool_max_idle_per_host(0);
    }
    builder = match proxy {
        Some(proxy) => builder.proxy(proxy),
        // A proxy for the outside world has no business between two programs of one machine.
        None if endpoint.is_local() => builder.no_proxy(),
        None => builder,
    };
    if own_roots {
        let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
        builder = builder.tls_certs_only(roots.filter_map(|der| reqwest::Certificate::from_der(der).ok()));
    }
    builder.build()
}

fn proxy(endpoint: &Endpoint) -> Result<Option<reqwest::Proxy>, String> {
    let Some(url) = &endpoint.proxy else { return Ok(None) };
    reqwest::Proxy::all(url.expose_secret()).map(Some).map_err(|_| "its `proxy` is not a URL".to_owned())
}

fn headers(endpoint: &Endpoint) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    if let Some((name, value)) = adapter::of(endpoint.provider).version {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in &endpoint.headers {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is not a header's name"))?;
        let value = secret_value(value.expose_secret());
        headers.insert(header, value.ok_or_else(|| format!("the header `{name}` has a value that cannot be sent"))?);
    }
    Ok(headers)
}

/// The header with the key, if the key is here.
fn key_header(endpoint: &Endpoint) -> Result<Option<(HeaderName, HeaderValue)>, String> {
    let Some((key, secret)) = endpoint.key.as_ref().and_then(|key| Some((key, key.secret()?))) else {
        return Ok(None);
    };
    let (name, prefix) = adapter::of(endpoint.provider).key_header;
    let value = secret_value(&format!("{prefix}{}", secret.expose_secret().trim()));
    let value = value.ok_or_else(|| format!("{} has characters no key has", key.source))?;
    Ok(Some((HeaderName::from_static(name), value)))
}

fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Says why no answer came at all.
fn unreachable(endpoint: &Endpoint, error: &reqwest::Error) -> ChatError {
    let (host, detail) = (endpoint.host(), innermost(error));
    let chain = chain(error).to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| chain.contains(word));
    if endpoint.proxy.is_some() && error.is_connect() || says(&["tunnel", "proxy"]) {
        ChatError::Proxy { proxy: endpoint.proxy_name(), detail }
    } else if error.is_dns() {
        ChatError::Dns { host }
    } else if error.is_connect() && error.is_timeout() {
        ChatError::Timeout { host, phase: TimeoutPhase::Connect, after: endpoint.timeouts.connect }
    } else if error.is_connect() && says(&["certificate", "tls", "handshake", "corrupt message", "ssl"]) {
        ChatError::Tls { host, detail }
    } else if error.is_connect() {
        ChatError::Connect { host, detail }
    } else if error.is_builder() {
        ChatError::Unusable { name: endpoint.name.clone(), detail }
    } else {
        ChatError::StreamCut { host, received: 0 }
    }
}

fn chain(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut next = error.source();
    while let Some(source) = next {
        words.push(source.to_string());
        next = source.source();
    }
    words.join(": ")
}

/// The first cause: the outer layers only say that something failed.
fn innermost(error: &reqwest::Error) -> String {
    let mut deepest = error.source();
    while let Some(next) = deepest.and_then(std::error::Error::source) {
        deepest = Some(next);
    }
    legible(&deepest.map_or_else(|| "the request could not be built".to_owned(), ToString::to_string))
}
