//! The brief as it stands, beside the conversation: it follows every turn, and goes to what has changed in it.

use std::ops::Range;
use std::sync::Arc;

use super::effect::Effect;
use super::keymap::Motion;
use super::layout;
use super::model::{Focus, Model};
use super::msg::BriefMsg;
use super::toasts::Level;
use crate::engine::brief_changes::BriefChanges;
use crate::engine::memory::WorkingMemory;
use crate::host::protocol::{Query, RequestId, Since};
use crate::words::Words;

/// What follows `/brief` for what has changed in it.
const DIFF: &str = "diff";

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
    /// What it is compared with, where only what has changed is shown.
    pub(crate) since: Option<Since>,
    /// What it was asked for last, and under which number.
    asked_for: Option<(RequestId, Arc<WorkingMemory>)>,
}

/// `/brief`, `/brief diff [turn|date|session]`.
pub(crate) fn command(model: &mut Model, argument: &str) -> Vec<Effect> {
    let (first, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    match first {
        "" if model.brief.as_ref().is_some_and(|brief| brief.since.is_some()) => show(model, None),
        "" => toggle(model),
        DIFF => {
            let since = since(model, rest.trim());
            show(model, Some(since))
        }
        _ => {
            model.toasts.tell(Level::Info, model.words.brief.unknown(), model.now);
            Vec::new()
        }
    }
}

/// What a brief is compared with: as it is asked for, else with what it was when the session was opened. Where nothing
/// was said since then, with what it was before the last turn.
fn since(model: &Model, wanted: &str) -> Since {
    // A longer number is the beginning of an id.
    if let Some(turn) = wanted.parse().ok().filter(|_| wanted.len() <= 6) {
        return Since::Turn(turn);
    }
    // A date has dashes where an id has letters and digits.
    let is_date = wanted.get(4..5) == Some("-") && wanted[..4].bytes().all(|byte| byte.is_ascii_digit());
    if is_date {
        return Since::Date(wanted.to_owned());
    }
    if !wanted.is_empty() {
        return Since::Session(wanted.to_owned());
    }
    let session = model.session.as_ref();
    let (opened, now) = session.map_or((0, 0), |session| (session.opened_at, session.memory.turn));
    Since::Turn(if opened < now { opened } else { now.saturating_sub(1) })
}

/// Shows the brief, or what has changed in it.
fn show(model: &mut Model, since: Option<Since>) -> Vec<Effect> {
    model.brief = Some(Brief { since, ..Brief::default() });
    if !model.is_wide() {
        model.focus = Focus::Sidebar;
    }
    Vec::new()
}

/// Shows the brief, or puts it away.
pub(crate) fn toggle(model: &mut Model) -> Vec<Effect> {
    // The window has become narrow since: the brief is there and cannot be seen.
    if model.brief.is_some() && !model.is_wide() && model.focus != Focus::Sidebar {
        model.focus = Focus::Sidebar;
        return Vec::new();
    }
    if model.brief.is_some() {
        put_away(model);
        return Vec::new();
    }
    // Beside the chat one can go on writing; over it the keys scroll.
    show(model, None)
}

/// Puts the brief away, be it in view or behind the conversation of a narrow window.
pub(crate) fn put_away(model: &mut Model) {
    model.brief = None;
    if model.focus == Focus::Sidebar {
        model.focus = Focus::Composer;
    }
}

/// Asks for the brief where what is known is not what it was written from.
pub(crate) fn follow(model: &mut Model) -> Option<Effect> {
    let (Some(brief), Some(session)) = (&model.brief, &model.session) else { return None };
    let same = brief.asked_for.as_ref().is_some_and(|(_, known)| Arc::ptr_eq(known, &session.memory));
    if same {
        return None;
    }
    let memory = Arc::clone(&session.memory);
    let id = model.next_request();
    let brief = model.brief.as_mut()?;
    brief.asked_for = Some((id, memory));
    Some(Effect::numbered(id, brief.since.clone().map_or(Query::Brief, Query::BriefChanges)))
}

/// Takes the brief in, and marks what is new for being shown.
pub(crate) fn written(model: &mut Model, text: &str, answers: Option<RequestId>) {
    let Some(brief) = model.brief.as_mut().filter(|brief| brief.has_asked(answers)) else { return };
    brief.reveal = brief.text.as_deref().and_then(|before| first_change(before, text));
    brief.text = Some(Arc::from(text));
}

/// Takes in what has changed in it.
pub(crate) fn compared(model: &mut Model, changes: &BriefChanges, answers: Option<RequestId>) {
    let Some(brief) = model.brief.as_mut().filter(|brief| brief.has_asked(answers)) else { return };
    brief.text = Some(Arc::from(changes.markdown(model.words)));
}

/// Puts the brief away where it cannot be had.
pub(crate) fn refused(model: &mut Model, answers: Option<RequestId>) {
    if model.brief.as_ref().is_some_and(|brief| brief.text.is_none() && brief.has_asked(answers)) {
        put_away(model);
    }
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
    pub(crate) fn title(&self, words: &'static Words) -> &'static str {
        if self.since.is_some() { words.brief.changes() } else { words.brief.title() }
    }

    /// What its key does.
    pub(crate) fn hint(&self, key: impl std::fmt::Display, words: &Words) -> String {
        if self.since.is_some() { words.brief.all_of_it(key) } else { words.brief.closes(key) }
    }

    /// Whether an answer is the one that it waits for.
    fn has_asked(&self, answers: Option<RequestId>) -> bool {
        self.asked_for.as_ref().is_some_and(|(id, _)| answers == Some(*id))
    }

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
