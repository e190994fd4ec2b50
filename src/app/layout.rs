//! Where everything is: pure, so that `update` and `draw` see the same geometry.

use ratatui::layout::{Constraint, Layout as Split, Position, Rect};

use super::answer_card;
use super::model::{Focus, Model, Screen};
use super::overlay::{Chooser, Purpose};
use super::picker::Picker;
use super::setup::settings::SettingRow;
use super::setup::{EndpointForm, SettingsScreen};

/// The sidebar's share of a wide window.
const SIDEBAR_MIN: u16 = 36;
const SIDEBAR_MAX: u16 = 84;

/// The most that the brief takes: longer rows are hard to read.
const BRIEF_MAX: u16 = 96;

/// The most that a drawer covers of a narrow window.
const DRAWER_MAX: u16 = 48;

/// Where everything is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The line at the top: what this is, what answers, what it cost.
    pub status: Rect,
    pub chat: Rect,
    /// One line that stands for the sidebar of a narrow window.
    pub summary: Rect,
    /// The line between chat and composer: what is going on.
    pub activity: Rect,
    /// What the program has to tell: the conversation, and the first screen, make room for it.
    pub toast: Rect,
    /// The composer with its frame.
    pub composer: Rect,
    pub composer_text: Rect,
    /// The answers that can be chosen, under the composer.
    pub card: Rect,
    /// The sidebar; over the chat where the window is narrow.
    pub sidebar: Option<Rect>,
    /// The keys, at the bottom.
    pub footer: Rect,
    /// All between the line at the top and the keys: where overlays and the first screen are.
    pub body: Rect,
}

/// Computes the geometry of a session's screen.
pub fn compute(area: Rect, model: &Model) -> Layout {
    let (status, footer) = (u16::from(area.height >= 4), u16::from(area.height >= 6));
    let [status, body, footer] =
        Split::vertical([Constraint::Length(status), Constraint::Min(0), Constraint::Length(footer)]).areas(area);
    let reads = model.brief.is_some();
    let beside = model.is_wide() && (reads || !model.sidebar.hidden);
    let (main, sidebar) = if beside {
        let width = if reads {
            (area.width / 2).clamp(SIDEBAR_MIN, BRIEF_MAX)
        } else {
            (area.width * 2 / 5).clamp(SIDEBAR_MIN, SIDEBAR_MAX)
        };
        let [main, sidebar] = Split::horizontal([Constraint::Min(0), Constraint::Length(width)]).areas(body);
        // A column of its own for the line between the two.
        (main, Some(Rect { x: sidebar.x + 1, width: sidebar.width.saturating_sub(2), ..sidebar }))
    } else {
        (body, drawer(body, model))
    };
    let framed = area.height >= 10 && area.width >= 24;
    let frame = if framed { 2 } else { 0 };
    let text_width = main.width.saturating_sub(frame + 2);
    let rows = model.composer.rows(text_width).min((main.height / 3).max(1));
    let summary = u16::from(!beside && area.height >= 8);
    // A few rows are all for the conversation, unless something is going on.
    let activity = u16::from(area.height >= 6 || (area.height >= 4 && model.turn.is_some()));
    let toast = toast_rows(main, model);
    let card = answer_card::rows(model, main.width.saturating_sub(2), main.height);
    let [summary, chat, toast, activity, composer, card] = Split::vertical([
        Constraint::Length(summary),
        Constraint::Min(0),
        Constraint::Length(toast),
        Constraint::Length(activity),
        Constraint::Length(rows + frame),
        Constraint::Length(card),
    ])
    .areas(main);
    let composer_text = Rect {
        x: composer.x + (frame / 2).min(composer.width) + 1,
        y: composer.y + (frame / 2).min(composer.height),
        width: composer.width.saturating_sub(frame + 2),
        height: composer.height.saturating_sub(frame),
    };
    let card = Rect { x: card.x + 1.min(card.width), width: card.width.saturating_sub(2), ..card };
    let (body, toast) = match model.screen {
        Screen::Picker => parted(body, toast_rows(body, model)),
        Screen::Chat => below_windows(body, toast, model),
    };
    // A drawer ends where a window does.
    let sidebar = if beside { sidebar } else { sidebar.map(|drawer| above(drawer, toast)) };
    let margin = u16::from(chat.width > 30);
    // The scroll bar stands in the margin; beside a sidebar it keeps a column from its line.
    let right = margin + u16::from(beside);
    let chat = Rect { x: chat.x + margin, width: chat.width.saturating_sub(margin + right), ..chat };
    Layout { status, chat, summary, activity, toast, composer, composer_text, card, sidebar, footer, body }
}

