//! How the question of a point is put in the language of the conversation: the engine's own words, one whether something
//! that was said is meant, or one for the part that is missing.

use super::Engine;
use super::config::Shape;
use super::memory::WorkingMemory;
use super::obligations::AgendaItem;
use super::values::brief_text;

/// The question of an item as it stands for the model and the user. What only needs to be confirmed is shown by
/// [`confirmation`].
pub(crate) fn question(engine: &Engine, memory: &WorkingMemory, language: &str, item: &AgendaItem) -> String {
    let Some(obligation) = engine.obligation(&item.obligation) else { return item.question.clone() };
    if let Some(doubt) = item.doubt.and_then(|place| obligation.doubts.get(place)) {
        return doubt.question_in.get(language).map_or_else(|| doubt.question.clone(), |text| text.value.clone());
    }
    let own = || obligation.question_in.get(language).map(|text| text.value.clone());
    missing_part(engine, memory, language, item).or_else(own).unwrap_or_else(|| item.question.clone())
}

/// Asks whether what was said is meant: "You said 15,000 €. Is that the budget?"
pub(crate) fn confirmation(
    engine: &Engine,
    memory: &WorkingMemory,
    language: &str,
    item: &AgendaItem,
) -> Option<String> {
    let (path, value) = item.to_confirm.first()?;
    let lexicon = engine.reader().lexicon(Some(language))?;
    let said = lexicon.quoted(&brief_text(value));
    if let Some(old) = memory.extraction.value(path).filter(|old| *old != value) {
        let old = lexicon.quoted(&brief_text(old));
        let speaker = memory.says_otherwise(path);
        let occasion = if speaker.is_some() { "contradiction_by" } else { "contradiction" };
        let asked = lexicon.reply(occasion, memory.turn)?.replace("{speaker}", speaker.unwrap_or_default());
        return Some(asked.replace("{old}", &old).replace("{value}", &said));
    }
    let field = engine.field(path)?;
    let (occasion, name) = match asked_as(engine, language, path) {
        Some(name) => ("confirm_said", name.to_owned()),
        None => ("confirm_named", lexicon.reply("named", memory.turn)?.replace("{name}", &field.name)),
    };
    Some(lexicon.reply(occasion, memory.turn)?.replace("{value}", &said).replace("{name}", &name))
}

/// What a field is in a question about what was said.
pub(crate) fn asked_as<'e>(engine: &'e Engine, language: &str, path: &str) -> Option<&'e str> {
    let field = engine.field(path)?;
    let own = (language == engine.definition().language()).then_some(field.asked_as.as_deref()).flatten();
    own.or_else(|| field.asked_as_in.get(language).map(|name| name.value.as_str()))
}

/// One of the values that a field can take, as people say it.
pub(crate) fn option_word(shape: &Shape, language: &str, option: &str) -> String {
    let said = shape.options_in.get(language).and_then(|words| words.value.get(option));
    said.map_or_else(|| option.replace(['_', '-'], " "), |said| said.value.clone())
}

/// Asks for what is left of a point of which a part is known.
fn missing_part(engine: &Engine, memory: &WorkingMemory, language: &str, item: &AgendaItem) -> Option<String> {
    let paths = engine.fields_of(&item.obligation);
    let known = |path: &&String| memory.extraction.is_known(path);
    let open = paths.iter().find(|path| !known(path)).filter(|_| paths.iter().any(|path| known(&path)))?;
    let field = engine.field(open)?;
    let name = asked_as(engine, language, open)?;
    let lexicon = engine.reader().lexicon(Some(language))?;
    if field.shape.options.is_empty() {
        return Some(lexicon.reply("missing_part", memory.turn)?.replace("{name}", name));
    }
    let choices = field.shape.options.iter().map(|option| option_word(&field.shape, language, option));
    let choices = choices.collect::<Vec<_>>().join(", ");
    Some(lexicon.reply("missing_choice", memory.turn)?.replace("{name}", name).replace("{choices}", &choices))
}
