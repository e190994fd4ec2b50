//! The evidence card: value, confidence, the words it came from, what it replaced.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, lines, window};
use crate::app::model::Model;
use crate::app::overlay::{Evidence, FieldCard, field_cards, status_word};
use crate::engine::memory::{FieldSource, FieldState, Status};
use crate::engine::values::shaped_text;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;
use crate::words::reason_in;

pub fn draw(model: &Model, card: &Evidence, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let says = &look.words.evidence;
    let Some(session) = &model.session else { return };
    let Some(obligation) = session.engine.obligation(&card.obligation) else { return };
    let state = session.memory.obligations.get(&card.obligation);
    let width = area.width.min(76);
    let columns = usize::from(width.saturating_sub(6));
    let (plain, muted) = (look.style(Scope::Overlay), look.style(Scope::Muted));
    let mut all: Vec<Line> = wrap_text(&obligation.question, columns).into_iter().map(|row| (row, muted)).collect();
    let status = state.map_or(Status::Pending, |state| state.status);
    let why = state.and_then(|state| state.deferred.as_deref()).map(|why| reason_in(why, look.words));
    let word = status_word(status, says);
    // Some reasons say it themselves: "set aside by you".
    let standing = match why {
        Some(why) if why.starts_with(word) || why.ends_with(word) => why,
        Some(why) => format!("{word}: {why}"),
        None => word.to_owned(),
    };
    all.push((format!("{} {standing}", look.glyphs.status(status)), plain));
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
    all.push((says.keys().replace('·', look.glyphs.separator), muted));
    let inner = window(buf, area, width, all.len() as u16 + 2, &obligation.name, look);
    let top = (chosen_at + 6).saturating_sub(usize::from(inner.height));
    lines(buf, inner, top, &all, look);
}

pub(super) fn known(card: FieldCard<'_>, columns: usize, look: Look<'_>) -> Vec<Line> {
    let (muted, says) = (look.style(Scope::Muted), &look.words.evidence);
    let Some(field) = card.known else { return vec![(says.nothing_known().to_owned(), muted)] };
    let shown = |value| shaped_text(value, &card.field.shape);
    let mut all: Vec<Line> = Vec::new();
    let mut say = |text: &str, scope: Scope| {
        all.extend(wrap_text(text, columns.saturating_sub(2)).into_iter().map(|row| (row, look.style(scope))));
    };
    match (&field.value, field.state) {
        (_, FieldState::Unknown) => say(says.not_known(), Scope::Muted),
        (_, FieldState::Declined) => say(says.declined(), Scope::Muted),
        (Some(value), FieldState::Stale) => {
            say(&shown(value), Scope::ObligationPartial);
            say(says.in_doubt(), Scope::Muted);
        }
        (Some(value), _) => say(&shown(value), Scope::Strong),
        (None, _) => {}
    }
    if let Some(candidate) = &field.candidate {
        let confidence = format!("{:.2}", candidate.confidence);
        let reason = reason_in(&candidate.reason, look.words);
        say(&says.maybe(shown(&candidate.value), confidence, reason), Scope::ObligationPartial);
    }
    let turns: Vec<String> = field.extracted_from_turns.iter().map(ToString::to_string).collect();
    if field.value.is_some() {
        let (sure, turns) = (format!("{:.2}", field.confidence), turns.join(", "));
        let told = match field.source {
            FieldSource::Model => says.confidence(sure, turns),
            FieldSource::User => says.confidence_by_you(sure, turns),
            FieldSource::Inferred => says.confidence_concluded(sure, turns),
            FieldSource::Handoff => says.confidence_handed_over(sure, turns),
        };
        say(&told, Scope::Muted);
    }
    if let Some(evidence) = &field.evidence {
        let quote = says.quote(&evidence.quote);
        say(&card.speaker(evidence.turn).map_or_else(|| quote.clone(), |who| format!("{who}: {quote}")), Scope::Quote);
    }
    for more in &field.further {
        say(&says.also(&more.quote, more.turn), Scope::Quote);
    }
    for old in field.superseded.iter().rev() {
        let why = match card.speaker(old.at_turn) {
            Some(who) => look.words.reasons.of_another(who),
            None => reason_in(&old.reason, look.words),
        };
        say(&says.before(shown(&old.value), old.from_turn, why), Scope::Muted);
    }
    all
}
