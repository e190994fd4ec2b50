//! Puts an answer together from the pieces an adapter recognises, whatever the protocol.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::bounds;
use super::chat::{ChatEvent, ChatReply, ChatRequest, Finish, Latency, OutputSchema, Usage};
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::json_text;
use super::scrub::Scrubber;
use super::status;
use super::stream_scrub::StreamScrubber;
use super::structured;
use super::think::{Piece, ThinkSplitter};
use super::tokens;
use crate::engine::tools::ToolCall;

/// What Anthropic charges for writing a token into its cache, as a multiple of a prompt token.
const CACHE_WRITE_FACTOR: f64 = 1.25;

/// No indentation is this deep.
const BLANK_RUN: usize = 120;

/// More calls than this in one answer are not taken in: no model needs them, and each is kept.
const MOST_CALLS: usize = 16;

/// Bytes of a token, about.
const BYTES_PER_TOKEN: usize = 4;

/// Receives events as they happen.
pub(super) type Emit<'a> = &'a mut (dyn FnMut(ChatEvent) + Send);

/// Token counts as an endpoint states them, piece by piece.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tally {
    pub input: Option<u64>,
    pub cached: u64,
    pub cache_write: u64,
    pub output: Option<u64>,
    pub reasoning: u64,
    pub cost: Option<f64>,
}

/// A piece of a call of a tool, as its protocol delivers it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallPiece<'a> {
    /// The number that the protocol gives the call; a piece without one is a call of its own if it has a name.
    pub at: Option<u64>,
    pub id: &'a str,
    pub name: &'a str,
    pub arguments: &'a str,
}

/// What keeps keys out of the three kinds of words that come in pieces.
#[derive(Debug)]
struct Keyless {
    text: StreamScrubber,
    reasoning: StreamScrubber,
    arguments: StreamScrubber,
}

impl Keyless {
    fn new(endpoint: &Endpoint) -> Self {
        let scrubber = Arc::new(Scrubber::of_answers(endpoint));
        let stream = || StreamScrubber::new(&scrubber);
        Self { text: stream(), reasoning: stream(), arguments: stream() }
    }
}

/// An answer in the making.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is told by another part of the stream")]
pub(super) struct Assembly {
    pub tally: Tally,
    pub finish: Option<Finish>,
    pub model: String,
    /// The protocol's own end mark has come; what follows is not read.
    pub done: bool,
    /// The connection was closed as it should be, and neither an end mark nor a reason to stop had come.
    pub unmarked: bool,
    /// Words of a refusal that came apart from the answer.
    pub refusal: String,
    text: String,
    reasoning: String,
    /// The arguments of the tool call that carries structured output.
    arguments: String,
    /// Whether tools were offered, so that calls are calls.
    offers_tools: bool,
    /// Whether data was asked for, so that a call may carry it.
    wants_data: bool,
    /// How much came in calls of tools that nobody offered, in bytes: they are paid for and say nothing.
    astray: usize,
    /// The calls, with the numbers of their protocol.
    calls: Vec<(Option<u64>, ToolCall)>,
    think: ThinkSplitter,
    keyless: Keyless,
    sent: Instant,
    first_token: Option<Duration>,
}

impl Assembly {
    pub fn new(endpoint: &Endpoint, sent: Instant) -> Self {
        Self {
            tally: Tally::default(),
            finish: None,
            model: String::new(),
            done: false,
            unmarked: false,
            refusal: String::new(),
            text: String::new(),
            reasoning: String::new(),
            arguments: String::new(),
            offers_tools: false,
            wants_data: false,
            astray: 0,
            calls: Vec::new(),
            think: ThinkSplitter::default(),
            keyless: Keyless::new(endpoint),
            sent,
            first_token: None,
        }
    }

    /// The same for a request that offers tools, or none, and wants data, or words.
    pub fn offering(mut self, request: &ChatRequest) -> Self {
        self.wants_data = request.schema.is_some();
        self.offers_tools = !request.tools.is_empty() && !self.wants_data;
        self
    }

    pub fn offers_tools(&self) -> bool {
        self.offers_tools
    }

    /// Takes more of the answer.
    pub fn push_text(&mut self, text: &str, emit: Emit<'_>) {
        if !text.is_empty() {
            self.mark_first_token();
            let text = self.keyless.text.push(text);
            self.take_text(&text, emit);
        }
    }

    /// Takes more of the model's thinking.
    pub fn push_reasoning(&mut self, text: &str, emit: Emit<'_>) {
        if !text.is_empty() {
            self.mark_first_token();
            let text = self.keyless.reasoning.push(text);
            self.push_piece(Piece::Thinking(text), emit);
        }
    }

