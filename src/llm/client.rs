//! Asks an endpoint, patiently: tries again what is worth it, adapts to what the endpoint can do, stays in the budget.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use backon::{BackoffBuilder, ExponentialBuilder};
use tokio::time::Duration;

use super::adapter::Plan;
use super::assembly::Emit;
use super::budget::{Budget, Reservation};
use super::call::Call;
use super::chat::{ChatEvent, ChatReply, ChatRequest, Finish, Usage};
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::lanes::Lanes;
use super::record::{Recorder, Recordings};
use super::size;
use super::spend::{CallRole, Estimate};
use super::structured::{self, Capabilities, Means};
use super::tokens;
use super::transport::Transport;

/// An endpoint has four means of structure and four peculiarities to find out; more adaptations are a circle.
const MOST_ADAPTATIONS: u32 = 8;

/// However full a window is, an answer is given so many tokens.
const LEAST_ANSWER: u32 = 64;

/// The reservation exceeds the estimate of the prompt by this factor: tokenizers differ.
const MARGIN: f64 = 1.25;

/// A connection to one model of one endpoint. Clones share what has been found out about it.
#[derive(Debug, Clone)]
pub struct Client {
    endpoint: Arc<Endpoint>,
    transport: Transport,
    known: Arc<Mutex<Capabilities>>,
    lanes: Arc<Lanes>,
    guard: Option<(Arc<Budget>, CallRole)>,
}

impl Client {
    /// Prepares a client; nothing is sent.
    pub fn new(endpoint: Endpoint) -> Result<Self, ChatError> {
        let transport = Transport::new(&endpoint)?;
        let known = Arc::new(Mutex::new(Capabilities::expected(&endpoint)));
        Ok(Self { endpoint: Arc::new(endpoint), transport, known, lanes: Arc::default(), guard: None })
    }

    /// Puts every call under a budget, booked under `role`.
    #[must_use]
    pub fn guarded_by(mut self, budget: Arc<Budget>, role: CallRole) -> Self {
        self.guard = Some((budget, role));
        self
    }

    /// Records every exchange.
    #[must_use]
    pub fn recording_to(mut self, recorder: Arc<Recorder>) -> Self {
        self.transport.record(recorder);
        self
    }

