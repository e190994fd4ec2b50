//! What lies over the panes: lists to choose from, cards, reviews, questions. A stack; the topmost has the keys.

mod budget;
mod chooser;
pub(crate) mod course;
mod evidence;
mod handoff;
mod prompt;
mod task;

use budget::cap_name;
pub(crate) use budget::written_on;
pub use budget::{BudgetQuestion, ask as ask_about_budget};
pub use chooser::{Choice, Chooser, Purpose, open as choose_from};
pub use course::CourseCard;
pub(crate) use course::fork;
pub use evidence::Evidence;
pub(crate) use evidence::{FieldCard, clear_obligation, correct_obligation, field_cards, status_word};
pub(crate) use handoff::FormLine;
pub use handoff::{HandoffReview, ItemEdit, open as review_handoff};
pub use prompt::{Asking, Prompt, answered, ask, correct};
pub(crate) use task::{Remedy, asked_about, task_word};
pub use task::{TaskCard, open as show_task, shown as card_shown};

use crossterm::event::KeyEvent;
use ratatui::layout::Position;

use super::about::About;
use super::effect::Effect;
use super::export;
use super::inspector::{self, Inspector};
use super::keymap::Motion;
use super::layout;
use super::line::MAX_LINE;
use super::model::Model;
use super::review::{self, Review};
use super::setup::{self, EndpointForm, Examination, SettingsScreen};
use super::toasts::Level;
use super::{brief, picker, rewinding, turn};
use crate::host::protocol::{Answer, Delete, Edit, RequestId, SessionCommand, SetupCommand};

/// What lies over the panes.
#[derive(Clone, Debug, PartialEq)]
pub enum Overlay {
    /// Commands and keys, from this row on.
    Help(usize),
    /// Who answers, what is kept where, how it is erased.
    About(About),
    /// A list that is narrowed by typing.
    Chooser(Chooser),
    Prompt(Prompt),
    /// What is known of an obligation, and why.
    Evidence(Evidence),
    Handoff(HandoffReview),
    Task(TaskCard),
    /// Everything that was understood, to be changed and confirmed.
    Review(Review),
    /// What to do at the cap.
    Budget(BudgetQuestion),
    /// An earlier course of the session.
    Course(CourseCard),
    Confirm(Confirm),
    /// An endpoint that is being added.
    Endpoint(Box<EndpointForm>),
    /// All settings.
    Settings(SettingsScreen),
    /// What works and what does not.
    Doctor(Examination),
    /// Why the last turns went as they did.
    Inspector(Inspector),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    pub question: String,
    /// What follows from a yes.
    pub detail: String,
    pub yes: Confirmed,
    pub no: Confirmed,
}

/// What an answer does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    Nothing,
    /// Takes back so many turns.
    Undo(u32),
    /// Asks for another answer.
    Retry,
    /// Says a changed message in place of what was said then.
    Replace,
    Clear(String),
    /// Leaves although a turn is under way.
    Quit,
    /// Erases sessions.
    Delete(Vec<String>),
    /// Starts without what the project knows.
    Afresh,
    /// Puts a text into the draft.
    Insert(String),
    /// Agrees that words go to a host, and has done what that was asked for.
    Agree {
        host: String,
        then: Box<SetupCommand>,
    },
}

impl Overlay {
    pub fn evidence(obligation: &str) -> Self {
        Self::Evidence(Evidence { obligation: obligation.to_owned(), field: 0 })
    }

    /// What is being typed into it, as a command that can be kept.
    pub(crate) fn unfinished(&self) -> Option<String> {
        match self {
            Self::Prompt(prompt) => prompt.unfinished(),
            Self::Review(review) => review.editing.as_ref().and_then(review::FieldEdit::unfinished),
            _ => None,
        }
    }

    /// Whether keys are typed into it.
    pub(crate) fn takes_text(&self) -> bool {
        match self {
            Self::Chooser(_) | Self::Prompt(_) | Self::Endpoint(_) => true,
            Self::Review(review) => review.editing.is_some(),
            Self::Handoff(review) => review.editing.is_some(),
            Self::Settings(screen) => screen.editing.is_some(),
            _ => false,
        }
    }

