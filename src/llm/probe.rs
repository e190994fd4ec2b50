//! Tests an endpoint and says what works, for `elenchus doctor`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde_json::{Value, json};

use super::chat::{ChatEvent, ChatMessage, ChatReply, ChatRequest, Latency, OutputSchema, Usage};
use super::client::Client;
use super::error::ChatError;
use super::key::KeySource;
use super::probe_hearing::{Hearing, hearing};
use super::probe_tools::tool_request;
use super::size;
use super::structured::Means;
use super::tokens;

/// Enough for a model that thinks before it counts to five.
pub(super) const PROBE_TOKENS: u32 = 256;

/// Enough for a report on one sentence.
const REPORT_TOKENS: u32 = 1_000;

const UNTESTED: &str = "not tested";

/// The outcome of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "detail")]
pub enum Check {
    /// It works; the words say how.
    Works(String),
    /// It does not; the words say why and what to do.
    Fails(String),
    /// It could not be found out; the words say why.
    Unknown(String),
}

impl Check {
    /// Says whether the check succeeded.
    pub fn works(&self) -> bool {
        matches!(self, Self::Works(_))
    }

    /// Whether nothing has been found out about it yet.
    pub fn is_untested(&self) -> bool {
        matches!(self, Self::Unknown(words) if words == UNTESTED)
    }
}

/// What works at an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeReport {
    /// The profile.
    pub endpoint: String,
    /// Its base URL, without keys.
    pub base_url: String,
    /// The model asked for.
    pub model: String,
    /// Something answers at the address.
    pub reachable: Check,
    /// The key, or the lack of one, is accepted.
    pub key: Check,
    /// The endpoint has the model.
    pub model_known: Check,
    /// Answers arrive in pieces.
    pub streaming: Check,
    /// Data can be had by JSON Schema.
    pub json_schema: Check,
    /// The means that delivered data, when one did.
    pub structured: Option<Means>,
    /// The endpoint counts tokens.
    pub usage: Check,
    /// Two requests are served at once.
    pub at_once: Check,
    /// Tools are taken, called, and what they bring is taken back.
    pub tools: Check,
    /// The model is large enough to do without help.
    pub size: Check,
    /// The models it offers, where it lists them.
    pub models: Vec<String>,
    /// How fast it was.
    pub latency: Option<Latency>,
    /// What the probe consumed, call by call.
    pub spent: Vec<Usage>,
}

/// A report as a conversation asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The engine that asks for it.
    pub engine: String,
    /// What stands before the conversation.
    pub system: String,
    /// What a user says.
    pub said: String,
    /// Whether that tells something that a report must have.
    pub tells: bool,
    /// What is asked for instead of an answer.
    pub report: String,
    pub schema: Arc<Value>,
}

/// Tests the client's endpoint with small requests: the list of models, a few words, a bit of data (with `wanted` the data
/// that conversations really need), and a few words twice at once.
pub async fn probe(client: &Client, wanted: Option<&Wanted>) -> ProbeReport {
    probe_telling(client, wanted, &mut |_| {}).await
}

/// The same, and shows the report whenever more of it is known.
pub async fn probe_telling(
    client: &Client,
    wanted: Option<&Wanted>,
    tell: &mut (dyn FnMut(&ProbeReport) + Send),
) -> ProbeReport {
    let mut report = ProbeReport::blank(client);
    if let KeySource::Unset(name) = client.endpoint().key_source() {
        report.key = Check::Fails(format!("{name} is not set; put the key there"));
        tell(&report);
    }
    match client.models().await {
        Ok(models) => report.listed(client, models),
        Err(error) if unreachable(&error) => {
            report.reachable = Check::Fails(error.to_string());
            tell(&report);
            return report;
        }
        // An endpoint need not list its models; what it really can do, the next request shows.
        Err(error) => report.judge_key(client, &error),
    }
    tell(&report);
    report.words(client).await;
    tell(&report);
    if report.reachable.works() && report.key.works() {
        report.data(client, wanted).await;
        tell(&report);
        report.try_tools(client).await;
        tell(&report);
        report.two_at_once(client).await;
        tell(&report);
    }
    report
}

