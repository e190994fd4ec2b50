//! What an answer shows of what is not for the user: data, instructions, notes, what a tool brought, the other's part.

/// How a request begins that has an answer written again; how one begins that has it written to its end.
pub(crate) const AGAIN: &str = "[Write that answer again";
pub(crate) const GO_ON: &str = "[Your answer was cut off";

/// Words that only a note, another request of the program or the answer of a tool has.
const NOTE_MARKS: &[&str] = &[
    "<note",
    "</note",
    "<report",
    "</report",
    "<found",
    "</found",
    "Open points, ask for",
    "Noted before this message:",
    "Open points:",
    "How to ask:",
    "This part: ",
    "[confidence",
    "Technique:",
    "What stands between the marks",
    AGAIN,
    GO_ON,
];
/// How notes speak about the user; an answer speaks to them.
const ABOUT_THE_USER: &[&str] = &[
    "the user has told",
    "the user has said",
    "the user has mentioned",
    "the user has given",
    "the user told",
    "the user said",
    "the user says",
    "the user mentioned",
    "the user did not",
    "the user has not",
];
/// How models turn a person away who has only told something.
const REFUSALS: &[&str] = &[
    "can't help with that",
    "cannot help with that",
    "can't assist with",
    "cannot assist with",
    "unable to assist",
    "unable to help",
    "not able to help with",
    "can't continue with this",
    "cannot continue with this",
    "as an ai language model",
    "kann ich nicht helfen",
    "kann ich dir nicht helfen",
    "kann ich ihnen nicht helfen",
    "kann dabei nicht helfen",
];
/// The fewest characters of a sentence that is not said by chance.
const NOT_BY_CHANCE: usize = 40;

/// Whether an answer repeats a note: its marks, a sentence of it that is no question, or a point with its question.
pub(in crate::engine) fn leaks_note(note: &str, answer: &str) -> bool {
    let is_point = |line: &str| line.contains(": ") && line.ends_with('?');
    let points = note.lines().filter_map(|line| line.strip_prefix("- ")).filter(|line| is_point(line));
    let sentences = note.lines().flat_map(|line| line.trim().split_inclusive(". ")).map(str::trim);
    let told = sentences.filter(|sentence| sentence.len() >= NOT_BY_CHANCE && !sentence.contains('?'));
    let lower = answer.to_lowercase();
    NOTE_MARKS.iter().any(|mark| answer.contains(mark))
        || ABOUT_THE_USER.iter().any(|words| lower.contains(words))
        || told.chain(points).any(|words| answer.contains(words.trim_start_matches("- ").trim_end_matches(['.', '?'])))
}

/// Whether an answer turns the user away.
pub(super) fn refuses(answer: &str) -> bool {
    let lower = answer.to_lowercase().replace('’', "'");
    REFUSALS.iter().any(|words| lower.contains(words))
}

pub(super) fn is_json(answer: &str) -> bool {
    let text = answer.trim().trim_start_matches("```json").trim_start_matches("```").trim_start();
    text.starts_with('{') && text.contains("\":") || answer.contains("\"fields\":")
}

/// A line of the prompt that stands in the answer word for word.
pub(super) fn leaked_line<'a>(prompt: &'a str, answer: &str) -> Option<&'a str> {
    let long = prompt.lines().map(|line| line.trim().trim_start_matches("- ")).filter(|line| line.len() >= 50);
    long.into_iter().find(|line| answer.contains(*line))
}

/// How models head what they say, and what the other says.
const OWN_LABELS: &[&str] = &["Interviewer", "Assistant", "You", "AI", "Answer", "Response", "Bot"];
const OTHER_LABELS: &[&str] = &["User", "Human", "Customer", "Person", "Interviewee", "Me"];

/// What follows a label at the beginning of a line.
fn after_label<'a>(line: &'a str, labels: &[&str]) -> Option<&'a str> {
    let line = line.trim_start().trim_start_matches(['*', '_']);
    labels.iter().find_map(|label| {
        let rest = line.strip_prefix(label)?.trim_start_matches(['*', '_']).strip_prefix(':')?;
        Some(rest.trim_start_matches(['*', '_']).trim_start())
    })
}

/// Whether an answer plays the part of the user, too.
pub(super) fn plays_both(answer: &str) -> bool {
    answer.lines().any(|line| after_label(line, OTHER_LABELS).is_some())
}

/// An answer without the label that some models put before what they say.
pub(crate) fn without_label(answer: &str) -> &str {
    after_label(answer, OWN_LABELS).filter(|rest| !rest.is_empty()).unwrap_or(answer)
}

#[cfg(test)]
mod tests {
    use super::{plays_both, without_label};

    #[test]
    fn labels_go_and_ordinary_beginnings_stay() {
        for (answer, kept) in [
            ("You: How many are there?", "How many are there?"),
            ("**Interviewer:** How many are there?", "How many are there?"),
            ("Assistant: Fine.", "Fine."),
            ("You said three. Who are they?", "You said three. Who are they?"),
            ("Your staff: who are they?", "Your staff: who are they?"),
            ("You:", "You:"),
        ] {
            assert_eq!(without_label(answer), kept);
        }
        assert!(plays_both("User: we want it soon.\nInterviewer: By when?"));
        assert!(!plays_both("Users: who are they?"));
    }
}
