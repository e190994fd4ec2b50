//! The line at the top, the line above the composer, and the line that stands for the sidebar of a narrow window.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{Look, clear, put, put_fitted, put_right, text_width};
use super::theme::Scope;
use crate::app::hints;
use crate::app::model::{Model, Screen};
use crate::app::sidebar::left_in_words;
use crate::engine::memory::{Status, TaskStatus};
use crate::words::Status as Says;

/// The line at the top: what this is, what answers, what it cost.
pub fn header(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    clear(buf, area, look.theme.base().patch(look.style(Scope::Header)));
    let detail = detail(model, look);
    let room = area.width.saturating_sub(2);
    let width = text_width(&detail) as u16;
    let shown = if width + 20 <= room { width } else { 0 };
    if shown > 0 {
        let right = Rect { width: area.width - 1, ..area };
        put_right(buf, right, &detail, look.style(Scope::HeaderDetail));
    }
    let title = match (&model.session, model.screen) {
        (Some(session), Screen::Chat) => {
            let (engine, title) = (&session.engine.name, session.label());
            let own = (title != engine).then_some(title);
            let parts = [Some(engine.as_str()), own, session.project.as_deref()];
            parts.into_iter().flatten().collect::<Vec<_>>().join(&format!(" {} ", look.glyphs.separator))
        }
        _ => "Elenchus".to_owned(),
    };
    let left = room.saturating_sub(if shown > 0 { shown + 2 } else { 0 });
    put_fitted(buf, (area.x + 1, area.y), left, &title, look.style(Scope::HeaderTitle), look.glyphs);
}

fn detail(model: &Model, look: Look<'_>) -> String {
    let label = if model.endpoint.offline { look.words.status.offline() } else { &model.endpoint.label };
    let mut parts = vec![label.to_owned()];
    if let Some(session) = model.session.as_ref().filter(|_| model.screen == Screen::Chat) {
        let usage = &session.memory.usage;
        let tokens = usage.tokens();
        if tokens > 0 {
            parts.push(look.words.status.tokens(thousands(tokens)));
        }
        if usage.cost_usd > 0.0 {
            parts.push(format!("${:.2}", usage.cost_usd));
        }
    }
    parts.join(&format!(" {} ", look.glyphs.separator))
}

/// 12400 as 12.4k.
pub fn thousands(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// How long something has been going on.
pub fn elapsed(time: Duration, says: &Says) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => says.seconds(seconds),
        60..3600 => says.minutes(seconds / 60, seconds % 60),
        _ => says.hours(seconds / 3600, seconds / 60 % 60),
    }
}

/// The frame of every spinner, from the clock of the model.
pub fn tick(model: &Model) -> u64 {
    if model.still { 0 } else { (model.now.as_millis() / 100) as u64 }
}

/// What is going on: a turn, a search in the conversation, or how much lies below.
pub(crate) fn activity(model: &Model, look: Look<'_>, area: Rect, chat_height: u16, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let x = area.x + u16::from(area.width > 30);
    let width = area.right().saturating_sub(x);
    let (separator, says) = (look.glyphs.separator, &look.words.status);
    if let Some(turn) = &model.turn {
        let spinner = look.glyphs.spinner_frame(tick(model));
        let next = put(buf, x, area.y, width, spinner, look.style(Scope::ChatStreaming));
        let time = elapsed(model.now.saturating_sub(turn.since), says);
        let escape = if turn.noting { says.goes_on() } else { says.cancels() };
        let text = format!(" {} {separator} {time} {separator} {escape}", turn.doing(&look.words.turns));
        put_fitted(
            buf,
            (next, area.y),
            area.right().saturating_sub(next),
            &text,
            look.style(Scope::Muted),
            look.glyphs,
        );
        return;
    }
    if let Some(find) = &model.chat.find {
        let at = if find.matches.is_empty() { 0 } else { find.current + 1 };
        let found = says.found(&find.words, at, find.matches.len());
        let text = format!("{found} {separator} n N {separator} Esc");
        put_fitted(buf, (x, area.y), width, &text, look.style(Scope::SearchMatch), look.glyphs);
        return;
    }
    let below = model.chat.below(usize::from(chat_height));
    if below > 0 {
        let text = says.more_rows(look.glyphs.arrows[1], below);
        put_fitted(buf, (x, area.y), width, &text, look.style(Scope::Muted), look.glyphs);
    } else if model.composer.editing.is_some() {
        put_fitted(buf, (x, area.y), width, says.changing(), look.style(Scope::Warning), look.glyphs);
    } else if let Some(text) = hints::shown(model).and_then(|hint| hint.text(model)) {
        let text = text.replace('·', look.glyphs.separator);
        put_fitted(buf, (x, area.y), width, &text, look.style(Scope::Muted), look.glyphs);
    }
}

/// The sidebar of a narrow window in one line: phase, completeness, what is open.
pub fn summary(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(session) = model.session.as_ref().filter(|_| !area.is_empty()) else { return };
    let (state, says) = (&session.sidebar, &look.words.status);
    let mut parts = Vec::new();
    if let Some(phase) = &state.phase_indicator {
        parts.push(format!("{} {}", look.glyphs.phase_current, phase.label));
    }
    if let Some(bar) = &state.progress_bar {
        let percentage = bar.percentage;
        parts.push(if bar.is_ready { says.ready(percentage) } else { format!("{percentage} %") });
    }
    let items = || state.sections.iter().filter(|section| section.visible).flat_map(|section| &section.items);
    let done = items().filter(|item| item.status == Status::Satisfied).count();
    parts.push(format!("{done}/{}", items().count()));
    let separator = format!(" {} ", look.glyphs.separator);
    if let Some(left) = state.left.map(|left| left_in_words(left, &look.words.sidebar)) {
        let used = text_width(&parts.join(&separator)) + text_width(&separator);
        if used + text_width(&left) + 2 <= usize::from(area.width) {
            parts.push(left);
        }
    }
    let running = state.tasks.iter().filter(|task| task.status == TaskStatus::Running).count();
    if running > 0 {
        parts.push(format!("{} {running}", look.glyphs.spinner_frame(tick(model))));
    }
    clear(buf, area, look.theme.base().patch(look.style(Scope::Sidebar)));
    let end = area.right().saturating_sub(1);
    let text = parts.join(&separator);
    let x = put_fitted(
        buf,
        (area.x + 1, area.y),
        end.saturating_sub(area.x + 1),
        &text,
        look.style(Scope::Muted),
        look.glyphs,
    );
    // What wants the user is not left to the drawer.
    let waiting = state.tasks.iter().filter(|task| task.status == TaskStatus::NeedsUser).count();
    let waiting = (waiting > 0).then(|| says.needs_you(look.glyphs.attention, waiting));
    let spent = state.budget.as_ref().is_some_and(|budget| budget.cap_usd.is_some_and(|cap| budget.spent_usd > cap));
    let urgent: Vec<String> = waiting.into_iter().chain(spent.then(|| says.over_budget().to_owned())).collect();
    if !urgent.is_empty() {
        let text = format!("{separator}{}", urgent.join(&separator));
        put_fitted(buf, (x, area.y), end.saturating_sub(x), &text, look.style(Scope::Warning), look.glyphs);
    }
}
