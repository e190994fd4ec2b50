//! Context, agenda, answers: shares that sum to 1 and limits that leave room.

use super::{at_least_one, sums_to_one};
use crate::decode::Problems;
use crate::engine::config::definition::Definition;

/// No model takes more; what is sent is paid for.
const MOST_TOKENS: u32 = 1_000_000;
/// No answer in a conversation is longer.
const LONGEST_ANSWER: u32 = 32_000;

pub fn check(definition: &Definition, problems: &mut Problems) {
    let context = &definition.context;
    let shares = &context.allocation;
    let parts = [
        shares.obligations.0,
        shares.conversation_history.0,
        shares.background_intelligence.0,
        shares.extraction_summary.0,
    ];
    if let Err(sum) = sums_to_one(parts)
        && !problems.within(&shares.span)
    {
        let message = format!("the shares of the context sum to {:.0} %, not 100 %", sum * 100.0);
        problems.error("allocation", shares.span.clone(), message);
    }
    let fixed = u64::from(context.output_reserve)
        + u64::from(context.caps.handoff)
        + u64::from(context.caps.phase)
        + u64::from(context.caps.user_message);
    let max = u64::from(*context.max_tokens);
    // What is not given stands at its default; then the caps are what is too much.
    let given = ["max_tokens", "caps", "output_reserve"].iter().find_map(|key| context.at.given(key));
    let place = given.unwrap_or_default();
    if max < fixed + 2_000 && !problems.faulty("context") {
        problems
            .error(
                "allocation",
                place,
                format!("{max} tokens leave no room: answer and fixed sections may take {fixed}"),
            )
            .help(format!("set `max_tokens` to {} or more, or lower the caps", fixed + 2_000));
    }
    for (key, value, most) in
        [("max_tokens", *context.max_tokens, MOST_TOKENS), ("output_reserve", context.output_reserve, LONGEST_ANSWER)]
    {
        let place = context.at.of(key);
        if value > most && !problems.within(&place) {
            problems.error("out-of-range", place, format!("`{key}` is {most} at most"));
        }
    }
    let agenda = &definition.agenda;
    let place = agenda.at.of("max_questions");
    if !(1..=5).contains(&agenda.max_questions) && !problems.within(&place) {
        problems.error("out-of-range", place, "`max_questions` is from 1 to 5");
    }
    if definition.qa.max_words == 0 {
        at_least_one("max_words", &definition.qa.at, problems);
    }
    if definition.techniques.max_active == 0 {
        at_least_one("max_active", &definition.techniques.at, problems);
    }
}
