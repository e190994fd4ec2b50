//! A client for each role, all under one budget.

use std::sync::Arc;

use super::budget::Budget;
use super::chat::{ChatEvent, ChatReply, ChatRequest};
use super::client::Client;
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::record::{Recorder, Recordings};
use super::spend::CallRole;
use super::structured::Capabilities;

/// The models of a session: one for each role, the default where a role has none of its own.
#[derive(Debug, Clone)]
pub struct Models {
    clients: [Client; 4],
    budget: Arc<Budget>,
}

impl Models {
    /// Prepares the clients; nothing is sent. Roles without an endpoint of their own use `default`.
    pub fn new(default: Endpoint, by_role: Vec<(CallRole, Endpoint)>, budget: Arc<Budget>) -> Result<Self, ChatError> {
        let default = Client::new(default)?;
        let clients = CallRole::ALL.map(|role| default.clone().guarded_by(Arc::clone(&budget), role));
        let mut models = Self { clients, budget };
        for (role, endpoint) in by_role {
            let client = Client::new(endpoint)?;
            models.clients[role as usize] = client.guarded_by(Arc::clone(&models.budget), role);
        }
        Ok(models)
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

    /// Asks the model of a role; see [`Client::chat`].
    pub async fn chat(
        &self,
        role: CallRole,
        request: &ChatRequest,
        on_event: &mut (dyn FnMut(ChatEvent) + Send),
    ) -> Result<ChatReply, ChatError> {
        self.client(role).chat(request, on_event).await
    }

    /// What has been found out, by endpoint and model, to be kept until the next start.
    pub fn capabilities(&self) -> Vec<(String, Capabilities)> {
        let mut all: Vec<_> = self.clients.iter().map(|client| (identity(client), client.capabilities())).collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.dedup_by(|(a, _), (b, _)| a == b);
        all
    }

    /// Restores what was found out earlier; entries of other endpoints are passed over.
    pub fn restore(&self, kept: &[(String, Capabilities)]) {
        for client in &self.clients {
            if let Some((_, capabilities)) = kept.iter().find(|(name, _)| *name == identity(client)) {
                client.restore(capabilities.clone());
            }
        }
    }
}

/// An endpoint and model, whatever the profile is called.
fn identity(client: &Client) -> String {
    let endpoint = client.endpoint();
    format!("{} {}", endpoint.chat_url(), endpoint.model)
}
