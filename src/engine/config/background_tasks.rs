//! Surface 5, background tasks: work that goes on while the conversation does.

use super::expression::Prose;
use super::fields::Shape;
use super::rule::Rule;
use crate::decode::{Id, Named, Places, Spanned, table, tagged};

table! {
    /// Work done beside the conversation.
    BackgroundTask called "a background task" {
        /// Name by which expressions refer to it.
        required id: Id,
        /// What people read.
        required name: String,
        /// What it is for.
        required description: String,
        /// What sets it off.
        required when: Spanned<Rule>,
        /// Who does it: a name under `[handlers]`.
        required handler: Id,
        /// Tasks whose results it needs.
        optional after: Vec<Id>,
        /// Phases in which it may start; all, when empty.
        optional phases: Vec<Id>,
        /// About how long it takes.
        optional estimated_seconds: u32 = 30,
        /// How long it may take.
        optional timeout_seconds: u32 = 120,
        /// What to do when it fails.
        required failure_strategy: Spanned<FailureStrategy>,
        /// Whether the phase waits for it.
        optional block_phase_transition: bool,
        /// Where its keys stand.
        places at: Places,
    }
}

tagged! {
    /// What to do when a task fails.
    FailureStrategy called "a failure strategy" by "type" {
        /// Try again, waiting twice as long each time; then go on with the gap.
        Retry(Retry) = "retry",
        /// Go on without it, in a way that is said.
        Degrade(Degrade) = "degrade",
        /// Wait until it succeeds.
        Stall(Stall) = "stall",
        /// Go on and flag the gap.
        ProceedWithGap(ProceedWithGap) = "proceed-with-gap",
    }
}

table! {
    /// Try again.
    Retry called "the `retry` strategy" {
        /// How often.
        optional max_retries: u32 = 3,
        /// The first wait; it doubles each time.
        optional retry_delay_ms: u32 = 5000,
    }
}

table! {
    /// Go on without it.
    Degrade called "the `degrade` strategy" {
        /// What happens instead, in words the user sees.
        required degraded_behavior: String,
    }
}

table! {
    /// Wait until it succeeds.
    Stall called "the `stall` strategy" {}
}

table! {
    /// Go on and flag the gap.
    ProceedWithGap called "the `proceed-with-gap` strategy" {}
}

tagged! {
    /// Who does the work of a task.
    Handler called "a handler" by "type" {
        /// A model answers a prompt with a record.
        Llm(LlmHandler) = "llm",
        /// A program reads JSON and writes JSON.
        Command(CommandHandler) = "command",
        /// An HTTP endpoint reads JSON and writes JSON.
        Http(HttpHandler) = "http",
    }
}

table! {
    /// A model answers a prompt with a record.
    LlmHandler called "an `llm` handler" {
        /// The prompt, a template over the working memory.
        required prompt: Prose,
        /// What the answer consists of.
        required output: Named<Shape>,
    }
}

table! {
    /// A program reads JSON on its input and writes JSON on its output.
    CommandHandler called "a `command` handler" {
        /// The program; no shell is involved.
        required program: String,
        /// Its arguments.
        optional args: Vec<String>,
        /// What its output consists of; anything, when empty.
        optional output: Named<Shape>,
    }
}

table! {
    /// An HTTP endpoint gets JSON and answers JSON.
    HttpHandler called "an `http` handler" {
        /// The address, https or loopback http.
        required url: Spanned<String>,
        /// What its answer consists of; anything, when empty.
        optional output: Named<Shape>,
    }
}

impl Handler {
    /// What a result consists of; anything, when empty.
    pub fn output(&self) -> &Named<Shape> {
        match self {
            Self::Llm(handler) => &handler.output,
            Self::Command(handler) => &handler.output,
            Self::Http(handler) => &handler.output,
        }
    }
}
