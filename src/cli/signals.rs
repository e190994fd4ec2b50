//! Signals that ask a command to end.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask a command to end: from the keyboard, from the system, from a terminal that is gone.
#[cfg(unix)]
pub struct Ends([(SignalKind, Signal); 4]);

#[cfg(unix)]
impl Ends {
    /// Listens from now on.
    pub fn listen() -> io::Result<Self> {
        let one = |kind: SignalKind| Ok::<_, io::Error>((kind, signal(kind)?));
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [interrupt, terminate, hangup, quit] = kinds.map(one);
        Ok(Self([interrupt?, terminate?, hangup?, quit?]))
    }

    /// Waits for the next one, and returns its number.
    pub async fn next(&mut self) -> i32 {
        let [(interrupt, first), (terminate, second), (hangup, third), (quit, fourth)] = &mut self.0;
        let kind = tokio::select! {
            _ = first.recv() => interrupt,
            _ = second.recv() => terminate,
            _ = third.recv() => hangup,
            _ = fourth.recv() => quit,
        };
        kind.as_raw_value()
    }
}

/// Ends this process by a signal, so that the program that started it sees why.
#[cfg(unix)]
pub fn end_by(signal: i32) {
    // It comes back only where the system does not let it.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

#[cfg(not(unix))]
pub struct Ends;

#[cfg(not(unix))]
impl Ends {
    #[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    pub async fn next(&mut self) -> i32 {
        let _ = tokio::signal::ctrl_c().await;
        0
    }
}

#[cfg(not(unix))]
pub fn end_by(_: i32) {}
