//! The command line: one file per subcommand, data on stdout, words on stderr, exit codes that mean something.

mod engines;
mod output;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
}

/// A command that could not be carried out.
#[derive(Debug)]
struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    fn usage(error: impl std::fmt::Display) -> Self {
        Self { exit: Exit::Usage, message: error.to_string() }
    }

    fn failed(error: impl std::fmt::Display) -> Self {
        Self { exit: Exit::Failed, message: error.to_string() }
    }
}

/// Structured conversations in a terminal.
#[derive(Debug, Parser)]
#[command(name = "elenchus", version, about, max_term_width = 100)]
struct Arguments {
    /// Folder of settings, of your own engines and of your own themes.
    #[arg(long, global = true, value_name = "FOLDER", env = "ELENCHUS_CONFIG")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List, show, check, draw and start engines.
    #[command(subcommand)]
    Engines(engines::Engines),
}

impl Arguments {
    /// The folder of the user's own things.
    fn config_folder(&self) -> PathBuf {
        self.config.clone().unwrap_or_else(|| {
            directories::ProjectDirs::from("", "", "elenchus")
                .map_or_else(|| PathBuf::from(".elenchus"), |folders| folders.config_dir().to_owned())
        })
    }
}

/// Runs the program on its arguments.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Ok };
            let _ = error.print();
            return ExitCode::from(code as u8);
        }
    };
    let mut output = Output::new();
    let outcome = match &arguments.command {
        Some(Command::Engines(command)) => engines::run(command, &arguments, &mut output),
        None => engines::welcome(&arguments, &mut output),
    };
    let exit = outcome.unwrap_or_else(|failure| {
        output.complain(&failure.message);
        failure.exit
    });
    if output.flush() { ExitCode::from(exit as u8) } else { ExitCode::from(Exit::Failed as u8) }
}
