//! Why a call failed, a variant for each thing that can be done about it.

use std::time::Duration;

use super::endpoint::Endpoint;
use super::key::KeySource;
use super::spend::BudgetReached;

/// A failed call. Its text is a sentence for the person: what happened, to what, what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChatError {
    // Reaching the endpoint.
    /// Nothing answers at the address.
    #[error(
        "Could not connect to {host} ({detail}): check that the endpoint is running and that its address is right."
    )]
    Connect {
        /// Host and port.
        host: String,
        /// The system's words.
        detail: String,
    },
    /// The host's name has no address.
    #[error("The name {host} could not be resolved: check the endpoint's address and the network.")]
    Dns {
        /// The name.
        host: String,
    },
    /// No secure connection could be made.
    #[error(
        "No secure connection to {host} ({detail}): check that the address should begin with https, and the system's certificates and clock."
    )]
    Tls {
        /// Host and port.
        host: String,
        /// What was wrong.
        detail: String,
    },
    /// The proxy refused or could not be reached.
    #[error(
        "The proxy {proxy} did not let the request through ({detail}): check `proxy` in the settings or HTTPS_PROXY."
    )]
    Proxy {
        /// The proxy, without its password.
        proxy: String,
        /// What was wrong.
        detail: String,
    },
    /// The endpoint took too long to accept, to begin, or altogether.
    #[error("{host} gave no {phase} within {}: the endpoint may be busy; raise `timeouts.{}` if it is only slow.", seconds(.after), .phase.setting())]
    Timeout {
        /// Host and port.
        host: String,
        /// What was waited for.
        phase: TimeoutPhase,
        /// How long.
        after: Duration,
    },

    // The endpoint's verdict.
    /// 401, or another answer that names the key as its reason: the key is missing or wrong.
    #[error("The endpoint answered {status}{}: {}.", about_key(*.status), key_advice(.key))]
    Unauthorized {
        /// The status. Gateways also answer 400, 500 or 200.
        status: u16,
        /// Where the key came from.
        key: KeySource,
    },
    /// The endpoint wants a key, and the variable that is to hold it is not set: nothing was sent.
    #[error("There is no key for {host}: {variable} is not set; put the key there.")]
    KeyUnset {
        /// Host and port.
        host: String,
        /// The variable.
        variable: String,
    },
    /// 403: the key is known but may not do this.
    #[error(
        "The endpoint answered 403 ({detail}): {key} is not allowed to use the model {model}; ask for access or choose another model."
    )]
    Forbidden {
        /// Where the key came from.
        key: KeySource,
        /// The model asked for.
        model: String,
        /// The endpoint's words.
        detail: String,
    },
    /// 404: the endpoint does not have the model.
    #[error("The endpoint does not know the model {model} ({detail}): check its name with `elenchus doctor`.")]
    ModelNotFound {
        /// The model asked for.
        model: String,
        /// The endpoint's words.
        detail: String,
    },
    /// 404 or a redirect: there is no chat API at this address.
    #[error(
        "There is no chat API at {url} (the answer was {status}): check the endpoint's address; it usually ends in /v1."
    )]
    WrongAddress {
        /// What was asked.
        url: String,
        /// The status.
        status: u16,
    },
    /// 402 or an exhausted quota: waiting does not help.
    #[error("The account of this endpoint has no credit left ({detail}): top it up or choose another profile.")]
    OutOfCredit {
        /// The endpoint's words.
        detail: String,
    },
    /// The conversation is too long for the model: the caller shortens it and asks again.
    #[error("The conversation is too long for the model{} ({detail}): choose one that takes more, or have its server give it a larger context.", window(*.limit))]
    ContextOverflow {
        /// The model's context window in tokens, where the endpoint says it.
        limit: Option<u64>,
        /// The endpoint's words.
        detail: String,
    },
    /// 429: too many requests or tokens.
    #[error("The endpoint asks for a pause (429: {detail}): {}.", pause(*.retry_after))]
    RateLimited {
        /// How long, if the endpoint says.
        retry_after: Option<Duration>,
        /// The endpoint's words.
        detail: String,
    },
    /// 408, 409, 425 or 5xx: trouble on the endpoint's side.
    #[error("The endpoint is in trouble ({status}: {detail}): try again in a moment.")]
    Server {
        /// The status.
        status: u16,
        /// How long to wait, if the endpoint says.
        retry_after: Option<Duration>,
        /// The endpoint's words.
        detail: String,
    },
    /// Any other refusal of the request as such.
    #[error("The endpoint did not accept the request ({status}: {detail}).")]
    Rejected {
        /// The status.
        status: u16,
        /// The endpoint's words.
        detail: String,
    },

    // The answer on its way.
    /// The connection ended in the middle of the answer.
    #[error("{}: the connection to {host} was lost; try again.", broken_off(*.received))]
    StreamCut {
        /// Host and port.
        host: String,
        /// Characters received by then.
        received: usize,
    },
    /// Nothing came for too long in the middle of the answer.
    #[error("The answer stalled: {host} sent nothing for {}; try again, or raise `timeouts.stall` if it is only slow.", seconds(.after))]
    Stalled {
        /// Host and port.
        host: String,
        /// How long.
        after: Duration,
    },
    /// The stream is not what the protocol says.
    #[error("The endpoint's stream makes no sense ({detail}): check that `provider` matches the endpoint.")]
    MalformedStream {
        /// What was wrong.
        detail: String,
    },
    /// The answer is of a kind no chat API sends.
    #[error("The endpoint answered with {content_type} instead of a chat: check its address and `provider`.")]
    WrongContentType {
        /// The kind.
        content_type: String,
    },
    /// A web page came instead of an answer: a login page of the network, or a website's address.
    #[error("A web page{} came instead of an answer: sign in to the network, or check the endpoint's address.", titled(.title))]
    WebPage {
        /// The page's title.
        title: String,
    },

    // The answer itself.
    /// The model said nothing.
    #[error("The model {model} gave an empty answer: try again, or choose another model.")]
    Empty {
        /// The model.
        model: String,
    },
    /// The model called tools that it was not given, and said nothing.
    #[error(
        "The model {model} called tools that it was not given, and wrote no answer: try again, or choose another model."
    )]
    OnlyCalls {
        /// The model.
        model: String,
    },
    /// The model or a filter declined, and nothing usable came.
    #[error("The model declined to answer{}: rephrase, or choose another model.", because(.reason))]
    Refused {
        /// Its words.
        reason: String,
    },
    /// The limit of output tokens was reached before the answer was usable.
    #[error("The answer was cut at {limit} tokens before it was complete: raise `max_output_tokens`.")]
    LengthCut {
        /// The tokens it had produced.
        limit: u64,
        /// What had come by then.
        text: String,
    },
    /// The answer is larger than anything useful.
    #[error("The endpoint sent more than {limit} bytes for one answer; it was stopped there.")]
    Oversize {
        /// The cap.
        limit: usize,
    },
    /// Data was asked for and prose came, by every means the endpoint has.
    #[error("The model {model} did not answer in the form asked for: try a larger model for this role.")]
    NotStructured {
        /// The model.
        model: String,
        /// What it wrote.
        text: String,
    },

    // Ours.
    /// The budget does not allow the call; nothing was sent.
    #[error(transparent)]
    Budget(#[from] BudgetReached),
    /// The call was called off. Dropping the future cancels without any error; this is for callers that pass it on.
    #[error("The call was cancelled.")]
    Cancelled,
    /// The endpoint's settings cannot work.
    #[error("The endpoint `{name}` cannot be used: {detail}.")]
    Unusable {
        /// The profile's name.
        name: String,
        /// Why.
        detail: String,
    },
    /// A replay has no recording of this request.
    #[error("No recording of this request. {nearest}")]
    NotRecorded {
        /// The nearest recording and where it differs.
        nearest: String,
    },
}

