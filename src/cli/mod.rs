//! The command line: one file per subcommand, data on stdout, words on stderr, exit codes that mean something.

mod backup;
mod chat;
mod colour;
mod completions;
mod confined;
mod converse;
mod doctor;
mod engines;
mod lines;
mod log;
mod mcp;
mod output;
mod render;
mod replay;
mod sessions;
mod signals;
mod test;
mod version;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::decode::Diagnostic;
use crate::host::protocol::{NotOpened, TurnFailure};
use crate::host::{AtFault, Host, HostError};
use crate::settings::{Flags, Paths, Surroundings};
use crate::store::Opened;
use crate::text;
use crate::tui::outlet;
use crate::ui::theme::ColorDepth;
use output::Output;

/// What the exit codes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// All went well.
    Ok = 0,
    /// A check failed.
    Failed = 1,
    /// The arguments, the settings or an engine are at fault.
    Usage = 2,
    /// The endpoint is.
    Endpoint = 3,
    /// The store is.
    Store = 4,
}

/// A command that could not be carried out.
#[derive(Debug)]
struct Failure {
    exit: Exit,
    message: String,
    /// What is wrong with files of the user, each with its place.
    problems: Vec<Diagnostic>,
}

impl Failure {
    fn new(exit: Exit, error: impl std::fmt::Display) -> Self {
        Self { exit, message: error.to_string(), problems: Vec::new() }
    }

    fn usage(error: impl std::fmt::Display) -> Self {
        Self::new(Exit::Usage, error)
    }

    fn failed(error: impl std::fmt::Display) -> Self {
        Self::new(Exit::Failed, error)
    }

    /// Files that cannot be used.
    fn in_files(message: impl std::fmt::Display, problems: Vec<Diagnostic>) -> Self {
        Self { problems, ..Self::usage(message) }
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let exit = match error.at_fault() {
            AtFault::Settings | AtFault::Engine | AtFault::Request => Exit::Usage,
            AtFault::Endpoint => Exit::Endpoint,
            AtFault::Store => Exit::Store,
            AtFault::Circumstances => Exit::Failed,
        };
        Self::new(exit, error)
    }
}

impl From<crate::store::StoreError> for Failure {
    fn from(error: crate::store::StoreError) -> Self {
        HostError::from(error).into()
    }
}

impl From<NotOpened> for Failure {
    fn from(why: NotOpened) -> Self {
        let (exit, message) = match why {
            NotOpened::Engine(message) => (Exit::Usage, message),
            NotOpened::Store(message) => (Exit::Store, message),
            NotOpened::Other(message) => (Exit::Failed, message),
        };
        Self::new(exit, message)
    }
}

impl From<TurnFailure> for Failure {
    fn from(failure: TurnFailure) -> Self {
        let exit = match &failure {
            TurnFailure::Input(_) => Exit::Usage,
            TurnFailure::Endpoint(_) | TurnFailure::OverBudget(_) | TurnFailure::EmptyAnswer(_) => Exit::Endpoint,
            TurnFailure::Store(_) | TurnFailure::Elsewhere(_) => Exit::Store,
        };
        Self::new(exit, failure.message())
    }
}

/// Structured conversations in a terminal.
#[derive(Debug, Parser)]
#[command(name = "elenchus", version, disable_version_flag = true, about, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    settings: SettingsArguments,
    /// Print the version.
    #[arg(short = 'V', long)]
    version: bool,
    /// With --version: say how the program was built and where things are kept, as a report of a fault should.
    #[arg(long, requires = "version")]
    verbose: bool,
    /// The app's own, where no command is named.
    #[command(flatten)]
    chat: chat::Chat,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What the command line says about settings; flags win over the environment, the environment over config.toml.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Settings")]
