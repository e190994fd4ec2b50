//! `elenchus sessions`: what was talked about, and what became of it.

mod answers;
mod change;
mod diff;
mod export;
mod filing;
mod handoff;
mod journey;
mod list;
mod questions;
mod search;
mod show;
mod verify;

pub(super) use verify::told_of_key;

use clap::{Subcommand, ValueEnum};

use super::{Exit, Failure, Output, SettingsArguments};
use crate::store::{Refiling, SessionFilter, Shelf, read_tags};

#[derive(Debug, Subcommand)]
pub enum Sessions {
    /// List sessions, the latest first.
    List {
        /// Only of this engine.
        #[arg(long)]
        engine: Option<String>,
        /// Only of this project.
        #[arg(long)]
        project: Option<String>,
        /// Only under this tag.
        #[arg(long)]
        tag: Option<String>,
        /// Those in the archive too.
        #[arg(long)]
        all: bool,
        /// At most this many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a session: where it stands and what was said.
    Show {
        /// Its id; the beginning will do.
        session: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Search everything that was said.
    Search {
        /// Words; in quotes they must stand together.
        words: String,
        /// At most this many.
        #[arg(long, default_value_t = 20)]
        limit: u32,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write out the brief (Markdown, HTML, DOCX), the transcript, everything as JSON, or a scenario.
    Export(export::ExportArguments),
    /// Show what has changed in the brief: since a day, since a turn, or against another session.
    Diff(diff::DiffArguments),
    /// Write the open questions as a form for somebody else to answer: Markdown or HTML.
    Questions(questions::QuestionsArguments),
    /// Take in a form that somebody else has answered: each answer is a turn of theirs.
    Answers(answers::AnswersArguments),
    /// Give a session a title.
    Rename {
        /// Its id; the beginning will do.
        session: String,
        /// The title.
        title: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Take back every turn after one, state and all.
    Rewind {
        /// Its id; the beginning will do.
        session: String,
        /// The last turn to keep.
        #[arg(long)]
        turn: u32,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make a new session that is this one up to a turn.
    Fork {
        /// Its id; the beginning will do.
        session: String,
        /// The last turn to take over; all, when not given.
        #[arg(long)]
        turn: Option<u32>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Move a session to its engine as it is now.
    Migrate {
        /// Its id; the beginning will do.
        session: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Put sessions into the archive: `list` leaves them out, `list --all` does not.
    Archive(filing::Filed),
    /// Take sessions out of the archive.
    Unarchive(filing::Filed),
    /// Put a session under tags, beside those it has.
    Tag(filing::Tagged),
    /// Take tags off a session.
    Untag(filing::Tagged),
    /// List what was thrown away, or throw sessions away; after 30 days they are erased.
    Trash {
        /// Their ids; the beginnings will do.
        sessions: Vec<String>,
        /// Erase everything in the trash at once.
        #[arg(long, conflicts_with = "sessions")]
        empty: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Take sessions out of the trash.
    Restore(filing::Filed),
    /// Throw sessions away: into the trash for 30 days, or for good.
    Delete {
        /// Their ids; the beginnings will do.
        #[arg(required = true)]
        sessions: Vec<String>,
        /// Erase them at once, from every table and index.
        #[arg(long)]
        now: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Erase for good what was taken back: by undo, by rewind, or by a changed message.
    Forget {
        /// Ids of sessions; the beginnings will do.
        #[arg(required_unless_present = "all")]
        sessions: Vec<String>,
        /// In all sessions.
        #[arg(long, conflicts_with = "sessions")]
        all: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Review what a session would hand over to the next, and accept it.
    Handoff(handoff::HandoffArguments),
    /// Show the chain of sessions and handoffs of a project.
    Journey {
        /// Name of a project, or id of a session.
        #[arg(value_name = "PROJECT|SESSION")]
        of: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check that nothing was changed after the fact and nothing is missing.
    Verify {
        /// Its id; all sessions, when not given.
        session: Option<String>,
        /// First bring costs that are out of bounds within them (the log says so), and take changes that were lost as
        /// known.
        #[arg(long)]
        repair: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// What an export holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The brief, in Markdown.
    Brief,
    /// The brief as one page of HTML, with its evidence.
    Html,
    /// The brief for word processors.
    Docx,
    /// What was said, in Markdown.
    Transcript,
    /// Everything with full provenance.
    Json,
    /// A scenario for `elenchus test`: what was said, what was found in it, and where it led.
    Scenario,
}

pub async fn run(command: &Sessions, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let host = settings.host()?;
    match command {
        Sessions::List { engine, project, tag, all, limit, json } => {
            let shelf = Some(if *all { Shelf::Kept } else { Shelf::Current });
            let (engine, limit) = (engine.clone(), Some(*limit));
            let tag = tag.as_ref().map(|tag| read_tags(tag).join(" "));
            let filter = SessionFilter { engine, tag, shelf, limit, ..SessionFilter::default() };
            list::run(&host, filter, project.as_deref(), *json, output).await
        }
        Sessions::Show { session, json } => show::run(&host, session, *json, output).await,
        Sessions::Search { words, limit, json } => search::run(&host, words, *limit, *json, output).await,
        Sessions::Export(arguments) => export::run(&host, arguments, output).await,
        Sessions::Diff(arguments) => diff::run(&host, arguments, output).await,
        Sessions::Questions(arguments) => questions::run(&host, arguments, output).await,
        Sessions::Answers(arguments) => answers::run(host, settings, arguments, output).await,
        Sessions::Rename { session, title, json } => change::rename(&host, session, title, *json, output).await,
        Sessions::Rewind { session, turn, json } => change::rewind(&host, session, *turn, *json, output).await,
        Sessions::Fork { session, turn, json } => change::fork(&host, session, *turn, *json, output).await,
        Sessions::Migrate { session, json } => change::migrate(&host, session, *json, output).await,
        Sessions::Archive(filed) => filing::run(&host, filed, Refiling::Archive, output).await,
        Sessions::Unarchive(filed) => filing::run(&host, filed, Refiling::Unarchive, output).await,
        Sessions::Restore(filed) => filing::run(&host, filed, Refiling::Restore, output).await,
        Sessions::Tag(tagged) => filing::tag(&host, tagged, Refiling::AddTags, output).await,
        Sessions::Untag(tagged) => filing::tag(&host, tagged, Refiling::RemoveTags, output).await,
        Sessions::Trash { empty: true, json, .. } => filing::empty(&host, *json, output).await,
        Sessions::Trash { sessions, json, .. } if sessions.is_empty() => {
            let filter = SessionFilter { shelf: Some(Shelf::Trash), ..SessionFilter::default() };
            list::run(&host, filter, None, *json, output).await
        }
        Sessions::Delete { sessions, now: true, json } => change::delete(&host, sessions, *json, output).await,
        Sessions::Trash { sessions, json, .. } | Sessions::Delete { sessions, json, .. } => {
            filing::run(&host, &filing::Filed::new(sessions, *json), Refiling::Trash, output).await
        }
        Sessions::Forget { sessions, json, .. } => change::forget(&host, sessions, *json, output).await,
        Sessions::Handoff(arguments) => handoff::run(&host, arguments, output).await,
        Sessions::Journey { of, json } => journey::run(&host, of, *json, output).await,
        Sessions::Verify { session, repair, json } => {
            verify::run(&host, session.as_deref(), *repair, *json, output).await
        }
    }
}

/// The first part of an id, enough for people to tell sessions apart.
fn short(id: impl std::fmt::Display) -> String {
    let id = id.to_string();
    // Ids begin with the time, so the end is what tells apart; but a prefix is what can be typed back.
    id.chars().take(13).collect()
}
