//! `elenchus completions` and `elenchus man`: what shells and `man` know of the command line.
//!
//! The script of a shell asks the program itself whenever Tab is pressed, so that engines and sessions complete as well,
//! with what they are called. Nothing is made or changed for that: the store is only read, and not waited for long.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;

use super::{Arguments, Exit, Failure, Output};
use crate::catalogue::Catalogue;
use crate::settings::{Flags, Paths, Surroundings};
use crate::store::{SessionFilter, SqliteOptions, Store};
use crate::text::sanitise_line;

const NAME: &str = "elenchus";

/// Set to the name of a shell where that shell asks what can follow.
const VARIABLE: &str = "ELENCHUS_COMPLETE";

/// What is not known by then is not offered: somebody waits at a prompt.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long another process may keep the store to itself.
const LOCKED: Duration = Duration::from_millis(100);

/// More sessions than these are not offered, the latest first.
const MOST_SESSIONS: u32 = 100;

/// The script that has a shell ask this program.
pub fn script(shell: Shell, output: &mut Output) -> Result<Exit, Failure> {
    let shells = Shells::builtins();
    let asks = shells.completer(&shell.to_string()).ok_or_else(|| Failure::usage("there is no script for it"))?;
    let mut bytes = Vec::new();
    asks.write_registration(VARIABLE, NAME, NAME, NAME, &mut bytes).map_err(Failure::failed)?;
    // Output is made safe, and lines end in what every shell can split at.
    let mut script = String::from_utf8_lossy(&bytes).trim_start().replace("IFS=$'\\013'", "IFS=$'\\n'");
    if shell == Shell::Zsh {
        // Loaded from a folder of completions, the file is the function that is called first.
        script += "if [[ $funcstack[1] == _elenchus ]]; then _clap_dynamic_completer_elenchus \"$@\"; fi\n";
    }
    output.text(&script);
    Ok(Exit::Ok)
}

/// Answers a shell that asks what can follow its words; `None` where none does.
pub(super) fn asked(given: &[OsString], output: &mut Output) -> Option<Exit> {
    let shell = std::env::var(VARIABLE).ok().filter(|shell| !shell.is_empty())?;
    let shells = Shells::builtins();
    let words: Vec<OsString> = given.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
    let answers = shells.completer(&shell).filter(|_| !words.is_empty());
    let Some(answers) = answers else { return Some(Exit::Usage) };
    let mut command = match places(&words) {
        Some(paths) => with_what_is_there(Arguments::command(), &Arc::new(paths)),
        None => Arguments::command(),
    };
    let mut bytes = Vec::new();
    let here = std::env::current_dir().ok();
    if answers.write_complete(&mut command, words, here.as_deref(), &mut bytes).is_err() {
        return Some(Exit::Failed);
    }
    output.text(&String::from_utf8_lossy(&bytes));
    Some(Exit::Ok)
}

/// Where things are kept, as the words that were typed so far say.
fn places(words: &[OsString]) -> Option<Paths> {
    let named = |flag: &str| -> Option<PathBuf> {
        let at = words.iter().position(|word| word == flag);
        let behind = at.and_then(|at| words.get(at + 1)).map(PathBuf::from);
        let joined = || words.iter().find_map(|word| word.to_str()?.strip_prefix(flag)?.strip_prefix('='));
        behind.or_else(|| joined().map(PathBuf::from))
    };
    let flags = Flags { config: named("--config"), data_dir: named("--data-dir"), ..Flags::default() };
    Paths::resolve(&flags, &Surroundings::system()).ok()
}

/// The command line, with the engines and the sessions there are wherever it takes one.
fn with_what_is_there(command: Command, paths: &Arc<Paths>) -> Command {
    let command = command.mut_args(|arg| {
        let paths = Arc::clone(paths);
        match arg.get_id().as_str() {
            "engine" | "engines" => {
                arg.add(ArgValueCompleter::new(move |typed: &OsStr| fitting(&paths, typed, engines)))
            }
            "session" | "sessions" | "of" | "with" => {
                arg.add(ArgValueCompleter::new(move |typed: &OsStr| fitting(&paths, typed, sessions)))
            }
            _ => arg,
        }
    });
    command.mut_subcommands(|below| with_what_is_there(below, paths))
}

/// What can be named, each with what it is called.
type Completions = Vec<(String, String)>;

/// What begins as it was typed, of what can be found out in time.
fn fitting(paths: &Arc<Paths>, typed: &OsStr, find: fn(&Paths) -> Option<Completions>) -> Vec<CompletionCandidate> {
    let (sender, receiver) = mpsc::channel();
    let paths = Arc::clone(paths);
    thread::spawn(move || sender.send(find(&paths).unwrap_or_default()));
    let found = receiver.recv_timeout(PATIENCE).unwrap_or_default();
    let typed = typed.to_string_lossy();
    let fits = found.into_iter().filter(|(id, _)| id.starts_with(&*typed));
    let candidate = |(id, about): (String, String)| {
        let about = sanitise_line(&about).into_owned();
        CompletionCandidate::new(id).help(Some(about.into()))
    };
    fits.map(candidate).collect()
}

/// The engines, with what one leaves with.
fn engines(paths: &Paths) -> Option<Completions> {
    let heads = Catalogue::open(&paths.engines()).ok()?.heads();
    Some(heads.into_iter().map(|(id, head)| (id, format!("{}: {}", head.name, head.outcome))).collect())
}

/// The sessions, with their titles.
fn sessions(paths: &Paths) -> Option<Completions> {
    let file = paths.database();
    if !file.is_file() {
        return None;
    }
    let options = SqliteOptions { patience: LOCKED, ..SqliteOptions::default() };
    let mut store = Store::open_sqlite_to_read(&file, options).ok()?;
    let filter = SessionFilter { limit: Some(MOST_SESSIONS), ..SessionFilter::default() };
    let about = |title: &str, engine: &str, turn: u32| format!("{title} ({engine}, turn {turn})");
    let found = store.list_sessions(&filter).ok()?.into_iter();
    Some(found.map(|one| (one.id.to_string(), about(&one.title, &one.engine_id, one.turn))).collect())
}

/// The manual: its first page, or a page for every command in a folder.
pub(crate) fn manual(folder: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(folder) = folder {
        let unwritten = |error| Failure::failed(format!("no pages can be written to {}: {error}", folder.display()));
        std::fs::create_dir_all(folder).map_err(unwritten)?;
        clap_mangen::generate_to(Arguments::command(), folder).map_err(unwritten)?;
        output.remark(&format!("A page for every command is in {}.", folder.display()));
        return Ok(Exit::Ok);
    }
    let mut bytes = Vec::new();
    clap_mangen::Man::new(Arguments::command().disable_help_subcommand(true))
        .render(&mut bytes)
        .map_err(Failure::failed)?;
    output.text(&String::from_utf8_lossy(&bytes));
    Ok(Exit::Ok)
}
