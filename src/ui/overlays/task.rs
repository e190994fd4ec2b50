//! The card of a background task.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::{Line, lines, window};
use crate::app::keymap::{Action, Context, Motion};
use crate::app::layout::{centered, inside};
use crate::app::model::Model;
use crate::app::msg::CardMsg;
use crate::app::overlay::{Remedy, TaskCard, asked_about};
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::engine::values::brief_text;
use crate::host::protocol::TrustQuestion;
use crate::text::sanitise_line;
use crate::ui::paint::Look;
use crate::ui::row::Segment;
use crate::ui::theme::Scope;
use crate::ui::wrap::{Break, Indent, wrap, wrap_text};
use crate::words::Tasks;

pub fn draw(model: &Model, card: &TaskCard, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some((session, page)) = model.session.as_ref().zip(Page::of(model, card, look, area)) else { return };
    window(buf, area, page.width, page.height, session.task_name(&card.task), look);
    lines(buf, page.body, card.top, &page.text, look);
    lines(buf, page.foot, 0, &page.hint, look);
}

/// What of a card is on the screen.
pub(super) fn measure(model: &Model, card: &TaskCard, look: Look<'_>, area: Rect) -> Option<CardMsg> {
    let page = Page::of(model, card, look, area)?;
    let (rows, height) = (page.text.len(), usize::from(page.body.height));
    let top = card.top.min(rows.saturating_sub(height));
    // In the last row a sign of how many more there are covers what is written.
    let covered = usize::from(rows > top + height);
    Some(CardMsg { columns: page.width, rows, top, visible: height.saturating_sub(covered) })
}

/// A card as it is laid out: what it says scrolls, what can be done about it always shows.
struct Page {
    width: u16,
    height: u16,
    body: Rect,
    foot: Rect,
    text: Vec<Line>,
    hint: Vec<Line>,
}

impl Page {
    fn of(model: &Model, card: &TaskCard, look: Look<'_>, area: Rect) -> Option<Self> {
        let width = area.width.min(84);
        let columns = usize::from(width.saturating_sub(6));
        let text = said(model, card, look, columns)?;
        let mut hint = Text { columns, look, all: Vec::new() };
        hint.say(&hints(model, card, look)?, Scope::Accent);
        let hint = hint.all;
        let height = (text.len() + hint.len() + 3).min(usize::from(u16::MAX)) as u16;
        let inner = inside(centered(area, width, height));
        let foot_rows = (hint.len() as u16).min(inner.height);
        // An empty row sets them apart where there is one to spare.
        let gap = u16::from(inner.height > foot_rows + 1);
        let body = Rect { height: inner.height.saturating_sub(foot_rows + gap), ..inner };
        let foot = Rect { y: inner.bottom() - foot_rows, height: foot_rows, ..inner };
        Some(Self { width, height, body, foot, text, hint })
    }
}

/// What can be done about a task, by key. What has to be read first cannot be allowed yet.
fn hints(model: &Model, card: &TaskCard, look: Look<'_>) -> Option<String> {
    let says = &look.words.tasks;
    let session = model.session.as_ref()?;
    let record = session.memory.background_tasks.get(&card.task)?;
    let key = |motion| {
        model.keymap.chord(Context::Overlay, Action::Do(motion)).map(|chord| chord.named(&model.words.key_names))
    };
    let (accept, decline) = Remedy::of(session, &card.task, record).words(says);
    let unread = asked_about(session, &card.task).is_some_and(|question| !card.has_shown(question));
    let way = |motion, words: Option<&str>| Some(format!("{} {}", key(motion)?, words?));
    let possible = asked_about(session, &card.task).is_none_or(|question| question.obstacles.is_empty());
    let accept = if !possible {
        None
    } else if unread {
        Some(says.read_first(look.glyphs.arrows[1]))
    } else {
        way(Motion::Accept, accept)
    };
    let hints = [accept, way(Motion::Decline, decline), Some(says.close().to_owned())];
    Some(hints.into_iter().flatten().collect::<Vec<_>>().join(&format!(" {} ", look.glyphs.separator)))
}

pub(super) fn said(model: &Model, card: &TaskCard, look: Look<'_>, columns: usize) -> Option<Vec<Line>> {
    let session = model.session.as_ref()?;
    let record = session.memory.background_tasks.get(&card.task)?;
    let mut text = Text { columns, look, all: Vec::new() };
    text.say(&standing(record, &look.words.tasks), scope(record.status));
    match (asked_about(session, &card.task), &record.note) {
        (Some(question), _) => text.question(question),
        (None, Some(note)) => text.say(note, Scope::Muted),
        (None, None) => {}
    }
    if let Some(result) = &record.result {
        text.say("", Scope::Overlay);
        text.found(result, "");
    }
    Some(text.all)
}

