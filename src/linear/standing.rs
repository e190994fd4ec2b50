//! Where the conversation stands, in words: what was noted, how complete it is, what is done in the background.

use std::collections::BTreeMap;

use super::told::Told;
use super::window::{Choice, Window};
use crate::app::direct::Direct;
use crate::app::model::{Model, Screen};
use crate::app::overlay::{status_word, task_word};
use crate::app::session::ShownSession;
use crate::app::sidebar::{left_in_words, said_of};
use crate::engine::memory::TaskStatus;
use crate::engine::sidebar::{SidebarItem, SidebarState};
use crate::words::Words;

/// What was told of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    session: Option<String>,
    values: BTreeMap<String, String>,
    state: String,
    tasks: BTreeMap<String, TaskStatus>,
}

impl Standing {
    /// Tells what has changed.
    pub fn tell(&mut self, model: &Model, told: &mut Told) {
        let Some(session) = model.session.as_ref().filter(|_| model.screen == Screen::Chat) else { return };
        let (words, sidebar) = (model.words, &session.sidebar);
        let anew = self.session.as_ref() != Some(&session.id);
        self.session = Some(session.id.clone());
        let values = values(sidebar, words);
        let state = state(sidebar, words);
        let tasks: BTreeMap<String, TaskStatus> =
            sidebar.tasks.iter().map(|task| (task.id.clone(), task.status)).collect();
        if !anew {
            let new = items(sidebar).filter(|item| {
                let now = values.get(&item.obligation_id);
                now.is_some() && now != self.values.get(&item.obligation_id)
            });
            let new: Vec<String> = new.filter_map(|item| value(item, words)).collect();
            if !new.is_empty() {
                told.say(words.linear.noted(), &new.join("; "));
            }
            for task in sidebar.tasks.iter().filter(|task| self.tasks.get(&task.id) != Some(&task.status)) {
                let how = task_word(task.status, &words.tasks);
                told.say(words.sidebar.background(), &format!("{}: {how}", task.name));
            }
        }
        if state != self.state && !state.is_empty() {
            told.say(words.linear.status(), &state);
        }
        (self.values, self.state, self.tasks) = (values, state, tasks);
    }
}

fn items(sidebar: &SidebarState) -> impl Iterator<Item = &SidebarItem> {
    sidebar.sections.iter().filter(|section| section.visible).flat_map(|section| &section.items)
}

fn values(sidebar: &SidebarState, words: &Words) -> BTreeMap<String, String> {
    items(sidebar).filter_map(|item| Some((item.obligation_id.clone(), value(item, words)?))).collect()
}

/// What is known of an obligation.
fn value(item: &SidebarItem, words: &Words) -> Option<String> {
    let value = item.value.as_ref()?;
    let known = format!("{}: {}", item.label, value.text);
    Some(if value.in_doubt { format!("{known} ({})", words.review.maybe()) } else { known })
}

/// Phase, completeness and what is left, in a line.
fn state(sidebar: &SidebarState, words: &Words) -> String {
    let phase = sidebar.phase_indicator.as_ref().map(|phases| words.linear.phase(&phases.label));
    let complete = sidebar.progress_bar.as_ref().map(|bar| words.linear.complete(bar.percentage));
    let left = sidebar.left.map(|left| left_in_words(left, &words.sidebar));
    [phase, complete, left].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// All of it as a window: what stands beside the conversation in the app of panes. A number leads to the evidence.
pub(super) fn window(session: &ShownSession, words: &Words) -> Window {
    let sidebar = &session.sidebar;
    let mut choices = Vec::new();
    for section in sidebar.sections.iter().filter(|section| section.visible) {
        choices.extend(section.items.iter().map(|item| {
            let known = value(item, words).unwrap_or_else(|| item.label.clone());
            let label = format!("{}: {known}; {}", section.title, status_word(item.status, &words.evidence));
            Choice::done(label, Direct::Show(item.obligation_id.clone()))
        }));
    }
    let tasks = sidebar.tasks.iter().map(|task| {
        let note = task.note.as_ref().map(|note| said_of(note, &words.tasks));
        let note = note.map_or_else(String::new, |note| format!(" ({note})"));
        format!("{}: {}: {}{note}", words.sidebar.background(), task.name, task_word(task.status, &words.tasks))
    });
    let spent = sidebar.budget.filter(|budget| budget.spent_usd > 0.0);
    let spent = spent.map(|budget| format!("{}: ${:.2}", words.sidebar.budget(), budget.spent_usd));
    Window {
        title: words.linear.standing().to_owned(),
        says: std::iter::once(state(sidebar, words)).chain(tasks).chain(spent).collect(),
        choices,
        ..Window::default()
    }
}
