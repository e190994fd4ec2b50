//! Reads the bytes of a terminal on a thread of its own, until it is stopped: then another program can have them.

use std::io;
use std::io::stdin;
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What there is to read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Read<'b> {
    Bytes(&'b [u8]),
    /// Nothing came in the time that was given.
    Nothing,
    /// Nothing will come any more.
    End,
}

/// The thread that reads. Once this is dropped it has ended, and takes no byte that is for somebody else.
#[derive(Debug)]
pub(crate) struct Source {
    /// Closed, it wakes the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Source {
    /// Begins to read. `take` says how long it waits for more at most, or that it wants no more.
    pub fn listen(
        mut take: impl FnMut(Read<'_>) -> ControlFlow<(), Option<Duration>> + Send + 'static,
    ) -> io::Result<Self> {
        let (stop, stopped) = UnixStream::pair()?;
        let thread = thread::Builder::new().name("keys".to_owned()).spawn(move || {
            let mut patience = None;
            let mut buffer = [0; 4_096];
            loop {
                let next = match wait(&stopped, patience) {
                    Waited::Stopped => return,
                    Waited::TooLong => take(Read::Nothing),
                    Waited::Ready => match rustix::io::read(stdin(), &mut buffer) {
                        Err(Errno::INTR | Errno::AGAIN) => continue,
                        Ok(0) | Err(_) => take(Read::End),
                        Ok(length) => take(Read::Bytes(&buffer[..length])),
                    },
                };
                match next {
                    ControlFlow::Continue(next) => patience = next,
                    ControlFlow::Break(()) => return,
                }
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

enum Waited {
    Ready,
    TooLong,
    Stopped,
}

fn wait(stopped: &UnixStream, patience: Option<Duration>) -> Waited {
    let input = stdin();
    let mut both = [PollFd::new(&input, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    loop {
        match poll(&mut both, patience.as_ref()) {
            Err(Errno::INTR) => {}
            Ok(0) => return Waited::TooLong,
            Ok(_) if !both[1].revents().is_empty() => return Waited::Stopped,
            // A terminal that cannot be waited for is read, which waits as well.
            Ok(_) | Err(_) => return Waited::Ready,
        }
    }
}
