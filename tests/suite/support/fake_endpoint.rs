//! A fake endpoint on the loopback interface: scripted answers, and everything that was asked of it.
//!
//! [`FakeEndpoint`] speaks proper HTTP through axum. [`RawEndpoint`] writes bytes to a bare socket, for tests in which
//! every byte and every close matters.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use elenchus::llm::{Endpoint, Provider, RetryPolicy, Timeouts};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Duration;

use super::PATIENCE;

/// An answer in the making.
pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Source,
    for_data: bool,
}

enum Source {
    Whole(Vec<u8>),
    /// Chunks are sent as the test hands them over; the sender's end is the body's end.
    Handed(mpsc::UnboundedReceiver<Bytes>),
}

/// Hands chunks to an answer, and tells when the client has gone.
pub struct Feed(mpsc::UnboundedSender<Bytes>);

impl Feed {
    pub fn send(&self, chunk: impl Into<Bytes>) {
        self.0.send(chunk.into()).expect("the client still listens");
    }

    /// Returns when the client has closed the connection.
    pub async fn closed(&self) {
        self.0.closed().await;
    }
}

impl Answer {
    /// An answer with a status and a body.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type", content_type.to_owned())],
            body: Source::Whole(body.into()),
            for_data: false,
        }
    }

    /// A refusal as OpenAI words it.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Self::json(status, &json!({ "error": { "message": message, "type": code, "code": code } }))
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    /// A stream of events.
    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/event-stream", body)
    }

    /// A stream whose chunks the test hands over one by one.
    pub fn fed() -> (Self, Feed) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let headers = vec![("content-type", "text/event-stream".to_owned())];
        (Self { status: 200, headers, body: Source::Handed(receiver), for_data: false }, Feed(sender))
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Keeps it for those who ask for data.
    pub fn for_data(self) -> Self {
        Self { for_data: true, ..self }
    }

    /// Leaves the content type out.
    pub fn untyped(mut self) -> Self {
        self.headers.retain(|(name, _)| *name != "content-type");
        self
    }

    /// Whether it holds an analysis; of what is no whole answer nobody knows.
    fn is_analysis(&self) -> Option<bool> {
        match &self.body {
            _ if self.for_data => Some(true),
            Source::Handed(_) => Some(false),
            Source::Whole(bytes) if self.status == 200 => Some(String::from_utf8_lossy(bytes).contains("fields")),
            Source::Whole(_) => None,
        }
    }

    fn into_response(self) -> Response {
        let mut builder = Response::builder().status(self.status);
        for (name, value) in self.headers {
            builder = builder.header(name, value);
        }
        let body = match self.body {
            Source::Whole(bytes) => Body::from(bytes),
            Source::Handed(receiver) => Body::from_stream(Chunks(receiver)),
        };
        builder.body(body).expect("a valid answer")
    }
}

struct Chunks(mpsc::UnboundedReceiver<Bytes>);

impl futures_core::Stream for Chunks {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(Ok))
    }
}

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

struct Script {
    answers: VecDeque<Answer>,
    /// Whether analyses and answers may be asked for in any order.
    sorts: bool,
    asked: Vec<Asked>,
    /// Tells how many were asked.
    heard: watch::Sender<usize>,
}

/// The fake endpoint. It gives its answers in order and then says that none is left.
pub struct FakeEndpoint {
    script: Arc<Mutex<Script>>,
    address: String,
    heard: watch::Receiver<usize>,
    _stop: oneshot::Sender<()>,
}