    /// Whether Esc leaves what is being typed, and not the window.
    fn is_edited(&self) -> bool {
        match self {
            Self::Review(review) => review.editing.is_some(),
            Self::Handoff(review) => review.editing.is_some(),
            Self::Settings(screen) => screen.editing.is_some(),
            _ => false,
        }
    }

    /// Whether another window is the same one once more.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Chooser(one), Self::Chooser(other)) => one.purpose == other.purpose,
            (Self::Prompt(one), Self::Prompt(other)) => one.asking == other.asking,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// Whether something is being found out that it waits for.
    pub(crate) fn is_testing(&self) -> bool {
        match self {
            Self::Doctor(examination) => examination.is_running(),
            Self::Endpoint(form) => form.asks_for_models || form.test.as_ref().is_some_and(Examination::is_running),
            _ => false,
        }
    }
}

/// Moves about in the topmost overlay; `None` where the motion is not one of its own.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    if motion == Motion::Back && !model.overlays.last().is_some_and(Overlay::is_edited) {
        return Some(back(model));
    }
    let page = usize::from(layout::compute(model.area(), model).chat.height.max(4) - 2);
    match model.overlays.last_mut()? {
        Overlay::Help(top) => {
            *top = scrolled(*top, motion, page)?;
            Some(Vec::new())
        }
        Overlay::About(about) => {
            about.top = scrolled(about.top, motion, page)?;
            Some(Vec::new())
        }
        Overlay::Inspector(_) => inspector::motion(model, motion, page),
        Overlay::Chooser(_) => chooser::motion(model, motion, page),
        Overlay::Prompt(_) => prompt::motion(model, motion),
        Overlay::Evidence(_) => evidence::motion(model, motion),
        Overlay::Task(_) => task::motion(model, motion, page),
        Overlay::Budget(_) => budget::motion(model, motion),
        Overlay::Review(_) => review::motion(model, motion, page),
        Overlay::Course(_) => course::motion(model, motion, page),
        Overlay::Endpoint(_) => setup::form::motion(model, motion),
        Overlay::Settings(_) => setup::settings::motion(model, motion, page),
        Overlay::Doctor(_) => setup::examination::motion(model, motion, page),
        Overlay::Handoff(_) => handoff::motion(model, motion, page),
        Overlay::Confirm(question) => match motion {
            // Enter may be what has led here: pressed twice it neither says yes nor closes the question.
            Motion::Open
                if matches!(question.yes, Confirmed::Replace | Confirmed::Delete(_) | Confirmed::Agree { .. }) =>
            {
                Some(Vec::new())
            }
            // What asks whether one is sure takes no key for a yes that one presses without looking.
            Motion::Open => Some(close(model)),
            Motion::Accept if matches!(question.yes, Confirmed::Agree { .. }) && !setup::can_be_read(model) => {
                model.toasts.tell(Level::Warning, model.words.setup.too_small(), model.now);
                Some(Vec::new())
            }
            Motion::Accept => Some(confirm(model, true)),
            Motion::Decline => Some(confirm(model, false)),
            _ => None,
        },
    }
}

/// Turns the wheel over the topmost overlay: a line of a list, or some rows of a text.
pub(crate) fn wheel(model: &mut Model, motion: Motion, rows: usize) -> Vec<Effect> {
    match model.overlays.last() {
        Some(Overlay::Chooser(list)) if chooser::is_at_end(list, motion) => Vec::new(),
        Some(
            Overlay::Chooser(_)
            | Overlay::Evidence(_)
            | Overlay::Review(_)
            | Overlay::Handoff(_)
            | Overlay::Endpoint(_)
            | Overlay::Settings(_),
        ) => self::motion(model, motion).unwrap_or_default(),
        Some(
            Overlay::Help(_)
            | Overlay::About(_)
            | Overlay::Inspector(_)
            | Overlay::Task(_)
            | Overlay::Course(_)
            | Overlay::Doctor(_),
        ) => (0..rows).flat_map(|_| self::motion(model, motion).unwrap_or_default()).collect(),
        Some(Overlay::Prompt(_) | Overlay::Confirm(_) | Overlay::Budget(_)) | None => Vec::new(),
    }
}

