//! What the app wants done, as data. The edge of the program does it and answers with messages.

use serde_json::Value;

use crate::engine::budget::Cap;
use crate::engine::handoff::Handoff;

/// One thing to be done outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    // Sessions
    /// Opens a new session of an engine, by name or path.
    StartSession(String),
    /// Opens an earlier session.
    ResumeSession(String),
    /// Lists engines and recent sessions for the first screen.
    ListSessions,
    /// Searches everything that was ever said.
    Search(String),
    /// Starts a second session from where this one stands.
    Fork,
    /// Takes over the engine's files as they are now, if they are in order.
    ReloadEngine,
    /// Names the session.
    Rename(String),
    /// Takes what the project knows into the context, or leaves it out.
    UseProject(bool),
    /// Writes the brief; to a file of a sensible name where none is given.
    Export(Option<String>),
    /// Writes a scenario that says the session again; beside the engine where no file is given.
    ExportScenario(Option<String>),
    /// Keeps what was written but not sent.
    SaveDraft(String),

    // Turns
    /// Runs a turn.
    Submit {
        /// What the user says.
        message: String,
    },
    /// Stops the turn under way; the session stays as it was.
    CancelTurn,
    /// Takes back the last turn.
    Undo,
    /// Takes back the last turn and runs it again.
    Retry,
    /// Takes back everything from a turn on, and says this in its place.
    Resubmit {
        /// The turn whose message is replaced.
        turn: u32,
        /// What the user says instead.
        message: String,
    },
    /// Changes the memory by hand.
    Edit(EditRequest),
    /// Lets more be spent.
    RaiseCap {
        /// On what.
        cap: Cap,
        /// How much at most.
        limit: f64,
    },
    /// Opens the session of the next step on offer, with what is handed over.
    AcceptHandoff,
    /// Puts an edited handoff in place of the one on offer.
    EditHandoff(Box<Handoff>),
    /// Passes over the next step on offer.
    DeclineHandoff,
    /// Lets next steps that were declined be offered again.
    ReconsiderHandoffs,
    /// Lists the sessions that this one came from and led to.
    ListJourney(String),

    // Background tasks
    /// Tries a task again.
    RetryTask(String),
    /// Goes on without a task.
    SkipTask(String),
    /// Keeps the user's word on what an engine would do.
    DecideTrust {
        /// What was shown.
        digest: String,
        /// Whether it is allowed.
        trusted: bool,
    },

    // The inspector
    /// Fetches the figures of turns for the inspector.
    LoadTurns {
        /// The first.
        from: u32,
        /// The last.
        to: u32,
    },

    // Settings
    /// Finds out which models can be used.
    ListModels,
    /// Uses a model from now on.
    UseModel(String),
    /// Remembers a theme.
    SaveTheme(String),

    // The terminal
    /// Puts a text on the clipboard.
    Copy(String),
    /// Opens the user's editor on a draft.
    OpenEditor(String),
    /// Gives the terminal back to the shell until it is wanted again.
    Suspend,
    /// Draws everything anew.
    Redraw,
    /// Tells a user who looks elsewhere that something is done.
    Notify(String),
    /// Names the window.
    SetTitle(String),
    /// Ends the program.
    Quit,
}

/// A change of the memory by hand.
#[derive(Clone, Debug, PartialEq)]
pub enum EditRequest {
    /// Sets a field.
    Correct {
        /// The field.
        path: String,
        /// Its value.
        value: Value,
    },
    /// Forgets a field.
    Clear {
        /// The field.
        path: String,
    },
    /// Sets an obligation aside.
    Defer {
        /// The obligation.
        obligation: String,
    },
    /// Moves to a phase.
    Phase {
        /// The phase.
        phase: String,
    },
}