    /// Takes a piece of a call. Where data was asked for it carries that; where neither that nor a tool was, it is no part
    /// of the answer.
    pub fn push_call(&mut self, piece: &CallPiece<'_>, emit: Emit<'_>) {
        if self.wants_data {
            return self.push_arguments(piece.arguments, emit);
        }
        if !self.offers_tools {
            self.astray += piece.arguments.len();
            return;
        }
        self.mark_first_token();
        let known = match piece.at {
            Some(_) => self.calls.iter_mut().rev().find(|(at, _)| *at == piece.at),
            None if piece.name.is_empty() => self.calls.last_mut(),
            None => None,
        };
        // Some servers give all calls the same number; then their ids tell them apart.
        let same = |call: &ToolCall| piece.id.is_empty() || call.id.is_empty() || call.id == piece.id;
        if let Some((_, call)) = known.filter(|(_, call)| same(call)) {
            if call.id.is_empty() {
                piece.id.clone_into(&mut call.id);
            }
            if call.name.is_empty() {
                piece.name.clone_into(&mut call.name);
            }
            call.arguments.push_str(piece.arguments);
        } else if self.calls.len() < MOST_CALLS {
            let (id, name) = (piece.id.to_owned(), piece.name.to_owned());
            self.calls.push((piece.at, ToolCall { id, name, arguments: piece.arguments.to_owned() }));
        }
    }

    /// The calls, with an id each and without keys.
    fn take_calls(&mut self, endpoint: &Endpoint) -> Vec<ToolCall> {
        let scrubber = Scrubber::of_answers(endpoint);
        let calls = std::mem::take(&mut self.calls).into_iter().enumerate().map(|(at, (_, call))| ToolCall {
            id: if call.id.is_empty() { format!("call_{}", at + 1) } else { call.id },
            name: scrubber.clean_secrets(&call.name),
            arguments: scrubber.clean_secrets(&call.arguments),
        });
        calls.collect()
    }

    /// Takes more of a tool call's arguments.
    fn push_arguments(&mut self, text: &str, emit: Emit<'_>) {
        if !text.is_empty() {
            self.mark_first_token();
            let text = self.keyless.arguments.push(text);
            self.take_arguments(text, emit);
        }
    }

    /// Takes what was held back, now that nothing follows.
    fn push_held(&mut self, emit: Emit<'_>) {
        let thought = self.keyless.reasoning.finish();
        self.push_piece(Piece::Thinking(thought), emit);
        let text = self.keyless.text.finish();
        self.take_text(&text, emit);
        if let Some(piece) = self.think.finish() {
            self.push_piece(piece, emit);
        }
        let arguments = self.keyless.arguments.finish();
        self.take_arguments(arguments, emit);
    }

    fn take_text(&mut self, text: &str, emit: Emit<'_>) {
        if !text.is_empty() {
            for piece in self.think.push(text) {
                self.push_piece(piece, emit);
            }
        }
    }

    fn take_arguments(&mut self, text: String, emit: Emit<'_>) {
        if !text.is_empty() {
            self.arguments.push_str(&text);
            emit(ChatEvent::Delta(text));
        }
    }

    fn push_piece(&mut self, piece: Piece, emit: Emit<'_>) {
        match piece {
            Piece::Answer(text) | Piece::Thinking(text) if text.is_empty() => {}
            Piece::Answer(text) => {
                self.text.push_str(&text);
                emit(ChatEvent::Delta(text));
            }
            Piece::Thinking(text) => {
                self.reasoning.push_str(&text);
                emit(ChatEvent::Reasoning(text));
            }
        }
    }

    fn mark_first_token(&mut self) {
        let sent = self.sent;
        self.first_token.get_or_insert_with(|| sent.elapsed());
    }

    /// Characters received so far, thinking included.
    pub fn received(&self) -> usize {
        let calls: usize = self.calls.iter().map(|(_, call)| call.arguments.len()).sum();
        self.text.len() + self.reasoning.len() + self.arguments.len() + self.astray + calls
    }

    /// Says whether data is not worth waiting for: nothing but white space has come for a while, with which some models fill
    /// up to the limit, or a report goes in circles.
    pub fn leads_nowhere(&self, output: &OutputSchema) -> bool {
        let words = if self.arguments.is_empty() { &self.text } else { &self.arguments };
        let blank =
            words.len() >= BLANK_RUN && words.bytes().rev().take(BLANK_RUN).all(|byte| byte.is_ascii_whitespace());
        blank || (output.in_parts && structured::goes_in_circles(words))
    }

