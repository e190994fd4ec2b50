//! Tests an endpoint and says what works, for `elenchus doctor`.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::chat::{ChatEvent, ChatMessage, ChatReply, ChatRequest, Latency, OutputSchema, Usage};
use super::client::Client;
use super::error::ChatError;
use super::key::KeySource;
use super::structured::Means;

/// Enough for a model that thinks before it counts to five.
const PROBE_TOKENS: u32 = 256;

/// Enough for a report on one sentence.
const REPORT_TOKENS: u32 = 1_000;

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
    /// What a user says, and what is asked for instead of an answer.
    pub message: String,
    pub schema: Arc<Value>,
}

/// Tests the client's endpoint with three small requests: the list of models, a few words, a bit of data; with `wanted`
/// the data that conversations really need.
pub async fn probe(client: &Client, wanted: Option<&Wanted>) -> ProbeReport {
    let mut report = ProbeReport::blank(client);
    match client.models().await {
        Ok(models) => report.listed(client, models),
        Err(error) if unreachable(&error) => {
            report.reachable = Check::Fails(error.to_string());
            return report;
        }
        // An endpoint need not list its models; what it really can do, the next request shows.
        Err(error) => report.judge_key(client, &error),
    }
    report.words(client).await;
    if report.reachable.works() && report.key.works() {
        report.data(client, wanted).await;
    }
    report
}

impl ProbeReport {
    fn blank(client: &Client) -> Self {
        let endpoint = client.endpoint();
        let untested = || Check::Unknown("not tested".to_owned());
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
        if matches!(error, ChatError::Unauthorized { .. } | ChatError::Forbidden { .. } | ChatError::OutOfCredit { .. })
        {
            self.key = Check::Fails(error.to_string());
        } else {
            self.key = Check::Unknown(client.endpoint().key_source().to_string());
        }
    }

    /// A few words show the key, the model, streaming and usage.
    async fn words(&mut self, client: &Client) {
        let request = ChatRequest {
            messages: vec![ChatMessage::user("Count from one to five in words.")],
            max_output_tokens: Some(PROBE_TOKENS),
            ..ChatRequest::default()
        };
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
        let request = match wanted {
            Some(wanted) => report_request(wanted),
            None => sum_request(),
        };
        let of = wanted.map(|wanted| format!(" the schema of {}", wanted.engine)).unwrap_or_default();
        match client.chat(&request, &mut |_| {}).await {
            Ok(reply) => {
                self.structured = client.capabilities().structured;
                self.json_schema = match self.structured {
                    Some(Means::JsonSchema) => Check::Works(format!("the answer matched{of}")),
                    means => Check::Fails(format!("not supported; {} is used instead", in_words(means))),
                };
                self.spent.push(reply.usage);
            }
            Err(error) => self.json_schema = Check::Fails(error.to_string()),
        }
    }
}

fn sum_request() -> ChatRequest {
    let schema = json!({ "type": "object", "properties": { "sum": { "type": "integer" } },
        "required": ["sum"], "additionalProperties": false });
    ChatRequest {
        messages: vec![ChatMessage::user("What is two plus three? Give the sum.")],
        schema: Some(OutputSchema { name: "sum".to_owned(), schema: schema.into() }),
        max_output_tokens: Some(PROBE_TOKENS),
        ..ChatRequest::default()
    }
}

fn report_request(wanted: &Wanted) -> ChatRequest {
    ChatRequest {
        system: vec![wanted.system.clone()],
        messages: vec![ChatMessage::user(wanted.message.clone())],
        schema: Some(OutputSchema { name: "analysis".to_owned(), schema: Arc::clone(&wanted.schema) }),
        max_output_tokens: Some(REPORT_TOKENS),
        temperature: Some(0.0),
    }
}

fn in_words(means: Option<Means>) -> &'static str {
    match means {
        Some(Means::JsonSchema) => "a JSON Schema",
        Some(Means::ToolCall) => "a tool call",
        Some(Means::JsonMode) => "JSON mode",
        Some(Means::Prompt) | None => "a plain prompt",
    }
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
