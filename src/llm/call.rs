//! One attempt: a request out, an answer read to its end, the account kept whatever happens in between.

use std::time::Instant;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use tokio::time::{Duration, timeout};

use super::adapter::{self, Framing, Plan};
use super::assembly::{Assembly, Emit};
use super::budget::Reservation;
use super::chat::{ChatEvent, ChatReply, ChatRequest, Finish};
use super::endpoint::Endpoint;
use super::error::{ChatError, TimeoutPhase};
use super::lines::LineParser;
use super::sse::{EventTooLarge, SseEvent, SseParser};
use super::status::{self, Report};
use super::transport::{Body, Incoming, Outgoing, Transport};

/// More of an error page is not read.
const LONGEST_REPORT: usize = 64 << 10;

/// After the answer's end the body is read out, so that the connection can be used again, but no longer than this.
const FAREWELL: Duration = Duration::from_millis(20);

/// What gateways answer when the server behind them said nothing in time, or something that they could not pass on.
const LOST: [u16; 5] = [502, 504, 522, 524, 598];

/// An attempt under way. Dropping it, finished or not, books what has been consumed by then.
pub(super) struct Call<'a> {
    endpoint: &'a Endpoint,
    request: &'a ChatRequest,
    claim: Option<Reservation>,
    estimated_input: u64,
    /// The endpoint has begun to work, or may have: the prompt is paid for.
    accepted: bool,
    /// The most tokens that the answer may have, where that was said.
    limit: Option<u32>,
    assembly: Assembly,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if let (true, Some(claim)) = (self.accepted, &mut self.claim) {
            let usage = self.assembly.usage(self.endpoint, self.estimated_input, self.limit, claim.is_capped());
            claim.consume_by(self.assembly.model_name(self.endpoint), Some(usage));
        }
    }
}

impl<'a> Call<'a> {
    pub fn new(
        endpoint: &'a Endpoint,
        request: &'a ChatRequest,
        claim: Option<Reservation>,
        estimated_input: u64,
    ) -> Self {
        let assembly = Assembly::new(endpoint, Instant::now()).offering(request);
        Self { endpoint, request, claim, estimated_input, accepted: false, limit: None, assembly }
    }

    /// Sends the request and reads the answer.
    pub async fn run(mut self, transport: &Transport, plan: &Plan<'_>, emit: Emit<'_>) -> Result<ChatReply, ChatError> {
        self.limit = plan.max_output_tokens;
        let body = serde_json::to_vec(&adapter::body(plan)).unwrap_or_default();
        let outgoing = Outgoing { method: Method::POST, url: self.endpoint.chat_url(), body };
        let total = self.endpoint.timeouts.total;
        let exchange = timeout(total, self.exchange(transport, outgoing, emit)).await;
        exchange.map_err(|_| self.timed_out(TimeoutPhase::Total, total))??;
        let capped = self.claim.as_ref().is_some_and(Reservation::is_capped);
        let usage = self.assembly.usage(self.endpoint, self.estimated_input, self.limit, capped);
        if let Some(claim) = &mut self.claim {
            claim.consume_by(self.assembly.model_name(self.endpoint), Some(usage.clone()));
        }
        self.accepted = false;
        let assembly = std::mem::replace(&mut self.assembly, Assembly::new(self.endpoint, Instant::now()));
        assembly.complete(self.endpoint, self.request, usage, emit)
    }

    async fn exchange(&mut self, transport: &Transport, outgoing: Outgoing, emit: Emit<'_>) -> Result<(), ChatError> {
        let patience = self.endpoint.timeouts.first_byte;
        // While the endpoint is silent nobody can know whether it is at work already.
        self.accepted = true;
        let head = timeout(patience, transport.send(self.endpoint, outgoing)).await;
        let head = head.map_err(|_| self.timed_out(TimeoutPhase::FirstByte, patience))?;
        let incoming = head.inspect_err(|error| self.accepted = was_sent(error))?;
        if !(200..300).contains(&incoming.status) {
            // A gateway may have lost the answer of a server that worked for it; any other refusal or failure costs nothing.
            self.accepted = LOST.contains(&incoming.status);
            if let (false, Some(claim)) = (self.accepted, &mut self.claim) {
                claim.consume_by(self.endpoint.model.clone(), None);
            }
            return Err(self.report(incoming).await);
        }
        self.accepted = true;
        emit(ChatEvent::Started);
        match kind(self.endpoint, &incoming) {
            Kind::Stream => self.read_stream(incoming.body, emit).await,
            Kind::Json => self.read_whole(incoming.body, emit).await,
            Kind::Page => Err(self.report(incoming).await),
            Kind::Other(content_type) => {
                Err(self.refused(incoming.body).await.unwrap_or(ChatError::WrongContentType { content_type }))
            }
        }
    }

