//! Composes an answer: what was understood, what follows from it, and the next question of the engine.

use serde_json::Value;

use super::sentences::sentences;
use super::wording::{Heard, heard, inside, mirrored, sentence, vary};
use crate::engine::Engine;
use crate::engine::config::{Kind, Phase};
use crate::engine::extraction::{Change, ChangeKind};
use crate::engine::handoff::critical_items;
use crate::engine::memory::Status;
use crate::engine::obligations::AgendaItem;
use crate::engine::ports::ResponseRequest;
use crate::engine::tokens;
use crate::engine::values::{brief_text, shaped_text};

/// Points of a summary.
const MAX_POINTS: usize = 6;

/// The answer, and the obligations it asks for.
pub fn compose(request: &ResponseRequest<'_>) -> (String, Vec<String>) {
    let mut parts: Vec<String> = Vec::new();
    if request.memory.turn == 1 {
        parts.push(
            "I work offline: no model is connected. I ask the questions of this interview and take your answers down \
             in your own words."
                .to_owned(),
        );
    }
    parts.extend(handed_over(request));
    let Heard { answer, asks: clarifies } = heard(request.message);
    if !answer.is_empty() {
        parts.extend(taken_up(request));
    }
    if clarifies {
        parts.push(clarification(request, answer.is_empty()));
    }
    if let Some(left) = request.left_phase.and_then(|id| request.engine.phase(id)) {
        parts.extend(closing(request, left));
    }
    // A question of the user's, or a correction of something else, leaves the question before unanswered.
    let digressed = (clarifies && answer.is_empty()) || corrects_something_else(request);
    let again = if digressed { asked_before(request) } else { None };
    let item = again.as_ref().or_else(|| request.agenda.first());
    match item {
        Some(item) => parts.push(question(request, item, clarifies)),
        None => parts.push(ending(request)),
    }
    let asked = item.map(|item| vec![item.obligation.clone()]).unwrap_or_default();
    (parts.join("\n\n"), asked)
}

/// What an earlier session handed over and nobody has said back yet, so that the user can see that it has arrived.
fn handed_over(request: &ResponseRequest<'_>) -> Option<String> {
    let inbound = request.memory.inbound_handoff.as_ref()?;
    let items = match &inbound.verification {
        None => critical_items(&inbound.handoff),
        Some(_) if inbound.reminders_left > 0 => inbound.unacknowledged.clone(),
        Some(_) => Vec::new(),
    };
    let list: Vec<String> = items.iter().take(MAX_POINTS).map(|item| format!("- {}", clip(item))).collect();
    if list.is_empty() { None } else { Some(format!("I keep to what you brought along:\n{}", list.join("\n"))) }
}

/// Whether the message changed what was known and said nothing on what was asked.
fn corrects_something_else(request: &ResponseRequest<'_>) -> bool {
    let asked = |path: &String| {
        let fields = request.memory.asked.iter().flat_map(|asked| request.engine.fields_of(&asked.obligation));
        fields.into_iter().any(|field| field == path)
    };
    let changed = |change: &Change| matches!(change.kind, ChangeKind::Supersede | ChangeKind::Cleared);
    request.changes.iter().any(changed) && !request.changes.iter().any(|change| asked(&change.path))
}

/// The question before, which a question of the user's has left open.
fn asked_before(request: &ResponseRequest<'_>) -> Option<AgendaItem> {
    let last = request.memory.asked.first().filter(|asked| asked.to_confirm.is_empty())?;
    let obligation = request.engine.obligation(&last.obligation)?;
    let status = request.memory.obligations.status(&obligation.id);
    matches!(status, Status::Pending | Status::Partial).then(|| AgendaItem {
        obligation: obligation.id.to_string(),
        label: obligation.name.clone(),
        question: obligation.question.clone(),
        description: obligation.description.clone(),
        priority: 0.0,
        to_confirm: Vec::new(),
        times_asked: request.memory.obligations.get(&obligation.id).map_or(0, |state| state.times_asked),
    })
}

/// The answer to a question of the user's: what the last question was after, where it is still open.
fn clarification(request: &ResponseRequest<'_>, still_open: bool) -> String {
    let last = request.memory.asked.first().and_then(|asked| request.engine.obligation(&asked.obligation));
    match last.filter(|_| still_open) {
        Some(obligation) => format!(
            "I can only ask, not explain at length. What I am after here: {}",
            inside(first_sentence(&obligation.description))
        ),
        None => "Your question I cannot answer: without a model I have nothing to teach.".to_owned(),
    }
}

