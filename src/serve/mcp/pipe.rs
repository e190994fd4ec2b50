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
        Self { lines, out }
    }

    /// Answers what is no message. It waits for nothing: the next message may be what the client waits for.
    fn complain(&mut self, code: ErrorCode, why: String, id: Option<RequestId>) {
        let told = self.send(ServerJsonRpcMessage::error(ErrorData::new(code, why, None), id));
        drop(tokio::spawn(told));
    }
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = serde_json::to_string(&item).map(|text| format!("{}\n", json_escaped(&text)));
        let out = self.out.clone();
        async move {
            let (written, done) = oneshot::channel();
            let closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
            out.send(Outgoing { line: line?, written }).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
            done.await.unwrap_or_else(|gone| Err(closed(gone)))
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let line = match self.lines.recv().await? {
                Ok(Line::Whole(line)) => line,
                Ok(Line::TooLong(size)) => {
                    let (size, most) = (size.div_ceil(1024), MAX_LINE / 1024);
                    let why = format!("the message has {size} KiB; at most {most} KiB are taken in");
                    self.complain(ErrorCode::INVALID_REQUEST, why, None);
                    continue;
                }
                Err(error) => {
                    tracing::warn!(%error, "the pipe from a client could not be read");
                    return None;
                }
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            match read(&line) {
                Ok(message) => return Some(message),
                Err(NoMessage { code, why, id }) => self.complain(code, why, id),
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
