//! The turn under way: sent, followed, finished, failed or cancelled.

use std::sync::Arc;
use std::time::Duration;

use super::answer_card;
use super::chat::{Entry, EntryKind, Scroll};
use super::commands::{Command, Slash, slash};
use super::composer;
use super::effect::{Effect, TerminalEffect};
use super::model::{Focus, Model, View};
use super::overlay::{self, Confirm, Confirmed, Overlay};
use super::review::typed::is_no_day;
use super::toasts::Level;
use super::{aside, draft, hints, review, rewinding, session};
use crate::engine::answer_card::CardKind;
use crate::engine::budget::OverBudget;
use crate::engine::extraction::ChangeKind;
use crate::engine::figures::TurnFigures;
use crate::engine::memory::FieldState;
use crate::engine::step::Step;
use crate::engine::turn::MAX_MESSAGE;
use crate::host::protocol::{Draft, SessionCommand, TurnCommand, TurnDone, TurnFailure, TurnNews, TurnUnderWay};
use crate::text::printable;
use crate::words::{Turns, Words};

/// A turn that took longer than this is worth a notice to a user who looks elsewhere.
const LONG: Duration = Duration::from_secs(8);

#[derive(Clone, Debug, PartialEq)]
// What it is doing, what is asked of it and whose it is are told apart by different news.
#[allow(clippy::struct_excessive_bools)]
pub struct RunningTurn {
    /// What the user said, to be put back should it come to nothing.
    pub message: String,
    /// When it was sent.
    pub since: Duration,
    /// The figures so far, for the inspector.
    pub figures: TurnFigures,
    pub answer: String,
    /// What a tool that the model has called is doing, or has brought, until words come.
    pub tool: Option<String>,
    /// Whether the model thinks before it answers.
    pub thinks: bool,
    /// Whether the answer was sent back.
    pub revising: bool,
    /// Whether the answer is there, and the message is still being looked at.
    pub noting: bool,
    /// Whether it is being cancelled.
    pub cancelling: bool,
    /// The turn it takes the place of.
    pub replaces: Option<u32>,
    /// Whether this app has sent it. Another front end may have the same session open.
    pub own: bool,
    /// What is shown of an aside; none where it is a turn.
    pub aside: Option<String>,
}

impl RunningTurn {
    /// A turn, or an aside where words to say so are given.
    pub(super) fn begun(
        message: String,
        replaces: Option<u32>,
        beside: Option<&Words>,
        now: Duration,
        own: bool,
    ) -> Self {
        Self {
            aside: beside.map(|words| words.chat.aside_is(&message)),
            message,
            since: now,
            figures: TurnFigures::default(),
            answer: String::new(),
            tool: None,
            thinks: false,
            revising: false,
            noting: false,
            cancelling: false,
            replaces,
            own,
        }
    }

    /// A turn that was under way when the session was opened. Its words are given back here should it come to nothing: the
    /// front end that sent them may be this one, or gone.
    pub fn joined(turn: &TurnUnderWay, words: &Words, now: Duration) -> Self {
        let beside = turn.aside.then_some(words);
        let mut running = Self::begun(turn.message.clone(), turn.replaces, beside, now, true);
        running.answer.clone_from(&turn.answer);
        turn.trace.iter().for_each(|entry| running.figures.note(entry.clone()));
        running
    }

    /// What it is doing, in a few words.
    pub fn doing<'a>(&'a self, says: &'a Turns) -> &'a str {
        if let Some(tool) = self.tool.as_ref().filter(|_| !self.cancelling) {
            return tool;
        }
        let done = self.figures.steps.last().map_or(0, |entry| entry.step.number());
        let next = Step::ALL.get(usize::from(done));
        match next {
            _ if self.cancelling && self.noting => says.keeping(),
            _ if self.cancelling => says.cancelling(),
            _ if self.aside.is_some() && self.answer.is_empty() => says.thinking(),
            _ if self.aside.is_some() => says.answering(),
            _ if self.revising => says.revising(),
            Some(Step::PreProcessing | Step::Extraction) if self.noting => says.noting(),
            // The answer may be under way before the message has been analysed.
            Some(Step::Extraction) if !self.answer.is_empty() => says.answering(),
            Some(Step::PreProcessing | Step::Extraction) if self.thinks => says.thinking(),
            Some(Step::PreProcessing | Step::Extraction) => says.reading(),
            Some(Step::ResponseGeneration) if self.answer.is_empty() => says.thinking(),
            Some(Step::ResponseGeneration) => says.answering(),
            Some(Step::QaCheck) => says.checking(),
            Some(Step::CompressionCheck) => says.making_room(),
            Some(Step::PersistState | Step::Return) | None => says.saving(),
            Some(_) => says.thinking(),
        }
    }
}

