//! The one table of commands: palette, slash commands, keymap, help and footer all read it.

use crate::decode::nearest;

/// What a command stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Command {
    Help,
    Engine,
    Sessions,
    Search,
    Find,
    Rename,
    Tag,
    Archive,
    Trash,
    Defer,
    Correct,
    Review,
    Brief,
    Phase,
    WrapUp,
    Park,
    Back,
    Undo,
    Redo,
    Courses,
    Retry,
    Edit,
    Fork,
    Handoff,
    Journey,
    Apart,
    Tasks,
    Export,
    Questions,
    Answers,
    Scenario,
    Model,
    Settings,
    Doctor,
    Theme,
    Inspector,
    Sidebar,
    Copy,
    Editor,
    Quit,
}

/// A command in the table that slash, keymap, palette and help share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub command: Command,
    /// Its name: after the slash, in the keymap, in the palette.
    pub name: &'static str,
    /// What can follow the name, for people.
    pub argument: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// Whether it makes sense without an open session.
    pub anywhere: bool,
}

const fn entry(command: Command, name: &'static str, argument: &'static str, about: &'static str) -> Entry {
    Entry { command, name, argument, about, anywhere: false }
}

const fn anywhere(command: Command, name: &'static str, argument: &'static str, about: &'static str) -> Entry {
    Entry { command, name, argument, about, anywhere: true }
}

/// The table, in the order people read it.
pub const COMMANDS: &[Entry] = &[
    anywhere(Command::Help, "help", "", "show commands and keys"),
    anywhere(Command::Engine, "engine", "[name]", "choose an engine and start a session"),
    anywhere(Command::Sessions, "sessions", "", "go back to an earlier session"),
    anywhere(Command::Search, "search", "[words]", "search everything that was ever said"),
    anywhere(Command::Find, "find", "[words]", "find words in this conversation, or narrow the list of sessions"),
    entry(Command::Rename, "rename", "[title]", "give the session a title"),
    anywhere(Command::Tag, "tag", "[tags]", "put the session under tags; -tag takes one off"),
    anywhere(Command::Archive, "archive", "", "put the session into the archive, or take it out"),
    anywhere(Command::Trash, "trash", "[empty]", "throw the session away; it can be restored for 30 days"),
    entry(Command::Defer, "defer", "[item]", "set a question aside; it is not asked again"),
    entry(Command::Correct, "correct", "[field] [value]", "put right what was misunderstood"),
    entry(Command::Review, "review", "", "look through everything that was understood, change and confirm it"),
    entry(Command::Brief, "brief", "[diff] [since]", "show the brief as it stands, or what has changed in it"),
    entry(Command::Phase, "phase", "[phase]", "move to another phase"),
    entry(Command::WrapUp, "wrapup", "", "close with the five most valuable questions"),
    entry(Command::Park, "park", "", "not now: leave this question for later"),
    entry(Command::Back, "back", "", "go back to the question before"),
    entry(Command::Undo, "undo", "", "take back the last turn, state and all"),
    entry(Command::Redo, "redo", "", "bring back what was taken back last"),
    entry(Command::Courses, "courses", "", "look at earlier courses of this session, go back to one or copy it"),
    entry(Command::Retry, "retry", "", "ask for another answer to your last message"),
    entry(Command::Edit, "edit", "", "change your last message and go on from there"),
    entry(Command::Fork, "fork", "", "start a second session from this point"),
    entry(Command::Handoff, "handoff", "", "look at the next step on offer"),
    entry(Command::Journey, "journey", "", "show the sessions this one came from and led to"),
    entry(Command::Apart, "apart", "", "keep the project's other sessions out, or let them in"),
    entry(Command::Tasks, "tasks", "[task]", "look at background tasks, and help those that need you"),
    entry(
        Command::Export,
        "export",
        "[transcript] [file]",
        "write the brief to .md, .html, .docx or .json, or what was said",
    ),
    entry(Command::Questions, "questions", "[file]", "write the open questions to a form for somebody else"),
    entry(Command::Answers, "answers", "[file] [speaker]", "take in a form that somebody else has answered"),
    entry(Command::Scenario, "scenario", "[file]", "make a test of the engine from this session"),
    anywhere(Command::Model, "model", "[name]", "choose the model that answers, or add an endpoint"),
    anywhere(Command::Settings, "settings", "", "look through all settings and change them"),
    anywhere(Command::Doctor, "doctor", "", "say what works and what to do about what does not"),
    anywhere(Command::Theme, "theme", "[name]", "choose the colours, with a preview"),
    entry(Command::Inspector, "inspector", "", "show why the last turns went as they did"),
    entry(Command::Sidebar, "sidebar", "", "show or hide the sidebar"),
    entry(
        Command::Copy,
        "copy",
        "[code|brief|transcript]",
        "copy the last answer, its code, the brief or what was said",
    ),
    entry(Command::Editor, "editor", "", "write the draft in your editor"),
    anywhere(Command::Quit, "quit", "", "leave; the session is kept"),
];

impl Command {
    pub fn entry(self) -> &'static Entry {
        // Every command has a line (a test sees to it), so the first one is never a stand-in.
        COMMANDS.iter().find(|entry| entry.command == self).unwrap_or(&COMMANDS[0])
    }

    pub fn named(name: &str) -> Option<Self> {
        COMMANDS.iter().find(|entry| entry.name == name).map(|entry| entry.command)
    }
}

/// What a line of the composer asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slash {
    /// A command, and what followed its name.
    Run(Command, String),
    /// Something after a slash that is no command, and a command that looks like it.
    Unknown(String, Option<&'static str>),
}

/// Reads a slash command. Only a single line that starts with a slash and a letter is one, so that a pasted path
/// such as `/usr/bin` on a line of several still reaches the engine.
pub fn slash(text: &str) -> Option<Slash> {
    let line = text.trim();
    let rest = line.strip_prefix('/')?;
    if line.contains('\n') || !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.contains('/') {
        return None;
    }
    let exact = Command::named(name).or_else(|| unique_prefix(name));
    let meant = || nearest(name, &COMMANDS.iter().map(|entry| entry.name).collect::<Vec<&'static str>>());
    Some(match exact {
        Some(command) => Slash::Run(command, argument.trim().to_owned()),
        None => Slash::Unknown(name.to_owned(), meant()),
    })
}

/// The commands whose names begin with `start`.
pub fn completions(start: &str) -> impl Iterator<Item = &'static Entry> {
    COMMANDS.iter().filter(move |entry| entry.name.starts_with(start))
}

fn unique_prefix(start: &str) -> Option<Command> {
    let mut found = completions(start);
    let first = found.next()?;
    found.next().is_none().then_some(first.command)
}
