//! The `command` handler: a program that reads JSON and writes JSON.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::process::{self, Invocation};
use super::{Attempt, HandlerKind, Job, Progress};
use crate::engine::config::handlers::{CommandHandler, Reachable};
use crate::sandbox::{Grant, Network, Sandbox, belongs_to_system};
use crate::store::Digest;
use crate::tasks::failure::AttemptFailure;
use crate::tasks::pin::{self, Content, PinnedFile};
use crate::tasks::result::{HandlerResult, shaped};
use crate::tasks::sanitise;
use crate::tasks::trust::{Deed, Scene, quoted};
use crate::tasks::workplace::Workplace;

impl HandlerKind for CommandHandler {
    fn deed(&self, scene: Scene<'_>) -> Deed {
        let plan = plan(self, scene.files, scene.sandbox);
        let shown = self.args.iter().fold(String::new(), |all, arg| all + " " + &quoted(arg));
        let (file, digest, grant, obstacle) = match plan {
            Ok(Plan { program, grant, .. }) => (Some(program.shown()), program.digest(), grant, None),
            Err(why) => (None, None, Grant::default(), Some(why)),
        };
        let program = file.clone().unwrap_or_else(|| self.program.clone());
        let words = match &obstacle {
            None => format!("run {}{shown}", quoted(&program)),
            Some(why) => format!("run {}{shown} ({})", quoted(&program), sanitise::line(why, 300)),
        };
        let exactly = json!({
            "type": "command", "program": self.program, "file": file, "digest": digest, "args": self.args,
        });
        Deed { words, grant, exactly, obstacle }
    }

    fn is_program(&self) -> bool {
        true
    }

    fn keeps_time(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, job: &'a Job<'a>, progress: Progress<'a>) -> Attempt<'a> {
        Box::pin(run(self, job, progress))
    }
}

async fn run(handler: &CommandHandler, job: &Job<'_>, progress: Progress<'_>) -> Result<HandlerResult, AttemptFailure> {
    let Some(place) = job.workplace else {
        return Err(AttemptFailure::hopeless("there is no folder for it to work in"));
    };
    let plan = plan(handler, job.files, job.sandbox).map_err(AttemptFailure::hopeless)?;
    let program = plan.program.ready(place)?;
    let args: Vec<String> = handler.args.iter().map(|arg| argument(arg, place)).collect();
    let input = serde_json::to_vec(&job.material()).map_err(|error| AttemptFailure::hopeless(error.to_string()))?;
    let invocation = Invocation {
        program: &program,
        args: &args,
        place: place.place(),
        sandbox: job.sandbox,
        grant: &plan.grant,
        mark: &job.row.id.to_string(),
        input: &input,
        time: job.time,
        limits: job.limits,
    };
    let output = process::run(invocation, progress).await?;
    let value = read(&output)?;
    let source = format!("the program {}", sanitise::line(&handler.program, 200));
    Ok(HandlerResult { value: shaped(&value, &handler.output)?, source })
}

/// The document in an output; words around it are not guessed at.
fn read(output: &[u8]) -> Result<Value, AttemptFailure> {
    let text = std::str::from_utf8(output).map_err(|_| AttemptFailure::failed("its output is not UTF-8"))?;
    if text.trim().is_empty() {
        return Err(AttemptFailure::failed("it wrote nothing"));
    }
    serde_json::from_str(text).map_err(|error| AttemptFailure::failed(format!("its output is not JSON: {error}")))
}

/// What would be run, and what it may do.
struct Plan {
    program: Program,
    grant: Grant,
}

/// A program whose content is known.
enum Program {
    /// A file of the engine's folder.
    Own(String),
    /// One of the system, which runs where it is: it finds its libraries from there.
    System(PathBuf, Digest),
    /// Any other, which runs as a copy.
    Elsewhere(PathBuf, Digest),
}

impl Program {
    fn shown(&self) -> String {
        match self {
            Self::Own(name) => format!("./{name}"),
            Self::System(file, _) | Self::Elsewhere(file, _) => file.to_string_lossy().into_owned(),
        }
    }

    fn digest(&self) -> Option<Digest> {
        match self {
            Self::Own(_) => None,
            Self::System(_, digest) | Self::Elsewhere(_, digest) => Some(*digest),
        }
    }

