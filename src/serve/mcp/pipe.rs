//! The two pipes to a client: a JSON message on each line. Lines are bounded, and what is no message is answered in words.

use std::io::{self, BufRead};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::engine::turn::MAX_MESSAGE;
use crate::files::lines::{Line, read_line};
use crate::text::json_escaped;

/// The longest line that is taken in: the longest message with every sign of it written as an escape, and something
/// around it.
const MAX_LINE: usize = 6 * MAX_MESSAGE + 64 * 1024;

/// So many messages wait at most for the other side to read them.
const WAITING: usize = 64;

pub(super) struct Pipe {
    lines: mpsc::Receiver<io::Result<Line>>,
    /// The line that is read next, once there is room for its answer.
    next: Option<io::Result<Line>>,
    out: mpsc::Sender<Outgoing>,
}

struct Outgoing {
    line: String,
    written: oneshot::Sender<io::Result<()>>,
}

impl Pipe {
    /// Reads and writes on threads of their own: a client that does neither holds nothing else up.
    pub fn open(
        mut input: impl BufRead + Send + 'static,
        mut write: impl FnMut(&str) -> io::Result<()> + Send + 'static,
    ) -> Self {
        let (sender, lines) = mpsc::channel(1);
        std::thread::spawn(move || {
            while let Some(line) = read_line(&mut input, MAX_LINE).transpose() {
                let last = line.is_err();
                if sender.blocking_send(line).is_err() || last {
                    return;
                }
            }
        });
        let (out, mut queue) = mpsc::channel::<Outgoing>(WAITING);
        std::thread::spawn(move || {
            while let Some(Outgoing { line, written }) = queue.blocking_recv() {
                // It fails only where nobody waits for it any more.
                let _ = written.send(write(&line));
            }
        });
        Self { lines, next: None, out }
    }
}

/// A message as it is written: one line.
fn line_of(item: &ServerJsonRpcMessage) -> io::Result<String> {
    Ok(serde_json::to_string(item).map(|text| format!("{}\n", json_escaped(&text)))?)
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = line_of(&item);
        let out = self.out.clone();
        async move {
            let (written, done) = oneshot::channel();
            let closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
            out.send(Outgoing { line: line?, written }).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
            done.await.unwrap_or_else(|gone| Err(closed(gone)))
        }
    }

    /// The next message. A client that writes and does not read is heard no further once its answers fill the queue;
    /// otherwise they would fill the memory. What is waited for here can be waited for again: no line is lost.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.next.is_none() {
                self.next = Some(self.lines.recv().await?);
            }
            let room = self.out.reserve().await.ok()?;
            let refused = match self.next.take()? {
                Ok(Line::Whole(line)) if line.trim_ascii().is_empty() => continue,
                Ok(Line::Whole(line)) => match read(&line) {
                    Ok(message) => return Some(message),
                    Err(refused) => refused,
                },
                Ok(Line::TooLong(size)) => {
                    let (size, most) = (size.div_ceil(1024), MAX_LINE / 1024);
                    let why = format!("the message has {size} KiB; at most {most} KiB are taken in");
                    NoMessage { code: ErrorCode::INVALID_REQUEST, why, id: None }
                }
                Err(error) => {
                    tracing::warn!(%error, "the pipe from a client could not be read");
                    return None;
                }
            };
            // Nobody waits for it to be written: the next message may be what the client waits for.
            if let Ok(line) = line_of(&refused.told()) {
                room.send(Outgoing { line, written: oneshot::channel().0 });
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close();
        Ok(())
    }
}

/// Why a line is no message.
struct NoMessage {
    code: ErrorCode,
    why: String,
    /// The request that it was to be, where that can be seen.
    id: Option<RequestId>,
}

impl NoMessage {
    fn told(self) -> ServerJsonRpcMessage {
        ServerJsonRpcMessage::error(ErrorData::new(self.code, self.why, None), self.id)
    }
}

fn read(line: &[u8]) -> Result<ClientJsonRpcMessage, NoMessage> {
    let no_json = |_| NoMessage { code: ErrorCode::PARSE_ERROR, why: "the line is no JSON".to_owned(), id: None };
    let value: Value = serde_json::from_slice(line).map_err(no_json)?;
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    let no_message = |_| {
        let why = "the line is JSON, but no message of the Model Context Protocol".to_owned();
        NoMessage { code: ErrorCode::INVALID_REQUEST, why, id }
    };
    serde_json::from_value(value).map_err(no_message)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Nothing else runs here, so that the clock stands still until the pipe waits.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_heard_no_further() {
        const LINES: usize = 10 * WAITING;
        let (sender, lines) = mpsc::channel(LINES);
        let (out, mut queue) = mpsc::channel(WAITING);
        for number in 0..LINES {
            let line = format!("{{\"id\":{number}}}\n").into_bytes();
            assert!(sender.try_send(Ok(Line::Whole(line))).is_ok());
        }
        drop(sender);
        let mut pipe = Pipe { lines, next: None, out };
        let soon = Duration::from_secs(1);
        assert!(tokio::time::timeout(soon, pipe.receive()).await.is_err(), "it waits for its answers to be read");
        assert_eq!((queue.len(), pipe.lines.len()), (WAITING, LINES - WAITING - 1));
        let mut answered = Vec::new();
        while answered.len() < LINES {
            let _ = tokio::time::timeout(soon, pipe.receive()).await;
            answered.extend(std::iter::from_fn(|| queue.try_recv().ok()).map(|outgoing| outgoing.line));
        }
        for (number, line) in answered.iter().enumerate() {
            assert!(line.contains(&format!("\"id\":{number},")), "no line is lost: {number}, {line}");
        }
        assert!(pipe.receive().await.is_none());
    }
}
