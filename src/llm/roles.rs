//! A client for each role, all under one budget.

use std::sync::Arc;

use super::budget::Budget;
use super::chat::{ChatEvent, ChatReply, ChatRequest};
use super::client::Client;
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::record::{Recorder, Recordings};
use super::remembered::Remembered;
use super::spend::{BudgetReached, CallRole};

/// The answer that engines keep room for, in tokens.
const ANSWER: u32 = 1_500;
/// A report, and what asks for it.
const REPORT: u32 = 2_000;
const REPORT_PROMPT: u64 = 1_200;
/// A report as most are, the call of a tool, and what it brings.
const USUAL_REPORT: u32 = 400;
const USUAL_CALL: u32 = 200;
const TOOL_RESULTS: u64 = 2_000;

/// The models of a session: one for each role, the default where a role has none of its own.
#[derive(Debug, Clone)]
pub struct Models {
    clients: [Client; 4],
    budget: Arc<Budget>,
    remembered: Option<Arc<Remembered>>,
}

impl Models {
    /// Prepares the clients; nothing is sent. Roles without an endpoint of their own use `default`.
    pub fn new(default: Endpoint, by_role: Vec<(CallRole, Endpoint)>, budget: Arc<Budget>) -> Result<Self, ChatError> {
        let default = Client::new(default)?;
        let clients = CallRole::ALL.map(|role| default.clone().guarded_by(Arc::clone(&budget), role));
        let mut models = Self { clients, budget, remembered: None };
        for (role, endpoint) in by_role {
            let client = Client::new(endpoint)?;
            models.clients[role as usize] = client.guarded_by(Arc::clone(&models.budget), role);
        }
        Ok(models)
    }

    /// The same models for another session: its calls are booked into its own budget.
    #[must_use]
    pub fn under(&self, budget: &Arc<Budget>) -> Self {
        let guarded = |role: CallRole| self.clients[role as usize].clone().guarded_by(Arc::clone(budget), role);
        let clients = CallRole::ALL.map(guarded);
        Self { clients, budget: Arc::clone(budget), remembered: self.remembered.clone() }
    }

    /// Records every exchange of every role.
    #[must_use]
    pub fn recording_to(mut self, recorder: &Arc<Recorder>) -> Self {
        self.clients = self.clients.map(|client| client.recording_to(Arc::clone(recorder)));
        self
    }

    /// Answers from recordings for every role.
    #[must_use]
    pub fn replaying(mut self, recordings: &Arc<Recordings>) -> Self {
        self.clients = self.clients.map(|client| client.replaying(Arc::clone(recordings)));
        self
    }

    /// The client of a role.
    pub fn client(&self, role: CallRole) -> &Client {
        &self.clients[role as usize]
    }

    /// The budget they share.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Whether analysis and answer are better asked for at once than one after the other. A model on this machine has the
    /// machine to itself while it answers, unless it has shown that it serves two at once.
    pub fn serves_at_once(&self) -> bool {
        let at_once = |role: CallRole| {
            let client = self.client(role);
            let at_once = client.capabilities().at_once.unwrap_or(!client.endpoint().is_local());
            at_once && !client.is_suspected_of_one_lane()
        };
        at_once(CallRole::Analyse) && at_once(CallRole::Respond) && !self.budget.is_one_at_a_time()
    }

    /// Whether the answers come from this machine.
    pub fn is_local(&self) -> bool {
        self.client(CallRole::Respond).endpoint().is_local()
    }

    /// Opens connections to the endpoints of a conversation, so that its first message need not wait for that.
    pub async fn connect(&self) {
        let (analyse, respond) = (self.client(CallRole::Analyse), self.client(CallRole::Respond));
        respond.connect().await;
        if analyse.endpoint().host() != respond.endpoint().host() {
            analyse.connect().await;
        }
    }

    /// Whether the beginning of a request may be sent ahead of it: where that is free, or the user has said so.
    pub fn takes_beginnings(&self) -> bool {
        let client = self.client(CallRole::Respond);
        client.is_live() && client.endpoint().warm_up.unwrap_or(client.endpoint().is_free())
    }

    /// Whether an answer and an analysis that begin with a prompt of so many tokens still fit under the caps together, so
    /// that none of them is paid for and thrown away.
    pub fn fits_a_turn(&self, prompt: u64) -> bool {
        if !self.budget.is_capped() {
            return true;
        }
        let answer = self.client(CallRole::Respond).at_most(prompt, ANSWER);
        let analysis = self.client(CallRole::Analyse).at_most_data(prompt + REPORT_PROMPT, REPORT);
        self.budget.fits(&[answer, analysis])
    }

    /// What stands in the way of an analysis with an answer after it, where they are asked for one after the other: an
    /// analysis that no answer can follow is not paid for.
    pub fn check_turn(&self, prompt: u64) -> Result<(), BudgetReached> {
        let answer = self.client(CallRole::Respond).at_most(prompt, ANSWER);
        let analysis = self.client(CallRole::Analyse).at_most_data(prompt + REPORT_PROMPT, USUAL_REPORT);
        if self.budget.is_capped() { self.budget.check(&[answer, analysis]) } else { Ok(()) }
    }

    /// Whether the call after a tool still fits under the caps, with what the tool brought, and the one that asks for it.
    pub fn fits_tools(&self, prompt: u64) -> bool {
        let client = self.client(CallRole::Respond);
        let (asks, answers) = (client.at_most(prompt, USUAL_CALL), client.at_most(prompt + TOOL_RESULTS, ANSWER));
        !self.budget.is_capped() || self.budget.fits(&[asks, answers])
    }

    /// Whether one of the two models of a conversation needs help.
    pub fn are_small(&self) -> bool {
        self.client(CallRole::Analyse).is_small() || self.client(CallRole::Respond).is_small()
    }

    /// Asks the model of a role; see [`Client::chat`].
    pub async fn chat(
        &self,
        role: CallRole,
        request: &ChatRequest,
        on_event: &mut (dyn FnMut(ChatEvent) + Send),
    ) -> Result<ChatReply, ChatError> {
        self.chat_within(u32::MAX, role, request, on_event).await
    }

    /// The same with at most so many requests; see [`Client::chat_within`].
    pub async fn chat_within(
        &self,
        most: u32,
        role: CallRole,
        request: &ChatRequest,
        on_event: &mut (dyn FnMut(ChatEvent) + Send),
    ) -> Result<ChatReply, ChatError> {
        let client = self.client(role);
        let reply = client.chat_within(most, request, on_event).await;
        if let Some(remembered) = &self.remembered {
            remembered.keep(&identity(client), &client.capabilities());
        }
        reply
    }

    /// Keeps what has been found out about the endpoints for the next run.
    pub fn remember(&self) {
        for client in &self.clients {
            if let Some(remembered) = &self.remembered {
                remembered.keep(&identity(client), &client.capabilities());
            }
        }
    }

    /// Begins with what was found out about the endpoints in earlier runs, and keeps what is found out in this one.
    #[must_use]
    pub fn remembering(mut self, remembered: Arc<Remembered>) -> Self {
        for client in &self.clients {
            if let Some(capabilities) = remembered.get(&identity(client)) {
                client.restore(capabilities);
            }
        }
        self.remembered = Some(remembered);
        self
    }
}

/// An endpoint and model, whatever the profile is called. What else a URL may carry is nobody's business.
fn identity(client: &Client) -> String {
    let endpoint = client.endpoint();
    format!("{}{} {}", endpoint.host(), endpoint.chat_url().path(), endpoint.model)
}
