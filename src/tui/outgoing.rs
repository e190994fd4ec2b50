//! Bytes on their way to the terminal: a frame goes out in one piece, or not at all.

use std::io::{self, Write, stdout};

/// Collects what is written until it is flushed. What was not is never written: when drawing panics, half a frame would
/// land on the screen that the user has back by then.
#[derive(Debug, Default)]
pub(super) struct Outgoing(Vec<u8>);

impl Write for Outgoing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut out = stdout().lock();
        let written = out.write_all(&self.0);
        self.0.clear();
        written?;
        out.flush()
    }
}
