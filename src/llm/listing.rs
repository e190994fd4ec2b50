//! Asks an endpoint which models it offers. It costs nothing and tells whether address and key are right.

use reqwest::Method;
use serde_json::Value;
use tokio::time::timeout;

use super::client::Client;
use super::endpoint::Endpoint;
use super::error::{ChatError, TimeoutPhase};
use super::status::{self, Report};
use super::transport::Outgoing;

/// A long list is a few hundred kilobytes; more is no list of models.
const LONGEST_LIST: usize = 4 << 20;

/// The largest catalogues have some hundreds; nobody chooses from more.
const MOST_MODELS: usize = 2_000;

impl Client {
    /// The models the endpoint offers, in its order. Tried once.
    pub async fn models(&self) -> Result<Vec<String>, ChatError> {
        let endpoint = self.endpoint();
        let after = endpoint.timeouts.first_byte;
        let timed_out = |_| ChatError::Timeout { host: endpoint.host(), phase: TimeoutPhase::FirstByte, after };
        let outcome = timeout(after, self.fetch_models()).await.map_err(timed_out)?;
        outcome.map_err(|error| error.scrubbed(endpoint))
    }

    /// Opens a connection by asking for something small. A connection on this machine costs nothing, and is not kept.
    pub(super) async fn connect(&self) {
        if self.is_live() && !self.endpoint().is_local() {
            drop(self.models().await);
        }
    }

    async fn fetch_models(&self) -> Result<Vec<String>, ChatError> {
        let endpoint = self.endpoint();
        endpoint.prepare_key().await?;
        let outgoing = Outgoing { method: Method::GET, url: endpoint.models_url(), body: Vec::new() };
        let mut incoming = self.transport().send(endpoint, outgoing).await?;
        let mut bytes = Vec::new();
        let lost = |_| ChatError::StreamCut { host: endpoint.host(), received: 0 };
        while let Some(chunk) = incoming.body.chunk().await.map_err(lost)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > LONGEST_LIST {
                return Err(ChatError::Oversize { limit: LONGEST_LIST });
            }
        }
        let body = String::from_utf8_lossy(&bytes);
        let report = Report { status: incoming.status, headers: &incoming.headers, body: &body };
        if incoming.status != 200 || status::is_markup(&body) {
            return Err(status::from_report(endpoint, &report));
        }
        let no_list = || ChatError::MalformedStream { detail: "it is not a list of models".to_owned() };
        names(endpoint, &body).ok_or_else(|| status::refused_key(endpoint, &body).unwrap_or_else(no_list))
    }
}

fn names(endpoint: &Endpoint, body: &str) -> Option<Vec<String>> {
    let list: Value = serde_json::from_str(body).ok()?;
    let models = list.get("data").or_else(|| list.get("models"))?.as_array()?;
    let name =
        |model: &'_ Value| model.get("id").or_else(|| model.get("name")).and_then(Value::as_str).map(str::to_owned);
    let named = models.iter().filter_map(name).take(MOST_MODELS);
    Some(named.map(|name| status::legible(&endpoint.scrub(&name))).collect())
}