    /// Answers from recordings; the network is never touched.
    #[must_use]
    pub fn replaying(mut self, recordings: Arc<Recordings>) -> Self {
        self.transport.replay(recordings);
        self
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What has been found out about the endpoint, to be kept.
    pub fn capabilities(&self) -> Capabilities {
        self.known().clone()
    }

    /// Restores what was found out earlier.
    pub fn restore(&self, capabilities: Capabilities) {
        *self.known() = capabilities.remembered();
    }

    /// Whether it really sends, and nothing is recorded or played back.
    pub(super) fn is_live(&self) -> bool {
        self.transport.is_live()
    }

    /// Whether its model is a small one that needs short prompts and help from rules: as the settings say, as was tried,
    /// or as its name says.
    pub fn is_small(&self) -> bool {
        let known = self.endpoint.small_model.or_else(|| self.known().small);
        known.or_else(|| size::is_small(&self.endpoint.model)).unwrap_or(false)
    }

    /// How many tokens fit into a request, where that is known: as the settings say, and no more than the endpoint does.
    pub fn window(&self) -> Option<u32> {
        self.endpoint.window().into_iter().chain(self.known().window).min()
    }

    /// Remembers how much the model takes at once; what it has taken shows that it takes that much.
    fn learn_window(&self, outcome: &Result<ChatReply, ChatError>) {
        let known = &mut self.known().window;
        match outcome {
            Err(ChatError::ContextOverflow { limit: Some(limit), .. }) => *known = u32::try_from(*limit).ok(),
            Ok(reply) if known.is_some_and(|window| reply.usage.input_tokens > u64::from(window)) => *known = None,
            _ => {}
        }
    }

    /// Whether two requests were served at once, as far as that has shown.
    pub(super) fn lanes_found(&self) -> Option<bool> {
        self.lanes.last_found()
    }

    /// Whether it looks as if requests were served one at a time.
    pub(super) fn is_suspected_of_one_lane(&self) -> bool {
        self.lanes.is_suspected()
    }

    /// Remembers whether analysis and answer are better asked for at once.
    pub(super) fn learn_lanes(&self, at_once: bool) {
        self.known().at_once = Some(at_once);
    }

    /// Remembers whether the model needs help.
    pub(super) fn learn_size(&self, small: bool) {
        self.known().small = Some(small);
    }

    /// Remembers that the model needs help, where its report went in circles and its name does not say how large it is.
    fn learn_from_circles(&self, report: &str) {
        if structured::goes_in_circles(report) && size::is_small(&self.endpoint.model).is_none() {
            self.known().small = Some(true);
        }
    }

    /// Forgets that tools were refused, so that they can be tried anew.
    pub(super) fn forget_about_tools(&self) {
        self.known().no_tools = false;
    }

    pub(super) fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Asks, and reports to `on_event` what happens on the way.
    ///
    /// Transient failures are tried again, each announced by [`ChatEvent::Retrying`], which voids the deltas before it.
    /// With a schema in the request, the reply's text holds an object with the root's required fields. A refusal or an
    /// answer cut by length is an error when nothing usable came (no text, or a schema was asked for) and otherwise
    /// shows in [`ChatReply::finish`]. Dropping the future cancels: the connection is closed at once, and what was
    /// consumed by then is booked.
    pub async fn chat(
        &self,
        request: &ChatRequest,
        on_event: &mut (dyn FnMut(ChatEvent) + Send),
    ) -> Result<ChatReply, ChatError> {
        self.chat_within(u32::MAX, request, on_event).await
    }

    /// The same with at most so many requests, all that is tried again or differently counted.
    pub async fn chat_within(
        &self,
        most: u32,
        request: &ChatRequest,
        on_event: &mut (dyn FnMut(ChatEvent) + Send),
    ) -> Result<ChatReply, ChatError> {
        let mut waits = self.waits();
        let (mut attempt, mut adaptations) = (0, 0);
        loop {
            attempt += 1;
            let known = self.capabilities();
            let means = request.schema.as_ref().map(|_| known.means());
            let outcome = self.attempt(request, &known, means, on_event).await;
            let outcome = outcome.map_err(|error| error.scrubbed(&self.endpoint));
            self.learn_window(&outcome);
            if outcome.as_ref().is_ok_and(|reply| reply.finish == Finish::Unmarked) {
                self.known().no_end_mark = true;
            }
            let error = match self.judge(request, means, outcome) {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let adapted = adaptations < MOST_ADAPTATIONS && self.adapt(request, &known, means, &error);
            // What was found out stays, for the next time.
            if attempt >= most {
                return Err(error);
            }
            let wait = if adapted {
                adaptations += 1;
                Duration::ZERO
            } else {
                match self.wait_before_next(&error, &mut waits).filter(|_| !self.is_settled(request, &error)) {
                    Some(wait) => wait,
                    None => return Err(error),
                }
            };
            on_event(ChatEvent::Retrying { attempt, wait, error });
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(
        &self,
        request: &ChatRequest,
        known: &Capabilities,
        means: Option<Means>,
        on_event: Emit<'_>,
    ) -> Result<ChatReply, ChatError> {
        if self.transport.is_live() {
            self.endpoint.prepare_key().await?;
        }
        let input = tokens::estimate_request(request);
        let (mut claim, max_output_tokens) = self.claim(request, input)?;
        let _permit = match &self.guard {
            Some((budget, _)) => Some(budget.admit(&mut |wait| on_event(ChatEvent::Queued { wait })).await),
            None => None,
        };
        if let Some(claim) = &mut claim {
            let most = self.most(input, self.bound(request, input));
            claim.write_ahead(&self.endpoint.model, most).await?;
        }
        let plan = Plan { endpoint: &self.endpoint, request, known, means, max_output_tokens };
        let lane = self.lanes.enter(request.schema.is_some());
        let mut watched = |event: ChatEvent| {
            match &event {
                ChatEvent::Started => lane.answered(),
                ChatEvent::Delta(_) | ChatEvent::Reasoning(_) => lane.goes_on(),
                _ => {}
            }
            on_event(event);
        };
        let reply = Call::new(&self.endpoint, request, claim, input).run(&self.transport, &plan, &mut watched).await;
        match &reply {
            Ok(_) => lane.ended(),
            Err(ChatError::RateLimited { .. }) => lane.refused(),
            Err(_) => {}
        }
        // On this machine two at once share it: that they are served at once does not make them quicker.
        if let Some(at_once) = self.lanes.found().filter(|at_once| !at_once || !self.endpoint.is_local()) {
            self.known().at_once = Some(at_once);
        }
        reply
    }

    /// Reserves the most the call can cost, and bounds its answer so that it really is the most.
    fn claim(&self, request: &ChatRequest, input: u64) -> Result<(Option<Reservation>, Option<u32>), ChatError> {
        let stated = request.max_output_tokens.or(self.endpoint.max_output_tokens).is_some();
        let bound = self.bound(request, input);
        let Some((budget, role)) = &self.guard else {
            return Ok((None, stated.then_some(bound)));
        };
        let claim = budget.reserve(*role, &self.estimate(&self.most(input, bound)))?;
        let limit = (budget.is_capped() || stated).then_some(bound);
        Ok((Some(claim), limit))
    }

    /// The most that a call with such a prompt and an answer of so many tokens can consume.
    pub(super) fn at_most(&self, input: u64, answer: u32) -> Estimate {
        self.at_most_data(input, self.endpoint.max_output_tokens.map_or(answer, |most| answer.min(most)))
    }

    /// The same for data, which is not bounded by how long an answer may be.
    pub(super) fn at_most_data(&self, input: u64, data: u32) -> Estimate {
        self.estimate(&self.most(input, data.saturating_add(self.known().room_to_think)))
    }

    fn estimate(&self, most: &Usage) -> Estimate {
        Estimate { endpoint: self.endpoint.name.clone(), tokens: most.total_tokens(), usd: most.cost_usd }
    }

    /// The most tokens an answer may have: what request and settings allow, what the model has shown to need for thinking
    /// before it, and what the prompt leaves of its window.
    fn bound(&self, request: &ChatRequest, input: u64) -> u32 {
        let most = self.endpoint.longest_answer();
        let answer = match self.endpoint.max_output_tokens {
            // Data that is cut is lost: how long an answer may be says nothing about it.
            Some(most) if request.schema.is_some() => request.max_output_tokens.unwrap_or(most),
            Some(most) => request.max_output_tokens.map_or(most, |wanted| wanted.min(most)),
            None => request.max_output_tokens.unwrap_or(most),
        };
        let bound = answer.saturating_add(self.known().room_to_think);
        let left = |window: u32| window.saturating_sub(u32::try_from(input).unwrap_or(u32::MAX)).max(LEAST_ANSWER);
        self.window().map_or(bound, |window| bound.min(left(window)))
    }

    /// The most that a call can consume.
    fn most(&self, input: u64, output: u32) -> Usage {
        let most = Usage {
            input_tokens: (input as f64 * MARGIN).ceil() as u64,
            output_tokens: u64::from(output),
            ..Usage::default()
        };
        Usage { cost_usd: self.endpoint.effective_price().map(|price| price.cost(&most)), ..most }
    }

    /// Checks that data came when data was asked for, and remembers the means that delivered it.
    fn judge(
        &self,
        request: &ChatRequest,
        means: Option<Means>,
        outcome: Result<ChatReply, ChatError>,
    ) -> Result<ChatReply, ChatError> {
        let mut reply = outcome?;
        let (Some(output), Some(means)) = (&request.schema, means) else { return Ok(reply) };
        let cut = reply.finish == Finish::Length;
        match structured::data(&reply.text, cut, output) {
            Some(data) => {
                self.known().confirm(means);
                reply.text = data;
                Ok(reply)
            }
            None if cut => {
                self.learn_from_circles(&reply.text);
                Err(ChatError::LengthCut { limit: reply.usage.output_tokens, text: reply.text })
            }
            None => Err(ChatError::NotStructured { model: reply.model, text: reply.text }),
        }
    }

    /// Changes how the endpoint is asked, if the failure shows that it must be asked differently.
    fn adapt(&self, request: &ChatRequest, before: &Capabilities, means: Option<Means>, error: &ChatError) -> bool {
        let provider = self.endpoint.provider;
        if let (ChatError::Unauthorized { .. }, Some(key)) = (error, &self.endpoint.key) {
            return key.run_out();
        }
        let mut known = self.known();
        match (error, means) {
            // Nothing but thoughts, told or not: the means of getting data is not at fault.
            (ChatError::LengthCut { text, .. }, _) if text.trim().is_empty() => {
                request.max_output_tokens.is_some() && known.give_room_to_think()
            }
            // Endpoints that ignore what they do not know answer with prose or nothing. A means that has worked before is
            // kept: then it is this answer that is wrong, not the means.
            (ChatError::NotStructured { text, .. }, Some(means)) if structured::is_part(text, request) => {
                known.confirm(means);
                false
            }
            (ChatError::NotStructured { .. } | ChatError::Empty { .. }, Some(means)) => {
                before.is_in_doubt() && known.step_down(means, provider)
            }
            // Prose cut by length is prose; data cut by length shows that the means works.
            (ChatError::LengthCut { text, .. }, Some(means)) if !text.trim_start().starts_with('{') => {
                before.is_in_doubt() && known.step_down(means, provider)
            }
            (error, means) => known.learn(error, request, means.unwrap_or(Means::Prompt), provider),
        }
    }

    /// Whether trying again is known to bring nothing else: no means has brought data yet, and all were tried.
    fn is_settled(&self, request: &ChatRequest, error: &ChatError) -> bool {
        let empty = matches!(error, ChatError::Empty { .. });
        empty && request.schema.is_some() && self.known().is_in_doubt()
    }

    fn wait_before_next(&self, error: &ChatError, waits: &mut impl Iterator<Item = Duration>) -> Option<Duration> {
        if !error.is_transient() {
            return None;
        }
        let longest = self.endpoint.retry.longest_wait;
        let wait = waits.next()?.min(longest);
        match error.retry_after() {
            Some(asked) if asked > longest => None,
            Some(asked) => Some(asked.max(self.endpoint.retry.first_wait)),
            None => Some(wait),
        }
    }

    fn waits(&self) -> impl Iterator<Item = Duration> + use<> {
        let policy = self.endpoint.retry;
        ExponentialBuilder::default()
            .with_min_delay(policy.first_wait)
            .with_max_delay(policy.longest_wait)
            .with_max_times(policy.attempts.saturating_sub(1) as usize)
            .with_jitter()
            .build()
    }

    fn known(&self) -> MutexGuard<'_, Capabilities> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
