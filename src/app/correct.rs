//! `/correct`: which field is meant, and what is offered where none is.

use super::effect::Effect;
use super::model::Model;
use super::overlay::{self, Overlay, Purpose};
use super::session::ShownSession;
use super::toasts::Level;

/// `/correct name value` at once, by the name of the field or of what it is asked for; anything else narrows the list.
pub(super) fn correct(model: &mut Model, argument: &str) -> Vec<Effect> {
    let found = model.session.as_ref().and_then(|session| named_field(session, argument));
    match found {
        Some((path, value)) if !value.is_empty() => overlay::correct(model, path, &value),
        _ => {
            let effects = overlay::choose_from(model, Purpose::Correct, argument);
            // A name that nothing is called by narrows the list to nothing: then all of it is there to choose from.
            if let Some(Overlay::Chooser(list)) = model.overlays.last()
                && list.fitting.is_empty()
            {
                model.overlays.pop();
                model.toasts.tell(Level::Info, model.words.commands.no_field(argument), model.now);
                return overlay::choose_from(model, Purpose::Correct, "");
            }
            effects
        }
    }
}

/// The field whose name a text begins with, and the rest of the text. The longest name wins.
fn named_field(session: &ShownSession, text: &str) -> Option<(String, String)> {
    let engine = &session.engine;
    let fields = engine.fields.iter().flat_map(|field| [(&field.name, &field.path), (&field.path, &field.path)]);
    let asked = engine.obligations.iter().filter_map(|known| match &known.fields[..] {
        [path] => Some((&known.name, path)),
        _ => None,
    });
    let rest = |name: &str| {
        let start = text.get(..name.len()).filter(|start| start.to_lowercase() == name.to_lowercase())?;
        let rest = &text[start.len()..];
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim().to_owned())
    };
    let named = fields.chain(asked).filter_map(|(name, path)| Some((name.len(), path.clone(), rest(name)?)));
    named.max_by_key(|(length, ..)| *length).map(|(_, path, value)| (path, value))
}