pub fn submit(model: &mut Model, message: String) -> Vec<Effect> {
    if model.session.is_none() {
        return Vec::new();
    }
    // However it got here, an aside is none of the messages.
    if let Some(Slash::Run(Command::Btw, said)) = slash(&message) {
        let rest = model.composer.put_aside();
        model.composer.reset(&rest);
        return super::update::run(model, Command::Btw, &said);
    }
    if model.turn.is_some() {
        model.toasts.tell(Level::Info, model.words.turns.on_its_way(), model.now);
        return Vec::new();
    }
    if message.len() > MAX_MESSAGE {
        let says = &model.words.composer;
        let text = says.too_long(composer::size(message.len(), says), composer::size(MAX_MESSAGE, says));
        model.toasts.tell(Level::Warning, text, model.now);
        return Vec::new();
    }
    let wants_day = answer_card::shown(model).is_some_and(|card| card.kind == CardKind::Date);
    if wants_day && is_no_day(&message) {
        // It would be noted as it stands, and found out when somebody counts on it.
        model.toasts.tell(Level::Warning, model.words.review.no_day(message.trim()), model.now);
        return Vec::new();
    }
    if let Some(turn) = model.composer.editing.filter(|_| !model.composer.agreed) {
        ask_to_replace(model, turn, &message);
        return Vec::new();
    }
    let effect = match model.composer.editing {
        Some(turn) => Effect::host(TurnCommand::SayInstead { turn, message: message.clone() }),
        None => Effect::host(TurnCommand::Say { message: message.clone() }),
    };
    let replaces = model.composer.editing;
    // The whole message is the draft until the turn is claimed; then it is no draft any more. So it is never nowhere.
    let written = Effect::host(SessionCommand::SaveDraft(Draft::new(message.clone(), replaces)));
    let aside = model.composer.put_aside();
    model.composer.history.add(&message);
    model.composer.reset(&aside);
    draft::sent(model);
    // What went wrong before is tried again; Esc belongs to this answer.
    model.toasts.retract_trouble();
    begin(model, message, replaces);
    let kept = if aside.is_empty() { None } else { draft::keep(model) };
    [written, effect].into_iter().chain(kept).collect()
}

/// Asks before a changed message takes turns back. One that is as it was has nothing to say.
fn ask_to_replace(model: &mut Model, turn: u32, message: &str) {
    let said = model.chat.user_entry(turn).and_then(|at| model.chat.entries.get(at));
    if said.is_some_and(|entry| printable(&entry.text).trim() == message.trim()) {
        let aside = model.composer.aside.take().map(|(draft, _)| draft);
        model.composer.reset(&aside.unwrap_or_default());
        model.toasts.tell(Level::Info, model.words.turns.as_it_was(), model.now);
        return;
    }
    let last = model.session.as_ref().map_or(turn, |session| session.memory.turn);
    let count = last.saturating_sub(turn) + 1;
    model.overlays.push(Overlay::Confirm(Confirm {
        question: model.words.turns.replace().to_owned(),
        detail: rewinding::with_by_hand(model, model.words.turns.replace_detail(count)),
        yes: Confirmed::Replace,
        no: Confirmed::Nothing,
    }));
}

/// Sends the changed message, which the user has agreed to.
pub(crate) fn replace_now(model: &mut Model) -> Vec<Effect> {
    model.composer.agreed = true;
    send_draft(model)
}

/// Sends what stands in the composer, if anything does.
pub(crate) fn send_draft(model: &mut Model) -> Vec<Effect> {
    let message = model.composer.text();
    if message.trim().is_empty() { Vec::new() } else { submit(model, message) }
}

/// Shows a turn as begun.
pub fn begin(model: &mut Model, message: String, replaces: Option<u32>) {
    show(model, RunningTurn::begun(message, replaces, None, model.now, true));
}

pub(super) fn show(model: &mut Model, turn: RunningTurn) {
    (model.chat.scroll, model.chat.selected) = (Scroll::Bottom, None);
    model.chat.highlight = None;
    model.turn = Some(turn);
}

/// Asks for the turn to be cancelled; `None` where there is none.
pub fn cancel(model: &mut Model) -> Option<Vec<Effect>> {
    let turn = model.turn.as_mut()?;
    turn.cancelling = true;
    Some(vec![Effect::host(TurnCommand::Cancel)])
}

