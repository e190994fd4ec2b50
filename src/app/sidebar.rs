//! The sidebar: its rows, which of them is under the cursor, and which sections are folded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

use super::effect::{Effect, TerminalEffect};
use super::keymap::Motion;
use super::layout;
use super::model::{Focus, Model};
use super::overlay::{self, Overlay};
use super::session::ShownSession;
use super::toasts::Level;
use crate::engine::memory::{NO_MODEL, TaskRecord, TaskStatus};
use crate::engine::sidebar::{SidebarItem, SidebarLeft, SidebarMode, SidebarSection, SidebarState};
use crate::host::protocol::Edit;
use crate::tasks::{GAP, GIVEN_UP, GOES_ON, TaskEvent};
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
    /// What is known of the item above, where there is no room for it beside.
    Value(&'a SidebarItem),
    Heading(&'static str),
    Task(&'a TaskRecord),
    /// What there is to say about the task above.
    TaskNote(&'a str),
    Mode(&'a SidebarMode),
    Budget,
}

impl Row<'_> {
    /// Whether it tells how far all of it has come.
    fn is_of_the_whole(&self) -> bool {
        matches!(self, Self::Phases | Self::Completeness | Self::Left(_))
    }

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

    /// Every row, from top to bottom, where there is room beside for all there is to tell.
    pub fn rows<'a>(&self, state: &'a SidebarState, words: &'static Words) -> Vec<Row<'a>> {
        self.rows_in(state, words, u16::MAX)
    }

    /// Every row, from top to bottom, in a pane of so many columns.
    pub fn rows_in<'a>(&self, state: &'a SidebarState, words: &'static Words, width: u16) -> Vec<Row<'a>> {
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
                let below = |item: &'a SidebarItem| has_value_below(item, width).then_some(Row::Value(item));
                rows.extend(section.items.iter().flat_map(|item| [Some(Row::Item(item)), below(item)]).flatten());
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
        // An interviewee is shown the budget only once something was spent; a designer always.
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

    /// The rows in view of a pane of that height, by their place: what tells of the whole stays, and below it stands what
    /// the cursor is on, or what is being asked.
    pub fn in_view(&self, rows: &[Row<'_>], height: usize, asked: Option<&str>) -> Vec<usize> {
        let whole = rows.iter().take_while(|row| row.is_of_the_whole()).count();
        let pinned = if height >= whole + LEAST_BELOW { whole } else { 0 };
        let room = height.saturating_sub(pinned);
        let last = rows.len().saturating_sub(room).max(pinned);
        let first = match asked {
            // The first choice brings what stands above it into view too.
            None if self.cursor == 0 => pinned,
            None => {
                let cursor = self.cursor_row(rows).unwrap_or(0);
                // Two rows more, so that what comes next can be seen.
                (cursor + 3).saturating_sub(room).min(cursor).clamp(pinned, last)
            }
            Some(asked) => match section_of(rows, asked) {
                Some((begins, ends)) if ends > pinned + room => {
                    begins.max(ends.saturating_sub(room)).clamp(pinned, last)
                }
                _ => pinned,
            },
        };
        (0..pinned).chain(first..rows.len()).take(height).collect()
    }
}

/// Rows that what is listed needs below what tells of the whole.
const LEAST_BELOW: usize = 8;

/// The row that the section of an obligation begins with, and the one after the obligation.
fn section_of(rows: &[Row<'_>], asked: &str) -> Option<(usize, usize)> {
    let mut begins = 0;
    for (at, row) in rows.iter().enumerate() {
        match row {
            Row::Section(section, folded) => {
                begins = at;
                if *folded && section.items.iter().any(|item| item.obligation_id == asked) {
                    return Some((begins, at + 1));
                }
            }
            Row::Item(item) if item.obligation_id == asked => {
                let below = matches!(rows.get(at + 1), Some(Row::Value(_)));
                return Some((begins, at + 1 + usize::from(below)));
            }
            _ => {}
        }
    }
    None
}

/// Columns before the name of an item: the cursor, its sign and the blanks between.
pub(crate) const BEFORE_NAME: u16 = 3;

/// Whether what is known of an item is told in full only below its name.
fn has_value_below(item: &SidebarItem, width: u16) -> bool {
    let Some(value) = &item.value else { return false };
    let mark = if value.in_doubt { 2 } else { 0 };
    let beside = item.label.width() + 2 + value.text.width() + mark;
    beside + usize::from(BEFORE_NAME) + 1 > usize::from(width)
}

/// What was asked last, for as long as it is open.
pub(crate) fn asked_of(session: &ShownSession) -> Option<&str> {
    session.memory.asked.first().map(|asked| asked.obligation.as_str())
}

/// The rows in view of the open session's sidebar, with all rows.
pub(crate) fn shown<'a>(model: &Model, session: &'a ShownSession, area: Rect) -> (Vec<Row<'a>>, Vec<usize>) {
    let rows = model.sidebar.rows_in(&session.sidebar, model.words, area.width);
    let asked = asked_of(session).filter(|_| model.focus != Focus::Sidebar);
    let follows = if model.focus == Focus::Sidebar { None } else { Some(asked.unwrap_or_default()) };
    let in_view = model.sidebar.in_view(&rows, usize::from(area.height), follows);
    (rows, in_view)
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

/// A click on a row of the pane: folds a section, or opens what is there.
pub fn click(model: &mut Model, area: Rect, y: u16) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    let (rows, in_view) = shown(model, session, area);
    let Some(mut row) = in_view.get(usize::from(y.saturating_sub(area.y))).copied() else { return Vec::new() };
    // A value belongs to the item above it.
    row -= usize::from(matches!(rows.get(row), Some(Row::Value(_))));
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
        TaskEvent::Changed(record) => return changed(model, record).into_iter().collect(),
        TaskEvent::Withdrawn { task } => withdrawn(model, &task),
        TaskEvent::NotKept { task, reason } => {
            let name = model.session.as_ref().map_or(task.as_str(), |session| session.task_name(&task));
            let text = model.words.tasks.not_saved(name, reason);
            model.toasts.tell(Level::Error, text, model.now);
        }
    }
    Vec::new()
}

fn changed(model: &mut Model, record: TaskRecord) -> Option<Effect> {
    let session = model.session.as_mut()?;
    let mut call = None;
    if record.status == TaskStatus::Running {
        model.sidebar.since.entry(record.id.clone()).or_insert(model.now);
    } else {
        model.sidebar.since.remove(&record.id);
    }
    let before = session.memory.background_tasks.get(&record.id).map(|known| known.status);
    if before != Some(record.status)
        && let Some((level, text)) = announcement(session, &record, &model.words.tasks)
    {
        // Who looks elsewhere is called: what is done can be looked at, and what waits for leave does not go on without.
        call = (!model.focused).then(|| TerminalEffect::Notify(text.clone()).into());
        model.toasts.tell(level, text, model.now);
    }
    Arc::make_mut(&mut session.memory).background_tasks.put(record.clone());
    match session.sidebar.tasks.iter_mut().find(|known| known.id == record.id) {
        Some(known) => *known = record,
        None => session.sidebar.tasks.push(record),
    }
    model.sidebar.follow(&session.sidebar);
    call
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
    let said = record.note.as_deref().map(|note| said_of(note, says));
    let tell = |why: &str| format!("{name}: {}", said.as_deref().unwrap_or(why));
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

/// What is noted of a task, for people: without the words of its strategy.
pub(crate) fn said_of(note: &str, says: &Tasks) -> String {
    if note.contains(NO_MODEL) {
        return says.needs_a_model().to_owned();
    }
    if let Some(why) = note.strip_prefix(GAP) {
        return says.left_out(why);
    }
    let given_up = note.strip_prefix(GIVEN_UP).and_then(|rest| rest.split_once(": "));
    match given_up {
        Some((_, why)) => says.given_up(why.strip_suffix(GOES_ON).unwrap_or(why)),
        None => note.to_owned(),
    }
}
