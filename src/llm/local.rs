//! Looks for model servers on this machine. Never called implicitly: somebody asks for it.

use std::time::Duration;

use tokio::task::JoinSet;

use super::client::Client;
use super::endpoint::{Endpoint, Provider};
use super::terms::RetryPolicy;

/// A server on this machine either answers at once or is not there.
const PATIENCE: Duration = Duration::from_millis(400);

/// The servers people run, and the ports they listen on.
pub const KNOWN_SERVERS: [(&str, u16); 3] = [("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080)];

/// A model server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// The program that usually listens there.
    pub name: String,
    /// Its base URL.
    pub base_url: String,
    /// The models it offers.
    pub models: Vec<String>,
}

/// Looks for the known servers, all at once, in well under a second.
pub async fn detect() -> Vec<LocalServer> {
    detect_at(&KNOWN_SERVERS).await
}

/// Looks for servers at the given ports. The result keeps their order.
pub async fn detect_at(servers: &[(&str, u16)]) -> Vec<LocalServer> {
    let mut searches = JoinSet::new();
    for (place, (name, port)) in servers.iter().enumerate() {
        let (name, port) = ((*name).to_owned(), *port);
        searches.spawn(async move { Some((place, ask(name, port).await?)) });
    }
    let mut found: Vec<(usize, LocalServer)> = searches.join_all().await.into_iter().flatten().collect();
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, server)| server).collect()
}

async fn ask(name: String, port: u16) -> Option<LocalServer> {
    let base_url = format!("http://127.0.0.1:{port}/v1");
    let mut endpoint = Endpoint::new(&name, Provider::OpenAi, &base_url, "").ok()?;
    endpoint.timeouts.connect = PATIENCE;
    endpoint.timeouts.first_byte = PATIENCE;
    endpoint.retry = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
    let models = Client::new(endpoint).ok()?.models().await.ok()?;
    Some(LocalServer { name, base_url, models })
}
