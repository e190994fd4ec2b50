//! The open session: what the app knows of it, and what happens when it opens, changes and gets a title.

use std::sync::Arc;

use super::aside;
use super::chat::{Entry, EntryKind};
use super::commands::Command;
use super::draft::Keeping;
use super::effect::{Effect, TerminalEffect};
use super::export;
use super::hints;
use super::keymap::{Action, Context};
use super::model::{Focus, Model, Screen};
use super::overlay;
use super::overlay::Overlay;
use super::picker;
use super::review;
use super::rewinding;
use super::toasts::Level;
use super::turn::RunningTurn;
use crate::engine::answer_card::AnswerCard;
use crate::engine::changes;
use crate::engine::memory::WorkingMemory;
use crate::engine::outline::EngineOutline;
use crate::engine::recap::Recap;
use crate::engine::sidebar::SidebarState;
use crate::engine::transcript::Role;
use crate::host::protocol::{Draft, EngineChange, NotOpened, SessionCommand, SessionNews, Snapshot, TrustQuestion};
use crate::words::{self, Words};

/// How many changes of an engine are told at once.
const TOLD: usize = 6;

/// The open session, as far as the app shows it.
#[derive(Clone, Debug)]
pub struct ShownSession {
    pub id: String,
    pub title: String,
    pub project: Option<String>,
    pub tags: Vec<String>,
    /// Its engine, in the language that the session is held in.
    pub engine: Arc<EngineOutline>,
    /// Its engine, in every language.
    pub(crate) outline: Arc<EngineOutline>,
    pub memory: Arc<WorkingMemory>,
    pub sidebar: SidebarState,
    /// What can be chosen in answer to the last question.
    pub card: Option<AnswerCard>,
    /// What its engine would do and waits for the user's word on.
    pub trust: Option<TrustQuestion>,
    /// The last turn there was when it was opened.
    pub opened_at: u32,
    /// Whether it was told that everything is confirmed.
    pub(crate) told_ready: bool,
    /// What is wrong with the engine's files as they are now, while an older version goes on.
    pub engine_fault: Option<String>,
}

impl ShownSession {
    /// What people call the session: its title, or the name of its engine.
    pub fn label(&self) -> &str {
        if self.title.is_empty() { &self.engine.name } else { &self.title }
    }

    /// What people call a background task.
    pub(crate) fn task_name<'a>(&'a self, id: &'a str) -> &'a str {
        let known = self.sidebar.tasks.iter().find(|task| task.id == id).map(|task| task.name.as_str());
        let declared = || self.engine.tasks.iter().find(|task| task.id == id);
        known.or_else(|| declared().map(|task| task.name.as_str())).unwrap_or(id)
    }

    /// Takes in a new state of the memory, with the sidebar that shows it.
    pub(crate) fn remember(&mut self, memory: Arc<WorkingMemory>, sidebar: SidebarState) {
        self.memory = memory;
        self.sidebar = sidebar;
        self.engine = self.outline.speaking(self.memory.language.current.as_deref());
    }
}

/// Takes in news of the session.
pub fn update(model: &mut Model, news: SessionNews) -> Vec<Effect> {
    match news {
        SessionNews::Changed { memory, sidebar, card, note } => {
            deal(model, card.map(|card| *card));
            remember(model, memory, sidebar, note);
        }
        SessionNews::EngineChanged { engine, memory, sidebar, card, note } => {
            tell_of_engine(model, None);
            if let Some(session) = &mut model.session {
                session.outline = engine;
            }
            deal(model, card.map(|card| *card));
            remember(model, memory, sidebar, note);
        }
        SessionNews::EngineFaulty(problem) => tell_of_engine(model, Some(problem)),
        SessionNews::Remark(text) => {
            let turn = model.session.as_ref().map_or(0, |session| session.memory.turn);
            model.chat.push(Entry::new(EntryKind::Note, turn, text));
        }
        SessionNews::Renamed(title) => return rename(model, title),
        SessionNews::Trust(question) => {
            let asks = question.is_some();
            let Some(session) = &mut model.session else { return Vec::new() };
            let is_new = asks && session.trust.is_none();
            session.trust = question;
            // A task that needs leave says so itself; an engine that only wants tools has nobody else to say it.
            if is_new && !model.focused {
                return vec![TerminalEffect::Notify(model.words.tasks.asks_for_leave().to_owned()).into()];
            }
        }
        SessionNews::Briefs(titles) => overlay::ask_about_briefs(model, &titles),
        SessionNews::NotCorrected { path, value, why } => return review::refused(model, &path, &value, &why),
        SessionNews::Imported(told) => export::imported(model, &told),
        SessionNews::NoChange => rewinding::ask_about_turns(model, 1),
    }
    Vec::new()
}

