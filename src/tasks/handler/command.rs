//! The `command` handler: a program that reads JSON and writes JSON.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::process::{self, Invocation};
use super::{Attempt, HandlerKind, Job, Progress};
use crate::engine::config::handlers::CommandHandler;
use crate::store::Digest;
use crate::tasks::failure::AttemptFailure;
use crate::tasks::result::{HandlerResult, shaped};
use crate::tasks::sanitise;
use crate::tasks::trust::{Deed, quoted};

impl HandlerKind for CommandHandler {
    fn deed(&self, engine_folder: Option<&Path>) -> Option<Deed> {
        let file = resolve(&self.program, engine_folder);
        let args = arguments(&self.args, engine_folder);
        let content = contents(file.as_deref().ok(), &args, engine_folder);
        let shown = args.iter().fold(String::new(), |all, arg| all + " " + &quoted(arg));
        let words = match &file {
            Ok(file) => format!("run {}{shown}", quoted(&file.to_string_lossy())),
            Err(why) => format!("run {}{shown} ({})", quoted(&self.program), sanitise::line(why, 200)),
        };
        let exactly = json!({
            "type": "command", "program": self.program, "file": file, "args": args, "content": content,
        });
        Some(Deed::new(words, exactly))
    }

    fn keeps_time(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, job: &'a Job<'a>, progress: Progress<'a>) -> Attempt<'a> {
        Box::pin(run(self, job, progress))
    }
}

async fn run(handler: &CommandHandler, job: &Job<'_>, progress: Progress<'_>) -> Result<HandlerResult, AttemptFailure> {
    let program = resolve(&handler.program, job.engine_folder).map_err(AttemptFailure::hopeless)?;
    let folder = Folder::create(job.work_folder)?;
    let args = arguments(&handler.args, job.engine_folder);
    let input = serde_json::to_vec(&job.material()).map_err(|error| AttemptFailure::hopeless(error.to_string()))?;
    let invocation = Invocation {
        program: &program,
        args: &args,
        folder: &folder.0,
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

/// The file of a program: a bare name is looked up on the path, a relative one in the engine's folder.
fn resolve(program: &str, engine_folder: Option<&Path>) -> Result<PathBuf, String> {
    let shown = sanitise::line(program, 200);
    let path = Path::new(program);
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    if path.components().count() > 1 || program.starts_with('.') {
        let folder = engine_folder.ok_or_else(|| format!("{shown} stands in the engine's folder, which is gone"))?;
        let file = folder.join(path);
        return file.canonicalize().map_err(|error| format!("{shown} cannot be found in the engine's folder: {error}"));
    }
    let found = std::env::var_os("PATH").and_then(|all| {
        std::env::split_paths(&all).map(|folder| folder.join(program)).find(|candidate| candidate.is_file())
    });
    found.ok_or_else(|| format!("{shown} is not installed"))
}

/// The arguments, with files of the engine's folder (`./…`) written out: the program runs in another folder.
fn arguments(args: &[String], engine_folder: Option<&Path>) -> Vec<String> {
    let whole = |arg: &String| {
        let file =
            arg.strip_prefix("./").zip(engine_folder).and_then(|(name, folder)| folder.join(name).canonicalize().ok());
        file.map_or_else(|| arg.clone(), |file| file.to_string_lossy().into_owned())
    };
    args.iter().map(whole).collect()
}

/// The digests of the files in the engine's own folder that would run: its program, and what it hands to an
/// interpreter. Files elsewhere count by their path alone.
fn contents(program: Option<&Path>, args: &[String], folder: Option<&Path>) -> Vec<Digest> {
    let own = |path: &Path| folder.and_then(|folder| folder.canonicalize().ok()).is_some_and(|f| path.starts_with(f));
    let files = program.into_iter().chain(args.iter().map(Path::new)).filter(|path| own(path) && path.is_file());
    files.filter_map(|path| std::fs::read(path).ok()).map(|bytes| Digest::of(&bytes)).collect()
}

/// A folder that is there while a program runs.
struct Folder(PathBuf);

impl Folder {
    fn create(path: &Path) -> Result<Self, AttemptFailure> {
        let fail =
            |error: std::io::Error| AttemptFailure::failed(format!("there is no working folder for it: {error}"));
        // What an interrupted attempt left is not this one's business.
        if path.exists() {
            std::fs::remove_dir_all(path).map_err(fail)?;
        }
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(fail)?;
        // Relative paths would mean something else once the program runs in there.
        Ok(Self(path.canonicalize().map_err(fail)?))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed now is removed before the next attempt.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
