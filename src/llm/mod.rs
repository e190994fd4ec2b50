//! Models: asking one and hearing it out, with honest failure, structured output, a budget, and recordings; and an
//! offline interviewer for when there is none.
//!
//! A [`Client`] asks one model; [`Models`] holds one for each role. The protocols' adapters are pure: a request body
//! out, events in. What waits is in `client` (retries), `call` (one attempt) and `transport` (bytes).
//!
//! **Invariant:** a key is only ever read where a header is built and where `scrub` takes it out of what came back; it
//! is in no error, no answer, no recording and no `Debug`.

mod adapter;
mod anthropic;
mod assembly;
pub mod bookings;
mod bounds;
pub mod budget;
mod call;
pub mod chat;
mod client;
pub mod endpoint;
pub mod error;
pub mod json_text;
pub mod key;
mod key_command;
mod key_fault;
mod lanes;
mod limiter;
mod lines;
mod listing;
pub mod local;
pub mod offline;
mod ollama;
mod openai;
pub mod presets;
pub mod probe;
mod probe_hearing;
mod probe_tools;
pub mod record;
pub mod remembered;
mod responses;
pub mod roles;
pub mod scrub;
mod size;
pub mod spend;
pub mod sse;
mod status;
mod stream_scrub;
pub mod structured;
pub mod terms;
mod think;
pub mod tokens;
mod transport;

pub use bookings::{Ahead, Booking, Ended, Fits, Owed, Reserved};
pub use budget::{Budget, Day, Reservation};
pub use chat::{
    ChatEvent, ChatMessage, ChatReply, ChatRequest, Finish, Latency, OutputSchema, Role, ToolOffer, ToolResult, Usage,
};
pub use client::Client;
pub use endpoint::{Endpoint, Provider};
pub use error::{ChatError, TimeoutPhase};
pub use key::{Key, KeySource};
pub use key_command::Supervisor;
pub use record::{Recorder, RecordingError, Recordings};
pub use remembered::Remembered;
pub use roles::Models;
pub use spend::{Alert, BudgetReached, BudgetSnapshot, CallRole, Cap, Caps, Estimate, Limits, OverBudget, Spend};
pub use structured::{Capabilities, Means};
pub use terms::{Price, RetryPolicy, Timeouts};