    /// The file to run.
    fn ready(self, place: &Workplace) -> Result<PathBuf, AttemptFailure> {
        match self {
            Self::Own(name) => Ok(place.own(&name)),
            Self::System(file, _) => Ok(file),
            Self::Elsewhere(file, agreed) => {
                let name = file.file_name().unwrap_or_default();
                let copy = place.own(".program").join(name);
                let copied = pin::copy_file(&file, &copy).map_err(AttemptFailure::hopeless)?;
                if copied == agreed {
                    Ok(copy)
                } else {
                    Err(AttemptFailure::failed(format!("{} was changed at this very moment", file.display())))
                }
            }
        }
    }
}

/// Finds out what would be run. Whatever could turn into something else after the user has agreed is refused.
fn plan(handler: &CommandHandler, files: &[PinnedFile], sandbox: &Sandbox) -> Result<Plan, String> {
    let program = program(&handler.program, files)?;
    for arg in &handler.args {
        check_argument(arg, files, handler)?;
    }
    let grant = Grant {
        read: granted(&handler.read, sandbox)?,
        write: granted(&handler.write, sandbox)?,
        network: match handler.network {
            Reachable::None => Network::None,
            Reachable::All => Network::All,
        },
        commands: vec![program.shown()],
        ..Grant::default()
    };
    Ok(Plan { program, grant })
}

/// A bare name is looked up on the path, `./name` is a file of the engine's folder.
fn program(word: &str, files: &[PinnedFile]) -> Result<Program, String> {
    let shown = sanitise::line(word, 200);
    let path = Path::new(word);
    let file = if path.is_absolute() {
        path.to_owned()
    } else if path.components().count() > 1 || word.starts_with('.') {
        let dotted = if word.starts_with('.') { word.to_owned() } else { format!("./{word}") };
        return own(&dotted, files).map(Program::Own);
    } else {
        let found = std::env::var_os("PATH").and_then(|all| {
            std::env::split_paths(&all).map(|folder| folder.join(word)).find(|candidate| candidate.is_file())
        });
        found.ok_or_else(|| format!("{shown} is not installed"))?
    };
    let digest = pin::digest(&file).map_err(|error| format!("the program {shown} cannot be read: {error}"))?;
    Ok(if belongs_to_system(&file) { Program::System(file, digest) } else { Program::Elsewhere(file, digest) })
}

/// The name of a file of the engine's folder, if it is one that the user can read before agreeing to it.
fn own(word: &str, files: &[PinnedFile]) -> Result<String, String> {
    let shown = sanitise::line(word, 200);
    let name = pin::own_name(word).ok_or_else(|| {
        format!("{shown} leads out of the engine's folder, where it can change: put it into the folder")
    })?;
    match files.iter().find(|file| file.path == name).map(|file| &file.content) {
        Some(Content::Text(_) | Content::Binary) => Ok(name),
        Some(Content::TooLong) => Err(format!("{shown} is too long to be shown before you agree to it")),
        None => Err(format!("there is no {shown} among the files of the engine's folder that can be run")),
    }
}

/// An argument that names a file must name one that cannot change, or one that was asked for by `read` or `write`.
fn check_argument(arg: &str, files: &[PinnedFile], handler: &CommandHandler) -> Result<(), String> {
    if arg.starts_with("./") || arg.starts_with("../") {
        return own(arg, files).map(|_| ());
    }
    let file = Path::new(arg);
    let mut named = handler.read.iter().chain(&handler.write).filter_map(|path| whole(path));
    let known = belongs_to_system(file) || named.any(|path| file.starts_with(path));
    if file.is_absolute() && file.is_file() && !known {
        let shown = sanitise::line(arg, 200);
        return Err(format!(
            "{shown} lies outside the engine's folder, where it can change: put it into the folder, or name it in `read`"
        ));
    }
    Ok(())
}

/// An argument as the program gets it: files of the engine's folder are those of the copy.
fn argument(arg: &str, place: &Workplace) -> String {
    match pin::own_name(arg) {
        Some(name) => place.own(&name).to_string_lossy().into_owned(),
        None => arg.to_owned(),
    }
}

/// Where the paths lead that a handler asks for.
fn granted(paths: &[String], sandbox: &Sandbox) -> Result<Vec<PathBuf>, String> {
    let one = |path: &String| {
        let shown = sanitise::line(path, 200);
        let named = whole(path).ok_or_else(|| format!("{shown} is no whole path"))?;
        let real =
            named.canonicalize().map_err(|error| format!("{shown}, which it asks for, is not there: {error}"))?;
        sandbox.objection(&real).map_or(Ok(real), Err)
    };
    paths.iter().map(one).collect()
}

/// A path of an engine file: whole, or below the user's home (`~/…`).
fn whole(path: &str) -> Option<PathBuf> {
    match path.strip_prefix("~/") {
        Some(inside) => Some(std::env::home_dir()?.join(inside)),
        None => Some(PathBuf::from(path)).filter(|path| path.is_absolute()),
    }
}