struct SettingsArguments {
    /// Settings: the folder of config.toml, of your engines and your themes, or the file itself.
    #[arg(long, global = true, value_name = "PATH")]
    config: Option<PathBuf>,
    /// The folder of the database.
    #[arg(long, global = true, value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// The profile of config.toml to use.
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
    /// Base URL of an endpoint, such as <http://127.0.0.1:11434/v1>.
    #[arg(long, global = true, value_name = "URL")]
    endpoint: Option<String>,
    /// The model to ask.
    #[arg(long, global = true, value_name = "NAME")]
    model: Option<String>,
    /// Whose endpoint it is or whose protocol it speaks: openai, anthropic, ollama, openrouter, gemini and others.
    #[arg(long, global = true, value_name = "NAME")]
    provider: Option<String>,
    /// The environment variable that holds the key.
    #[arg(long, global = true, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// What happens to sensitive data: warn, redact or allow.
    #[arg(long, global = true, value_name = "WORD")]
    sensitive: Option<String>,
    /// The language of the app and of new sessions, such as de; otherwise it follows from what you write.
    #[arg(long, global = true, value_name = "CODE")]
    lang: Option<String>,
    /// Tell and take lines instead of drawing a screen: for screen readers, slow lines, logs and pipes.
    #[arg(
        long,
        global = true,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true
    )]
    plain: Option<bool>,
    /// Whether there are colours; over `NO_COLOR`, `CLICOLOR_FORCE` and `CLICOLOR`.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: colour::Colours,
    /// Ask no endpoint, whatever is configured.
    #[arg(long, global = true)]
    offline: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Talk: the app, with an engine or a session to start with. The same as no command at all.
    Chat(chat::Chat),
    /// Hold a conversation without a terminal: a message per line in, a JSON turn per line out.
    Converse(converse::Converse),
    /// Offer interviews, briefs and their proofs as tools to coding agents: the Model Context Protocol on stdin and stdout.
    Mcp(mcp::Mcp),
    /// List, show, check, draw and start engines.
    #[command(subcommand)]
    Engines(engines::Engines),
    /// List, read, search, export and change sessions.
    #[command(subcommand)]
    Sessions(sessions::Sessions),
    /// Draw a session as the app would show it, without a terminal.
    Render(render::Render),
    /// Run the scenarios of engines.
    Test(test::Test),
    /// Run the user's turns of a session through a draft of an engine, and show what would differ.
    Replay(replay::Replay),
    /// Copy all sessions into one file, and check the copy.
    Backup(backup::Backup),
    /// Put a backup in the place of the sessions there are; those are kept beside it.
    Restore(backup::Restore),
    /// Say what works and what to do: settings, endpoint, store, terminal.
    Doctor(doctor::Doctor),
    /// Print the script by which a shell completes commands, engines and sessions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual, or write a page for every command into a folder.
    Man {
        /// The folder; it is made where there is none.
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
}

impl SettingsArguments {
    /// The flags that were given, as they are typed in a shell; with a space behind them.
    fn typed_again(&self) -> String {
        // What is said in one folder is done in another.
        let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| whole(path).display().to_string());
        let given = [
            ("--config", path(&self.config)),
            ("--data-dir", path(&self.data_dir)),
            ("--profile", self.profile.clone()),
            ("--endpoint", self.endpoint.clone()),
            ("--model", self.model.clone()),
            ("--provider", self.provider.clone()),
            ("--key-env", self.key_env.clone()),
            ("--sensitive", self.sensitive.clone()),
            ("--lang", self.lang.clone()),
        ];
        let flags = given.into_iter().filter_map(|(name, value)| Some(format!("{name} {} ", quoted(&value?))));
        let plain = self.plain.map(|plain| if plain { "--plain ".to_owned() } else { "--plain=false ".to_owned() });
        let colour = self.color.word().map(|word| format!("--color {word} "));
        let offline = self.offline.then(|| "--offline ".to_owned());
        flags.chain(plain).chain(colour).chain(offline).collect()
    }

    fn flags(&self) -> Flags {
        Flags {
            config: self.config.clone(),
            data_dir: self.data_dir.clone(),
            profile: self.profile.clone(),
            endpoint: self.endpoint.clone(),
            model: self.model.clone(),
            provider: self.provider.clone(),
            key_env: self.key_env.clone(),
            sensitive: self.sensitive.clone(),
            theme: None,
            language: self.lang.clone(),
            plain: self.plain,
            chosen: None,
        }
    }

    /// Whether colours are not wanted at all.
    fn is_colourless(&self) -> bool {
        self.color.decided(&colour::of_process) == colour::Colours::Never
    }

    /// How many colours the app draws with.
    fn depth(&self) -> ColorDepth {
        self.color.depth(&colour::of_process)
    }

    /// Files and folders, without reading any of them.
    fn paths(&self) -> Result<Paths, Failure> {
        Paths::resolve(&self.flags(), &Surroundings::system()).map_err(Failure::usage)
    }

    /// Everything the program works with.
    fn host(&self) -> Result<Host, Failure> {
        let host = self.said_of(Host::open(&self.flags(), &Surroundings::system())?);
        log::begin(&host.settings.paths.data_dir.value);
        Ok(host)
    }

    /// The same while the store is still being opened. There is no log yet.
    fn host_without_waiting(&self) -> Result<(Host, Opened), Failure> {
        let (host, opened) = Host::opening(&self.flags(), &Surroundings::system())?;
        Ok((self.said_of(host), opened))
    }

    fn said_of(&self, host: Host) -> Host {
        if self.offline { host.offline() } else { host }
    }
}