/// What was understood, corrected or set aside.
fn taken_up(request: &ResponseRequest<'_>) -> Option<String> {
    let turn = request.memory.turn;
    let kind = |wanted: ChangeKind| request.changes.iter().find(|change| change.kind == wanted);
    if let Some(change) = kind(ChangeKind::Supersede) {
        return Some(changed(request.engine, change, change.previous.as_ref()));
    }
    // A list is corrected by taking it back and giving it anew.
    let renewed = request.changes.iter().find_map(|cleared| {
        let taken_back = cleared.kind == ChangeKind::Cleared;
        let again = request.changes.iter().find(|new| taken_back && new.path == cleared.path && new.kind.is_accepted());
        again.map(|new| changed(request.engine, new, cleared.previous.as_ref()))
    });
    if renewed.is_some() {
        return renewed;
    }
    if kind(ChangeKind::Declined).is_some() {
        return Some("That is your right. I will not ask again.".to_owned());
    }
    if kind(ChangeKind::Unknown).is_some() {
        return Some(
            vary(turn, &["That is fine; I note it as open.", "Good to know that it is open; I note that."]).to_owned(),
        );
    }
    if kind(ChangeKind::Cleared).is_some() {
        return Some("I have taken that out.".to_owned());
    }
    if let Some(change) = kind(ChangeKind::New).or_else(|| kind(ChangeKind::Update)) {
        return Some(noted(request, change));
    }
    if kind(ChangeKind::Candidate).is_some() {
        return Some(
            vary(
                turn,
                &[
                    "I am not sure I read that right; I will check it with you.",
                    "I have a guess at that and will check it with you.",
                ],
            )
            .to_owned(),
        );
    }
    let missed = !request.memory.asked.is_empty() && request.changes.is_empty() && turn > 1;
    missed.then(|| "I could not make a note out of that.".to_owned())
}

/// A value of a field as the user reads it.
fn shown(engine: &Engine, path: &str, value: &Value) -> String {
    engine.field(path).map_or_else(|| brief_text(value), |field| shaped_text(value, &field.shape))
}

fn changed(engine: &Engine, new: &Change, old: Option<&Value>) -> String {
    let old = old.map(|value| clip(&shown(engine, &new.path, value))).unwrap_or_default();
    format!("I have changed that: “{}” instead of “{old}”.", clip(&shown(engine, &new.path, &new.value)))
}