    /// Reads a body that holds no answer: it may say that the key is refused.
    async fn refused(&self, body: Body) -> Option<ChatError> {
        let bytes = self.read_report(body).await;
        status::refused_key(self.endpoint, &String::from_utf8_lossy(&bytes))
    }

    /// Reads why the endpoint did not answer.
    async fn report(&self, incoming: Incoming) -> ChatError {
        let Incoming { status, headers, body } = incoming;
        let bytes = self.read_report(body).await;
        let body = String::from_utf8_lossy(&bytes);
        status::from_report(self.endpoint, &Report { status, headers: &headers, body: &body })
    }

    async fn read_report(&self, mut body: Body) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < LONGEST_REPORT {
            // Whatever of the reason has come is better than a second failure about the first.
            let Ok(Ok(Some(chunk))) = timeout(self.endpoint.timeouts.stall, body.chunk()).await else { break };
            bytes.extend_from_slice(&chunk);
        }
        bytes
    }

    /// Reads a stream. One that brings no word of an answer may say that the key is refused.
    async fn read_stream(&mut self, body: Body, emit: Emit<'_>) -> Result<(), ChatError> {
        let mut beginning = Vec::new();
        let outcome = self.read_events(body, &mut beginning, emit).await;
        match outcome {
            Err(error) if self.assembly.received() == 0 => {
                Err(status::refused_key(self.endpoint, &String::from_utf8_lossy(&beginning)).unwrap_or(error))
            }
            outcome => outcome,
        }
    }

    async fn read_events(&mut self, mut body: Body, beginning: &mut Vec<u8>, emit: Emit<'_>) -> Result<(), ChatError> {
        let limit = self.endpoint.max_reply_bytes;
        let mut parser = Parser::new(adapter::of(self.endpoint.provider).framing, limit);
        let (mut received, mut events, mut understood) = (0, Vec::new(), false);
        while let Some(chunk) = self.next(&mut body, received).await? {
            if received == 0 && status::is_markup(&String::from_utf8_lossy(&chunk)) {
                let title = status::title(self.endpoint, &String::from_utf8_lossy(&chunk));
                return Err(ChatError::WebPage { title });
            }
            received += chunk.len();
            beginning.extend(chunk.iter().take(LONGEST_REPORT.saturating_sub(beginning.len())));
            if received > limit {
                return Err(ChatError::Oversize { limit });
            }
            let pushed = parser.push(&chunk, &mut |event| events.push(event));
            for event in events.drain(..) {
                understood = true;
                adapter::event(self.endpoint, &event, &mut self.assembly, emit)?;
            }
            pushed.map_err(|EventTooLarge { limit }| ChatError::Oversize { limit })?;
            if self.assembly.done {
                read_out(body).await;
                return Ok(());
            }
            if self.request.schema.as_ref().is_some_and(|output| self.assembly.leads_nowhere(output)) {
                self.assembly.finish = Some(Finish::Length);
                return Ok(());
            }
        }
        if let Some(last) = parser.finish() {
            understood = true;
            // An event without its end may be half an event.
            adapter::event(self.endpoint, &last, &mut self.assembly, emit)
                .map_err(|error| self.cut_if_malformed(error))?;
        }
        match (self.assembly.finish, received) {
            _ if self.assembly.done => Ok(()),
            // llama.cpp, LM Studio and others have left out the end mark; the reason to stop is end enough.
            (Some(_), _) => Ok(()),
            (None, 0) => Err(ChatError::Empty { model: self.endpoint.model.clone() }),
            (None, _) if !understood => Err(ChatError::MalformedStream { detail: "it contains no event".to_owned() }),
            // Some servers mark no end at all. Whether the answer is whole, its words show.
            (None, _) => {
                self.assembly.unmarked = true;
                Ok(())
            }
        }
    }

    /// Waits for the next chunk. A stream whose answer is complete may end as it likes.
    async fn next(&self, body: &mut Body, received: usize) -> Result<Option<bytes::Bytes>, ChatError> {
        let timeouts = &self.endpoint.timeouts;
        let patience = if received == 0 { timeouts.first_byte } else { timeouts.stall };
        match timeout(patience, body.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk),
            _ if self.assembly.finish.is_some() => Ok(None),
            Ok(Err(_)) => Err(self.cut()),
            Err(_) if received == 0 => Err(self.timed_out(TimeoutPhase::FirstByte, patience)),
            Err(_) => Err(ChatError::Stalled { host: self.endpoint.host(), after: patience }),
        }
    }

    async fn read_whole(&mut self, mut body: Body, emit: Emit<'_>) -> Result<(), ChatError> {
        let limit = self.endpoint.max_reply_bytes;
        let mut bytes = Vec::new();
        while let Some(chunk) = self.next(&mut body, bytes.len()).await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > limit {
                return Err(ChatError::Oversize { limit });
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let value = adapter::parse(self.endpoint, &text);
        let outcome = value.and_then(|value| adapter::whole(self.endpoint, &value, &mut self.assembly, emit));
        match status::refused_key(self.endpoint, &text).filter(|_| self.assembly.received() == 0) {
            Some(refused) => Err(refused),
            None => outcome,
        }
    }

    fn cut(&self) -> ChatError {
        ChatError::StreamCut { host: self.endpoint.host(), received: self.assembly.received() }
    }

    fn cut_if_malformed(&self, error: ChatError) -> ChatError {
        if matches!(error, ChatError::MalformedStream { .. }) { self.cut() } else { error }
    }

    fn timed_out(&self, phase: TimeoutPhase, after: Duration) -> ChatError {
        ChatError::Timeout { host: self.endpoint.host(), phase, after }
    }
}

