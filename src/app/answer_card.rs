//! The answer card under the composer: what can be chosen in answer to the question. Writing goes on undisturbed: only
//! keys that are no text operate it, and only while nothing is written.

use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::effect::Effect;
use super::layout;
use super::model::{Focus, Model, Screen};
use super::ready_words;
use crate::engine::answer_card::{AnswerCard, CardKind};
use crate::text::sanitise_line;
use crate::words::{CardWords, Words};

/// How the card stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardState {
    /// Whether the user wants any.
    pub on: bool,
    /// What is marked to be chosen.
    pub marked: Option<usize>,
    /// Whether the user has chosen to say it in words of their own.
    pub own_words: bool,
}

impl Default for CardState {
    fn default() -> Self {
        Self { on: true, marked: None, own_words: false }
    }
}

impl CardState {
    /// Another question is on the table, or none.
    pub(crate) fn renew(&mut self) {
        (self.marked, self.own_words) = (None, false);
    }
}

/// Something that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The choice at a place is said.
    Say(usize),
    /// It is said in other words.
    Other,
    /// The question is put off.
    Skip,
}

/// What can be chosen of a card, in its order. A date and a number are typed anyhow.
pub fn picks(card: &AnswerCard) -> Vec<Pick> {
    let says = (0..card.choices.len()).map(Pick::Say);
    let other = (!is_typed(card)).then_some(Pick::Other);
    says.chain(other).chain([Pick::Skip]).collect()
}

/// Whether the answer is usually typed.
fn is_typed(card: &AnswerCard) -> bool {
    matches!(card.kind, CardKind::Date | CardKind::Number)
}

/// What a pick is called.
pub fn label(card: &AnswerCard, pick: Pick, says: &CardWords) -> String {
    let text = match pick {
        Pick::Say(at) => card.choices.get(at).map_or("", String::as_str),
        Pick::Other => says.other(),
        Pick::Skip => says.skip(),
    };
    sanitise_line(text).into_owned()
}

/// What is to be typed, where the answer is a number or a date.
pub fn lead(card: &AnswerCard, words: &Words) -> Option<String> {
    let says = &words.card;
    let text = match (card.kind, &card.unit) {
        (CardKind::Date, _) => says.date().to_owned(),
        (CardKind::Number, Some(unit)) => says.number_of(unit),
        (CardKind::Number, None) => says.number().to_owned(),
        (CardKind::Choice | CardKind::YesNo | CardKind::Confirmation, _) => return None,
    };
    let bounds = match (card.min, card.max) {
        (Some(min), Some(max)) => says.between(min, max),
        (Some(min), None) => says.at_least(min),
        (None, Some(max)) => says.at_most(max),
        (None, None) => return Some(sanitise_line(&text).into_owned()),
    };
    Some(sanitise_line(&format!("{text} ({bounds})")).into_owned())
}

/// What can be said, in a line.
pub(crate) fn one_line(card: &AnswerCard, words: &Words) -> String {
    let says = picks(card).into_iter().filter(|pick| *pick != Pick::Other).map(|pick| label(card, pick, &words.card));
    words.card.one_line(lead(card, words).into_iter().chain(says).collect::<Vec<_>>().join("; "))
}

/// The card that is shown: none while an answer is on its way, or an earlier message is being changed.
pub fn shown(model: &Model) -> Option<&AnswerCard> {
    let talks = model.card.on && model.screen == Screen::Chat;
    let free = talks && model.turn.is_none() && model.composer.editing.is_none();
    model.session.as_ref().filter(|_| free)?.card.as_ref()
}

/// Whether keys that are no text operate it: there is one to be seen, and nothing is written.
pub(crate) fn takes_keys(model: &Model) -> bool {
    let here = model.focus == Focus::Composer && model.overlays.is_empty() && model.composer.is_empty();
    here && shown(model).is_some() && layout::compute(model.area(), model).card.height > 0
}

/// A pick, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    pub area: Rect,
    pub label: String,
}

/// A card laid out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Laid {
    /// What is to be typed, and where that stands.
    pub lead: Option<(Rect, String)>,
    /// The picks in their order; the areas of those that are out of view are empty.
    pub chips: Vec<Chip>,
    /// Whether there is more above, and below.
    pub more: (bool, bool),
    /// The rows it takes in all.
    rows: u16,
}

/// Columns beside the words of a pick: the mark before it, and what sets it apart from the next.
pub const BESIDE: u16 = 3;

