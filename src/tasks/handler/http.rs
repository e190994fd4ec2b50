//! The `http` handler: an address that takes JSON and answers JSON. Encrypted or on this machine, nowhere else.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde_json::{Value, json};

use super::{Attempt, HandlerKind, Job, Progress};
use crate::engine::config::handlers::HttpHandler;
use crate::engine::this_machine::is_this_machine;
use crate::llm::scrub;
use crate::sandbox::{Grant, Network};
use crate::tasks::failure::{AttemptFailure, FailureKind};
use crate::tasks::result::{Basis, HandlerResult, shaped};
use crate::tasks::sanitise;
use crate::tasks::trust::{Deed, Scene, quoted};

/// The largest answer.
const MAX_ANSWER: usize = 256 * 1024;
/// Redirects that are followed, all of them within one origin.
const MAX_REDIRECTS: usize = 3;

impl HandlerKind for HttpHandler {
    fn deed(&self, _: Scene<'_>) -> Deed {
        let url = &self.url.value;
        let words = format!("send what is known of the conversation to {}", quoted(url));
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let network = Network::Hosts(host.into_iter().collect());
        let grant = Grant { network, ..Grant::default() };
        Deed { words, grant, exactly: json!({ "type": "http", "url": url }), outside: Vec::new(), obstacle: None }
    }

    fn keeps_time(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, job: &'a Job<'a>, progress: Progress<'a>) -> Attempt<'a> {
        Box::pin(run(self, job, progress))
    }
}

async fn run(handler: &HttpHandler, job: &Job<'_>, progress: Progress<'_>) -> Result<HandlerResult, AttemptFailure> {
    let url = address(&handler.url).map_err(AttemptFailure::hopeless)?;
    let host = url.host_str().unwrap_or_default().to_owned();
    let basis = Basis::Address(scrub::address(&url));
    let client = client(is_loopback(&url), job.time).map_err(|error| AttemptFailure::hopeless(error.to_string()))?;
    progress(&format!("asking {host}"));
    let exchange = async {
        let request = client.post(url).json(&job.material()).send();
        let response = request.await.map_err(|error| unreachable(&host, job.time, &error))?;
        let status = response.status();
        let body = read_capped(response, &host, job.time).await?;
        Ok((status, body))
    };
    let (status, body) = exchange.await?;
    if !status.is_success() {
        return Err(refused(&host, status, &body));
    }
    let value: Value = serde_json::from_slice(&body)
        .map_err(|error| AttemptFailure::failed(format!("{host} did not answer JSON: {error}")))?;
    Ok(HandlerResult { value: shaped(&value, &handler.output)?, basis })
}

/// The address, if what is sent there cannot be overheard: it is encrypted, or stays on this machine.
fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{} is no address: {error}", sanitise::line(text, 200)))?;
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err(format!("{} is neither encrypted nor on this machine", sanitise::line(&scrub::address(&url), 200))),
    }
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_this_machine)
}

fn client(local: bool, time: Duration) -> reqwest::Result<Client> {
    build(local, time, false)
        // A bare container has no certificates, which fails even for plain HTTP; Mozilla's own list then serves.
        .or_else(|_| build(local, time, true))
}

fn build(local: bool, time: Duration, own_roots: bool) -> reqwest::Result<Client> {
    let mut builder = Client::builder()
        .user_agent(concat!("elenchus/", env!("CARGO_PKG_VERSION")))
        .timeout(time)
        .redirect(Policy::custom(|attempt| {
            let origin = attempt.previous().first().map(Url::origin);
            let stays = origin.is_some_and(|origin| origin == attempt.url().origin());
            // What the user said goes to the address they agreed to, not to wherever that sends it.
            if stays && attempt.previous().len() <= MAX_REDIRECTS { attempt.follow() } else { attempt.stop() }
        }));
    if local {
        builder = builder.no_proxy();
    }
    if own_roots {
        let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
        builder = builder.tls_certs_only(roots.filter_map(|der| reqwest::Certificate::from_der(der).ok()));
    }
    builder.build()
}

async fn read_capped(mut response: reqwest::Response, host: &str, time: Duration) -> Result<Vec<u8>, AttemptFailure> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(host, time, &error))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER {
            return Err(AttemptFailure::failed(format!("{host} answered more than {} KiB", MAX_ANSWER / 1024)));
        }
    }
    Ok(body)
}

fn refused(host: &str, status: reqwest::StatusCode, body: &[u8]) -> AttemptFailure {
    if status.is_redirection() {
        return AttemptFailure::hopeless(format!("{host} sends elsewhere, which is not followed"));
    }
    let said = sanitise::line(&scrub::words(&String::from_utf8_lossy(body)), 160);
    let said = if said.is_empty() { said } else { format!(": {said}") };
    let message = format!("{host} answered {}{said}", status.as_u16());
    // The same request would be refused the same way.
    let hopeless = matches!(status.as_u16(), 400..=407 | 410..=417 | 501);
    if hopeless { AttemptFailure::hopeless(message) } else { AttemptFailure::failed(message) }
}

fn unreachable(host: &str, time: Duration, error: &reqwest::Error) -> AttemptFailure {
    if error.is_timeout() {
        let message = format!("{host} did not answer within {} s", time.as_secs());
        return AttemptFailure { kind: FailureKind::Stuck, message };
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    AttemptFailure::failed(format!("{host} cannot be reached: {}", sanitise::line(&cause.to_string(), 160)))
}