/// Runs the program on its arguments.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let given: Vec<OsString> = arguments.into_iter().collect();
    if confined::is_meant(&given) {
        return confined::run(given);
    }
    crate::sandbox::close_to_others();
    outlet::tell_of_panics();
    let mut output = Output::new();
    if let Some(exit) = completions::asked(&given, &mut output) {
        output.flush();
        return ExitCode::from(exit as u8);
    }
    let arguments = match Arguments::try_parse_from(&given) {
        Ok(arguments) => arguments,
        Err(error) => {
            // The help is told before the arguments are read.
            output.show_colours(colour::Colours::said(&given));
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Ok };
            output.usage(&error, given.iter().all(|given| given.to_str().is_some_and(text::is_safe)));
            output.flush();
            return ExitCode::from(code as u8);
        }
    };
    let settings = &arguments.settings;
    output.show_colours(settings.color);
    let app = matches!(arguments.command, None | Some(Command::Chat(_)));
    if !app && arguments.chat != chat::Chat::default() {
        output.complain_of("options of the app go with the app: name them without a command, or after `chat`", &[]);
        output.flush();
        return ExitCode::from(Exit::Usage as u8);
    }
    let outcome = match &arguments.command {
        _ if arguments.version => version::tell(arguments.verbose, settings, &mut output),
        Some(Command::Converse(command)) => breaking_off(converse::run(command, settings, &mut output)),
        Some(Command::Mcp(command)) => breaking_off(mcp::run(command, settings)),
        Some(Command::Engines(command)) => engines::run(command, settings, &mut output),
        Some(Command::Sessions(command)) => waiting(sessions::run(command, settings, &mut output)),
        Some(Command::Test(command)) => waiting(test::run(command, settings, &mut output)),
        Some(Command::Replay(command)) => waiting(replay::run(command, settings, &mut output)),
        Some(Command::Backup(command)) => waiting(backup::run(command, settings, &mut output)),
        Some(Command::Restore(command)) => backup::restore(command, settings, &mut output),
        Some(Command::Doctor(command)) => breaking_off(doctor::run(command, settings, &mut output)),
        Some(Command::Completions { shell }) => completions::script(*shell, &mut output),
        Some(Command::Man { folder }) => completions::manual(folder.as_deref(), &mut output),
        Some(Command::Render(command)) => waiting(render::run(command, settings, &mut output)),
        Some(Command::Chat(command)) => chat::run(&command.over(&arguments.chat), settings, &mut output),
        None => chat::run(&arguments.chat, settings, &mut output),
    };
    let exit = outcome.unwrap_or_else(|failure| {
        output.complain_of(&failure.message, &failure.problems);
        failure.exit
    });
    if output.flush() { ExitCode::from(exit as u8) } else { ExitCode::from(Exit::Failed as u8) }
}

/// Runs a command that waits for things.
fn waiting(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::failed)?;
    runtime.block_on(command)
}

/// Runs a command that has background tasks or a key's command under way. A signal to end breaks it off: what it was doing is ended first,
/// the programs of tasks among it, and then the process as the signal wants it.
fn breaking_off(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let mut caught = None;
    let outcome = waiting(async {
        let mut ends = signals::Ends::listen().map_err(Failure::failed)?;
        tokio::select! {
            outcome = command => outcome,
            signal = ends.next() => {
                caught = Some(signal);
                Ok(Exit::Failed)
            }
        }
    });
    // By now everything that ran in there is dropped.
    if let Some(signal) = caught {
        signals::end_by(signal);
    }
    outcome
}

/// A word as a shell takes it: in quotes where it has more than letters, digits and signs of a path.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