/// Says back what was noted: a text in the user's own words, figures and choices with what they stand for.
fn noted(request: &ResponseRequest<'_>, change: &Change) -> String {
    let turn = request.memory.turn;
    let kind = |change: &Change| request.engine.field(&change.path).map(|field| field.shape.r#type);
    match kind(change) {
        Some(Kind::String) => {
            let said = mirrored(&shown(request.engine, &change.path, &change.value));
            format!("{} {said}.", vary(turn, &["Understood:", "I have noted:", "As I understand it:"]))
        }
        Some(Kind::Array) => format!(
            "{} {}.",
            vary(turn, &["I have:", "Noted:"]),
            clip(&shown(request.engine, &change.path, &change.value))
        ),
        Some(Kind::Boolean) => vary(turn, &["Good.", "Noted.", "Understood."]).to_owned(),
        _ => {
            let plain = |other: &&Change| {
                other.kind.is_accepted() && matches!(kind(other), Some(Kind::Number | Kind::Enum | Kind::Object))
            };
            let said = request.changes.iter().filter(plain).take(3).map(|change| {
                let name = request.engine.field(&change.path).map_or("Noted", |field| field.name.as_str());
                format!("{name}: {}.", clip(&shown(request.engine, &change.path, &change.value)))
            });
            said.collect::<Vec<_>>().join(" ")
        }
    }
}

/// What a phase brought, said back at its end so that it can be corrected.
fn closing(request: &ResponseRequest<'_>, left: &Phase) -> Option<String> {
    // What an earlier phase has said back already is not said again.
    let since = request.memory.phase.history.last().map_or(0, |visit| visit.entered_at_turn);
    let points = points(request, since, |category| left.covers.iter().any(|covered| **covered == *category));
    if points.len() < 2 {
        return None;
    }
    let list: Vec<String> = points.iter().map(|point| format!("- {point}")).collect();
    Some(format!(
        "That is “{}” for now. What I have:\n{}\n\nSay so if one of these is wrong.",
        left.name,
        list.join("\n")
    ))
}

/// The settled obligations of some categories with what is known of them, as far as it is newer than a turn.
fn points(request: &ResponseRequest<'_>, since: u32, belongs: impl Fn(&str) -> bool) -> Vec<String> {
    let own = request.engine.definition().obligations.iter().filter(|o| belongs(&o.category));
    let known = own.filter_map(|obligation| {
        let mut values: Vec<String> = Vec::new();
        for path in request.engine.fields_of(&obligation.id) {
            let extracted = request.memory.extraction.get(path).filter(|known| known.last_updated_at_turn > since);
            let value = extracted
                .and_then(|_| request.memory.extraction.value(path))
                .map(|value| clip(&shown(request.engine, path, value)));
            // A choice that stands in the sentence before it is not said twice.
            values.extend(value.filter(|value| !values.iter().any(|said| said.contains(value.as_str()))));
        }
        (!values.is_empty()).then(|| format!("{}: {}", obligation.name, values.join(", ")))
    });
    known.take(MAX_POINTS).collect()
}

fn question(request: &ResponseRequest<'_>, item: &AgendaItem, clarified: bool) -> String {
    if let Some((path, value)) = item.to_confirm.first() {
        let name = request.engine.field(path).map_or(path.as_str(), |field| field.name.as_str());
        return format!(
            "On “{}”, I understood: {}. Is that right?",
            name,
            clip(&mirrored(&shown(request.engine, path, value)))
        );
    }
    if let Some(rest) = missing_part(request, item) {
        return rest;
    }
    let obligation = request.engine.obligation(&item.obligation);
    let confirms = obligation.is_some_and(|o| o.when.is_some());
    if confirms && item.times_asked == 0 {
        let all = points(request, 0, |_| true);
        if all.len() >= 2 {
            let list: Vec<String> = all.iter().map(|point| format!("- {point}")).collect();
            return format!("This is what I have understood:\n{}\n\n{}", list.join("\n"), item.question);
        }
    }
    let again = item.times_asked > 0 && !clarified;
    let lead = if again {
        format!("Put differently, I am after this: {}\n\n", inside(first_sentence(&item.description)))
    } else {
        String::new()
    };
    format!("{lead}{}{}", item.question, options(request, item))
}

/// Asks for what is left of an answer of which a part is known.
fn missing_part(request: &ResponseRequest<'_>, item: &AgendaItem) -> Option<String> {
    let paths = request.engine.fields_of(&item.obligation);
    let known = |path: &&String| request.memory.extraction.is_known(path);
    let open = paths.iter().find(|path| !known(path)).filter(|_| paths.iter().any(|path| known(&path)))?;
    let field = request.engine.field(open)?;
    let choices: Vec<String> = field.shape.options.iter().map(|option| option.replace(['_', '-'], " ")).collect();
    let after = match choices.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => field.description.trim().trim_end_matches('.').to_owned(),
    };
    Some(format!(
        "One part of “{}” is still open. What would you say on “{}”: {}?",
        item.label,
        field.name,
        inside(&after)
    ))
}

/// The choices of a question that has them.
fn options(request: &ResponseRequest<'_>, item: &AgendaItem) -> String {
    let field = request.engine.fields_of(&item.obligation).first().and_then(|path| request.engine.field(path));
    let Some(field) = field.filter(|field| field.shape.r#type == Kind::Enum) else { return String::new() };
    let spoken: Vec<String> = field.shape.options.iter().map(|option| option.replace(['_', '-'], " ")).collect();
    let named = spoken.iter().all(|option| item.question.to_lowercase().contains(&option.to_lowercase()));
    if named { String::new() } else { format!(" ({})", spoken.join(", ")) }
}

/// What to say when there is nothing left to ask.
fn ending(request: &ResponseRequest<'_>) -> String {
    let state = &request.memory.completeness;
    let share = (state.overall * 100.0).round();
    if state.is_ready {
        return format!(
            "I have what I need: the picture is {share} % complete. Your brief is ready; you can still add to it or \
             correct it."
        );
    }
    let gaps: Vec<&str> = state.gaps.iter().take(4).map(String::as_str).collect();
    let open = if gaps.is_empty() { String::new() } else { format!(" Still open: {}.", gaps.join(", ")) };
    format!("{} The picture is {share} % complete.{open}", sentence("that is all I can ask."))
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    sentences(text).first().copied().unwrap_or(text)
}

/// A value short enough to be said back, without a question mark that would pass for a question.
fn clip(text: &str) -> String {
    let cut = tokens::cut(text, 24);
    let dots = if cut.len() < text.trim_end().len() { " …" } else { "" };
    format!("{}{dots}", cut.trim_end_matches(['.', '!', '?', ',']).replace('?', ""))
}