/// What a timeout waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// The connection.
    Connect,
    /// The first byte of an answer.
    FirstByte,
    /// The end of the answer.
    Total,
}

impl TimeoutPhase {
    fn setting(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::FirstByte => "first_byte",
            Self::Total => "total",
        }
    }
}

impl std::fmt::Display for TimeoutPhase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "connection",
            Self::FirstByte => "sign of an answer",
            Self::Total => "complete answer",
        })
    }
}

impl ChatError {
    /// Says whether the same request may well succeed a little later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Connect { .. }
                | Self::Dns { .. }
                | Self::Timeout { .. }
                | Self::RateLimited { .. }
                | Self::Server { .. }
                | Self::StreamCut { .. }
                | Self::Stalled { .. }
                | Self::Empty { .. }
                | Self::OnlyCalls { .. }
        )
    }

    /// How long the endpoint asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
    /// What the model wrote, where it wrote something else than was asked for.
    pub fn answer(&self) -> Option<&str> {
        match self {
            Self::LengthCut { text, .. } | Self::NotStructured { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Says whether the endpoint works and only this answer is of no use: a caller that can do without it goes on.
    pub fn is_about_the_answer(&self) -> bool {
        matches!(
            self,
            Self::Empty { .. }
                | Self::OnlyCalls { .. }
                | Self::Refused { .. }
                | Self::LengthCut { .. }
                | Self::Oversize { .. }
                | Self::NotStructured { .. }
        )
    }

    /// The same without the endpoint's secrets, whichever of its words they stand in. What the model itself wrote has
    /// lost them on its way.
    #[must_use]
    pub(super) fn scrubbed(mut self, endpoint: &Endpoint) -> Self {
        let words = match &mut self {
            Self::Connect { detail, .. }
            | Self::Tls { detail, .. }
            | Self::Proxy { detail, .. }
            | Self::Forbidden { detail, .. }
            | Self::ModelNotFound { detail, .. }
            | Self::OutOfCredit { detail }
            | Self::ContextOverflow { detail, .. }
            | Self::RateLimited { detail, .. }
            | Self::Server { detail, .. }
            | Self::Rejected { detail, .. }
            | Self::MalformedStream { detail }
            | Self::Unusable { detail, .. } => detail,
            Self::WrongAddress { url, .. } => url,
            Self::WrongContentType { content_type } => content_type,
            Self::WebPage { title } => title,
            Self::Refused { reason } => reason,
            Self::Empty { model } | Self::OnlyCalls { model } | Self::NotStructured { model, .. } => model,
            Self::NotRecorded { nearest } => nearest,
            Self::Dns { .. }
            | Self::Timeout { .. }
            | Self::Unauthorized { .. }
            | Self::KeyUnset { .. }
            | Self::StreamCut { .. }
            | Self::Stalled { .. }
            | Self::LengthCut { .. }
            | Self::Oversize { .. }
            | Self::Budget(_)
            | Self::Cancelled => return self,
        };
        *words = endpoint.scrub(words);
        self
    }

    /// Says whether a shorter context would help: the caller shrinks it and asks again.
    pub fn is_context_overflow(&self) -> bool {
        matches!(self, Self::ContextOverflow { .. })
    }
}

fn seconds(duration: &Duration) -> String {
    format!("{} s", duration.as_secs_f32().ceil())
}

/// Only of 401 it is known that it is about the key.
fn about_key(status: u16) -> &'static str {
    if status == 401 { "" } else { " and does not accept the key" }
}

fn key_advice(key: &KeySource) -> String {
    match key {
        KeySource::Unset(name) => format!("{name} is not set; put the key there"),
        KeySource::Missing => "no key is set; set ELENCHUS_API_KEY or name a variable with `key_env`".to_owned(),
        source => format!("check {source}"),
    }
}

fn window(limit: Option<u64>) -> String {
    limit.map_or_else(String::new, |limit| format!(", which takes {limit} tokens"))
}

fn broken_off(received: usize) -> String {
    match received {
        0 => "No answer came".to_owned(),
        received => format!("The answer broke off after {received} characters"),
    }
}

/// A pause as people say it.
fn at_length(wait: Duration) -> String {
    match wait.as_secs() {
        0..120 => seconds(&wait),
        more @ 120..7_200 => format!("{} minutes", more.div_ceil(60)),
        more => format!("{} hours", more.div_ceil(3_600)),
    }
}

fn pause(wait: Option<Duration>) -> String {
    wait.map_or_else(|| "try again in a moment".to_owned(), |wait| format!("try again in {}", at_length(wait)))
}

fn titled(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!(" (\"{title}\")") }
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" (\"{reason}\")") }
}
