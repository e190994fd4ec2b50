//! The evidence card: value, confidence, the words it came from, what it replaced.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, lines, window};
use crate::app::model::Model;
use crate::app::overlay::{Evidence, FieldCard, field_cards};
use crate::engine::memory::{FieldSource, FieldState, Status};
use crate::engine::values::shaped_text;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

pub fn draw(model: &Model, card: &Evidence, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(session) = &model.session else { return };
    let Some(obligation) = session.engine.obligation(&card.obligation) else { return };
    let state = session.memory.obligations.get(&card.obligation);
    let width = area.width.min(76);
    let columns = usize::from(width.saturating_sub(6));
    let (plain, muted) = (look.style(Scope::Overlay), look.style(Scope::Muted));
    let mut all: Vec<Line> = wrap_text(&obligation.question, columns).into_iter().map(|row| (row, muted)).collect();
    let status = state.map_or(Status::Pending, |state| state.status);
    let deferred = state.and_then(|state| state.deferred.as_deref()).map_or(String::new(), |why| format!(": {why}"));
    all.push((format!("{} {}{deferred}", look.glyphs.status(status), word(status)), plain));
    let mut chosen_at = 0;
    for (at, field) in field_cards(session, &card.obligation).into_iter().enumerate() {
        all.push((String::new(), plain));
        if at == card.field {
            chosen_at = all.len();
        }
        let mark = if at == card.field { look.glyphs.selected } else { " " };
        all.push((
            format!("{mark} {}", field.field.name),
            look.style(if at == card.field { Scope::Accent } else { Scope::Overlay }),
        ));
        all.extend(known(field, columns, look).into_iter().map(|(text, style)| (format!("  {text}"), style)));
    }
    all.push((String::new(), plain));
    let dot = look.glyphs.separator;
    all.push((format!("Enter to the words {dot} e correct {dot} d set aside {dot} c clear {dot} Esc close"), muted));
    let inner = window(buf, area, width, all.len() as u16 + 2, &obligation.name, look);
    let top = (chosen_at + 6).saturating_sub(usize::from(inner.height));
    lines(buf, inner, top, &all, look);
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Pending => "open",
        Status::Partial => "partly known",
        Status::Satisfied => "settled",
        Status::Deferred => "set aside",
    }
}

fn known(card: FieldCard<'_>, columns: usize, look: Look<'_>) -> Vec<Line> {
    let muted = look.style(Scope::Muted);
    let Some(field) = card.known else { return vec![("nothing is known yet".to_owned(), muted)] };
    let shown = |value| shaped_text(value, &card.field.shape);
    let mut all: Vec<Line> = Vec::new();
    let mut say = |text: &str, scope: Scope| {
        all.extend(wrap_text(text, columns.saturating_sub(2)).into_iter().map(|row| (row, look.style(scope))));
    };
    match (&field.value, field.state) {
        (_, FieldState::Unknown) => say("you do not know", Scope::Muted),
        (_, FieldState::Declined) => say("you would rather not say", Scope::Muted),
        (Some(value), FieldState::Stale) => {
            say(&shown(value), Scope::ObligationPartial);
            say("in doubt, since something it depends on has changed", Scope::Muted);
        }
        (Some(value), _) => say(&shown(value), Scope::Strong),
        (None, _) => {}
    }
    if let Some(candidate) = &field.candidate {
        say(
            &format!("maybe: {} ({:.2}; {})", shown(&candidate.value), candidate.confidence, candidate.reason),
            Scope::ObligationPartial,
        );
    }
    let turns: Vec<String> = field.extracted_from_turns.iter().map(ToString::to_string).collect();
    let source = match field.source {
        FieldSource::Model => "",
        FieldSource::User => ", set by you",
        FieldSource::Inferred => ", a conclusion",
        FieldSource::Handoff => ", from an earlier session",
    };
    if field.value.is_some() {
        say(&format!("confidence {:.2}, turn {}{source}", field.confidence, turns.join(", ")), Scope::Muted);
    }
    if let Some(evidence) = &field.evidence {
        say(&format!("“{}”", evidence.quote), Scope::Quote);
    }
    for more in &field.further {
        say(&format!("also: “{}” (turn {})", more.quote, more.turn), Scope::Quote);
    }
    for old in field.superseded.iter().rev() {
        say(&format!("before: {} (turn {}; {})", shown(&old.value), old.from_turn, old.reason), Scope::Muted);
    }
    all
}
