//! What the user looks at before an engine from outside may act: every act with all that belongs to it, line by line,
//! nothing left out and nothing hidden.

use std::path::Path;

use serde_json::Value;

use super::protocol::{TrustDetail, TrustQuestion, TrustedAct};
use crate::files::inside;
use crate::tasks::{Act, TrustRequest};
use crate::text::spelled_out;

/// The largest script that is shown. Nobody reads a longer one on a screen.
const LARGEST_SCRIPT: u64 = 64 * 1024;

/// The question, in words.
pub fn question(request: &TrustRequest) -> TrustQuestion {
    let acts = request.acts.iter().map(|act| shown(act, request.folder.as_deref())).collect();
    let origin = request.folder.as_ref().map(|folder| folder.display().to_string());
    let origin = spelled_out(&origin.unwrap_or_else(|| request.engine_id.clone()));
    TrustQuestion { digest: request.digest.to_string(), origin, acts }
}

fn shown(act: &Act, folder: Option<&Path>) -> TrustedAct {
    let exactly = &act.deed.exactly;
    let text = |name: &str| exactly.get(name).and_then(Value::as_str);
    let args: Vec<&str> =
        exactly.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut details = Vec::new();
    if let Some(program) = text("program") {
        let program = std::iter::once(format!("program: {}", spelled_out(program)));
        let args = args.iter().enumerate().map(|(at, arg)| format!("argument {}: {}", at + 1, spelled_out(arg)));
        details.push(TrustDetail { heading: "exactly".to_owned(), lines: program.chain(args).collect() });
    }
    let file = exactly.get("file").and_then(|file| file.get("Ok")?.as_str());
    let files = file.into_iter().chain(args.iter().copied());
    details.extend(folder.into_iter().flat_map(|folder| files.clone().filter_map(|file| script(folder, file))));
    TrustedAct {
        words: spelled_out(&act.words()),
        handler: spelled_out(&act.handler),
        tasks: act.tasks.iter().map(|task| spelled_out(task)).collect(),
        details,
    }
}

/// A file of the engine's folder, line by line.
fn script(folder: &Path, file: &str) -> Option<TrustDetail> {
    let path = inside::existing(folder, Path::new(file)).ok().filter(|path| path.is_file())?;
    let name = spelled_out(&path.strip_prefix(folder.canonicalize().ok()?).ok()?.to_string_lossy());
    let size = path.metadata().ok()?.len();
    let text = (size <= LARGEST_SCRIPT).then(|| std::fs::read(&path).ok()).flatten();
    let lines: Vec<String> = match text.map(String::from_utf8) {
        Some(Ok(text)) => text.lines().map(spelled_out).collect(),
        _ => vec![format!("(not shown: {size} bytes, too long or not a text)")],
    };
    Some(TrustDetail { heading: format!("{name}, {} lines", lines.len()), lines })
}