impl FakeEndpoint {
    /// One that gives its answers in order, whatever is asked.
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::with(answers, false).await
    }

    /// One that gives analyses to those who ask for data, and everything else in order.
    pub async fn conversing(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::with(answers, true).await
    }

    async fn with(answers: impl IntoIterator<Item = Answer>, sorts: bool) -> Self {
        let (sender, heard) = watch::channel(0);
        let script = Script { answers: answers.into_iter().collect(), sorts, asked: Vec::new(), heard: sender };
        let script = Arc::new(Mutex::new(script));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let serving = axum::serve(listener, app).with_graceful_shutdown(async {
                stopped.await.ok();
            });
            serving.await.expect("it serves");
        });
        Self { script, address, heard, _stop: stop }
    }

    /// An endpoint of the OpenAI protocol that points here, with waits that tests can afford.
    pub fn openai(&self) -> Endpoint {
        impatient(Endpoint::new("fake", Provider::OpenAi, &format!("http://{}/v1", self.address), "test-model"))
    }

    /// An endpoint of the Anthropic protocol that points here.
    pub fn anthropic(&self) -> Endpoint {
        impatient(Endpoint::new("fake", Provider::Anthropic, &format!("http://{}", self.address), "test-model"))
    }

    /// An endpoint of Ollama's own protocol that points here.
    pub fn ollama(&self) -> Endpoint {
        impatient(Endpoint::new("fake", Provider::Ollama, &format!("http://{}", self.address), "test-model"))
    }

    /// An endpoint of OpenAI's responses that points here.
    pub fn responses(&self) -> Endpoint {
        impatient(Endpoint::new("fake", Provider::Responses, &format!("http://{}", self.address), "test-model"))
    }

    pub fn port(&self) -> u16 {
        self.address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
    }

    /// Returns once so many requests have arrived.
    pub async fn until_asked(&self, requests: usize) {
        let mut heard = self.heard.clone();
        let asked = heard.wait_for(|heard| *heard >= requests);
        tokio::time::timeout(PATIENCE, asked).await.expect("it is asked").expect("the endpoint lives");
    }

    /// Everything asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.script.lock().expect("the script").asked.clone()
    }
}

async fn answer(State(script): State<Arc<Mutex<Script>>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, 16 << 20).await.expect("a whole request");
    let mut script = script.lock().expect("the script");
    let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    // What is sent ahead while somebody writes is no part of the conversation, and may come or not.
    if script.sorts && body["max_tokens"] == 1 {
        return Answer::stream(openai::saying(".")).into_response();
    }
    script.asked.push(Asked {
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers: head.headers,
        body,
    });
    script.heard.send_modify(|heard| *heard += 1);
    let body = &script.asked.last().expect("it was asked").body;
    // A tool that must be called carries data; others are there for answers.
    let forced = body.get("tool_choice").is_some_and(|choice| choice.is_object() && choice["type"] != "none");
    let for_data = forced || ["response_format", "output_config", "format"].iter().any(|key| body.get(key).is_some());
    let fitting = |answer: &Answer| answer.is_analysis().is_none_or(|analysis| analysis == for_data);
    let at = script.answers.iter().position(fitting).filter(|_| script.sorts).unwrap_or(0);
    let next = script.answers.remove(at).unwrap_or_else(|| Answer::error(418, "script", "no answer is left"));
    next.into_response()
}

/// A server of bare bytes: each connection gets one script.
pub struct RawEndpoint {
    address: String,
}

impl RawEndpoint {
    /// Serves one connection after another with `serve`, once the request has been read.
    pub async fn start<F, Fut>(mut serve: F) -> Self
    where
        F: FnMut(TcpStream, usize) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        tokio::spawn(async move {
            for connection in 0.. {
                let Ok((mut stream, _)) = listener.accept().await else { break };
                read_request(&mut stream).await;
                serve(stream, connection).await;
            }
        });
        Self { address }
    }

    pub fn openai(&self) -> Endpoint {
        impatient(Endpoint::new("raw", Provider::OpenAi, &format!("http://{}/v1", self.address), "test-model"))
    }

    pub fn secure(&self) -> Endpoint {
        impatient(Endpoint::new("raw", Provider::OpenAi, &format!("https://{}/v1", self.address), "test-model"))
    }

    pub fn address(&self) -> &str {
        &self.address
    }
}

/// Reads one request: its head, and as much body as the head announces.
async fn read_request(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return,
        }
        // A TLS greeting is no request; whoever sends one is answered at once.
        if bytes.first() == Some(&0x16) {
            return;
        }
    }
}

/// Writes the head of a chunked stream of events.
pub async fn write_head(stream: &mut TcpStream) {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("the client listens");
}

