//! The one table of commands: palette, slash commands, keymap, help and footer all read it.

use crate::decode::nearest;
use crate::words::Commands as Says;

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
    Btw,
    Model,
    Settings,
    Doctor,
    About,
    Theme,
    Inspector,
    Sidebar,
    Copy,
    Mouse,
    Print,
    Editor,
    Quit,
}

/// What can follow the name of a command.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    None,
    /// One of these words, in every language.
    Words(&'static str),
    /// What a language calls it.
    Said(fn(&Says) -> &str),
}

/// A command in the table that slash, keymap, palette and help share.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub command: Command,
    /// Its name: after the slash, in the keymap, in the palette.
    pub name: &'static str,
    /// What can follow the name.
    pub argument: Argument,
    /// What it does, in a few words of a language.
    pub(crate) about: fn(&Says) -> &str,
    /// Whether it makes sense without an open session.
    pub anywhere: bool,
}

const fn entry(command: Command, name: &'static str, argument: Argument, about: fn(&Says) -> &str) -> Entry {
    Entry { command, name, argument, about, anywhere: false }
}

const fn anywhere(command: Command, name: &'static str, argument: Argument, about: fn(&Says) -> &str) -> Entry {
    Entry { command, name, argument, about, anywhere: true }
}

/// The table, in the order people read it.
pub const COMMANDS: &[Entry] = &[
    anywhere(Command::Help, "help", Argument::None, Says::help),
    anywhere(Command::Engine, "engine", Argument::Said(Says::takes_name), Says::engine),
    anywhere(Command::Sessions, "sessions", Argument::None, Says::sessions),
    anywhere(Command::Search, "search", Argument::Said(Says::takes_words), Says::search),
    anywhere(Command::Find, "find", Argument::Said(Says::takes_words), Says::find),
    entry(Command::Rename, "rename", Argument::Said(Says::takes_title), Says::rename),
    anywhere(Command::Tag, "tag", Argument::Said(Says::takes_tags), Says::tag),
    anywhere(Command::Archive, "archive", Argument::None, Says::archive),
    anywhere(Command::Trash, "trash", Argument::Words("[empty]"), Says::trash),
    entry(Command::Defer, "defer", Argument::Said(Says::takes_item), Says::defer),
    entry(Command::Correct, "correct", Argument::Said(Says::takes_field_and_value), Says::correct),
    entry(Command::Review, "review", Argument::None, Says::review),
    entry(Command::Brief, "brief", Argument::Said(Says::takes_since), Says::brief),
    entry(Command::Phase, "phase", Argument::Said(Says::takes_phase), Says::phase),
    entry(Command::WrapUp, "wrapup", Argument::None, Says::wrapup),
    entry(Command::Park, "park", Argument::None, Says::park),
    entry(Command::Back, "back", Argument::None, Says::back),
    entry(Command::Undo, "undo", Argument::Said(Says::takes_count), Says::undo),
    entry(Command::Redo, "redo", Argument::None, Says::redo),
    entry(Command::Courses, "courses", Argument::None, Says::courses),
    entry(Command::Retry, "retry", Argument::None, Says::retry),
    entry(Command::Edit, "edit", Argument::None, Says::edit),
    entry(Command::Fork, "fork", Argument::None, Says::fork),
    entry(Command::Handoff, "handoff", Argument::None, Says::handoff),
    entry(Command::Journey, "journey", Argument::None, Says::journey),
    entry(Command::Apart, "apart", Argument::None, Says::apart),
    entry(Command::Tasks, "tasks", Argument::Said(Says::takes_task), Says::tasks),
    entry(Command::Export, "export", Argument::Said(Says::takes_export), Says::export),
    entry(Command::Questions, "questions", Argument::Said(Says::takes_file), Says::questions),
    entry(Command::Answers, "answers", Argument::Said(Says::takes_file_and_speaker), Says::answers),
    entry(Command::Scenario, "scenario", Argument::Said(Says::takes_file), Says::scenario),
    entry(Command::Btw, "btw", Argument::Said(Says::takes_words), Says::btw),
    anywhere(Command::Model, "model", Argument::Said(Says::takes_name), Says::model),
    anywhere(Command::Settings, "settings", Argument::None, Says::settings),
    anywhere(Command::Doctor, "doctor", Argument::None, Says::doctor),
    anywhere(Command::About, "about", Argument::None, Says::about),
    anywhere(Command::Theme, "theme", Argument::Said(Says::takes_name), Says::theme),
    entry(Command::Inspector, "inspector", Argument::None, Says::inspector),
    entry(Command::Sidebar, "sidebar", Argument::None, Says::sidebar),
    entry(Command::Copy, "copy", Argument::Words("[code|brief|transcript]"), Says::copy),
    anywhere(Command::Mouse, "mouse", Argument::None, Says::mouse),
    entry(Command::Print, "print", Argument::None, Says::print),
    entry(Command::Editor, "editor", Argument::None, Says::editor),
    anywhere(Command::Quit, "quit", Argument::None, Says::quit),
];

impl Entry {
    /// What can follow the name, for people.
    pub fn argument<'w>(&self, says: &'w Says) -> &'w str {
        match self.argument {
            Argument::None => "",
            Argument::Words(words) => words,
            Argument::Said(said) => said(says),
        }
    }

    pub fn takes_argument(&self) -> bool {
        !matches!(self.argument, Argument::None)
    }

    /// What it does, in a few words.
    pub fn about<'w>(&self, says: &'w Says) -> &'w str {
        (self.about)(says)
    }
}

impl Command {
    pub fn entry(self) -> &'static Entry {
        // Every command has a line (a test sees to it), so the first one is never a stand-in.
        COMMANDS.iter().find(|entry| entry.command == self).unwrap_or(&COMMANDS[0])
    }

    /// Whether it changes the conversation without a window of its own: nobody would see that behind a window.
    pub(crate) fn works_behind_windows(self) -> bool {
        match self {
            Self::Retry | Self::Redo | Self::Edit | Self::Park | Self::Back | Self::WrapUp | Self::Undo => true,
            Self::Help
            | Self::Engine
            | Self::Sessions
            | Self::Search
            | Self::Find
            | Self::Rename
            | Self::Tag
            | Self::Archive
            | Self::Trash
            | Self::Defer
            | Self::Correct
            | Self::Review
            | Self::Brief
            | Self::Phase
            | Self::Courses
            | Self::Fork
            | Self::Handoff
            | Self::Journey
            | Self::Apart
            | Self::Tasks
            | Self::Export
            | Self::Questions
            | Self::Answers
            | Self::Scenario
            | Self::Btw
            | Self::Model
            | Self::Settings
            | Self::Doctor
            | Self::About
            | Self::Theme
            | Self::Inspector
            | Self::Sidebar
            | Self::Copy
            | Self::Mouse
            | Self::Print
            | Self::Editor
            | Self::Quit => false,
        }
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
/// such as `/usr/bin` on a line of several still reaches the engine. An aside may have several lines: taken for a message,
/// it would become evidence.
pub fn slash(text: &str) -> Option<Slash> {
    let line = text.trim();
    let rest = line.strip_prefix('/')?;
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.contains('/') {
        return None;
    }
    let exact = Command::named(name).or_else(|| unique_prefix(name));
    if line.contains('\n') && exact != Some(Command::Btw) {
        return None;
    }
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