/// Says whether the request went out before the failure.
fn was_sent(error: &ChatError) -> bool {
    matches!(error, ChatError::StreamCut { .. })
}

/// What takes a stream apart.
enum Parser {
    Events(SseParser),
    Lines(LineParser),
}

impl Parser {
    fn new(framing: Framing, limit: usize) -> Self {
        match framing {
            Framing::Events => Self::Events(SseParser::new(limit)),
            Framing::Lines => Self::Lines(LineParser::new(limit)),
        }
    }

    fn push(&mut self, chunk: &[u8], sink: &mut dyn FnMut(SseEvent)) -> Result<(), EventTooLarge> {
        match self {
            Self::Events(parser) => parser.push(chunk, sink),
            Self::Lines(parser) => parser.push(chunk, sink),
        }
    }

    fn finish(&mut self) -> Option<SseEvent> {
        match self {
            Self::Events(parser) => parser.finish(),
            Self::Lines(parser) => parser.finish(),
        }
    }
}

enum Kind {
    Stream,
    Json,
    Page,
    Other(String),
}

fn kind(endpoint: &Endpoint, incoming: &Incoming) -> Kind {
    let stated = incoming.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        // Home-made servers leave the header out.
        "" | "text/event-stream" | "application/x-ndjson" | "application/jsonl" => Kind::Stream,
        "application/json" => Kind::Json,
        "text/html" | "application/xhtml+xml" => Kind::Page,
        _ => Kind::Other(status::legible(&endpoint.scrub(&kind))),
    }
}

/// Reads a body to its end. The answer is complete without it, so it does not wait for that; a recording is.
async fn read_out(body: Body) {
    match body {
        Body::Live(_) => drop(tokio::spawn(farewell(body))),
        Body::Taped(..) | Body::Replayed(_) => farewell(body).await,
    }
}

async fn farewell(mut body: Body) {
    let rest = async { while let Ok(Some(_)) = body.chunk().await {} };
    // Whether it came to its end does not matter: the connection is then closed instead of kept.
    drop(timeout(FAREWELL, rest).await);
}
