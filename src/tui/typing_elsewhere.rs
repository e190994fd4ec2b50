//! Lines that are typed, where the system edits them.

use std::io::{self, stdin};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::typed::without_keys;

/// A line that was typed; or, of one that was too long, how many bytes it had.
pub(crate) type TypedLine = Result<String, usize>;

/// What one types on.
pub(crate) struct Typing(Mutex<Row>);

/// The row on which one types. The system does not say what is on it.
pub(crate) struct Row;

impl Typing {
    pub fn begin(most: usize, _interrupts: Sender<bool>) -> io::Result<(Self, Receiver<TypedLine>)> {
        let (sender, receiver) = channel(64);
        std::thread::Builder::new().spawn(move || {
            for line in stdin().lines().map_while(Result::ok) {
                let line = if line.len() > most { Err(line.len()) } else { Ok(without_keys(&line)) };
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        })?;
        Ok((Self(Mutex::new(Row)), receiver))
    }

    pub fn pause(&mut self) {}

    #[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub fn go_on(&mut self) -> io::Result<()> {
        Ok(())
    }

    pub fn row(&self) -> MutexGuard<'_, Row> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Row {
    pub fn leave(&mut self) -> bool {
        false
    }

    pub fn written_again(&mut self) -> String {
        String::new()
    }
}
