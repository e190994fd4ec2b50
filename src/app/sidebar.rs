//! The sidebar: its rows, which of them is under the cursor, and which sections are folded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::effect::Effect;
use super::keymap::Motion;
use super::layout;
use super::model::{Focus, Model};
use super::overlay::{self, Overlay};
use super::session::ShownSession;
use super::toasts::Level;
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::engine::sidebar::{SidebarItem, SidebarLeft, SidebarMode, SidebarSection, SidebarState};
use crate::host::protocol::Edit;
use crate::tasks::TaskEvent;
use crate::words::{SidebarWords, Tasks, Words, english};

#[derive(Clone, Debug, Default)]
pub struct Sidebar {
    /// The row under the cursor, among those that can be chosen.
    pub cursor: usize,
    /// Sections the user folded or unfolded, by id; the others are as the engine has them.
    pub folded: BTreeMap<String, bool>,
    /// Whether the drawer of a narrow window is open.
    pub drawer: bool,
    /// Whether a wide window goes without.
    pub hidden: bool,
    /// Since when each task has been running.
    pub since: BTreeMap<String, Duration>,
    /// Whether what only a designer of engines wants to know is shown as well.
    pub design: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row<'a> {
    Blank,
    Phases,
    Completeness,
    /// About how much is left.
    Left(SidebarLeft),
    /// The head of a section; whether it is folded.
    Section(&'a SidebarSection, bool),
    Item(&'a SidebarItem),
    Heading(&'static str),
    Task(&'a TaskRecord),
    /// What there is to say about the task above.
    TaskNote(&'a str),
    Mode(&'a SidebarMode),
    Budget,
}

impl Row<'_> {
    /// Whether the cursor can stand on it.
    pub(crate) fn is_choice(&self) -> bool {
        matches!(self, Self::Section(..) | Self::Item(_) | Self::Task(_))
    }
}

impl Sidebar {
    /// Keeps the cursor on something that is there.
    pub fn follow(&mut self, state: &SidebarState) {
        let choices = self.rows(state, english()).iter().filter(|row| row.is_choice()).count();
        self.cursor = self.cursor.min(choices.saturating_sub(1));
    }

    /// Every row, from top to bottom.
    pub fn rows<'a>(&self, state: &'a SidebarState, words: &'static Words) -> Vec<Row<'a>> {
        let mut rows = Vec::new();
        if state.phase_indicator.is_some() {
            rows.push(Row::Phases);
        }
        if state.progress_bar.is_some() {
            rows.push(Row::Completeness);
        }
        rows.extend(state.left.map(Row::Left));
        for section in state.sections.iter().filter(|section| section.visible) {
            let folded = self.is_folded(section);
            rows.extend([Row::Blank, Row::Section(section, folded)]);
            if !folded {
                rows.extend(section.items.iter().map(Row::Item));
            }
        }
        let mut group = |heading, more: Vec<Row<'a>>| {
            if !more.is_empty() {
                rows.extend([Row::Blank, Row::Heading(heading)]);
                rows.extend(more);
            }
        };
        group(words.sidebar.background(), state.tasks.iter().flat_map(task_rows).collect());
        if self.design {
            group(words.sidebar.mode(), state.modes.iter().map(Row::Mode).collect());
        }
        // Nothing spent is nothing to tell an interviewee.
        if state.budget.as_ref().is_some_and(|budget| self.design || budget.spent_usd > 0.0) {
            rows.extend([Row::Blank, Row::Budget]);
        }
        rows
    }

    /// Whether a section shows only its head.
    pub(crate) fn is_folded(&self, section: &SidebarSection) -> bool {
        self.folded.get(&section.id).copied().unwrap_or(section.collapsed)
    }

    /// The row under the cursor: where it is among all rows.
    pub(crate) fn cursor_row(&self, rows: &[Row<'_>]) -> Option<usize> {
        rows.iter().enumerate().filter(|(_, row)| row.is_choice()).nth(self.cursor).map(|(at, _)| at)
    }

    /// The first row in view of a pane of that height, so that the cursor is in it.
    pub fn top(&self, rows: &[Row<'_>], height: usize) -> usize {
        let last = rows.len().saturating_sub(height);
        let cursor = self.cursor_row(rows).unwrap_or(0);
        // The first choice brings what stands above it into view too.
        if self.cursor == 0 { 0 } else { (cursor + 2).saturating_sub(height).min(last) }
    }
}

/// How much is left, as people think of it.
pub(crate) fn left_in_words(left: SidebarLeft, says: &SidebarWords) -> String {
    match left.questions {
        0 => says.nothing_left().to_owned(),
        questions => says.left(questions, left.minutes),
    }
}

/// Shows or hides the sidebar: beside the chat of a wide window, as the drawer of a narrow one.
pub(crate) fn toggle(model: &mut Model) -> Vec<Effect> {
    if model.is_wide() {
        model.sidebar.hidden = !model.sidebar.hidden;
    } else {
        model.sidebar.drawer = !model.sidebar.drawer;
    }
    if model.sidebar.hidden && model.focus == Focus::Sidebar {
        model.focus = Focus::Composer;
    }
    Vec::new()
}

/// Moves about in the sidebar; `None` where the motion is not one of its own.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let session = model.session.as_ref()?;
    let rows = model.sidebar.rows(&session.sidebar, model.words);
    let choices = rows.iter().filter(|row| row.is_choice()).count();
    let last = choices.saturating_sub(1);
    let here = model.sidebar.cursor_row(&rows).and_then(|at| rows.get(at).copied());
    let height = layout::compute(model.area(), model).sidebar.map_or(1, |area| area.height as usize);
    let cursor = model.sidebar.cursor;
    match motion {
        Motion::Up => model.sidebar.cursor = cursor.saturating_sub(1),
        Motion::Down => model.sidebar.cursor = (cursor + 1).min(last),
        Motion::PageUp => model.sidebar.cursor = cursor.saturating_sub(height),
        Motion::PageDown => model.sidebar.cursor = (cursor + height).min(last),
        Motion::Top => model.sidebar.cursor = 0,
        Motion::Bottom => model.sidebar.cursor = last,
        Motion::Toggle | Motion::Left | Motion::Right => {
            let section = enclosing(&rows, model.sidebar.cursor_row(&rows)?)?;
            let fold = match motion {
                Motion::Left => true,
                Motion::Right => false,
                _ => !model.sidebar.is_folded(section),
            };
            let id = section.id.clone();
            set_folded(model, &id, fold);
        }
        Motion::Open => {
            let choice = here.map_or(Choice::Nothing, Choice::of);
            return Some(open(model, choice));
        }
        Motion::Change | Motion::Later | Motion::Clear => {
            let Some(Row::Item(item)) = here else { return Some(Vec::new()) };
            let id = item.obligation_id.clone();
            return Some(match motion {
                Motion::Later => vec![Effect::host(Edit::Defer { obligation: id })],
                Motion::Change => overlay::correct_obligation(model, &id),
                _ => overlay::clear_obligation(model, &id),
            });
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn open(model: &mut Model, choice: Choice) -> Vec<Effect> {
    match choice {
        Choice::Section(id, folded) => set_folded(model, &id, !folded),
        Choice::Item(id) => model.overlays.push(Overlay::evidence(&id)),
        Choice::Task(id) => return overlay::show_task(model, &id),
        Choice::Nothing => {}
    }
    Vec::new()
}

/// What can be chosen, with nothing borrowed from the model that is about to change.
enum Choice {
    Section(String, bool),
    Item(String),
    Task(String),
    Nothing,
}

impl Choice {
    fn of(row: Row<'_>) -> Self {
        match row {
            Row::Section(section, folded) => Self::Section(section.id.clone(), folded),
            Row::Item(item) => Self::Item(item.obligation_id.clone()),
            Row::Task(task) => Self::Task(task.id.clone()),
            _ => Self::Nothing,
        }
    }
}

fn enclosing<'a>(rows: &[Row<'a>], at: usize) -> Option<&'a SidebarSection> {
    rows[..=at].iter().rev().find_map(|row| match row {
        Row::Section(section, _) => Some(*section),
        _ => None,
    })
}

/// Folds or unfolds a section and puts the cursor on its head.
fn set_folded(model: &mut Model, id: &str, folded: bool) {
    model.sidebar.folded.insert(id.to_owned(), folded);
    let Some(session) = &model.session else { return };
    let rows = model.sidebar.rows(&session.sidebar, model.words);
    let choices = rows.iter().filter(|row| row.is_choice());
    let head = choices.enumerate().find(|(_, row)| matches!(row, Row::Section(section, _) if section.id == id));
    if let Some((at, _)) = head {
        model.sidebar.cursor = at;
    }
}

/// A click on a row: folds a section, or opens what is there.
pub fn click(model: &mut Model, row: usize) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    let rows = model.sidebar.rows(&session.sidebar, model.words);
    let Some(here) = rows.get(row).copied().filter(Row::is_choice) else { return Vec::new() };
    let cursor = rows[..row].iter().filter(|row| row.is_choice()).count();
    let choice = Choice::of(here);
    let again = model.sidebar.cursor == cursor;
    model.sidebar.cursor = cursor;
    match choice {
        Choice::Section(id, folded) => set_folded(model, &id, !folded),
        Choice::Item(id) if again => model.overlays.push(Overlay::evidence(&id)),
        Choice::Task(id) if again => return overlay::show_task(model, &id),
        _ => {}
    }
    Vec::new()
}

/// Takes in news of a background task.
pub fn task(model: &mut Model, event: TaskEvent) -> Vec<Effect> {
    match event {
        TaskEvent::Changed(record) => changed(model, record),
        TaskEvent::Withdrawn { task } => withdrawn(model, &task),
        TaskEvent::NotKept { task, reason } => {
            let name = model.session.as_ref().map_or(task.as_str(), |session| session.task_name(&task));
            let text = model.words.tasks.not_saved(name, reason);
            model.toasts.tell(Level::Error, text, model.now);
        }
    }
    Vec::new()
}

fn changed(model: &mut Model, record: TaskRecord) {
    let Some(session) = &mut model.session else { return };
    if record.status == TaskStatus::Running {
        model.sidebar.since.entry(record.id.clone()).or_insert(model.now);
    } else {
        model.sidebar.since.remove(&record.id);
    }
    let before = session.memory.background_tasks.get(&record.id).map(|known| known.status);
    if before != Some(record.status)
        && let Some((level, text)) = announcement(session, &record, &model.words.tasks)
    {
        model.toasts.tell(level, text, model.now);
    }
    Arc::make_mut(&mut session.memory).background_tasks.put(record.clone());
    match session.sidebar.tasks.iter_mut().find(|known| known.id == record.id) {
        Some(known) => *known = record,
        None => session.sidebar.tasks.push(record),
    }
    model.sidebar.follow(&session.sidebar);
}

fn withdrawn(model: &mut Model, task: &str) {
    let Some(session) = &mut model.session else { return };
    Arc::make_mut(&mut session.memory).background_tasks.remove(task);
    session.sidebar.tasks.retain(|known| known.id != task);
    model.sidebar.since.remove(task);
    model.sidebar.follow(&session.sidebar);
}

/// What the user is told when a task has come to another status.
fn announcement(session: &ShownSession, record: &TaskRecord, says: &Tasks) -> Option<(Level, String)> {
    let name = &record.name;
    let tell = |why: &str| format!("{name}: {}", record.note.as_deref().unwrap_or(why));
    match record.status {
        TaskStatus::Failed if record.needs_a_model() => None,
        TaskStatus::Failed => Some((Level::Warning, tell(says.could_not()))),
        TaskStatus::NeedsUser if overlay::asked_about(session, &record.id).is_some() => {
            Some((Level::Warning, says.needs_leave(name)))
        }
        TaskStatus::NeedsUser => Some((Level::Warning, says.can_be_done(tell(says.it_needs_you())))),
        TaskStatus::Completed => Some((Level::Info, says.is_done(name))),
        TaskStatus::Pending | TaskStatus::Running | TaskStatus::Waiting | TaskStatus::Interrupted => None,
    }
}

/// A task, and under it what there is to say about one that is not over.
fn task_rows(task: &TaskRecord) -> impl Iterator<Item = Row<'_>> {
    let note = task.note.as_deref().filter(|_| task.status != TaskStatus::Completed && !task.needs_a_model());
    std::iter::once(Row::Task(task)).chain(note.map(Row::TaskNote))
}