/// Takes in what can be chosen now. What is marked stays only on the card it was marked on.
pub(crate) fn deal(model: &mut Model, card: Option<AnswerCard>) {
    let Some(session) = &mut model.session else { return };
    if session.card != card {
        session.card = card;
        model.card.renew();
    }
}

fn remember(model: &mut Model, memory: Arc<WorkingMemory>, sidebar: SidebarState, note: String) {
    if let Some(session) = &mut model.session {
        session.remember(memory, sidebar);
        model.sidebar.follow(&session.sidebar);
    }
    // The last yes may come from the review, with no question on the table that a turn would follow.
    let told = model.session.as_ref().is_none_or(|session| session.told_ready);
    let entry = model.session.as_ref().and_then(|session| ready(model, session)).filter(|_| !told);
    if let (Some(entry), Some(session)) = (entry, &mut model.session) {
        session.told_ready = true;
        model.chat.push(entry);
    }
    if !note.is_empty() {
        model.toasts.tell(Level::Info, note, model.now);
    }
}

/// Shows another title, in the window's too.
pub fn rename(model: &mut Model, title: String) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    session.title = title;
    vec![TerminalEffect::SetTitle(window_title(session)).into()]
}

/// Keeps what the project's other sessions know out of this one, or lets it in again.
pub fn keep_apart(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    if session.project.is_none() {
        model.toasts.tell(Level::Info, model.words.chat.no_project(), model.now);
        return Vec::new();
    }
    vec![Effect::host(SessionCommand::UseProject(session.memory.without_project))]
}

/// Says why no session was opened.
pub(crate) fn not_opened(model: &mut Model, why: &NotOpened) {
    model.opening = None;
    picker::not_arrived(model);
    model.keeping.stay();
    model.toasts.tell(Level::Error, why.message(), model.now);
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

/// Shows a session that was opened, or that stands differently as a whole.
pub fn open(model: &mut Model, opened: &Snapshot) -> Vec<Effect> {
    let same = model.session.as_ref().is_some_and(|session| session.id == opened.id);
    let hint = hints::left_first_screen(model);
    let before = model.session.take().filter(|_| same);
    let opened_at = before.as_ref().map_or(opened.memory.turn, |session| session.opened_at.min(opened.memory.turn));
    // Tags are changed beside the session, so what is shown is newer than what it was opened with.
    let tags = before.as_ref().map_or_else(|| opened.tags.clone(), |session| session.tags.clone());
    let engine_fault = before.and_then(|session| session.engine_fault);
    let session = ShownSession {
        id: opened.id.clone(),
        title: opened.title.clone(),
        project: opened.project.clone(),
        tags,
        engine: opened.engine.speaking(opened.memory.language.current.as_deref()),
        outline: Arc::clone(&opened.engine),
        memory: Arc::clone(&opened.memory),
        sidebar: opened.sidebar.clone(),
        card: opened.card.clone(),
        trust: opened.trust.clone(),
        opened_at,
        told_ready: false,
        engine_fault,
    };
    let told_ready = review::is_confirmed(&session);
    let session = ShownSession { told_ready, ..session };
    model.sidebar.follow(&session.sidebar);
    let words = spoken(&session.memory).unwrap_or(model.language);
    (model.words, model.composer.says) = (words, &words.composer);
    let mut said = entries(&session, opened, words);
    if model.guest {
        let told = model.endpoint.told_to_guests(&model.places.database, words);
        said.insert(0, Entry::new(EntryKind::Note, 0, told));
    }
    said.extend(ready(model, &session).filter(|_| told_ready));
    said.extend(opened.recap.as_ref().filter(|_| !same).map(|recap| recap_entry(recap, session.memory.turn)));
    model.chat.replace(said, same);
    model.turns.retain(|turn, _| same && *turn <= session.memory.turn);
    model.turn = opened.under_way.as_ref().map(|turn| RunningTurn::joined(turn, words, model.now));
    model.card.renew();
    model.opening = None;
    model.keeping.stay();
    model.screen = Screen::Chat;
    // What is told on the first start stays until it was read.
    model.overlays.retain(|overlay| matches!(overlay, Overlay::About(_)));
    if !same {
        model.focus = Focus::Composer;
        take_draft(model, &opened.draft, opened.memory.turn);
        let said = opened.messages.iter().filter(|message| message.role == Role::User);
        model.composer.history.fill(said.map(|message| &*message.text));
    }
    if let Some(change) = opened.engine_change.as_ref().filter(|_| !same) {
        model.toasts.tell(Level::Warning, told(change, words), model.now);
    }
    let title = window_title(&session);
    model.session = Some(session);
    let arrived = if same { Vec::new() } else { picker::arrived(model) };
    std::iter::once(TerminalEffect::SetTitle(title).into()).chain(hint).chain(arrived).collect()
}

/// Puts the draft of a session into the composer, and says what became of the answer where there was to be one.
fn take_draft(model: &mut Model, draft: &Draft, last: u32) {
    model.composer.reset(&draft.text);
    model.composer.editing = draft.replaces.filter(|turn| *turn <= last);
    // A message without an answer had been sent, so the user has already agreed to what it replaces.
    model.composer.agreed = draft.unanswered;
    model.keeping = Keeping::of(draft.clone());
    if draft.unanswered {
        model.toasts.tell(Level::Warning, model.words.composer.unanswered(), model.now);
    }
}

/// The words of the language that a session is held in, where the program has it.
pub(crate) fn spoken(memory: &WorkingMemory) -> Option<&'static Words> {
    memory.language.current.as_deref().and_then(words::find)
}

