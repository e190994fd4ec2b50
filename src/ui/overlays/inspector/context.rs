//! What the model was shown, section by section: tokens against what each was allowed.

use super::{COLUMNS, Line, WIDE, bar};
use crate::engine::figures::TurnFigures;
use crate::engine::memory::SectionUse;
use crate::engine::step::Step;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

pub fn page(turn: &TurnFigures, width: usize, look: Look<'_>) -> Vec<Line> {
    let mut all: Vec<Line> = turn.context.iter().map(|section| line(section, width, look)).collect();
    if all.is_empty() {
        return vec![("The context has not been put together yet.".to_owned(), look.style(Scope::Muted))];
    }
    let used: u32 = turn.context.iter().map(|section| section.tokens).sum();
    let whole =
        turn.step(Step::ContextAssembly).and_then(|entry| entry.outcome.split_whitespace().next()?.parse().ok());
    let instructions = whole.map_or(0, |whole: u32| whole.saturating_sub(used));
    if instructions > 0 {
        let words = format!("instructions: {instructions} tokens, the same in every request");
        all.insert(0, (words, look.style(Scope::Overlay)));
    }
    all.push((format!("in all: {} tokens", used + instructions), look.style(Scope::Strong)));
    for at in [Step::ContextAssembly, Step::CompressionCheck] {
        if let Some(entry) = turn.step(at) {
            all.push((format!("{}: {}", at.name(), entry.outcome), look.style(Scope::Muted)));
        }
    }
    all
}

fn line(section: &SectionUse, width: usize, look: Look<'_>) -> Line {
    let SectionUse { section: name, tokens, budget, cut } = section;
    let scope = match (tokens, cut) {
        (_, true) => Scope::Warning,
        (0, _) => Scope::Muted,
        _ => Scope::Overlay,
    };
    let rest = if *cut { ", cut" } else { "" };
    let words = if width < COLUMNS {
        format!("{name}: {tokens} of {budget}{rest}")
    } else {
        let bar = bar(f64::from(*tokens) / f64::from(*budget).max(1.0), None, if width < WIDE { 12 } else { 24 }, look);
        format!("{name:<26} {bar} {tokens:>6} of {budget:>6} tokens{rest}")
    };
    (words, look.style(scope))
}