/// Puts a message of the user into the composer to be changed; what came after it will be taken back.
pub(crate) fn edit_message(model: &mut Model, selected: Option<usize>) -> Vec<Effect> {
    let chosen = selected.and_then(|at| Some((at, model.chat.entries.get(at)?)));
    // Of an answer it is the message before it that can be changed.
    let before = chosen.and_then(|(at, _)| {
        model.chat.entries[..=at].iter().enumerate().rev().find(|(_, entry)| entry.kind == EntryKind::User)
    });
    let entry = before.or_else(|| model.chat.last(EntryKind::User));
    let Some((_, entry)) = entry else {
        model.toasts.tell(Level::Info, model.words.turns.nothing_said(), model.now);
        return Vec::new();
    };
    let (turn, text) = (entry.turn, entry.text.to_string());
    let aside = model.composer.unsaid();
    model.composer.history.add(&aside);
    model.composer.reset(&text);
    model.composer.editing = Some(turn);
    model.composer.aside = Some((aside, model.composer.text()));
    model.focus = Focus::Composer;
    let last = model.session.as_ref().map_or(0, |session| session.memory.turn);
    let later = last.saturating_sub(turn);
    let what = match later {
        0 => model.words.turns.replaces_last().to_owned(),
        n => model.words.turns.replaces_more(n),
    };
    model.toasts.tell(Level::Info, what, model.now);
    Vec::new()
}

/// Shows a turn as begun, or an aside. One of this app is shown since it was sent.
fn begun_elsewhere(model: &mut Model, message: String, replaces: Option<u32>, aside: bool) {
    if model.turn.is_none() {
        let turn = RunningTurn::begun(message, replaces, aside.then_some(model.words), model.now, false);
        show(model, turn);
    }
}

pub fn update(model: &mut Model, news: TurnNews) -> Vec<Effect> {
    match news {
        TurnNews::Begun { message, replaces, aside } => begun_elsewhere(model, message, replaces, aside),
        TurnNews::AsideDone(done) => return aside::finish(model, &done),
        TurnNews::Done(done) => return finish(model, &done),
        TurnNews::Failed(TurnFailure::OverBudget(reached)) => over_budget(model, reached),
        TurnNews::Failed(failure) => {
            give_back(model);
            model.toasts.trouble(failure.message(), model.now);
        }
        TurnNews::Cancelled => {
            give_back(model);
            model.toasts.tell(Level::Info, model.words.turns.cancelled(), model.now);
        }
        TurnNews::Compressed(strategy) => {
            let text = model.words.turns.condensed(strategy);
            model.toasts.tell(Level::Info, text, model.now);
        }
        TurnNews::Retrying { attempt, wait_ms, reason, voids } => {
            let (reason, seconds) = (reason.trim_end_matches('.'), (wait_ms / 1000).max(1));
            let text = model.words.turns.again(reason, seconds, attempt);
            model.toasts.tell(Level::Info, text, model.now);
            if let Some(turn) = model.turn.as_mut().filter(|_| voids) {
                (turn.noting, turn.thinks) = (false, false);
                turn.answer.clear();
            }
        }
        TurnNews::Step(entry) => {
            if let Some(turn) = &mut model.turn {
                turn.figures.note(*entry);
            }
        }
        TurnNews::Delta(text) => {
            if let Some(turn) = &mut model.turn {
                // What no longer counts stays until there is something to put in its place, so that nothing jumps.
                if std::mem::take(&mut turn.revising) {
                    turn.answer.clear();
                }
                turn.tool = None;
                turn.answer.push_str(&text);
            }
        }
        TurnNews::Revising(_) => {
            if let Some(turn) = &mut model.turn {
                (turn.revising, turn.noting) = (true, false);
            }
        }
        TurnNews::Reading => {
            if let Some(turn) = &mut model.turn {
                turn.noting = !turn.answer.is_empty();
            }
        }
        TurnNews::Tool(words) | TurnNews::ToolDone(words) => {
            if let Some(turn) = &mut model.turn {
                turn.tool = Some(words);
            }
        }
        TurnNews::Reasoning(_) => {
            if let Some(turn) = &mut model.turn {
                turn.thinks = true;
            }
        }
        // The steps tell as much.
        TurnNews::Writing | TurnNews::Summarising | TurnNews::Queued => {}
    }
    Vec::new()
}

/// Asks what is to be done at a cap; not under the hands of somebody who writes on.
fn over_budget(model: &mut Model, reached: OverBudget) {
    let writes_on = !model.composer.is_empty();
    if !give_back(model) {
        return;
    }
    if writes_on {
        model.toasts.tell(Level::Warning, model.words.turns.budget_reached(), model.now);
    } else {
        overlay::ask_about_budget(model, reached);
    }
}

