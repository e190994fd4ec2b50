//! What the user looks at before an engine from outside may act: every act with all that belongs to it, line by line,
//! nothing left out and nothing hidden.

use serde_json::Value;

use super::protocol::{TrustDetail, TrustQuestion, TrustedAct};
use crate::tasks::pin::{Content, PinnedFile};
use crate::tasks::{Act, TrustRequest};
use crate::text::spelled_out;

/// The question, in words.
pub fn question(request: &TrustRequest) -> TrustQuestion {
    let origin = request.folder.as_ref().map(|folder| folder.display().to_string());
    TrustQuestion {
        digest: request.digest.to_string(),
        origin: spelled_out(&origin.unwrap_or_else(|| request.engine_id.clone())),
        acts: request.acts.iter().map(act).collect(),
        files: request.files.iter().chain(request.acts.iter().flat_map(|act| &act.deed.outside)).map(file).collect(),
        held_by: request.confinement.map(|confinement| confinement.words().to_owned()),
        obstacles: request.obstacles.iter().map(|why| spelled_out(why)).collect(),
        doubt: request.doubt.map(|doubt| format!("What was decided about it before does not count, because {doubt}.")),
    }
}

fn act(act: &Act) -> TrustedAct {
    let exactly = &act.deed.exactly;
    let text = |name: &str| exactly.get(name).and_then(Value::as_str).map(spelled_out);
    let args = exactly.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut lines = Vec::new();
    if let Some(program) = text("program") {
        let file = text("file").filter(|file| *file != program).map(|file| format!(", which is {file}"));
        lines.push(format!("program: {program}{}", file.unwrap_or_default()));
    }
    lines.extend(args.enumerate().map(|(at, arg)| format!("argument {}: {}", at + 1, spelled_out(arg))));
    let grants: Vec<String> = act.deed.grant.words().iter().map(|words| spelled_out(words)).collect();
    let details = [("exactly", lines), ("and may", grants)];
    let details = details.into_iter().filter(|(_, lines)| !lines.is_empty());
    TrustedAct {
        words: spelled_out(&act.words()),
        handler: spelled_out(&act.handler),
        tasks: act.tasks.iter().map(|task| spelled_out(task)).collect(),
        details: details.map(|(heading, lines)| TrustDetail { heading: heading.to_owned(), lines }).collect(),
    }
}

/// A file that programs of the engine get, line by line.
fn file(file: &PinnedFile) -> TrustDetail {
    let unshown = |why: &str| vec![format!("({why}; digest {})", file.digest)];
    let lines = match &file.content {
        Content::Text(text) => {
            text.split('\n').map(|line| spelled_out(line.strip_suffix('\r').unwrap_or(line))).collect()
        }
        Content::TooLong => unshown("a text that is too long to be shown"),
        Content::Compiled => unshown("a compiled program: what it does cannot be shown"),
        Content::Opaque => unshown("neither a text nor a compiled program"),
    };
    TrustDetail { heading: format!("{}, {} bytes", spelled_out(&file.path), file.bytes), lines }
}