/// The rows for what the program has to tell; at most a third of what there is.
fn toast_rows(main: Rect, model: &Model) -> u16 {
    let shown = model.toasts.shown().filter(|_| main.height >= 4);
    shown.map_or(0, |toast| toast.rows(main.width.saturating_sub(TOAST_MARGIN)).min((main.height / 3).max(1)))
}

/// A window ends above what the program has to tell, so that neither covers the other, nor the composer below.
fn below_windows(body: Rect, toast: Rect, model: &Model) -> (Rect, Rect) {
    let free = model.overlays.is_empty() || model.is_asked_for_leave() || toast.height >= body.height;
    if free || toast.height == 0 {
        return (body, toast);
    }
    let height = toast.y.saturating_sub(body.y);
    // Where a window would be left too little, it has the rows of the composer as well.
    if height < LEAST_WINDOW { parted(body, toast.height) } else { (Rect { height, ..body }, toast) }
}

/// What of an area is above the rows of a toast.
fn above(area: Rect, toast: Rect) -> Rect {
    if toast.height == 0 { area } else { Rect { height: toast.y.saturating_sub(area.y).min(area.height), ..area } }
}

/// Rows that a window needs to be of use.
const LEAST_WINDOW: u16 = 12;

/// What is above the last rows of an area, and those rows.
fn parted(area: Rect, rows: u16) -> (Rect, Rect) {
    let height = area.height.saturating_sub(rows);
    (Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area })
}

/// Columns beside the text of a toast: its sign, and room for the key that puts it away.
pub(crate) const TOAST_MARGIN: u16 = 17;

/// The sidebar of a narrow window, drawn over the chat while it is open.
fn drawer(body: Rect, model: &Model) -> Option<Rect> {
    let open = model.screen == Screen::Chat && (model.sidebar.drawer || model.focus == Focus::Sidebar);
    if !open {
        return None;
    }
    let width = if model.brief.is_some() { body.width } else { body.width.min(DRAWER_MAX) };
    let x = body.x + body.width - width;
    Some(Rect { x: x + 1.min(width), width: width.saturating_sub(2), ..body })
}

/// An area of at most the given size in the middle of another; a little above it, where the eye looks for it.
pub fn centered(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 3;
    Rect { x, y, width, height }
}

/// Whether a window has room for a frame around what is in it.
pub(crate) fn has_frame(window: Rect) -> bool {
    window.width >= 8 && window.height >= 3
}

/// The place in a window for what is in it. Where there is no room for a frame, there is none.
pub fn inside(window: Rect) -> Rect {
    if !has_frame(window) {
        return window;
    }
    Rect { x: window.x + 2, y: window.y + 1, width: window.width - 4, height: window.height - 2 }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    pub area: Rect,
    /// The first of them.
    pub top: usize,
}

impl Lines {
    /// As many as fit, the one under the cursor among them.
    fn showing(cursor: usize, area: Rect) -> Self {
        Self { area, top: (cursor + 1).saturating_sub(usize::from(area.height)) }
    }

    /// The line at a place, of so many.
    pub fn at(&self, place: Position, count: usize) -> Option<usize> {
        let line = self.top + usize::from(place.y.checked_sub(self.area.y)?);
        (self.area.contains(place) && line < count).then_some(line)
    }
}

