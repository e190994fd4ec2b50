//! Measures what the endpoint layer itself adds to a call: from the question to the request on the wire, and from a
//! byte received to the event emitted. Each must stay under 5 ms.
#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use elenchus::llm::sse::SseParser;
use elenchus::llm::{ChatEvent, ChatMessage, ChatRequest, Client, Endpoint, OutputSchema, Provider, tokens};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

/// A late turn: long instructions, forty messages, a schema of sixty fields.
fn late_turn() -> ChatRequest {
    let field = |at: usize| {
        json!({ "type": "object", "properties": { "path": { "const": format!("area.field_{at}") },
        "value": { "type": "string" }, "confidence": { "type": "number" }, "quote": { "type": "string" } },
        "required": ["path", "value", "confidence", "quote"], "additionalProperties": false })
    };
    let fields: Vec<_> = (0..60).map(field).collect();
    let schema = json!({ "type": "object", "properties": { "fields": { "type": "array", "items": { "anyOf": fields } } },
        "required": ["fields"], "additionalProperties": false });
    let words = "Reception loses three hours a day on the phone, mostly to move appointments. ";
    let messages = (0..40).map(|at| match at % 2 {
        0 => ChatMessage::user(words.repeat(4)),
        _ => ChatMessage::assistant(words.repeat(6)),
    });
    ChatRequest {
        system: vec![words.repeat(100), words.repeat(20)],
        messages: messages.collect(),
        schema: Some(OutputSchema { name: "analysis".to_owned(), schema: schema.into(), in_parts: false }),
        max_output_tokens: Some(1000),
        temperature: Some(0.2),
        ..ChatRequest::default()
    }
}

/// A server that tells when a request's first byte arrives and when it sends the first byte of the answer.
async fn timed_server() -> (Client, mpsc::UnboundedReceiver<Instant>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let (sender, times) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut buffer = vec![0; 1 << 20];
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut received = Vec::new();
            let mut count = stream.read(&mut buffer).await.expect("a request");
            sender.send(Instant::now()).expect("the benchmark listens");
            while count > 0 {
                received.extend_from_slice(&buffer[..count]);
                if received.ends_with(b"}") {
                    break;
                }
                count = stream.read(&mut buffer).await.expect("a request");
            }
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            stream.write_all(head.as_bytes()).await.expect("a client");
            let body = "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"fields\\\":[]}\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
            sender.send(Instant::now()).expect("the benchmark listens");
            stream.write_all(body.as_bytes()).await.expect("a client");
        }
    });
    let endpoint = Endpoint::new("bench", Provider::OpenAi, &format!("http://{address}"), "m").expect("valid");
    (Client::new(endpoint).expect("usable"), times)
}

/// One call: the time to the first byte at the server, and from the answer's first byte to its event.
async fn one_call(
    client: &Client,
    times: &mut mpsc::UnboundedReceiver<Instant>,
    request: &ChatRequest,
) -> (Duration, Duration) {
    let asked = Instant::now();
    let mut emitted = None;
    let mut on_event = |event| {
        if matches!(event, ChatEvent::Delta(_)) {
            emitted = Some(Instant::now());
        }
    };
    client.chat(request, &mut on_event).await.expect("an answer");
    let (arrived, answered) = (times.recv().await.expect("a time"), times.recv().await.expect("a time"));
    (arrived - asked, emitted.expect("a delta") - answered)
}

fn added_latency(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let request = late_turn();
    let (client, mut times) = runtime.block_on(timed_server());
    criterion.bench_function("question to request on the wire", |bencher| {
        bencher.iter_custom(|rounds| {
            runtime.block_on(async {
                let mut total = Duration::ZERO;
                for _ in 0..rounds {
                    total += one_call(&client, &mut times, &request).await.0;
                }
                total
            })
        });
    });
    criterion.bench_function("byte received to event emitted", |bencher| {
        bencher.iter_custom(|rounds| {
            runtime.block_on(async {
                let mut total = Duration::ZERO;
                for _ in 0..rounds {
                    total += one_call(&client, &mut times, &request).await.1;
                }
                total
            })
        });
    });
}

fn parsing(criterion: &mut Criterion) {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n".repeat(1000);
    criterion.bench_function("parse 1000 events in chunks of 1400 bytes", |bencher| {
        bencher.iter(|| {
            let mut parser = SseParser::new(1 << 20);
            let mut events = 0;
            for chunk in stream.as_bytes().chunks(1400) {
                parser.push(black_box(chunk), &mut |_| events += 1).expect("small events");
            }
            events
        });
    });
    let request = late_turn();
    criterion.bench_function("estimate the tokens of a late turn", |bencher| {
        bencher.iter(|| tokens::estimate_request(black_box(&request)));
    });
}

criterion_group!(benches, added_latency, parsing);
criterion_main!(benches);
