//! What keeps the host from doing what it is asked, a variant for each thing the caller does next.

use std::path::PathBuf;

use super::export::Format;
use super::protocol::NotOpened;
use crate::catalogue::{CatalogueError, FolderError};
use crate::decode::{Diagnostic, render_all};
use crate::engine::budget::Cap;
use crate::engine::edit::EditError;
use crate::engine::expression::Fault;
use crate::engine::reading::Mistyped;
use crate::llm::ChatError;
use crate::settings::SettingsError;
use crate::store::{SessionId, StoreError};
use crate::tasks::TaskRefusal;
use crate::words::{HostWords, english};

/// What keeps the host from doing what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The user's folders cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// There is no such engine.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The engine has errors.
    #[error("the engine `{name}` has {} error(s)\n\n{}", errors.len(), render_all(errors, false).trim_end())]
    Engine {
        /// Its name.
        name: String,
        /// Its errors.
        errors: Vec<Diagnostic>,
    },
    /// The engine has another id than the session's: begin a session with it.
    #[error("the engine `{old}` is called `{new}` now; begin a session with it")]
    EngineRenamed {
        /// What the session calls it.
        old: String,
        /// What it calls itself.
        new: String,
    },
    /// The engine is part of the program: there is nothing to watch.
    #[error("`{0}` is part of the program: there is no file of it to watch")]
    NothingToWatch(String),
    /// The engine's folder cannot be watched.
    #[error("{} cannot be watched: {error}", folder.display())]
    Unwatchable {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        error: notify::Error,
    },
    /// The file's ending stands for nothing that can be written: choose another.
    #[error("{}", of_ending(.0, &english().host))]
    UnknownEnding(String),
    /// What was said is written as Markdown only.
    #[error("a transcript is written as .md")]
    TranscriptIsMarkdown,
    /// The document could not be put together.
    #[error("the document could not be put together: {0}")]
    Document(String),
    /// A form is written as Markdown or as a page.
    #[error("a form is written as .md or .html")]
    FormEnding,
    /// A form that cannot be taken in.
    #[error("the form cannot be taken in: {0}")]
    Form(#[from] super::form::FormError),
    /// The session has not come so far.
    #[error("there is no turn {turn} yet; the last one is {last}")]
    NoSuchTurn { turn: u32, last: u32 },
    /// No day and no moment.
    #[error("“{0}” is no date: write it as 2026-11-18")]
    NoMoment(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The endpoint cannot be used.
    #[error(transparent)]
    Endpoint(#[from] ChatError),
    /// A stored memory cannot be read.
    #[error("the session's state cannot be read: {0}")]
    State(#[from] serde_json::Error),
    /// The memory was written by a newer version.
    #[error("the session was written by a newer version of Elenchus (state version {0}); update to open it")]
    NewerState(u64),
    /// The opening cannot be rendered.
    #[error("the engine's opening cannot be written: {}", .0.message)]
    Opening(Fault),
    /// The brief cannot be rendered.
    #[error("the brief cannot be written: {}", .0.message)]
    Brief(Fault),
    /// An edit that makes no sense.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A cap cannot be raised to that.
    #[error("the budget for the {cap} is {} already", cap.amount(*now))]
    CapNotRaised {
        /// The cap.
        cap: Cap,
        /// What it is.
        now: f64,
    },
    /// There is no such cap to raise.
    #[error("there is no budget for the {0}")]
    NoCap(Cap),
    /// There is no handoff to accept, edit or decline.
    #[error("no next step is on offer in this session")]
    NothingOnOffer,
    /// A handoff that would not be understood.
    #[error("the handoff cannot be accepted: {}", problems.join("; "))]
    Handoff {
        /// What is wrong with it.
        problems: Vec<String>,
    },
    /// The handoff was accepted before.
    #[error("this handoff was accepted already: session {0}")]
    AcceptedAlready(SessionId),
    /// Something cannot be done about a background task.
    #[error(transparent)]
    Task(#[from] TaskRefusal),
    /// What the user agreed to is no longer what the engine would do: show it again.
    #[error("what the engine would do has changed meanwhile; look at it again")]
    TrustChanged,
    /// A rehearsal is kept nowhere, so what needs a store cannot be done.
    #[error("this session is a rehearsal: it is kept nowhere")]
    Rehearsal,
    /// No session is open.
    #[error("no session is open")]
    NoSession,
    /// A command that is for the connection of a front end was sent to a session.
    #[error("that is not for a session to do")]
    NotForSession,
}

impl HostError {
    /// Why what was typed cannot be the value of its field, where it is that.
    pub(crate) fn mistyped(&self) -> Option<Mistyped> {
        match self {
            Self::Edit(EditError::Mistyped(why)) => Some(why.clone()),
            Self::Edit(EditError::Value(why)) => Some(Mistyped::Other(why.clone())),
            _ => None,
        }
    }

    /// What is told to somebody who speaks a language. What can only be mended outside of a session stays English.
    pub(crate) fn told(&self, words: &HostWords) -> String {
        match self {
            Self::UnknownEnding(ending) => of_ending(ending, words),
            Self::TranscriptIsMarkdown => words.transcript_is_markdown().to_owned(),
            Self::FormEnding => words.form_ending().to_owned(),
            Self::NoSuchTurn { turn, last } => words.no_such_turn(turn, last),
            Self::NoMoment(text) => words.no_date(text),
            Self::NothingOnOffer => words.nothing_on_offer().to_owned(),
            Self::NoSession => words.no_session().to_owned(),
            other => other.to_string(),
        }
    }
}

fn of_ending(ending: &str, words: &HostWords) -> String {
    if ending.is_empty() { words.no_ending(Format::listed()) } else { words.unknown_ending(ending, Format::listed()) }
}

/// What has to be mended before it can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtFault {
    /// The settings.
    Settings,
    /// The engine, or the folder it should be in.
    Engine,
    /// What was asked for.
    Request,
    /// The endpoint.
    Endpoint,
    /// The store, or what is kept there.
    Store,
    /// None of these: as things stand, it cannot be done.
    Circumstances,
}

impl HostError {
    /// What has to be mended.
    pub fn at_fault(&self) -> AtFault {
        match self {
            Self::Settings(_) => AtFault::Settings,
            Self::Folder(_) | Self::Catalogue(_) | Self::Engine { .. } => AtFault::Engine,
            Self::UnknownEnding(_)
            | Self::TranscriptIsMarkdown
            | Self::NoSuchTurn { .. }
            | Self::NoMoment(_)
            | Self::FormEnding
            | Self::Form(_) => AtFault::Request,
            Self::Endpoint(_) => AtFault::Endpoint,
            Self::Store(_) | Self::State(_) | Self::NewerState(_) => AtFault::Store,
            Self::Edit(_)
            | Self::Document(_)
            | Self::Opening(_)
            | Self::Brief(_)
            | Self::EngineRenamed { .. }
            | Self::NothingToWatch(_)
            | Self::Unwatchable { .. }
            | Self::CapNotRaised { .. }
            | Self::NoCap(_)
            | Self::NothingOnOffer
            | Self::Handoff { .. }
            | Self::AcceptedAlready(_)
            | Self::Task(_)
            | Self::TrustChanged
            | Self::Rehearsal
            | Self::NoSession
            | Self::NotForSession => AtFault::Circumstances,
        }
    }
}

impl From<HostError> for NotOpened {
    fn from(error: HostError) -> Self {
        let text = error.to_string();
        match error.at_fault() {
            AtFault::Engine => Self::Engine(text),
            AtFault::Store => Self::Store(text),
            AtFault::Settings | AtFault::Request | AtFault::Endpoint | AtFault::Circumstances => Self::Other(text),
        }
    }
}
