//! The draft is kept as one types: a moment after the last key, and never long after the first. Looking whether it has
//! changed costs nothing but at that moment, and no frame is drawn for it.

use std::time::Duration;

use super::effect::{Effect, Outside};
use super::model::Model;
use super::overlay::Overlay;
use crate::host::protocol::{Command, Draft, HandoffCommand, SessionCommand};

/// It is kept when nothing was typed for so long.
const IDLE: Duration = Duration::from_millis(700);

/// It is kept so long after the first key at the latest, however fast one types.
const LATEST: Duration = Duration::from_millis(1400);

/// What is kept of the draft, and since when it may be another.
#[derive(Clone, Debug, Default)]
pub struct Keeping {
    kept: Draft,
    /// When it was first and last touched since it was kept.
    touched: Option<(Duration, Duration)>,
    /// Whether another session is being opened: what is kept from now on would be kept there.
    leaving: bool,
}

impl Keeping {
    /// Starts with what is kept of a session that was opened.
    pub(crate) fn of(kept: Draft) -> Self {
        Self { kept, ..Self::default() }
    }

    /// No other session is being opened any more.
    pub(crate) fn stay(&mut self) {
        self.leaving = false;
    }

    /// The draft may be another from now on.
    pub(crate) fn touch(&mut self, now: Duration) {
        let first = self.touched.map_or(now, |(first, _)| first);
        self.touched = Some((first, now));
    }

    /// When it has to be kept.
    pub(crate) fn due(&self) -> Option<Duration> {
        let (first, last) = self.touched.filter(|_| !self.leaving)?;
        Some((last + IDLE).min(first + LATEST))
    }
}

/// The draft as it stands, in the session it belongs to. What was being written when an earlier message was taken up
/// stands before that; the two together are in the place of no turn. What is being typed into a window stands below it,
/// as the command that does the same.
fn standing(model: &Model) -> Draft {
    let has_aside = !model.composer.put_aside().is_empty();
    let mut text = if has_aside { model.composer.unsaid() } else { model.composer.text() };
    if let Some(command) = model.overlays.iter().find_map(Overlay::unfinished) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&command);
    }
    Draft::new(text, model.composer.editing.filter(|_| !has_aside))
}

/// Keeps the draft now, changed or not.
pub(crate) fn keep(model: &mut Model) -> Option<Effect> {
    model.session.as_ref()?;
    let draft = standing(model);
    model.keeping.kept = draft.clone();
    model.keeping.touched = None;
    Some(Effect::host(SessionCommand::SaveDraft(draft)))
}

/// Keeps the draft if it is due and has changed.
pub(crate) fn tick(model: &mut Model) -> Option<Effect> {
    if model.keeping.due().is_none_or(|due| due > model.now) {
        return None;
    }
    keep_changed(model)
}

fn keep_changed(model: &mut Model) -> Option<Effect> {
    model.keeping.touched.take()?;
    let (kept, draft) = (&model.keeping.kept, standing(model));
    if (&kept.text, kept.replaces) == (&draft.text, draft.replaces) { None } else { keep(model) }
}

/// Forgets what was kept, because it is being sent.
pub(crate) fn sent(model: &mut Model) {
    model.keeping = Keeping::default();
}

/// Keeps the draft before effects that lead to another session.
pub(crate) fn before_leaving(model: &mut Model, mut effects: Vec<Effect>) -> Vec<Effect> {
    let leads_on = |effect: &Effect| {
        let Effect::Outside(Outside::Host(request)) = effect else { return false };
        matches!(request.command, Command::Open(_) | Command::Handoff(HandoffCommand::Accept))
    };
    if let Some(at) = effects.iter().position(leads_on) {
        effects.splice(at..at, keep_changed(model));
        model.keeping.leaving = true;
    }
    effects
}
