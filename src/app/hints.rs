//! What there is to discover: a line in the right place, one at a time, until the thing was used once or the line was
//! put away.

use std::collections::{BTreeMap, BTreeSet};

use super::commands::Command;
use super::effect::{Effect, Outside};
use super::keymap::{Action, Context, Motion};
use super::model::{Focus, Model, Screen};
use super::overlay::{Overlay, Purpose};
use crate::words::HintWords;

/// Something to discover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    Palette,
    Model,
    Review,
    Brief,
}

/// After so many answers a hint has been read, or is not wanted.
const STANDS: u32 = 3;

/// From this turn on there is enough in a brief to look at it.
const BRIEF_AFTER: u32 = 3;

/// Which hints are given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Whether the user wants any.
    pub on: bool,
    /// Those that are not given any more.
    gone: BTreeSet<String>,
    /// How many answers each has stood beside.
    stood: BTreeMap<&'static str, u32>,
}

impl Hints {
    pub fn new(on: bool, gone: impl IntoIterator<Item = String>) -> Self {
        Self { on, gone: gone.into_iter().collect(), stood: BTreeMap::new() }
    }

    fn is_new(&self, hint: Hint) -> bool {
        self.on && !self.gone.contains(hint.name())
    }
}

impl Hint {
    const ALL: [Self; 4] = [Self::Palette, Self::Model, Self::Review, Self::Brief];

    /// What it is remembered by.
    fn name(self) -> &'static str {
        match self {
            Self::Palette => "palette",
            Self::Model => "model",
            Self::Review => "review",
            Self::Brief => "brief",
        }
    }

    fn action(self) -> Action {
        match self {
            Self::Palette => Action::Do(Motion::Palette),
            Self::Model => Action::Run(Command::Model),
            Self::Review => Action::Run(Command::Review),
            Self::Brief => Action::Run(Command::Brief),
        }
    }

    fn about(self, says: &HintWords) -> &str {
        match self {
            Self::Palette => says.palette(),
            Self::Model => says.model(),
            Self::Review => says.review(),
            Self::Brief => says.brief(),
        }
    }

    /// Whether this is the place and the time for it.
    fn fits(self, model: &Model) -> bool {
        match (self, model.screen, &model.session) {
            (Self::Palette, ..) => true,
            (Self::Model, Screen::Picker, _) => model.endpoint.offline,
            (Self::Review, Screen::Chat, Some(session)) => {
                let known =
                    |field: &crate::engine::outline::FieldOutline| session.memory.extraction.is_known(&field.path);
                session.engine.fields.iter().any(known)
            }
            (Self::Brief, Screen::Chat, Some(session)) => session.memory.turn >= BRIEF_AFTER,
            _ => false,
        }
    }

    /// The line itself.
    pub fn text(self, model: &Model) -> Option<String> {
        let key = model.keymap.chord(Context::Global, self.action())?;
        let says = &model.words.hints;
        Some(says.line(key.named(&model.words.key_names), self.about(says)))
    }
}

/// The hint to be shown where the user is, if there is one.
pub fn shown(model: &Model) -> Option<Hint> {
    let quiet = model.overlays.is_empty() && model.turn.is_none() && model.opening.is_none();
    Hint::ALL.into_iter().filter(|_| quiet).find(|hint| model.hints.is_new(*hint) && hint.fits(model))
}

/// What is being used needs no hint any more.
pub(crate) fn follow(model: &mut Model) -> Option<Effect> {
    let used = match model.overlays.last() {
        Some(Overlay::Chooser(list)) if list.purpose == Purpose::Palette => Some(Hint::Palette),
        Some(Overlay::Chooser(list)) if list.purpose == Purpose::Model => Some(Hint::Model),
        Some(Overlay::Review(_)) => Some(Hint::Review),
        _ => model.brief.is_some().then_some(Hint::Brief),
    };
    used.filter(|hint| model.hints.is_new(*hint)).and_then(|hint| forget(model, hint))
}

/// Puts the hint away that is shown, where nothing else is to be closed.
pub(crate) fn dismiss(model: &mut Model) -> Option<Effect> {
    let chat = &model.chat;
    let busy = chat.find.is_some() || chat.highlight.is_some() || chat.selected.is_some() || !model.toasts.is_empty();
    let elsewhere = model.screen == Screen::Chat && (busy || model.focus != Focus::Composer || model.sidebar.drawer);
    let hint = shown(model).filter(|_| !elsewhere)?;
    forget(model, hint)
}

/// Adds a name to what was seen; what is to be remembered from now on.
pub(crate) fn with(model: &mut Model, name: &str) -> Vec<String> {
    model.hints.gone.insert(name.to_owned());
    model.hints.gone.iter().cloned().collect()
}

/// One more answer has come beside the hint that is shown.
pub(crate) fn grow_old(model: &mut Model) -> Option<Effect> {
    let hint = shown(model)?;
    let stood = model.hints.stood.entry(hint.name()).or_default();
    *stood += 1;
    if *stood < STANDS { None } else { forget(model, hint) }
}

/// The first screen was left: what it had to tell was read.
pub(crate) fn left_first_screen(model: &mut Model) -> Option<Effect> {
    let told = Hint::Model.fits(model) && model.hints.is_new(Hint::Model) && !model.hints.is_new(Hint::Palette);
    if told { forget(model, Hint::Model) } else { None }
}

fn forget(model: &mut Model, hint: Hint) -> Option<Effect> {
    let is_new = model.hints.gone.insert(hint.name().to_owned());
    is_new.then(|| Effect::Outside(Outside::KeepHints(model.hints.gone.iter().cloned().collect())))
}
