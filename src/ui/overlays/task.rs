//! The card of a background task.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::{Line, lines, window};
use crate::app::keymap::{Action, Context, Motion};
use crate::app::model::Model;
use crate::app::overlay::{Remedy, TaskCard, asked_about};
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::engine::values::brief_text;
use crate::host::protocol::TrustQuestion;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

pub fn draw(model: &Model, card: &TaskCard, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(session) = &model.session else { return };
    let Some(record) = session.memory.background_tasks.get(&card.task) else { return };
    let width = area.width.min(84);
    let mut text = Text { columns: usize::from(width.saturating_sub(6)), look, all: Vec::new() };
    text.say(&standing(record), scope(record.status));
    match (asked_about(session, &card.task), &record.note) {
        (Some(question), _) => text.question(question),
        (None, Some(note)) => text.say(note, Scope::Muted),
        (None, None) => {}
    }
    if let Some(result) = &record.result {
        text.say("", Scope::Overlay);
        text.found(result, "");
    }
    let key = |motion| model.keymap.chord(Context::Overlay, Action::Do(motion)).map(|chord| chord.to_string());
    let (accept, decline) = Remedy::of(session, &card.task, record).words();
    let ways = [(Motion::Accept, accept), (Motion::Decline, decline)];
    let mut hints: Vec<String> =
        ways.into_iter().filter_map(|(motion, words)| Some(format!("{} {}", key(motion)?, words?))).collect();
    hints.push("Esc close".to_owned());
    text.say("", Scope::Overlay);
    text.say(&hints.join(&format!(" {} ", look.glyphs.separator)), Scope::Accent);
    let inner = window(buf, area, width, text.all.len() as u16 + 2, session.task_name(&card.task), look);
    lines(buf, inner, card.top, &text.all, look);
}

fn standing(record: &TaskRecord) -> String {
    let how = match record.status {
        TaskStatus::Pending | TaskStatus::Interrupted => "about to start",
        TaskStatus::Running => "being worked on",
        TaskStatus::Waiting => "waiting",
        TaskStatus::Completed => "done",
        TaskStatus::Failed => "brought nothing",
        TaskStatus::NeedsUser => "needs you",
    };
    let tries = match record.attempts {
        0 | 1 => String::new(),
        count => format!(", tried {count} times"),
    };
    format!("{how}, set off in turn {}{tries}", record.since_turn)
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
        self.say("", Scope::Overlay);
        self.say(
            &format!("This engine is not part of Elenchus; it comes from {}. It would:", question.origin),
            Scope::Overlay,
        );
        let bullet = format!("{} ", self.look.glyphs.bullets[0]);
        for act in &question.acts {
            self.item(&bullet, &act.words, Scope::Strong);
            self.item("  ", &format!("for {}", act.tasks.join(", ")), Scope::Muted);
        }
        self.say("Your answer holds for all of it, until one of its files changes.", Scope::Muted);
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