/// Puts the message of a turn that came to nothing back into the composer; says whether it was sent from here.
fn give_back(model: &mut Model) -> bool {
    let Some(turn) = model.turn.take().filter(|turn| turn.own) else { return false };
    let typed = turn.aside.as_ref().map(|_| aside::as_typed(&turn.message));
    model.composer.restore(&typed.unwrap_or(turn.message));
    (model.composer.editing, model.composer.agreed) = (turn.replaces, turn.replaces.is_some());
    model.keeping.touch(model.now);
    true
}

/// Tells what is in doubt since the turn, because something that it depends on has changed.
fn tell_of_doubts(model: &mut Model, figures: &TurnFigures) {
    let Some(session) = &model.session else { return };
    let stale = figures.changes.iter().filter(|change| change.kind == ChangeKind::Stale);
    let doubted = stale.filter(|change| {
        session.memory.extraction.get(&change.path).is_some_and(|field| field.state == FieldState::Stale)
    });
    let names = doubted.filter_map(|change| Some(model.words.host.titled(&session.engine.field(&change.path)?.name)));
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        let text = model.words.host.doubted(names.len(), names.join(", "));
        model.toasts.tell(Level::Info, text, model.now);
    }
}

/// Tells what did not go as it should. What it is says how the machine works: that is for designers, and in the inspector.
fn tell_of_trouble(model: &mut Model, figures: &TurnFigures) {
    if model.view == View::Designer {
        for warning in &figures.warnings {
            model.toasts.tell(Level::Warning, warning, model.now);
        }
    } else if !figures.warnings.is_empty() {
        model.toasts.tell(Level::Warning, model.words.turns.not_all_went_well(), model.now);
    }
}

fn finish(model: &mut Model, done: &TurnDone) -> Vec<Effect> {
    let TurnDone { memory, message, answer, sidebar, figures, title, card } = done;
    let running = model.turn.take();
    // What went wrong on the way to it was put right.
    model.toasts.retract_trouble();
    let before = model.session.as_ref().map_or(0, |session| session.memory.turn);
    if let Some(turn) = running.as_ref().and_then(|turn| turn.replaces).filter(|turn| *turn <= before) {
        model.toasts.tell(Level::Info, model.words.turns.replaced(before - turn + 1), model.now);
    }
    // A changed message or a second try stands where the first stood.
    if let Some(at) = model.chat.entries.iter().position(|entry| entry.turn >= message.turn) {
        let kept = model.chat.entries[..at].to_vec();
        model.chat.replace(kept, false);
        model.turns.retain(|turn, _| *turn < message.turn);
    }
    model.chat.entries.extend(session::spoken_by(memory, message.turn, model.words));
    model.chat.push(Entry::new(EntryKind::User, message.turn, Arc::clone(&message.text)));
    let entered = model.session.as_ref().filter(|_| figures.transitioned_from.is_some());
    if let Some(phase) = entered.and_then(|session| session.engine.phase(&memory.phase.current)) {
        model.chat.push(Entry::new(EntryKind::Note, message.turn, phase.name.as_str()));
    }
    for looked_up in memory.looked_up.of(answer.turn) {
        model.chat.push(Entry::new(EntryKind::Note, answer.turn, looked_up));
    }
    model.chat.push(Entry::new(EntryKind::Assistant, answer.turn, Arc::clone(&answer.text)));
    tell_of_trouble(model, figures);
    super::inspector::keep(model, figures.turn, Some(figures.clone()));
    let before = model.session.as_ref().is_some_and(|session| session.memory.exit_offer.is_some());
    if let Some(session) = &mut model.session {
        session.remember(Arc::clone(memory), sidebar.clone());
        model.sidebar.follow(&session.sidebar);
    }
    session::deal(model, card.clone());
    model.card.renew();
    tell_of_doubts(model, figures);
    // What is added now is said in the language that the turn was held in.
    model.follow_language();
    if let Some(session) = &model.session {
        let ready = session::ready(model, session);
        let told = session.told_ready;
        model.chat.entries.extend(ready.clone().filter(|_| !told));
        model.chat.entries.extend(session::pointers(session, answer.turn, answer.turn, model.words));
        if let Some(offer) = session.memory.exit_offer.as_ref().filter(|_| !before) {
            let text = model.words.turns.offered(&offer.label);
            model.toasts.tell(Level::Info, text, model.now);
        }
    }
    if let Some(session) = &mut model.session {
        session.told_ready = review::is_confirmed(session);
    }
    let renamed = model.session.as_ref().is_some_and(|session| session.title != *title);
    let mut effects = if renamed { session::rename(model, title.clone()) } else { Vec::new() };
    let long = running.is_some_and(|turn| model.now.saturating_sub(turn.since) >= LONG);
    effects.extend(hints::grow_old(model));
    if long && !model.focused {
        effects.push(TerminalEffect::Notify(model.words.turns.answer_is_there().to_owned()).into());
    }
    effects
}