/// How the engine of a session differs from the one there is now.
fn told(change: &EngineChange, words: &Words) -> String {
    let differences = changes::in_short(&change.differences, TOLD);
    words.chat.engine_changed(&change.pinned_version, &change.current_version, differences)
}

/// What was said, with a line where a phase was entered, where something was looked up, and on what may be.
fn entries(session: &ShownSession, opened: &Snapshot, words: &Words) -> Vec<Entry> {
    let messages = &opened.messages;
    let phase = &session.memory.phase;
    let entered = phase.history.iter().skip(1).map(|visit| visit.phase_id.as_str()).chain([phase.current.as_str()]);
    let changes: Vec<(u32, &str)> = phase.history.iter().map(|visit| visit.exited_at_turn).zip(entered).collect();
    let mut entries = Vec::with_capacity(messages.len() + changes.len());
    for (at, message) in messages.iter().enumerate() {
        if message.role == Role::Assistant && message.turn > 0 {
            let names = changes.iter().filter(|(turn, _)| *turn == message.turn);
            let names = names.filter_map(|(_, id)| Some(session.engine.phase(id)?.name.as_str()));
            entries.extend(names.map(|name| Entry::new(EntryKind::Note, message.turn, name)));
            let looked_up = session.memory.looked_up.of(message.turn);
            entries.extend(looked_up.map(|words| Entry::new(EntryKind::Note, message.turn, words)));
        }
        if message.role == Role::User {
            entries.extend(spoken_by(&session.memory, message.turn, words));
        }
        entries.push(Entry::new(kind(message.role), message.turn, Arc::clone(&message.text)));
        // Said before anything can be looked up.
        if let Some(search) = opened.may_search.as_ref().filter(|_| message.turn == 0) {
            entries.push(Entry::new(EntryKind::Note, message.turn, search.as_str()));
        }
        if messages.get(at + 1).is_none_or(|next| next.turn > message.turn) {
            entries.extend(session.memory.asides.after(message.turn).flat_map(|said| aside::entries(said, words)));
        }
    }
    entries.extend(pointers(session, session.memory.turn, 0, words));
    entries
}

/// Who says what stands below, where it is not the user.
pub(crate) fn spoken_by(memory: &WorkingMemory, turn: u32, words: &Words) -> Option<Entry> {
    memory.speaker(turn).map(|speaker| Entry::new(EntryKind::Note, turn, words.chat.on_a_form(speaker)))
}

/// How the session stands, for somebody who comes back to it. It is shown and not kept.
fn recap_entry(recap: &Recap, turn: u32) -> Entry {
    Entry::new(EntryKind::Recap, turn, recap.lines().map(|line| format!("- {line}")).join("\n"))
}

/// What the program adds below the last answer: where what it asks for, or offers since a turn, can be looked at.
pub(crate) fn pointers(session: &ShownSession, turn: u32, since: u32, words: &Words) -> Vec<Entry> {
    let review = review::is_asked_for(session).then(|| words.review.leads_here().to_owned());
    let offer = session.memory.exit_offer.as_ref().filter(|offer| offer.since_turn >= since);
    let offer = offer.map(|offer| words.turns.offer(&offer.label));
    review.into_iter().chain(offer).map(|text| Entry::new(EntryKind::Note, turn, text)).collect()
}

/// Where the result is to be had, once everything is confirmed.
pub(crate) fn ready(model: &Model, session: &ShownSession) -> Option<Entry> {
    let key = model.keymap.chord(Context::Global, Action::Run(Command::Brief));
    let key = key.map_or_else(|| "/brief".to_owned(), |key| key.named(&model.words.key_names));
    let text = model.words.review.ready(key);
    review::is_confirmed(session).then(|| Entry::new(EntryKind::Note, session.memory.turn, text))
}

fn kind(role: Role) -> EntryKind {
    match role {
        Role::User => EntryKind::User,
        Role::Assistant => EntryKind::Assistant,
    }
}

pub(crate) fn window_title(session: &ShownSession) -> String {
    format!("{} · {}", session.label(), session.engine.name)
}
