//! The brief as it stands, beside the conversation: it follows every turn, and goes to what has changed in it.

use std::ops::Range;
use std::sync::Arc;

use super::effect::Effect;
use super::keymap::Motion;
use super::layout;
use super::model::{Focus, Model};
use super::msg::BriefMsg;
use crate::engine::memory::WorkingMemory;
use crate::host::protocol::Query;

pub(crate) const TITLE: &str = "Brief";
pub(crate) const ON_ITS_WAY: &str = "the brief is being written";

/// The brief, where it is shown.
#[derive(Clone, Debug, Default)]
pub struct Brief {
    /// It in Markdown; none before it has come.
    pub text: Option<Arc<str>>,
    /// The first row in view.
    pub top: usize,
    /// The bytes of what is new in it, to be brought into view.
    pub reveal: Option<Range<usize>>,
    /// The rows it takes, as last measured.
    rows: usize,
    /// What it was asked for.
    asked_for: Option<Arc<WorkingMemory>>,
}

/// Shows the brief, or puts it away.
pub(crate) fn toggle(model: &mut Model) -> Vec<Effect> {
    // The window has become narrow since: the brief is there and cannot be seen.
    if model.brief.is_some() && !model.is_wide() && model.focus != Focus::Sidebar {
        model.focus = Focus::Sidebar;
        return Vec::new();
    }
    if model.brief.take().is_some() {
        if model.focus == Focus::Sidebar {
            model.focus = Focus::Composer;
        }
        return Vec::new();
    }
    model.brief = Some(Brief::default());
    // Beside the chat one can go on writing; over it the keys scroll.
    if !model.is_wide() {
        model.focus = Focus::Sidebar;
    }
    Vec::new()
}

/// Asks for the brief where what is known is not what it was written from.
pub(crate) fn follow(model: &mut Model) -> Option<Effect> {
    let (Some(brief), Some(session)) = (&mut model.brief, &model.session) else { return None };
    let same = brief.asked_for.as_ref().is_some_and(|known| Arc::ptr_eq(known, &session.memory));
    if same {
        return None;
    }
    brief.asked_for = Some(Arc::clone(&session.memory));
    Some(Effect::host(Query::Brief))
}

/// Takes the brief in, and marks what is new for being shown.
pub(crate) fn written(model: &mut Model, text: &str) {
    let Some(brief) = &mut model.brief else { return };
    brief.reveal = brief.text.as_deref().and_then(|before| first_change(before, text));
    brief.text = Some(Arc::from(text));
}

/// The first line of a text that another has not in its place.
fn first_change(before: &str, after: &str) -> Option<Range<usize>> {
    let mut start = 0;
    let mut old = before.lines();
    for line in after.split_inclusive('\n') {
        if old.next() != Some(line.trim_end_matches('\n')) && !line.trim().is_empty() {
            return Some(start..start + line.trim_end().len());
        }
        start += line.len();
    }
    None
}

/// Takes in how many rows it has, and where what is new stands.
pub(crate) fn measured(model: &mut Model, msg: BriefMsg) -> Vec<Effect> {
    let height = height(model);
    let Some(brief) = &mut model.brief else { return Vec::new() };
    brief.rows = msg.rows;
    if let Some(row) = msg.new_at {
        brief.reveal = None;
        if row < brief.top || row >= brief.top + height {
            brief.top = row.saturating_sub(height / 3);
        }
    }
    brief.top = brief.top.min(brief.rows.saturating_sub(height));
    Vec::new()
}

impl Brief {
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    fn scroll(&mut self, delta: isize, height: usize) {
        self.top = self.top.saturating_add_signed(delta).min(self.rows.saturating_sub(height));
    }
}

fn height(model: &Model) -> usize {
    // The title has a row.
    layout::compute(model.area(), model).sidebar.map_or(1, |area| usize::from(area.height.saturating_sub(1)).max(1))
}

pub(crate) fn wheel(model: &mut Model, rows: isize) {
    let height = height(model);
    if let Some(brief) = &mut model.brief {
        brief.scroll(rows, height);
    }
}

/// Scrolls; `None` where the motion is not one of the brief's.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let height = height(model);
    let page = isize::try_from(height.saturating_sub(2).max(1)).unwrap_or(1);
    let wide = model.is_wide();
    let brief = model.brief.as_mut()?;
    match motion {
        Motion::Up => brief.scroll(-1, height),
        Motion::Down => brief.scroll(1, height),
        Motion::PageUp => brief.scroll(-page, height),
        Motion::PageDown | Motion::Toggle => brief.scroll(page, height),
        Motion::Top => brief.top = 0,
        Motion::Bottom => brief.scroll(isize::MAX, height),
        // Over the conversation there is nothing else to go back to.
        Motion::Back if !wide => return Some(toggle(model)),
        Motion::Open | Motion::Change | Motion::Later | Motion::Clear | Motion::Left | Motion::Right => {}
        _ => return None,
    }
    Some(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::first_change;

    #[test]
    fn what_is_new_in_a_brief_is_the_first_line_that_differs() {
        let after = "# Brief\n\nBudget: 15,000 €\n";
        assert_eq!(first_change("# Brief\n\nBudget: open\n", after).map(|at| &after[at]), Some("Budget: 15,000 €"));
        assert_eq!(first_change(after, after), None);
    }
}