/// The column that is kept for the sign that there is more.
const SIGN: u16 = 2;

fn width(text: &str) -> u16 {
    u16::try_from(text.width()).unwrap_or(u16::MAX)
}

/// Lays the picks out in rows, as many in each as fit; where there are fewer rows than that, those with the marked one are
/// in view.
pub fn lay_out(card: &AnswerCard, marked: Option<usize>, words: &Words, area: Rect) -> Laid {
    if area.width <= SIGN + BESIDE || area.height == 0 {
        return Laid::default();
    }
    let room = area.width - SIGN;
    let (mut x, mut y) = (0u16, 0u16);
    let place = |text: &str, x: &mut u16, y: &mut u16| {
        let wanted = width(text).saturating_add(BESIDE).min(room);
        if *x > 0 && x.saturating_add(wanted) > room {
            (*x, *y) = (0, y.saturating_add(1));
        }
        let rect = Rect { x: area.x + *x, y: *y, width: wanted, height: 1 };
        *x += wanted;
        rect
    };
    let lead = lead(card, words).map(|text| (place(&text, &mut x, &mut y), text));
    let labels = picks(card).into_iter().map(|pick| label(card, pick, &words.card));
    let chips: Vec<Chip> = labels.map(|label| Chip { area: place(&label, &mut x, &mut y), label }).collect();
    let rows = y.saturating_add(1);
    let row = marked.and_then(|at| chips.get(at)).map_or(0, |chip| chip.area.y);
    let top = (row + 1).saturating_sub(area.height);
    let seen = |rect: Rect| match rect.y.checked_sub(top) {
        Some(row) if row < area.height => Rect { y: area.y + row, ..rect },
        _ => Rect::default(),
    };
    Laid {
        lead: lead.map(|(rect, text)| (seen(rect), text)),
        chips: chips.into_iter().map(|chip| Chip { area: seen(chip.area), ..chip }).collect(),
        more: (top > 0, rows > top.saturating_add(area.height)),
        rows,
    }
}

/// The most rows that a card takes of a window with so many: one line of a small one, so that the conversation stays.
fn most_rows(height: u16) -> u16 {
    match height {
        0..10 => 0,
        10..20 => 1,
        20..34 => 2,
        _ => 4,
    }
}

/// The rows that the card takes, of so many columns and rows.
pub(crate) fn rows(model: &Model, columns: u16, height: u16) -> u16 {
    let most = most_rows(height);
    let Some(card) = shown(model).filter(|_| most > 0) else { return 0 };
    lay_out(card, None, model.words, Rect::new(0, 0, columns, u16::MAX)).rows.min(most)
}

/// Marks the next pick, or the one before; `None` where the key is not the card's. Before the first there is none marked.
pub(crate) fn step(model: &mut Model, forward: bool) -> Option<Vec<Effect>> {
    if !takes_keys(model) {
        return None;
    }
    let count = shown(model).map(|card| picks(card).len())?;
    model.card.marked = match (model.card.marked, forward) {
        (None, true) => Some(0),
        (Some(at), true) => Some((at + 1) % count.max(1)),
        (Some(at), false) => at.checked_sub(1),
        (None, false) => return None,
    };
    Some(Vec::new())
}

/// Chooses what is marked; `None` where nothing is.
pub(crate) fn choose_marked(model: &mut Model) -> Option<Vec<Effect>> {
    let at = model.card.marked.filter(|_| takes_keys(model))?;
    Some(choose(model, at))
}

/// Chooses the pick at a place of the card that is shown. What is being written stays.
pub(crate) fn choose(model: &mut Model, at: usize) -> Vec<Effect> {
    let Some(card) = shown(model) else { return Vec::new() };
    let said = match picks(card).get(at) {
        Some(Pick::Say(choice)) => card.choices.get(*choice).cloned(),
        Some(Pick::Skip) => Some(card.skip.clone()),
        Some(Pick::Other) => None,
        None => return Vec::new(),
    };
    model.card.renew();
    model.focus = Focus::Composer;
    if let Some(words) = said {
        return ready_words::say_words(model, words);
    }
    model.card.own_words = true;
    Vec::new()
}

/// The pick at a place of the screen.
pub(crate) fn at(model: &Model, place: Position) -> Option<usize> {
    let area = layout::compute(model.area(), model).card;
    let laid = lay_out(shown(model)?, model.card.marked, model.words, area);
    laid.chips.iter().position(|chip| chip.area.contains(place))
}
