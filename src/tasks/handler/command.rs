//! The `command` handler: a program that reads JSON and writes JSON.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::process::{self, Invocation};
use super::{Attempt, HandlerKind, Job, Progress};
use crate::engine::config::handlers::{CommandHandler, Reachable};
use crate::sandbox::{Grant, Network, Sandbox, belongs_to_system};
use crate::store::Digest;
use crate::tasks::code::{self, Arguments};
use crate::tasks::failure::AttemptFailure;
use crate::tasks::pin::{self, Content, PinnedFile};
use crate::tasks::result::{Basis, HandlerResult, shaped};
use crate::tasks::sanitise;
use crate::tasks::trust::{Deed, Scene, quoted};
use crate::tasks::workplace::Workplace;

impl HandlerKind for CommandHandler {
    fn deed(&self, scene: Scene<'_>) -> Deed {
        let plan = plan(self, scene.files, scene.sandbox);
        let shown = self.args.iter().fold(String::new(), |all, arg| all + " " + &quoted(arg));
        let (file, digest, grant, outside, obstacle) = match plan {
            Ok(plan) => {
                let outside = plan.shown_files();
                (Some(plan.program.shown()), plan.program.digest(), plan.grant, outside, None)
            }
            Err(why) => (None, None, Grant::default(), Vec::new(), Some(why)),
        };
        let program = file.clone().unwrap_or_else(|| self.program.clone());
        let words = match &obstacle {
            None => format!("run {}{shown}", quoted(&program)),
            Some(why) => format!("run {}{shown} ({})", quoted(&program), sanitise::line(why, 300)),
        };
        let exactly = json!({
            "type": "command", "program": self.program, "file": file, "digest": digest, "args": self.args,
        });
        Deed { words, grant, exactly, outside, obstacle }
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
    // Asked for once more: what is outside the folder may have changed since leave was given a moment ago, and the paths
    // of a grant may lead elsewhere.
    if job.agreed.is_some_and(|agreed| agreed.outside != plan.shown_files() || agreed.grant != plan.grant) {
        return Err(AttemptFailure::failed("what it would run was changed at this very moment"));
    }
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
    let basis = Basis::Program(sanitise::line(&handler.program, 200));
    Ok(HandlerResult { value: shaped(&value, &handler.output)?, basis })
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
    /// Files of the system that its arguments have it run.
    scripts: Vec<PinnedFile>,
    grant: Grant,
}

impl Plan {
    /// What the user is shown besides the files of the folder.
    fn shown_files(&self) -> Vec<PinnedFile> {
        let program = match &self.program {
            Program::Own(_) => None,
            Program::System(_, held) | Program::Elsewhere(_, held) => Some(held),
        };
        // A compiled program of the system is shown by its name alone.
        let shown = program.into_iter().filter(|held| held.content != Content::Compiled);
        shown.chain(&self.scripts).cloned().collect()
    }
}

/// A program whose content is known.
enum Program {
    /// A file of the engine's folder.
    Own(String),
    /// One of the system, which runs where it is: it finds its libraries from there.
    System(PathBuf, PinnedFile),
    /// Any other, which runs as a copy.
    Elsewhere(PathBuf, PinnedFile),
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
            Self::System(_, held) | Self::Elsewhere(_, held) => Some(held.digest),
        }
    }

    /// The file outside the engine's folder that runs the arguments, unless it is a script, which the user sees.
    fn compiled(&self) -> Option<&Path> {
        match self {
            Self::System(file, held) | Self::Elsewhere(file, held) if held.content == Content::Compiled => Some(file),
            _ => None,
        }
    }

    /// The file to run.
    fn ready(self, place: &Workplace) -> Result<PathBuf, AttemptFailure> {
        match self {
            Self::Own(name) => Ok(place.own(&name)),
            Self::System(file, _) => Ok(file),
            Self::Elsewhere(file, held) => copied(&file, &held, place),
        }
    }
}

/// A copy of a file outside the engine's folder, if it is still the one that was looked at.
fn copied(file: &Path, held: &PinnedFile, place: &Workplace) -> Result<PathBuf, AttemptFailure> {
    let name = file.file_name().unwrap_or_default();
    let copy = place.own(".program").join(name);
    let found = pin::copy_file(file, &copy).map_err(AttemptFailure::hopeless)?;
    if found == held.digest {
        Ok(copy)
    } else {
        Err(AttemptFailure::failed(format!("{} was changed at this very moment", file.display())))
    }
}

/// Finds out what would be run. Whatever could turn into something else after the user has agreed is refused.
fn plan(handler: &CommandHandler, files: &[PinnedFile], sandbox: &Sandbox) -> Result<Plan, String> {
    let program = program(&handler.program, files)?;
    let asked: Vec<PathBuf> = handler.read.iter().chain(&handler.write).filter_map(|path| whole(path)).collect();
    let scripts = Arguments::of(program.compiled(), files, &asked).check(&handler.args)?;
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
    Ok(Plan { program, scripts, grant })
}

/// A bare name is looked up on the path, `./name` is a file of the engine's folder.
fn program(word: &str, files: &[PinnedFile]) -> Result<Program, String> {
    let path = Path::new(word);
    let file = if path.is_absolute() {
        path.to_owned()
    } else if path.components().count() > 1 || word.starts_with('.') {
        let dotted = if word.starts_with('.') { word.to_owned() } else { format!("./{word}") };
        return code::own(&dotted, files, false).map(Program::Own);
    } else {
        installed(word).ok_or_else(|| format!("{} is not installed", sanitise::line(word, 200)))?
    };
    let held = code::script(&file)?;
    Ok(if belongs_to_system(&file) { Program::System(file, held) } else { Program::Elsewhere(file, held) })
}

/// Where a program is. Those of the system come first, wherever the path has them: version managers put scripts before
/// them that start something in the user's home, which no program of an engine gets to see.
fn installed(word: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(word));
    let found: Vec<PathBuf> = found.filter(|file| file.is_file() && pin::is_executable(file)).collect();
    found.iter().find(|file| belongs_to_system(file)).or(found.first()).cloned()
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
