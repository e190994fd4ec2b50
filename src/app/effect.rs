//! What the app wants done, as data, by who does it.

use crate::host::protocol::{Command, Request, RequestId};

/// One thing to be done outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// For the front end that the app runs in.
    Outside(Outside),
    Terminal(TerminalEffect),
}

impl Effect {
    /// Asks something of the host.
    pub fn host(command: impl Into<Command>) -> Self {
        Self::Outside(Outside::Host(Request::plain(command)))
    }

    /// Asks something of the host under a number, so that the answer is known for what it is.
    pub fn numbered(id: RequestId, command: impl Into<Command>) -> Self {
        Self::Outside(Outside::Host(Request { id: Some(id), command: command.into() }))
    }
}

/// What is done beyond the terminal.
#[derive(Clone, Debug, PartialEq)]
pub enum Outside {
    Host(Request),
    SaveTheme(String),
    /// Remembers which hints are not given any more.
    KeepHints(Vec<String>),
}

/// What the terminal does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalEffect {
    Copy(String),
    /// Opens the user's editor on a draft.
    OpenEditor(String),
    /// Gives the terminal back to the shell until it is wanted again.
    Suspend,
    Redraw,
    /// Asks the terminal to tell all keys apart, as it has said that it can.
    TellKeysApart,
    /// Tells a user who looks elsewhere that something is done.
    Notify(String),
    SetTitle(String),
    /// Takes the mouse, or gives it back.
    Mouse(bool),
    /// Writes a text where the terminal keeps what has scrolled by.
    Print(String),
    Quit,
}

impl From<TerminalEffect> for Effect {
    fn from(effect: TerminalEffect) -> Self {
        Self::Terminal(effect)
    }
}