/// How many requests [`probe`] sends at most, and about how many tokens they can take in all. Where an endpoint has to be
/// asked again or differently, there are more.
pub fn extent(wanted: Option<&Wanted>) -> (u64, u64) {
    let words = 1 + 2 * u64::from(PAIRS);
    let most = |request: &ChatRequest| {
        tokens::estimate_request(request).saturating_add(request.max_output_tokens.unwrap_or_default().into())
    };
    let data = wanted.map_or_else(sum_request, report_request);
    let all = [(words, few_words()), (1, data), (2, tool_request())];
    let tokens = all.iter().map(|(times, request)| times.saturating_mul(most(request))).fold(0, u64::saturating_add);
    (all.iter().map(|(times, _)| times).sum(), tokens)
}

impl ProbeReport {
    /// Every check by its name, in the order of the tests.
    pub fn checks(&self) -> [(&'static str, &Check); 9] {
        [
            ("reachable", &self.reachable),
            ("key", &self.key),
            ("model", &self.model_known),
            ("streaming", &self.streaming),
            ("JSON Schema", &self.json_schema),
            ("usage", &self.usage),
            ("tools", &self.tools),
            ("two at once", &self.at_once),
            ("model size", &self.size),
        ]
    }

    fn blank(client: &Client) -> Self {
        let endpoint = client.endpoint();
        let untested = || Check::Unknown(UNTESTED.to_owned());
        Self {
            endpoint: endpoint.name.clone(),
            base_url: endpoint.address(),
            model: endpoint.model.clone(),
            reachable: Check::Works(endpoint.host()),
            key: untested(),
            model_known: untested(),
            streaming: untested(),
            json_schema: untested(),
            structured: None,
            usage: untested(),
            at_once: untested(),
            tools: untested(),
            size: untested(),
            models: Vec::new(),
            latency: None,
            spent: Vec::new(),
        }
    }

    fn listed(&mut self, client: &Client, models: Vec<String>) {
        let model = &client.endpoint().model;
        self.model_known = if models.contains(model) {
            Check::Works("it is in the endpoint's list".to_owned())
        } else {
            Check::Unknown(format!("`{model}` is not among the {} models listed", models.len()))
        };
        self.models = models;
    }

    fn judge_key(&mut self, client: &Client, error: &ChatError) {
        use ChatError::{Forbidden, KeyUnset, OutOfCredit, Unauthorized};
        if matches!(error, Unauthorized { .. } | KeyUnset { .. } | Forbidden { .. } | OutOfCredit { .. }) {
            self.key = Check::Fails(error.to_string());
        } else if self.key.is_untested() {
            self.key = Check::Unknown(client.endpoint().key_source().to_string());
        }
    }

    /// A few words show the key, the model, streaming and usage.
    async fn words(&mut self, client: &Client) {
        let request = few_words();
        let mut pieces = 0;
        let mut count =
            |event: ChatEvent| pieces += u32::from(matches!(event, ChatEvent::Delta(_) | ChatEvent::Reasoning(_)));
        let outcome = client.chat(&request, &mut count).await;
        match outcome {
            Ok(reply) => self.answered(client, &reply, pieces),
            Err(error) => self.failed(client, &error),
        }
    }

    fn answered(&mut self, client: &Client, reply: &ChatReply, pieces: u32) {
        self.key = Check::Works(match client.endpoint().key_source() {
            KeySource::Missing => "none is needed".to_owned(),
            source => source.to_string(),
        });
        self.model_known = Check::Works(format!("{} answered", reply.model));
        self.streaming = match pieces {
            0 | 1 => Check::Fails("the answer came in one piece".to_owned()),
            pieces => Check::Works(format!("the answer came in {pieces} pieces")),
        };
        self.usage = if reply.usage.estimated {
            Check::Fails("the endpoint gives no token counts; they are estimated".to_owned())
        } else {
            Check::Works(format!("{} tokens in, {} out", reply.usage.input_tokens, reply.usage.output_tokens))
        };
        self.latency = Some(reply.latency);
        self.spent.push(reply.usage.clone());
    }

    fn failed(&mut self, client: &Client, error: &ChatError) {
        let words = error.to_string();
        match error {
            error if unreachable(error) => self.reachable = Check::Fails(words),
            ChatError::ModelNotFound { .. } => self.model_known = Check::Fails(words),
            error => {
                self.judge_key(client, error);
                self.streaming = Check::Unknown(words);
            }
        }
    }

    async fn data(&mut self, client: &Client, wanted: Option<&Wanted>) {
        let request = wanted.map_or_else(sum_request, report_request);
        let of = wanted.map(|wanted| format!(" the schema of {}", wanted.engine)).unwrap_or_default();
        let heard = |reply: &ChatReply| wanted.map(|wanted| hearing(wanted, &reply.text));
        let mut outcome = client.chat(&request, &mut |_| {}).await;
        // One bad report may be chance.
        let is_bad = |reply: &ChatReply| heard(reply).is_some_and(|heard| heard != Hearing::Right);
        if let Some(first) = outcome.as_ref().ok().filter(|reply| is_bad(reply)).map(|reply| reply.usage.clone())
            && let Ok(second) = client.chat(&request, &mut |_| {}).await
        {
            self.spent.push(first);
            outcome = Ok(second);
        }
        match outcome {
            Ok(reply) => {
                self.structured = client.capabilities().structured;
                self.json_schema = match self.structured {
                    Some(Means::JsonSchema) => Check::Works(format!("the answer matched{of}")),
                    means => Check::Fails(format!("not supported; {} is used instead", in_words(means))),
                };
                self.judge_size(client, wanted.map(|wanted| hearing(wanted, &reply.text)));
                self.spent.push(reply.usage);
            }
            Err(error) => {
                self.json_schema = Check::Fails(error.to_string());
                let unread = error.is_about_the_answer().then_some(Hearing::Unread);
                self.judge_size(client, unread.filter(|_| wanted.is_some()));
            }
        }
    }

    /// Says whether the model needs help: by the settings, by its name, or by how it has reported. A model that reports well
    /// with help is not one that needs none.
    fn judge_size(&mut self, client: &Client, heard: Option<Hearing>) {
        let endpoint = client.endpoint();
        let before = client.is_small();
        let why = match (endpoint.small_model, size::is_small(&endpoint.model), heard) {
            (Some(_), ..) => "as your settings say",
            (None, Some(_), _) => "as its name says; `small_model` in its profile decides otherwise",
            (None, None, Some(heard)) => {
                client.learn_size(heard != Hearing::Right || before);
                match (heard, before) {
                    (Hearing::Wrong, _) => {
                        "it reported what was not said; `small_model = false` in its profile decides otherwise"
                    }
                    (Hearing::Nothing, _) => {
                        "it reported nothing of a plain message; `small_model = false` in its profile decides otherwise"
                    }
                    (Hearing::Unread, _) => {
                        "its report cannot be read; `small_model = false` in its profile decides otherwise"
                    }
                    (Hearing::Right, true) => {
                        "as was found out before; `small_model = false` in its profile decides otherwise"
                    }
                    (Hearing::Right, false) => "it reported what was said",
                }
            }
            (None, None, None) => return,
        };
        self.size = Check::Works(if client.is_small() {
            format!("small: it gets short prompts, and rules help it to listen ({why})")
        } else {
            format!("no help is needed ({why})")
        });
    }

    /// Two requests at once show whether an analysis and an answer can be asked for together. On this machine they share
    /// it, so there it must also be quicker.
    async fn two_at_once(&mut self, client: &Client) {
        let request = few_words();
        let alone = self.latency.as_ref().map(|latency| latency.total);
        let mut served = None;
        let refused = AtomicBool::new(false);
        let watch = |event: ChatEvent| {
            if matches!(event, ChatEvent::Retrying { error: ChatError::RateLimited { .. }, .. }) {
                refused.store(true, Ordering::Relaxed);
            }
        };
        for _ in 0..PAIRS {
            let (mut watch_one, mut watch_other) = (watch, watch);
            let (one, other) = tokio::join!(
                Box::pin(client.chat(&request, &mut watch_one)),
                Box::pin(client.chat(&request, &mut watch_other))
            );
            let (one, other) = match (one, other) {
                (Ok(one), Ok(other)) => (one, other),
                (Err(error), _) | (_, Err(error)) => {
                    self.at_once = Check::Unknown(error.to_string());
                    return;
                }
            };
            let together = one.latency.total.max(other.latency.total);
            self.spent.extend([one.usage, other.usage]);
            // One that is told to wait while the other is served is served alone.
            served = if refused.load(Ordering::Relaxed) { Some(false) } else { client.lanes_found() };
            let is_slow = client.endpoint().is_local() && alone.is_some_and(|alone| together > alone.mul_f64(SLOWER));
            if served == Some(true) && is_slow {
                client.learn_lanes(false);
                self.at_once =
                    Check::Works("yes, but one after the other is quicker here, the answer first".to_owned());
                return;
            }
            if served.is_some() {
                break;
            }
        }
        self.at_once = match served {
            Some(true) => Check::Works("yes: the answer does not wait for the analysis".to_owned()),
            Some(false) => Check::Works("no: the answer goes first, the analysis after it".to_owned()),
            None => Check::Unknown("it did not show".to_owned()),
        };
        if let Some(served) = served {
            client.learn_lanes(served);
        }
    }
}

/// So many pairs of requests are sent at most: a server with one lane shows only after some.
const PAIRS: u32 = 3;
/// Two at once that take so much longer than one alone gain nothing.
const SLOWER: f64 = 1.5;

fn few_words() -> ChatRequest {
    ChatRequest {
        messages: vec![ChatMessage::user("Count from one to five in words.")],
        max_output_tokens: Some(PROBE_TOKENS),
        ..ChatRequest::default()
    }
}

fn sum_request() -> ChatRequest {
    let schema = json!({ "type": "object", "properties": { "sum": { "type": "integer" } },
        "required": ["sum"], "additionalProperties": false });
    ChatRequest {
        messages: vec![ChatMessage::user("What is two plus three? Give the sum.")],
        schema: Some(OutputSchema { name: "sum".to_owned(), schema: schema.into(), in_parts: false }),
        max_output_tokens: Some(PROBE_TOKENS),
        ..ChatRequest::default()
    }
}

fn report_request(wanted: &Wanted) -> ChatRequest {
    ChatRequest {
        system: vec![wanted.system.clone()],
        messages: vec![ChatMessage::user(format!("{}\n\n<report>\n{}\n</report>", wanted.said, wanted.report))],
        schema: Some(OutputSchema { name: "analysis".to_owned(), schema: Arc::clone(&wanted.schema), in_parts: true }),
        max_output_tokens: Some(REPORT_TOKENS),
        temperature: Some(0.0),
        ..ChatRequest::default()
    }
}

fn in_words(means: Option<Means>) -> &'static str {
    means.unwrap_or(Means::Prompt).in_words()
}

fn unreachable(error: &ChatError) -> bool {
    matches!(
        error,
        ChatError::Connect { .. }
            | ChatError::Dns { .. }
            | ChatError::Tls { .. }
            | ChatError::Proxy { .. }
            | ChatError::Timeout { .. }
            | ChatError::WebPage { .. }
    )
}