/// Writes one chunk.
pub async fn write_chunk(stream: &mut TcpStream, bytes: &[u8]) {
    let head = format!("{:x}\r\n", bytes.len());
    let chunk = [head.as_bytes(), bytes, b"\r\n"].concat();
    stream.write_all(&chunk).await.expect("the client listens");
    stream.flush().await.expect("the client listens");
}

/// Tries twice, a millisecond apart; a silence of 80 ms counts as a stall.
fn impatient(endpoint: Result<Endpoint, elenchus::llm::ChatError>) -> Endpoint {
    let mut endpoint = endpoint.expect("a valid endpoint");
    endpoint.retry =
        RetryPolicy { attempts: 2, first_wait: Duration::from_millis(1), longest_wait: Duration::from_secs(30) };
    let patience = Duration::from_secs(20);
    endpoint.timeouts = Timeouts { connect: patience, first_byte: patience, stall: patience, total: patience };
    endpoint
}

/// Writes streams in the words of the OpenAI protocol.
pub mod openai {
    use serde_json::{Value, json};

    /// One event.
    pub fn event(data: &Value) -> String {
        format!("data: {data}\n\n")
    }

    /// An event with a piece of text.
    pub fn delta(text: &str) -> String {
        event(&json!({ "model": "test-model-1", "choices": [{ "index": 0, "delta": { "content": text } }] }))
    }

    pub fn reasoning(text: &str) -> String {
        event(&json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": text } }] }))
    }

    pub fn arguments(text: &str) -> String {
        event(&json!({ "choices": [{ "index": 0, "delta": {
            "tool_calls": [{ "index": 3_000_000, "function": { "name": "data", "arguments": text } }] } }] }))
    }

    /// A whole stream that calls a tool and says nothing.
    pub fn calling(name: &str, arguments: &Value) -> String {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        let call = json!({ "index": 0, "id": "call_a", "type": "function", "function": function });
        let called = event(&json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }));
        format!("{called}{}{}{DONE}", finish("tool_calls"), usage())
    }

    pub fn finish(reason: &str) -> String {
        event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
    }

    /// The usage event: 120 tokens in, 80 of them cached, 30 out, 10 of them reasoning.
    pub fn usage() -> String {
        event(&json!({ "choices": [], "usage": { "prompt_tokens": 120, "completion_tokens": 30,
            "prompt_tokens_details": { "cached_tokens": 80 },
            "completion_tokens_details": { "reasoning_tokens": 10 } } }))
    }

    pub const DONE: &str = "data: [DONE]\n\n";

    /// A whole stream that says `text` and ends as it should.
    pub fn saying(text: &str) -> String {
        let words: String = text.split_inclusive(' ').map(delta).collect();
        format!("{words}{}{}{DONE}", finish("stop"), usage())
    }

    /// The same with figures that the prompts of a whole session can have: 4,000 tokens in and 200 out.
    pub fn counted(text: &str) -> String {
        saying(text)
            .replace("\"prompt_tokens\":120", "\"prompt_tokens\":4000")
            .replace("\"completion_tokens\":30", "\"completion_tokens\":200")
    }
}

/// Writes streams in the words of the Anthropic protocol.
pub mod anthropic {
    use serde_json::{Value, json};

    pub fn event(data: &Value) -> String {
        let name = data["type"].as_str().expect("a type");
        format!("event: {name}\ndata: {data}\n\n")
    }

    /// Opens a message: 20 fresh tokens, 100 from the cache, 40 written to it.
    pub fn start() -> String {
        event(&json!({ "type": "message_start", "message": { "model": "test-model-1", "usage": {
            "input_tokens": 20, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 40, "output_tokens": 1 } } }))
    }

    pub fn delta(kind: &str, field: &str, text: &str) -> String {
        event(&json!({ "type": "content_block_delta", "index": 0, "delta": { "type": kind, field: text } }))
    }

    pub fn finish(reason: &str) -> String {
        let end = event(
            &json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 30 } }),
        );
        format!("{end}{}", event(&json!({ "type": "message_stop" })))
    }

    pub fn saying(text: &str) -> String {
        let ping = event(&json!({ "type": "ping" }));
        format!("{}{ping}{}{}", start(), delta("text_delta", "text", text), finish("end_turn"))
    }
}
