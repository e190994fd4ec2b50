//! The host: sessions as actors, shared by front ends in this process, and told apart from those of other processes.

/// The connection, and the beginning of a request.
mod ahead;
/// The card of answers, and words beside the conversation.
mod cards;
/// The answer that is begun before the analysis is in.
mod early;
/// A front end that has nothing of the host but two pipes.
#[cfg(unix)]
mod pipe;
/// What a front end asks for, and what ends it.
mod requests;
/// Several front ends, several processes, several budgets.
mod sharing;
/// Tools that a model calls while it answers.
mod tools;

use std::sync::Arc;

use elenchus::host::Host;
use elenchus::settings::{Flags, Surroundings};
use serde_json::json;

use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::Program;

/// An analysis that finds nothing.
fn analysis() -> Answer {
    let found = json!({
        "fields": [],
        "signals": { "trust": 0.5, "rapport": 0.5, "friction": 0.0, "techniques_used": [], "intents": [] },
    });
    Answer::stream(openai::saying(&found.to_string()))
}

fn saying(text: &str) -> Answer {
    Answer::stream(openai::saying(text))
}

/// A machine whose settings name the endpoint.
fn machine(fake: &FakeEndpoint, more: &str) -> Program {
    let url = format!("http://127.0.0.1:{}/v1", fake.port());
    Program::new()
        .settings(&format!("[profiles.fake]\nendpoint = \"{url}\"\nmodel = \"test-model\"\nattempts = 1\n{more}"))
}

fn flags(program: &Program) -> Flags {
    Flags { config: Some(program.config()), data_dir: Some(program.data()), ..Flags::default() }
}

fn host(program: &Program) -> Arc<Host> {
    let nothing = Surroundings {
        variable: &|_| None,
        keyring: &|_| Err("there is no keyring in a test".to_owned()),
        program: None,
    };
    Arc::new(Host::open(&flags(program), &nothing).expect("a host"))
}
