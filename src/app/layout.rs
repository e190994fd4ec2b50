//! Where everything is: pure, so that `update` and `draw` see the same geometry.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use super::model::{Focus, Model, Screen};

/// The sidebar's share of a wide window.
const SIDEBAR_MIN: u16 = 36;
const SIDEBAR_MAX: u16 = 48;

/// Where everything is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The line at the top: what this is, what answers, what it cost.
    pub status: Rect,
    /// The chat pane.
    pub chat: Rect,
    /// One line that stands for the sidebar of a narrow window.
    pub summary: Rect,
    /// The line between chat and composer: what is going on.
    pub activity: Rect,
    /// The composer with its frame.
    pub composer: Rect,
    /// The text of the composer.
    pub composer_text: Rect,
    /// The sidebar; over the chat where the window is narrow.
    pub sidebar: Option<Rect>,
    /// The keys, at the bottom.
    pub footer: Rect,
}

/// Computes the geometry of a session's screen.
pub fn compute(area: Rect, model: &Model) -> Layout {
    let (status, footer) = (u16::from(area.height >= 4), u16::from(area.height >= 6));
    let [status, body, footer] =
        Split::vertical([Constraint::Length(status), Constraint::Min(0), Constraint::Length(footer)]).areas(area);
    let beside = model.is_wide() && !model.sidebar.hidden;
    let (main, sidebar) = if beside {
        let width = (area.width / 3).clamp(SIDEBAR_MIN, SIDEBAR_MAX);
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
    let [summary, chat, activity, composer] = Split::vertical([
        Constraint::Length(summary),
        Constraint::Min(0),
        Constraint::Length(activity),
        Constraint::Length(rows + frame),
    ])
    .areas(main);
    let composer_text = Rect {
        x: composer.x + (frame / 2).min(composer.width) + 1,
        y: composer.y + (frame / 2).min(composer.height),
        width: composer.width.saturating_sub(frame + 2),
        height: composer.height.saturating_sub(frame),
    };
    let margin = u16::from(chat.width > 30);
    // The scroll bar stands in the margin; beside a sidebar it keeps a column from its line.
    let right = margin + u16::from(beside);
    let chat = Rect { x: chat.x + margin, width: chat.width.saturating_sub(margin + right), ..chat };
    Layout { status, chat, summary, activity, composer, composer_text, sidebar, footer }
}

/// The sidebar of a narrow window, drawn over the chat while it is open.
fn drawer(body: Rect, model: &Model) -> Option<Rect> {
    let open = model.screen == Screen::Chat && (model.sidebar.drawer || model.focus == Focus::Sidebar);
    if !open {
        return None;
    }
    let width = body.width.min(SIDEBAR_MAX);
    let x = body.x + body.width - width;
    Some(Rect { x: x + 1.min(width), width: width.saturating_sub(2), ..body })
}
