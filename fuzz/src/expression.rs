//! Expressions and templates in the place where an engine has them.

use super::{BRIEF, ENGINE, PROMPT, check};

const EVALUATOR: &str = r#"goal_is_sure = "confidence('trip.goal')""#;

pub fn try_input(source: &str) {
    // What would end the literal is for the target of engine files.
    if source.contains("'''") || source.contains('\r') || source.starts_with('\n') || source.ends_with('\'') {
        return;
    }
    assert!(ENGINE.contains(EVALUATOR));
    let engine = ENGINE.replace(EVALUATOR, &format!("goal_is_sure = '''{source}'''"));
    check([("engine.toml", engine.as_bytes()), ("prompt.md", PROMPT.as_bytes()), ("brief.md", source.as_bytes())]);
    check([("engine.toml", engine.as_bytes()), ("prompt.md", source.as_bytes()), ("brief.md", BRIEF.as_bytes())]);
}