fn standing(record: &TaskRecord, says: &Tasks) -> String {
    let how = match record.status {
        TaskStatus::Pending | TaskStatus::Interrupted => says.about_to_start(),
        TaskStatus::Running => says.running(),
        TaskStatus::Waiting => says.waiting(),
        TaskStatus::Completed => says.done(),
        TaskStatus::Failed => says.brought_nothing(),
        TaskStatus::NeedsUser => says.needs_you(),
    };
    match record.attempts {
        0 | 1 => says.set_off(how, record.since_turn),
        count => says.set_off_again(how, record.since_turn, count),
    }
}

fn scope(status: TaskStatus) -> Scope {
    match status {
        TaskStatus::Running => Scope::TaskRunning,
        TaskStatus::Completed => Scope::TaskCompleted,
        TaskStatus::Failed => Scope::TaskFailed,
        TaskStatus::NeedsUser => Scope::TaskNeedsUser,
        TaskStatus::Pending | TaskStatus::Waiting | TaskStatus::Interrupted => Scope::Task,
    }
}

struct Text<'a> {
    columns: usize,
    look: Look<'a>,
    all: Vec<Line>,
}

impl Text<'_> {
    fn say(&mut self, text: &str, scope: Scope) {
        let style = self.look.style(scope);
        self.all.extend(wrap_text(text, self.columns).into_iter().map(|row| (row, style)));
    }

    /// Rows that hang under a mark before the first.
    fn item(&mut self, mark: &str, text: &str, scope: Scope) {
        let style = self.look.style(scope);
        let rows = wrap_text(text, self.columns.saturating_sub(mark.chars().count()));
        let blank = " ".repeat(mark.chars().count());
        let marked = rows.into_iter().enumerate().map(|(at, row)| {
            let before = if at == 0 { mark } else { &blank };
            (format!("{before}{row}"), style)
        });
        self.all.extend(marked);
    }

    fn question(&mut self, question: &TrustQuestion) {
        let says = &self.look.words.tasks;
        self.say("", Scope::Overlay);
        if let Some(doubt) = &question.doubt {
            self.say(doubt, Scope::TaskNeedsUser);
        }
        self.say(says.comes_from(), Scope::Overlay);
        self.quoted(&question.origin, Scope::Muted);
        self.say(says.would(), Scope::Overlay);
        let count = question.acts.len();
        for (at, act) in question.acts.iter().enumerate() {
            self.say(&says.nth_of(at + 1, count), Scope::Accent);
            self.quoted(&act.words, Scope::Strong);
            self.quoted(&says.for_tasks(act.tasks.join(", ")), Scope::Muted);
            for detail in &act.details {
                self.quoted("", Scope::Muted);
                self.quoted(&detail.heading, Scope::Muted);
                detail.lines.iter().for_each(|line| self.quoted(&format!("  {line}"), Scope::Overlay));
            }
        }
        for file in &question.files {
            self.say(says.gets_file(), Scope::Accent);
            self.quoted(&file.heading, Scope::Muted);
            file.lines.iter().for_each(|line| self.quoted(&format!("  {line}"), Scope::Overlay));
        }
        self.say("", Scope::Overlay);
        question.held_by.iter().for_each(|held| self.say(&says.sandbox(held), Scope::Overlay));
        for why in &question.obstacles {
            self.say(says.not_allowed(), Scope::TaskFailed);
            self.quoted(why, Scope::Overlay);
        }
        self.say(says.holds_for_all(), Scope::Muted);
    }

    /// What the engine says itself: behind a line on the left in every row, so that it cannot pass for words of ours.
    /// Nothing of it is dropped where a row ends.
    fn quoted(&mut self, text: &str, scope: Scope) {
        let line = format!("{} ", self.look.glyphs.border.vertical);
        let indent = [Segment::added(line, self.look.style(Scope::Accent))];
        let indent = Indent { first: indent.to_vec(), rest: indent.to_vec() };
        let style = self.look.style(scope);
        let rows = wrap(&[Segment::added(sanitise_line(text), style)], self.columns, &indent, Break::Anywhere);
        self.all.extend(rows.iter().map(|row| (row.text(), style)));
    }

    /// What was found: records as names with values, lists as items, each level further to the right.
    fn found(&mut self, value: &Value, indent: &str) {
        let deeper = format!("{indent}  ");
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let name = name.replace('_', " ");
                    if is_plain(value) {
                        self.item(indent, &format!("{name}: {}", brief_text(value)), Scope::Overlay);
                    } else {
                        self.item(indent, &name, Scope::Accent);
                        self.found(value, &deeper);
                    }
                }
            }
            Value::Array(items) => {
                let bullet = format!("{indent}{} ", self.look.glyphs.bullets[0]);
                for item in items {
                    match item {
                        Value::Object(fields) if fields.values().all(is_plain) => {
                            let named = fields
                                .iter()
                                .map(|(name, value)| format!("{}: {}", name.replace('_', " "), brief_text(value)));
                            self.item(&bullet, &named.collect::<Vec<_>>().join("; "), Scope::Overlay);
                        }
                        nested if !is_plain(nested) => self.found(nested, &deeper),
                        plain => self.item(&bullet, &brief_text(plain), Scope::Overlay),
                    }
                }
            }
            plain => self.item(indent, &brief_text(plain), Scope::Overlay),
        }
    }
}

fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}
