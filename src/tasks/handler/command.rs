//! The `command` handler: a program that reads JSON and writes JSON.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::process::{self, Invocation};
use super::{Job, Progress};
use crate::engine::config::CommandHandler;
use crate::tasks::failure::Failure;
use crate::tasks::result::{Found, shaped};
use crate::tasks::sanitise;

pub(super) async fn run(handler: &CommandHandler, job: &Job<'_>, progress: Progress<'_>) -> Result<Found, Failure> {
    let program = resolve(&handler.program, job.engine_folder).map_err(Failure::hopeless)?;
    let folder = Folder::create(job.work_folder)?;
    let args = arguments(&handler.args, job.engine_folder);
    let input = serde_json::to_vec(&job.material()).map_err(|error| Failure::hopeless(error.to_string()))?;
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
    Ok(Found { value: shaped(&value, &handler.output)?, source, call: None })
}

/// The document in an output; words around it are not guessed at.
fn read(output: &[u8]) -> Result<Value, Failure> {
    let text = std::str::from_utf8(output).map_err(|_| Failure::failed("its output is not UTF-8"))?;
    if text.trim().is_empty() {
        return Err(Failure::failed("it wrote nothing"));
    }
    serde_json::from_str(text).map_err(|error| Failure::failed(format!("its output is not JSON: {error}")))
}

/// The file of a program: a bare name is looked up on the path, a relative one in the engine's folder.
pub fn resolve(program: &str, engine_folder: Option<&Path>) -> Result<PathBuf, String> {
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
pub fn arguments(args: &[String], engine_folder: Option<&Path>) -> Vec<String> {
    let whole = |arg: &String| {
        let file =
            arg.strip_prefix("./").zip(engine_folder).and_then(|(name, folder)| folder.join(name).canonicalize().ok());
        file.map_or_else(|| arg.clone(), |file| file.to_string_lossy().into_owned())
    };
    args.iter().map(whole).collect()
}

/// A folder that is there while a program runs.
struct Folder(PathBuf);

impl Folder {
    fn create(path: &Path) -> Result<Self, Failure> {
        let fail = |error: std::io::Error| Failure::failed(format!("there is no working folder for it: {error}"));
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
