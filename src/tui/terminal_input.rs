//! Keys, the mouse and signals of a real terminal, as messages.

use std::collections::VecDeque;
use std::io;

use crossterm::event::{Event, MouseEventKind};

use super::event_loop::Input;
use super::typed::Heard;
use crate::app::Msg;

#[cfg(not(unix))]
use self::elsewhere::{Listening, Signals};
#[cfg(unix)]
use self::unix::{Listening, Signals};

/// What a signal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))]
enum Signalled {
    /// The window has another size.
    Resized,
    /// The program is to end, by the signal with this number.
    End(i32),
}

/// The number of the signal that says that the terminal is gone.
const HANGUP: i32 = 1;

/// Keys, the mouse and signals of a real terminal.
#[derive(Debug)]
pub(crate) struct TerminalInput {
    listening: Option<Listening>,
    signals: Signals,
    /// What is still to be handed on.
    ready: VecDeque<Msg>,
    ended_by: Option<i32>,
}

impl TerminalInput {
    /// Begins to listen.
    pub fn new() -> io::Result<Self> {
        Ok(Self { listening: None, signals: Signals::new()?, ready: VecDeque::new(), ended_by: None })
    }

    /// The signal that ended the program, where one did.
    pub fn ended_by(&self) -> Option<i32> {
        self.ended_by
    }
}

impl Input for TerminalInput {
    async fn next(&mut self) -> Option<Msg> {
        loop {
            if let Some(msg) = self.ready.pop_front() {
                return Some(msg);
            }
            if self.listening.is_none() {
                self.listening = Some(Listening::begin().ok()?);
            }
            let listening = self.listening.as_mut()?;
            tokio::select! {
                heard = listening.next() => {
                    let Some(heard) = heard else {
                        self.ended_by = Some(HANGUP);
                        return None;
                    };
                    self.ready.extend(message(heard));
                }
                signal = self.signals.next() => match signal {
                    Signalled::Resized => {
                        let (columns, rows) = super::terminal::Terminal::size();
                        return Some(Msg::Resize(columns, rows));
                    }
                    Signalled::End(signal) => {
                        self.ended_by = Some(signal);
                        return None;
                    }
                },
            }
        }
    }

    fn pause(&mut self) {
        self.listening = None;
    }
}

fn message(heard: Heard) -> Option<Msg> {
    Some(match heard {
        Heard::Ground { light } => Msg::Ground { light },
        Heard::Fluent => Msg::KeysAreTold,
        Heard::Event(event) => match event {
            Event::Key(key) => Msg::Key(key),
            Event::Mouse(mouse) if matches!(mouse.kind, MouseEventKind::Moved) => return None,
            Event::Mouse(mouse) => Msg::Mouse(mouse),
            Event::Paste(text) => Msg::Paste(text),
            Event::Resize(columns, rows) => Msg::Resize(columns, rows),
            Event::FocusGained => Msg::Focus(true),
            Event::FocusLost => Msg::Focus(false),
        },
    })
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::ops::ControlFlow;

    use tokio::signal::unix::{Signal, SignalKind, signal};
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::super::typed::source::{Read, Source};
    use super::super::typed::{Heard, Splitter};
    use super::Signalled;

    /// Reads what is typed for as long as it is there.
    #[derive(Debug)]
    pub(super) struct Listening {
        heard: UnboundedReceiver<Heard>,
        _source: Source,
    }

    impl Listening {
        pub fn begin() -> io::Result<Self> {
            let (sender, heard) = unbounded_channel();
            let mut splitter = Splitter::default();
            let source = Source::listen(move |read| {
                let heard = match read {
                    Read::Bytes(bytes) => splitter.take(bytes),
                    Read::Nothing => splitter.give_up(),
                    Read::End => return ControlFlow::Break(()),
                };
                for heard in heard {
                    if sender.send(heard).is_err() {
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(splitter.patience())
            })?;
            Ok(Self { heard, _source: source })
        }

        pub async fn next(&mut self) -> Option<Heard> {
            self.heard.recv().await
        }
    }

    /// The signals that ask the program to end, and the one that tells of another size.
    #[derive(Debug)]
    pub(super) struct Signals {
        resized: Signal,
        ends: [Signal; 4],
    }

    /// They end the program as they would have without anybody listening.
    const ENDS: [fn() -> SignalKind; 4] =
        [SignalKind::terminate, SignalKind::hangup, SignalKind::interrupt, SignalKind::quit];

    impl Signals {
        pub fn new() -> io::Result<Self> {
            let [terminate, hangup, interrupt, quit] = ENDS.map(|kind| signal(kind()));
            Ok(Self { resized: signal(SignalKind::window_change())?, ends: [terminate?, hangup?, interrupt?, quit?] })
        }

        pub async fn next(&mut self) -> Signalled {
            let [terminate, hangup, interrupt, quit] = &mut self.ends;
            let ended = tokio::select! {
                _ = self.resized.recv() => return Signalled::Resized,
                _ = terminate.recv() => 0,
                _ = hangup.recv() => 1,
                _ = interrupt.recv() => 2,
                _ = quit.recv() => 3,
            };
            Signalled::End(ENDS[ended]().as_raw_value())
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;

    use crossterm::event::EventStream;
    use futures_util::StreamExt as _;

    use super::super::typed::Heard;
    use super::Signalled;

    #[derive(Debug)]
    pub(super) struct Listening(EventStream);

    impl Listening {
        #[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
        pub fn begin() -> io::Result<Self> {
            Ok(Self(EventStream::new()))
        }

        pub async fn next(&mut self) -> Option<Heard> {
            self.0.next().await?.ok().map(Heard::Event)
        }
    }

    #[derive(Debug)]
    pub(super) struct Signals;

    impl Signals {
        #[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
        pub fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub async fn next(&mut self) -> Signalled {
            let _ = tokio::signal::ctrl_c().await;
            Signalled::End(2)
        }
    }
}