/// Clicks on the topmost overlay.
pub fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    match model.overlays.last() {
        Some(Overlay::Chooser(_)) => chooser::click(model, at),
        Some(Overlay::Endpoint(_)) => setup::form::click(model, at),
        Some(Overlay::Settings(_)) => setup::settings::click(model, at),
        Some(Overlay::About(_)) => close(model),
        _ => Vec::new(),
    }
}

/// The first row after a motion; `None` where it does not scroll. The end is found when drawing, see `ends_at`.
pub fn scrolled(top: usize, motion: Motion, page: usize) -> Option<usize> {
    Some(match motion {
        Motion::Up => top.saturating_sub(1),
        Motion::Down => top.saturating_add(1),
        Motion::PageUp => top.saturating_sub(page),
        Motion::PageDown => top.saturating_add(page),
        Motion::Top => 0,
        Motion::Bottom => usize::MAX,
        _ => return None,
    })
}

/// Takes in the last row that the topmost window can begin with.
pub(crate) fn ends_at(model: &mut Model, last: usize) -> Vec<Effect> {
    let top = match model.overlays.last_mut() {
        Some(Overlay::Help(top)) => top,
        Some(Overlay::Inspector(inspector)) => &mut inspector.top,
        Some(Overlay::Task(card)) => &mut card.top,
        Some(Overlay::Course(card)) => &mut card.top,
        Some(Overlay::Doctor(examination)) => &mut examination.top,
        _ => return Vec::new(),
    };
    *top = last.min(*top);
    Vec::new()
}

fn confirm(model: &mut Model, yes: bool) -> Vec<Effect> {
    let Some(Overlay::Confirm(confirm)) = model.overlays.pop() else { return Vec::new() };
    if !yes && matches!(confirm.yes, Confirmed::Agree { .. }) {
        setup::not_agreed(model);
    }
    match if yes { confirm.yes } else { confirm.no } {
        Confirmed::Nothing => Vec::new(),
        Confirmed::Afresh => vec![Effect::host(SessionCommand::UseProject(false))],
        Confirmed::Insert(text) => {
            model.composer.insert(&text);
            Vec::new()
        }
        Confirmed::Undo(count) => rewinding::undo_now(model, count),
        Confirmed::Retry => rewinding::retry_now(model),
        Confirmed::Replace => turn::replace_now(model),
        Confirmed::Clear(path) => vec![Effect::host(Edit::Clear { path })],
        Confirmed::Quit => super::leaving::quit_now(model),
        Confirmed::Delete(ids) => vec![Effect::host(Delete(ids)), picker::ask(model)],
        Confirmed::Agree { host, then } => setup::agreed(host, *then),
    }
}

/// Esc: what is under way is stopped first.
fn back(model: &mut Model) -> Vec<Effect> {
    match model.overlays.last_mut() {
        Some(Overlay::Endpoint(_)) => setup::form::back(model),
        Some(Overlay::Doctor(examination)) if examination.is_running() => {
            examination.stop();
            vec![Effect::host(SetupCommand::Stop)]
        }
        _ => close(model),
    }
}

pub fn close(model: &mut Model) -> Vec<Effect> {
    match model.overlays.pop() {
        Some(Overlay::Endpoint(mut form)) => {
            let stop = form.leave();
            model.setup.left = Some(form);
            stop.into_iter().collect()
        }
        Some(Overlay::Doctor(examination)) if examination.is_running() => vec![Effect::host(SetupCommand::Stop)],
        Some(Overlay::Confirm(Confirm { yes: Confirmed::Agree { .. }, .. })) => {
            setup::not_agreed(model);
            Vec::new()
        }
        Some(Overlay::Chooser(chooser)) => chooser::closed(model, &chooser),
        Some(Overlay::Review(review)) => {
            review.left_behind().into_iter().for_each(|text| model.composer.history.add(&text));
            Vec::new()
        }
        Some(Overlay::Handoff(review)) => {
            review.left_behind().into_iter().for_each(|text| model.composer.history.add(&text));
            Vec::new()
        }
        _ => Vec::new(),
    }
}

