//! A background task: a sign that moves while it runs, its name, and how long it has been at it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::ui::paint::{Look, after, put, put_fitted, put_right, row};
use crate::ui::theme::Scope;

/// A background task in one row.
#[derive(Clone, Copy, Debug)]
pub struct TaskLine<'a> {
    pub task: &'a TaskRecord,
    /// Counts up; moves the spinner.
    pub tick: u64,
    /// How long it has been running, in seconds.
    pub elapsed: Option<u64>,
    pub look: Look<'a>,
}

impl TaskLine<'_> {
    fn sign(&self) -> (&'static str, Scope) {
        let glyphs = self.look.glyphs;
        match self.task.status {
            TaskStatus::Running => (glyphs.spinner_frame(self.tick), Scope::TaskRunning),
            TaskStatus::Completed => (glyphs.done, Scope::TaskCompleted),
            TaskStatus::Failed if self.task.needs_a_model() => (glyphs.waiting, Scope::Task),
            TaskStatus::Failed => (glyphs.failed, Scope::TaskFailed),
            TaskStatus::NeedsUser => (glyphs.attention, Scope::TaskNeedsUser),
            TaskStatus::Pending | TaskStatus::Interrupted => (glyphs.pending, Scope::Task),
            TaskStatus::Waiting => (glyphs.waiting, Scope::Task),
        }
    }
}

/// Seconds as people say them: `12 s`, `3 min`, `1 h 05`.
fn duration(seconds: u64) -> String {
    match seconds {
        0..100 => format!("{seconds} s"),
        100..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {:02}", seconds / 3600, seconds % 3600 / 60),
    }
}

impl Widget for TaskLine<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut line = after(row(area, 0), 1);
        if line.is_empty() {
            return;
        }
        let (sign, scope) = self.sign();
        let style = self.look.style(scope);
        let elapsed = self.elapsed.filter(|_| self.task.status == TaskStatus::Running).map(duration);
        if let Some(elapsed) = elapsed.filter(|elapsed| line.width as usize > elapsed.len() + 8) {
            put_right(buf, line, &elapsed, self.look.style(Scope::SidebarCount));
            line.width -= elapsed.len() as u16 + 1;
        }
        put(buf, line.x, line.y, line.width, sign, style);
        let name = after(line, 2);
        let words = if scope == Scope::TaskCompleted { Scope::Task } else { scope };
        put_fitted(buf, (name.x, name.y), name.width, &self.task.name, self.look.style(words), self.look.glyphs);
    }
}
