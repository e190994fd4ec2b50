//! `elenchus mcp` with the real program, over pipes: what agents can do, and what they cannot.

/// The interview, the brief, the sessions: what each tool brings.
mod interview;
/// The protocol itself: what is no message, what is too long, what is called off, and the end.
mod protocol;
/// The official SDK on the other side, where it can be had.
mod sdk;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::program::{Program, Ran};

/// The other side of the pipes.
struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
}

impl Agent {
    /// Starts the server; nothing is said yet.
    fn start(program: &Program, arguments: &[&str]) -> Self {
        let mut child = program.start(&[&["mcp"], arguments].concat());
        let stdout = BufReader::new(child.stdout.take().expect("stdout"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines, last: 0 }
    }

    /// The same, greeted.
    fn greeted(program: &Program, arguments: &[&str]) -> Self {
        let mut agent = Self::start(program, arguments);
        let begun = agent.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }),
        );
        assert_eq!(begun["result"]["serverInfo"]["name"], "elenchus", "{begun}");
        agent.notify("notifications/initialized", &json!({}));
        agent
    }

    fn write(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().expect("an open pipe").write_all(bytes).expect("it reads");
    }

    fn line(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and does not wait.
    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        self.line(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    /// The next message, whatever it is. Everything on stdout is one.
    fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line in time");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.next();
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    /// Calls a tool.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// What a call brought.
    fn data(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// Why a call was refused.
    fn refusal(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().expect("words").to_owned()
    }

    /// A new interview.
    fn interview(&mut self) -> String {
        let started = self.data("start_interview", &json!({ "engine": "project-discovery" }));
        started["session_id"].as_str().expect("an id").to_owned()
    }

    /// Closes the pipe and waits for the end.
    fn leave(mut self) -> Ran {
        drop(self.stdin.take());
        Ran::of(self.child.wait_with_output().expect("it ends"))
    }
}
