//! `elenchus sessions` and `elenchus doctor` with the real program.

/// An engine that changed since a session began.
mod changed_engine;
/// What has changed in a brief.
mod comparing;
/// What works, and which source of a setting won.
mod doctor;
/// Exports as other programs see them: a browser, a word processor.
mod documents;
/// List, show, search, export, rename, rewind, fork, delete, verify.
mod everyday;
/// Archive, tags, trash.
mod filing;
/// Open questions as a form, and the answers of somebody else.
mod forms;
/// Backup, restore, forgetting, the log key, and stores that may only be read.
mod kept;
/// A turn said anew, kept or not.
mod replaced;
/// A database that cannot be used, and two processes on one.
mod trouble;

use crate::support::program::{Program, session_of};

/// A session of three turns, and its id.
fn begun() -> (Program, String) {
    let program = Program::new();
    let turns = program.converse(
        "project-discovery",
        "We need a booking app for our clinic; ask anna@example.org.\nOur head receptionist resigned in March.\n\
         Patients can only book by phone.\n",
    );
    let id = session_of(&turns[0]);
    (program, id)
}