    /// What has been consumed so far, by the endpoint's figures where they have come and by estimate where not. Where there
    /// are caps, figures far below the estimate are not believed; figures far above what was sent or allowed never are.
    pub fn usage(&self, endpoint: &Endpoint, estimated_input: u64, limit: Option<u32>, capped: bool) -> Usage {
        let output = || {
            let calls: u64 = self.calls.iter().map(|(_, call)| tokens::estimate(&call.arguments) + 8).sum();
            let words = tokens::estimate(&self.text) + tokens::estimate(&self.reasoning);
            words + tokens::estimate(&self.arguments) + calls + (self.astray / BYTES_PER_TOKEN) as u64
        };
        let believed = |stated, estimate| {
            if capped { bounds::believed(stated, estimate) } else { bounds::stated(stated, estimate) }
        };
        let prompt = bounds::of_prompt(self.tally.input, estimated_input);
        // Parts of a count that is not believed are not, either.
        let lies = self.tally.input.is_some() && prompt.is_none();
        let (cached, written) = if lies { (0, 0) } else { (self.tally.cached, self.tally.cache_write) };
        let (input_tokens, input_estimated) = believed(prompt, estimated_input);
        let (output_tokens, output_estimated) = believed(bounds::of_answer(self.tally.output, limit), output());
        let mut usage = Usage {
            input_tokens,
            cached_input_tokens: cached,
            output_tokens,
            reasoning_tokens: self.tally.reasoning,
            cost_usd: None,
            estimated: input_estimated || output_estimated,
        }
        .bounded();
        let priced = endpoint.effective_price().map(|price| {
            let writes = written as f64 * (CACHE_WRITE_FACTOR - 1.0) * price.input / 1e6;
            price.cost(&usage) + writes
        });
        // An endpoint that calls itself cheaper than its price must not lift a cap.
        usage.cost_usd = match (priced, self.tally.cost) {
            (Some(priced), Some(stated)) => Some(priced.max(stated)),
            (priced, stated) => priced.or(stated),
        };
        usage.bounded()
    }

    /// The model that answers, as far as it is known. It goes to the screen and into the store.
    pub fn model_name(&self, endpoint: &Endpoint) -> String {
        let name = if self.model.trim().is_empty() { &endpoint.model } else { &self.model };
        status::legible(&endpoint.scrub(name))
    }

    /// Whether what has come is a whole answer by itself: it ends as a sentence does, or is a whole object where data was
    /// asked for, and no call is half a call.
    fn looks_whole(&self) -> bool {
        let words = if self.arguments.is_empty() { &self.text } else { &self.arguments };
        let calls = self.calls.iter().all(|(_, call)| json_text::is_whole(&call.arguments));
        let ends = |text: &str| {
            let end = text.trim_end().trim_end_matches(['"', '”', '“', '»', '\'', '’', ')', '*', '_', '`']);
            end.ends_with(['.', '!', '?', '…', '。', '！', '？', '؟'])
        };
        calls
            && match (self.wants_data, words.trim().is_empty()) {
                (true, _) => json_text::is_whole(words),
                (false, true) => !self.calls.is_empty(),
                (false, false) => ends(words) || !self.calls.is_empty(),
            }
    }

    /// Ends the answer and judges whether it can be used.
    pub fn complete(
        mut self,
        endpoint: &Endpoint,
        request: &ChatRequest,
        usage: Usage,
        emit: Emit<'_>,
    ) -> Result<ChatReply, ChatError> {
        let received = self.received();
        self.push_held(emit);
        let model = self.model_name(endpoint);
        let finish = match self.finish {
            _ if !self.refusal.is_empty() => Finish::Refusal,
            None if self.unmarked && !self.looks_whole() => {
                return Err(ChatError::StreamCut { host: endpoint.host(), received });
            }
            None if self.unmarked => Finish::Unmarked,
            finish => finish.unwrap_or(Finish::Other),
        };
        if self.text.is_empty() {
            let refusal = || Scrubber::of_answers(endpoint).clean_secrets(&self.refusal);
            self.text = if self.arguments.is_empty() { refusal() } else { std::mem::take(&mut self.arguments) };
        }
        let calls = self.take_calls(endpoint);
        let blank = self.text.trim().is_empty() && calls.is_empty();
        match finish {
            Finish::Refusal if blank || request.schema.is_some() => {
                Err(ChatError::Refused { reason: self.text.trim().to_owned() })
            }
            Finish::Length if blank => Err(ChatError::LengthCut { limit: usage.output_tokens, text: String::new() }),
            _ if blank && self.astray > 0 => Err(ChatError::OnlyCalls { model }),
            _ if blank => Err(ChatError::Empty { model }),
            _ => Ok(ChatReply {
                text: self.text,
                reasoning: self.reasoning,
                calls,
                usage,
                finish,
                model,
                latency: Latency { first_token: self.first_token, total: self.sent.elapsed() },
                astray: self.astray > 0,
            }),
        }
    }
}