pub fn key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match model.overlays.last_mut() {
        Some(Overlay::Chooser(chooser)) => {
            if chooser.goes_to_end(key) {
                chooser::preview(model);
                return Vec::new();
            }
            let changed = chooser.input.key(key);
            if changed { chooser::typed(model) } else { Vec::new() }
        }
        Some(Overlay::Prompt(prompt)) => {
            prompt.input.key(key);
            Vec::new()
        }
        Some(Overlay::Review(_)) => review::key(model, key),
        Some(Overlay::Handoff(_)) => handoff::key(model, key),
        Some(Overlay::Endpoint(_)) => setup::form::key(model, key),
        Some(Overlay::Settings(_)) => setup::settings::key(model, key),
        _ => Vec::new(),
    }
}

pub fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    match model.overlays.last_mut() {
        Some(Overlay::Chooser(chooser)) => {
            let whole = chooser.input.insert(text);
            let effects = chooser::typed(model);
            if !whole {
                tell_of_cut(model);
            }
            effects
        }
        Some(Overlay::Prompt(prompt)) => {
            if !prompt.input.insert(text) {
                tell_of_cut(model);
            }
            Vec::new()
        }
        Some(Overlay::Review(_)) => review::paste(model, text),
        Some(Overlay::Handoff(_)) => handoff::paste(model, text),
        Some(Overlay::Endpoint(_)) => setup::form::paste(model, text),
        Some(Overlay::Settings(_)) => setup::settings::paste(model, text),
        _ => Vec::new(),
    }
}

pub(crate) fn tell_of_cut(model: &mut Model) {
    let text = model.words.chat.line_cut(MAX_LINE);
    model.toasts.tell(Level::Warning, text, model.now);
}

/// Takes in an answer of the host, to this request where it was numbered. One that came too late is of no use any more.
pub fn update(model: &mut Model, answer: Answer, answers: Option<RequestId>) -> Vec<Effect> {
    let words = model.words;
    match answer {
        Answer::Figures(turns) => {
            for (turn, figures) in turns {
                inspector::keep(model, turn, figures);
            }
        }
        Answer::Search { query, hits } => {
            if let Some(chooser) = waiting(model, Purpose::Search)
                && chooser.input.text().trim() == query
            {
                chooser.offer(hits.into_iter().map(|hit| Choice::hit(hit, &words.lists)).collect());
            }
        }
        Answer::Journey(stops) => {
            if let Some(chooser) = waiting(model, Purpose::Journey) {
                chooser.offer(stops.into_iter().map(Choice::stop).collect());
            }
        }
        Answer::Models(found) => {
            if let Some(chooser) = waiting(model, Purpose::Model) {
                chooser.offer_models(found, words);
            }
        }
        Answer::Courses(courses) => {
            if let Some(chooser) = waiting(model, Purpose::Courses) {
                chooser.offer(courses.iter().map(|course| Choice::course(course, &words.courses)).collect());
            }
            model.courses = courses;
        }
        Answer::Brief(text) => return export::brief_came(model, text, answers),
        Answer::Transcript(text) => return export::transcript_came(model, text),
        Answer::Sessions { engines, sessions, shelves } => picker::list(model, engines, sessions, shelves),
        Answer::BriefChanges(changes) => brief::compared(model, &changes, answers),
        // The app asks for none of these.
        Answer::Reached | Answer::AsOf(_) | Answer::Settled | Answer::ProvenBrief(_) | Answer::Standing(_) => {}
    }
    Vec::new()
}

/// The list on top that waits for an answer of this kind.
fn waiting(model: &mut Model, purpose: Purpose) -> Option<&mut Chooser> {
    match model.overlays.last_mut() {
        Some(Overlay::Chooser(chooser)) if chooser.purpose == purpose => Some(chooser),
        _ => None,
    }
}

/// Asks whether a new session goes on from what its project knows.
pub(crate) fn ask_about_briefs(model: &mut Model, titles: &[String]) {
    model.overlays.push(Overlay::Confirm(Confirm {
        question: model.words.chat.afresh().to_owned(),
        detail: titles.join("; "),
        yes: Confirmed::Nothing,
        no: Confirmed::Afresh,
    }));
}
