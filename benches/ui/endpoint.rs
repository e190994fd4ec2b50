//! An endpoint on loopback that writes a long answer at a steady pace, and knows when it wrote the last word of it.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The last word of the answer, which stands nowhere else.
pub const LAST: &str = "Xylophone";

const END: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// The endpoint, for as long as the program runs.
pub struct Endpoint {
    pub url: String,
    last: Arc<Mutex<Option<Instant>>>,
}

impl Endpoint {
    /// Writes these tokens as its answer, so many in a second.
    pub fn writing(tokens: Vec<String>, per_second: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let last = Arc::new(Mutex::new(None));
        let (told, tokens) = (Arc::clone(&last), Arc::new(tokens));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (told, tokens) = (Arc::clone(&told), Arc::clone(&tokens));
                // A client that hangs up ends it.
                thread::spawn(move || attend(stream, &tokens, per_second, &told).ok());
            }
        });
        Self { url, last }
    }

    /// When the last word was written.
    pub fn wrote_last(&self) -> Option<Instant> {
        *self.last.lock().expect("no one has panicked")
    }
}

fn attend(
    mut stream: TcpStream,
    tokens: &[String],
    per_second: u32,
    told: &Mutex<Option<Instant>>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let Some(body) = request(&mut stream)? else {
        let none = "{\"data\":[]}";
        return write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{none}", none.len());
    };
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    if body.get("response_format").is_some() {
        let found = json!({ "fields": [], "signals": {} }).to_string();
        return write!(stream, "{}{END}", event(&found));
    }
    let begun = Instant::now();
    for (at, token) in tokens.iter().enumerate() {
        let due = begun + Duration::from_secs(1) * at as u32 / per_second;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        stream.write_all(event(token).as_bytes())?;
    }
    stream.write_all(event(&format!("\n\n{LAST}?")).as_bytes())?;
    *told.lock().expect("no one has panicked") = Some(Instant::now());
    stream.write_all(END.as_bytes())
}

fn event(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }))
}

/// The body of a request; `None` where it has none.
fn request(stream: &mut TcpStream) -> std::io::Result<Option<Value>> {
    let (mut received, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        let count = stream.read(&mut buffer)?;
        received.extend_from_slice(&buffer[..count]);
        let head = received.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        if let Some(at) = head {
            if received.starts_with(b"GET") || count == 0 {
                return Ok(None);
            }
            if let Ok(body) = serde_json::from_slice(&received[at + 4..]) {
                return Ok(Some(body));
            }
        }
    }
}
