//! Context, agenda, answers: shares that sum to 1 and limits that leave room.

use super::sums_to_one;
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::Problems;

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
    if max < fixed + 2_000 && !problems.within(&context.max_tokens.span) {
        problems
            .error(
                "allocation",
                context.max_tokens.span.clone(),
                format!("{max} tokens leave no room: answer and fixed sections may take {fixed}"),
            )
            .help(format!("set `max_tokens` to {} or more, or lower the caps", fixed + 2_000));
    }
    if definition.agenda.max_questions == 0 || definition.agenda.max_questions > 5 {
        let span = definition.id.span.clone();
        problems.error("out-of-range", span, "`agenda.max_questions` is from 1 to 5");
    }
}
