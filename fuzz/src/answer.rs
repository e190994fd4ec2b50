//! An endpoint's answer from the socket to the reply: it ends, it is bounded, and the key is in none of it.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use elenchus::llm::{ChatMessage, ChatRequest, Client, Endpoint, KeySource, OutputSchema, Provider};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const KEY: &str = "sk-fuzz-0123456789abcdef";

/// What the server writes to whoever asks next.
static SCRIPT: LazyLock<Arc<Mutex<Vec<Vec<u8>>>>> = LazyLock::new(Arc::default);

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime"));

static SERVER: LazyLock<SocketAddr> = LazyLock::new(|| {
    let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let address = listener.local_addr().expect("an address");
    let script = Arc::clone(&SCRIPT);
    RUNTIME.spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let pieces = script.lock().expect("not poisoned").clone();
            let mut seen = Vec::new();
            let mut buffer = [0; 8_192];
            while !seen.windows(4).any(|window| window == b"\r\n\r\n") {
                match socket.read(&mut buffer).await {
                    Ok(count) if count > 0 => seen.extend_from_slice(&buffer[..count]),
                    _ => break,
                }
            }
            for piece in pieces {
                if socket.write_all(&piece).await.is_err() {
                    break;
                }
            }
            let _ = socket.shutdown().await;
        }
    });
    address
});

fn client(provider: Provider) -> Client {
    let address = format!("http://{}/v1", *SERVER);
    let endpoint = Endpoint::new("fuzz", provider, &address, "m").expect("valid");
    let mut endpoint = endpoint.with_key(KEY, KeySource::Variable("KEY".to_owned()));
    endpoint.retry.attempts = 1;
    endpoint.max_reply_bytes = 64 * 1024;
    endpoint.timeouts.stall = Duration::from_millis(200);
    endpoint.timeouts.total = Duration::from_secs(2);
    Client::new(endpoint).expect("usable")
}

static CLIENTS: LazyLock<[Client; 4]> =
    LazyLock::new(|| [Provider::OpenAi, Provider::Anthropic, Provider::Responses, Provider::Ollama].map(client));

pub fn try_input(bytes: &[u8]) {
    let [flags, step, body @ ..] = bytes else { return };
    let status = if flags & 1 == 0 { "200 OK" } else { "400 Bad Request" };
    let kind = ["text/event-stream", "application/json", "text/html", "text/plain"][usize::from(flags >> 1) & 3];
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    let mut script = vec![head.into_bytes()];
    script.extend(body.chunks(usize::from(*step) * 4 + 1).take(64).map(<[u8]>::to_vec));
    *SCRIPT.lock().expect("not poisoned") = script;
    let schema = (flags & 8 != 0).then(|| OutputSchema {
        name: "analysis".to_owned(),
        schema: Arc::new(serde_json::json!({ "type": "object", "properties": { "fields": { "type": "array" } },
            "required": ["fields"], "additionalProperties": false })),
    });
    let request = ChatRequest { messages: vec![ChatMessage::user("Hello?")], schema, ..ChatRequest::default() };
    let client = &CLIENTS[usize::from(flags >> 4) & 3];
    let mut told = String::new();
    let reply = RUNTIME.block_on(client.chat(&request, &mut |event| told.push_str(&format!("{event:?}"))));
    let shown = format!("{told} {reply:?} {}", reply.as_ref().err().map(ToString::to_string).unwrap_or_default());
    assert!(!shown.contains(KEY), "the key shows: {shown}");
}
