//! The open session: what the app knows of it, and what happens when it opens, changes and gets a title.

use std::sync::Arc;

use super::chat::{Entry, EntryKind};
use super::effect::Effect;
use super::model::{Focus, Model, Screen};
use super::msg::SessionMsg;
use super::overlay::TrustQuestion;
use super::toasts::Level;
use crate::engine::Engine;
use crate::engine::figures::TurnFigures;
use crate::engine::memory::WorkingMemory;
use crate::engine::sidebar::SidebarState;
use crate::engine::transcript::{Message, Role};

/// A session as the edge hands it over.
#[derive(Clone, Debug)]
pub struct OpenedSession {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its project.
    pub project: Option<String>,
    /// Its engine.
    pub engine: Arc<Engine>,
    /// Its memory.
    pub memory: Box<WorkingMemory>,
    /// Its sidebar.
    pub sidebar: SidebarState,
    /// What was said, the opening first.
    pub messages: Vec<Message>,
    /// What it may cost.
    pub cap_usd: Option<f64>,
    /// What was written but not sent.
    pub draft: String,
    /// What its engine would do and waits for the user's word on.
    pub trust: Option<TrustQuestion>,
}

/// A turn as the edge hands it over.
#[derive(Clone, Debug)]
pub struct TurnDone {
    /// The memory after it.
    pub memory: Box<WorkingMemory>,
    /// What the user said, as it was kept.
    pub message: Message,
    /// The answer.
    pub answer: Message,
    /// What stands beside the conversation after it.
    pub sidebar: SidebarState,
    /// Its figures.
    pub figures: TurnFigures,
}

/// The open session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its project.
    pub project: Option<String>,
    /// Its engine.
    pub engine: Arc<Engine>,
    /// Its memory.
    pub memory: Box<WorkingMemory>,
    /// What it may cost.
    pub cap_usd: Option<f64>,
    /// What the sidebar shows.
    pub sidebar: SidebarState,
    /// What its engine would do and waits for the user's word on.
    pub trust: Option<TrustQuestion>,
    /// What is wrong with the engine's files as they are now, while an older version goes on.
    pub engine_fault: Option<String>,
}

impl Session {
    /// What people call the session: its title, or the name of its engine.
    pub fn label(&self) -> &str {
        if self.title.is_empty() { &self.engine.definition().name } else { &self.title }
    }

    /// What people call a background task.
    pub fn task_name<'a>(&'a self, id: &'a str) -> &'a str {
        let known = self.sidebar.tasks.iter().find(|task| task.id == id).map(|task| task.name.as_str());
        let declared = || self.engine.definition().background_tasks.iter().find(|task| *task.id == *id);
        known.or_else(|| declared().map(|task| task.name.as_str())).unwrap_or(id)
    }

    /// Takes in a new state of the memory, with the sidebar that shows it.
    pub fn remember(&mut self, memory: Box<WorkingMemory>, sidebar: SidebarState) {
        self.memory = memory;
        self.sidebar = sidebar;
    }
}

/// Takes in news of the session.
pub fn update(model: &mut Model, msg: SessionMsg) -> Vec<Effect> {
    match msg {
        SessionMsg::Opened(opened) => open(model, *opened),
        SessionMsg::Edited { memory, sidebar, note } => {
            if let Some(session) = &mut model.session {
                session.remember(memory, sidebar);
                model.sidebar.follow(&session.sidebar);
            }
            model.toasts.tell(Level::Info, note, model.now);
            Vec::new()
        }
        SessionMsg::EngineChanged { engine, memory, sidebar, note } => {
            tell_of_engine(model, None);
            if let Some(session) = &mut model.session {
                session.engine = engine;
                session.remember(memory, sidebar);
                model.sidebar.follow(&session.sidebar);
            }
            model.toasts.tell(Level::Info, note, model.now);
            Vec::new()
        }
        SessionMsg::EngineFaulty(problem) => {
            tell_of_engine(model, Some(problem));
            Vec::new()
        }
        SessionMsg::Renamed(title) => {
            let Some(session) = &mut model.session else { return Vec::new() };
            session.title = title;
            vec![Effect::SetTitle(window_title(session))]
        }
        SessionMsg::Cap { cap_usd, sidebar } => {
            if let Some(session) = &mut model.session {
                session.cap_usd = cap_usd;
                session.sidebar = sidebar;
            }
            Vec::new()
        }
        SessionMsg::Trust(question) => {
            if let Some(session) = &mut model.session {
                session.trust = question;
            }
            Vec::new()
        }
        SessionMsg::Failed(problem) => {
            model.opening = None;
            model.toasts.tell(Level::Error, problem, model.now);
            Vec::new()
        }
    }
}

/// Tells what is wrong with the changed engine, in place of what was wrong with it before.
fn tell_of_engine(model: &mut Model, problem: Option<String>) {
    let Some(session) = &mut model.session else { return };
    if let Some(before) = std::mem::replace(&mut session.engine_fault, problem.clone()) {
        model.toasts.retract(&before);
    }
    if let Some(problem) = problem {
        model.toasts.tell(Level::Error, problem, model.now);
    }
}

fn open(model: &mut Model, opened: OpenedSession) -> Vec<Effect> {
    let OpenedSession { id, title, project, engine, memory, sidebar, messages, cap_usd, draft, trust } = opened;
    let same = model.session.as_ref().is_some_and(|session| session.id == id);
    let engine_fault = model.session.take().filter(|_| same).and_then(|session| session.engine_fault);
    let session = Session { id, title, project, engine, memory, cap_usd, sidebar, trust, engine_fault };
    model.sidebar.follow(&session.sidebar);
    model.chat.replace(entries(&session, &messages), same);
    model.turns.retain(|turn, _| same && *turn <= session.memory.turn);
    model.turn = None;
    model.opening = None;
    model.screen = Screen::Chat;
    model.overlays.clear();
    if !same {
        model.focus = Focus::Composer;
        model.composer.reset(&draft);
        let said = messages.iter().filter(|message| message.role == Role::User);
        model.composer.history.fill(said.map(|message| &*message.text));
    }
    let title = window_title(&session);
    model.session = Some(session);
    vec![Effect::SetTitle(title)]
}

/// What was said, with a line where a phase was entered.
fn entries(session: &Session, messages: &[Message]) -> Vec<Entry> {
    let phase = &session.memory.phase;
    let entered = phase.history.iter().skip(1).map(|visit| visit.phase_id.as_str()).chain([phase.current.as_str()]);
    let changes: Vec<(u32, &str)> = phase.history.iter().map(|visit| visit.exited_at_turn).zip(entered).collect();
    let mut entries = Vec::with_capacity(messages.len() + changes.len());
    for message in messages {
        if message.role == Role::Assistant && message.turn > 0 {
            let names = changes.iter().filter(|(turn, _)| *turn == message.turn);
            let names = names.filter_map(|(_, id)| Some(session.engine.phase(id)?.name.as_str()));
            entries.extend(names.map(|name| Entry::new(EntryKind::Note, message.turn, name)));
        }
        entries.push(Entry::new(kind(message.role), message.turn, Arc::clone(&message.text)));
    }
    entries
}

fn kind(role: Role) -> EntryKind {
    match role {
        Role::User => EntryKind::User,
        Role::Assistant => EntryKind::Assistant,
    }
}

/// What the window is called.
pub fn window_title(session: &Session) -> String {
    format!("{} · {}", session.label(), session.engine.definition().name)
}
