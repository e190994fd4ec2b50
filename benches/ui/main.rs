//! What the app costs: layouts measured in detail, and the figures of the whole app, each beside its target.

// A figure that cannot be taken is worth nothing; the rest is printed for whoever runs this.
#![allow(clippy::expect_used, clippy::print_stdout)]

/// The app without a terminal: frames, keys, a streamed answer.
mod app;
/// One figure and its target.
mod figure;
/// Markdown and code into rows.
mod layout;
/// The real binary in a pseudo-terminal: start, memory, idleness.
#[cfg(target_os = "linux")]
mod program;

fn main() {
    app::figures();
    #[cfg(target_os = "linux")]
    program::figures();
    let mut criterion = criterion::Criterion::default().configure_from_args();
    layout::all(&mut criterion);
    criterion.final_summary();
}
