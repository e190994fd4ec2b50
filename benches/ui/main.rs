//! What the app costs: layouts measured in detail, and the figures of the whole app, each beside its target.
//! `cargo bench --bench ui -- --program` takes those of the real binary alone.

// A figure that cannot be taken is worth nothing; the rest is printed for whoever runs this.
#![allow(clippy::expect_used, clippy::print_stdout)]

/// The app without a terminal: frames, keys, a streamed answer.
mod app;
/// A model that writes at a steady pace.
#[cfg(target_os = "linux")]
mod endpoint;
/// One figure and its target.
mod figure;
/// Markdown and code into rows.
mod layout;
/// The real binary in a pseudo-terminal: start, a stream, memory, idleness.
#[cfg(target_os = "linux")]
mod program;

fn main() {
    let only_program = std::env::args().any(|argument| argument == "--program");
    if !only_program {
        app::figures();
    }
    #[cfg(target_os = "linux")]
    program::figures();
    if only_program {
        return;
    }
    let mut criterion = criterion::Criterion::default().configure_from_args();
    layout::all(&mut criterion);
    criterion.final_summary();
}