/// Where a list is that is narrowed by typing: its window, what was typed, its lines.
pub fn chooser(body: Rect, list: &Chooser) -> (Rect, Rect, Lines) {
    let height = (list.all.len() as u16).clamp(3, 16) + 4;
    // What was said wants more room than a name.
    let width = if list.purpose == Purpose::Search { (body.width * 4 / 5).clamp(76, 140) } else { 76 };
    let window = centered(body, width, height);
    let inner = inside(window);
    let typed = Rect { height: inner.height.min(1), ..inner };
    let rows = Rect { y: inner.y + typed.height, height: inner.height - typed.height, ..inner };
    let rows = if rows.height > 3 { Rect { y: rows.y + 1, height: rows.height - 1, ..rows } } else { rows };
    (window, typed, Lines::showing(list.cursor, rows))
}

/// Where the parts of a screen of settings are: its lines, and what is said of them below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub window: Rect,
    pub rows: Lines,
    pub below: Rect,
}

impl Listing {
    fn of(window: Rect, cursor: usize, below: u16) -> Self {
        let inner = inside(window);
        let height = inner.height.saturating_sub(below).max(inner.height.min(1));
        let rows = Lines::showing(cursor, Rect { height, ..inner });
        Self { window, rows, below: Rect { y: inner.y + height, height: inner.height - height, ..inner } }
    }
}

/// Rows below the lines of the form: what it leads to, and what a test has found.
const FORM_SAYS: u16 = 4;
const FORM_FINDS: u16 = 14;

/// Where the form for an endpoint is.
pub fn endpoint(body: Rect, form: &EndpointForm) -> Listing {
    let rows = form.rows();
    let wanted = if form.test.is_some() { FORM_FINDS } else { FORM_SAYS };
    let window = centered(body, 92, rows.len() as u16 + wanted + 2);
    let most = if form.test.is_some() { inside(window).height * 2 / 3 } else { inside(window).height / 2 };
    let at = rows.iter().position(|row| *row == form.at).unwrap_or(0);
    let below = wanted.min(most);
    // Rows that the lines do not need are for what is said.
    let spare = inside(window).height.saturating_sub(rows.len() as u16);
    Listing::of(window, at, below.max(spare))
}

/// Where the settings are.
pub fn settings(body: Rect, screen: &SettingsScreen) -> Listing {
    let window = centered(body, 150, body.height);
    let below = match inside(window).height {
        14.. => 5,
        8..14 => 3,
        height => height / 2,
    };
    let at = screen.rows().iter().position(|row| *row == SettingRow::Setting(screen.cursor)).unwrap_or(0);
    Listing::of(window, at, below)
}

/// Where the parts of the first screen are: the greeting, and for each list its heading and its lines.
pub fn picker(body: Rect, picker: &Picker) -> (Rect, [(Rect, Lines); 2]) {
    let margin = if body.width >= 60 { 3 } else { 1 };
    let area = Rect { x: body.x + margin, width: body.width.saturating_sub(2 * margin).min(110), ..body };
    let roomy = area.height > 12;
    // Below the engines there is room for what the one under the cursor leaves one with.
    let about = if area.height >= 18 { 2 } else { 1 };
    let engines = (picker.engines.len() as u16 + 1 + about).min(area.height.saturating_sub(2).max(2));
    let writes = !picker.words.text().is_empty();
    let [_, head, engines, _, sessions] = Split::vertical([
        Constraint::Length(u16::from(roomy)),
        Constraint::Length(if roomy { 2 } else { u16::from(writes) }),
        Constraint::Length(engines),
        Constraint::Length(u16::from(area.height > 8)),
        Constraint::Min(0),
    ])
    .areas(area);
    let list = |area: Rect, cursor| {
        let heading = Rect { height: area.height.min(1), ..area };
        // A heading with nothing below it would be of no use.
        let heading = if area.height < 2 { Rect { height: 0, ..heading } } else { heading };
        let lines = Rect { y: area.y + heading.height, height: area.height.saturating_sub(1), ..area };
        (heading, Lines::showing(cursor, lines))
    };
    (head, [list(engines, picker.engine), list(sessions, picker.session)])
}
